//! Simple quantization: a number in a range to an N-bit integer, and back.
//!
//! After N. Frechette's post "Animation Compression: Simple Quantization" (2016-11-15): normalize within a range, scale to
//! an integer, round. glTF's normalized integers are the special case of the ranges 0 to 1 ([`Quantizer::unsigned`]) and -1 to 1
//! ([`Quantizer::signed`]). All arithmetic is `f64`; rounding is half away from zero.
//!
//! Not here: where a range comes from beyond [`Range::of`], and how codes are packed into bytes.

use core::fmt;

/// The most bits a code may have: the significand of an `f32`.
pub const MAX_BITS: u32 = 24;

/// Why a number or a range was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantizeError {
    /// There are no codes of this many bits: unsigned ones have 1 to 24, symmetric signed ones 2 to 24.
    Bits(u32),
    /// A value or an end of a range is NaN or infinite, or overflows an `f32`.
    NotFinite,
    /// The range has no values.
    Empty,
    /// The width of the range overflows an `f32`.
    RangeTooLarge,
    /// The range is not a single value, but its step would be denormal as an `f32`: store it as a constant.
    RangeTooSmall,
}

impl fmt::Display for QuantizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bits(bits) => {
                write!(f, "{bits} bits: a code has 1 to {MAX_BITS}, a symmetric signed one 2 to {MAX_BITS}")
            }
            Self::NotFinite => f.write_str("a value is not a finite 32-bit float"),
            Self::Empty => f.write_str("the range is empty"),
            Self::RangeTooLarge => f.write_str("the range is wider than a 32-bit float can say"),
            Self::RangeTooSmall => f.write_str("the range is so narrow that its step would be denormal"),
        }
    }
}

impl core::error::Error for QuantizeError {}

/// The smallest interval that holds some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    min: f64,
    max: f64,
}

impl Range {
    /// The interval from `min` to `max`, which may be equal.
    pub fn new(min: f64, max: f64) -> Result<Self, QuantizeError> {
        match [min, max, max - min].map(|v| (v as f32).is_finite()) {
            [true, true, _] if min > max => Err(QuantizeError::Empty),
            [true, true, true] => Ok(Self { min, max }),
            [true, true, false] => Err(QuantizeError::RangeTooLarge),
            _ => Err(QuantizeError::NotFinite),
        }
    }

    /// The interval that the values span.
    pub fn of(values: impl IntoIterator<Item = f32>) -> Result<Self, QuantizeError> {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            if !value.is_finite() {
                return Err(QuantizeError::NotFinite);
            }
            (min, max) = (min.min(value.into()), max.max(value.into()));
        }
        if min > max { Err(QuantizeError::Empty) } else { Self::new(min, max) }
    }

    /// The lower end.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The upper end.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The width: zero for a constant.
    pub fn extent(&self) -> f64 {
        self.max - self.min
    }
}

/// Turns numbers of a range into codes and codes into numbers: `origin + code / last * extent`.
///
/// ```
/// use keyfold_core::quantize::{Quantizer, Range};
/// let turn = Range::new(-std::f64::consts::PI, std::f64::consts::PI)?;
/// let quantizer = Quantizer::unsigned(16, turn)?;
/// let code = quantizer.encode(0.25)?;
/// assert_eq!(code, 35375);
/// assert!((quantizer.decode(code) - 0.25).abs() <= quantizer.max_error());
/// # Ok::<(), keyfold_core::quantize::QuantizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer {
    /// The value of code 0, exactly.
    origin: f64,
    /// How much `last` is above that; zero for a constant.
    extent: f64,
    first: i32,
    last: i32,
}

impl Quantizer {
    /// Codes `0..=2^bits - 1` over the whole range; both ends are exact. All codes of a range of one value mean that value.
    pub fn unsigned(bits: u32, range: Range) -> Result<Self, QuantizeError> {
        let last = last_code(bits).ok_or(QuantizeError::Bits(bits))?;
        Self { origin: range.min, extent: range.extent(), first: 0, last }.checked()
    }

    /// Codes `-m..=m` with `m = 2^(bits - 1) - 1` over `-bound..=bound`: the most negative integer is never written, so
    /// both halves are alike and zero is exact.
    pub fn signed(bits: u32, bound: f64) -> Result<Self, QuantizeError> {
        let last = bits.checked_sub(1).filter(|_| bits <= MAX_BITS).and_then(last_code);
        let last = last.ok_or(QuantizeError::Bits(bits))?;
        Range::new(-bound, bound)?;
        Self { origin: 0.0, extent: bound, first: -last, last }.checked()
    }

    fn checked(self) -> Result<Self, QuantizeError> {
        let is_denormal = self.extent > 0.0 && self.step() < f64::from(f32::MIN_POSITIVE);
        if is_denormal { Err(QuantizeError::RangeTooSmall) } else { Ok(self) }
    }

    /// The nearest code; halves go away from code 0. A finite value outside the range has the code of the
    /// nearer end.
    pub fn encode(&self, value: f64) -> Result<i32, QuantizeError> {
        if !value.is_finite() {
            return Err(QuantizeError::NotFinite);
        }
        if self.extent == 0.0 {
            return Ok(0);
        }
        // Saturates: a value far outside does not wrap.
        let code = libm::round((value - self.origin) / self.extent * f64::from(self.last)) as i32;
        Ok(code.clamp(self.first, self.last))
    }

    /// The value of a code; one beyond the first or the last counts as that.
    pub fn decode(&self, code: i32) -> f64 {
        // Dividing before scaling makes the ends, and glTF's equations, exact.
        self.origin + f64::from(code.clamp(self.first, self.last)) / f64::from(self.last) * self.extent
    }

    /// The difference of neighbouring codes' values; zero for a constant.
    pub fn step(&self) -> f64 {
        self.extent / f64::from(self.last)
    }

    /// How much the largest code is above code 0; zero for a constant.
    pub fn extent(&self) -> f64 {
        self.extent
    }

    /// The largest error of a value within the range: half a step (a value rounded to `f32` adds half its ulp).
    pub fn max_error(&self) -> f64 {
        self.step() / 2.0
    }
}

fn last_code(bits: u32) -> Option<i32> {
    (1..=MAX_BITS).contains(&bits).then(|| (1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::PI;

    use super::*;

    fn half_ulp(v: f32) -> f64 {
        let v = v.abs();
        (f64::from(v.next_up()) - f64::from(v)) / 2.0
    }

    fn range(min: f64, max: f64) -> Range {
        Range::new(min, max).unwrap()
    }

    /// Encodes and decodes every value as an `f32` and compares with the promise.
    fn check(q: &Quantizer, values: impl IntoIterator<Item = f32>) {
        for v in values {
            let code = q.encode(v.into()).unwrap();
            assert!((q.first..=q.last).contains(&code));
            let back = q.decode(code) as f32;
            let error = (f64::from(back) - f64::from(v)).abs();
            assert!(error <= q.max_error() + half_ulp(back), "{q:?}: {v} -> {code} -> {back}, off by {error}");
        }
    }

    #[test]
    fn the_posts_signed_example() {
        let q = Quantizer::signed(16, PI).unwrap();
        assert_eq!(q.encode(0.25), Ok(2608));
        assert_eq!(q.encode(-0.25), Ok(-2608));
        assert!((q.decode(2608) - 0.25).abs() <= q.max_error());
        assert_eq!(q.decode(2608), 2608.0 / 32767.0 * PI);
    }

    #[test]
    fn the_posts_unsigned_example() {
        let q = Quantizer::unsigned(16, range(-PI, PI)).unwrap();
        assert_eq!(q.encode(0.25), Ok(35375));
        assert!((q.decode(35375) - 0.25).abs() <= q.max_error());
        assert_eq!(q.max_error(), PI / 65535.0);
    }

    #[test]
    fn gltf_equations_to_the_bit() {
        let unsigned = |bits| Quantizer::unsigned(bits, range(0.0, 1.0)).unwrap();
        let signed = |bits| Quantizer::signed(bits, 1.0).unwrap();
        for c in 0..=255i32 {
            assert_eq!(unsigned(8).decode(c) as f32, c as f32 / 255.0);
            assert_eq!(signed(8).decode(c - 128) as f32, ((c - 128) as f32 / 127.0).max(-1.0));
        }
        for c in 0..=65535i32 {
            assert_eq!(unsigned(16).decode(c) as f32, c as f32 / 65535.0);
            assert_eq!(signed(16).decode(c - 32768) as f32, ((c - 32768) as f32 / 32767.0).max(-1.0));
            assert_eq!(unsigned(16).encode((c as f32 / 65535.0).into()), Ok(c));
        }
        assert_eq!(signed(16).encode(-1.0), Ok(-32767));
    }

    #[test]
    fn every_depth_keeps_within_half_a_step() {
        arbtest::arbtest(|u| {
            let spread = 10f32.powi(u.int_in_range(-20..=20)?);
            let at = 10f32.powi(u.int_in_range(-20..=20)?) * u.int_in_range(-100..=100)? as f32 / 100.0;
            let values: std::vec::Vec<f32> = (0..40)
                .map(|_| Ok(at + spread * (u.arbitrary::<i32>()? as f32 / i32::MAX as f32)))
                .collect::<Result<_, _>>()?;
            let range = Range::of(values.iter().copied()).unwrap();
            let bound = range.min().abs().max(range.max().abs());
            let ends = [range.min() as f32, range.max() as f32];
            for bits in 1..=MAX_BITS {
                let unsigned = Quantizer::unsigned(bits, range).unwrap();
                check(&unsigned, values.iter().copied().chain(ends));
                assert!(ends.iter().all(|e| unsigned.decode(unsigned.encode((*e).into()).unwrap()) as f32 == *e));
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
        assert_eq!([0.5, 1.5, -0.5, -1.5, 0.49].map(|v| q.encode(v).unwrap()), [1, 2, -1, -2, 0]);
    }

    #[test]
    fn one_value_is_a_constant() {
        let q = Quantizer::unsigned(7, range(3.5, 3.5)).unwrap();
        assert_eq!((q.encode(9.0), q.decode(0), q.decode(99), q.step()), (Ok(0), 3.5, 3.5, 0.0));
        assert_eq!(Quantizer::signed(7, 0.0).unwrap().decode(5), 0.0);
    }

    #[test]
    fn values_outside_go_to_the_nearer_end() {
        let q = Quantizer::unsigned(8, range(0.0, 1.0)).unwrap();
        assert_eq!((q.encode(-1e30), q.encode(1e300), q.decode(-7), q.decode(999)), (Ok(0), Ok(255), 0.0, 1.0));
    }

    #[test]
    fn refuses_what_has_no_code() {
        let (tiny, huge) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
        for bits in [0, 25, u32::MAX] {
            assert_eq!(Quantizer::unsigned(bits, range(0.0, 1.0)), Err(QuantizeError::Bits(bits)));
            assert_eq!(Quantizer::signed(bits, 1.0), Err(QuantizeError::Bits(bits)));
        }
        assert_eq!(Quantizer::signed(1, 1.0), Err(QuantizeError::Bits(1)));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
            assert_eq!(Range::new(bad, bad), Err(QuantizeError::NotFinite));
            assert_eq!(Range::of([0.0, bad as f32]), Err(QuantizeError::NotFinite));
            assert_eq!(Quantizer::signed(8, bad), Err(QuantizeError::NotFinite));
        }
        let q = Quantizer::unsigned(8, range(0.0, 1.0)).unwrap();
        assert_eq!(q.encode(f64::NAN), Err(QuantizeError::NotFinite));
        assert_eq!(q.encode(f64::INFINITY), Err(QuantizeError::NotFinite));
        assert_eq!(Range::new(1.0, 0.0), Err(QuantizeError::Empty));
        assert_eq!(Range::of([]), Err(QuantizeError::Empty));
        assert_eq!(Range::new(-huge, huge), Err(QuantizeError::RangeTooLarge));
        assert_eq!(Quantizer::unsigned(8, range(0.0, tiny)), Err(QuantizeError::RangeTooSmall));
        assert_eq!(Quantizer::unsigned(24, range(0.0, 1e-42)), Err(QuantizeError::RangeTooSmall));
        // Denormal values in a wide range are ordinary numbers near zero.
        assert_eq!(q.encode(1e-42), Ok(0));
    }
}
