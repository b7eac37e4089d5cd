//! The properties that can be animated, and the keys that each is given here: three, at 0, 1 and 2 seconds.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};

use crate::samples::gltf::{Gltf, Usage};

/// When the manifest says what to expect.
pub(super) const TIMES: [f64; 5] = [0.0, 0.5, 1.0, 1.25, 2.0];

/// How far each key is along the span of values.
const KEYS: [f64; 3] = [0.25, 0.75, 0.5];

/// A property's type.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// So many floats.
    Floats(usize),
    Quaternion,
    Bool,
    /// Two of them, all or one.
    Weights,
}

/// A property that can be animated: a pointer with the indices that it has in these files.
#[derive(Clone)]
pub(super) struct Property {
    pub(super) path: String,
    pub(super) kind: Kind,
    /// Where the span of its values, one wide, begins.
    least: f64,
}

fn floats(path: impl Into<String>, count: usize, least: f64) -> Property {
    Property { path: path.into(), kind: Kind::Floats(count), least }
}

fn of_kind(path: &str, kind: Kind) -> Property {
    Property { path: path.into(), kind, least: 0.0 }
}

/// All properties: those of the object model, of the KHR_animation2 draft alone, and those that once were in the object model.
pub(super) fn all() -> Vec<Property> {
    let mut all = core();
    all.extend(extensions());
    all.extend(textures().flat_map(|slot| {
        let transform = format!("{slot}/extensions/KHR_texture_transform");
        [("offset", 2), ("rotation", 1), ("scale", 2)]
            .map(|(name, count)| floats(format!("{transform}/{name}"), count, 0.0))
    }));
    all.extend(past());
    all
}

fn core() -> Vec<Property> {
    let mut all = vec![
        of_kind("/nodes/0/rotation", Kind::Quaternion),
        of_kind("/nodes/0/weights", Kind::Weights),
        floats("/nodes/0/weights/1", 1, 0.0),
        floats("/nodes/0/translation", 3, 0.0),
        floats("/nodes/0/scale", 3, 1.0),
    ];
    let numbers = [
        ("cameras/0/orthographic", &[("xmag", 1.0), ("ymag", 1.0), ("zfar", 10.0), ("znear", 0.0)][..]),
        ("cameras/0/perspective", &[("aspectRatio", 1.0), ("yfov", 0.0), ("zfar", 10.0), ("znear", 0.0)]),
        ("materials/0", &[("alphaCutoff", 0.0), ("normalTexture/scale", 0.0), ("occlusionTexture/strength", 0.0)]),
        ("materials/0/pbrMetallicRoughness", &[("metallicFactor", 0.0), ("roughnessFactor", 0.0)]),
    ];
    for (owner, members) in numbers {
        all.extend(members.iter().map(|(name, least)| floats(format!("/{owner}/{name}"), 1, *least)));
    }
    all.push(floats("/materials/0/emissiveFactor", 3, 0.0));
    all.push(floats("/materials/0/pbrMetallicRoughness/baseColorFactor", 4, 0.0));
    all
}

/// A member of an extension: how many floats, and the least.
type Member = (&'static str, usize, f64);

const MATERIALS: [(&str, &[Member]); 13] = [
    ("KHR_materials_anisotropy", &[("anisotropyStrength", 1, 0.0), ("anisotropyRotation", 1, 0.0)]),
    (
        "KHR_materials_clearcoat",
        &[("clearcoatFactor", 1, 0.0), ("clearcoatRoughnessFactor", 1, 0.0), ("clearcoatNormalTexture/scale", 1, 0.0)],
    ),
    ("KHR_materials_dispersion", &[("dispersion", 1, 0.0)]),
    ("KHR_materials_emissive_strength", &[("emissiveStrength", 1, 0.0)]),
    ("KHR_materials_ior", &[("ior", 1, 1.0)]),
    (
        "KHR_materials_iridescence",
        &[
            ("iridescenceFactor", 1, 0.0),
            ("iridescenceIor", 1, 1.0),
            ("iridescenceThicknessMinimum", 1, 100.0),
            ("iridescenceThicknessMaximum", 1, 400.0),
        ],
    ),
    ("KHR_materials_sheen", &[("sheenColorFactor", 3, 0.0), ("sheenRoughnessFactor", 1, 0.0)]),
    ("KHR_materials_specular", &[("specularFactor", 1, 0.0), ("specularColorFactor", 3, 0.0)]),
    ("KHR_materials_transmission", &[("transmissionFactor", 1, 0.0)]),
    (
        "KHR_materials_volume",
        &[("thicknessFactor", 1, 0.0), ("attenuationDistance", 1, 0.0), ("attenuationColor", 3, 0.0)],
    ),
    ("ADOBE_materials_clearcoat_specular", &[("clearcoatIor", 1, 1.0), ("clearcoatSpecularFactor", 1, 0.0)]),
    ("ADOBE_materials_clearcoat_tint", &[("clearcoatTintFactor", 3, 0.0)]),
    (
        "KHR_materials_diffuse_transmission",
        &[("diffuseTransmissionFactor", 1, 0.0), ("diffuseTransmissionColorFactor", 3, 0.0)],
    ),
];

fn extensions() -> Vec<Property> {
    let light =
        |name: &str, count, least| floats(format!("/extensions/KHR_lights_punctual/lights/0/{name}"), count, least);
    let mut all = vec![
        light("color", 3, 0.0),
        light("intensity", 1, 0.0),
        light("range", 1, 1.0),
        light("spot/innerConeAngle", 1, 0.0),
        light("spot/outerConeAngle", 1, 0.5),
        floats("/nodes/0/extensions/EXT_lights_ies/multiplier", 1, 0.0),
        floats("/nodes/0/extensions/EXT_lights_ies/color", 3, 0.0),
        of_kind("/extensions/EXT_lights_image_based/lights/0/rotation", Kind::Quaternion),
        floats("/extensions/EXT_lights_image_based/lights/0/intensity", 1, 0.0),
    ];
    for (extension, members) in MATERIALS {
        let member = |(name, count, least): &Member| {
            floats(format!("/materials/0/extensions/{extension}/{name}"), *count, *least)
        };
        all.extend(members.iter().map(member));
    }
    let switches = [
        ("KHR_node_visibility", "visible"),
        ("KHR_node_hoverability", "hoverable"),
        ("KHR_node_selectability", "selectable"),
    ];
    all.extend(
        switches.map(|(extension, name)| of_kind(&format!("/nodes/0/extensions/{extension}/{name}"), Kind::Bool)),
    );
    all
}

/// The texture slots of materials.
fn textures() -> impl Iterator<Item = String> {
    let core = [
        "normalTexture",
        "occlusionTexture",
        "emissiveTexture",
        "pbrMetallicRoughness/baseColorTexture",
        "pbrMetallicRoughness/metallicRoughnessTexture",
    ];
    let extended = [
        ("KHR_materials_anisotropy", &["anisotropyTexture"][..]),
        ("KHR_materials_clearcoat", &["clearcoatTexture", "clearcoatRoughnessTexture", "clearcoatNormalTexture"]),
        ("KHR_materials_iridescence", &["iridescenceTexture", "iridescenceThicknessTexture"]),
        ("KHR_materials_sheen", &["sheenColorTexture", "sheenRoughnessTexture"]),
        ("KHR_materials_specular", &["specularTexture", "specularColorTexture"]),
        ("KHR_materials_transmission", &["transmissionTexture"]),
        ("KHR_materials_volume", &["thicknessTexture"]),
        ("ADOBE_materials_clearcoat_specular", &["clearcoatSpecularTexture"]),
        ("ADOBE_materials_clearcoat_tint", &["clearcoatTintTexture"]),
        ("KHR_materials_diffuse_transmission", &["diffuseTransmissionTexture", "diffuseTransmissionColorTexture"]),
    ];
    let extended = extended.into_iter().flat_map(|(extension, slots)| {
        slots.iter().map(move |slot| format!("/materials/0/extensions/{extension}/{slot}"))
    });
    core.into_iter().map(|slot| format!("/materials/0/{slot}")).chain(extended)
}

/// What only drafts address, or what the object model addressed once.
fn past() -> Vec<Property> {
    let light = |name: &str, count, least| floats(format!("/extensions/KHR_lights/lights/0/{name}"), count, least);
    let glossiness = |name: &str, count| {
        floats(format!("/materials/0/extensions/KHR_materials_pbrSpecularGlossiness/{name}"), count, 0.0)
    };
    vec![
        light("color", 3, 0.0),
        light("intensity", 1, 0.0),
        light("innerConeAngle", 1, 0.0),
        light("outerConeAngle", 1, 0.5),
        glossiness("diffuseFactor", 4),
        glossiness("specularFactor", 3),
        glossiness("glossinessFactor", 1),
        floats("/nodes/0/extensions/AVR_lights_static/strength", 1, 0.0),
        of_kind("/meshes/0/weights", Kind::Weights),
        floats("/meshes/0/weights/1", 1, 0.0),
    ]
}

impl Property {
    pub(super) fn pointer(&self) -> String {
        self.path.clone()
    }

    /// The pointer with `{}` for indices.
    pub(super) fn template(&self) -> String {
        let template = self.path.replace("/0", "/{}");
        template.strip_suffix("/1").map(|owner| format!("{owner}/{{}}")).unwrap_or(template)
    }

    /// The pointer as the object model spells it today.
    pub(super) fn target(&self) -> String {
        self.path.replace("/meshes/0/", "/nodes/0/")
    }

    /// Whether KHR_animation_pointer knows it.
    pub(super) fn is_current(&self) -> bool {
        let past = ["KHR_lights/", "pbrSpecularGlossiness", "AVR_lights_static", "/meshes/"];
        !past.iter().any(|name| self.path.contains(name))
    }

    /// A name for a file.
    pub(super) fn name(&self) -> String {
        let steps = self.path.split('/').filter(|step| !matches!(*step, "" | "0" | "extensions"));
        steps.collect::<Vec<_>>().join(".").replace(".1", ".element")
    }

    pub(super) fn interpolation(&self) -> &'static str {
        if self.kind == Kind::Bool { "STEP" } else { "LINEAR" }
    }

    /// The value of a key.
    fn key(&self, key: usize) -> Vec<f64> {
        let number = |component: usize| self.least + KEYS[key] + component as f64 / 16.0;
        match self.kind {
            Kind::Floats(count) => (0..count).map(number).collect(),
            Kind::Weights => (0..2).map(number).collect(),
            Kind::Bool => vec![f64::from(u8::from(key != 1))],
            Kind::Quaternion => quaternion(key).to_array().map(|x| f64::from(x as f32)).to_vec(),
        }
    }

    /// What to expect at [`TIMES`].
    pub(super) fn values(&self) -> Vec<Vec<f64>> {
        TIMES.iter().map(|time| self.value(*time)).collect()
    }

    fn value(&self, time: f64) -> Vec<f64> {
        let (before, share) = if time < 2.0 { (time as usize, time.fract()) } else { (1, 1.0) };
        match self.kind {
            Kind::Bool => self.key(time as usize),
            Kind::Quaternion => {
                let keys = [before, before + 1].map(|key| DQuat::from_slice(&self.key(key)).normalize());
                keys[0].slerp(keys[1], share).to_array().to_vec()
            }
            _ => {
                let blend = |(a, b): (f64, f64)| a + share * (b - a);
                self.key(before).into_iter().zip(self.key(before + 1)).map(blend).collect()
            }
        }
    }

    /// The accessors of its times and values.
    pub(super) fn accessors(&self, gltf: &mut Gltf) -> (usize, usize) {
        let input = gltf.accessor(&[[0.0f32], [1.0], [2.0]], Usage::Times);
        let keys: Vec<Vec<f32>> = (0..3).map(|key| self.key(key).into_iter().map(|x| x as f32).collect()).collect();
        let output = match self.kind {
            Kind::Bool => {
                let bytes: Vec<[u8; 1]> = keys.iter().map(|key| [key[0] as u8]).collect();
                gltf.accessor(&bytes, Usage::Values)
            }
            Kind::Weights | Kind::Floats(1) => gltf.accessor(&elements::<1>(&keys), Usage::Values),
            Kind::Floats(2) => gltf.accessor(&elements::<2>(&keys), Usage::Values),
            Kind::Floats(3) => gltf.accessor(&elements::<3>(&keys), Usage::Values),
            Kind::Floats(_) | Kind::Quaternion => gltf.accessor(&elements::<4>(&keys), Usage::Values),
        };
        (input, output)
    }
}

fn elements<const N: usize>(keys: &[Vec<f32>]) -> Vec<[f32; N]> {
    keys.concat().as_chunks().0.to_vec()
}

/// A quarter turn about each axis, one after the other.
fn quaternion(key: usize) -> DQuat {
    DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][key], FRAC_PI_2)
}
