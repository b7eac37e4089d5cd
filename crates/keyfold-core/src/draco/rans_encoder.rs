//! The rANS encoder: the mirror image of the decoder, fed with the symbols in reverse order.

use alloc::vec::Vec;

use super::cursor::write_uleb;
use super::table::Table;

/// What one symbol does to the state.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// 2^52 / probability, rounded up. The state is below 1024 * probability when it is divided, and
    /// probabilities are at most 2^20, so that multiplying by this gives the exact quotient.
    reciprocal: u64,
    probability: u32,
    start: u32,
}

const RECIPROCAL_BITS: u32 = 52;
/// Symbols between two looks at the room that is left in the output.
const STRETCH: usize = 256;
/// The state gives off three bytes for a symbol at most; they are written as a word of four.
const MOST_BYTES: usize = 3;

/// Appends a block: its size, and the code of `symbols`, all of which the table must know.
pub(super) fn write_block(table: &Table, symbols: &[u32], out: &mut Vec<u8>) {
    let block = if table.entries.len() == 1 {
        // A certain symbol never moves the state.
        alloc::vec![0]
    } else {
        encode(table, symbols)
    };
    write_uleb(out, block.len() as u64);
    out.extend_from_slice(&block);
}

fn steps(table: &Table) -> Vec<Step> {
    let alphabet = table.entries.last().map_or(0, |last| last.symbol as usize + 1);
    let mut steps = alloc::vec![Step::default(); alphabet];
    for entry in &table.entries {
        let reciprocal = (1 << RECIPROCAL_BITS) / u64::from(entry.probability) + 1;
        steps[entry.symbol as usize] = Step { reciprocal, probability: entry.probability, start: entry.start };
    }
    steps
}

fn encode(table: &Table, symbols: &[u32]) -> Vec<u8> {
    let steps = steps(table);
    let base = 4 << table.precision;
    let mut state: u32 = base;
    let mut bytes = Vec::new();
    let mut length = 0;
    for stretch in symbols.rchunks(STRETCH) {
        bytes.resize(length + MOST_BYTES * STRETCH + 4, 0);
        for &symbol in stretch.iter().rev() {
            let step = steps[symbol as usize];
            let limit = step.probability << 10;
            let given = u32::from(state >= limit) + u32::from(state >> 8 >= limit) + u32::from(state >> 16 >= limit);
            bytes[length..length + 4].copy_from_slice(&state.to_le_bytes());
            length += given as usize;
            state >>= 8 * given;
            let quotient = ((u64::from(state) * step.reciprocal) >> RECIPROCAL_BITS) as u32;
            state += quotient * ((1 << table.precision) - step.probability) + step.start;
        }
    }
    bytes.truncate(length);
    write_state(state - base, &mut bytes);
    bytes
}

/// The final state in the fewest bytes, their number less one in its top two bits.
fn write_state(state: u32, bytes: &mut Vec<u8>) {
    let more = u32::from(state >= 1 << 6) + u32::from(state >= 1 << 14) + u32::from(state >= 1 << 22);
    let marked = state | more << (6 + 8 * more);
    bytes.extend_from_slice(&marked.to_le_bytes()[..=more as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draco::histogram::Histogram;
    use crate::draco::probabilities;
    use crate::draco::rans_decoder::{RansDecoder, SlotSearch};

    fn round_trip(symbols: &[u32], precision: u32) {
        let largest = *symbols.iter().max().unwrap();
        let table = probabilities::table(&Histogram::new(symbols, largest), precision).unwrap();
        let block = encode(&table, symbols);
        let mut decoder = RansDecoder::open(&block, precision).unwrap();
        let model = SlotSearch::new(&table);
        let decoded: Vec<u32> = symbols.iter().map(|_| decoder.next(&model)).collect();
        assert_eq!(decoded, symbols, "precision {precision}");
    }

    #[test]
    fn decodes_to_what_was_encoded() {
        for precision in [12, 13, 15, 16, 18, 19, 20] {
            for count in [1usize, 2, 255, 256, 257, 3000] {
                let even: Vec<u32> = (0..count as u32).map(|i| i * 7919 % 31).collect();
                round_trip(&even, precision);
                let uneven: Vec<u32> = (0..count as u32).map(|i| (i * 7919 % 1009).leading_zeros()).collect();
                round_trip(&uneven, precision);
                let wide: Vec<u32> = (0..count as u32).map(|i| i % 2000).collect();
                round_trip(&wide, precision);
            }
        }
    }
}
