//! A choice that libdraco does not make: every form that the bitstream has for some symbols is tried, and the
//! smallest is written. Any decoder reads it.
//!
//! Beside libdraco's own forms there are rows of zeros without any bits (tag 0), and tags that are rounded up
//! to a commoner one where that costs less than telling them apart.

use alloc::vec::Vec;

use super::histogram::Histogram;
use super::integer_encoder::write_plain;
use super::symbol_encoder::Symbols;

/// Appends the compressed flag and the symbols. Without `entropy` only plain integers are considered.
pub(super) fn write(symbols: &[u32], components: usize, entropy: bool, out: &mut Vec<u8>) {
    let mut best = Vec::new();
    write_plain(symbols, &mut best);
    if entropy {
        for candidate in candidates(&Symbols::new(symbols, components)) {
            if candidate.len() < best.len() {
                best = candidate;
            }
        }
    }
    out.append(&mut best);
}

/// One bit length for each precision that the raw scheme has.
const RAW_BIT_LENGTHS: [u32; 7] = [8, 9, 10, 11, 12, 13, 14];

fn candidates<'s>(symbols: &'s Symbols<'s>) -> impl Iterator<Item = Vec<u8>> + 's {
    let tagged = [symbols.tags.clone(), rounded_tags(symbols)].into_iter().map(|tags| {
        let mut out = alloc::vec![1];
        symbols.write_tagged(&tags, &tag_histogram(&tags), &mut out);
        out
    });
    let histogram = symbols.histogram();
    let raw = RAW_BIT_LENGTHS.into_iter().filter_map(move |bit_length| {
        let mut out = alloc::vec![1];
        symbols.write_raw(histogram.as_ref()?, bit_length, &mut out)?;
        Some(out)
    });
    tagged.chain(raw)
}

fn tag_histogram(tags: &[u32]) -> Histogram {
    let mut counts = [0; 33];
    tags.iter().for_each(|&tag| counts[tag as usize] += 1);
    Histogram::from_counts(&counts)
}

/// Tags with rows of zeros at 0, and then, one by one, those tags rounded up to the next that save by it.
fn rounded_tags(symbols: &Symbols<'_>) -> Vec<u32> {
    let row_tag = |row: &[u32]| u32::BITS - row.iter().fold(0, |bits, symbol| bits | symbol).leading_zeros();
    let tags: Vec<u32> = symbols.symbols.chunks_exact(symbols.components).map(row_tag).collect();
    let mut groups = tag_histogram(&tags).counts;
    let cost = |groups: &[(u32, u32)]| tagged_cost(groups, symbols.components);
    let mut best = cost(&groups);
    while let Some((fewer, less)) = (0..groups.len().saturating_sub(1))
        .map(|merged| merge_up(&groups, merged))
        .map(|fewer| (cost(&fewer), fewer))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(less, _)| *less < best)
        .map(|(less, fewer)| (fewer, less))
    {
        (groups, best) = (fewer, less);
    }
    let rounded = |tag: u32| groups.iter().map(|group| group.0).find(|&group| group >= tag).unwrap_or(tag);
    let map: [u32; 33] = core::array::from_fn(|tag| rounded(tag as u32));
    tags.into_iter().map(|tag| map[tag as usize]).collect()
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
    fn rows_of_zeros_cost_no_bits() {
        let values: Vec<u32> = (0..400u32).map(|i| if i % 8 < 4 { 0 } else { i * 7919 % 4001 }).collect();
        let [smallest, reference] = size(&values, 4);
        assert!(smallest + 20 <= reference, "{smallest} {reference}");
    }
}
