//! A curve in another interpolation (form) with few keys, everywhere within a tolerance of the original.
//!
//! ```text
//! Curve ─ walk: how far does a piece reach? ─> pieces (piece: a segment of each form)
//!          └ for each try: residuals at many times ─ minimax: the free vectors with the smallest largest residual
//! ```
//!
//! | from | to | how |
//! |---|---|---|
//! | any but `Step` | `Linear` | segments as long as the tolerance allows, with keys beside the curve if that helps |
//! | `Linear` | a cubic form | the same, with free controls at both ends of every segment, keys at the original's |
//! | a cubic form | the other | the original's keys, its velocities at the ends of segments; more keys if needed |
//!
//! The last row keeps smooth curves smooth. Otherwise the segments before and after a key are independent, as in files.
//! Not here: the choice of a tolerance, which depends on what a curve moves, and steps, which no other form follows.

mod minimax;
mod piece;
mod walk;

use crate::curve::{Curve, Interpolation, Kind};

/// The least tolerance, in radians or units: below it, even equal curves differ by rounding.
const NOISE: f64 = 1e-9;

/// Fits a curve of another form, everywhere within `tolerance`: radians for rotations, the farthest component for
/// vectors. The first and the last key keep their times. A single key stays as it is.
///
/// The cubic forms are for rotations. `None` if no keys come within the tolerance: for `Step` curves, and if it is
/// below the precision of `f32`.
///
/// ```
/// use keyfold_core::{curve::{Curve, Interpolation, Kind}, fit};
/// // An eased move: ten straight segments come within a hundredth of it.
/// let eased = Curve::new(Interpolation::CubicSpline, 1, [0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 2.0, 0.0])?;
/// let straight = fit::refit(&eased, Kind::Vector, Interpolation::Linear, 0.01);
/// assert!(straight.is_some_and(|straight| straight.keys() <= 11));
/// # Ok::<(), keyfold_core::curve::CurveError>(())
/// ```
pub fn refit(curve: &Curve, kind: Kind, form: Interpolation, tolerance: f64) -> Option<Curve> {
    if curve.keys() == 1 {
        return Some(curve.clone());
    }
    let kind = if curve.width() == 4 { kind } else { Kind::Vector };
    let is_form = form == Interpolation::Linear || kind == Kind::Rotation && form.is_spline();
    if curve.interpolation() == Interpolation::Step || !is_form {
        return None;
    }
    walk::fit(&walk::Source { curve, kind, form, tolerance: tolerance.max(NOISE) })
}

#[cfg(test)]
mod tests;
