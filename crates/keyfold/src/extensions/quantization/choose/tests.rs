use super::*;
use crate::Interpolation;
use keyfold_core::quat;

/// How far 16-bit rotations may be off: half a step in each component.
const ANGLE: f64 = 4.0 / 65535.0;

fn timing(keys: usize) -> Timing {
    Timing::new(CodedTimes::floats(&(0..keys).map(|n| n as f32 / 30.0).collect::<Vec<_>>()))
}

fn pick(path: Path, curve: &Curve, tolerance: f64, idle: [bool; 3]) -> Vec<String> {
    let (times, options) = (timing(curve.keys()), Options::default());
    let task = Task { path, curve, times: &times, tolerance, idle, keep_keys: false, options: &options };
    let name = |c: &Channel| {
        let Coded { path, output, .. } = &c.values;
        format!("{path} {} {:?} x{}", output.shape.name(), output.component, output.count())
    };
    choose(&task).channels.iter().map(name).collect()
}

fn curve(width: usize, keys: usize, value: impl Fn(f64) -> Vec<f64>) -> Curve {
    let values: Vec<f32> = (0..keys).flat_map(|n| value(n as f64 / keys as f64)).map(|v| v as f32).collect();
    Curve::new(Interpolation::Linear, width, timing(keys).decoded, values).unwrap()
}

fn rotation(keys: usize, half_angle: impl Fn(f64) -> [f64; 3]) -> Curve {
    curve(4, keys, |t| quat::exp(half_angle(t)).to_vec())
}

#[test]
fn w_is_dropped_only_where_it_is_well_conditioned() {
    let path = Path::whole(Property::Rotation);
    let slanted = |turn: f64| move |t: f64| [0.6, -0.48, 0.64].map(|a| a * turn * t);
    assert_eq!(pick(path, &rotation(200, slanted(0.9)), ANGLE, [false; 3]), ["rotation VEC3 I16 x200"]);
    // Up to 170 degrees: W of 16 bits would be off by more than X, Y and Z are.
    let near = pick(path, &rotation(200, slanted(1.5)), ANGLE, [false; 3]);
    assert_eq!(near, ["rotation VEC4 I16 x200"]);
}

#[test]
fn rotations_about_one_axis_are_found_whatever_their_sign() {
    let path = Path::whole(Property::Rotation);
    let turn = |axis: usize, from: f64, to: f64| {
        rotation(100, move |t| [0, 1, 2].map(|i| if i == axis { from + (to - from) * t } else { 0.0 }))
    };
    assert_eq!(pick(path, &turn(0, 0.0, 1.0), ANGLE, [false; 3]), ["rotation.x SCALAR I16 x100"]);
    // W is negative throughout: the same rotations with the other sign.
    assert_eq!(pick(path, &turn(2, 2.2, 3.0), ANGLE, [false; 3]), ["rotation.z SCALAR I16 x100"]);
    // Through half a turn W has to be stored.
    assert_eq!(pick(path, &turn(1, 0.5, 2.6), ANGLE, [false; 3]), ["rotation.y VEC2 I16 x100"]);
}

#[test]
fn equal_factors_are_one() {
    let growing = curve(3, 50, |t| vec![1.0 + t * t; 3]);
    let picked = pick(Path::whole(Property::Scale), &growing, 1e-5, [false; 3]);
    assert_eq!(picked, ["scale SCALAR U16 x50"]);
}

#[test]
fn axes_that_never_change_have_no_key_or_one() {
    let path = Path::whole(Property::Translation);
    let along_x = curve(3, 400, |t| vec![(t * 9.0).sin(), 2.0, 3.0]);
    assert_eq!(pick(path, &along_x, 2e-5, [false, true, true]), ["translation.x SCALAR U16 x400"]);
    let one = pick(path, &along_x, 2e-5, [false, true, false]);
    assert_eq!((one.len(), one[1].ends_with("x1")), (2, true), "{one:?}");
    let whole = curve(3, 400, |t| vec![(t * 9.0).sin(), t, t * t]);
    assert_eq!(pick(path, &whole, 2e-5, [false; 3]), ["translation VEC3 U16 x400"]);
    assert_eq!(pick(path, &whole, 1e-2, [false; 3]), ["translation VEC3 U8 x400"]);
}

#[test]
fn what_integers_cannot_hold_stays_floats() {
    let path = Path::whole(Property::Translation);
    let huge = curve(3, 10, |t| vec![f64::from(f32::MAX) * (2.0 * t - 1.0), t, t]);
    assert_eq!(pick(path, &huge, 1e-3, [false; 3]), ["translation VEC3 F32 x10"]);
    let exact = curve(3, 10, |t| vec![t.sin(), t.cos(), t]);
    assert_eq!(pick(path, &exact, 0.0, [false; 3]), ["translation VEC3 F32 x10"]);
}
