//! Pointers: hostile texts as the targets of channels, in every form, through everything that follows a pointer.

use keyfold::{
    Document, OpenOptions, RetargetOptions, Targets, Weights, freeze,
    object_model::{Pointer, Registry, current},
    read, retarget,
    validate::validate,
};
use serde_json::{Value, json};

/// A pointer's text: resolved, set, animated, converted, frozen, validated.
pub fn pointer(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut json = scene();
    if let Ok(pointer) = Pointer::parse(text.as_ref())
        && let Some(found) = Registry::standard().find(&pointer)
    {
        let _ = (found.state(&json), found.width(&json));
        let _ = found.set(&mut json.clone(), &[0.5]);
    }
    let _ = current(&text, &json);
    animate(&mut json, &text);
    let Ok(document) = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()) else { return };
    crate::play(&document);
    let _ = validate(&document);
    for targets in [Targets::Core, Targets::Pointer, Targets::Animation2] {
        let wanted = RetargetOptions { targets: Some(targets), weights: Some(Weights::Split), first_as_static: true };
        let changed = retarget(&document, &wanted).expect("what was read can be addressed").document;
        read(&changed).expect("what was written can be read");
    }
    for animation in &read(&document).expect("it has been read").animations {
        let _ = freeze(&document, animation, 0.5, true);
    }
}

/// One of everything that pointers lead to.
fn scene() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer", "KHR_animation2", "EXT_property_animation"],
        "nodes": [{ "mesh": 0, "extras": { "a/b": [1, 2] }, "extensions": { "KHR_node_visibility": {} } },
            { "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }],
        "meshes": [{ "primitives": [{ "attributes": {}, "targets": [{}, {}] }] }],
        "materials": [{ "pbrMetallicRoughness": {}, "normalTexture": { "extensions": { "KHR_texture_transform": {} } } }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } }],
        "extensions": { "KHR_lights_punctual": { "lights": [{ "spot": {} }] } },
        "accessors": [
            { "componentType": 5126, "count": 1, "type": "SCALAR" }, { "componentType": 5121, "count": 1, "type": "SCALAR" },
            { "componentType": 5126, "count": 1, "type": "VEC2" }, { "componentType": 5126, "count": 1, "type": "VEC3" },
            { "componentType": 5126, "count": 1, "type": "VEC4" } ],
    })
}

/// An animation for every form, with a channel for every shape of values.
fn animate(json: &mut Value, text: &str) {
    let samplers: Vec<Value> =
        (0..5).map(|output| json!({ "input": 0, "output": output, "interpolation": "STEP" })).collect();
    let forms = [
        json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": text } } }),
        json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "path": text } } }),
        json!({ "path": text, "extensions": { "KHR_animation2": {} } }),
        json!({ "path": "scale", "extensions": { "KHR_animation2": { "path": text } } }),
        json!(text),
    ];
    let animations = forms.iter().map(|target| {
        let channels: Vec<Value> = (0..5).map(|sampler| json!({ "sampler": sampler, "target": target })).collect();
        let beside = target.is_string();
        let (core, others) = if beside { (Vec::new(), channels) } else { (channels, Vec::new()) };
        json!({ "samplers": samplers, "channels": core, "extensions": { "EXT_property_animation": { "channels": others } } })
    });
    json["animations"] = Value::Array(animations.collect());
}
