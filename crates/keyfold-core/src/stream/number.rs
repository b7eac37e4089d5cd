//! Integers as bits: `docs/stream.md`, section 4. How long a number is in binary, then its two highest bits below the first by what was learned, the others as they are.

use super::range_coder::{Bit, Coder};
use alloc::{boxed::Box, vec};

/// What is learned about numbers of one kind.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Whether a number is longer than this many bits.
    longer: [Bit; 32],
    /// By length, of the numbers that are at most [`LEARNED`] bits long: the bit below the first, and below that where that one is not set, and is.
    below: [[Bit; 3]; LEARNED as usize + 1],
    /// Whether a number is negative, after none, a positive or a negative one.
    negative: [Bit; 3],
}

/// The longest numbers of which more than the length is learned.
const LEARNED: u32 = 8;

impl Kind {
    const NEW: Self =
        Self { longer: [Bit::NEW; 32], below: [[Bit::NEW; 3]; LEARNED as usize + 1], negative: [Bit::NEW; 3] };
}

/// Numbers of several kinds.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    kinds: Box<[Kind]>,
}

/// How many kinds there are of numbers about which something is known from the start.
pub(super) const START_KINDS: usize = 24;

/// By kind, how probable it is in 256ths that a number is longer than 0, 1, 2, ... bits: learned from many files.
const START: [[u8; 9]; START_KINDS] = [
    [40, 9, 11, 167, 99, 43, 128, 128, 128],
    [72, 16, 4, 61, 128, 128, 128, 128, 128],
    [107, 18, 5, 36, 128, 128, 128, 128, 128],
    [120, 20, 6, 48, 105, 128, 128, 128, 128],
    [126, 26, 7, 24, 69, 128, 128, 128, 128],
    [138, 44, 11, 29, 80, 128, 128, 128, 128],
    [169, 87, 21, 32, 87, 74, 128, 128, 128],
    [192, 131, 44, 37, 51, 101, 38, 128, 128],
    [201, 162, 76, 43, 61, 87, 28, 128, 128],
    [209, 186, 125, 61, 50, 88, 84, 71, 128],
    [217, 208, 162, 93, 51, 67, 35, 128, 128],
    [178, 194, 177, 125, 74, 86, 74, 24, 128],
    [203, 215, 202, 159, 107, 85, 74, 26, 128],
    [218, 234, 212, 189, 134, 85, 60, 38, 128],
    [228, 238, 221, 208, 181, 117, 82, 30, 9],
    [234, 245, 233, 213, 183, 134, 82, 42, 10],
    [241, 245, 236, 230, 210, 164, 102, 63, 27],
    [235, 249, 238, 239, 219, 172, 149, 80, 31],
    [247, 251, 241, 244, 240, 219, 168, 59, 55],
    [252, 252, 249, 243, 239, 246, 186, 114, 44],
    [252, 252, 244, 248, 243, 242, 196, 194, 24],
    [210, 245, 245, 245, 245, 245, 245, 75, 128],
    [248, 248, 248, 248, 248, 248, 248, 248, 152],
    [174, 230, 211, 197, 180, 151, 114, 100, 27],
];

impl Numbers {
    /// Numbers about which nothing is known.
    pub(super) fn new(kinds: usize) -> Self {
        Self { kinds: vec![Kind::NEW; kinds].into_boxed_slice() }
    }

    /// The numbers of arrays.
    pub(super) fn start() -> Self {
        let mut numbers = Self::new(START_KINDS);
        for (kind, row) in numbers.kinds.iter_mut().zip(&START) {
            kind.longer.iter_mut().zip(row).for_each(|(bit, probable)| *bit = Bit::known(*probable));
        }
        numbers
    }

    /// Codes a number that is not negative.
    #[inline]
    pub(super) fn unsigned(&mut self, coder: &mut impl Coder, kind: usize, value: u32) -> u32 {
        let kind = &mut self.kinds[kind];
        let length = 32 - value.leading_zeros();
        let mut bits = 0;
        while bits < 32 && coder.bit(&mut kind.longer[bits as usize], length > bits) {
            bits += 1;
        }
        if bits < 2 {
            return bits;
        }
        let mut below = bits - 1;
        let mut number = 1;
        if bits <= LEARNED {
            let learned = &mut kind.below[bits as usize];
            let mut place = 0;
            for _ in 0..below.min(2) {
                below -= 1;
                let bit = coder.bit(&mut learned[place], value >> below & 1 == 1);
                number = number << 1 | u32::from(bit);
                place = 1 + usize::from(bit);
            }
        }
        let rest = coder.raw(below, value & ((1 << below) - 1));
        number << below | rest
    }

    /// Codes a number of either sign; `before` is one whose sign may tell something about its own.
    #[inline]
    pub(super) fn signed(&mut self, coder: &mut impl Coder, kind: usize, value: i32, before: i32) -> i32 {
        let size = self.unsigned(coder, kind, value.unsigned_abs());
        if size == 0 {
            return 0;
        }
        let place = if before == 0 { 0 } else { 1 + usize::from(before < 0) };
        let negative = coder.bit(&mut self.kinds[kind].negative[place], value < 0);
        if negative { (size as i32).wrapping_neg() } else { size as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Decoder, Encoder};
    use super::*;

    #[test]
    fn numbers_of_every_length_come_back() {
        let lengths = (0..32).flat_map(|n| [1i32 << n, (1i32 << n).wrapping_sub(1), (5i32 << n) >> 2]);
        let values: vec::Vec<i32> = lengths.flat_map(|v| [v, v.wrapping_neg()]).chain([i32::MIN, i32::MAX]).collect();
        let (mut encoder, mut numbers) = (Encoder::new(), Numbers::new(2));
        for v in &values {
            numbers.signed(&mut encoder, 1, *v, v.rotate_left(3));
        }
        for v in &values {
            numbers.unsigned(&mut encoder, 0, *v as u32);
        }
        let bytes = encoder.finish();
        let (mut decoder, mut numbers) = (Decoder::new(&bytes), Numbers::new(2));
        for v in &values {
            assert_eq!(numbers.signed(&mut decoder, 1, 0, v.rotate_left(3)), *v);
        }
        for v in &values {
            assert_eq!(numbers.unsigned(&mut decoder, 0, 0), *v as u32);
        }
    }
}
