//! The rows that every registry has: what can be addressed in glTF 2.0 and in the extensions that say so.
//!
//! Sources: the glTF 2.0 Asset Object Model; the schemas of core and of each extension, for defaults and ranges; the
//! KHR_animation2 draft for the rows that only it has. Texture transforms are one rule, not a list: every textureInfo
//! of a material takes them, those of extensions included.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::ops::Bound::{Excluded, Included};

use super::row::ValueType::{self, Bool, Float, Float2, Float3, Float4, Float4x4, FloatArray, Int};
use super::row::{Initial, Relation, Row, Status};
use super::valid::Valid;

const ONES: &[f64] = &[1.0, 1.0, 1.0, 1.0];
const ZEROS: &[f64] = &[0.0, 0.0, 0.0, 0.0];

/// All standard rows.
pub(super) fn standard() -> Vec<Row> {
    [core(), lights(), materials(), nodes(), read_only(), older()].concat()
}

fn ratified(template: &'static str, value_type: ValueType) -> Row {
    Row::new(template, value_type).status(Status::Ratified)
}

fn float(template: &'static str) -> Row {
    ratified(template, Float)
}

/// A number between 0 and 1.
fn factor(template: &'static str, default: &'static [f64]) -> Row {
    float(template).default(default).valid(Valid::UNIT)
}

/// A number from 0 on.
fn amount(template: &'static str, default: &'static [f64]) -> Row {
    float(template).default(default).valid(Valid::at_least(0.0))
}

/// Three floats between 0 and 1.
fn color(template: &'static str, default: &'static [f64]) -> Row {
    vector3(template, default).valid(Valid::UNIT)
}

/// White and opaque where it is not written.
fn color4(template: &'static str) -> Row {
    ratified(template, Float4).default(ONES).valid(Valid::UNIT)
}

fn vector3(template: &'static str, default: &'static [f64]) -> Row {
    ratified(template, Float3).default(&default[..3])
}

fn vector2(template: &'static str, default: &'static [f64]) -> Row {
    ratified(template, Float2).default(&default[..2])
}

fn rotation(template: &'static str) -> Row {
    ratified(template, Float4).quaternion()
}

fn switch(template: &'static str) -> Row {
    ratified(template, Bool).default(&[1.0])
}

fn weights(all: &'static str, one: &'static str) -> [Row; 2] {
    let array = ratified(all, FloatArray);
    [array, float(one)].map(|row| row.initial(Initial::Weights).range(1.0))
}

fn core() -> Vec<Row> {
    let mut rows = vec![
        float("/cameras/{}/orthographic/xmag").valid(Valid::NonZero).advised(Valid::above(0.0)),
        float("/cameras/{}/orthographic/ymag").valid(Valid::NonZero).advised(Valid::above(0.0)),
        float("/cameras/{}/orthographic/zfar").valid(Valid::above(0.0)).relation(Relation::Above("znear")),
        float("/cameras/{}/orthographic/znear").valid(Valid::at_least(0.0)).relation(Relation::Below("zfar")),
        float("/cameras/{}/perspective/aspectRatio").valid(Valid::above(0.0)),
        float("/cameras/{}/perspective/yfov").valid(Valid::above(0.0)).advised(Valid::below(PI)),
        float("/cameras/{}/perspective/zfar").valid(Valid::above(0.0)).relation(Relation::Above("znear")),
        float("/cameras/{}/perspective/znear").valid(Valid::above(0.0)).relation(Relation::Below("zfar")),
        amount("/materials/{}/alphaCutoff", &[0.5]),
        color("/materials/{}/emissiveFactor", ZEROS),
        float("/materials/{}/normalTexture/scale").default(&[1.0]),
        factor("/materials/{}/occlusionTexture/strength", &[1.0]),
        color4("/materials/{}/pbrMetallicRoughness/baseColorFactor"),
        factor("/materials/{}/pbrMetallicRoughness/metallicFactor", &[1.0]),
        factor("/materials/{}/pbrMetallicRoughness/roughnessFactor", &[1.0]),
        vector3("/nodes/{}/translation", ZEROS),
        rotation("/nodes/{}/rotation"),
        vector3("/nodes/{}/scale", ONES),
        vector2("/materials/{}/**/*Texture/extensions/KHR_texture_transform/offset", ZEROS),
        float("/materials/{}/**/*Texture/extensions/KHR_texture_transform/rotation").default(&[0.0]),
        vector2("/materials/{}/**/*Texture/extensions/KHR_texture_transform/scale", ONES),
    ];
    rows.extend(weights("/nodes/{}/weights", "/nodes/{}/weights/{}"));
    rows
}

fn lights() -> Vec<Row> {
    let mut rows = vec![
        float("/extensions/KHR_lights_punctual/lights/{}/range").valid(Valid::above(0.0)),
        amount("/nodes/{}/extensions/EXT_lights_ies/multiplier", &[1.0]),
        color("/nodes/{}/extensions/EXT_lights_ies/color", ONES),
        rotation("/extensions/EXT_lights_image_based/lights/{}/rotation"),
        amount("/extensions/EXT_lights_image_based/lights/{}/intensity", &[1.0]),
    ];
    rows.extend(punctual([
        "/extensions/KHR_lights_punctual/lights/{}/color",
        "/extensions/KHR_lights_punctual/lights/{}/intensity",
        "/extensions/KHR_lights_punctual/lights/{}/spot/innerConeAngle",
        "/extensions/KHR_lights_punctual/lights/{}/spot/outerConeAngle",
    ]));
    rows
}

/// What lights have in common under their ratified and their draft name.
fn punctual([hue, intensity, inner, outer]: [&'static str; 4]) -> [Row; 4] {
    let inner_range = Valid::Within(Included(0.0), Excluded(FRAC_PI_2));
    let outer_range = Valid::Within(Excluded(0.0), Included(FRAC_PI_2));
    [
        color(hue, ONES),
        amount(intensity, &[1.0]),
        float(inner).default(&[0.0]).valid(inner_range).relation(Relation::Below("outerConeAngle")),
        float(outer).default(&[FRAC_PI_4]).valid(outer_range).relation(Relation::Above("innerConeAngle")),
    ]
}

fn materials() -> Vec<Row> {
    vec![
        factor("/materials/{}/extensions/KHR_materials_anisotropy/anisotropyStrength", &[0.0]),
        float("/materials/{}/extensions/KHR_materials_anisotropy/anisotropyRotation").default(&[0.0]),
        factor("/materials/{}/extensions/KHR_materials_clearcoat/clearcoatFactor", &[0.0]),
        factor("/materials/{}/extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", &[0.0]),
        float("/materials/{}/extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale").default(&[1.0]),
        amount("/materials/{}/extensions/KHR_materials_dispersion/dispersion", &[0.0]),
        amount("/materials/{}/extensions/KHR_materials_emissive_strength/emissiveStrength", &[1.0]),
        // A static 0 is legal and means something else altogether; samplers may not produce it.
        float("/materials/{}/extensions/KHR_materials_ior/ior").default(&[1.5]).valid(Valid::at_least(1.0)),
        factor("/materials/{}/extensions/KHR_materials_iridescence/iridescenceFactor", &[0.0]),
        float("/materials/{}/extensions/KHR_materials_iridescence/iridescenceIor")
            .default(&[1.3])
            .valid(Valid::at_least(1.0)),
        amount("/materials/{}/extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", &[100.0]),
        amount("/materials/{}/extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", &[400.0]),
        color("/materials/{}/extensions/KHR_materials_sheen/sheenColorFactor", ZEROS),
        factor("/materials/{}/extensions/KHR_materials_sheen/sheenRoughnessFactor", &[0.0]),
        factor("/materials/{}/extensions/KHR_materials_specular/specularFactor", &[1.0]),
        vector3("/materials/{}/extensions/KHR_materials_specular/specularColorFactor", ONES)
            .valid(Valid::at_least(0.0))
            .range(1.0),
        factor("/materials/{}/extensions/KHR_materials_transmission/transmissionFactor", &[0.0]),
        amount("/materials/{}/extensions/KHR_materials_volume/thicknessFactor", &[0.0]),
        float("/materials/{}/extensions/KHR_materials_volume/attenuationDistance")
            .default(&[f64::INFINITY])
            .valid(Valid::above(0.0)),
        color("/materials/{}/extensions/KHR_materials_volume/attenuationColor", ONES),
        // Its schema says [0, 1], its default is 1.5 and its example 3: no range is right.
        float("/materials/{}/extensions/ADOBE_materials_clearcoat_specular/clearcoatIor").default(&[1.5]),
        factor("/materials/{}/extensions/ADOBE_materials_clearcoat_specular/clearcoatSpecularFactor", &[1.0]),
        color("/materials/{}/extensions/ADOBE_materials_clearcoat_tint/clearcoatTintFactor", ONES),
        factor("/materials/{}/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionFactor", &[0.0])
            .status(Status::Unlisted),
        color("/materials/{}/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorFactor", ONES)
            .status(Status::Unlisted),
    ]
}

fn nodes() -> Vec<Row> {
    vec![
        switch("/nodes/{}/extensions/KHR_node_visibility/visible"),
        switch("/nodes/{}/extensions/KHR_node_hoverability/hoverable"),
        switch("/nodes/{}/extensions/KHR_node_selectability/selectable"),
    ]
}

/// Never valid as targets. Lengths, parents and matrices follow from the rest of the document.
fn read_only() -> Vec<Row> {
    let written = [
        "/meshes/{}/primitives/{}/material",
        "/nodes/{}/camera",
        "/nodes/{}/children/{}",
        "/nodes/{}/mesh",
        "/nodes/{}/skin",
        "/scene",
        "/scenes/{}/nodes/{}",
        "/skins/{}/joints/{}",
        "/skins/{}/skeleton",
        "/nodes/{}/extensions/KHR_lights_punctual/light",
    ];
    let derived = [
        "/animations.length",
        "/cameras.length",
        "/materials.length",
        "/meshes.length",
        "/meshes/{}/primitives.length",
        "/nodes.length",
        "/nodes/{}/children.length",
        "/nodes/{}/parent",
        "/nodes/{}/weights.length",
        "/scenes.length",
        "/scenes/{}/nodes.length",
        "/skins.length",
        "/skins/{}/joints.length",
        "/extensions/KHR_lights_punctual/lights.length",
        "/extensions/EXT_lights_ies/lights.length",
        "/extensions/EXT_lights_image_based/lights.length",
    ];
    let matrices = ["/nodes/{}/globalMatrix", "/nodes/{}/matrix"];
    let written = written.map(|template| ratified(template, Int));
    let derived = derived.map(|template| ratified(template, Int).initial(Initial::Derived));
    let matrices = matrices.map(|template| ratified(template, Float4x4).initial(Initial::Derived));
    let double_sided = ratified("/materials/{}/doubleSided", Bool).default(&[0.0]);
    written.into_iter().chain(derived).chain(matrices).chain([double_sided]).map(Row::read_only).collect()
}

/// Rows that are read but no longer written: what the object model dropped, and the draft's own.
fn older() -> Vec<Row> {
    let legacy = weights("/meshes/{}/weights", "/meshes/{}/weights/{}").map(|row| row.status(Status::Legacy));
    let lights = punctual([
        "/extensions/KHR_lights/lights/{}/color",
        "/extensions/KHR_lights/lights/{}/intensity",
        "/extensions/KHR_lights/lights/{}/innerConeAngle",
        "/extensions/KHR_lights/lights/{}/outerConeAngle",
    ]);
    let glossiness = [
        color4("/materials/{}/extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor"),
        color("/materials/{}/extensions/KHR_materials_pbrSpecularGlossiness/specularFactor", ONES),
        factor("/materials/{}/extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor", &[1.0]),
        float("/nodes/{}/extensions/AVR_lights_static/strength"),
    ];
    let draft = lights.into_iter().chain(glossiness).map(|row| row.status(Status::Draft));
    legacy.into_iter().chain(draft).collect()
}
