//! Tracks on grids: the engine's, grids of a given number of bits, and grids of tracks that move no points.

use crate::{Curve, Track, diff::natural_range, object_model::Valid, validity::stays_valid};
use keyfold_core::{
    draco::Quantizer,
    engine::{Encoded, Grid},
};
use std::{iter::successors, ops::Bound::Included};

/// A track on its grid.
#[derive(Clone)]
pub(crate) struct Gridded {
    pub(super) quantizer: Quantizer,
    pub(super) indices: Vec<i32>,
    /// The curve that decoders get.
    pub(super) decoded: Curve,
}

/// A track on the tightest grid of `bits`. If that leaves the values that its target may have, the grid covers all of
/// these instead.
pub(super) fn uniform(track: &Track, bits: u8) -> Option<Gridded> {
    let fit = Quantizer::fit(track.curve.values(), components(&track.curve), bits).ok()?;
    let whole = || valid(track, &end_to_end(track, fit.clone())?.0);
    valid(track, &fit).or_else(whole).or_else(|| gridded(track, fit))
}

/// The number of values at each key, with tangents.
pub(super) fn components(curve: &Curve) -> usize {
    curve.width() * curve.interpolation().elements_per_key()
}

fn gridded(track: &Track, quantizer: Quantizer) -> Option<Gridded> {
    let indices = quantizer.quantize(track.curve.values()).ok()?;
    indexed(track, quantizer, indices)
}

fn indexed(track: &Track, quantizer: Quantizer, indices: Vec<i32>) -> Option<Gridded> {
    let decoded = track.curve.with_values(quantizer.dequantize(indices.clone())).ok()?;
    Some(Gridded { quantizer, indices, decoded })
}

/// A track on the engine's grid; `None` if it has none.
pub(crate) fn coded(track: &Track, encoded: &Encoded) -> Option<Gridded> {
    let Encoded { grid: Grid::Uniform(uniform), codes, width, .. } = encoded else { return None };
    if encoded.times.len() < 2 {
        return None;
    }
    let offsets = uniform.offsets[..*width].repeat(encoded.interpolation.elements_per_key());
    let quantizer = Quantizer {
        minimum: offsets.into_iter().map(|offset| offset as f32).collect(),
        range: (uniform.scale * f64::from(uniform.most)) as f32,
        bits: 32 - uniform.most.leading_zeros() as u8,
    };
    let indices = codes.iter().flat_map(|code| code.iter().take(*width)).copied().collect();
    indexed(track, quantizer, indices)
}

/// How many floats are tried as a range, each the next one below: after rounding, the last step may be out of range.
const ROUNDINGS: usize = 4;

/// A track on a grid with only values that its target may have; `None` if that fails with every rounding of the range.
fn valid(track: &Track, quantizer: &Quantizer) -> Option<Gridded> {
    let ranges = successors(Some(quantizer.range), |range| Some(range.next_down())).take(ROUNDINGS);
    let mut laid = ranges.filter_map(|range| gridded(track, Quantizer { range, ..quantizer.clone() }));
    laid.find(|laid| stays_valid(track, &laid.decoded))
}

/// A track that moves no points, on a grid within `bound`, a share of its natural range; `None` if each such grid
/// leaves the values that its target may have.
pub(crate) fn property_grid(track: &Track, bound: f64) -> Option<Gridded> {
    // The largest error is half a step and some rounding.
    let step = (1.9 * bound * natural_range(track)).max(1e-30);
    let fit = Quantizer::fit(track.curve.values(), components(&track.curve), 30).ok()?;
    let whole = || {
        let (grid, range) = end_to_end(track, fit.clone())?;
        valid(track, &with_step(grid, range / (range / step).ceil()))
    };
    valid(track, &with_step(fit.clone(), step)).or_else(whole)
}

/// The grid with another step. A stream states a range and bits; a range beyond the data's makes any step possible.
fn with_step(grid: Quantizer, step: f64) -> Quantizer {
    let steps = (f64::from(grid.range) / step).ceil().clamp(1.0, 1_048_575.0);
    let bits = (u32::BITS - (steps as u32).leading_zeros()) as u8;
    let range = (step * f64::from((1u32 << bits) - 1)) as f32;
    Quantizer { bits, range: range.max(f32::MIN_POSITIVE), ..grid }
}

/// The grid over all values that a track's target may have, and their range; `None` if that is not finite.
fn end_to_end(track: &Track, fit: Quantizer) -> Option<(Quantizer, f64)> {
    let Valid::Within(Included(low), Included(high)) = track.target.valid() else { return None };
    let (width, elements) = (track.curve.width(), track.curve.interpolation().elements_per_key());
    let mut grid = Quantizer { range: fit.range.max((high - low) as f32), ..fit };
    // The minimum of tangents stays.
    grid.minimum[elements / 2 * width..][..width].fill(low as f32);
    Some((grid, high - low))
}
