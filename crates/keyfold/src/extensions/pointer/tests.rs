use crate::{Document, Interpolation, OpenOptions, Severity, Target, Targets, ValueKind, document::uri, read, unpack};
use serde_json::{Value, json};

/// A document with one animation of the given samplers and channels. Accessors: 0 times (0, 1), then outputs as bytes.
fn document(extras: Value, samplers: Value, animation: Value) -> Document {
    let floats = [0.0f32, 1.0, 0.0, 0.25, 0.5, 1.0, 0.75, 0.5, 0.25, 1.0];
    let mut bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    bytes.extend([0, 7, 255, 51]);
    let accessor = |offset: usize, component: usize, count: usize, shape: &str, normalized: bool| json!({ "bufferView": 0, "byteOffset": offset, "componentType": component, "count": count, "type": shape, "normalized": normalized });
    let mut json = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer", "KHR_animation2", "EXT_property_animation"],
        "nodes": [
            { "mesh": 0, "extensions": { "KHR_node_visibility": {} }, "extras": { "a/b": [1, 2], "on": true } },
            { "mesh": 0 } ],
        "meshes": [{ "primitives": [{ "attributes": {}, "targets": [{}, {}] }] }],
        "materials": [{ "pbrMetallicRoughness": {}, "doubleSided": true }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [
            accessor(0, 5126, 2, "SCALAR", false), accessor(8, 5126, 2, "VEC4", false), accessor(8, 5126, 2, "VEC3", false),
            accessor(8, 5126, 2, "SCALAR", false), accessor(40, 5121, 2, "SCALAR", false), accessor(42, 5121, 2, "SCALAR", true),
            accessor(8, 5126, 4, "SCALAR", false), accessor(8, 5126, 2, "VEC2", false) ],
        "animations": [{ "samplers": samplers }],
    });
    json.as_object_mut().unwrap().extend(extras.as_object().unwrap().clone());
    json["animations"][0].as_object_mut().unwrap().extend(animation.as_object().unwrap().clone());
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

/// A document whose channels have these targets, each with the output accessor beside it.
fn targets(list: &[(Value, usize)]) -> Document {
    let samplers: Vec<_> = list.iter().map(|(_, output)| json!({ "input": 0, "output": output })).collect();
    let channels: Vec<_> =
        list.iter().enumerate().map(|(i, (target, _))| json!({ "sampler": i, "target": target })).collect();
    document(json!({}), json!(samplers), json!({ "channels": channels }))
}

fn ratified(pointer: &str) -> Value {
    json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } })
}

#[test]
fn every_form_names_the_same_target() {
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let mut document = targets(&[
        (ratified(pointer), 1),
        (json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "path": pointer } } }), 1),
        (json!({ "path": pointer, "extensions": { "KHR_animation2": {} } }), 1),
        (json!({ "path": pointer, "node": 7 }), 1),
        (json!({ "path": "translation", "node": 0, "extensions": { "KHR_animation2": { "path": pointer } } }), 1),
        (json!({ "path": &pointer[1..], "extensions": { "KHR_animation2": {} } }), 1),
    ]);
    let mut json = document.json().clone();
    json["animations"][0]["extensions"] =
        json!({ "EXT_property_animation": { "channels": [{ "sampler": 0, "target": pointer }] } });
    document = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let read = read(&document).unwrap();
    let tracks = &read.animations[0].tracks;
    let expected = Target::Pointer { pointer: pointer.to_owned(), kind: ValueKind::Float };
    assert_eq!(tracks.len(), 7, "{:?}", read.findings);
    tracks.iter().for_each(|track| assert_eq!((&track.target, &track.curve), (&expected, &tracks[0].curve)));
    let ways: Vec<Targets> = tracks.iter().map(|track| track.source.targets).collect();
    use Targets::{Animation2, Pointer, PropertyAnimation};
    assert_eq!(ways, [Pointer, Pointer, Animation2, Animation2, Animation2, Animation2, PropertyAnimation]);
    assert_eq!(tracks[6].source.channel, 6);
    assert!(read.findings.iter().all(|f| (f.severity, f.code) == (Severity::Info, "POINTER_LEGACY_FORM")));
    assert_eq!(read.findings[0].at, "/animations/0/channels/1/target/extensions/KHR_animation_pointer/path");
    assert_eq!(read.findings.last().unwrap().at, "/animations/0/extensions/EXT_property_animation/channels/0/target");
    assert_eq!(read.findings.len(), 7, "the one without a slash is old twice");
}

#[test]
fn nodes_properties_are_node_targets_however_they_are_addressed() {
    let document = targets(&[
        (ratified("/nodes/1/rotation"), 1),
        (ratified("/nodes/0/weights"), 6),
        (ratified("/nodes/0/weights/1"), 3),
        (json!({ "path": "/nodes/0/translation/1" }), 3),
        (json!({ "path": "/nodes/0/rotation/3" }), 3),
    ]);
    let read = read(&document).unwrap();
    let tracks = &read.animations[0].tracks;
    let names: Vec<String> = tracks.iter().map(|track| track.target.to_string()).collect();
    let expected = [
        "/nodes/1/rotation",
        "/nodes/0/weights",
        "/nodes/0/weights/1",
        "/nodes/0/translation.y",
        "/nodes/0/rotation/3",
    ];
    assert_eq!(names, expected);
    assert_eq!(tracks.iter().map(|track| track.curve.width()).collect::<Vec<_>>(), [4, 2, 1, 1, 1]);
    assert_eq!(tracks[0].target.kind(), crate::Kind::Rotation);
    assert_eq!(tracks[4].target.kind(), crate::Kind::Vector);
}

#[test]
fn bools_step_integers_convert_and_extras_pass_through() {
    let document = targets(&[
        (ratified("/nodes/0/extensions/KHR_node_visibility/visible"), 4),
        (ratified("/materials/0/pbrMetallicRoughness/metallicFactor"), 5),
        (ratified("/materials/0/pbrMetallicRoughness/metallicFactor"), 4),
        (ratified("/nodes/0/extras/a~1b"), 7),
        (ratified("/nodes/0/extras/on"), 4),
    ]);
    let read = read(&document).unwrap();
    let tracks = &read.animations[0].tracks;
    assert_eq!(tracks[0].curve.values(), [0.0, 1.0]);
    assert_eq!(tracks[0].curve.interpolation(), Interpolation::Step);
    assert_eq!(tracks[1].curve.values(), [1.0, 0.2]);
    assert_eq!(tracks[2].curve.values(), [0.0, 7.0]);
    assert_eq!(tracks[3].curve.width(), 2);
    assert_eq!(tracks[3].target.to_string(), "/nodes/0/extras/a~1b");
    assert!(tracks[4].target.is_exact());
    let codes: Vec<_> = read.findings.iter().map(|f| (f.code, f.at.as_str())).collect();
    assert_eq!(
        codes,
        [("POINTER_INT_NOT_STEP", "/animations/0/samplers/0"), ("POINTER_INT_NOT_STEP", "/animations/0/samplers/4")]
    );
}

#[test]
fn what_cannot_be_driven_is_left_alone_and_what_is_doubtful_is_said() {
    let document = targets(&[
        (ratified("/materials/0/doubleSided"), 4),
        (ratified("/nodes/9/scale"), 2),
        (ratified("nodes~/9"), 2),
        (ratified("/materials/0/extensions/KHR_materials_ior/ior"), 3),
        (ratified("/materials/0/sparkle"), 3),
        (json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": {} } }), 3),
        (ratified("/meshes/3/weights"), 6),
    ]);
    let read = read(&document).unwrap();
    let names: Vec<String> = read.animations[0].tracks.iter().map(|track| track.target.to_string()).collect();
    assert_eq!(names, ["/materials/0/extensions/KHR_materials_ior/ior", "/materials/0/sparkle"]);
    let codes: Vec<_> = read.findings.iter().map(|f| (f.severity, f.code)).collect();
    use Severity::{Error, Info, Warning};
    assert_eq!(
        codes,
        [
            (Error, "POINTER_READ_ONLY"),
            (Error, "POINTER_UNRESOLVED"),
            (Error, "PATTERN_MISMATCH"),
            (Info, "POINTER_UNRESOLVED"),
            (Info, "POINTER_UNRESOLVED"),
            (Error, "ANIMATION_CHANNEL_UNREADABLE"),
            (Info, "POINTER_LEGACY_FORM"),
            (Warning, "POINTER_UNRESOLVED"),
        ]
    );
}

/// RFC 6901: an index has no leading zero.
#[test]
fn what_is_no_index_drives_nothing_and_stays() {
    let wrong = ratified("/nodes/00/translation");
    let document = targets(&[(wrong.clone(), 2), (ratified("/nodes/0/scale"), 2)]);
    let read = read(&document).unwrap();
    assert_eq!(read.animations[0].tracks.len(), 1);
    let findings: Vec<_> = read.findings.iter().map(|f| (f.severity, f.code, f.message.as_str())).collect();
    let message = "/nodes/00/translation: `00` is no index of an array; the channel is left alone";
    assert_eq!(findings, [(Severity::Error, "POINTER_UNRESOLVED", message)]);
    assert_eq!(crate::diff(&document, &document, None).unwrap().animations[0].properties.max, 0.0);
    let packed = crate::pack::pack(&document, &crate::pack::Options::default()).unwrap();
    assert_eq!(packed.document.json()["animations"][0]["channels"][0]["target"], wrong);
    assert!(packed.left.iter().any(|left| left.contains("no index")), "{:?}", packed.left);
}

#[test]
fn weights_of_a_mesh_are_those_of_its_nodes() {
    let document = targets(&[(ratified("/meshes/0/weights/1"), 3)]);
    let read = read(&document).unwrap();
    let names: Vec<String> = read.animations[0].tracks.iter().map(|track| track.target.to_string()).collect();
    assert_eq!(names, ["/nodes/0/weights/1", "/nodes/1/weights/1"]);
}

#[test]
fn an_undeclared_extension_is_read_and_an_ignored_one_is_not() {
    let mut json = targets(&[(ratified("/nodes/0/scale"), 2)]).json().clone();
    json.as_object_mut().unwrap().remove("extensionsUsed");
    let open = |ignore: &[&str]| {
        let ignore = ignore.iter().map(|name| (*name).to_owned()).collect();
        Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions { ignore, ..Default::default() }).unwrap()
    };
    assert_eq!(read(&open(&[])).unwrap().animations[0].tracks.len(), 1);
    assert_eq!(read(&open(&["KHR_animation_pointer"])).unwrap().animations[0].tracks.len(), 0);
}

#[test]
fn cubic_is_the_drafts_name_for_cubic_slerp() {
    let channels = json!({ "channels": [{ "sampler": 0, "target": { "path": "/nodes/0/rotation" } }] });
    let values = json!({ "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" }, { "componentType": 5126, "count": 6, "type": "VEC4" }] });
    let samplers = json!([{ "input": 0, "output": 1, "interpolation": "CUBIC" }]);
    let read = read(&document(values, samplers, channels)).unwrap();
    assert_eq!(read.animations[0].tracks[0].curve.interpolation(), Interpolation::CubicSlerp);
}

#[test]
fn cubic_of_anything_but_a_rotation_is_cores_spline() {
    let channels = json!({ "channels": [{ "sampler": 0, "target": { "path": "/nodes/0/scale" } }] });
    let values = json!({ "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" }, { "componentType": 5126, "count": 6, "type": "VEC3" }] });
    let samplers = json!([{ "input": 0, "output": 1, "interpolation": "CUBIC" }]);
    let document = document(values, samplers, channels);
    assert_eq!(read(&document).unwrap().animations[0].tracks[0].curve.interpolation(), Interpolation::CubicSpline);
    let unknown = crate::validate::validate(&document).into_iter().filter(|f| f.at.ends_with("/interpolation"));
    assert_eq!(unknown.map(|f| f.code).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn rows_of_ones_own_are_understood() {
    use crate::object_model::{Registry, Row, ValueType};
    let json = targets(&[(ratified("/nodes/0/extras/facing"), 1)]).json().to_string();
    let registry = Registry::standard().with([Row::new("/nodes/{}/extras/facing", ValueType::Float4).quaternion()]);
    let options = OpenOptions { registry: Some(registry.into()), ..Default::default() };
    let read = read(&Document::from_bytes(json.as_bytes(), None, &options).unwrap()).unwrap();
    assert_eq!(read.animations[0].tracks[0].target.kind(), crate::Kind::Rotation);
}

#[test]
fn unpacking_brings_old_forms_to_core_and_to_the_ratified_form() {
    let document = document(
        json!({}),
        json!([{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }]),
        json!({ "channels": [{ "sampler": 1, "target": { "path": "/nodes/0/scale" } }],
            "extensions": { "EXT_property_animation": { "channels": [
                { "sampler": 0, "target": "/materials/0/pbrMetallicRoughness/baseColorFactor" },
                { "sampler": 9, "target": "/materials/0/alphaCutoff" }] } } }),
    );
    let plain = unpack(&document, crate::Bound::default()).unwrap().document;
    let (before, after) = (read(&document).unwrap(), read(&plain).unwrap());
    let values = |animations: &crate::Animations| -> Vec<_> {
        animations.animations[0].tracks.iter().map(|t| (t.target.clone(), t.curve.clone())).collect()
    };
    assert_eq!(values(&before), values(&after));
    assert_eq!(plain.json()["extensionsUsed"], json!(["KHR_animation_pointer"]));
    assert_eq!(plain.json()["animations"][0].get("extensions"), None);
    assert_eq!(plain.json()["animations"][0]["channels"][0]["target"], json!({ "node": 0, "path": "scale" }));
    assert_eq!(plain.json()["animations"][0]["channels"].as_array().unwrap().len(), 3, "the broken one stays");
}
