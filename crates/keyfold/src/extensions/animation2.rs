//! KHR_animation2, a draft of 2021 that became KHR_animation_pointer: core's `path` holds the JSON pointer, and an empty object
//! `target.extensions.KHR_animation2` marks it.
//!
//! Exporters of early 2022 wrote a later draft of it, with the pointer as `path` of that object and a dummy in core's place: read,
//! not written. `node` means nothing here. `CUBIC` as a sampler's interpolation is, of rotations, what EXT_animation_sqlerp calls
//! CUBICSLERP. The draft says so of rotations only: of anything else it is core's cubic spline. CUBICSPLINE keeps core's meaning everywhere.

use super::{
    Extension,
    pointer::{self, Address, carried, channel_targets},
};
use crate::{
    Document, Interpolation, Kind, Property, Result, Targets,
    document::{Accessor, ComponentType, Object},
    object_model::{Row, Status},
};
use serde_json::{Map, Value, json};

pub(super) const EXTENSION: Extension = Extension {
    target: Some(|channel, findings| channel_targets(channel, address(channel.document, &channel.object)?, findings)),
    interpolation: Some(|name, kind| (name == "CUBIC").then(|| cubic(kind))),
    undeclared: true,
    tidy: Some(tidy),
    rules: Some(|document, findings| pointer::rules(document, findings, Targets::Animation2)),
    codes: pointer::CODES,
    places: &["/animations/*/channels/*/target"],
    members: &["path"],
    ..Extension::new(NAME)
};

pub(crate) const NAME: &str = "KHR_animation2";

/// The pointer of a channel; `None` where it has none of this extension.
pub(super) fn address<'a>(document: &Document, channel: &Object<'a>) -> Result<Option<Address<'a>>> {
    let marker = carried(channel, NAME)?;
    if let Some(object) = marker.as_ref().filter(|object| object.get("path").is_some()) {
        return Ok(Some(Address {
            text: object.required_text("path")?,
            at: object.place("path"),
            targets: Targets::Animation2,
            legacy: Some("a later draft of KHR_animation2 kept the pointer here"),
        }));
    }
    let Some(target) = pointer::target(channel)? else { return Ok(None) };
    let Some(path) = target.text("path")? else { return Ok(None) };
    let is_marked = marker.is_some() && Property::from_name(path).is_none();
    let is_pointer = is_marked || (path.starts_with('/') && document.uses(NAME));
    let legacy = Some("KHR_animation2 became KHR_animation_pointer");
    let address = || Address { text: path, at: target.place("path"), targets: Targets::Animation2, legacy };
    Ok(is_pointer.then(address))
}

/// What `CUBIC` means for values of a kind.
fn cubic(kind: Kind) -> Interpolation {
    match kind {
        Kind::Rotation => Interpolation::CubicSlerp,
        _ => Interpolation::CubicSpline,
    }
}

/// The `target` that names a pointer, as the draft's example does.
pub(crate) fn target(pointer: &str) -> Map<String, Value> {
    let object = json!({ "path": pointer, "extensions": { NAME: {} } });
    object.as_object().cloned().unwrap_or_default()
}

/// Once no channel is addressed by it any more, the extension is not used.
fn tidy(json: &mut Value) {
    let is_pointer = |path: &Value| path.as_str().is_some_and(|path| path.starts_with('/'));
    if !pointer::any_target(json, |target| target["extensions"].get(NAME).is_some() || is_pointer(&target["path"])) {
        super::undeclare(json, NAME);
    }
}

/// The rows of the draft's table that the ratified object model has too; the others stand in the registry as drafts.
const ROWS: &[&str] = &[
    "/nodes/{}/translation",
    "/nodes/{}/rotation",
    "/nodes/{}/scale",
    "/cameras/{}/orthographic/xmag",
    "/cameras/{}/orthographic/ymag",
    "/cameras/{}/orthographic/zfar",
    "/cameras/{}/orthographic/znear",
    "/cameras/{}/perspective/aspectRatio",
    "/cameras/{}/perspective/yfov",
    "/cameras/{}/perspective/zfar",
    "/cameras/{}/perspective/znear",
    "/materials/{}/pbrMetallicRoughness/baseColorFactor",
    "/materials/{}/pbrMetallicRoughness/metallicFactor",
    "/materials/{}/pbrMetallicRoughness/roughnessFactor",
    "/materials/{}/alphaCutoff",
    "/materials/{}/emissiveFactor",
    "/materials/{}/normalTexture/scale",
    "/materials/{}/occlusionTexture/strength",
    "/materials/{}/**/*Texture/extensions/KHR_texture_transform/offset",
    "/materials/{}/**/*Texture/extensions/KHR_texture_transform/rotation",
    "/materials/{}/**/*Texture/extensions/KHR_texture_transform/scale",
];

/// The rows whose values the draft's table takes as fractions, too; of all others it takes floats only.
const FRACTIONS: &[&str] = &[
    "/nodes/{}/rotation",
    "/materials/{}/pbrMetallicRoughness/baseColorFactor",
    "/materials/{}/extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor",
    "/materials/{}/extensions/KHR_materials_pbrSpecularGlossiness/specularFactor",
    "/extensions/KHR_lights/lights/{}/color",
    "/extensions/KHR_lights_punctual/lights/{}/color",
];

/// Whether the draft's table has a row.
pub(crate) fn lists(row: &Row) -> bool {
    row.status == Status::Draft || ROWS.contains(&&*row.template)
}

/// Whether the draft's table takes values of a row in an accessor's component type; of rows that it does not have it says nothing.
pub(crate) fn may_hold(row: &Row, accessor: &Accessor) -> bool {
    let fraction = accessor.normalized && FRACTIONS.contains(&&*row.template);
    !lists(row) || (accessor.component == ComponentType::F32 && !accessor.normalized) || fraction
}
