//! Bit fields, packed from the least significant bit on: the values of the tagged scheme.

use alloc::vec::Vec;

/// Reads bit fields. Behind the last byte come zeros without end, as libdraco has it.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    /// Bytes that are not in `buffer` yet.
    bytes: &'a [u8],
    length: usize,
    buffer: u64,
    /// How many bits of `buffer` are valid.
    filled: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, length: bytes.len(), buffer: 0, filled: 0 }
    }

    /// The next `count` bits, at most 32.
    #[inline(always)]
    pub(super) fn read(&mut self, count: u32) -> u32 {
        if self.filled < count {
            self.fill();
        }
        let value = self.buffer & ((1 << count) - 1);
        self.buffer >>= count;
        self.filled = self.filled.saturating_sub(count);
        value as u32
    }

    /// Brings `filled` to 32 or more, unless the bytes run out.
    #[inline(always)]
    fn fill(&mut self) {
        if let Some((word, rest)) = self.bytes.split_first_chunk::<4>() {
            self.buffer |= u64::from(u32::from_le_bytes(*word)) << self.filled;
            self.filled += 32;
            self.bytes = rest;
        } else {
            for &byte in self.bytes {
                self.buffer |= u64::from(byte) << self.filled;
                self.filled += 8;
            }
            self.bytes = &[];
        }
    }

    /// How many bytes were touched, the last perhaps in part.
    pub(super) fn bytes_read(&self) -> usize {
        self.length - self.bytes.len() - self.filled as usize / 8
    }
}

/// Writes bit fields.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    buffer: u64,
    filled: u32,
}

impl BitWriter {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        BitWriter { bytes: Vec::with_capacity(bytes + 8), ..Self::default() }
    }

    /// Appends the lowest `count` bits of `value`, which must have no others; at most 32.
    #[inline(always)]
    pub(super) fn write(&mut self, value: u32, count: u32) {
        self.buffer |= u64::from(value) << self.filled;
        self.filled += count;
        if self.filled >= 32 {
            self.bytes.extend_from_slice(&(self.buffer as u32).to_le_bytes());
            self.buffer >>= 32;
            self.filled -= 32;
        }
    }

    /// Pads the last byte with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let left = self.filled.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.buffer.to_le_bytes()[..left]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_then_zeros() {
        let fields: Vec<(u32, u32)> = (0..200u32).map(|i| (i % 33, i.wrapping_mul(0x9e37_79b9))).collect();
        let masked = |&(count, value): &(u32, u32)| (u64::from(value) & ((1 << count) - 1)) as u32;
        let mut writer = BitWriter::default();
        fields.iter().for_each(|field| writer.write(masked(field), field.0));
        let total: u32 = fields.iter().map(|field| field.0).sum();
        let bytes = writer.finish();
        assert_eq!(bytes.len(), total.div_ceil(8) as usize);

        let mut reader = BitReader::new(&bytes);
        let mut read = 0;
        for field in &fields {
            assert_eq!(reader.read(field.0), masked(field));
            read += field.0;
            assert_eq!(reader.bytes_read(), read.div_ceil(8) as usize);
        }
        assert_eq!((reader.read(32), reader.read(0), reader.read(7)), (0, 0, 0));
        assert_eq!(reader.bytes_read(), bytes.len());
    }

    #[test]
    fn lowest_bits_come_first() {
        let mut reader = BitReader::new(&[0b1010_0110, 0b1]);
        assert_eq!([reader.read(1), reader.read(3), reader.read(5)], [0, 0b011, 0b11010]);
    }
}
