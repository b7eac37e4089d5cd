//! Integers as bits: `docs/stream.md`, section 4. How long a number is in binary, then its two highest bits below the
//! first by what was learned, the others as they are.

use super::range_coder::{Bit, Coder};
use alloc::boxed::Box;

/// What is learned about numbers of one kind.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Whether a number is longer than this many bits.
    longer: [Bit; 32],
    /// By length, of the numbers that are at most [`LEARNED`] bits long: the bit below the first, and below that
    /// where that one is not set, and is.
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

/// How probable it is in 256ths that a bit below the first is set: small numbers are more frequent than large ones.
const BELOW: u8 = 115;

/// By kind, how probable it is in 256ths that a number is longer than 0, 1, 2, ... bits: learned from many files.
const START: [[u8; 9]; START_KINDS] = [
    [26, 9, 81, 181, 168, 148, 209, 168, 198],
    [56, 7, 12, 128, 128, 96, 192, 64, 128],
    [84, 13, 11, 74, 112, 32, 128, 128, 128],
    [102, 17, 13, 36, 80, 43, 128, 128, 128],
    [116, 29, 13, 19, 119, 55, 192, 64, 128],
    [139, 53, 16, 24, 32, 128, 43, 128, 128],
    [172, 90, 28, 20, 25, 46, 128, 192, 64],
    [197, 131, 49, 23, 38, 82, 192, 58, 43],
    [214, 164, 78, 33, 26, 31, 64, 32, 128],
    [225, 191, 118, 47, 28, 27, 34, 213, 43],
    [234, 210, 157, 69, 37, 28, 50, 89, 77],
    [220, 215, 188, 105, 49, 36, 43, 128, 115],
    [236, 226, 205, 151, 65, 52, 53, 73, 147],
    [245, 235, 219, 186, 94, 46, 31, 33, 96],
    [245, 238, 225, 202, 146, 70, 43, 35, 151],
    [247, 242, 232, 211, 187, 103, 57, 35, 96],
    [251, 244, 237, 224, 197, 139, 62, 44, 64],
    [247, 245, 242, 229, 217, 184, 74, 60, 43],
    [247, 239, 237, 225, 220, 195, 139, 57, 40],
    [246, 239, 230, 230, 223, 203, 171, 99, 102],
    [253, 242, 233, 235, 209, 216, 160, 153, 86],
    [240, 229, 238, 228, 200, 162, 194, 189, 168],
    [233, 244, 235, 215, 194, 211, 215, 225, 218],
    [223, 245, 243, 229, 214, 204, 177, 163, 154],
];

impl Numbers {
    /// Numbers of as many kinds as there are rows of what is known about their lengths.
    pub(super) fn new(lengths: &[[u8; 9]]) -> Self {
        let kind = |row: &[u8; 9]| {
            let mut kind = Kind::NEW;
            kind.longer.iter_mut().zip(row).for_each(|(bit, probable)| *bit = Bit::known(*probable));
            kind
        };
        Self { kinds: lengths.iter().map(kind).collect() }
    }

    /// The numbers of arrays.
    pub(super) fn start() -> Self {
        let mut numbers = Self::new(&START);
        for kind in &mut numbers.kinds {
            kind.below = [[Bit::known(BELOW); 3]; LEARNED as usize + 1];
            kind.negative = [Bit::known(128); 3];
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
        let values: alloc::vec::Vec<i32> =
            lengths.flat_map(|v| [v, v.wrapping_neg()]).chain([i32::MIN, i32::MAX]).collect();
        let (mut encoder, mut numbers) = (Encoder::new(), Numbers::new(&[[128; 9]; 2]));
        for v in &values {
            numbers.signed(&mut encoder, 1, *v, v.rotate_left(3));
        }
        for v in &values {
            numbers.unsigned(&mut encoder, 0, *v as u32);
        }
        let bytes = encoder.finish();
        let (mut decoder, mut numbers) = (Decoder::new(&bytes), Numbers::new(&[[128; 9]; 2]));
        for v in &values {
            assert_eq!(numbers.signed(&mut decoder, 1, 0, v.rotate_left(3)), *v);
        }
        for v in &values {
            assert_eq!(numbers.unsigned(&mut decoder, 0, 0), *v as u32);
        }
    }

    #[test]
    fn sizes_above_the_largest_integer_come_out_with_the_other_sign() {
        // Zeros are bits that are set: those of the longest number.
        let bytes = [0, 0, 0, 0, 0xC3, 0x5E, 0x91, 0x2B, 0x77, 0xE4, 0x10];
        let size = Numbers::start().unsigned(&mut Decoder::new(&bytes), START_KINDS - 1, 0);
        assert!(size > 1 << 31);
        let number = Numbers::start().signed(&mut Decoder::new(&bytes), START_KINDS - 1, 0, 0);
        assert!(number == size as i32 || number == (size as i32).wrapping_neg());
    }
}
