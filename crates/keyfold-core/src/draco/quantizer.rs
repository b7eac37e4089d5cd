//! Quantization (coder 2): floats on a grid of 2^bits steps over one range for all components.
//!
//! Every operation rounds to f32, in this order, as libdraco's do; no fused multiply-add.

use alloc::vec::Vec;

use super::cursor::Cursor;
use super::error::{DecodeError, Element, EncodeFault, Fault};

/// The grid of a quantized attribute: its parameter block.
///
/// ```
/// use keyfold_core::draco::Quantizer;
/// let quantizer = Quantizer::fit(&[0.0, 10.0, 2.0], 1, 8).unwrap();
/// let indices = quantizer.quantize(&[0.0, 10.0, 2.0]).unwrap();
/// assert_eq!(indices, [0, 255, 51]);
/// assert_eq!(quantizer.dequantize(indices), [0.0, 10.0, 2.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quantizer {
    /// The smallest value of each component: index 0.
    pub minimum: Vec<f32>,
    /// The range that 2^bits - 1 steps cover, the same for all components.
    pub range: f32,
    /// The number of bits, 1..=30.
    pub bits: u8,
}

const BITS: core::ops::RangeInclusive<u8> = 1..=30;

impl Quantizer {
    /// The tightest grid around `values`, rows of `components` each. A range of zero becomes one.
    pub fn fit(values: &[f32], components: usize, bits: u8) -> Result<Quantizer, EncodeFault> {
        if components == 0 || values.is_empty() || !values.len().is_multiple_of(components) {
            return Err(EncodeFault::Length);
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(EncodeFault::NotFinite);
        }
        let least = |low: f32, value: &f32| if *value < low { *value } else { low };
        let column = |component: usize| values.iter().skip(component).step_by(components);
        let minimum: Vec<f32> = (0..components).map(|component| column(component).fold(f32::INFINITY, least)).collect();
        let extents = values.iter().zip(minimum.iter().cycle()).map(|(value, low)| value - low);
        let range = Some(extents.fold(0.0, f32::max)).filter(|range| *range > 0.0).unwrap_or(1.0);
        let quantizer = Quantizer { minimum, range, bits };
        quantizer.check(components).map(|()| quantizer)
    }

    /// Refuses a grid that no stream can hold, or that is for another number of components.
    pub(super) fn check(&self, components: usize) -> Result<(), EncodeFault> {
        if !BITS.contains(&self.bits) {
            return Err(EncodeFault::Bits);
        }
        if components == 0 || self.minimum.len() != components {
            return Err(EncodeFault::Components);
        }
        let finite = self.range.is_finite() && self.minimum.iter().all(|minimum| minimum.is_finite());
        if finite && self.range > 0.0 { Ok(()) } else { Err(EncodeFault::Range) }
    }

    /// f32(2^bits - 1): from 25 bits on this rounds up to a power of two.
    fn steps(&self) -> f32 {
        ((1u32 << self.bits) - 1) as f32
    }

    /// The distance between two neighbours of the grid.
    pub fn step(&self) -> f32 {
        self.range / self.steps()
    }

    /// The nearest index of each value. Outside of the range, indices go below 0 and above 2^bits - 1.
    pub fn quantize(&self, values: &[f32]) -> Result<Vec<i32>, EncodeFault> {
        self.check(self.minimum.len())?;
        if !values.len().is_multiple_of(self.minimum.len()) {
            return Err(EncodeFault::Length);
        }
        if self.step() == 0.0 {
            // The values are so close that a step is less than any float. libdraco gives all of them the same
            // index, and each decodes to its component's minimum.
            return Ok(alloc::vec![i32::MIN; values.len()]);
        }
        let scale = self.steps() / self.range;
        let mut inside = scale.is_finite();
        let indices = self.map(values, |value, minimum| {
            let scaled = (value - minimum) * scale + 0.5;
            inside &= (-LIMIT..LIMIT).contains(&scaled);
            let index = scaled as i32;
            index - i32::from(index as f32 > scaled)
        });
        if inside { Ok(indices) } else { Err(EncodeFault::Range) }
    }

    /// The value of each index. NaN and infinity in the grid spread to the values.
    pub fn dequantize(&self, indices: Vec<i32>) -> Vec<f32> {
        let step = self.step();
        self.map(&indices, |index, minimum| index as f32 * step + minimum)
    }

    /// Maps every value together with its component's minimum.
    fn map<T: Copy, U>(&self, values: &[T], mut map: impl FnMut(T, f32) -> U) -> Vec<U> {
        let mut out = Vec::with_capacity(values.len());
        for row in values.chunks_exact(self.minimum.len().max(1)) {
            out.extend(row.iter().zip(&self.minimum).map(|(&value, &low)| map(value, low)));
        }
        out
    }

    pub(super) fn read(cursor: &mut Cursor<'_>, components: u8) -> Result<Quantizer, DecodeError> {
        let minimum = (0..components).map(|_| cursor.f32(Element::QuantizationMinimum)).collect::<Result<_, _>>()?;
        let range = cursor.f32(Element::QuantizationRange)?;
        let start = cursor.clone();
        let bits = cursor.u8(Element::QuantizationBits)?;
        if !BITS.contains(&bits) {
            return Err(start.error(Fault::Invalid, Element::QuantizationBits));
        }
        Ok(Quantizer { minimum, range, bits })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.minimum.iter().flat_map(|minimum| minimum.to_le_bytes()));
        out.extend(self.range.to_le_bytes());
        out.push(self.bits);
    }
}

/// 2^31: indices are below it.
const LIMIT: f32 = 2_147_483_648.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_serves_all_components() {
        let values = [0.0, 100.0, 1.0, 300.0];
        let quantizer = Quantizer::fit(&values, 2, 4).unwrap();
        assert_eq!((quantizer.minimum.as_slice(), quantizer.range), (&[0.0, 100.0][..], 200.0));
        assert_eq!(quantizer.quantize(&values).unwrap(), [0, 0, 0, 15]);
    }

    #[test]
    fn outside_of_the_grid_indices_go_on() {
        let quantizer = Quantizer { minimum: alloc::vec![0.0], range: 15.0, bits: 4 };
        assert_eq!(quantizer.quantize(&[-2.0, 20.0, -0.75]).unwrap(), [-2, 20, -1]);
        assert_eq!(quantizer.quantize(&[1e30]), Err(EncodeFault::Range));
    }

    #[test]
    fn refuses_what_has_no_grid() {
        assert_eq!(Quantizer::fit(&[0.0, f32::NAN], 1, 8), Err(EncodeFault::NotFinite));
        assert_eq!(Quantizer::fit(&[f32::INFINITY], 1, 8), Err(EncodeFault::NotFinite));
        assert_eq!(Quantizer::fit(&[-3e38, 3e38], 1, 8), Err(EncodeFault::Range));
        assert_eq!(Quantizer::fit(&[], 1, 8), Err(EncodeFault::Length));
        assert_eq!(Quantizer::fit(&[1.0, 2.0, 3.0], 2, 8), Err(EncodeFault::Length));
        for bits in [0, 31] {
            assert_eq!(Quantizer::fit(&[1.0], 1, bits), Err(EncodeFault::Bits));
        }
    }

    #[test]
    fn ranges_at_the_end_of_the_floats() {
        let denormal = [0.0, f32::from_bits(1000)];
        let quantizer = Quantizer::fit(&denormal, 1, 16).unwrap();
        assert_eq!(quantizer.dequantize(quantizer.quantize(&denormal).unwrap()), [0.0, 0.0]);
        let tiny = [0.0, 1e-34];
        assert_eq!(Quantizer::fit(&tiny, 1, 16).unwrap().quantize(&tiny), Err(EncodeFault::Range));
    }

    #[test]
    fn stays_within_half_a_step_for_every_bit_count() {
        let values: Vec<f32> = (0..300).map(|i| libm::sinf(i as f32 * 0.7)).collect();
        for components in [1, 2, 3, 4, 5] {
            for bits in BITS {
                let quantizer = Quantizer::fit(&values, components, bits).unwrap();
                let back = quantizer.dequantize(quantizer.quantize(&values).unwrap());
                let worst = values.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(worst <= quantizer.step() * 0.5 + 3e-7, "{components} {bits} {worst}");
            }
        }
    }
}
