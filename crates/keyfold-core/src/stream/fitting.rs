//! Integers for floats, nothing lost: equal steps where the floats are such, else the floats' own order.

use super::{
    decode::{Steps, float_code},
    head::Coding,
    series::cheaper,
};
use alloc::vec::Vec;

/// Divisors that are tried: frame rates, and what normalized integers stand for.
const DIVISORS: [u32; 16] = [24, 25, 30, 60, 120, 48, 50, 90, 100, 240, 15, 12, 29, 1000, 255, 65_535];
/// Codes of equal steps are smaller than this: beyond, a float's own order is shorter.
const LARGEST: f64 = (1u32 << 30) as f64;

/// The cheapest coding that gives back exactly these floats, of which `width` stand at each key, and their codes.
pub fn fitting(values: &[f32], width: usize) -> (Coding, Vec<i32>) {
    let floats = || (Coding::Floats, values.iter().map(|v| float_code(*v)).collect::<Vec<i32>>());
    let divided = DIVISORS.into_iter().find_map(|divisor| stepped(values, 1, divisor, 0));
    let candidates = [divided, multiples_of_one(values), powers(values)].into_iter().flatten().chain([floats()]);
    let mut best: Option<(f64, Coding, Vec<i32>)> = None;
    for (coding, codes) in candidates {
        let least = best.as_ref().map_or(f64::INFINITY, |best| best.0);
        if let Some((_, bits)) = cheaper(&codes, width, least) {
            best = Some((bits, coding, codes));
        }
    }
    best.map_or_else(floats, |(_, coding, codes)| (coding, codes))
}

/// The codes of values that are exactly such multiples.
fn stepped(values: &[f32], multiplier: u32, divisor: u32, exponent: i32) -> Option<(Coding, Vec<i32>)> {
    let steps = Steps::new(multiplier, divisor, exponent);
    let step = steps.step();
    let code = |value: &f32| {
        let code = libm::rint(f64::from(*value) / step);
        let exact = libm::fabs(code) < LARGEST && steps.value(code as i32).to_bits() == value.to_bits();
        exact.then_some(code as i32)
    };
    let codes = values.iter().map(code).collect::<Option<_>>()?;
    Some((Coding::Steps { multiplier, divisor, exponent }, codes))
}

/// Multiples of the smallest value: times that were multiplied in floats.
fn multiples_of_one(values: &[f32]) -> Option<(Coding, Vec<i32>)> {
    let smallest = values.iter().copied().filter(|v| *v > 0.0).reduce(f32::min)?;
    let (multiplier, exponent) = parts(smallest);
    stepped(values, multiplier, 1, exponent)
}

/// Multiples of the largest power of two that all values are multiples of.
fn powers(values: &[f32]) -> Option<(Coding, Vec<i32>)> {
    let exponent = values.iter().filter(|v| **v != 0.0).map(|v| parts(*v).1).min().unwrap_or(0);
    stepped(values, 1, 1, exponent)
}

/// A float as an odd number (or zero) times a power of two.
fn parts(value: f32) -> (u32, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xFF) as i32, bits & 0x7F_FFFF);
    let (number, exponent) = if exponent == 0 { (fraction, -149) } else { (fraction | 0x80_0000, exponent - 150) };
    let zeros = number.trailing_zeros().min(31);
    (number >> zeros, exponent + zeros as i32)
}
