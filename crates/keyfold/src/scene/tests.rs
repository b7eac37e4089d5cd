use super::*;
use crate::{OpenOptions, read};
use serde_json::{Value, json};

/// A document whose one buffer holds `floats`, each buffer view a run of them.
pub(crate) fn document(mut json: Value, runs: &[&[f32]]) -> Document {
    let bytes: Vec<u8> = runs.iter().flat_map(|r| r.iter()).flat_map(|f| f.to_le_bytes()).collect();
    let mut offset = 0;
    let views = runs.iter().map(|run| {
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": run.len() * 4 });
        offset += run.len() * 4;
        view
    });
    json["bufferViews"] = views.collect();
    json["buffers"] = json!([{ "byteLength": bytes.len(), "uri": crate::document::uri::data_uri(&bytes) }]);
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn scene(document: &Document) -> Scene {
    Scene::new(document, &read(document).unwrap().animations, None).unwrap()
}

#[test]
fn an_unskinned_mesh_counts_with_its_bounds_and_its_farthest_vertex() {
    let json = json!({
        "nodes": [{ "children": [1], "scale": [2, 2, 2] }, { "mesh": 0, "translation": [1, 0, 0], "name": "box" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3", "min": [0, 0, 0], "max": [3, 4, 0] }],
    });
    let scene = scene(&document(json, &[&[0.0, 0.0, 0.0, 3.0, 4.0, 0.0]]));
    assert_eq!(scene.model_size(), 10.0);
    assert_eq!(scene.probe_radius(1), 10.0);
    assert_eq!(scene.probe_radius(0), 0.3);
    assert_eq!(scene.probes(&[false, true])[0].offsets, [5.0; 3]);
    assert_eq!((scene.name(0), scene.name(1)), (None, Some("box")));
}

#[test]
fn vertices_of_a_skin_belong_to_joints_with_a_weight_of_a_tenth() {
    // The second vertex hangs on joint 1 by 0.05 only.
    let json = json!({
        "nodes": [{ "children": [1] }, { "translation": [0, 10, 0] }, { "mesh": 0, "skin": 0, "translation": [500, 0, 0] }],
        "skins": [{ "joints": [0, 1] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4" },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC4" }],
    });
    let positions: &[f32] = &[0.0, 0.0, 50.0, 0.0, 0.0, 70.0];
    let joints: &[f32] = &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let scene = scene(&document(json, &[positions, joints, &[1.0, 0.0, 0.0, 0.0, 0.95, 0.05, 0.0, 0.0]]));
    // Joint 1 carries the first vertex 50 away; the second lies at (0, 0.5, 70).
    assert_eq!(scene.probe_radius(1), 50.0);
    assert!((scene.probe_radius(0) - (70.0f64 * 70.0 + 0.25).sqrt()).abs() < 1e-9);
    // The node of a skinned mesh counts with its origin, its mesh not at all.
    assert!((scene.model_size() - (500.0f64 * 500.0 + 100.0).sqrt()).abs() < 1e-9);
}

#[test]
fn a_mesh_that_cannot_be_read_leaves_three_per_cent() {
    let json = json!({
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "extensions": { "KHR_draco_mesh_compression": {} } }] }],
        "accessors": [{ "componentType": 5126, "count": 9, "type": "VEC3", "min": [0, 0, 0], "max": [0, 100, 0] }],
    });
    let scene = scene(&document(json, &[]));
    assert_eq!((scene.model_size(), scene.probe_radius(0)), (100.0, 3.0));
}

#[test]
fn a_model_without_size_is_as_large_as_the_way_it_goes() {
    let json = json!({
        "nodes": [{ "name": "alone" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
                         "samplers": [{ "input": 0, "output": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
    });
    assert_eq!(scene(&document(json, &[&[0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, 3.0, 4.0]])).model_size(), 5.0);
    assert_eq!(scene(&document(json!({ "nodes": [{}] }), &[])).model_size(), 1.0);
}

#[test]
fn nodes_that_are_no_tree_are_refused_with_their_place() {
    let error = |json: Value| Scene::new(&document(json, &[]), &[], None).unwrap_err().to_string();
    assert!(error(json!({ "nodes": [{ "children": [0] }] })).contains("/nodes"));
    assert!(error(json!({ "nodes": [{ "children": [7] }] })).contains("/nodes/0/children"));
    assert!(error(json!({ "nodes": [{ "rotation": [0, 1] }] })).contains("/nodes/0/rotation"));
}
