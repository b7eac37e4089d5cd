use super::*;
use crate::{
    Allowance, Error, Interpolation, Limits, OpenOptions, read,
    rotation::{CoreSampler, RotationOptions, convert_rotations},
    scene::tests::document,
};
use keyfold_core::quat;
use serde_json::{Value, json};
use std::sync::atomic::AtomicUsize;

const KEYS: usize = 90;

/// An arm of four joints that swings, slides and blinks: rotations, a translation, a scale that never leaves
/// rest, a `STEP` track and morph weights.
pub(crate) fn swinging() -> Document {
    swinging_with(scene_json(), &[])
}

/// The same arm with other JSON, which may use more views.
fn swinging_with(json: Value, more: &[&[f32]]) -> Document {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let turn = |joint: usize| -> Vec<f32> {
        let wave = |t: &f32| [0.6 * (t * (1.1 + joint as f32)).sin(), 0.2 * (t * 2.3).cos(), 0.05 * t].map(f64::from);
        times.iter().flat_map(|t| keyfold_core::quat::exp(wave(t)).map(|c| c as f32)).collect()
    };
    let slide: Vec<f32> = times.iter().flat_map(|t| [t.sin(), 0.1 * t, 0.0]).collect();
    let ones = vec![1.0f32; KEYS * 3];
    let blink: Vec<f32> = (0..KEYS).flat_map(|i| if i % 30 < 20 { [0.0; 3] } else { [0.0, 0.5, 0.0] }).collect();
    let weights: Vec<f32> = times.iter().map(|t| 0.5 + 0.5 * t.sin()).collect();
    let (turns, mut runs): (Vec<Vec<f32>>, Vec<&[f32]>) = ((0..4).map(turn).collect(), vec![&times]);
    runs.extend(turns.iter().map(Vec::as_slice));
    runs.extend([&slide[..], &ones, &blink, &weights]);
    runs.extend(more);
    document(json, &runs)
}

fn scene_json() -> Value {
    let accessor =
        |view: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": KEYS, "type": shape });
    let channel = |sampler: usize, node: usize, path: &str| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    let sampler = |output: usize| json!({ "input": 0, "output": output });
    let mut samplers: Vec<Value> = (1..9).map(sampler).collect();
    samplers[6]["interpolation"] = json!("STEP");
    json!({
        "asset": { "version": "2.0" },
        "nodes": [
            { "children": [1, 4] }, { "children": [2], "translation": [0, 1, 0] }, { "children": [3], "translation": [0, 1, 0] },
            { "translation": [0, 1, 0], "name": "tip" }, { "name": "eye", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": {}, "targets": [{}] }] }],
        "accessors": [accessor(0, "SCALAR"), accessor(1, "VEC4"), accessor(2, "VEC4"), accessor(3, "VEC4"), accessor(4, "VEC4"),
            accessor(5, "VEC3"), accessor(6, "VEC3"), accessor(7, "VEC3"), accessor(8, "SCALAR")],
        "animations": [{ "name": "swing", "extras": { "by": "hand" }, "samplers": samplers, "channels": [
            channel(0, 0, "rotation"), channel(1, 1, "rotation"), channel(2, 2, "rotation"), channel(3, 3, "rotation"),
            channel(4, 0, "translation"), channel(5, 1, "scale"), channel(6, 4, "translation"), channel(7, 4, "weights")] }],
    })
}

fn packed(document: &Document, bound: &str) -> Packed {
    pack(document, &Options { max_error: bound.parse().unwrap(), ..Options::default() }).unwrap()
}

fn track<'a>(animations: &'a [Animation], target: &str) -> Option<&'a crate::Track> {
    animations[0].tracks.iter().find(|t| t.target.to_string() == target)
}

/// A node that slides in one clip, with a child that is held beside its rest pose. A second clip of half a
/// second holds about the first one's initial pose.
fn with_pose(off: f32) -> Document {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let slide: Vec<f32> = times.iter().flat_map(|t| [1.0 + t.sin(), 0.3 * (t * 5.0).cos(), 0.1]).collect();
    let pose: Vec<f32> = slide[..3].iter().map(|c| c + off).collect();
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let channel = |sampler: usize| json!({ "sampler": sampler, "target": { "node": sampler, "path": "translation" } });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "translation": [0, 1, 0] }],
        "accessors": [accessor(0, KEYS, "SCALAR"), accessor(1, KEYS, "VEC3"), accessor(2, KEYS, "VEC3"),
            accessor(3, 1, "SCALAR"), accessor(4, 1, "VEC3")],
        "animations": [
            { "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }], "channels": [channel(0), channel(1)] },
            { "samplers": [{ "input": 3, "output": 4 }], "channels": [channel(0)] }],
    });
    document(json, &[&times, &slide, &[0.5; 3 * KEYS], &[0.5], &pose])
}

#[test]
fn a_pose_has_values_of_what_moves_where_those_are_near() {
    for storage in [Storage::Core, Storage::Meshopt] {
        let borrows = |off: f32| {
            let options = Options { storage, max_error: "0.1%".parse().unwrap(), ..Options::default() };
            let animations = read(&pack(&with_pose(off), &options).unwrap().document).unwrap().animations;
            let [moving, pose] =
                [0, 1].map(|index| &track(&animations[index..], "/nodes/0/translation").unwrap().curve);
            moving.values().chunks_exact(3).any(|value| value == pose.values())
        };
        assert_eq!([borrows(3e-4), borrows(0.1)], [true, false], "{storage:?}");
    }
}

#[test]
fn what_is_held_has_its_key_where_a_pose_ends() {
    let time = |storage: Storage| {
        let packed = pack(&with_pose(0.0), &Options { storage, ..Options::default() }).unwrap();
        let animations = read(&packed.document).unwrap().animations;
        track(&animations, "/nodes/1/translation").unwrap().curve.times().to_vec()
    };
    assert_eq!(time(Storage::Meshopt), [0.5]);
    assert_eq!(time(Storage::Quantization), [0.0], "integers of a step of their own");
}

/// Nodes that move along lines, by the same values along a spline with zero tangents, and along another one.
fn eased() -> Document {
    const KEYS: usize = 12;
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 2.0).collect();
    let stops: Vec<f32> = (0..KEYS).flat_map(|i| [(i * i % 7) as f32, (i % 3) as f32, (i % 5) as f32 / 2.0]).collect();
    let spline = |shift: f32| -> Vec<f32> {
        stops.as_chunks::<3>().0.iter().flat_map(|v| [[0.0; 3], v.map(|c| c + shift), [0.0; 3]]).flatten().collect()
    };
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let sampler =
        |output: usize, interpolation: &str| json!({ "input": 0, "output": output, "interpolation": interpolation });
    let channel = |node: usize| json!({ "sampler": node, "target": { "node": node, "path": "translation" } });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{}, {}, {}],
        "accessors": [accessor(0, KEYS, "SCALAR"), accessor(1, KEYS, "VEC3"), accessor(2, 3 * KEYS, "VEC3"), accessor(3, 3 * KEYS, "VEC3")],
        "animations": [{ "samplers": [sampler(1, "LINEAR"), sampler(2, "CUBICSPLINE"), sampler(3, "CUBICSPLINE")],
            "channels": [channel(0), channel(1), channel(2)] }],
    });
    document(json, &[&times, &stops, &spline(0.0), &spline(0.5)])
}

#[test]
fn splines_without_tangents_take_what_their_values_do() {
    let document = eased();
    let before = crate::inspect::document_bytes(&document);
    let bound: Bound = "0.01%".parse().unwrap();
    for storage in Storage::ALL {
        let options = Options { storage, max_error: bound, optimize: Optimize::Raw, ..Options::default() };
        let chosen = choose(&document, &options, &storage.into()).unwrap();
        let after = crate::inspect::document_bytes(&chosen.packed.document);
        assert!(after * 10 <= before * 6, "{storage}: {after} of {before} bytes");
        let found = diff::diff(&document, &chosen.packed.document, None).unwrap();
        assert!(found.possible <= chosen.packed.bound && found.unmatched.is_empty(), "{storage}");
        let errors = crate::validate::validate(&chosen.packed.document);
        assert!(errors.iter().all(|finding| finding.severity != Severity::Error), "{storage}: {errors:?}");
        let is_sparse = |accessor: &Value| accessor.get("sparse").is_some();
        let sparse = chosen.packed.document.json()["accessors"].as_array().unwrap().iter().any(is_sparse);
        assert_eq!(sparse, storage != Storage::Stream, "{storage}");
    }
}

#[test]
fn the_storage_that_is_told_is_what_was_written() {
    let document = eased();
    for storage in Storage::ALL {
        let options = Options { storage, optimize: Optimize::Raw, ..Options::default() };
        let chosen = choose(&document, &options, &storage.into()).unwrap();
        let animations = read(&chosen.packed.document).unwrap().animations;
        let stored = |track: &crate::Track| Storage::of(&chosen.packed.document, 0, track);
        let is_core = animations[0].tracks.iter().all(|track| stored(track) == Storage::Core);
        assert_eq!(chosen.storage == Storage::Core, is_core, "{storage}");
        assert_eq!(chosen.candidates[0].storage, chosen.storage, "{storage}");
    }
}

/// The spline's keys coincide with no key of the lines.
#[test]
fn a_spline_beside_lines_costs_them_nothing() {
    let (times, values) = ([0.11f32, 1.33, 2.87], [0.3f32, -0.2, 0.5].repeat(9));
    let mut json = scene_json();
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    json["accessors"].as_array_mut().unwrap().extend([accessor(9, 3, "SCALAR"), accessor(10, 9, "VEC3")]);
    json["animations"][0]["samplers"][4] = json!({ "input": 9, "output": 10, "interpolation": "CUBICSPLINE" });
    let (lines, mixed) = (swinging(), swinging_with(json, &[&times, &values]));
    for storage in Storage::ALL {
        let options = Options { storage, max_error: Bound::Relative(1e-4), ..Options::default() };
        let [lines, mixed] = [&lines, &mixed].map(|document| pack(document, &options).unwrap().gzip_bytes);
        // The line in place of the spline has more keys: in a stream, no more bytes than its floats.
        let floats = if storage == Storage::Stream { size_of_val(&values[..9]) } else { 0 };
        assert!(mixed < lines + floats, "{storage}: {mixed} {lines}");
    }
}

/// Constants do not count as moving tracks, so the splines are searched.
#[test]
fn splines_beside_constants_lose_digits() {
    let turn = |angle: f64| [[0.0; 4], quat::exp([angle, 0.1, 0.2]).map(|c| c as f32), [0.0; 4]].concat();
    let values = [turn(0.1), turn(0.4), turn(-0.3)].concat();
    let mut json = scene_json();
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    json["accessors"].as_array_mut().unwrap().extend([accessor(9, 3, "SCALAR"), accessor(10, 9, "VEC4")]);
    json["animations"][0]["samplers"][0] = json!({ "input": 9, "output": 10, "interpolation": "CUBICSPLINE" });
    let still = |node: usize| json!({ "sampler": 5, "target": { "node": node, "path": "scale" } });
    let turns = json!({ "sampler": 0, "target": { "node": 0, "path": "rotation" } });
    json["animations"][0]["channels"] = json!([turns, still(0), still(1), still(2), still(3)]);
    let document = swinging_with(json, &[&[0.0, 1.0, 3.0], &values]);
    for storage in Storage::ALL {
        let options = Options { storage, max_error: Bound::Relative(1e-2), level: Level::Fast, ..Options::default() };
        let packed = pack(&document, &options).unwrap().document;
        let read = read(&packed).unwrap().animations;
        let curve = &track(&read, "/nodes/0/rotation").unwrap().curve;
        assert!(curve.values() != values && curve.interpolation() == Interpolation::CubicSpline, "{storage}");
    }
}

#[test]
fn what_the_quickest_search_is_allowed_every_level_is() {
    let bytes = swinging().to_bytes().unwrap();
    let packs = |work: u64, level: Level| {
        let limits = Limits { work: Allowance::exactly(work), ..Limits::default() };
        let document = Document::from_bytes(bytes.clone(), None, &OpenOptions { limits, ..OpenOptions::default() });
        pack(&document.unwrap(), &Options { level, ..Options::default() }).is_ok()
    };
    let least = (15..40).map(|bits| 1 << bits).find(|work| packs(*work, Level::Fast)).unwrap();
    for eighths in 8..16 {
        for level in [Level::Default, Level::Max] {
            assert!(packs(least / 8 * eighths, level), "{level:?} {eighths}");
        }
    }
}

#[test]
fn every_bound_holds_and_tighter_ones_cost_more() {
    let document = swinging();
    let mut before = 0;
    for bound in ["1%", "0.1%", "0.01%", "0.002%"] {
        let packed = packed(&document, bound);
        let found = diff::diff(&document, &packed.document, None).unwrap();
        assert!(found.possible <= packed.bound && found.error > 0.0, "{bound}: {} {}", found.possible, packed.bound);
        assert!(found.animations[0].properties.max <= 0.001);
        assert!(found.unmatched.is_empty() && packed.left.is_empty());
        assert!(packed.gzip_bytes > before && packed.gzip_bytes < weigh::weight(&document).gzip);
        before = packed.gzip_bytes;
    }
}

#[test]
fn every_storage_keeps_every_bound() {
    let document = swinging();
    for storage in Storage::ALL {
        for bound in ["1%", "0.1%", "0.01%", "0.002%"] {
            let options = Options { storage, max_error: bound.parse().unwrap(), ..Options::default() };
            let packed = pack(&document, &options).unwrap();
            let found = diff::diff(&document, packed.document.draft(None).unwrap().document(), None).unwrap();
            assert!(
                found.possible <= packed.bound && found.unmatched.is_empty(),
                "{storage:?} {bound}: {}",
                found.possible
            );
            assert!(packed.left.is_empty(), "{storage:?} {bound}");
            assert!(packed.gzip_bytes < weigh::weight(&document).gzip);
            let animations = read(&packed.document).unwrap().animations;
            let stored = crate::inspect::animation_bytes(&packed.document, animations[0].tracks.iter());
            assert!(packed.gzip_bytes > stored / 4, "{storage:?} {bound}: {} of {stored}", packed.gzip_bytes);
        }
    }
}

#[test]
fn a_bound_of_nothing_changes_no_value() {
    // The next float after the rest pose is not the rest pose.
    let mut json = scene_json();
    let accessor = json!({ "bufferView": 9, "componentType": 5126, "count": KEYS, "type": "VEC3" });
    json["accessors"].as_array_mut().unwrap().push(accessor);
    json["animations"][0]["samplers"][5]["output"] = json!(9);
    let document = swinging_with(json, &[&[1.0f32.next_up(); 3 * KEYS]]);
    let packed = pack(
        &document,
        &Options { max_error: Bound::Length(0.0), max_property_error: PropertyBound(0.0), ..Options::default() },
    )
    .unwrap();
    assert_eq!(packed.diff.error, 0.0);
    assert_eq!(packed.diff.animations[0].properties.max, 0.0);
    assert!(packed.left.is_empty() && packed.raw_bytes < weigh::weight(&document).raw, "{:?}", packed.left);
}

/// A spline of rotations whose keys change sign, passing near zero by `off`, and a tip that bends.
fn flips(off: f32) -> Document {
    let keys = 20;
    let times: Vec<f32> = (0..keys).map(|i| i as f32 / 2.0).collect();
    let key = |i: usize| {
        let (x, w) = (off * (1.0 + i as f32 / 7.0), if i.is_multiple_of(2) { 1.0 } else { -1.0 });
        [[0.0; 4], [x, 0.5 * off, -x, w], [0.0; 4]].concat()
    };
    let turn: Vec<f32> = (0..keys).flat_map(key).collect();
    let bend = |t: &f32| quat::exp([0.0, 0.0, f64::from(0.3 * t.sin())]).map(|c| c as f32);
    let bend: Vec<f32> = times.iter().flat_map(bend).collect();
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let channel = |node: usize| json!({ "sampler": node, "target": { "node": node, "path": "rotation" } });
    let json = json!({
        "asset": { "version": "2.0" }, "nodes": [{ "children": [1] }, { "translation": [1, 0, 0] }],
        "accessors": [accessor(0, keys, "SCALAR"), accessor(1, 3 * keys, "VEC4"), accessor(2, keys, "VEC4")],
        "animations": [{ "channels": [channel(0), channel(1)],
                         "samplers": [{ "input": 0, "output": 1, "interpolation": "CUBICSPLINE" }, { "input": 0, "output": 2 }] }] });
    document(json, &[&times, &turn, &bend])
}

#[test]
fn splines_that_pass_near_zero_keep_the_bound_between_keys() {
    for storage in Storage::ALL {
        for off in [0.3, 0.01, 0.0] {
            let document = flips(off);
            let options = Options { storage, ..Options::default() };
            let packed = pack(&document, &options).unwrap();
            let found = diff::diff(&document, packed.document.draft(None).unwrap().document(), None).unwrap();
            assert!(found.possible <= packed.bound, "{storage:?} {off}: {} {}", found.possible, packed.bound);
            let untouched = packed.left.iter().any(|what| what.contains("it stays as it was"));
            assert_eq!(untouched, off == 0.0, "{storage:?} {off}: {:?}", packed.left);
        }
    }
}

#[test]
fn a_channel_that_cannot_be_read_keeps_no_other_from_being_packed() {
    let mut json = swinging().json().clone();
    json["accessors"][2].as_object_mut().unwrap().remove("type");
    let broken =
        crate::Document::from_bytes(json.to_string().as_bytes(), None, &crate::OpenOptions::default()).unwrap();
    for storage in Storage::ALL {
        let packed = pack(&broken, &Options { storage, ..Options::default() }).unwrap();
        assert!(packed.left[0].starts_with("/accessors/2"), "{storage}: {:?}", packed.left);
        assert!(packed.gzip_bytes < weigh::weight(&broken).gzip, "{storage}: {}", packed.gzip_bytes);
    }
}

#[test]
fn nothing_lost_is_no_error() {
    for storage in Storage::ALL {
        let options = Options { storage, max_error: Bound::Length(0.0), ..Options::default() };
        let packed = pack(&swinging(), &options).unwrap();
        assert_eq!((packed.diff.possible, packed.left.len()), (0.0, 0), "{storage:?}: {:?}", packed.left);
    }
}

#[test]
fn steps_stay_exact_and_lose_their_repeats() {
    let document = swinging();
    let (before, after) = (read(&document).unwrap(), read(&packed(&document, "1%").document).unwrap());
    let target = "/nodes/4/translation";
    let (old, new) = (track(&before.animations, target).unwrap(), track(&after.animations, target).unwrap());
    assert_eq!(new.curve.interpolation(), Interpolation::Step);
    assert_eq!(new.curve.keys(), 7);
    for key in 0..KEYS {
        let time = f64::from(old.curve.times()[key]);
        assert_eq!(old.sample(time), new.sample(time));
    }
}

#[test]
fn what_holds_the_rest_pose_goes_and_the_rest_stays() {
    let packed = packed(&swinging(), "0.01%");
    let after = read(&packed.document).unwrap().animations;
    assert!(track(&after, "/nodes/1/scale").is_none());
    assert_eq!(after[0].name.as_deref(), Some("swing"));
    assert_eq!(after[0].duration(), (KEYS - 1) as f32 / 30.0);
    assert_eq!(packed.document.json()["animations"][0]["extras"]["by"], "hand");
    assert_eq!(after[0].tracks.len(), 7);
}

#[test]
fn kept_tracks_are_left_alone_and_an_animation_that_is_not_there_is_an_error() {
    let document = swinging();
    let before = read(&document).unwrap().animations;
    let options = Options { keep: vec!["tip".into(), "/nodes/*/weights".into()], ..Options::default() };
    let after = read(&pack(&document, &options).unwrap().document).unwrap().animations;
    for target in ["/nodes/3/rotation", "/nodes/4/weights"] {
        assert_eq!(track(&before, target).unwrap().curve, track(&after, target).unwrap().curve);
    }
    for storage in Storage::ALL {
        let options = Options { storage, animation: Some("walk".into()), ..Options::default() };
        let error = pack(&document, &options).unwrap_err().to_string();
        assert!(error.starts_with("/animations: there is no animation walk; there is: "), "{error}");
    }
}

#[test]
fn the_same_bytes_come_out_on_any_number_of_threads() {
    let document = swinging();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| packed(&document, "0.02%").document.to_bytes().unwrap())
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn patterns_match_with_stars() {
    for (pattern, text, fits) in [
        ("a*c", "abbc", true),
        ("a*c", "abb", false),
        ("*", "", true),
        ("é*", "éa", true),
        ("a", "ab", false),
        ("*b*", "abc", true),
    ] {
        assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
    }
}

#[test]
fn an_estimate_is_near_and_says_what_it_is() {
    let document = swinging();
    for storage in Storage::ALL {
        let choice = Choice { estimate: true, ..storage.into() };
        let chosen = choose(&document, &Options::default(), &choice).unwrap();
        let (written, others) = chosen.candidates.split_first().unwrap();
        assert!(written.storage == storage && !written.quick && written.error.is_some());
        assert_eq!(others.len() + 1, Storage::ALL.len());
        for about in others {
            assert!(about.quick && about.error.is_none());
            let real = pack(&document, &Options { storage: about.storage, ..Options::default() }).unwrap();
            let off = about.gzip_bytes as f64 / real.gzip_bytes as f64 - 1.0;
            assert!(off.abs() < 0.15, "{}: {off}", about.storage);
        }
    }
}

#[test]
fn an_arc_of_nearly_half_a_turn_is_settled() {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let turn = |i: usize| {
        let (wave, half) = (0.3 * (i as f64 * 0.1).sin(), if i > KEYS / 2 { 1.56 } else { 0.0 });
        quat::mul(quat::exp([wave, 0.2, 0.0]), quat::exp([0.0, 0.0, half])).map(|c| c as f32)
    };
    let turns: Vec<f32> = (0..KEYS).flat_map(turn).collect();
    let accessor =
        |view: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": KEYS, "type": shape });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "translation": [0, 1, 0] }],
        "accessors": [accessor(0, "SCALAR"), accessor(1, "VEC4")],
        "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }] }],
    });
    let document = document(json, &[&times, &turns]);
    for storage in Storage::ALL {
        let options = Options { storage, max_error: "0.002%".parse().unwrap(), ..Options::default() };
        let packed = pack(&document, &options).unwrap();
        assert!(packed.left.is_empty(), "{storage:?} {:?}", packed.left);
    }
}

#[test]
fn what_is_read_back_is_read_as_the_original_was() {
    let ignoring = swinging().ignoring("EXT_meshopt_compression").unwrap();
    assert!(ignoring.draft(None).unwrap().document().ignores("EXT_meshopt_compression"));
}

#[test]
fn a_longer_search_never_ends_larger() {
    for storage in [Storage::Core, Storage::Quantization, Storage::Meshopt] {
        let bytes = |level| pack(&swinging(), &Options { storage, level, ..Options::default() }).unwrap().gzip_bytes;
        assert!(bytes(Level::Max) <= bytes(Level::Default), "{storage:?}");
    }
}

#[test]
fn axes_have_their_own_keys_where_that_is_smaller() {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    // Quick along X, steady along Y, never along Z.
    let slide: Vec<f32> = times.iter().flat_map(|t| [(t * 7.0).sin(), 0.3 * t, 2.0]).collect();
    let accessor =
        |view: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": KEYS, "type": shape });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1], "translation": [0, 0, 2] }, { "translation": [0, 1, 0] }],
        "accessors": [accessor(0, "SCALAR"), accessor(1, "VEC3")],
        "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
    });
    let document = document(json, &[&times, &slide]);
    let packed = pack(&document, &Options { storage: Storage::Quantization, ..Options::default() }).unwrap();
    let tracks = read(&packed.document).unwrap().animations.remove(0).tracks;
    let targets: Vec<String> = tracks.iter().map(|t| t.target.to_string()).collect();
    assert_eq!(targets, ["/nodes/0/translation.x", "/nodes/0/translation.y"]);
    assert!(tracks[0].curve.keys() > 40 && tracks[1].curve.keys() == 2, "{tracks:?}");
    assert!(packed.diff.error <= packed.bound);
}

#[test]
fn an_axis_that_rests_in_one_animation_stays_where_another_one_moves_it() {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let bob: Vec<f32> = times.iter().flat_map(|t| [0.0, (t * 5.0).sin(), 0.0]).collect();
    let roam: Vec<f32> = times.iter().flat_map(|t| [(t * 5.0).cos(), (t * 3.0).sin(), (t * 4.0).sin()]).collect();
    let accessor =
        |view: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": KEYS, "type": shape });
    let animation = |output: usize| {
        json!({ "samplers": [{ "input": 0, "output": output }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] })
    };
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "translation": [0, 1, 0] }],
        "accessors": [accessor(0, "SCALAR"), accessor(1, "VEC3"), accessor(2, "VEC3")],
        "animations": [animation(1), animation(2)],
    });
    let document = document(json, &[&times, &bob, &roam]);
    let packed = pack(&document, &Options { storage: Storage::Quantization, ..Options::default() }).unwrap();
    let animations = read(&packed.document).unwrap().animations;
    let driven = |index: usize| -> usize { animations[index].tracks.iter().map(|t| t.curve.width()).sum() };
    assert_eq!((driven(0), driven(1)), (3, 3), "{:?}", animations[0].tracks);
}

#[test]
fn the_original_is_read_once() {
    for storage in Storage::ALL {
        let document = swinging();
        let choice = Choice { estimate: true, ..storage.into() };
        let chosen = choose(&document, &Options::default(), &choice).unwrap();
        assert!(chosen.candidates.len() > 1);
        chosen.finish(&document, u64::MAX, "in.glb".into(), None).unwrap();
        let reads = document.known.reads.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(reads, 2, "{storage}: its animations once, and once what its nodes carry");
    }
}

#[test]
fn work_that_is_cancelled_ends() {
    struct Impatient;
    impl Monitor for Impatient {
        fn progress(&self, _: f64, _: &str) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    for storage in Storage::ALL {
        let packed = pack_with(&swinging(), &Options { storage, ..Options::default() }, &Impatient);
        assert!(matches!(packed, Err(Error::Cancelled)), "{storage}");
    }
    let document = swinging();
    assert!(matches!(diff::diff_with(&document, &document, None, &Impatient), Err(Error::Cancelled)));
}

#[test]
fn work_that_is_cancelled_in_its_midst_leaves_nothing() {
    /// Cancels after being asked the given number of times.
    struct Patience(AtomicUsize);
    impl Monitor for Patience {
        fn progress(&self, _: f64, _: &str) {}
        fn cancelled(&self) -> bool {
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        }
    }
    let document = swinging();
    let whole = pack(&document, &Options::default()).unwrap().document.to_bytes().unwrap();
    let packed = |patience: usize| {
        pack_with(&document, &Options::default(), &Patience(AtomicUsize::new(patience)))
            .map(|packed| packed.document.to_bytes().unwrap())
    };
    let mut asked = 0;
    let done = loop {
        match packed(asked) {
            Ok(done) => break done,
            Err(error) => assert!(matches!(error, Error::Cancelled), "{error}"),
        }
        asked += 1;
    };
    assert!(asked > 10, "the search asks only {asked} times");
    assert_eq!(done, whole);
}

#[test]
fn splines_come_out_small_and_within_the_bound_in_every_storage() {
    for interpolation in [Interpolation::CubicSpline, Interpolation::CubicSlerp] {
        let bound = "0.001%".parse().unwrap();
        let options = RotationOptions { interpolation, only: None, max_error: bound, core: CoreSampler::None };
        let document = convert_rotations(&swinging(), &options).unwrap().document;
        let floats = weigh::weight(&document).gzip;
        for storage in Storage::ALL {
            let packed = pack(&document, &Options { storage, ..Options::default() }).unwrap();
            let share = packed.gzip_bytes as f64 / floats as f64;
            assert!(share <= 0.6, "{interpolation:?} {storage:?}: {share}");
            assert!(packed.diff.possible <= packed.bound && packed.left.is_empty());
            let tracks = read(&packed.document).unwrap().animations.remove(0).tracks;
            assert_eq!(tracks.iter().filter(|t| t.target.to_string().ends_with("rotation")).count(), 4);
        }
    }
}

/// A material with factors that stay at 0 and 1 for a while, or off by `beyond`, as lines and as a spline.
fn shining(beyond: f32) -> Document {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let wave = |i: usize| (0.5 + 0.83 * (times[i] * 2.7).sin()).clamp(-beyond, 1.0 + beyond);
    let factor: Vec<f32> = (0..KEYS).map(wave).collect();
    let colour: Vec<f32> =
        (0..KEYS).flat_map(|i| [wave(i), 0.31 + 0.6 * wave(i) * wave(i), 0.9999, 1.0 - 0.83 * wave(i)]).collect();
    let spline: Vec<f32> = (0..KEYS).flat_map(|i| [0.0, wave(i), 0.0]).collect();
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let channel = |sampler: usize, member: &str| {
        let pointer = json!({ "pointer": format!("/materials/0/pbrMetallicRoughness/{member}") });
        json!({ "sampler": sampler, "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": pointer } } })
    };
    let json = json!({
        "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_animation_pointer"], "nodes": [{}],
        "materials": [{ "pbrMetallicRoughness": {} }],
        "accessors": [accessor(0, KEYS, "SCALAR"), accessor(1, KEYS, "SCALAR"), accessor(2, KEYS, "VEC4"), accessor(3, 3 * KEYS, "SCALAR")],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }, { "input": 0, "output": 3, "interpolation": "CUBICSPLINE" }],
            "channels": [channel(0, "metallicFactor"), channel(1, "baseColorFactor"), channel(2, "roughnessFactor")] }],
    });
    document(json, &[&times, &factor, &colour, &spline])
}

/// The document's validation findings about values out of a property's range.
fn out_of_range(document: &Document) -> Vec<String> {
    let found = crate::validate::validate(document).into_iter();
    found.filter(|f| f.code.starts_with("POINTER_VALUE")).map(|f| format!("{} {}", f.code, f.message)).collect()
}

#[test]
fn properties_stay_in_range() {
    let document = shining(0.0);
    assert_eq!(out_of_range(&document), [""; 0]);
    for (storage, property_bound) in Storage::ALL.into_iter().flat_map(|s| [0.0003, 0.001, 0.01].map(|b| (s, b))) {
        for keep_keys in [false, true] {
            let options = Options {
                storage,
                keep_keys,
                max_property_error: PropertyBound(property_bound),
                level: Level::Fast,
                ..Options::default()
            };
            let packed = pack_once(&document, &options, &()).unwrap();
            assert_eq!(out_of_range(&packed.document), [""; 0], "{storage} {property_bound} {keep_keys}");
            // Quantization has no form for pointers whose keys stay.
            let smaller = packed.gzip_bytes < weigh::weight(&document).gzip;
            assert!(smaller || keep_keys, "{storage} {property_bound}");
        }
    }
    for bits in [3, 6, 11, 16] {
        let options = crate::draco::Options { bits: Some(bits), ..Default::default() };
        let compressed = crate::draco::compress(&document, Bound::default(), &options).unwrap().document;
        assert_eq!(out_of_range(&compressed), [""; 0], "{bits}");
    }
}

#[test]
fn what_was_out_of_range_stays_within_its_bound() {
    let document = shining(0.2);
    for storage in Storage::ALL {
        let packed = pack(&document, &Options { storage, ..Options::default() }).unwrap();
        let read = read(&packed.document).unwrap().animations;
        let factor = &track(&read, "/materials/0/pbrMetallicRoughness/metallicFactor").unwrap().curve;
        let ends = factor.values().iter().fold((0.0f32, 0.0f32), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!(ends.0 < -0.19 && ends.1 > 1.19, "{storage}: {ends:?}");
    }
}

/// The arm with an additional text in its extras.
fn swinging_beside(text: String) -> Document {
    let mut json = scene_json();
    json["extras"] = json!(text);
    swinging_with(json, &[])
}

#[test]
fn what_is_larger_after_gzip_is_not_written_where_that_was_asked_for() {
    let mut state = 1u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 28) as u8)
    };
    let (long, wild) = (swinging_beside("a".repeat(4000)), (0..3000).map(|_| letter()).collect());
    let before = long.draft(None).unwrap().bytes();
    let copied = |optimize: Optimize| {
        let packed = leave(&swinging_beside(String::clone(&wild)), &Options::default(), Vec::new(), &()).unwrap();
        let chosen = Chosen::alone(Storage::Core, packed, optimize);
        chosen.finish(&long, before, "in.glb".into(), None).unwrap().report.copied
    };
    assert_eq!((copied(Optimize::Gzip), copied(Optimize::Raw)), (true, false));
}

#[test]
fn what_is_shown_throughout_stays_a_step() {
    let accessor = |view: usize, component: usize, shape: &str| json!({ "bufferView": view, "componentType": component, "count": 2, "type": shape });
    let pointer = json!({ "KHR_animation_pointer": { "pointer": "/nodes/1/extensions/KHR_node_visibility/visible" } });
    let json = json!({
        "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"],
        "nodes": [{}, { "extensions": { "KHR_node_visibility": { "visible": true } } }],
        "accessors": [accessor(0, 5126, "SCALAR"), accessor(1, 5126, "VEC3"), accessor(2, 5121, "SCALAR")],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2, "interpolation": "STEP" }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "path": "pointer", "extensions": pointer } }] }],
    });
    let shown = document(json, &[&[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0], &[0.0]]);
    let read = read(&shown).unwrap().animations;
    let visible = track(&read, "/nodes/1/extensions/KHR_node_visibility/visible").unwrap();
    let one = exact::without_repeats(visible, 1.0).unwrap().curve;
    assert_eq!((one.keys(), one.interpolation()), (1, Interpolation::Step));
}

/// A node rotated by irregular keys, in an interpolation with the given number of elements per key.
fn wild(keys: usize, interpolation: &str, elements: usize, turn: impl Fn([u32; 4]) -> [f64; 4]) -> Document {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let times: Vec<f32> = (0..keys).map(|i| i as f32 / 30.0).collect();
    let turns = (0..keys * elements).flat_map(|_| quat::normalize(turn([next(), next(), next(), next()])));
    let turns: Vec<f32> = turns.map(|c| c as f32).collect();
    let json = json!({
        "asset": { "version": "2.0" }, "nodes": [{}, { "translation": [0, 1, 0], "children": [0] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR" },
            { "bufferView": 1, "componentType": 5126, "count": keys * elements, "type": "VEC4" }],
        "animations": [{ "samplers": [{ "input": 0, "output": 1, "interpolation": interpolation }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }] }],
    });
    document(json, &[&times, &turns])
}

/// The file sizes in bytes that `pack` and `convert` write for a storage.
fn written_and_converted(document: &Document, storage: Storage) -> (u64, u64) {
    let options = Options { storage, ..Options::default() };
    let before = document.draft(None).unwrap().bytes();
    let chosen = choose(document, &options, &storage.into()).unwrap();
    let written = chosen.finish(document, before, "in.gltf".into(), None).unwrap().report.bytes.after;
    let converted = match storage::of(storage).converts_exactly {
        true => crate::write::write_stream(document, false).unwrap().document,
        false => pack_once(document, &Options { keep_keys: true, ..options }, &()).unwrap().document,
    };
    (written, converted.draft(None).unwrap().bytes().min(before))
}

#[test]
fn many_splines_are_no_larger_than_what_convert_makes() {
    let splines = wild(smallest::MUCH / 12 + 1, "CUBICSPLINE", 3, |wild| wild.map(|v| f64::from(v) - 32767.5));
    for storage in [Storage::Quantization, Storage::Draco] {
        let (written, converted) = written_and_converted(&splines, storage);
        assert!(written <= converted, "{storage}: {written} of {converted}");
    }
}

#[test]
fn cubicslerp_is_no_larger_than_what_convert_makes() {
    let splines = wild(40, "CUBICSPLINE", 3, |wild| wild.map(|v| f64::from(v) + 1000.0));
    let interpolation = Interpolation::CubicSlerp;
    let options = RotationOptions { interpolation, only: None, max_error: Bound::default(), core: CoreSampler::None };
    let slerps = convert_rotations(&splines, &options).unwrap().document;
    for storage in [Storage::Meshopt, Storage::Stream] {
        let (written, converted) = written_and_converted(&slerps, storage);
        assert!(written <= converted, "{storage}: {written} of {converted}");
    }
}

#[test]
fn a_stream_of_rotations_that_bytes_hold_is_no_larger_than_what_convert_makes() {
    // No rotation, or half a turn about an axis.
    let half = |wild: [u32; 4]| [0, 1, 2, 3].map(|c| if wild[0] % 4 == c { 1.0 } else { 0.0 });
    let turns = wild(40, "STEP", 1, half);
    let (written, converted) = written_and_converted(&turns, Storage::Stream);
    assert!(written <= converted, "{written} of {converted}");
}
