//! Files with one mistake each, and what a validator should say of it.

use serde_json::{Value, json};

use super::{
    animate,
    property::{self, Property},
    ratified_target, scene,
};
use crate::samples::gltf::{Gltf, Usage};

/// A file that breaks a rule.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) code: &'static str,
    pub(super) at: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The same file without the mistake.
    pub(super) twin: Vec<u8>,
}

/// The codes among those below that are Khronos' own.
pub(super) const KHRONOS: &[&str] = &[
    "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
    "ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
    "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
    "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE",
    "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH",
    "PATTERN_MISMATCH",
];

/// What is wrong with a file.
type Mistake = fn(&mut Gltf, &mut Value);

/// A rule: name, code, place, the property that the file animates, the mistake, which may change the animation.
type Row = (&'static str, &'static str, &'static str, &'static str, Mistake);

const CASES: &[Row] = &[
    ("no-such-object", "POINTER_UNRESOLVED", POINTER, "/materials/0/alphaCutoff", |_, a| {
        point(a, "/materials/9/alphaCutoff")
    }),
    ("no-such-property", "POINTER_UNRESOLVED", POINTER, "/materials/0/alphaCutoff", |_, a| {
        point(a, "/materials/0/sparkle")
    }),
    ("undefined-without-default", "POINTER_UNRESOLVED", POINTER, "/cameras/0/perspective/zfar", |gltf, _| {
        gltf.amend("cameras", 0, "perspective", json!({ "aspectRatio": 1.5, "yfov": 0.5, "znear": 0.125 }));
    }),
    (
        "default-without-its-object",
        "POINTER_UNRESOLVED",
        POINTER,
        "/materials/0/extensions/KHR_materials_ior/ior",
        |gltf, _| {
            gltf.amend("materials", 0, "extensions", json!({}));
        },
    ),
    ("component-of-a-vector", "POINTER_UNRESOLVED", POINTER, "/materials/0/alphaCutoff", |_, a| {
        point(a, "/materials/0/emissiveFactor/1")
    }),
    ("read-only", "POINTER_READ_ONLY", POINTER, "/materials/0/alphaCutoff", |_, a| {
        point(a, "/materials/0/doubleSided")
    }),
    ("same-pointer-twice", "POINTER_DUPLICATE", SECOND, "/nodes/0/scale", |_, a| {
        again(a, ratified_target("/nodes/0/scale"))
    }),
    ("array-and-element", "POINTER_DUPLICATE", SECOND, "/nodes/0/weights/1", |_, a| {
        again(a, ratified_target("/nodes/0/weights"))
    }),
    ("pointer-and-core", "POINTER_DUPLICATE", POINTER, "/nodes/0/scale", |_, a| {
        again(a, json!({ "node": 0, "path": "scale" }))
    }),
    ("wrong-shape", "KHR_ANIMATION_POINTER_VECTOR_SIZE_MISMATCH", SAMPLER, "/materials/0/emissiveFactor", |gltf, a| {
        a["samplers"][0]["output"] = json!(gltf.accessor(&[[0.5f32, 0.5]; 3], Usage::Values));
    }),
    ("wrong-component-type", "KHR_ANIMATION_POINTER_COMPONENT_TYPE_MISMATCH", SAMPLER, VISIBLE, |gltf, a| {
        a["samplers"][0]["output"] = json!(gltf.accessor(&[[1.0f32]; 3], Usage::Values));
    }),
    (
        "wrong-count",
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        SAMPLER,
        "/materials/0/emissiveFactor",
        |gltf, a| {
            a["samplers"][0]["output"] = json!(gltf.accessor(&[[0.5f32; 3]; 2], Usage::Values));
        },
    ),
    ("bool-not-step", "POINTER_INT_NOT_STEP", SAMPLER, VISIBLE, |_, a| {
        a["samplers"][0]["interpolation"] = json!("LINEAR")
    }),
    ("out-of-range", "POINTER_VALUE_OUT_OF_RANGE", SAMPLER, METALLIC, |gltf, a| {
        a["samplers"][0]["output"] = json!(gltf.accessor(&[[0.5f32], [1.5], [0.5]], Usage::Values));
    }),
    ("less-than-its-sibling", "POINTER_VALUE_OUT_OF_RANGE", SAMPLER, "/cameras/0/perspective/zfar", |gltf, a| {
        a["samplers"][0]["output"] = json!(gltf.accessor(&[[1.0f32], [0.0625], [1.0]], Usage::Values));
    }),
    ("overshoot", "POINTER_VALUE_OVERSHOOT", SAMPLER, METALLIC, |gltf, a| {
        let keys = [[0.0f32], [1.0], [4.0], [4.0], [1.0], [-4.0], [-4.0], [0.5], [0.0]];
        a["samplers"][0]["output"] = json!(gltf.accessor(&keys, Usage::Values));
        a["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    }),
    ("unusual", "POINTER_VALUE_UNUSUAL", SAMPLER, "/cameras/0/perspective/yfov", |gltf, a| {
        a["samplers"][0]["output"] = json!(gltf.accessor(&[[45.0f32], [60.0], [45.0]], Usage::Values));
    }),
    (
        "no-unit-quaternion",
        "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
        "/accessors/3",
        "/nodes/0/rotation",
        |gltf, a| {
            a["samplers"][0]["output"] = json!(gltf.accessor(&[[0.0f32, 0.0, 0.0, 1.5]; 3], Usage::Values));
        },
    ),
    ("no-pointer", "PATTERN_MISMATCH", POINTER, "/materials/0/alphaCutoff", |_, a| point(a, "/materials/0/~2")),
    (
        "node-set",
        "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE",
        "/animations/0/channels/0/target/extensions/KHR_animation_pointer",
        "/nodes/0/scale",
        |_, a| {
            a["channels"][0]["target"]["node"] = json!(0);
        },
    ),
    (
        "wrong-path",
        "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH",
        "/animations/0/channels/0/target/extensions/KHR_animation_pointer",
        "/nodes/0/scale",
        |_, a| {
            a["channels"][0]["target"]["path"] = json!("scale");
        },
    ),
    ("matrix", "ANIMATION_CHANNEL_TARGET_NODE_MATRIX", POINTER, "/nodes/0/scale", |gltf, _| {
        gltf.amend("nodes", 0, "matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]));
    }),
    ("no-morph-targets", "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", POINTER, "/nodes/0/scale", |_, a| {
        point(a, "/nodes/0/weights")
    }),
    ("older-form", "POINTER_LEGACY_FORM", "/animations/0/channels/0/target/path", "/nodes/0/scale", |gltf, a| {
        gltf.set("extensionsUsed", json!(["KHR_animation2"]));
        a["channels"][0]["target"] = json!({ "path": "/nodes/0/scale", "extensions": { "KHR_animation2": {} } });
    }),
    ("ignored-node", "ANIMATION2_NODE_IGNORED", "/animations/0/channels/0/target/node", "/nodes/0/scale", |gltf, a| {
        gltf.set("extensionsUsed", json!(["KHR_animation2"]));
        a["channels"][0]["target"] =
            json!({ "node": 0, "path": "/nodes/0/scale", "extensions": { "KHR_animation2": {} } });
    }),
    ("extras", "KHR_ANIMATION_POINTER_CANNOT_VALIDATE_EXTRAS", POINTER, "/nodes/0/scale", |_, a| {
        point(a, "/nodes/0/extras/a~1b")
    }),
    ("unknown-extension", "POINTER_UNKNOWN_EXTENSION", POINTER, "/nodes/0/scale", |gltf, a| {
        gltf.set("extensionsUsed", json!(["KHR_animation_pointer", "ACME_wind"]));
        gltf.amend("nodes", 0, "extensions", json!({ "ACME_wind": { "force": [0, 0, 0] } }));
        point(a, "/nodes/0/extensions/ACME_wind/force");
    }),
];

const POINTER: &str = "/animations/0/channels/0/target/extensions/KHR_animation_pointer/pointer";
const SECOND: &str = "/animations/0/channels/1/target/extensions/KHR_animation_pointer/pointer";
const SAMPLER: &str = "/animations/0/channels/0/sampler";
const VISIBLE: &str = "/nodes/0/extensions/KHR_node_visibility/visible";
const METALLIC: &str = "/materials/0/pbrMetallicRoughness/metallicFactor";

fn point(animation: &mut Value, pointer: &str) {
    animation["channels"][0]["target"] = ratified_target(pointer);
}

fn again(animation: &mut Value, target: Value) {
    let channel = json!({ "sampler": 0, "target": target });
    animation["channels"].as_array_mut().expect("an animation has channels").push(channel);
}

pub(super) fn all() -> Vec<Case> {
    let properties = property::all();
    let property = |path: &str| properties.iter().find(|p| p.path == path).expect("a property of the list");
    let case = |(name, code, at, path, mistake): &Row| {
        let property = property(path);
        let bytes = make(property, *mistake);
        Case { name, code, at, bytes, twin: make(property, |_, _| {}) }
    };
    CASES.iter().map(case).collect()
}

fn make(property: &Property, mistake: Mistake) -> Vec<u8> {
    let mut gltf = scene::scene(property, &["KHR_animation_pointer"]);
    animate(&mut gltf, property, "pointer", ratified_target(&property.pointer()));
    let mut animation = gltf.take_last("animations");
    mistake(&mut gltf, &mut animation);
    gltf.push("animations", animation);
    gltf.embedded()
}
