//! Timestamps of a stream: on a grid if that is exact or nearly so, or else as floats.

use super::{
    streams::{CODEC, Part, refused},
    write::StreamOptions,
};
use crate::{Interpolation, Result, Track, write::Stored};
use keyfold_core::draco::{Attribute, Coding, EncodedAttribute, Quantizer, TIMESTAMPS};
use std::collections::BTreeMap;

/// The encoded times of all tracks, by their content.
pub(super) fn encode_all<'t>(
    tracks: impl Iterator<Item = &'t Track>,
    options: &StreamOptions,
) -> Result<BTreeMap<Stored, Part>> {
    let mut distinct: BTreeMap<Stored, (&[f32], bool)> = BTreeMap::new();
    for track in tracks {
        let times = track.curve.times();
        let (_, exact) = distinct.entry(Stored::times(times)).or_insert((times, false));
        *exact |= track.curve.interpolation() == Interpolation::Step;
    }
    let encode = |(key, (times, exact)): (Stored, (&[f32], bool))| Ok((key, encode(times, exact, options)?));
    distinct.into_iter().map(encode).collect()
}

/// Encodes times. Those of `Step` curves are `exact` unless options give their bits.
fn encode(times: &[f32], exact: bool, options: &StreamOptions) -> Result<Part> {
    let asked = options.time_bits.and_then(|bits| Quantizer::fit(times, 1, bits).ok());
    // A fallback has the original times in the same accessor: then times stay exact.
    let quantizer = asked.or_else(|| if options.fallback { None } else { even_grid(times, exact) });
    let on_grid = |quantizer: Quantizer| {
        let indices = quantizer.quantize(times).ok()?;
        let attribute = EncodedAttribute::from_indices(TIMESTAMPS, &quantizer, &indices, &CODEC);
        let decoded = quantizer.dequantize(indices);
        let holds = decoded.is_sorted_by(|a, b| a < b) && decoded.last() == times.last();
        holds.then(|| (Stored::times(&decoded), attribute))
    };
    let (times, attribute) = quantizer.and_then(on_grid).unwrap_or_else(|| {
        let floats = Attribute::floats(TIMESTAMPS, 1, times.to_vec());
        (Stored::times(times), EncodedAttribute::new(&floats, times.len() as u32, &Coding::LOSSLESS, &CODEC))
    });
    Ok((times, attribute.map_err(refused)?))
}

/// A grid on which evenly spaced times have successive indices, which take next to nothing. Times may change by a few
/// units in the last place, except the last time and those of `Step` curves.
fn even_grid(times: &[f32], exact: bool) -> Option<Quantizer> {
    let (first, last) = (*times.first()?, *times.last()?);
    let gaps = Some(times.len() - 1).filter(|gaps| (1..1 << 24).contains(gaps))? as u32;
    let bits = 32 - gaps.leading_zeros() as u8;
    let steps = f64::from((1u32 << bits) - 1);
    let range = ((f64::from(last) - f64::from(first)) * steps / f64::from(gaps)) as f32;
    let near = (-8i32..=8).map(|ulps| f32::from_bits(range.to_bits().wrapping_add_signed(ulps)));
    near.map(|range| Quantizer { minimum: vec![first], range, bits }).find(|quantizer| {
        let Ok(indices) = quantizer.quantize(times) else { return false };
        let even = indices.iter().enumerate().all(|(i, index)| i as i32 == *index);
        let decoded = quantizer.dequantize(indices);
        let close = |(a, b): (&f32, &f32)| a == b || !exact && (a - b).abs() <= 4e-7 * b.abs().max(0.01);
        even && decoded.last() == Some(&last) && decoded.iter().zip(times).all(close)
    })
}
