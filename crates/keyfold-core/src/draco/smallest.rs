//! A choice that libdraco does not make: every form that the bitstream has for some symbols is tried, and the
//! smallest is written. Any decoder reads it.
//!
//! Beside libdraco's own forms there are tags that are rounded up to a commoner one where that costs less than
//! telling them apart. Rows of zeros without any bits (tag 0) would save another percent, but not every decoder
//! reads them: the crate `draco-core` does not.

use alloc::vec::Vec;

use super::histogram::Histogram;
use super::integer_encoder::write_plain;
use super::symbol_encoder::Symbols;

/// Appends the compressed flag and the symbols. Without `entropy` only plain integers are considered.
pub(super) fn write(symbols: &[u32], components: usize, entropy: bool, out: &mut Vec<u8>) {
    let mut best = Vec::new();
    write_plain(symbols, &mut best);
    if entropy {
        let symbols = Symbols::new(symbols, components);
        for tags in [&symbols.tags, &rounded_tags(&symbols)] {
            keep_smaller(&mut best, tagged(&symbols, tags));
        }
        if let Some(histogram) = symbols.histogram() {
            try_raw(&symbols, &histogram, &mut best);
        }
    }
    out.append(&mut best);
}

fn keep_smaller(best: &mut Vec<u8>, candidate: Vec<u8>) {
    if candidate.len() < best.len() {
        *best = candidate;
    }
}

fn tagged(symbols: &Symbols<'_>, tags: &[u32]) -> Vec<u8> {
    let mut out = alloc::vec![1];
    symbols.write_tagged(tags, &Histogram::new(tags, u32::BITS), &mut out);
    out
}

/// One bit length for each precision that the raw scheme has.
const RAW_BIT_LENGTHS: [u32; 7] = [8, 9, 10, 11, 12, 13, 14];

/// With more precision the table grows and the code shrinks: tried until the sum grows again, if at all.
fn try_raw(symbols: &Symbols<'_>, histogram: &Histogram, best: &mut Vec<u8>) {
    let least = histogram.entropy() / 8.0 + f64::from(histogram.distinct());
    if least >= best.len() as f64 {
        return;
    }
    let mut before = usize::MAX;
    for bit_length in RAW_BIT_LENGTHS {
        let mut out = alloc::vec![1];
        if symbols.write_raw(histogram, bit_length, &mut out).is_some() {
            if out.len() > before {
                break;
            }
            before = out.len();
            keep_smaller(best, out);
        }
    }
}

/// The tags with some of them, one by one, rounded up to the next that occurs, as long as that saves.
fn rounded_tags(symbols: &Symbols<'_>) -> Vec<u32> {
    let mut groups = symbols.tag_histogram.counts.clone();
    let cost = |groups: &[(u32, u32)]| tagged_cost(groups, symbols.components);
    let mut best = cost(&groups);
    loop {
        let merged = (0..groups.len().saturating_sub(1)).map(|index| merge_up(&groups, index));
        let cheapest = merged.map(|fewer| (cost(&fewer), fewer)).min_by(|a, b| a.0.total_cmp(&b.0));
        match cheapest {
            Some((less, fewer)) if less < best => (best, groups) = (less, fewer),
            _ => break,
        }
    }
    let rounded = |tag: u32| groups.iter().map(|group| group.0).find(|&group| group >= tag).unwrap_or(tag);
    let map: [u32; 33] = core::array::from_fn(|tag| rounded(tag as u32));
    symbols.tags.iter().map(|&tag| map[tag as usize]).collect()
}

/// The groups with the one at `merged` given to the next larger.
fn merge_up(groups: &[(u32, u32)], merged: usize) -> Vec<(u32, u32)> {
    let mut fewer = groups.to_vec();
    let (_, count) = fewer.remove(merged);
    fewer[merged].1 += count;
    fewer
}

/// Bits of the tagged scheme: values, tags, and about two bytes for each tag of the table.
fn tagged_cost(groups: &[(u32, u32)], components: usize) -> f64 {
    let histogram = Histogram { counts: groups.to_vec(), total: groups.iter().map(|group| group.1).sum() };
    let values: f64 = groups.iter().map(|&(tag, count)| f64::from(tag) * f64::from(count)).sum();
    values * components as f64 + histogram.entropy() + 16.0 * groups.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draco::cursor::Cursor;
    use crate::draco::symbol_decoder::SymbolDecoder;

    fn size(values: &[u32], components: usize) -> [usize; 2] {
        let mut smallest = Vec::new();
        write(values, components, true, &mut smallest);
        if smallest[0] == 1 {
            let mut decoded = alloc::vec![0; values.len()];
            let mut cursor = Cursor::new(&smallest[1..]);
            SymbolDecoder::default().read(&mut cursor, &mut decoded, components).unwrap();
            assert!(decoded.iter().zip(values).all(|(&a, &b)| a as u32 == b));
            assert!(cursor.rest().is_empty());
        }
        let mut reference = alloc::vec![1];
        Symbols::new(values, components).write_as_reference(5, &mut reference);
        [smallest.len(), reference.len()]
    }

    #[test]
    fn is_never_larger_and_always_readable() {
        for components in [1, 3, 4] {
            for keys in [1u32, 5, 49, 700] {
                let count = keys * components as u32;
                let noise: Vec<u32> = (0..count).map(|i| (i * 7919 % 1013) >> (i % 10)).collect();
                let holds: Vec<u32> = (0..count).map(|i| if i % 96 < 80 { 0 } else { i * 37 % 500 }).collect();
                for values in [noise, holds, alloc::vec![5; count as usize]] {
                    let [smallest, reference] = size(&values, components);
                    assert!(smallest <= reference, "{smallest} {reference}");
                }
            }
        }
    }

    #[test]
    fn rare_tags_are_rounded_up() {
        let values: Vec<u32> = (0..60u32).map(|i| if i % 20 == 7 { 1 << (i / 20) } else { 250 + i % 5 }).collect();
        assert_eq!(rounded_tags(&Symbols::new(&values, 1)), alloc::vec![8; 60]);
    }
}
