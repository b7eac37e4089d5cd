//! Curves joined, brought to another form, evaluated: all of it the core's.

use crate::wire::{Failure, Wire, put_curve};
use keyfold_core::{
    curve::{Curve, Interpolation, Kind, join},
    fit,
};

/// `count` curves of one component each as one curve of them all.
pub fn joined(count: usize, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut wire = Wire::new(bytes);
    let parts = (0..count).map(|_| wire.curve()).collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() || parts.iter().any(|part| part.width() != 1) {
        return Err("curves are joined that have one component each".into());
    }
    Ok(put_curve(&join(&parts)))
}

/// A CUBICSLERP curve as CUBICSPLINE, nowhere farther than `tolerance` radians from it.
pub fn as_spline(tolerance: f64, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let curve = Wire::new(bytes).curve()?;
    let spline = fit::refit(&curve, Kind::Rotation, Interpolation::CubicSpline, tolerance);
    spline.map(|curve| put_curve(&curve)).ok_or_else(|| "no spline comes near enough".into())
}

/// A point of a CUBICSLERP segment: `s` of the way between two keys, given as they are stored (in-control, value, out-control of each).
pub fn between(keys: [f32; 24], s: f64) -> [f64; 4] {
    let mut out = [0.0, 0.0, 0.0, 1.0];
    if let Ok(segment) = Curve::new(Interpolation::CubicSlerp, 4, [0.0, 1.0], keys) {
        segment.sample(Kind::Rotation, s, &mut out);
    }
    out
}
