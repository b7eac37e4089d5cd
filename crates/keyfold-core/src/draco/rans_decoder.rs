//! The rANS decoder: byte-wise renormalization, base 4 * 2^precision, read from the last byte to the first.
//!
//! Whether the state returns to its base and all bytes are used is not checked, and a block that runs dry
//! goes on with a small state: libdraco decodes such streams, so they have a meaning.

use alloc::vec::Vec;

use super::table::{Entry, Table};

/// The state of a decoder, and the bytes that it has not yet taken in.
#[derive(Debug)]
pub(super) struct RansDecoder<'a> {
    bytes: &'a [u8],
    state: u32,
    precision: u32,
}

impl<'a> RansDecoder<'a> {
    /// Opens a block: its last byte says in its top two bits how many bytes the state has.
    /// `None` if it has more than the block, or is too large.
    pub(super) fn open(block: &'a [u8], precision: u32) -> Option<Self> {
        let (&last, _) = block.split_last()?;
        let length = usize::from(last >> 6) + 1;
        let (bytes, tail) = block.split_at_checked(block.len().checked_sub(length)?)?;
        let stored = tail.iter().rev().fold(0, |state, &byte| state << 8 | u32::from(byte));
        let state = stored & (u32::MAX >> (34 - 8 * length as u32));
        let state = state.checked_add(4 << precision)?;
        (state < 1024 << precision).then_some(RansDecoder { bytes, state, precision })
    }

    /// The next symbol.
    #[inline(always)]
    pub(super) fn next<M: Model>(&mut self, model: &M) -> u32 {
        self.refill();
        let slot = model.find(self.state & ((1 << self.precision) - 1));
        self.state = (self.state >> self.precision) * slot.probability + slot.offset;
        slot.symbol
    }

    /// Takes in bytes until the state is 4 * 2^precision or more.
    ///
    /// With four bytes at hand this needs no branch. The state is below 2^(precision + 10), so the number
    /// of leading zeros beyond 22 - precision, rounded down to whole bytes, is what is missing.
    #[inline(always)]
    fn refill(&mut self) {
        let Some(word) = self.bytes.last_chunk::<4>() else {
            return self.refill_at_the_end();
        };
        let shift = (self.state.leading_zeros() + self.precision - 22) & 24;
        let joined = u64::from(self.state) << 32 | u64::from(u32::from_le_bytes(*word));
        self.state = (joined << shift >> 32) as u32;
        self.bytes = &self.bytes[..self.bytes.len() - shift as usize / 8];
    }

    #[cold]
    fn refill_at_the_end(&mut self) {
        while self.state < 4 << self.precision
            && let Some((&last, rest)) = self.bytes.split_last()
        {
            self.state = self.state << 8 | u32::from(last);
            self.bytes = rest;
        }
    }
}

/// What a slot of the table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) symbol: u32,
    pub(super) probability: u32,
    /// The distance of the slot from the first one of its symbol.
    pub(super) offset: u32,
}

/// How slots are found. `index` is below 2^precision.
pub(super) trait Model {
    fn find(&self, index: u32) -> Slot;
}

/// One packed word for each slot: the fastest, once it is filled.
#[derive(Debug)]
pub(super) struct SlotTable<'a> {
    slots: &'a [u64],
}

const FIELD: u32 = 20;
const FIELD_MASK: u64 = (1 << FIELD) - 1;

impl<'a> SlotTable<'a> {
    /// Whether all of the table can be packed: 20 bits for probability and offset, 24 for the symbol.
    pub(super) fn can_hold(table: &Table) -> bool {
        let largest = table.entries.last().map_or(0, |entry| entry.symbol);
        table.precision <= FIELD && largest >> (64 - 2 * FIELD) == 0 && table.entries.len() > 1
    }

    /// Fills `memory`, which can be used again and again.
    pub(super) fn fill(table: &Table, memory: &'a mut Vec<u64>) -> Self {
        memory.clear();
        memory.reserve(1 << table.precision);
        for entry in &table.entries {
            let first = u64::from(entry.symbol) << (2 * FIELD) | u64::from(entry.probability);
            memory.extend((0..u64::from(entry.probability)).map(|offset| first | offset << FIELD));
        }
        SlotTable { slots: memory }
    }
}

impl Model for SlotTable<'_> {
    #[inline(always)]
    fn find(&self, index: u32) -> Slot {
        let word = self.slots[index as usize & (self.slots.len() - 1)];
        Slot {
            symbol: (word >> (2 * FIELD)) as u32,
            probability: (word & FIELD_MASK) as u32,
            offset: (word >> FIELD & FIELD_MASK) as u32,
        }
    }
}

/// A coarse index into the entries and a short walk from there: for few symbols to decode, and for tables
/// that do not fit a [`SlotTable`].
#[derive(Debug)]
pub(super) struct SlotSearch<'a> {
    entries: &'a [Entry],
    /// For each piece of the slots, the entry that its first slot belongs to.
    pieces: Vec<u32>,
    shift: u32,
}

impl<'a> SlotSearch<'a> {
    /// 2^8 pieces take little time to fill and keep most walks at one step.
    const PIECE_BITS: u32 = 8;

    pub(super) fn new(table: &'a Table) -> Self {
        let shift = table.precision - Self::PIECE_BITS;
        let mut pieces = Vec::with_capacity(1 << Self::PIECE_BITS);
        for (index, entry) in table.entries.iter().enumerate() {
            let end = (entry.start + entry.probability).div_ceil(1 << shift) as usize;
            pieces.resize(end.max(pieces.len()), index as u32);
        }
        SlotSearch { entries: &table.entries, pieces, shift }
    }
}

impl Model for SlotSearch<'_> {
    #[inline(always)]
    fn find(&self, index: u32) -> Slot {
        let first = self.pieces[(index >> self.shift) as usize] as usize;
        for entry in &self.entries[first..] {
            let offset = index - entry.start;
            if offset < entry.probability {
                return Slot { symbol: entry.symbol, probability: entry.probability, offset };
            }
        }
        unreachable!("the probabilities of a table cover all slots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(precision: u32, probabilities: &[u32]) -> Table {
        let mut start = 0;
        let entry = |(symbol, &probability): (usize, &u32)| {
            start += probability;
            Entry { symbol: symbol as u32 * 3, probability, start: start - probability }
        };
        Table { precision, entries: probabilities.iter().enumerate().map(entry).collect() }
    }

    #[test]
    fn both_models_find_the_same_slots() {
        let uneven: Vec<u32> = (0..300).map(|i| 1 + i % 7).chain([4096 - 1197]).collect();
        assert_eq!(uneven.iter().sum::<u32>(), 4096);
        for table in [table(12, &uneven), table(13, &[8191, 1]), table(12, &[1, 15, 16, 17, 4047])] {
            assert!(SlotTable::can_hold(&table));
            let mut memory = Vec::new();
            let dense = SlotTable::fill(&table, &mut memory);
            let sparse = SlotSearch::new(&table);
            for index in 0..1 << table.precision {
                assert_eq!(dense.find(index), sparse.find(index), "{index}");
            }
        }
    }

    #[test]
    fn the_final_state_must_fit_its_block() {
        assert!(RansDecoder::open(&[], 12).is_none());
        assert_eq!(RansDecoder::open(&[0x3f], 12).unwrap().state, 0x3f + 0x4000);
        assert!(RansDecoder::open(&[0x40], 12).is_none());
        assert_eq!(RansDecoder::open(&[0x34, 0x52], 12).unwrap().state, 0x1234 + 0x4000);
        assert!(RansDecoder::open(&[0xff, 0xff, 0xff], 12).is_none());
        assert!(RansDecoder::open(&[0xff, 0xff, 0xff, 0xff], 12).is_none(), "state too large");
        assert_eq!(RansDecoder::open(&[0, 0, 0, 0xc1], 20).unwrap().state, 0x0100_0000 + (4 << 20));
    }
}
