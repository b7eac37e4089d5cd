//! Simple quantization: a number in a range to an N-bit integer, and back.
//!
//! After N. Frechette's post "Animation Compression: Simple Quantization" (2016-11-15): normalize within a range,
//! scale to an integer, round. glTF's normalized integers are the special case of the ranges 0 to 1
//! ([`Quantizer::unsigned`]) and -1 to 1 ([`Quantizer::signed`]). All arithmetic is `f64`; rounding is half away from
//! zero.
//!
//! Not here: where a range comes from, and how codes are packed into bytes.

/// The bits of a code without its sign: at most the significand of an `f32`.
const BITS: core::ops::RangeInclusive<u32> = 1..=24;

/// Converts numbers of a range to codes and back: `origin + code / last * extent`. A value within the range comes
/// back with an error of at most half a step (rounding it to `f32` adds half its ulp).
///
/// ```
/// use keyfold_core::quantize::Quantizer;
/// use std::f64::consts::PI;
/// let quantizer = Quantizer::unsigned(16, -PI, PI).expect("16 bits, and a range of floats");
/// let code = quantizer.encode(0.25);
/// assert_eq!(code, 35375);
/// assert!((quantizer.decode(code) - 0.25).abs() <= quantizer.step() / 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer {
    /// The value of code 0, exactly.
    origin: f64,
    /// The difference to the value of the last code; zero for a constant.
    extent: f64,
    first: i32,
    last: i32,
}

impl Quantizer {
    /// Codes `0..=2^bits - 1` from `min` to `max`; both ends are exact. All codes of a range of one value mean that
    /// value.
    ///
    /// `None` unless there are 1 to 24 bits, the ends and their distance are finite as `f32`, and the step is not a
    /// denormal `f32`.
    pub fn unsigned(bits: u32, min: f64, max: f64) -> Option<Self> {
        Self::new(bits, min, max - min, 0)
    }

    /// Codes `-m..=m` with `m = 2^(bits - 1) - 1` over `-bound..=bound`. The most negative integer is never written,
    /// so both halves are alike and zero is exact. `None` as for [`unsigned`](Self::unsigned), but with 2 to 25 bits.
    pub fn signed(bits: u32, bound: f64) -> Option<Self> {
        Self::new(bits.checked_sub(1)?, 0.0, bound, -1)
    }

    /// The first code is the last one times `first`.
    fn new(bits: u32, origin: f64, extent: f64, first: i32) -> Option<Self> {
        let last = BITS.contains(&bits).then(|| (1 << bits) - 1)?;
        let grid = Self { origin, extent, first: first * last, last };
        let [low, high] = [grid.decode(grid.first), grid.decode(last)];
        let is_finite = [low, high, high - low].iter().all(|v| (*v as f32).is_finite());
        (is_finite && (extent == 0.0 || grid.step() >= f64::from(f32::MIN_POSITIVE))).then_some(grid)
    }

    /// The nearest code; halves round away from code 0. A value outside the range gets the code of the nearer end,
    /// NaN gets code 0.
    pub fn encode(&self, value: f64) -> i32 {
        if self.extent == 0.0 {
            return 0;
        }
        // Saturates: a value far outside does not wrap.
        let code = libm::round((value - self.origin) / self.extent * f64::from(self.last)) as i32;
        code.clamp(self.first, self.last)
    }

    /// The value of a code; codes outside the range clamp to the first or last one.
    pub fn decode(&self, code: i32) -> f64 {
        // Dividing before scaling makes the ends, and glTF's equations, exact.
        self.origin + f64::from(code.clamp(self.first, self.last)) / f64::from(self.last) * self.extent
    }

    /// The difference between the values of neighbouring codes; zero for a constant.
    pub fn step(&self) -> f64 {
        self.extent / f64::from(self.last)
    }

    /// The difference between the values of the largest code and of code 0; zero for a constant.
    pub fn extent(&self) -> f64 {
        self.extent
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::PI;

    use super::*;

    fn half_ulp(v: f32) -> f64 {
        let v = v.abs();
        (f64::from(v.next_up()) - f64::from(v)) / 2.0
    }

    /// Encodes and decodes every value as an `f32` and compares with the promise.
    fn check(q: &Quantizer, values: impl IntoIterator<Item = f32>) {
        for v in values {
            let code = q.encode(v.into());
            assert!((q.first..=q.last).contains(&code));
            let back = q.decode(code) as f32;
            let error = (f64::from(back) - f64::from(v)).abs();
            assert!(error <= q.step() / 2.0 + half_ulp(back), "{q:?}: {v} -> {code} -> {back}, off by {error}");
        }
    }

    #[test]
    fn the_posts_signed_example() {
        let q = Quantizer::signed(16, PI).unwrap();
        assert_eq!(q.encode(0.25), 2608);
        assert_eq!(q.encode(-0.25), -2608);
        assert!((q.decode(2608) - 0.25).abs() <= q.step() / 2.0);
        assert_eq!(q.decode(2608), 2608.0 / 32767.0 * PI);
    }

    #[test]
    fn the_posts_unsigned_example() {
        let q = Quantizer::unsigned(16, -PI, PI).unwrap();
        assert_eq!(q.encode(0.25), 35375);
        assert!((q.decode(35375) - 0.25).abs() <= q.step() / 2.0);
        assert_eq!(q.step(), 2.0 * PI / 65535.0);
    }

    #[test]
    fn gltf_equations_to_the_bit() {
        let unsigned = |bits| Quantizer::unsigned(bits, 0.0, 1.0).unwrap();
        let signed = |bits| Quantizer::signed(bits, 1.0).unwrap();
        for c in 0..=255i32 {
            assert_eq!(unsigned(8).decode(c) as f32, c as f32 / 255.0);
            assert_eq!(signed(8).decode(c - 128) as f32, ((c - 128) as f32 / 127.0).max(-1.0));
        }
        for c in 0..=65535i32 {
            assert_eq!(unsigned(16).decode(c) as f32, c as f32 / 65535.0);
            assert_eq!(signed(16).decode(c - 32768) as f32, ((c - 32768) as f32 / 32767.0).max(-1.0));
            assert_eq!(unsigned(16).encode((c as f32 / 65535.0).into()), c);
        }
        assert_eq!(signed(16).encode(-1.0), -32767);
    }

    #[test]
    fn every_depth_keeps_within_half_a_step() {
        arbtest::arbtest(|u| {
            let spread = 10f32.powi(u.int_in_range(-20..=20)?);
            let at = 10f32.powi(u.int_in_range(-20..=20)?) * u.int_in_range(-100..=100)? as f32 / 100.0;
            let values: std::vec::Vec<f32> = (0..40)
                .map(|_| Ok(at + spread * (u.arbitrary::<i32>()? as f32 / i32::MAX as f32)))
                .collect::<Result<_, _>>()?;
            let ends = [values.iter().copied().fold(at, f32::min), values.iter().copied().fold(at, f32::max)];
            let [min, max] = ends.map(f64::from);
            let bound = min.abs().max(max.abs());
            for bits in BITS {
                let unsigned = Quantizer::unsigned(bits, min, max).unwrap();
                check(&unsigned, values.iter().copied().chain(ends));
                assert!(ends.iter().all(|e| unsigned.decode(unsigned.encode((*e).into())) as f32 == *e));
                if bits > 1 {
                    check(&Quantizer::signed(bits, bound).unwrap(), values.iter().copied().chain([0.0]));
                }
            }
            Ok(())
        })
        .budget_ms(500);
    }

    #[test]
    fn rounds_half_away_from_zero() {
        let q = Quantizer::signed(8, 127.0).unwrap();
        assert_eq!([0.5, 1.5, -0.5, -1.5, 0.49].map(|v| q.encode(v)), [1, 2, -1, -2, 0]);
    }

    #[test]
    fn one_value_is_a_constant() {
        let q = Quantizer::unsigned(7, 3.5, 3.5).unwrap();
        assert_eq!((q.encode(9.0), q.decode(0), q.decode(99), q.step()), (0, 3.5, 3.5, 0.0));
        assert_eq!(Quantizer::signed(7, 0.0).unwrap().decode(5), 0.0);
    }

    #[test]
    fn values_outside_go_to_the_nearer_end() {
        let q = Quantizer::unsigned(8, 0.0, 1.0).unwrap();
        assert_eq!((q.encode(-1e30), q.encode(1e300), q.decode(-7), q.decode(999)), (0, 255, 0.0, 1.0));
    }

    #[test]
    fn refuses_what_has_no_code() {
        let (tiny, huge) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
        for bits in [0, 25, u32::MAX] {
            assert_eq!(Quantizer::unsigned(bits, 0.0, 1.0), None);
        }
        for bits in [0, 1, 26, u32::MAX] {
            assert_eq!(Quantizer::signed(bits, 1.0), None);
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
            assert_eq!((Quantizer::unsigned(8, bad, bad), Quantizer::unsigned(8, 0.0, bad)), (None, None));
            assert_eq!(Quantizer::signed(8, bad), None);
        }
        for (bits, min, max) in [(8, 1.0, 0.0), (8, -huge, huge), (8, 0.0, tiny), (24, 0.0, 1e-42)] {
            assert_eq!(Quantizer::unsigned(bits, min, max), None);
        }
        assert_eq!(Quantizer::signed(8, -1.0), None);
        // Denormal values in a wide range are ordinary numbers near zero.
        let q = Quantizer::unsigned(8, 0.0, 1.0).unwrap();
        assert_eq!([1e-42, f64::NAN, f64::INFINITY].map(|v| q.encode(v)), [0, 0, 255]);
    }
}
