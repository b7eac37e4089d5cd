use super::*;
use crate::{OpenOptions, Severity, Target, Track, document::uri};
use serde_json::{Value, json};

/// Nodes 0 (two morph targets), 1 and 2 (a matrix), and the given targets, each with an accessor over the same numbers.
fn document(targets: &[(Value, &str, usize)]) -> Document {
    let numbers = [0.0f32, 1.0, 2.0, 0.5, 0.25, 0.125, 0.75, 1.0, 0.0, 0.5, 0.25, 1.0, 0.5, 0.5];
    let bytes: Vec<u8> = numbers.iter().flat_map(|f| f.to_le_bytes()).collect();
    let mut accessors =
        vec![json!({ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] })];
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (target, shape, count) in targets {
        let output = json!({ "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": count, "type": shape });
        accessors.push(output);
        samplers.push(json!({ "input": 0, "output": accessors.len() - 1 }));
        channels.push(json!({ "extras": channels.len(), "sampler": samplers.len() - 1, "target": target }));
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer", "KHR_animation2"],
        "nodes": [{ "mesh": 0 }, { "scale": [1, 2, 3] }, { "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1] }],
        "meshes": [{ "primitives": [{ "attributes": {}, "targets": [{}, {}] }], "weights": [0.25, 0.75] }],
        "materials": [{ "pbrMetallicRoughness": {} }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors,
        "animations": [{ "samplers": samplers, "channels": channels }],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn pointer(text: &str) -> Value {
    json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": text } } })
}

fn tracks(document: &Document) -> Vec<Track> {
    read(document).unwrap().animations.remove(0).tracks
}

fn said(document: &Document) -> Vec<(Target, crate::Curve)> {
    tracks(document).into_iter().map(|track| (track.target, track.curve)).collect()
}

fn to(document: &Document, targets: Targets) -> Changed {
    retarget(document, &RetargetOptions { targets: Some(targets), ..RetargetOptions::default() }).unwrap()
}

fn channel(document: &Document, index: usize) -> &Value {
    &document.json()["animations"][0]["channels"][index]
}

#[test]
fn addresses_change_and_nothing_else_does() {
    let before = document(&[
        (json!({ "node": 1, "path": "translation", "extras": 7, "extensions": { "ACME": {} } }), "VEC3", 2),
        (pointer("/nodes/0/rotation"), "VEC4", 2),
        (pointer("/materials/0/pbrMetallicRoughness/baseColorFactor"), "VEC4", 2),
        (json!({ "node": 0, "path": "weights" }), "SCALAR", 4),
    ]);
    for targets in [Targets::Pointer, Targets::Animation2, Targets::Core] {
        let after = to(&before, targets).document;
        assert_eq!(said(&before), said(&after));
        for unchanged in ["accessors", "bufferViews", "buffers", "nodes"] {
            assert_eq!(before.json()[unchanged], after.json()[unchanged]);
        }
        assert_eq!(before.json()["animations"][0]["samplers"], after.json()["animations"][0]["samplers"]);
        assert_eq!(channel(&after, 0)["extras"], 0);
        assert_eq!(channel(&after, 0)["target"]["extras"], 7);
        assert!(channel(&after, 0)["target"]["extensions"].get("ACME").is_some());
        assert_eq!(after.json().get("extensionsRequired"), None);
        let back = to(&after, Targets::Pointer).document;
        let there = to(&before, Targets::Pointer).document;
        assert_eq!(back.json(), there.json());
    }
    let Changed { document: after, findings } = to(&before, Targets::Core);
    assert_eq!(channel(&after, 1)["target"], json!({ "node": 0, "path": "rotation" }));
    assert_eq!(channel(&after, 2)["target"], pointer("/materials/0/pbrMetallicRoughness/baseColorFactor"));
    let said: Vec<_> = findings.iter().map(|f| (f.severity, f.code, f.at.as_str())).collect();
    assert_eq!(said, [(Severity::Warning, "TARGET_NOT_CONVERTED", "/animations/0/channels/2")]);
    assert_eq!(after.json()["extensionsUsed"], json!(["KHR_animation_pointer"]));
}

#[test]
fn the_drafts_own_form_is_written_with_a_hint_for_what_its_table_lacks() {
    let before = document(&[
        (json!({ "node": 0, "path": "scale" }), "VEC3", 2),
        (json!({ "node": 0, "path": "weights" }), "SCALAR", 4),
    ]);
    let Changed { document: after, findings } = to(&before, Targets::Animation2);
    assert_eq!(
        channel(&after, 0)["target"],
        json!({ "path": "/nodes/0/scale", "extensions": { "KHR_animation2": {} } })
    );
    assert_eq!(after.json()["extensionsUsed"], json!(["KHR_animation2"]));
    assert_eq!(
        findings.iter().map(|f| (f.severity, f.code)).collect::<Vec<_>>(),
        [(Severity::Hint, "POINTER_NOT_IN_DRAFT")]
    );
}

#[test]
fn weights_are_split_and_come_together_again() {
    let before = document(&[(json!({ "node": 0, "path": "weights" }), "SCALAR", 4)]);
    let wanted = RetargetOptions {
        targets: Some(Targets::Pointer),
        weights: Some(Weights::Split),
        ..RetargetOptions::default()
    };
    let Changed { document: split, findings } = retarget(&before, &wanted).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let names: Vec<String> = tracks(&split).iter().map(|track| track.target.to_string()).collect();
    assert_eq!(names, ["/nodes/0/weights/0", "/nodes/0/weights/1"]);
    let Changed { document: whole, findings } = to(&split, Targets::Core);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(said(&whole), said(&before));
    assert_eq!(channel(&whole, 0)["target"], json!({ "node": 0, "path": "weights" }));
    assert_eq!(whole.json().get("extensionsUsed"), None);
}

#[test]
fn a_single_weight_takes_the_others_from_the_mesh() {
    let before = document(&[(pointer("/nodes/0/weights/1"), "SCALAR", 2)]);
    let Changed { document: whole, findings } = to(&before, Targets::Core);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(tracks(&whole)[0].curve.values(), [0.25, 2.0, 0.25, 0.5]);
}

#[test]
fn components_join_where_the_way_knows_no_components() {
    let part = |path: &str| (json!({ "path": path, "extensions": { "KHR_animation2": {} } }), "SCALAR", 2);
    let before = document(&[
        part("/nodes/1/scale/0"),
        part("/nodes/1/scale/2"),
        part("/materials/0/pbrMetallicRoughness/baseColorFactor/3"),
        part("/nodes/0/rotation/1"),
    ]);
    let Changed { document: after, findings } = to(&before, Targets::Pointer);
    let names: Vec<String> = tracks(&after).iter().map(|track| track.target.to_string()).collect();
    assert_eq!(names, ["/nodes/1/scale", "/materials/0/pbrMetallicRoughness/baseColorFactor", "/nodes/0/rotation/1"]);
    assert_eq!(tracks(&after)[0].curve.values(), [2.0, 2.0, 2.0, 0.5, 2.0, 0.5]);
    let left: Vec<_> =
        findings.iter().filter(|f| f.severity == Severity::Warning).map(|f| f.message.as_str()).collect();
    assert_eq!(left.len(), 1);
    assert!(left[0].starts_with("/nodes/0/rotation/1"), "{left:?}");
    let Changed { document: kept, findings } = to(&before, Targets::Animation2);
    assert_eq!(said(&kept), said(&before));
    assert!(findings.iter().all(|f| f.severity > Severity::Warning));
    let plain = crate::unpack(&before, crate::Bound::default()).unwrap().document;
    assert_eq!(channel(&plain, 0)["target"], json!({ "node": 1, "path": "scale" }));
}

#[test]
fn what_core_may_not_hold_becomes_floats_and_a_matrix_keeps_its_pointer() {
    let mut json =
        document(&[(pointer("/nodes/1/translation"), "VEC3", 2), (pointer("/nodes/2/translation"), "VEC3", 2)])
            .json()
            .clone();
    json["accessors"][1]["componentType"] = json!(5121);
    let before = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let Changed { document: after, findings } = to(&before, Targets::Core);
    assert_eq!(said(&before), said(&after));
    let output = tracks(&after)[0].source.output;
    assert_eq!(after.json()["accessors"][output]["componentType"], 5126);
    assert_eq!(channel(&after, 1)["target"], pointer("/nodes/2/translation"));
    assert_eq!(findings.len(), 1);
}

#[test]
fn weights_of_a_mesh_become_channels_of_its_nodes() {
    let mut json = document(&[(pointer("/meshes/0/weights"), "SCALAR", 4)]).json().clone();
    json["nodes"][1]["mesh"] = json!(0);
    let before = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let after = to(&before, Targets::Pointer).document;
    assert_eq!(channel(&after, 0)["target"], pointer("/nodes/0/weights"));
    assert_eq!(channel(&after, 1)["target"], pointer("/nodes/1/weights"));
    assert_eq!(channel(&after, 0)["sampler"], channel(&after, 1)["sampler"]);
    assert_eq!(after.count("accessors"), 2);
}

#[test]
fn the_first_key_becomes_the_static_value() {
    let before = document(&[
        (pointer("/materials/0/pbrMetallicRoughness/baseColorFactor"), "VEC4", 2),
        (json!({ "node": 1, "path": "translation" }), "VEC3", 2),
    ]);
    let after =
        retarget(&before, &RetargetOptions { first_as_static: true, ..RetargetOptions::default() }).unwrap().document;
    let material = &after.json()["materials"][0]["pbrMetallicRoughness"];
    assert_eq!(material["baseColorFactor"], json!([2.0, 0.5, 0.25, 0.125]));
    assert_eq!(after.json()["nodes"], before.json()["nodes"], "core's own channels need no fallback");
}

#[test]
fn the_drafts_cubic_is_sqlerps_elsewhere() {
    let mut json = document(&[(json!({ "path": "/nodes/0/rotation" }), "VEC4", 2)]).json().clone();
    json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBIC");
    json["accessors"][1] = json!({ "componentType": 5126, "count": 6, "type": "VEC4" });
    let before = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let after = to(&before, Targets::Pointer).document;
    assert_eq!(channel(&after, 0)["extensions"]["EXT_animation_sqlerp"], json!({ "sampler": 0 }));
    assert_eq!(channel(&after, 0).get("sampler"), None);
    assert_eq!(after.json()["animations"][0]["samplers"][0]["interpolation"], "CUBICSLERP");
    assert_eq!(after.json()["extensionsRequired"], json!(["EXT_animation_sqlerp"]));
}

#[test]
fn the_drafts_cubic_of_anything_but_a_rotation_is_cores_spline() {
    let mut json = document(&[(json!({ "path": "/nodes/0/translation" }), "VEC3", 2)]).json().clone();
    json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBIC");
    json["accessors"][1] = json!({ "componentType": 5126, "count": 6, "type": "VEC3" });
    let before = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let after = to(&before, Targets::Pointer).document;
    assert_eq!(channel(&after, 0)["sampler"], 0);
    assert_eq!(after.json()["animations"][0]["samplers"][0]["interpolation"], "CUBICSPLINE");
    assert_eq!(after.json().get("extensionsRequired"), None);
}
