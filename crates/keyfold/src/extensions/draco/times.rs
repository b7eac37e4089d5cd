//! Timestamps of a stream: on a grid where that keeps them as good as exact, else as floats.

use super::{
    streams::{CODEC, Part, refused},
    write::StreamOptions,
};
use crate::{Error, Interpolation, Result, Track, write::Stored};
use keyfold_core::draco::{Attribute, Coding, EncodedAttribute, Quantizer, TIMESTAMPS};
use std::collections::BTreeMap;

/// The times of all tracks, by what they are.
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

/// Encodes times; those of `Step` curves are `exact` unless bits were asked for.
fn encode(times: &[f32], exact: bool, options: &StreamOptions) -> Result<Part> {
    let asked = options.time_bits.and_then(|bits| Quantizer::fit(times, 1, bits).ok());
    // A fallback has the original times, and one accessor cannot say two lengths: then times stay exact.
    let quantizer = asked.or_else(|| if options.fallback { None } else { even_grid(times, exact) });
    if let Some(quantizer) = quantizer
        && let Ok(indices) = quantizer.quantize(times)
    {
        let decoded = quantizer.dequantize(indices.clone());
        if decoded.is_sorted_by(|a, b| a < b) && decoded.last() == times.last() {
            let attribute = EncodedAttribute::from_indices(TIMESTAMPS, &quantizer, &indices, &CODEC);
            return Ok((Stored::times(&decoded), attribute.map_err(refused)?));
        }
    }
    let keys = u32::try_from(times.len()).map_err(|_| Error::limit("", "a track has more than 4294967295 keys"))?;
    let floats = Attribute::floats(TIMESTAMPS, 1, times.to_vec());
    let attribute = EncodedAttribute::new(&floats, keys, &Coding::LOSSLESS, &CODEC);
    Ok((Stored::times(times), attribute.map_err(refused)?))
}

/// A grid on which evenly spaced times differ by one: they then take next to nothing. Times may drift by a few units in the last place,
/// the last one by nothing at all, and those of `Step` curves neither.
fn even_grid(times: &[f32], exact: bool) -> Option<Quantizer> {
    let (first, last) = (*times.first()?, *times.last()?);
    let gaps = times.len().checked_sub(1).filter(|n| *n > 0)? as u32;
    let bits = 32 - gaps.leading_zeros() as u8;
    if bits > 24 {
        return None;
    }
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
