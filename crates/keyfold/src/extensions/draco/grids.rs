//! Tracks on grids: those that the engine laid, those of a given number of bits, and those of tracks that move no points.

use crate::{Curve, Track, diff::natural_range};
use keyfold_core::{
    draco::Quantizer,
    engine::{Encoded, Grid},
};

/// A track on its grid.
#[derive(Clone)]
pub(crate) struct Gridded {
    pub(super) quantizer: Quantizer,
    pub(super) indices: Vec<i32>,
    /// The curve as a decoder will see it.
    pub(super) decoded: Curve,
}

/// Lays the tightest grid of `bits` over a track's values.
pub(super) fn uniform(track: &Track, bits: u8) -> Option<Gridded> {
    gridded(track, Quantizer::fit(track.curve.values(), components(&track.curve), bits).ok()?)
}

/// How many values the track has at each key: tangents count.
pub(super) fn components(curve: &Curve) -> usize {
    curve.width() * curve.interpolation().elements_per_key()
}

fn gridded(track: &Track, quantizer: Quantizer) -> Option<Gridded> {
    let indices = quantizer.quantize(track.curve.values()).ok()?;
    indexed(track, quantizer, indices)
}

fn indexed(track: &Track, quantizer: Quantizer, indices: Vec<i32>) -> Option<Gridded> {
    let curve = &track.curve;
    let values = quantizer.dequantize(indices.clone());
    let decoded = Curve::new(curve.interpolation(), curve.width(), curve.shared_times().clone(), values).ok()?;
    Some(Gridded { quantizer, indices, decoded })
}

/// A track on the grid that the engine laid; `None` where it laid none.
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

/// A track that moves no points on a grid of its own bound, a share of its natural range.
pub(crate) fn property_grid(track: &Track, bound: f64) -> Option<Gridded> {
    // Half a step is the largest error; a little less, for rounding.
    let step = (1.9 * bound * natural_range(track)).max(1e-30);
    let fit = Quantizer::fit(track.curve.values(), components(&track.curve), 30).ok()?;
    let steps = (f64::from(fit.range) / step).ceil().clamp(1.0, 1_048_575.0);
    let bits = (u32::BITS - (steps as u32).leading_zeros()) as u8;
    // The stream says a range and bits; a range beyond the data's makes any step possible.
    let range = (step * f64::from((1u32 << bits) - 1)) as f32;
    gridded(track, Quantizer { bits, range: range.max(f32::MIN_POSITIVE), ..fit })
}
