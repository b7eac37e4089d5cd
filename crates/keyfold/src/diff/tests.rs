use super::*;
use crate::scene::tests::document;
use serde_json::{Value, json};

/// An arm of two nodes, the lower one rotated by `angle` about Z within a second.
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
    // The tip's probes are 3 % of the size away from it, the outermost on its X axis.
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
fn a_probe_radius_that_is_given_replaces_the_rule() {
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
    assert_eq!(stranger.unmatched, [Unmatched::Node { index: 1, name: Some("low".into()) }]);
    assert_eq!(stranger.unmatched[0].to_string(), "/nodes/1 (low): the second file has no matching node");
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
    let told: Vec<String> = found.unmatched.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["/animations/0 (wave): the second file lacks it"]);
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

/// Root nodes that each slide along X within a second, from 0 or their rest position to a given end.
fn sliders(nodes: Vec<Value>, ends: &[(usize, f32)], names: &[Option<&str>]) -> Document {
    let slide = |(index, _): (usize, &(usize, f32))| {
        let channel = json!({ "sampler": 0, "target": { "node": ends[index].0, "path": "translation" } });
        json!({ "channels": [channel], "samplers": [{ "input": 0, "output": index + 1 }], "name": names.get(index) })
    };
    let mut accessors = vec![json!({ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" })];
    accessors.extend(
        (1..=ends.len()).map(|view| json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": "VEC3" })),
    );
    let values: Vec<_> = ends.iter().map(|(_, end)| [0.0, 0.0, 0.0, *end, 0.0, 0.0]).collect();
    let mut runs: Vec<&[f32]> = vec![&[0.0, 1.0]];
    runs.extend(values.iter().map(|v| v.as_slice()));
    let animations: Vec<Value> = ends.iter().enumerate().map(slide).map(without_nulls).collect();
    document(json!({ "nodes": nodes, "animations": animations, "accessors": accessors }), &runs)
}

fn without_nulls(mut object: Value) -> Value {
    object.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    object
}

/// Merges all animations of `sliders` into one.
fn together(mut json: Value) -> Value {
    let animations = json["animations"].take();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for (index, animation) in animations.as_array().unwrap().iter().enumerate() {
        let mut channel = animation["channels"][0].clone();
        channel["sampler"] = json!(index);
        channels.push(channel);
        samplers.push(animation["samplers"][0].clone());
    }
    json["animations"] = json!([{ "channels": channels, "samplers": samplers }]);
    json
}

fn slide_together(nodes: Vec<Value>, ends: &[(usize, f32)]) -> Document {
    let apart = sliders(nodes, ends, &[]);
    Document::from_bytes(together(apart.json().clone()).to_string().as_bytes(), None, &Default::default()).unwrap()
}

#[test]
fn nodes_without_names_are_found_behind_others() {
    let chain = |from: usize| {
        let child = |at: [i32; 3]| json!({ "translation": at });
        vec![json!({ "children": [from + 1, from + 2] }), child([4, 0, 0]), child([0, 4, 0])]
    };
    let a = slide_together(chain(0), &[(0, 1.0), (1, 2.0)]);
    let mut behind = vec![json!({}), json!({})];
    behind.extend(chain(2));
    let found = diff(&a, &slide_together(behind.clone(), &[(2, 1.0), (3, 2.0)]), None).unwrap();
    assert!(found.error < 1e-12 && found.unmatched.is_empty(), "{found:?}");
    let off = diff(&a, &slide_together(behind, &[(2, 1.0), (3, 2.5)]), None).unwrap();
    assert!((off.error - 0.5).abs() < 1e-6 && off.animations[0].node == Some(1), "{off:?}");
}

#[test]
fn nodes_of_one_name_are_told_apart_by_how_they_move() {
    for name in [json!({ "name": "box" }), json!({})] {
        let nodes = || vec![name.clone(); 4];
        let a = slide_together(nodes(), &[(0, 1.0), (1, 2.0), (2, 3.0)]);
        // In another order and slightly off. The fourth moves nowhere and is now at the front.
        let b = slide_together(nodes(), &[(3, 1.001), (1, 3.0), (2, 2.0)]);
        let mut named = b.json().clone();
        named["nodes"].as_array_mut().unwrap().push(json!({ "name": "new" }));
        let b = Document::from_bytes(named.to_string().as_bytes(), None, &Default::default()).unwrap();
        let found = diff(&a, &b, None).unwrap();
        assert!((found.error - 0.001).abs() < 1e-6 && found.unmatched.is_empty(), "{found:?}");
        assert_eq!(found.animations[0].node, Some(0));
    }
}

#[test]
fn nodes_whose_names_were_lost_are_found_by_their_rest() {
    let named = |names: [Value; 2]| {
        let node = |name: Value, x: i32| without_nulls(json!({ "name": name, "translation": [x, 0, 0] }));
        let [one, other] = names;
        vec![node(one, 5), node(other, 7)]
    };
    let a = slide_together(named([json!("left"), json!("right")]), &[(0, 1.0), (1, 2.0)]);
    let mut lost = named([Value::Null, Value::Null]);
    lost.reverse();
    let found = diff(&a, &slide_together(lost, &[(0, 2.0), (1, 1.0)]), None).unwrap();
    assert!(found.error < 1e-12 && found.unmatched.is_empty(), "{found:?}");
    let other = diff(&a, &slide_together(named([json!("up"), json!("down")]), &[(0, 1.0), (1, 2.0)]), None).unwrap();
    assert_eq!(other.unmatched.len(), 2, "{other:?}");
}

#[test]
fn no_animation_answers_to_two() {
    let nodes = || vec![json!({ "name": "box" })];
    let a = sliders(nodes(), &[(0, 1.0), (0, 2.0)], &[Some("walk"), Some("run")]);
    let b = sliders(nodes(), &[(0, 2.0), (0, 9.0)], &[Some("run"), Some("swim")]);
    let found = diff(&a, &b, None).unwrap();
    assert_eq!(found.animations[1].error, 0.0);
    let lacking = [
        "/animations/0 (walk): the second file lacks it",
        "/animations/1 (swim) of the second file: the first file lacks it",
    ];
    assert_eq!(found.unmatched.iter().take(2).map(Unmatched::to_string).collect::<Vec<_>>(), lacking);
}

#[test]
fn animations_without_names_are_told_apart_by_what_they_drive() {
    let nodes = || vec![json!({ "name": "left" }), json!({ "name": "right" })];
    let a = sliders(nodes(), &[(0, 1.0), (1, 1.0)], &[]);
    let found = diff(&a, &sliders(nodes(), &[(1, 1.0), (0, 1.0)], &[]), None).unwrap();
    assert!(found.error == 0.0 && found.unmatched.is_empty(), "{found:?}");
}

#[test]
fn animations_without_names_that_drive_the_same_are_told_apart_by_how() {
    let nodes = || vec![json!({ "name": "box" })];
    let a = sliders(nodes(), &[(0, 1.0), (0, 2.0), (0, 3.0)], &[]);
    let found = diff(&a, &sliders(nodes(), &[(0, 3.0), (0, 1.001), (0, 2.0)], &[]), None).unwrap();
    assert!((found.error - 0.001).abs() < 1e-6 && found.unmatched.is_empty(), "{found:?}");
}

#[test]
fn what_pointers_drive_is_found_where_it_went() {
    let file = |names: [&str; 2], driven: usize, last: f32| {
        let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer":
            { "pointer": format!("/materials/{driven}/pbrMetallicRoughness/roughnessFactor") } } });
        let animation =
            json!({ "channels": [{ "sampler": 0, "target": target }], "samplers": [{ "input": 0, "output": 1 }] });
        let json = json!({ "materials": names.map(|name| json!({ "name": name, "pbrMetallicRoughness": {} })), "animations": [animation],
                           "accessors": accessors("SCALAR", 2), "extensionsUsed": ["KHR_animation_pointer"] });
        document(json, &[&[0.0, 1.0], &[1.0, last]])
    };
    let a = file(["wood", "iron"], 0, 0.5);
    let found = diff(&a, &file(["iron", "wood"], 1, 0.5), None).unwrap();
    assert_eq!(found.animations[0].properties, PropertyDiff::default());
    let other = diff(&a, &file(["iron", "wood"], 0, 0.5), None).unwrap();
    assert_eq!(other.animations[0].properties.max, 0.5);
}

/// An arm of two nodes. The upper one's spline passes zero at a distance of `off`, as when quaternions change
/// sign. The lower one bends.
fn flipping(off: f32, bend: f32) -> Document {
    let nodes = json!([{ "children": [1] }, { "translation": [4, 0, 0] }]);
    let zero = [0.0; 4];
    let turn = [zero, [off, 0.0, 0.0, 1.0], zero, zero, [off, 0.0, 0.0, -1.0], zero].concat();
    let bend = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, (bend / 2.0).sin(), (bend / 2.0).cos()];
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let channel = |node: usize| json!({ "sampler": node, "target": { "node": node, "path": "rotation" } });
    let json = json!({
        "nodes": nodes, "accessors": [accessor(0, 2, "SCALAR"), accessor(1, 6, "VEC4"), accessor(2, 2, "VEC4")],
        "animations": [{ "channels": [channel(0), channel(1)],
                         "samplers": [{ "input": 0, "output": 1, "interpolation": "CUBICSPLINE" }, { "input": 0, "output": 2 }] }] });
    document(json, &[&[0.0, 1.0], &turn, &bend])
}

#[test]
fn a_spin_between_keys_is_found_and_what_is_possible_is_hardly_more() {
    let found = diff(&flipping(1e-3, 0.5), &flipping(-1e-3, 0.5), None).unwrap();
    // At worst half a turn apart: the tip's probe on Z is 0.12 away from the axis of rotation.
    assert!((found.error - 0.24).abs() < 1e-3, "{}", found.error);
    assert!(found.possible >= found.error && found.possible < 1.01 * found.error);
    assert_eq!((found.possible, found.undefined.len()), (found.animations[0].possible, 0));
}

#[test]
fn an_undefined_rotation_is_told_and_what_is_equal_is_equal() {
    let (a, b) = (flipping(0.0, 0.5), flipping(0.0, 0.51));
    let found = diff(&a, &b, None).unwrap();
    assert_eq!(found.undefined.len(), 1);
    let told = &found.undefined[0];
    assert!(told.starts_with("/animations/0: /nodes/0/rotation is a spline") && told.contains("at 0.5 s"), "{told}");
    // Below it, the joints differ by a hundredth of a radian at the end, whatever the spline above does.
    assert!(found.error > 0.0 && found.possible < 1.01 * found.error && found.possible < 0.01);
    assert_eq!(diff(&a, &a, None).unwrap().possible, 0.0);
}

#[test]
fn a_property_between_the_keys_of_a_spline_is_measured_exactly() {
    let weights = |tangent: f32| {
        let mesh = json!({ "primitives": [{ "attributes": {}, "targets": [{}] }] });
        let mut animation = animation(0, "weights", 1);
        animation["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
        let json = json!({ "nodes": [{ "mesh": 0 }], "meshes": [mesh], "accessors": accessors("SCALAR", 6), "animations": [animation] });
        document(json, &[&[0.0, 1.0], &[0.0, 0.0, tangent, 0.0, 0.0, 0.0]])
    };
    let found = diff(&weights(0.0), &weights(0.27), None).unwrap().animations[0].properties.max;
    // s (1 - s)² is largest at a third: 4/27.
    assert!((found - 0.04).abs() < 1e-8, "{found}");
}
