//! A curve in another form, nowhere farther from the original than a tolerance, with few keys.
//!
//! ```text
//! Curve ─ walk: how far does one piece reach? ─> pieces (piece: what a segment of each form is)
//!          └ for each try: residuals at many times ─ minimax: the free vectors that make the largest one smallest
//! ```
//!
//! | from | to | how |
//! |---|---|---|
//! | any but `Step` | `Linear` | each segment as long as the tolerance lets it be, keys beside the curve where that reaches farther |
//! | `Linear` | a cubic form | the same, with free controls at both ends of every segment, keys where the original has some |
//! | a cubic form | the other one | the original's keys and its velocity at both ends of every segment; keys inserted where that is not enough |
//!
//! The last one keeps what is smooth smooth. Segments in and out of a key are independent otherwise, as they are in the files.
//! Not here: what a tolerance should be (that depends on what a curve moves), and steps, which no other form can follow.

mod minimax;
mod piece;
mod walk;

use crate::curve::{Curve, Interpolation, Kind};

/// Below this, in radians or units, even equal curves differ by rounding.
const NOISE: f64 = 1e-9;

/// `curve` in another form, within `tolerance` of it everywhere: radians for rotations, the farthest component for
/// vectors. The first and the last key keep their times. A single key is returned as it is: there is nothing between keys to have
/// a form.
///
/// The cubic forms are for rotations. `None` where no keys come within the tolerance: of `Step` curves, and where it is below what `f32` can say.
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
    let source = walk::Source { curve, kind, form, tolerance: tolerance.max(NOISE) };
    if source.is_followed() { walk::follow(&source) } else { walk::fit(&source) }
}

#[cfg(test)]
mod tests;
