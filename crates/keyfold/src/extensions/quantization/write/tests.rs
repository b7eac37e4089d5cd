use super::*;
use crate::{OpenOptions, document::uri, extensions::quantization::NAME};
use serde_json::json;

/// A node, times, and translations.
type Moving<'a> = (usize, &'a [f32], &'a [f32]);

/// A document with clips of translations.
fn document(nodes: serde_json::Value, clips: &[&[Moving<'_>]]) -> Document {
    let (mut floats, mut accessors, mut animations) = (Vec::<f32>::new(), Vec::new(), Vec::new());
    for clip in clips {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for (node, times, values) in *clip {
            for (shape, numbers) in [("SCALAR", times), ("VEC3", values)] {
                let count = times.len();
                accessors.push(json!({ "bufferView": 0, "byteOffset": floats.len() * 4, "componentType": 5126,
                    "count": count, "type": shape }));
                floats.extend_from_slice(numbers);
            }
            samplers.push(json!({ "input": accessors.len() - 2, "output": accessors.len() - 1 }));
            channels.push(json!({ "sampler": samplers.len() - 1, "extras": 5,
                "target": { "node": node, "path": "translation", "extras": [1] } }));
        }
        animations.push(json!({ "channels": channels, "samplers": samplers }));
    }
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let json = json!({ "asset": { "version": "2.0" }, "nodes": nodes, "accessors": accessors, "animations": animations,
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }] });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn times(keys: usize) -> Vec<f32> {
    (0..keys).map(|n| n as f32 / 30.0).collect()
}

fn along_x(keys: usize, y: f32, z: f32) -> Vec<f32> {
    (0..keys).flat_map(|n| [(n as f32 / 7.0).sin(), y, z]).collect()
}

fn paths(document: &Document, clip: usize) -> Vec<String> {
    let animations = read(document).unwrap().animations;
    animations[clip].tracks.iter().map(|t| format!("{} x{}", t.target, t.curve.keys())).collect()
}

#[test]
fn an_axis_is_dropped_only_where_no_clip_moves_it() {
    let t = times(300);
    let nodes = json!([{ "translation": [0, 2, 3] }]);
    let (still, other) = (along_x(300, 2.0, 3.0), along_x(300, 2.0, 4.0));
    let one = quantize(&document(nodes.clone(), &[&[(0, &t, &still)]]), &Options::default()).unwrap();
    assert_eq!(paths(&one.document, 0), ["/nodes/0/translation.x x300"]);
    assert!(one.within, "{:?}", one.diff);
    // Another clip moves Z away: a player that comes from there would leave it.
    let two = quantize(&document(nodes, &[&[(0, &t, &still)], &[(0, &t, &other)]]), &Options::default()).unwrap();
    assert_eq!(paths(&two.document, 0), ["/nodes/0/translation.x x300", "/nodes/0/translation.z x1"]);
    assert_eq!(paths(&two.document, 1), ["/nodes/0/translation.x x300", "/nodes/0/translation.z x1"]);
    assert!(two.within, "{:?}", two.diff);
}

#[test]
fn an_animation_lasts_as_long_as_before() {
    let (short, long) = (times(20), times(50));
    let (moving, still) = (along_x(20, 0.0, 0.0), vec![1.5; 150]);
    let document = document(json!([{}, {}]), &[&[(0, &short, &moving), (1, &long, &still)]]);
    for translation in [None, Some(crate::quantization::VectorForm::Axes)] {
        let quantized = quantize(&document, &Options { translation, ..Options::default() }).unwrap();
        assert!(quantized.within, "{:?}", quantized.diff);
        assert_eq!(paths(&quantized.document, 0).len(), if translation.is_some() { 4 } else { 2 });
    }
}

#[test]
fn members_that_nobody_knows_survive() {
    let (t, values) = (times(40), along_x(40, 1.0, 2.0));
    let quantized = quantize(&document(json!([{}]), &[&[(0, &t, &values)]]), &Options::default()).unwrap();
    for channel in quantized.document.json()["animations"][0]["channels"].as_array().unwrap() {
        assert_eq!((&channel["extras"], &channel["target"]["extras"]), (&json!(5), &json!([1])));
    }
}

#[test]
fn what_is_quantized_already_can_be_quantized_again() {
    let (t, values) = (times(40), along_x(40, 1.0, 2.0));
    let original = document(json!([{}]), &[&[(0, &t, &values)]]);
    let once = quantize(&original, &Options::default()).unwrap().document;
    let twice = quantize(&once, &Options::default()).unwrap();
    assert!(twice.within && twice.document.requires(NAME));
    assert!(diff(&original, &twice.document, None).unwrap().relative < 2e-4);
}

#[test]
fn a_tighter_bound_is_kept_and_costs_bytes() {
    let (t, values) = (times(200), (0..600).map(|n| (n as f32).sin()).collect::<Vec<_>>());
    let document = document(json!([{}]), &[&[(0, &t, &values)]]);
    let size = |relative: f64| {
        let options = Options { max_error: crate::Bound::Relative(relative), ..Options::default() };
        let quantized = quantize(&document, &options).unwrap();
        assert!(quantized.within && quantized.diff.relative <= relative, "{}", quantized.diff.relative);
        quantized.document.buffer(0).unwrap().len()
    };
    assert!(size(1e-9) > size(1e-4));
}
