//! meshopt's QUATERNION filter with steps of any size: EXT_meshopt_compression, appendix B.
//!
//! An element holds three components as integers. The fourth integer stands for the square root of a half;
//! its two low bits, taken as set for that, say which component was left out. meshoptimizer's encoder only
//! offers powers of two for it; decoders accept any.

use super::grid::{SHORT, largest, power_of_two_within, round};
use crate::quat::{self, Quat};

/// The largest useful integer for the square root of a half: its steps are as fine as the decoded shorts.
const MOST: i32 = 23_167;

/// The scales per power of two. Few sizes let tracks share one, so that their elements continue without
/// jumps. Budgets are no more exact.
const SIZES: [f64; 4] = [1.189_207_115, core::f64::consts::SQRT_2, 1.681_792_831, 2.0];

/// About the coarsest scale with a step of at most `step`, a component of a unit quaternion. `None` if the
/// decoded normalized shorts would be coarser.
pub fn scale_within(step: f64) -> Option<i32> {
    let wanted = 1.0 / (step * core::f64::consts::SQRT_2);
    let size = SIZES.iter().map(|size| size * power_of_two_within(wanted)).find(|size| *size >= wanted)?;
    (wanted <= f64::from(MOST)).then(|| (size.min(f64::from(MOST)) as i32 - 1).max(0) | 3)
}

/// Encodes a rotation without one of its components, or without the largest. The smaller the component that
/// is left out, the less exactly it is rebuilt.
#[inline]
pub fn encode(q: Quat, scale: i32, left_out: Option<usize>) -> [i16; 4] {
    let left_out = left_out.unwrap_or_else(|| largest(q));
    let q = if q[left_out] < 0.0 { quat::negate(q) } else { q };
    let factor = f64::from(scale) * core::f64::consts::SQRT_2;
    let code = |i: usize| round(q[(left_out + i) % 4] * factor).clamp(-SHORT, SHORT) as i16;
    [code(1), code(2), code(3), (scale & !3) as i16 | left_out as i16]
}

/// Decodes an element to normalized shorts. All operations are on 32-bit floats, in the order of
/// meshoptimizer's scalar decoder. Its SIMD decoders differ in the last digit of few elements.
#[inline]
pub fn decode(element: [i16; 4]) -> [i16; 4] {
    let [x, y, z, last] = element;
    let scale = f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(f32::from);
    let w = libm::sqrtf((scale * scale * 2.0 - x * x - y * y - z * z).max(0.0));
    let factor = (SHORT as f32 / core::f32::consts::SQRT_2) / scale;
    let short = |c: f32| (c * factor + if c >= 0.0 { 0.5 } else { -0.5 }) as i32 as i16;
    let left_out = (last & 3) as usize;
    let mut out = [0; 4];
    for (i, c) in [w, x, y, z].into_iter().enumerate() {
        out[(left_out + i) & 3] = short(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_decode_near_the_rotation() {
        for scale in [43, 1027, 16387, MOST | 3] {
            for i in 0..500 {
                let q = quat::exp([f64::from(i) * 0.013, libm::sin(f64::from(i) * 0.1), 0.4]);
                let back = quat::normalize(decode(encode(q, scale, None)).map(|c| f64::from(c) / 32767.0));
                assert!(quat::angle(q, back) < 2.5 / f64::from(scale) + 1e-4, "{scale}");
            }
        }
    }

    #[test]
    fn the_component_that_is_left_out_need_not_be_the_largest() {
        for i in 0..100 {
            let q = quat::exp([0.9 + 0.003 * f64::from(i), 0.1, 0.2]);
            let (element, scale) = (encode(q, 4095, Some(3)), 4095);
            let back = quat::normalize(decode(element).map(|c| f64::from(c) / 32767.0));
            assert!(element[3] & 3 == 3 && quat::angle(q, back) < 6.0 / f64::from(scale) + 1e-4, "{i}");
        }
    }

    #[test]
    fn scales_are_marked_and_end_where_shorts_do() {
        assert!([0.3, 0.01, 1e-4].iter().all(|step| scale_within(*step).is_some_and(|s| s & 3 == 3)));
        assert_eq!(scale_within(1e-5), None);
        assert!(f64::from(MOST) * core::f64::consts::SQRT_2 <= f64::from(SHORT));
    }

    #[test]
    fn the_component_that_was_left_out_goes_to_its_place() {
        for i in 0..4 {
            assert_eq!(decode([0, 0, 0, 1020 | i as i16]), core::array::from_fn(|c| if c == i { 32767 } else { 0 }));
        }
    }

    #[test]
    fn rounding_is_that_of_the_scalar_filter() {
        // meshoptimizer's SSE decoder has another last digit in each of these.
        for (element, expected) in SCALAR {
            assert_eq!(decode(element), expected);
        }
    }

    const SCALAR: [([i16; 4], [i16; 4]); 4] = [
        ([3148, 4616, -9805, 21884], [30512, 3333, 4887, -10380]),
        ([8916, -14960, -12989, 31047], [6654, -11164, -9693, 28475]),
        ([-5656, 5255, 7908, 23133], [7920, 30841, -5665, 5263]),
        ([-4234, -4823, -566, 10010], [-11163, -1310, 29178, -9799]),
    ];
}
