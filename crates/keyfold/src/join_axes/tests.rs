use super::*;
use crate::{Interpolation, Kind, OpenOptions, Source, Targets};
use keyfold_core::curve::largest_difference;
use serde_json::json;

fn document() -> Document {
    let json = json!({ "asset": { "version": "2.0" }, "nodes": [{ "translation": [7, 8, 9] }, {}] });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn track(property: Property, axis: Option<Axis>, curve: Curve) -> Track {
    let source = Source { channel: 0, sampler: 0, input: 0, output: 0, targets: Targets::Core };
    Track { target: Target::Node { node: 0, property, axis }, curve, source }
}

fn curve(interpolation: Interpolation, times: &[f32], values: &[f32]) -> Curve {
    Curve::new(interpolation, values.len() / times.len() / interpolation.elements_per_key(), times, values).unwrap()
}

fn value(curve: &Curve, time: f64) -> f64 {
    let mut out = [0.0];
    curve.sample(Kind::Vector, time, &mut out);
    out[0]
}

fn joined(tracks: Vec<Track>) -> Vec<Track> {
    join_axes(&document(), &Animation { index: 0, name: None, tracks }).tracks
}

/// Joins X, Y and Z curves and compares each axis with its own curve, everywhere.
fn check(axes: [Curve; 3], expected: Interpolation) -> Curve {
    let tracks = Axis::ALL.map(|a| track(Property::Translation, Some(a), axes[a as usize].clone()));
    let joined = joined(tracks.to_vec());
    assert_eq!((joined.len(), joined[0].target.to_string()), (1, "/nodes/0/translation".into()));
    let whole = joined[0].curve.clone();
    assert_eq!(whole.interpolation(), expected);
    for axis in Axis::ALL {
        let (part, own) = (whole.component(axis as usize), &axes[axis as usize]);
        assert!(largest_difference(Kind::Vector, own, &part) < 2e-6, "{axis:?} of {whole:?}");
        for (k, t) in own.times().iter().enumerate() {
            assert_eq!(value(&part, f64::from(*t)), f64::from(own.value(k)[0]), "{axis:?} at {t}");
        }
    }
    whole
}

#[test]
fn axes_of_one_interpolation_join_on_the_union_of_their_times() {
    use Interpolation::{Linear, Step};
    let line = |times: &[f32], values: &[f32]| curve(Linear, times, values);
    let whole = check([line(&[0.0, 1.0], &[0.0, 1.0]), line(&[0.5, 2.0], &[3.0, 1.0]), line(&[0.0], &[5.0])], Linear);
    assert_eq!(whole.times(), [0.0, 0.5, 1.0, 2.0]);
    let step = |times: &[f32], values: &[f32]| curve(Step, times, values);
    check([step(&[0.0, 1.0], &[0.0, 1.0]), step(&[0.5, 2.0], &[3.0, 1.0]), line(&[0.0], &[5.0])], Step);
}

#[test]
fn steps_among_lines_become_ramps_of_one_float() {
    use Interpolation::{Linear, Step};
    let step = curve(Step, &[0.0, 1.0, 1.5, 2.0], &[0.0, 9.0, 9.0, 1.0]);
    let whole = check([step, curve(Linear, &[0.0, 2.0], &[0.0, 1.0]), curve(Linear, &[0.25], &[5.0])], Linear);
    // Where a step holds its value there is no edge.
    let times = [0.0, 0.25, 1f32.next_down(), 1.0, 1.5, 2f32.next_down(), 2.0];
    assert_eq!(whole.times(), times);
}

#[test]
fn splines_take_lines_and_steps_along() {
    use Interpolation::{CubicSpline, Linear, Step};
    let spline = curve(CubicSpline, &[0.0, 1.0, 3.0], &[0.0, 1.0, 2.0, -1.0, 4.0, 0.5, 1.0, 0.0, 0.0]);
    let other = curve(CubicSpline, &[0.5, 2.0], &[0.0, 1.0, 2.0, -1.0, 4.0, 0.5]);
    let line = curve(Linear, &[0.25, 2.5], &[1.0, -1.0]);
    check([spline.clone(), other.clone(), line.clone()], CubicSpline);
    check([spline, line, curve(Step, &[0.0, 1.25], &[2.0, 3.0])], CubicSpline);
}

#[test]
fn random_axes_join_within_rounding() {
    arbtest::arbtest(|u| {
        let mut random = || -> Result<Curve, arbtest::arbitrary::Error> {
            let interpolation = *u.choose(&[Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline])?;
            let keys = u.int_in_range(2..=5)?;
            let mut times: Vec<f32> =
                (0..keys).map(|_| Ok(u.int_in_range(0..=400)? as f32 / 100.0)).collect::<Result<_, _>>()?;
            times.sort_by(f32::total_cmp);
            times.dedup();
            let count = times.len() * interpolation.elements_per_key();
            let values: Vec<f32> =
                (0..count).map(|_| Ok(u.int_in_range(-100..=100)? as f32 / 100.0)).collect::<Result<_, _>>()?;
            Ok(Curve::new(interpolation, 1, times, values).unwrap())
        };
        let axes = [random()?, random()?, random()?];
        let tracks = Axis::ALL.map(|a| track(Property::Scale, Some(a), axes[a as usize].clone()));
        let whole = joined(tracks.to_vec()).remove(0).curve;
        for axis in Axis::ALL {
            let part = whole.component(axis as usize);
            let worst = largest_difference(Kind::Vector, &axes[axis as usize], &part);
            assert!(worst < 1e-5, "{worst} {axis:?} {axes:?}");
        }
        Ok(())
    })
    .budget_ms(400);
}

#[test]
fn missing_axes_keep_the_nodes_value_or_that_of_a_whole_track() {
    let x = curve(Interpolation::Linear, &[0.0, 1.0], &[0.0, 1.0]);
    let alone = joined(vec![track(Property::Translation, Some(Axis::X), x.clone())]);
    assert_eq!(alone[0].curve.values(), [0.0, 8.0, 9.0, 1.0, 8.0, 9.0]);
    let scale = joined(vec![track(Property::Scale, Some(Axis::Y), x.clone())]);
    assert_eq!(scale[0].curve.values(), [1.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    // Both on one target is forbidden; the axis is heard, and the whole for what it leaves.
    let whole = curve(Interpolation::Linear, &[0.0], &[1.0, 2.0, 3.0]);
    let both = vec![track(Property::Translation, None, whole), track(Property::Translation, Some(Axis::X), x)];
    assert_eq!(joined(both)[0].curve.values(), [0.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
}

#[test]
fn other_tracks_stay_where_they_are() {
    let line = |width: usize| curve(Interpolation::Linear, &[0.0], &vec![1.0; width]);
    let rotation = track(Property::Rotation, None, line(4));
    let (y, z) = (track(Property::Scale, Some(Axis::Y), line(1)), track(Property::Scale, Some(Axis::Z), line(1)));
    let weights = track(Property::Weights, None, line(2));
    let joined = joined(vec![rotation.clone(), y, weights.clone(), z]);
    let targets: Vec<String> = joined.iter().map(|t| t.target.to_string()).collect();
    assert_eq!(targets, ["/nodes/0/rotation", "/nodes/0/scale", "/nodes/0/weights"]);
    assert_eq!((&joined[0], &joined[2]), (&rotation, &weights));
}
