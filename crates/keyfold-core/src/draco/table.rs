//! The probability table of a rANS block: which symbols occur, and how many of 2^precision slots each has.

use alloc::vec::Vec;

use super::cursor::{Cursor, write_uleb};
use super::error::{DecodeError, Element, Fault};

/// A symbol that occurs: its `probability` slots begin at `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) symbol: u32,
    pub(super) probability: u32,
    pub(super) start: u32,
}

/// All symbols of nonzero probability in ascending order. The probabilities sum to 2^precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) precision: u32,
    pub(super) entries: Vec<Entry>,
}

/// A run of zero probabilities is one byte: 3 in the low bits, one less than its length above.
const RUN: u8 = 3;
const LONGEST_RUN: u32 = 64;

impl Table {
    pub(super) fn read(cursor: &mut Cursor<'_>, precision: u32) -> Result<Table, DecodeError> {
        let start = cursor.clone();
        let invalid = start.error(Fault::Invalid, Element::ProbabilityTable);
        let count = cursor.uleb32(Element::ProbabilityTable)?;
        if (count / LONGEST_RUN) as usize > cursor.rest().len() {
            return Err(invalid);
        }
        let mut entries = Vec::new();
        let mut symbol = 0;
        let mut sum = 0;
        while symbol < count {
            match Item::read(cursor)? {
                Item::Zeros(run) if run > count - symbol => return Err(invalid),
                Item::Zeros(run) => symbol += run,
                Item::Probability(probability) => {
                    if probability > 0 {
                        entries.push(Entry { symbol, probability, start: sum });
                    }
                    symbol += 1;
                    sum += probability;
                    if sum > 1 << precision {
                        return Err(invalid);
                    }
                }
            }
        }
        if sum != 1 << precision {
            return Err(invalid);
        }
        Ok(Table { precision, entries })
    }

    /// Writes the symbol count and the probabilities, each in the fewest bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        write_uleb(out, self.entries.last().map_or(0, |last| u64::from(last.symbol) + 1));
        let mut next = 0;
        for entry in &self.entries {
            let mut gap = entry.symbol - next;
            while gap > 0 {
                let run = gap.min(LONGEST_RUN);
                out.push((run as u8 - 1) << 2 | RUN);
                gap -= run;
            }
            let extra = extra_bytes(entry.probability);
            let bytes = (entry.probability << 2 | extra).to_le_bytes();
            out.extend_from_slice(&bytes[..=extra as usize]);
            next = entry.symbol + 1;
        }
    }
}

/// What a table is made of.
enum Item {
    /// So many symbols that do not occur.
    Zeros(u32),
    /// The probability of one symbol.
    Probability(u32),
}

impl Item {
    fn read(cursor: &mut Cursor<'_>) -> Result<Item, DecodeError> {
        let first = cursor.u8(Element::ProbabilityTable)?;
        let (kind, low) = (first & 3, u32::from(first >> 2));
        if kind == RUN {
            return Ok(Item::Zeros(low + 1));
        }
        let more = cursor.take(kind.into(), Element::ProbabilityTable)?;
        let joined = more.iter().zip([6, 14]).fold(low, |sum, (&byte, shift)| sum | u32::from(byte) << shift);
        Ok(Item::Probability(joined))
    }
}

/// How many bytes a probability needs beyond its first.
pub(super) const fn extra_bytes(probability: u32) -> u32 {
    (probability >= 1 << 6) as u32 + (probability >= 1 << 14) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(precision: u32, probabilities: &[(u32, u32)]) -> Table {
        let mut start = 0;
        let entries = probabilities.iter().map(|&(symbol, probability)| {
            start += probability;
            Entry { symbol, probability, start: start - probability }
        });
        Table { precision, entries: entries.collect() }
    }

    #[test]
    fn reads_what_it_writes() {
        for table in [
            table(12, &[(1, 4096)]),
            table(12, &[(0, 63), (1, 64), (66, 3000), (200, 969)]),
            table(20, &[(0, 16383), (1, 16384), (2, 1), (3, (1 << 20) - 32768)]),
        ] {
            let mut bytes = Vec::new();
            table.write(&mut bytes);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(Table::read(&mut cursor, table.precision), Ok(table));
            assert!(cursor.rest().is_empty());
        }
    }

    #[test]
    fn refuses_tables_that_do_not_add_up() {
        let read = |bytes: &[u8]| Table::read(&mut Cursor::new(bytes), 12).map_err(|error| error.fault);
        assert!(read(&[2, 3, 0x01, 0x40]).is_ok());
        assert_eq!(read(&[2, 3, 0x01, 0x3f]), Err(Fault::Invalid), "sum too low");
        assert_eq!(read(&[2, 3, 0x05, 0x40]), Err(Fault::Invalid), "sum too high");
        assert_eq!(read(&[2, 7, 0x01, 0x40]), Err(Fault::Invalid), "run past the end");
        assert_eq!(read(&[0xff, 0xff, 0xff, 0x7f, 3]), Err(Fault::Invalid), "count not paid for");
        assert_eq!(read(&[2, 3, 0x01]), Err(Fault::Truncated));
        assert_eq!(read(&[0]), Err(Fault::Invalid), "empty");
    }
}
