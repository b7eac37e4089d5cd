use super::*;
use crate::{
    OpenOptions, diff,
    document::uri,
    extensions::quantization::{LayoutOptions, NAME},
};
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

fn laid_out(layouts: LayoutOptions) -> Options {
    Options { layouts, ..Options::default() }
}

/// A quantized document, which keeps the bound.
fn quantized(document: &Document, options: &Options) -> Document {
    quantized_within(document, Bound::default(), options)
}

fn quantized_within(document: &Document, max_error: Bound, options: &Options) -> Document {
    let quantized = quantize(document, max_error, options).unwrap().document;
    let kept = crate::kept(document, &quantized, max_error).unwrap();
    assert!(kept.broken.is_empty(), "{:?}", kept.broken);
    quantized
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
    let one = quantized(&document(nodes.clone(), &[&[(0, &t, &still)]]), &Options::default());
    assert_eq!(paths(&one, 0), ["/nodes/0/translation.x x300"]);
    // Another clip moves Z away: a player that comes from there would leave it.
    let two = quantized(&document(nodes, &[&[(0, &t, &still)], &[(0, &t, &other)]]), &Options::default());
    assert_eq!(paths(&two, 0), ["/nodes/0/translation.x x300", "/nodes/0/translation.z x1"]);
    assert_eq!(paths(&two, 1), ["/nodes/0/translation.x x300", "/nodes/0/translation.z x1"]);
}

#[test]
fn an_animation_lasts_as_long_as_before() {
    let (short, long) = (times(20), times(50));
    let (moving, still) = (along_x(20, 0.0, 0.0), vec![1.5; 150]);
    let document = document(json!([{}, {}]), &[&[(0, &short, &moving), (1, &long, &still)]]);
    for translation in [None, Some(crate::quantization::VectorForm::Axes)] {
        let quantized = quantized(&document, &laid_out(LayoutOptions { translation, ..LayoutOptions::default() }));
        assert_eq!(paths(&quantized, 0).len(), if translation.is_some() { 4 } else { 2 });
    }
}

#[test]
fn members_that_nobody_knows_survive() {
    let (t, values) = (times(40), along_x(40, 1.0, 2.0));
    let quantized = quantized(&document(json!([{}]), &[&[(0, &t, &values)]]), &Options::default());
    for channel in quantized.json()["animations"][0]["channels"].as_array().unwrap() {
        assert_eq!((&channel["extras"], &channel["target"]["extras"]), (&json!(5), &json!([1])));
    }
}

#[test]
fn what_is_quantized_already_can_be_quantized_again() {
    let (t, values) = (times(40), along_x(40, 1.0, 2.0));
    let original = document(json!([{}]), &[&[(0, &t, &values)]]);
    let once = quantized(&original, &Options::default());
    let twice = quantized(&once, &Options::default());
    assert!(twice.requires(NAME));
    assert!(diff(&original, &twice, None).unwrap().relative < 2e-4);
}

#[test]
fn a_tighter_bound_is_kept_and_costs_bytes() {
    let (t, values) = (times(200), (0..600).map(|n| (n as f32).sin()).collect::<Vec<_>>());
    let document = document(json!([{}]), &[&[(0, &t, &values)]]);
    let size = |relative: f64| {
        let bound = Bound::Relative(relative);
        quantized_within(&document, bound, &Options::default()).buffer(0).unwrap().len()
    };
    assert!(size(1e-9) > size(1e-4));
}

/// The rows that a track gets: path, shape, component type and keys.
fn rows(
    path: &str,
    shape: &str,
    interpolation: &str,
    keys: usize,
    value: impl Fn(f64) -> Vec<f64>,
    bound: Bound,
    options: &Options,
) -> Vec<String> {
    let (times, values) = (times(keys), (0..keys).flat_map(|n| value(n as f64 / keys as f64)).map(|v| v as f32));
    let floats: Vec<f32> = times.iter().copied().chain(values).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let elements = (floats.len() - keys) / if shape == "VEC4" { 4 } else { 3 };
    let json = json!({ "asset": { "version": "2.0" }, "nodes": [{}],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR" },
            { "bufferView": 0, "byteOffset": 4 * keys, "componentType": 5126, "count": elements, "type": shape }],
        "animations": [{ "samplers": [{ "input": 0, "output": 1, "interpolation": interpolation }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": path } }] }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }] });
    let document = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    let quantized = quantized_within(&document, bound, options);
    let animation = &quantized.json()["animations"][0];
    let row = |channel: &serde_json::Value| {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let accessor = quantized.accessor(sampler["output"].as_u64().unwrap() as usize).unwrap();
        let path = channel["target"]["path"].as_str().unwrap();
        format!("{path} {} {:?} x{}", accessor.shape.name(), accessor.component, accessor.count)
    };
    animation["channels"].as_array().unwrap().iter().map(row).collect()
}

fn turned(interpolation: &str, half_angle: impl Fn(f64) -> [f64; 3]) -> Vec<String> {
    let value = |t: f64| keyfold_core::quat::exp(half_angle(t)).to_vec();
    rows("rotation", "VEC4", interpolation, 200, value, Bound::default(), &Options::default())
}

#[test]
fn w_is_dropped_only_where_it_is_well_conditioned() {
    let slanted = |turn: f64| move |t: f64| [0.6, -0.48, 0.64].map(|a| a * turn * t);
    for interpolation in ["LINEAR", "STEP"] {
        assert_eq!(turned(interpolation, slanted(0.9)), ["rotation VEC3 U16 x200"], "{interpolation}");
        // Up to 170 degrees: W would be off by more than X, Y and Z are.
        assert_eq!(turned(interpolation, slanted(1.5)), ["rotation VEC4 I16 x200"], "{interpolation}");
    }
}

#[test]
fn rotations_about_one_axis_are_found_whatever_their_sign() {
    let turn = |axis: usize, from: f64, to: f64| {
        turned("LINEAR", move |t| [0, 1, 2].map(|i| if i == axis { from + (to - from) * t } else { 0.0 }))
    };
    assert_eq!(turn(0, 0.0, 1.0), ["rotation.x SCALAR U16 x200"]);
    // W is negative throughout: the same rotations with the other sign.
    assert_eq!(turn(2, 2.2, 3.0), ["rotation.z SCALAR U16 x200"]);
    // Through half a turn W has to be stored.
    assert_eq!(turn(1, 0.5, 2.6), ["rotation.y VEC2 U16 x200"]);
}

#[test]
fn splines_have_grids_and_keep_their_keys() {
    // A tangent, a value and a tangent for each key.
    let glide = |t: f64| vec![1.0, 0.0, 0.0, t, (t * 4.0).sin(), (t * 7.0).cos(), 1.0, 0.0, 0.0];
    assert_eq!(
        rows("translation", "VEC3", "CUBICSPLINE", 50, glide, Bound::default(), &Options::default()),
        ["translation VEC3 U16 x150"]
    );
}

#[test]
fn equal_factors_are_one_and_wishes_are_met() {
    let growing = |t: f64| vec![1.0 + t * t; 3];
    let scaled =
        |bound: Bound, layouts: LayoutOptions| rows("scale", "VEC3", "LINEAR", 50, growing, bound, &laid_out(layouts));
    assert_eq!(scaled(Bound::default(), LayoutOptions::default()), ["scale SCALAR U8 x50"]);
    let fine = Bound::Relative(1e-5);
    assert_eq!(scaled(fine, LayoutOptions::default()), ["scale SCALAR U16 x50"]);
    let whole = LayoutOptions { scale: Some(crate::quantization::VectorForm::Vec3), ..LayoutOptions::default() };
    assert_eq!(scaled(fine, whole), ["scale VEC3 U16 x50"]);
    // Bytes are too coarse, and wider integers are not wanted.
    let floats = scaled(fine, LayoutOptions { bytes_only: true, ..LayoutOptions::default() });
    assert!(floats.iter().all(|row| row.ends_with(" F32 x50")), "{floats:?}");
}

#[test]
fn what_integers_cannot_hold_stays_floats() {
    let moving = |t: f64| vec![t.sin(), t.cos(), t];
    let exact = rows("translation", "VEC3", "LINEAR", 10, moving, Bound::Length(0.0), &Options::default());
    assert_eq!(exact, ["translation VEC3 F32 x10"]);
}
