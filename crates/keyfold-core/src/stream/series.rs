//! The codes of an array, key by key: `docs/stream.md`, section 5. Each is predicted from those before it, and what
//! the prediction misses is coded as a number, of a kind chosen by how much was missed of late.

use super::{
    number::{Numbers, START_KINDS},
    range_coder::Coder,
};
use alloc::vec::Vec;

/// How a code is predicted from the four before it, the last one first, in eighths. Which of them a track likes best
/// hangs on how smooth it is, and how noisy.
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

/// The kind of the numbers at the first key; the kinds before it are for those of which more and more is expected to
/// be missed.
const FIRST: usize = START_KINDS - 1;
/// What is expected to be missed at the second key.
const SECOND: u64 = 512;

/// What is remembered of a component.
#[derive(Clone, Copy, Default)]
struct Component {
    /// The four codes before, the last one first. Before the first key there is the first key.
    past: [i32; 4],
    /// What was missed last.
    missed: i32,
    /// The size of what was missed before.
    before: u32,
    /// An average of sizes, in sixteenths.
    average: u64,
}

impl Component {
    #[inline]
    fn predicted(&self, predictor: [i8; 4]) -> i32 {
        let part = |i: usize| i64::from(self.past[i]) * i64::from(predictor[i]);
        ((part(0) + part(1) + part(2) + part(3) + 4) >> 3) as i32
    }

    /// The kind of the next number: by what was missed before, and by what the two components beside it missed at the
    /// same key. Two kinds to an octave.
    #[inline]
    fn kind(&self, index: usize, beside: [u64; 2]) -> usize {
        // 64 times the size that is expected.
        let mut expected = 8 * u64::from(self.missed.unsigned_abs()) + 5 * u64::from(self.before) + 4 * self.average;
        if index > 0 {
            expected = (7 * expected + 50 * beside[0]) / 8;
        }
        if index > 1 {
            expected = (7 * expected + 24 * beside[1]) / 8;
        }
        let expected = expected >> 3;
        let length = 64 - expected.leading_zeros() as usize;
        let kind = if length < 2 { length } else { 2 * length - 2 + (expected >> (length - 2) & 1) as usize };
        kind.min(FIRST - 1)
    }

    #[inline]
    fn add(&mut self, key: usize, code: i32, miss: i32) {
        let size = u64::from(miss.unsigned_abs());
        *self = match key {
            0 => Self { past: [code; 4], missed: 0, before: 0, average: SECOND / 4 },
            1 => Self { past: self.with(code), missed: miss, before: miss.unsigned_abs(), average: 16 * size },
            _ => Self {
                past: self.with(code),
                missed: miss,
                before: self.missed.unsigned_abs(),
                average: (3 * self.average + 16 * size) / 4,
            },
        };
    }

    #[inline]
    fn with(&self, code: i32) -> [i32; 4] {
        [code, self.past[0], self.past[1], self.past[2]]
    }
}

/// Goes through codes of `width` components: `code` gets the kind of each number, the number and the last one's sign,
/// and answers with the number, or with none to end it.
#[inline]
fn walk(predictor: [i8; 4], width: usize, codes: &mut [i32], mut code: impl FnMut(usize, i32, i32) -> Option<i32>) {
    // Nearly all arrays have few components.
    let (mut few, mut many) = ([Component::default(); 4], Vec::new());
    let components = few.get_mut(..width).unwrap_or_else(|| {
        many.resize(width, Component::default());
        &mut many
    });
    for (key, row) in codes.chunks_exact_mut(width).enumerate() {
        let mut beside = [0; 2];
        for (index, (place, component)) in row.iter_mut().zip(components.iter_mut()).enumerate() {
            let (predicted, kind) = match key {
                0 => (0, FIRST),
                _ => (component.predicted(predictor), component.kind(index, beside)),
            };
            let Some(miss) = code(kind, place.wrapping_sub(predicted), component.missed) else { return };
            *place = predicted.wrapping_add(miss);
            component.add(key, *place, miss);
            beside = [u64::from(miss.unsigned_abs()), beside[0]];
        }
    }
}

/// Writes codes of `width` components, or reads them into `codes`.
pub(super) fn code(coder: &mut impl Coder, numbers: &mut Numbers, predictor: u8, width: usize, codes: &mut [i32]) {
    let Some(predictor) = PREDICTORS.get(usize::from(predictor)) else { return };
    walk(*predictor, width, codes, |kind, miss, sign| Some(numbers.signed(coder, kind, miss, sign)));
}

/// The predictor with which codes are cheapest, and about how many bits they take.
pub(super) fn cheapest(codes: &[i32], width: usize) -> (u8, f64) {
    cheaper(codes, width, f64::INFINITY).unwrap_or((0, 0.0))
}

/// The predictor with which codes are cheapest, and about how many bits they take: none, where it is not less than
/// `least`.
pub(super) fn cheaper(codes: &[i32], width: usize, least: f64) -> Option<(u8, f64)> {
    let keys = codes.len() / width.max(1);
    // Long arrays are judged by their middle.
    let start = keys.saturating_sub(JUDGED) / 2 * width;
    let mut part = codes[start..(start + JUDGED * width).min(codes.len())].to_vec();
    let share = keys as f64 / keys.clamp(1, JUDGED) as f64;
    let (mut best, mut least) = (None, least / share);
    for (index, predictor) in PREDICTORS.iter().enumerate() {
        let mut bits = 0.0;
        walk(*predictor, width.max(1), &mut part, |kind, miss, _| {
            let (fixed, each) = PRICES[kind];
            bits += fixed + each * f64::from(miss.unsigned_abs());
            (bits < least).then_some(miss)
        });
        if bits < least {
            (best, least) = (Some((index as u8, bits * share)), bits);
        }
    }
    best
}

/// How many keys of an array are looked at to choose a predictor.
const JUDGED: usize = 1024;

/// By kind, about what a number costs: so many bits, and more for each unit of its size. As if sizes fell off
/// geometrically from the expected one; first keys can be anything.
const PRICES: [(f64, f64); START_KINDS] = [
    (0.272489, 3.408776),
    (0.313471, 3.208025),
    (0.370998, 2.967202),
    (0.451363, 2.688108),
    (0.562702, 2.376452),
    (0.714796, 2.042260),
    (0.917850, 1.699981),
    (1.179735, 1.367700),
    (1.502323, 1.064274),
    (1.879552, 0.804366),
    (2.299574, 0.594355),
    (2.749403, 0.432299),
    (3.218385, 0.311210),
    (3.699146, 0.222593),
    (4.187047, 0.158568),
    (4.679296, 0.112672),
    (5.174234, 0.079931),
    (5.670870, 0.056645),
    (6.168600, 0.040114),
    (6.667050, 0.028395),
    (7.165982, 0.020093),
    (7.665241, 0.014215),
    (8.164723, 0.010055),
    (4.000000, 0.020000),
];

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Decoder, Encoder};
    use super::*;
    use alloc::vec;

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
        let (_, bits) = cheapest(&noise, 1);
        assert_eq!((cheaper(&noise, 1, bits), cheaper(&noise, 1, bits + 1.0)), (None, Some((0, bits))));
    }

    #[test]
    fn prices_are_those_of_a_geometric_distribution() {
        for (kind, (fixed, each)) in PRICES[..FIRST].iter().enumerate() {
            let mean = 0.12 + 0.14 * libm::exp2((kind as f64 - 2.0) / 2.0);
            let ratio = (libm::sqrt(1.0 + mean * mean) - 1.0) / mean;
            assert!((fixed + libm::log2((1.0 - ratio) / (1.0 + ratio))).abs() < 1e-6);
            assert!((each + libm::log2(ratio)).abs() < 1e-6);
        }
    }
}
