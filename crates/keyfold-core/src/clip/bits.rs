//! Bits in bytes, the lowest bit of a byte first. The writer and the checked reader are for a clip's
//! directory. The fast reads are for sampling bytes that were checked before.

use super::ClipError;
use alloc::vec::Vec;

/// Appends bits to bytes.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are in use; 0 if it is full.
    used: u32,
}

impl BitWriter {
    /// Appends the `bits` lowest bits of `value`.
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        for i in 0..bits {
            if self.used == 0 {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= ((value >> i & 1) as u8) << self.used;
            self.used = (self.used + 1) % 8;
        }
    }

    pub(super) fn put_f32(&mut self, value: f32) {
        self.put(value.to_bits().into(), 32);
    }

    /// Appends a number in groups of seven bits, the lowest first. Each group has a bit that says whether
    /// more follow.
    pub(super) fn put_count(&mut self, mut value: u64) {
        while value > 0x7F {
            self.put(value & 0x7F | 0x80, 8);
            value >>= 7;
        }
        self.put(value, 8);
    }

    /// Fills the last byte with zeros.
    pub(super) fn align(&mut self) {
        self.used = 0;
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads the bits of a [`BitWriter`]. Reading past the end of the bytes is an error.
#[derive(Clone)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Reads `bytes` from the byte `start` on.
    pub(super) fn new(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, at: start.saturating_mul(8) }
    }

    /// Reads at most 56 bits.
    pub(super) fn take(&mut self, bits: u32) -> Result<u64, ClipError> {
        let end = self.at + bits as usize;
        if end > self.bytes.len().saturating_mul(8) {
            return Err(ClipError::Truncated);
        }
        let value = peek(self.bytes, self.at) & mask(bits);
        self.at = end;
        Ok(value)
    }

    pub(super) fn flag(&mut self) -> Result<bool, ClipError> {
        Ok(self.take(1)? == 1)
    }

    pub(super) fn f32(&mut self) -> Result<f32, ClipError> {
        let value = f32::from_bits(self.take(32)? as u32);
        if value.is_finite() { Ok(value) } else { Err(ClipError::Malformed("a number is not finite")) }
    }

    /// Reads a number of [`BitWriter::put_count`] with up to 32 bits.
    pub(super) fn count(&mut self) -> Result<usize, ClipError> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let group = self.take(8)?;
            value |= (group & 0x7F) << shift;
            if group < 0x80 {
                return u32::try_from(value)
                    .map(|v| v as usize)
                    .map_err(|_| ClipError::Malformed("a count is too large"));
            }
        }
        Err(ClipError::Malformed("a count is too long"))
    }

    /// Reads a count of items with at least `bits` bits each. Fails if the remaining bytes cannot hold them.
    pub(super) fn paid_count(&mut self, bits: usize) -> Result<usize, ClipError> {
        let count = self.count()?;
        let left = self.bytes.len().saturating_mul(8).saturating_sub(self.at);
        if count.saturating_mul(bits.max(1)) > left { Err(ClipError::Truncated) } else { Ok(count) }
    }

    /// The position of the next bit.
    pub(super) fn bit(&self) -> usize {
        self.at
    }

    /// The first whole byte from the next bit on.
    pub(super) fn aligned(&self) -> usize {
        self.at.div_ceil(8)
    }
}

/// At least 57 bits from the bit `at` on, with zeros beyond the end.
#[inline(always)]
pub(super) fn peek(bytes: &[u8], at: usize) -> u64 {
    let byte = at / 8;
    let word = match bytes.get(byte..byte + 8).and_then(|eight| eight.try_into().ok()) {
        Some(eight) => u64::from_le_bytes(eight),
        None => near_end(bytes, byte),
    };
    word >> (at % 8)
}

#[cold]
#[inline(never)]
fn near_end(bytes: &[u8], start: usize) -> u64 {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.iter().take(8).enumerate().fold(0, |word, (i, b)| word | u64::from(*b) << (8 * i))
}

/// A mask of the lowest `bits` bits.
#[inline(always)]
pub(super) fn mask(bits: u32) -> u64 {
    (1u64 << (bits & 63)) - 1
}

/// The number that `bits` bits represent in two's complement.
#[inline(always)]
pub(super) fn signed(value: u64, bits: u32) -> i32 {
    if bits == 0 { 0 } else { ((value << (64 - bits)) as i64 >> (64 - bits)) as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_written() {
        let mut w = BitWriter::default();
        w.put(5, 3);
        w.put_count(300);
        w.put_f32(-1.5);
        w.put(0x00AB_CDEF_0123, 40);
        w.put(0b101, 3);
        w.align();
        let bytes = w.into_bytes();
        let mut r = BitReader::new(&bytes, 0);
        assert_eq!((r.take(3), r.count(), r.f32(), r.take(40)), (Ok(5), Ok(300), Ok(-1.5), Ok(0x00AB_CDEF_0123)));
        assert_eq!(signed(r.take(3).unwrap(), 3), -3);
        assert_eq!(r.aligned(), bytes.len());
        assert_eq!(r.take(8), Err(ClipError::Truncated));
    }

    #[test]
    fn looking_beyond_the_end_sees_zeros() {
        assert_eq!(peek(&[0xFF, 0x01], 4), 0x1F);
        assert_eq!(peek(&[0xFF], 800), 0);
    }

    #[test]
    fn counts_must_be_paid_for() {
        let bytes = [0xFF, 0xFF, 0xFF, 0x7F, 0];
        assert_eq!(BitReader::new(&bytes, 0).paid_count(1), Err(ClipError::Truncated));
        assert!(BitReader::new(&[0xFF; 6], 0).count().is_err());
    }
}
