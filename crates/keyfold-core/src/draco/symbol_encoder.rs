//! Entropy-coded symbols, encoded: the tagged and the raw scheme, and libdraco's choice between them.

use alloc::vec::Vec;

use super::bits::BitWriter;
use super::histogram::Histogram;
use super::symbol_decoder::{RAW, RAW_BIT_LENGTHS, TAG_PRECISION, TAGGED, raw_precision};
use super::{probabilities, rans_encoder};

/// How many bits a symbol needs; zero needs one.
pub(super) const fn bit_length(symbol: u32) -> u32 {
    u32::BITS - (symbol | 1).leading_zeros()
}

/// Symbols, rows of `components`, with what the schemes need to know of them.
pub(super) struct Symbols<'s> {
    pub(super) symbols: &'s [u32],
    pub(super) components: usize,
    pub(super) largest: u32,
    /// For each row the bit length of its largest symbol.
    pub(super) tags: Vec<u32>,
    pub(super) tag_histogram: Histogram,
}

impl<'s> Symbols<'s> {
    pub(super) fn new(symbols: &'s [u32], components: usize) -> Self {
        // The bits of a row's symbols together are as many as its largest has.
        let tag = |row: &[u32]| bit_length(row.iter().fold(0, |bits, symbol| bits | symbol));
        let tags: Vec<u32> = symbols.chunks_exact(components).map(tag).collect();
        let mut counts = [0; 33];
        tags.iter().for_each(|&tag| counts[tag as usize] += 1);
        let largest = symbols.iter().copied().max().unwrap_or(0);
        Symbols { symbols, components, largest, tags, tag_histogram: Histogram::from_counts(&counts) }
    }

    /// The counts of all symbols, unless the largest is beyond what the raw scheme can say.
    pub(super) fn histogram(&self) -> Option<Histogram> {
        RAW_BIT_LENGTHS.contains(&bit_length(self.largest)).then(|| Histogram::new(self.symbols, self.largest))
    }

    /// Writes what libdraco would write at this speed.
    pub(super) fn write_as_reference(&self, speed: u8, out: &mut Vec<u8>) {
        let raw = self.histogram().filter(|histogram| self.tagged_estimate() >= self.raw_estimate(histogram));
        let written = raw.and_then(|histogram| {
            let bit_length = reference_bit_length(histogram.distinct(), speed)?;
            self.write_raw(&histogram, bit_length, out)
        });
        if written.is_none() {
            self.write_tagged(&self.tags, &self.tag_histogram, out);
        }
    }

    /// libdraco's guess at the bits of the tagged scheme.
    fn tagged_estimate(&self) -> i64 {
        let lengths: i64 =
            self.tag_histogram.counts.iter().map(|&(tag, count)| i64::from(tag) * i64::from(count)).sum();
        self.tag_histogram.entropy() as i64
            + 16 * i64::from(self.tag_histogram.distinct())
            + self.components as i64 * lengths
    }

    /// libdraco's guess at the bits of the raw scheme.
    fn raw_estimate(&self, histogram: &Histogram) -> i64 {
        let distinct = i64::from(histogram.distinct());
        let zeros = (i64::from(self.largest) - distinct) / 64;
        histogram.entropy() as i64 + 8 * distinct + 8 * (distinct + zeros)
    }

    /// Writes the raw scheme; nothing if the table has no room for all symbols.
    pub(super) fn write_raw(&self, histogram: &Histogram, bit_length: u32, out: &mut Vec<u8>) -> Option<()> {
        let table = probabilities::table(histogram, raw_precision(bit_length))?;
        out.extend_from_slice(&[RAW, bit_length as u8]);
        table.write(out);
        rans_encoder::write_block(&table, self.symbols, out);
        Some(())
    }

    /// Writes the tagged scheme with `tags`, none of which may be below the bit length of its row.
    pub(super) fn write_tagged(&self, tags: &[u32], histogram: &Histogram, out: &mut Vec<u8>) {
        out.push(TAGGED);
        if let Some(table) = probabilities::table(histogram, TAG_PRECISION) {
            table.write(out);
            rans_encoder::write_block(&table, tags, out);
        }
        let mut bits = BitWriter::with_capacity(self.symbols.len());
        for (row, &tag) in self.symbols.chunks_exact(self.components).zip(tags) {
            row.iter().for_each(|&symbol| bits.write(symbol, tag));
        }
        out.append(&mut bits.finish());
    }
}

/// The bit length that libdraco gives the raw scheme: that of the number of distinct symbols, more or less by the
/// speed. `None` if there are too many.
fn reference_bit_length(distinct: u32, speed: u8) -> Option<u32> {
    let length = bit_length(distinct);
    if length > *RAW_BIT_LENGTHS.end() {
        return None;
    }
    let adjusted = match speed {
        0 => length + 2,
        1..=2 => length + 1,
        5..=6 => length.saturating_sub(1),
        7..=10 => length.saturating_sub(2),
        _ => length,
    };
    Some(adjusted.clamp(*RAW_BIT_LENGTHS.start(), *RAW_BIT_LENGTHS.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draco::cursor::Cursor;
    use crate::draco::symbol_decoder::SymbolDecoder;

    fn decode(bytes: &[u8], count: usize, components: usize) -> Vec<u32> {
        let mut out = alloc::vec![0; count];
        let mut cursor = Cursor::new(bytes);
        SymbolDecoder::default().read(&mut cursor, &mut out, components).unwrap();
        assert!(cursor.rest().is_empty());
        out.into_iter().map(|symbol| symbol as u32).collect()
    }

    #[test]
    fn both_schemes_decode_to_the_same_symbols() {
        for components in [1, 3, 4, 7] {
            for keys in [1u32, 2, 50, 2000] {
                let count = keys * components as u32;
                let values: Vec<u32> = (0..count).map(|i| (i * 7919 % 1013) >> (i % 10)).collect();
                let symbols = Symbols::new(&values, components);
                let mut tagged = Vec::new();
                symbols.write_tagged(&symbols.tags, &symbols.tag_histogram, &mut tagged);
                assert_eq!(decode(&tagged, values.len(), components), values);
                for bit_length in [1, 9, 12, 18] {
                    let mut raw = Vec::new();
                    symbols.write_raw(&symbols.histogram().unwrap(), bit_length, &mut raw).unwrap();
                    assert_eq!(decode(&raw, values.len(), components), values);
                }
            }
        }
    }

    #[test]
    fn large_symbols_are_tagged() {
        let values = [u32::MAX, 0, 1, 1 << 31, 77, 1 << 18];
        let mut bytes = Vec::new();
        Symbols::new(&values, 2).write_as_reference(5, &mut bytes);
        assert_eq!(bytes[0], TAGGED);
        assert_eq!(decode(&bytes, 6, 2), values);
    }

    #[test]
    fn speed_sets_the_bit_length() {
        let lengths: Vec<u32> = (0..=11).map(|speed| reference_bit_length(100, speed).unwrap()).collect();
        assert_eq!(lengths, [9, 8, 8, 7, 7, 6, 6, 5, 5, 5, 5, 7]);
        assert_eq!(reference_bit_length(1, 10), Some(1));
        assert_eq!(reference_bit_length((1 << 18) - 1, 0), Some(18));
        assert_eq!(reference_bit_length(1 << 18, 5), None);
    }
}
