//! Entropy-coded symbols, decoded: the tagged scheme (bit lengths coded, bits as they are) and the raw scheme.

use alloc::vec::Vec;

use super::bits::BitReader;
use super::cursor::Cursor;
use super::error::{DecodeError, Element, Fault};
use super::rans_decoder::{RansDecoder, SlotSearch, SlotTable};
use super::table::Table;

/// Tags are coded with this precision.
pub(super) const TAG_PRECISION: u32 = 12;
pub(super) const TAGGED: u8 = 0;
pub(super) const RAW: u8 = 1;
/// The legal bit lengths of the raw scheme.
pub(super) const RAW_BIT_LENGTHS: core::ops::RangeInclusive<u32> = 1..=18;

/// The rANS precision of the raw scheme.
pub(super) fn raw_precision(bit_length: u32) -> u32 {
    (3 * bit_length / 2).clamp(12, 20)
}

/// Decodes blocks of symbols, one after the other, in the same working memory.
#[derive(Debug, Default)]
pub(super) struct SymbolDecoder {
    slots: Vec<u64>,
}

impl SymbolDecoder {
    /// Fills `out`, rows of `components`, with symbols (as the bits of an `i32`).
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut [i32],
        components: usize,
    ) -> Result<(), DecodeError> {
        let start = cursor.clone();
        match cursor.u8(Element::SymbolScheme)? {
            TAGGED => self.read_tagged(cursor, out, components),
            RAW => self.read_raw(cursor, out),
            _ => Err(start.error(Fault::Invalid, Element::SymbolScheme)),
        }
    }

    fn read_raw(&mut self, cursor: &mut Cursor<'_>, out: &mut [i32]) -> Result<(), DecodeError> {
        let start = cursor.clone();
        let bit_length = cursor.u8(Element::RawBitLength)?.into();
        if !RAW_BIT_LENGTHS.contains(&bit_length) {
            return Err(start.error(Fault::Invalid, Element::RawBitLength));
        }
        let table = Table::read(cursor, raw_precision(bit_length))?;
        let rans = read_block(cursor, table.precision)?;
        let count = out.len();
        self.decode(&table, rans, count, RawSymbols { out })
    }

    fn read_tagged(&mut self, cursor: &mut Cursor<'_>, out: &mut [i32], components: usize) -> Result<(), DecodeError> {
        let table = Table::read(cursor, TAG_PRECISION)?;
        let rans = read_block(cursor, table.precision)?;
        let keys = out.len() / components;
        let invalid = cursor.error(Fault::Invalid, Element::Tag);
        let mut bits = BitReader::new(cursor.rest());
        self.decode(&table, rans, keys, TaggedSymbols { out, components, bits: &mut bits, invalid })?;
        cursor.skip_up_to(bits.bytes_read());
        Ok(())
    }

    /// Decodes about `count` symbols, by the way of finding slots that suits the table.
    fn decode(
        &mut self,
        table: &Table,
        mut rans: RansDecoder<'_>,
        count: usize,
        reader: impl Reader,
    ) -> Result<(), DecodeError> {
        if let [only] = table.entries[..] {
            // A certain symbol never moves the state.
            reader.run(|| only.symbol)
        } else if count >= WORTH_A_TABLE << table.precision >> 12 && SlotTable::can_hold(table) {
            let model = SlotTable::fill(table, &mut self.slots);
            reader.run(|| rans.next(&model))
        } else {
            let model = SlotSearch::new(table);
            reader.run(|| rans.next(&model))
        }
    }
}

/// From this many symbols on (at a precision of 12) filling a table costs less than searching.
const WORTH_A_TABLE: usize = 512;

/// The size of a rANS block and the block.
fn read_block<'a>(cursor: &mut Cursor<'a>, precision: u32) -> Result<RansDecoder<'a>, DecodeError> {
    let start = cursor.clone();
    let size = cursor.uleb64(Element::RansSize)?;
    let size = usize::try_from(size).map_err(|_| start.error(Fault::Truncated, Element::RansSize))?;
    let block = cursor.take(size, Element::RansSize)?;
    RansDecoder::open(block, precision).ok_or(start.error(Fault::Invalid, Element::RansState))
}

/// Something that is filled with coded symbols: generic over where they come from, so that each inner loop
/// is compiled for its own way of finding slots.
trait Reader {
    fn run(self, next: impl FnMut() -> u32) -> Result<(), DecodeError>;
}

struct RawSymbols<'o> {
    out: &'o mut [i32],
}

impl Reader for RawSymbols<'_> {
    #[inline(always)]
    fn run(self, mut next: impl FnMut() -> u32) -> Result<(), DecodeError> {
        for symbol in self.out {
            *symbol = next() as i32;
        }
        Ok(())
    }
}

struct TaggedSymbols<'o, 'b, 'a> {
    out: &'o mut [i32],
    components: usize,
    bits: &'b mut BitReader<'a>,
    /// The error to give for a tag over 32.
    invalid: DecodeError,
}

impl Reader for TaggedSymbols<'_, '_, '_> {
    #[inline(always)]
    fn run(self, mut next: impl FnMut() -> u32) -> Result<(), DecodeError> {
        for row in self.out.chunks_exact_mut(self.components) {
            let tag = next();
            if tag > u32::BITS {
                return Err(self.invalid);
            }
            for symbol in row {
                *symbol = self.bits.read(tag) as i32;
            }
        }
        Ok(())
    }
}
