//! The range coder: `docs/stream.md`, section 3. Bits with adaptive probabilities, and bits without.
//!
//! What is coded is said once, for both directions: whoever codes calls [`Coder::bit`] with the bit that an encoder
//! should write, and goes on with the one that comes back, which a decoder has read.

use alloc::vec::Vec;

/// A bit's probability, learned from the bits before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    /// That it is set, in 65536ths.
    set: u16,
    /// How many were seen, up to [`RATES`]' last.
    seen: u16,
}

impl Bit {
    /// Nothing is known yet.
    pub(super) const NEW: Self = Self { set: 1 << 15, seen: 0 };

    /// About as sure as after some bits that it is set with a probability in 256ths.
    pub(super) const fn known(probable: u8) -> Self {
        Self { set: (probable as u16) << 8, seen: 12 }
    }

    #[inline]
    fn learn(&mut self, bit: bool) {
        let rate = u32::from(RATES[usize::from(self.seen)]);
        self.seen = (self.seen + 1).min(RATES.len() as u16 - 1);
        let set = u32::from(self.set);
        self.set = if bit { set + (((0xFFFF - set) * rate) >> 16) } else { set - ((set * rate) >> 16) } as u16;
    }
}

/// How far a probability moves with each bit that is seen, in 65536ths: much at first, then less.
const RATES: [u16; 60] = rates();

const fn rates() -> [u16; 60] {
    let mut rates = [0; 60];
    let mut n = 0;
    while n < rates.len() {
        rates[n] = (131_072 / (2 * n + 3)) as u16;
        n += 1;
    }
    rates
}

/// The range is never smaller than this while a bit is coded.
const LEAST: u32 = 1 << 24;

/// Either direction. The range falls into a lower and an upper part for each bit; what differs is who decides which
/// one is taken.
pub(super) trait Coder {
    /// How wide the range is.
    fn range(&mut self) -> &mut u32;

    /// Goes on to the next byte, for a range that became a byte wider.
    fn shift(&mut self);

    /// Takes the part of the range above `bound` or the one below: an encoder the one that is wanted, a decoder the
    /// one that was. Whether it was the upper one.
    fn upper(&mut self, bound: u32, wanted: bool) -> bool;

    /// Codes a bit by a probability.
    #[inline]
    fn bit(&mut self, probability: &mut Bit, bit: bool) -> bool {
        let range = *self.range();
        let bound = (range >> 16) * u32::from(probability.set);
        let bit = !self.upper(bound, !bit);
        *self.range() = if bit { bound } else { range - bound };
        probability.learn(bit);
        self.normalize();
        bit
    }

    /// Codes the lowest `count` bits of a value, the highest first, as they are.
    #[inline]
    fn raw(&mut self, count: u32, value: u32) -> u32 {
        let mut coded = 0;
        for place in (0..count).rev() {
            *self.range() >>= 1;
            let half = *self.range();
            coded = coded << 1 | u32::from(self.upper(half, value >> place & 1 == 1));
            self.normalize();
        }
        coded
    }

    #[inline]
    fn normalize(&mut self) {
        while *self.range() < LEAST {
            *self.range() <<= 8;
            self.shift();
        }
    }
}

/// Reads bits. Beyond the end of its bytes there are zeros.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    range: u32,
    code: u32,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { bytes, at: 0, range: u32::MAX, code: 0 };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    /// Whether more bytes were needed than an encoder may leave out at the end.
    pub(super) fn overran(&self) -> bool {
        self.at > self.bytes.len() + 4
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn range(&mut self) -> &mut u32 {
        &mut self.range
    }

    #[inline]
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or(0));
        self.at += 1;
    }

    #[inline]
    fn upper(&mut self, bound: u32, _: bool) -> bool {
        let upper = self.code >= bound;
        if upper {
            self.code -= bound;
        }
        upper
    }
}

/// Writes bits.
#[derive(Debug)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    low: u64,
    range: u32,
    /// The last byte that a carry may still change, and how many bytes of 255 stand behind it.
    held: Option<u8>,
    full: usize,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), low: 0, range: u32::MAX, held: None, full: 0 }
    }

    /// The bytes; the zeros that a decoder reads beyond them are left out.
    pub(super) fn finish(mut self) -> Vec<u8> {
        // A range is at least 2^24 wide: a multiple of that lies in it, and ends in zeros.
        self.low = (self.low + u64::from(self.range) - 1) & !0xFF_FFFF;
        (0..5).for_each(|_| self.shift());
        let trailing = self.bytes.iter().rev().take(4).take_while(|byte| **byte == 0).count();
        self.bytes.truncate(self.bytes.len() - trailing);
        self.bytes
    }
}

impl Coder for Encoder {
    #[inline]
    fn range(&mut self) -> &mut u32 {
        &mut self.range
    }

    fn shift(&mut self) {
        if self.low < 0xFF00_0000 || self.low > 0xFFFF_FFFF {
            let carry = (self.low >> 32) as u8;
            // There is no byte before the first one, and never a carry into it.
            if let Some(held) = self.held {
                self.bytes.push(held.wrapping_add(carry));
            }
            let full = core::mem::take(&mut self.full);
            self.bytes.resize(self.bytes.len() + full, 0xFFu8.wrapping_add(carry));
            self.held = Some((self.low >> 24) as u8);
        } else {
            self.full += 1;
        }
        self.low = self.low << 8 & 0xFFFF_FFFF;
    }

    #[inline]
    fn upper(&mut self, bound: u32, wanted: bool) -> bool {
        if wanted {
            self.low += u64::from(bound);
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of many probabilities, with raw ones in between.
    fn run(coder: &mut impl Coder, bits: &[bool]) -> Vec<bool> {
        let mut probabilities = [Bit::NEW; 5];
        let code = |(i, bit): (usize, &bool)| match i % 7 {
            6 => coder.raw(3, if *bit { 5 } else { 2 }) == 5,
            k => coder.bit(&mut probabilities[k % 5], *bit),
        };
        bits.iter().enumerate().map(code).collect()
    }

    #[test]
    fn bits_come_back_at_every_length() {
        let mut state = 1u32;
        let mut bits = Vec::new();
        for length in 0..3000 {
            let mut encoder = Encoder::new();
            run(&mut encoder, &bits);
            let bytes = encoder.finish();
            if length % 50 < 10 {
                let mut decoder = Decoder::new(&bytes);
                assert_eq!(run(&mut decoder, &bits), bits);
                assert!(!decoder.overran(), "{length}");
            }
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bits.push(state >> 24 < 20 + (length as u32 / 16) % 200);
        }
    }

    #[test]
    fn a_bit_that_is_always_the_same_costs_next_to_nothing_and_carries_are_carried() {
        let (mut encoder, mut probability) = (Encoder::new(), Bit::NEW);
        for _ in 0..10_000 {
            encoder.bit(&mut probability, false);
        }
        assert!(encoder.finish().len() < 10);
        let mut encoder = Encoder::new();
        let mut rare = Bit::NEW;
        for i in 0..5000 {
            encoder.bit(&mut rare, i % 97 == 0);
        }
        let bytes = encoder.finish();
        let (mut decoder, mut rare) = (Decoder::new(&bytes), Bit::NEW);
        assert!((0..5000).all(|i| decoder.bit(&mut rare, false) == (i % 97 == 0)));
    }
}
