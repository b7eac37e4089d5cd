use super::*;
use crate::scene::tests::document;
use serde_json::{Value, json};

/// An arm of two nodes, the lower one turned by `angle` about z within a second.
fn arm(names: [&str; 2], angle: f32, order: [usize; 2]) -> Document {
    let mut nodes = [json!({}), json!({})];
    nodes[order[0]] = json!({ "name": names[0], "children": [order[1]] });
    nodes[order[1]] = json!({ "name": names[1], "translation": [4, 0, 0] });
    let half = angle / 2.0;
    let json = json!({ "nodes": nodes, "animations": [animation(order[0], "rotation", 1)], "accessors": accessors("VEC4", 2) });
    document(json, &[&[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half.sin(), half.cos()]])
}

fn animation(node: usize, path: &str, output: usize) -> Value {
    json!({ "name": "wave", "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
            "samplers": [{ "input": 0, "output": output }] })
}

fn accessors(shape: &str, count: usize) -> Value {
    json!([
        { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
        { "bufferView": 1, "componentType": 5126, "count": count, "type": shape }])
}

#[test]
fn a_turned_joint_moves_what_hangs_on_it() {
    let (a, b) = (arm(["up", "low"], 0.5, [0, 1]), arm(["up", "low"], 0.6, [0, 1]));
    let found = diff(&a, &b, None).unwrap();
    assert_eq!(found.model_size, 4.0);
    // The tip's probes lie 3 % of the size away from it, the outermost on its x axis.
    let expected = 2.0 * (4.0 + 0.12) * (0.05f64).sin();
    assert!((found.error - expected).abs() < 1e-6, "{}", found.error);
    assert!((found.relative - found.error / 4.0).abs() < 1e-12);
    let worst = &found.animations[0];
    assert_eq!((worst.node, worst.node_name.as_deref(), worst.time), (Some(1), Some("low"), Some(1.0)));
    assert!(found.rms > 0.0 && found.rms < found.error);
    assert!(found.unmatched.is_empty());
    assert_eq!(diff(&a, &a, None).unwrap().error, 0.0);
}

#[test]
fn a_shell_that_is_given_replaces_the_rule() {
    let (a, b) = (arm(["up", "low"], 0.5, [0, 1]), arm(["up", "low"], 0.6, [0, 1]));
    let found = diff(&a, &b, Some(Bound::Length(2.0))).unwrap();
    assert!((found.error - 2.0 * 6.0 * (0.05f64).sin()).abs() < 1e-6);
}

#[test]
fn reordered_nodes_are_found_by_their_names() {
    let (a, b) = (arm(["up", "low"], 0.5, [0, 1]), arm(["up", "low"], 0.5, [1, 0]));
    let found = diff(&a, &b, None).unwrap();
    assert!(found.error < 1e-12 && found.unmatched.is_empty());
    let stranger = diff(&a, &arm(["up", "other"], 0.5, [0, 1]), None).unwrap();
    assert_eq!(stranger.unmatched, ["/nodes/1: no node of the second file answers to it"]);
}

#[test]
fn a_missing_animation_is_told_and_stands_still() {
    let a = arm(["up", "low"], 0.5, [0, 1]);
    let b = document(
        json!({ "nodes": [{ "name": "up", "children": [1] }, { "name": "low", "translation": [4, 0, 0] }] }),
        &[],
    );
    let found = diff(&a, &b, None).unwrap();
    assert!(found.error > 1.0);
    assert_eq!(found.unmatched.len(), 2, "{:?}", found.unmatched);
}

#[test]
fn weights_have_their_own_measure() {
    let weights = |last: f32| {
        let mesh = json!({ "primitives": [{ "attributes": {}, "targets": [{}] }] });
        let json = json!({ "nodes": [{ "mesh": 0 }], "meshes": [mesh], "accessors": accessors("SCALAR", 2),
                           "animations": [animation(0, "weights", 1)] });
        document(json, &[&[0.0, 1.0], &[0.0, last]])
    };
    let found = diff(&weights(2.0), &weights(1.5), None).unwrap();
    assert_eq!(found.error, 0.0);
    assert_eq!(found.animations[0].properties, PropertyDiff { max: 0.5, target: Some("/nodes/0/weights".into()) });
    assert_eq!(diff(&weights(2.0), &weights(2.0), None).unwrap().animations[0].properties, PropertyDiff::default());
}
