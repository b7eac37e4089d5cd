use super::*;
use crate::{Interpolation, diff, scene::tests::document};
use keyfold_core::quat;
use serde_json::json;

/// An arm of three bones that wave at 30 keys a second for two seconds, all LINEAR.
fn arm() -> Document {
    let times: Vec<f32> = (0..=60).map(|i| i as f32 / 30.0).collect();
    let wave = |rate: f64, axis: usize| -> Vec<f32> {
        let key = |t: &f32| {
            let mut half = [0.0; 3];
            half[axis] = 0.4 * (rate * f64::from(*t)).sin();
            quat::exp(half).map(|c| c as f32)
        };
        times.iter().flat_map(key).collect()
    };
    let curves = [wave(2.0, 0), wave(3.0, 1), wave(5.0, 2)];
    let accessor =
        |view: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": 61, "type": shape });
    let bone = |child: usize| json!({ "translation": [0, 1, 0], "children": [child] });
    let channel =
        |node: usize| json!({ "sampler": node, "extras": "mine", "target": { "node": node, "path": "rotation" } });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [bone(1), bone(2), bone(3), { "translation": [0, 1, 0] }],
        "accessors": [accessor(0, "SCALAR"), accessor(1, "VEC4"), accessor(2, "VEC4"), accessor(3, "VEC4")],
        "animations": [{ "channels": [channel(0), channel(1), channel(2)], "samplers": [
            { "input": 0, "output": 1 }, { "input": 0, "output": 2 }, { "input": 0, "output": 3 }] }],
    });
    document(json, &[&times, &curves[0], &curves[1], &curves[2]])
}

fn options(interpolation: Interpolation, bound: f64, core: CoreSampler) -> RotationOptions {
    RotationOptions { interpolation, only: None, max_error: Bound::Relative(bound), core }
}

fn interpolations(document: &Document) -> Vec<Interpolation> {
    read(document).unwrap().animations[0].tracks.iter().map(|t| t.curve.interpolation()).collect()
}

#[test]
fn every_form_comes_within_the_bound_and_close_to_it() {
    let arm = arm();
    for form in [Interpolation::CubicSpline, Interpolation::CubicSlerp] {
        for bound in [1e-2, 1e-3, 1e-4] {
            let ChangedRotations { document: written, report } =
                convert_rotations(&arm, &options(form, bound, CoreSampler::None)).unwrap();
            assert_eq!(interpolations(&written), [form; 3]);
            let relative = diff(&arm, &written, None).unwrap().relative;
            assert!(relative <= bound && relative > 0.5 * bound, "{relative} {report:?}");
            assert!(report.keys.after <= report.keys.before && report.findings.is_empty(), "{report:?}");
            assert_eq!(written.json()["animations"][0]["channels"][0]["extras"], "mine");
        }
    }
}

#[test]
fn there_and_back_again_is_within_the_sum_of_the_bounds() {
    let arm = arm();
    let there = convert_rotations(&arm, &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::None)).unwrap().document;
    let back = convert_rotations(&there, &options(Interpolation::Linear, 1e-3, CoreSampler::None)).unwrap().document;
    assert_eq!(interpolations(&back), [Interpolation::Linear; 3]);
    assert!(back.json().get("extensionsUsed").is_none() && back.json().get("extensionsRequired").is_none());
    assert!(diff(&there, &back, None).unwrap().relative <= 1e-3);
    assert!(diff(&arm, &back, None).unwrap().relative <= 2e-3);
}

#[test]
fn without_a_fallback_channels_have_no_sampler_and_the_extension_is_required() {
    let written =
        convert_rotations(&arm(), &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::None)).unwrap().document;
    assert_eq!(written.json()["extensionsRequired"], json!(["EXT_animation_sqlerp"]));
    let channel = &written.json()["animations"][0]["channels"][0];
    assert!(channel.get("sampler").is_none() && channel["extensions"]["EXT_animation_sqlerp"]["sampler"].is_u64());
    assert!(written.ignoring("EXT_animation_sqlerp").is_err());
}

#[test]
fn readers_that_insist_get_the_same_sampler() {
    let written =
        convert_rotations(&arm(), &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::Same)).unwrap().document;
    let channel = &written.json()["animations"][0]["channels"][1];
    assert_eq!(channel["sampler"], channel["extensions"]["EXT_animation_sqlerp"]["sampler"]);
    assert_eq!(written.json()["extensionsRequired"], json!(["EXT_animation_sqlerp"]));
}

#[test]
fn a_fallback_plays_within_the_bound_where_the_extension_is_not_known() {
    let arm = arm();
    let ChangedRotations { document: written, report } =
        convert_rotations(&arm, &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::Linear)).unwrap();
    assert!(written.json().get("extensionsRequired").is_none());
    let plain = written.ignoring("EXT_animation_sqlerp").unwrap();
    assert_eq!(interpolations(&plain), [Interpolation::Linear; 3]);
    assert!(diff(&arm, &plain, None).unwrap().relative <= 1e-3 && report.fallback.is_some_and(|keys| keys > 0));
    // Converted again, CUBICSLERP only changes its samplers in the file.
    let ChangedRotations { document: again, report } =
        convert_rotations(&written, &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::Same)).unwrap();
    assert_eq!((diff(&written, &again, None).unwrap().possible, report.keys.before), (0.0, report.keys.after));
    assert_eq!(again.json()["extensionsRequired"], json!(["EXT_animation_sqlerp"]));
}

#[test]
fn what_no_keys_can_do_stays_and_is_told() {
    let spline =
        convert_rotations(&arm(), &options(Interpolation::CubicSpline, 1e-3, CoreSampler::None)).unwrap().document;
    let ChangedRotations { document: written, report } =
        convert_rotations(&spline, &options(Interpolation::Linear, 0.0, CoreSampler::None)).unwrap();
    assert_eq!(interpolations(&written), [Interpolation::CubicSpline; 3]);
    assert_eq!(report.findings[0].code, "ROTATION_UNCHANGED");
    assert_eq!(report.tracks, 0);
}

#[test]
fn a_rotation_that_is_not_defined_everywhere_stays_and_others_change() {
    let (times, none) = ([0.0f32, 1.0], [0.0f32; 4]);
    // From one quaternion to its opposite, through zero.
    let spline = [none, [0.0, 0.0, 0.0, 1.0], none, none, [0.0, 0.0, 0.0, -1.0], none].concat();
    let even = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
    let accessor = |view: usize, count: usize, shape: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape });
    let channel = |i: usize| json!({ "sampler": i, "target": { "node": i, "path": "rotation" } });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{}, {}],
        "accessors": [accessor(0, 2, "SCALAR"), accessor(1, 6, "VEC4"), accessor(2, 2, "VEC4")],
        "animations": [{ "channels": [channel(0), channel(1)], "samplers": [
            { "input": 0, "output": 1, "interpolation": "CUBICSPLINE" }, { "input": 0, "output": 2 }] }],
    });
    let document = document(json, &[&times, &spline, &even]);
    let ChangedRotations { document: written, report } =
        convert_rotations(&document, &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::None)).unwrap();
    assert_eq!(interpolations(&written), [Interpolation::CubicSpline, Interpolation::CubicSlerp]);
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!((finding.code, finding.at.as_str()), (UNCHANGED, "/animations/0/channels/0"));
}

#[test]
fn unpacking_brings_it_to_core() {
    let arm = arm();
    let squad = convert_rotations(&arm, &options(Interpolation::CubicSlerp, 1e-3, CoreSampler::None)).unwrap().document;
    let crate::Changed { document: plain, findings } = crate::unpack(&squad, Bound::Relative(1e-4)).unwrap();
    assert_eq!(findings.iter().map(|f| f.code).collect::<Vec<_>>(), ["ROTATION_REFITTED"]);
    assert_eq!(interpolations(&plain), [Interpolation::CubicSpline; 3]);
    assert!(plain.json().get("extensionsUsed").is_none());
    assert!(diff(&squad, &plain, None).unwrap().relative <= 1e-4);
    // Rotations in core stay as they are.
    let same = crate::unpack(&arm, Bound::default()).unwrap().document;
    assert_eq!(same.json(), arm.json());
}
