//! Simple quantization: a number in a range to an N-bit integer, and back.
//!
//! After N. Frechette's post "Animation Compression: Simple Quantization" (2016-11-15): normalize within a range, scale to
//! an integer, round. glTF's normalized integers ([`Quantizer::gltf_unsigned`], [`Quantizer::gltf_signed`]) are the special
//! case of the ranges 0 to 1 and -1 to 1. All arithmetic is `f64`; rounding is half away from zero.
//!
//! Not here: where a range comes from beyond [`Range::of`], and how codes are packed into bytes.

use core::fmt;

/// The most bits a code may have: the significand of an `f32`.
pub const MAX_BITS: u32 = 24;

/// Why a number or a range was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// One bit has no code left for a zero between two ends.
    NoRoomForZero,
    /// Values of so many components have another number of grids.
    Grids {
        /// One for each component.
        needed: usize,
        /// How many there are.
        given: usize,
    },
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
            Self::NoRoomForZero => f.write_str("one bit has no code for a zero between the ends of the range"),
            Self::Grids { needed, given } => write!(f, "{given} grids for values of {needed} components"),
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
        if [min, max].iter().any(|v| !(*v as f32).is_finite()) {
            return Err(QuantizeError::NotFinite);
        }
        if min > max {
            return Err(QuantizeError::Empty);
        }
        match ((max - min) as f32).is_finite() {
            true => Ok(Self { min, max }),
            false => Err(QuantizeError::RangeTooLarge),
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

/// Turns numbers of a range into codes and codes into numbers: `origin + (code - pivot) / steps * extent`.
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
    /// The value of the code `pivot`, exactly.
    origin: f64,
    pivot: i32,
    /// `steps` steps wide; zero for a constant.
    extent: f64,
    steps: i32,
    first: i32,
    last: i32,
}

impl Quantizer {
    /// Codes `0..=2^bits - 1` over the whole range; both ends are exact. A range of one value has the code 0 alone.
    pub fn unsigned(bits: u32, range: Range) -> Result<Self, QuantizeError> {
        let last = last_code(bits)?;
        Self { origin: range.min, pivot: 0, extent: range.extent(), steps: last, first: 0, last }.checked()
    }

    /// Unsigned codes over the range, widened to hold zero and to put zero exactly on a code. The step grows by as little
    /// as that takes: -1 to 1 in 16 bits has 65534 steps instead of 65535.
    pub fn unsigned_with_zero(bits: u32, range: Range) -> Result<Self, QuantizeError> {
        let last = last_code(bits)?;
        let (below, above) = ((-range.min).max(0.0), range.max.max(0.0));
        // The step that a zero at code `z` needs, to reach both ends.
        let step = |z: i32| part(below, z).max(part(above, last - z));
        let ideal = libm::floor(f64::from(last) * below / (below + above).max(f64::MIN_POSITIVE)) as i32;
        let ideal = ideal.min(last - 1);
        let pivot = if step(ideal) <= step(ideal + 1) { ideal } else { ideal + 1 };
        if step(pivot).is_infinite() {
            return Err(QuantizeError::NoRoomForZero);
        }
        let extent = step(pivot) * f64::from(last);
        Self { origin: 0.0, pivot, extent, steps: last, first: 0, last }.checked()
    }

    /// Codes `-m..=m` with `m = 2^(bits - 1) - 1` over `-bound..=bound`: the most negative integer is never written, so
    /// both halves are alike and zero is exact.
    pub fn signed(bits: u32, bound: f64) -> Result<Self, QuantizeError> {
        let last = bits.checked_sub(1).and_then(|bits| last_code(bits).ok()).filter(|_| bits <= MAX_BITS);
        let last = last.ok_or(QuantizeError::Bits(bits))?;
        Range::new(-bound, bound)?;
        Self { origin: 0.0, pivot: 0, extent: bound, steps: last, first: -last, last }.checked()
    }

    /// glTF's normalized `u8` or `u16`: `f = c / 255` or `c / 65535`.
    pub fn gltf_unsigned(bits: u32) -> Result<Self, QuantizeError> {
        gltf_bits(bits)?;
        Self::unsigned(bits, Range { min: 0.0, max: 1.0 })
    }

    /// glTF's normalized `i8` or `i16`: `f = max(c / 127, -1)` or `max(c / 32767, -1)`.
    pub fn gltf_signed(bits: u32) -> Result<Self, QuantizeError> {
        gltf_bits(bits)?;
        Self::signed(bits, 1.0)
    }

    fn checked(self) -> Result<Self, QuantizeError> {
        if self.extent == 0.0 {
            return Ok(Self { first: self.pivot, last: self.pivot, ..self });
        }
        if !((self.extent as f32).is_finite()) {
            return Err(QuantizeError::RangeTooLarge);
        }
        match self.step() < f64::from(f32::MIN_POSITIVE) {
            true => Err(QuantizeError::RangeTooSmall),
            false => Ok(self),
        }
    }

    /// The nearest code; halves go away from the pivot's value. A finite value outside the range has the code of the
    /// nearer end.
    pub fn encode(&self, value: f64) -> Result<i32, QuantizeError> {
        if !value.is_finite() {
            return Err(QuantizeError::NotFinite);
        }
        if self.extent == 0.0 {
            return Ok(self.pivot);
        }
        let steps = libm::round((value - self.origin) / self.extent * f64::from(self.steps));
        // Saturates: a value far outside must not wrap.
        Ok((steps as i32).saturating_add(self.pivot).clamp(self.first, self.last))
    }

    /// The value of a code; one outside [`codes`](Self::codes) counts as the nearer end.
    pub fn decode(&self, code: i32) -> f64 {
        let steps = code.clamp(self.first, self.last) - self.pivot;
        // Dividing before scaling makes the ends, and glTF's equations, exact.
        self.origin + f64::from(steps) / f64::from(self.steps) * self.extent
    }

    /// The first and the last code.
    pub fn codes(&self) -> core::ops::RangeInclusive<i32> {
        self.first..=self.last
    }

    /// The difference of neighbouring codes' values; zero for a constant.
    pub fn step(&self) -> f64 {
        self.extent / f64::from(self.steps)
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

fn last_code(bits: u32) -> Result<i32, QuantizeError> {
    match bits {
        1..=MAX_BITS => Ok((1 << bits) - 1),
        _ => Err(QuantizeError::Bits(bits)),
    }
}

fn gltf_bits(bits: u32) -> Result<(), QuantizeError> {
    if matches!(bits, 8 | 16) { Ok(()) } else { Err(QuantizeError::Bits(bits)) }
}

/// A length divided into `n` parts; a length with no parts to cover it is infinitely far from covered.
fn part(length: f64, n: i32) -> f64 {
    match (length > 0.0, n > 0) {
        (false, _) => 0.0,
        (true, true) => length / f64::from(n),
        (true, false) => f64::INFINITY,
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

    fn range(min: f64, max: f64) -> Range {
        Range::new(min, max).unwrap()
    }

    /// Encodes and decodes every value as an `f32` and compares with the promise.
    fn check(q: &Quantizer, values: impl IntoIterator<Item = f32>) {
        for v in values {
            let code = q.encode(v.into()).unwrap();
            assert!(q.codes().contains(&code));
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
        for c in 0..=255i32 {
            assert_eq!(Quantizer::gltf_unsigned(8).unwrap().decode(c) as f32, c as f32 / 255.0);
        }
        for c in -128..=127i32 {
            assert_eq!(Quantizer::gltf_signed(8).unwrap().decode(c) as f32, (c as f32 / 127.0).max(-1.0));
        }
        for c in 0..=65535i32 {
            let (u, s) = (Quantizer::gltf_unsigned(16).unwrap(), Quantizer::gltf_signed(16).unwrap());
            assert_eq!(u.decode(c) as f32, c as f32 / 65535.0);
            assert_eq!(s.decode(c - 32768) as f32, ((c - 32768) as f32 / 32767.0).max(-1.0));
            assert_eq!(u.encode((c as f32 / 65535.0).into()), Ok(c));
        }
        assert_eq!(Quantizer::gltf_signed(16).unwrap().encode(-1.0), Ok(-32767));
        assert_eq!(Quantizer::gltf_signed(12), Err(QuantizeError::Bits(12)));
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
                    let with_zero = Quantizer::unsigned_with_zero(bits, range).unwrap();
                    check(&with_zero, values.iter().copied().chain(ends).chain([0.0]));
                    assert_eq!(with_zero.decode(with_zero.encode(0.0).unwrap()), 0.0);
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
    fn zero_is_exact_where_asked() {
        let q = Quantizer::unsigned_with_zero(16, range(-1.0, 1.0)).unwrap();
        let zero = q.encode(0.0).unwrap();
        assert_eq!((q.decode(zero), q.step()), (0.0, 2.0 / 65534.0));
        assert!(Quantizer::unsigned(16, range(-1.0, 1.0)).map(|q| q.decode(q.encode(0.0).unwrap())).unwrap() != 0.0);
        // A range beside zero is widened to it.
        let q = Quantizer::unsigned_with_zero(8, range(1.0, 2.0)).unwrap();
        assert_eq!((q.encode(0.0), q.encode(2.0), q.decode(255)), (Ok(0), Ok(255), 2.0));
        assert_eq!(Quantizer::unsigned_with_zero(1, range(-1.0, 1.0)), Err(QuantizeError::NoRoomForZero));
        assert_eq!(Quantizer::unsigned_with_zero(1, range(-1.0, 0.0)).unwrap().decode(0), -1.0);
    }

    #[test]
    fn one_value_is_a_constant() {
        let q = Quantizer::unsigned(7, range(3.5, 3.5)).unwrap();
        assert_eq!((q.encode(9.0), q.decode(0), q.decode(99), q.step()), (Ok(0), 3.5, 3.5, 0.0));
        let q = Quantizer::unsigned_with_zero(7, range(0.0, 0.0)).unwrap();
        assert_eq!((q.encode(0.0), q.decode(0)), (Ok(0), 0.0));
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
        assert_eq!(Quantizer::unsigned_with_zero(2, range(-huge / 2.0, huge / 2.0)), Err(QuantizeError::RangeTooLarge));
        assert_eq!(Quantizer::unsigned(8, range(0.0, tiny)), Err(QuantizeError::RangeTooSmall));
        assert_eq!(Quantizer::unsigned(24, range(0.0, 1e-42)), Err(QuantizeError::RangeTooSmall));
        // Denormal values in a wide range are ordinary numbers near zero.
        assert_eq!(q.encode(1e-42), Ok(0));
    }
}
