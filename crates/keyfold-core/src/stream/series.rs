//! The codes of an array, key by key: `docs/stream.md`, section 5. Each is predicted from those before it, and what the prediction misses is coded as a number, of a kind
//! chosen by how much was missed of late.

use super::{
    number::{Numbers, START_KINDS},
    range_coder::Coder,
};
use alloc::{vec, vec::Vec};

/// How a code is predicted from the four before it, the last one first, in eighths. Which of them a track likes best hangs on how smooth it is, and how noisy.
pub(super) const PREDICTORS: [[i8; 4]; 14] = [
    [0, 0, 0, 0],
    [8, 0, 0, 0],
    [16, -8, 0, 0],
    [24, -24, 8, 0],
    [12, -4, 0, 0],
    [10, -2, 0, 0],
    [14, -6, 0, 0],
    [8, 4, 0, -4],
    [16, -10, 2, 0],
    [20, -16, 4, 0],
    [11, 2, -5, 0],
    [18, -6, -10, 6],
    [6, 2, 0, 0],
    [4, 4, 0, 0],
];

/// The kind of the numbers at the first key; the kinds before it are for those of which more and more is expected to be missed.
const FIRST: usize = START_KINDS - 1;
/// What is expected to be missed at the second key.
const SECOND: u64 = 512;

/// What was missed of a component.
#[derive(Clone, Copy, Default)]
struct Missed {
    last: i32,
    /// The size of the one before.
    before: u32,
    /// An average of sizes, in sixteenths.
    average: u64,
}

impl Missed {
    /// 64 times the size that is expected.
    #[inline]
    fn expected(&self) -> u64 {
        8 * u64::from(self.last.unsigned_abs()) + 5 * u64::from(self.before) + 4 * self.average
    }

    #[inline]
    fn add(&mut self, key: usize, miss: i32) {
        let size = u64::from(miss.unsigned_abs());
        (self.before, self.average) = match key {
            0 => (0, 0),
            1 => (miss.unsigned_abs(), 16 * size),
            _ => (self.last.unsigned_abs(), (3 * self.average + 16 * size) / 4),
        };
        self.last = miss;
    }
}

/// Goes through codes of `width` components: `code` gets the kind of each number, the number and the last one's sign, and answers with the number.
#[inline]
fn walk(predictor: [i8; 4], width: usize, codes: &mut [i32], mut code: impl FnMut(usize, i32, i32) -> i32) {
    let mut missed: Vec<Missed> = vec![Missed::default(); width];
    for key in 0..codes.len() / width {
        // Before the first key there is the first key.
        let rows = [1, 2, 3, 4].map(|back| key.saturating_sub(back) * width);
        let mut beside = [0; 2];
        for (component, missed) in missed.iter_mut().enumerate() {
            let place = key * width + component;
            let at = |i: usize| i64::from(codes[rows[i] + component]) * i64::from(predictor[i]);
            let predicted = if key == 0 { 0 } else { (at(0) + at(1) + at(2) + at(3) + 4) >> 3 } as i32;
            let kind = if key == 0 { FIRST } else { kind(key, component, missed, beside) };
            let sign = if key < 2 { 0 } else { missed.last };
            let miss = code(kind, codes[place].wrapping_sub(predicted), sign);
            codes[place] = predicted.wrapping_add(miss);
            missed.add(key, miss);
            beside = [u64::from(miss.unsigned_abs()), beside[0]];
        }
    }
}

/// The kind of a number: by what its component missed before, and by what the two components beside it missed at the same key. Two kinds to an octave.
#[inline]
fn kind(key: usize, component: usize, missed: &Missed, beside: [u64; 2]) -> usize {
    let mut expected = if key == 1 { SECOND } else { missed.expected() };
    if component > 0 {
        expected = (7 * expected + 50 * beside[0]) / 8;
    }
    if component > 1 {
        expected = (7 * expected + 24 * beside[1]) / 8;
    }
    let expected = expected >> 3;
    let length = 64 - expected.leading_zeros() as usize;
    let kind = if length < 2 { length } else { 2 * length - 2 + (expected >> (length - 2) & 1) as usize };
    kind.min(FIRST - 1)
}

/// Writes codes of `width` components, or reads them into `codes`.
pub(super) fn code(coder: &mut impl Coder, numbers: &mut Numbers, predictor: u8, width: usize, codes: &mut [i32]) {
    let Some(predictor) = PREDICTORS.get(usize::from(predictor)) else { return };
    walk(*predictor, width, codes, |kind, miss, sign| numbers.signed(coder, kind, miss, sign));
}

/// The predictor with which codes are cheapest, and about how many bits they take.
pub(super) fn cheapest(codes: &[i32], width: usize) -> (u8, f64) {
    let keys = codes.len() / width.max(1);
    // Long arrays are judged by their middle.
    let start = keys.saturating_sub(JUDGED) / 2 * width;
    let mut part = codes[start..(start + JUDGED * width).min(codes.len())].to_vec();
    let prices = prices();
    let cost = |predictor: usize, part: &mut [i32]| {
        let mut bits = 0.0;
        walk(PREDICTORS[predictor], width.max(1), part, |kind, miss, _| {
            let (fixed, each) = prices[kind];
            bits += fixed + each * f64::from(miss.unsigned_abs());
            miss
        });
        bits
    };
    let costs = (0..PREDICTORS.len()).map(|predictor| (predictor as u8, cost(predictor, &mut part)));
    let best = costs.reduce(|best, next| if next.1 < best.1 { next } else { best });
    best.map_or((0, 0.0), |(predictor, bits)| (predictor, bits * keys as f64 / keys.clamp(1, JUDGED) as f64))
}

/// How many keys of an array are looked at to choose a predictor.
const JUDGED: usize = 1024;

/// By kind, about what a number costs: so many bits, and more for each unit of its size. As if sizes fell off geometrically from the expected one.
fn prices() -> [(f64, f64); START_KINDS] {
    core::array::from_fn(|kind| {
        if kind == FIRST {
            return (4.0, 0.02);
        }
        let mean = 0.12 + 0.14 * libm::exp2((kind as f64 - 2.0) / 2.0);
        let ratio = (libm::sqrt(1.0 + mean * mean) - 1.0) / mean;
        (-libm::log2((1.0 - ratio) / (1.0 + ratio)), -libm::log2(ratio))
    })
}

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Decoder, Encoder};
    use super::*;

    /// Codes of many sizes, smooth and wild.
    fn some(width: usize, keys: usize) -> Vec<i32> {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        };
        let value = |i: usize, noise: u32| ((i / width) as f64 * 0.1 + (i % width) as f64, noise);
        let code = |(phase, noise): (f64, u32)| match noise >> 28 {
            0 => noise as i32,
            _ => (libm::sin(phase) * 400.0) as i32 + (noise >> 24 & 3) as i32,
        };
        (0..keys * width).map(|i| code(value(i, next()))).collect()
    }

    #[test]
    fn codes_come_back_with_every_predictor_and_width() {
        for predictor in 0..PREDICTORS.len() as u8 {
            for (width, keys) in [(1, 1), (3, 2), (3, 300), (4, 50), (9, 40), (2, 5)] {
                let mut codes = some(width, keys);
                let expected = codes.clone();
                let mut encoder = Encoder::new();
                code(&mut encoder, &mut Numbers::start(), predictor, width, &mut codes);
                assert_eq!(codes, expected);
                let bytes = encoder.finish();
                let mut read = vec![0; codes.len()];
                code(&mut Decoder::new(&bytes), &mut Numbers::start(), predictor, width, &mut read);
                assert_eq!(read, expected, "{predictor} {width} {keys}");
            }
        }
    }

    #[test]
    fn predictors_keep_what_never_changes_and_the_cheapest_suits() {
        assert!(PREDICTORS[1..].iter().all(|p| p.iter().map(|c| i32::from(*c)).sum::<i32>() == 8));
        let ramp: Vec<i32> = (0..100).map(|k| 17 * k).collect();
        assert_eq!(cheapest(&ramp, 1).0, 2);
        let noise: Vec<i32> = some(1, 400).into_iter().map(|c| (c.wrapping_mul(7919) & 63) - 32).collect();
        assert_eq!(cheapest(&noise, 1).0, 0);
    }
}
