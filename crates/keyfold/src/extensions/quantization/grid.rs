//! Numbers on a grid, `offset + code * step`: where the grid lies, and how briefly a file can say so.

use super::Encoding;
use keyfold_core::quantize::{QuantizeError, Range};

/// A grid of values, one per code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The value of the code 0.
    pub offset: f64,
    /// From one code's value to the next; zero where there is one value only.
    pub step: f64,
}

/// Decimal digits of a scale in [`Grid::brief`]: a step grows by at most one part in ten thousand.
const DIGITS: i32 = 5;

impl Grid {
    /// What codes mean without parameters: themselves, or fractions.
    pub fn natural(encoding: Encoding) -> Self {
        let step = if encoding.normalized { 1.0 / encoding.largest().unwrap_or(1) as f64 } else { 1.0 };
        Self { offset: 0.0, step }
    }

    /// The finest grid whose codes span a range, both ends exact. Signed codes span it around zero.
    pub fn spanning(range: Range, encoding: Encoding) -> Self {
        let largest = encoding.largest().unwrap_or(1) as f64;
        if encoding.signed() {
            return Self { offset: 0.0, step: range.max().max(-range.min()) / largest };
        }
        Self { offset: range.min(), step: range.extent() / largest }
    }

    /// As [`Grid::spanning`], a hair wider, with numbers that take few digits to write: parameters stand in the JSON once per channel.
    pub fn brief(range: Range, encoding: Encoding) -> Self {
        let exact = Self::spanning(range, encoding);
        if exact.step == 0.0 {
            // A constant comes from 32-bit floats: the digits that tell it from its neighbours are enough.
            let offset = (exact.offset as f32).to_string().parse().unwrap_or(exact.offset);
            return Self { offset, ..exact };
        }
        let largest = encoding.largest().unwrap_or(1) as f64;
        let offset = if encoding.signed() { 0.0 } else { below(range.min(), exact.step) };
        let extent = range.max().max(2.0 * offset - range.min()) - offset;
        // What is written is the step of plain codes, the extent of normalized ones.
        let step = if encoding.normalized { above(extent) / largest } else { above(extent / largest) };
        Self { offset, step }
    }

    /// The nearest code; values outside take the nearer end.
    pub fn code(&self, value: f64, encoding: Encoding) -> i64 {
        if self.step == 0.0 {
            return 0;
        }
        let code = libm::round((value - self.offset) / self.step) as i64;
        code.clamp(encoding.least(), encoding.largest().unwrap_or(0))
    }

    /// Whether the codes reach both ends of a range.
    pub fn reaches(&self, range: Range, encoding: Encoding) -> bool {
        let at = |code: i64| self.offset + code as f64 * self.step;
        range.min() >= at(encoding.least()) && range.max() <= at(encoding.largest().unwrap_or(0))
    }

    /// The `scale` that a file states for this step.
    pub fn scale(&self, encoding: Encoding) -> f64 {
        match encoding.largest() {
            // Through the reciprocal of the natural step, so that the natural grid has a scale of exactly 1.
            Some(largest) if encoding.normalized => {
                let scale = self.step * largest as f64;
                if self.step == Self::natural(encoding).step { 1.0 } else { shortest(scale) }
            }
            _ => self.step,
        }
    }
}

/// The range of each component of stored elements.
pub fn ranges(stored: &[f64], components: usize) -> Result<Vec<Range>, QuantizeError> {
    (0..components).map(|c| Range::of(stored.iter().skip(c).step_by(components).map(|v| *v as f32))).collect()
}

/// `m * 10^exponent`, as near as a double can be: prints with the digits of `m` alone.
fn decimal(m: f64, exponent: i32) -> f64 {
    format!("{m:.0}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The power of ten at or below a positive number.
fn magnitude(value: f64) -> i32 {
    libm::floor(libm::log10(value)) as i32
}

/// The largest number with a digit at `step`'s magnitude as its last that is not above `value`.
fn below(value: f64, step: f64) -> f64 {
    let exponent = magnitude(step);
    let unit = decimal(1.0, exponent);
    let m = libm::floor(value / unit);
    let rounded = decimal(m, exponent);
    if rounded <= value { rounded } else { decimal(m - 1.0, exponent) }
}

/// The least number of few digits that is not below a positive `value`.
fn above(value: f64) -> f64 {
    let exponent = magnitude(value) - (DIGITS - 1);
    let m = libm::ceil(value / decimal(1.0, exponent));
    let rounded = decimal(m, exponent);
    if rounded >= value { rounded } else { decimal(m + 1.0, exponent) }
}

/// A number without the dust that multiplying left: the same to fifteen digits.
fn shortest(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ComponentType;

    const U16: Encoding = Encoding::new(ComponentType::U16, false);
    const U16N: Encoding = Encoding::new(ComponentType::U16, true);
    const I16N: Encoding = Encoding::new(ComponentType::I16, true);

    #[test]
    fn a_brief_grid_reaches_and_is_hardly_coarser() {
        arbtest::arbtest(|u| {
            let size = 10f64.powi(u.int_in_range(-6..=6)?);
            let ends: [f64; 2] = [0, 1]
                .map(|_| f64::from(u.arbitrary::<i16>().unwrap_or(0)) / 32768.0 * size)
                .map(|v| f64::from(v as f32));
            let range = Range::new(ends[0].min(ends[1]), ends[0].max(ends[1])).unwrap();
            for encoding in [U16, U16N, I16N, Encoding::new(ComponentType::U8, false)] {
                let (brief, exact) = (Grid::brief(range, encoding), Grid::spanning(range, encoding));
                assert!(brief.reaches(range, encoding), "{range:?} {encoding} {brief:?}");
                assert!(brief.step <= exact.step * 1.005 && brief.step >= exact.step, "{range:?} {brief:?} {exact:?}");
                assert!(
                    serde_json::json!(brief.scale(encoding)).to_string().len() <= 12,
                    "{range:?} {encoding} {brief:?}"
                );
            }
            Ok(())
        })
        .budget_ms(300);
    }

    #[test]
    fn a_constant_is_its_offset() {
        let range = Range::new(0.25, 0.25).unwrap();
        let grid = Grid::brief(range, U16);
        assert_eq!((grid.offset, grid.step, grid.code(0.25, U16)), (0.25, 0.0, 0));
    }

    #[test]
    fn the_natural_grids_need_no_scale() {
        for encoding in [U16, U16N, I16N] {
            assert_eq!(Grid::natural(encoding).scale(encoding), 1.0);
        }
        assert_eq!(Grid::natural(I16N).code(-1.0, I16N), -32767);
    }
}
