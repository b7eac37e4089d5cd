//! The values that a storage can hold at a quantization step, and their integer codes.
//!
//! Codes stay integers from the search to the bytes of a file. Steps have few sizes where that makes low bits
//! and bytes repeat, which helps any entropy coder.

use super::{Parameters, quaternion_filter};
use crate::{
    curve::Interpolation,
    quat::{self, Quat},
    stream::{RotationGrid, Rotations, step_within},
};
use alloc::vec::Vec;

/// The codes of a value's components.
pub type Code = [i32; 4];

/// The values that a track can have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Grid {
    /// Floats as they are. Codes are their bits.
    Float,
    /// Floats in multiples of a power of two.
    Multiples {
        /// The power of two.
        step: f64,
        /// The step of a spline's tangents.
        tangents: f64,
    },
    /// Rotations with three components in multiples of `step` and the largest chosen for unit length. Players
    /// such as three.js do not normalize: other lengths would move points by as much as the step.
    UnitLength {
        /// A power of two.
        step: i32,
        /// The code of 1: the largest of a normalized short, or a power of two for floats with few digits.
        one: i32,
        /// The step of a spline's tangents, which are plain multiples.
        tangents: f64,
    },
    /// Rotations through meshopt's quaternion filter.
    QuaternionFilter {
        /// The code of the square root of a half.
        scale: i32,
        /// The component that is always left out. If `None`, it is the largest of each rotation.
        left_out: Option<usize>,
    },
    /// Whole numbers of steps from an offset.
    Uniform(Uniform),
    /// Rotations as three codes of a projection around one of their own, as in a stream.
    Projected(RotationGrid, Rotations),
    /// Whole numbers of steps of parameters, which may be relative to neighbouring keys.
    Parameters(Parameters),
}

/// The values `offset + code x step` of up to four components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    /// The value of code 0, by component.
    pub offsets: [f64; 4],
    /// What a code of `unit` adds.
    pub scale: f64,
    /// The code of `scale`: 1, or the largest code of a normalized type.
    pub unit: i32,
    /// The largest code.
    pub most: i32,
    /// Which components have codes.
    pub layout: Layout,
}

/// Which components of a value are stored, in their order. X, Y and Z are 0, 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// All.
    Whole,
    /// One number for all three axes.
    Uniform,
    /// X, Y and Z of a rotation. W follows from unit length.
    WithoutW,
    /// One axis of a rotation. W follows from unit length, the other axes are zero.
    OneAxis(usize),
    /// One axis of a rotation and W. The other axes are zero.
    OneAxisAndW(usize),
}

impl Layout {
    /// Whether W has to be rebuilt.
    pub const fn lacks_w(self) -> bool {
        matches!(self, Self::WithoutW | Self::OneAxis(_))
    }

    /// The stored numbers of a value, and how many there are. W is made positive where it is left out.
    pub fn stored(self, value: [f64; 4]) -> ([f64; 4], usize) {
        let value = if self.lacks_w() && value[3] < 0.0 { quat::negate(value) } else { value };
        match self {
            Self::Whole => (value, 4),
            Self::Uniform => ([(value[0] + value[1] + value[2]) / 3.0, 0.0, 0.0, 0.0], 1),
            Self::WithoutW => (value, 3),
            Self::OneAxis(axis) => ([value[axis], 0.0, 0.0, 0.0], 1),
            Self::OneAxisAndW(axis) => ([value[axis], value[3], 0.0, 0.0], 2),
        }
    }

    /// The value of stored numbers. A missing W is positive; X, Y and Z longer than 1 are shortened.
    pub fn rebuilt(self, stored: [f64; 4]) -> [f64; 4] {
        let along = |axis: usize| [0, 1, 2].map(|i| if i == axis { stored[0] } else { 0.0 });
        let with_w = |[x, y, z]: [f64; 3]| {
            let w = libm::sqrt((1.0 - (x * x + y * y + z * z)).max(0.0));
            quat::try_normalize([x, y, z, w]).unwrap_or([x, y, z, w])
        };
        match self {
            Self::Whole => stored,
            Self::Uniform => [stored[0]; 4],
            Self::WithoutW => with_w([stored[0], stored[1], stored[2]]),
            Self::OneAxis(axis) => with_w(along(axis)),
            Self::OneAxisAndW(axis) => {
                let [x, y, z] = along(axis);
                [x, y, z, stored[1]]
            }
        }
    }
}

/// The code of 1 in a normalized short.
pub(super) const SHORT: i32 = i16::MAX as i32;
/// The code of 1 in floats of unit length.
const FLOAT: i32 = 1 << 15;
/// The largest step of rotations of unit length.
const COARSEST: f64 = 0.125;

impl Grid {
    /// Normalized shorts with quaternion steps of at most about `step`; floats if shorts are too coarse.
    pub fn unit_shorts(step: f64) -> Self {
        let step = power_of_two_within(step.min(COARSEST) * f64::from(FLOAT)) as i32;
        if step < 1 { Self::Float } else { Self::UnitLength { step, one: SHORT, tangents: 0.0 } }
    }

    /// The same for splines of rotations with keys up to `gap` seconds apart and tangents up to 1, which also
    /// become shorts. `None` if shorts are too coarse.
    pub fn spline_shorts(step: f64, gap: f64) -> Option<Self> {
        let tangents = 1.0 / f64::from(SHORT);
        match Self::unit_shorts(step) {
            Self::UnitLength { step: codes, one, .. } if gap * tangents <= 4.0 * step => {
                Some(Self::UnitLength { step: codes, one, tangents })
            }
            _ => None,
        }
    }

    /// Rotations of a spline as floats of unit length, or like [`Self::spline_multiples`] if steps are very
    /// fine. Steps are powers of 16: splines have few keys, and equal ones should stay equal if budgets
    /// differ a little.
    pub fn unit_floats(step: f64, largest: f64, gap: f64) -> Self {
        match Self::spline_multiples(power_of_16_within(step.min(COARSEST)), largest, gap) {
            Self::Multiples { step, tangents } if step * f64::from(FLOAT) >= 1.0 => {
                Self::UnitLength { step: (step * f64::from(FLOAT)) as i32, one: FLOAT, tangents }
            }
            finer => finer,
        }
    }

    /// Multiples of a power of two of at most `step`, for values up to `largest`; floats if they are as
    /// coarse.
    pub fn multiples(step: f64, largest: f64) -> Self {
        if !(step > 0.0 && step.is_finite() && largest < step * f64::from(1 << 22)) {
            return Self::Float;
        }
        let step = power_of_two_within(step);
        Self::Multiples { step, tangents: step }
    }

    /// The same for splines with keys up to `gap` seconds apart. In that time, a tangent moves a value by at
    /// most 4/27 of their product.
    pub fn spline_multiples(step: f64, largest: f64, gap: f64) -> Self {
        let finest = largest / f64::from(1 << 21);
        match Self::multiples(step, largest) {
            Self::Multiples { step, .. } => {
                Self::Multiples { step, tangents: power_of_two_within((4.0 * step / gap.max(1e-3)).max(finest)) }
            }
            floats => floats,
        }
    }

    /// The grids of the elements of keys in order: keys of splines have tangents before and after the value.
    pub(super) fn of_elements(self, interpolation: Interpolation) -> impl Iterator<Item = Self> {
        let tangents = match self {
            Self::Multiples { tangents, .. } | Self::UnitLength { tangents, .. } => {
                Self::Multiples { step: tangents, tangents }
            }
            _ => self,
        };
        let is_value = move |element: usize| !interpolation.is_spline() || element % 3 == 1;
        (0..).map(move |element| if is_value(element) { self } else { tangents })
    }

    /// meshopt's quaternion filter with quaternion steps of at most about `step`; floats if it is too coarse.
    pub fn quaternion_filter(step: f64, left_out: Option<usize>) -> Self {
        quaternion_filter::scale_within(step).map_or(Self::Float, |scale| Self::QuaternionFilter { scale, left_out })
    }

    /// A projection with quaternion steps of at most about `step`; floats if `step` is not positive.
    pub fn projected(step: f64, projection: RotationGrid) -> Self {
        if !(step > 0.0 && step.is_finite()) {
            return Self::Float;
        }
        let grid = RotationGrid { steps: [step_within(step / 2.0); 3], ..projection };
        Self::Projected(grid, Rotations::new(&grid))
    }

    /// The distance of neighbouring values of a component; zero for floats.
    pub fn spacing(&self) -> f64 {
        match self {
            Self::Float => 0.0,
            Self::Multiples { step, .. } => *step,
            Self::UnitLength { step, one, .. } => f64::from(*step) / f64::from(*one),
            Self::QuaternionFilter { scale, .. } => 1.0 / (f64::from(*scale) * core::f64::consts::SQRT_2),
            Self::Uniform(uniform) => uniform.spacing(),
            // At the centre of a projection, quaternions change twice as fast as codes.
            Self::Projected(grid, _) => 2.0 * grid.step(0),
            Self::Parameters(parameters) => parameters.spacing(),
        }
    }

    /// Whether repeating the codes of the key before is cheaper, as for uncompressed bytes. Filters and
    /// streams predict codes, so a step that comes later costs as much.
    pub(super) const fn repeats_pay(&self) -> bool {
        matches!(self, Self::Multiples { .. } | Self::UnitLength { .. } | Self::Uniform(_))
    }

    /// Whether components may have any codes independently.
    pub(super) const fn has_free_components(&self) -> bool {
        matches!(self, Self::Multiples { .. } | Self::Uniform(_))
    }

    /// The codes of the nearest value.
    #[inline]
    pub fn encode(&self, value: [f64; 4]) -> Code {
        match self {
            Self::Float => value.map(|c| (c as f32).to_bits() as i32),
            Self::Multiples { step, .. } => {
                let inverse = 1.0 / step;
                value.map(|c| round(c * inverse))
            }
            Self::UnitLength { step, one, .. } => unit_length(value, *step, *one),
            Self::QuaternionFilter { scale, left_out } => {
                quaternion_filter::encode(value, *scale, *left_out).map(i32::from)
            }
            Self::Uniform(uniform) => uniform.encode(value),
            Self::Projected(_, rotations) => {
                let [x, y, z] = rotations.encode(value);
                [x, y, z, 0]
            }
            Self::Parameters(parameters) => parameters.encode(value),
        }
    }

    /// The codes of keys in order.
    pub(super) fn encode_keys(&self, values: &[[f64; 4]]) -> Vec<Code> {
        match self {
            Self::Parameters(parameters) => parameters.encode_keys(values),
            _ => values.iter().map(|value| self.encode(*value)).collect(),
        }
    }

    /// The grid of a key's code, given the codes of the keys beside.
    pub(super) fn at(self, codes: &[Code], key: usize) -> Self {
        match self {
            Self::Parameters(parameters) => Self::Parameters(parameters.at(codes, key)),
            _ => self,
        }
    }

    /// Whether a key's code is relative to the adjacent keys.
    pub(super) fn is_middle(&self, key: usize, keys: usize) -> bool {
        matches!(self, Self::Parameters(parameters) if parameters.is_middle(key, keys))
    }

    /// The codes of a value plus a step: a rotation vector in its frame if it `turns`, else a difference.
    pub(super) fn encode_beside(&self, value: [f64; 4], step: [f64; 3], turns: bool) -> Code {
        match turns {
            true => self.encode(quat::mul(value, quat::exp(step.map(|c| c / 2.0)))),
            false => self.encode([value[0] + step[0], value[1] + step[1], value[2] + step[2], 0.0]),
        }
    }

    /// The value as decoded. Rotations are not always of unit length.
    #[inline]
    pub fn decode(&self, code: Code) -> [f32; 4] {
        match self {
            Self::Float => code.map(|bits| f32::from_bits(bits as u32)),
            Self::Multiples { step, .. } => code.map(|c| (f64::from(c) * step) as f32),
            Self::UnitLength { one, .. } => code.map(|c| c as f32 / *one as f32),
            Self::QuaternionFilter { .. } => {
                quaternion_filter::decode(code.map(|c| c as i16)).map(|c| f32::from(c) / SHORT as f32)
            }
            Self::Uniform(uniform) => uniform.decode(code),
            Self::Projected(_, rotations) => rotations.decode([code[0], code[1], code[2]]),
            Self::Parameters(parameters) => parameters.decode(code),
        }
    }
}

impl Uniform {
    /// The distance of neighbouring values.
    pub fn spacing(&self) -> f64 {
        self.scale / f64::from(self.unit)
    }

    fn encode(&self, value: [f64; 4]) -> Code {
        let (stored, count) = self.layout.stored(value);
        let inverse = f64::from(self.unit) / self.scale;
        let code = |i: usize| round((stored[i] - self.offsets[i]) * inverse).clamp(0, self.most);
        [0, 1, 2, 3].map(|i| if i < count { code(i) } else { 0 })
    }

    fn decode(&self, code: Code) -> [f32; 4] {
        let unit = f64::from(self.unit);
        let stored = [0, 1, 2, 3].map(|i| f64::from(code[i]) / unit * self.scale + self.offsets[i]);
        self.layout.rebuilt(stored).map(|c| c as f32)
    }
}

/// A stored value as played: players normalize rotations (`turns`).
#[inline]
pub(super) fn played(stored: [f32; 4], turns: bool) -> [f64; 4] {
    let value = stored.map(f64::from);
    if turns { quat::normalize(value) } else { value }
}

/// The nearest whole number, halves away from zero, clamped to `i32`.
#[inline]
pub(super) fn round(x: f64) -> i32 {
    (x + if x < 0.0 { -0.5 } else { 0.5 }) as i32
}

fn unit_length(q: Quat, step: i32, one: i32) -> Code {
    let largest = largest(q);
    let (one, step) = (f64::from(one), f64::from(step));
    // Whole numbers, whose squares are exact in a double.
    let mut codes = q.map(|c| f64::from(round(c * (one / step))) * step);
    let rest = codes.iter().map(|c| c * c).sum::<f64>() - codes[largest] * codes[largest];
    codes[largest] = libm::copysign(libm::rint(libm::sqrt((one * one - rest).max(0.0))), q[largest]);
    codes.map(|code| code.clamp(-one, one) as i32)
}

/// The index of the largest component, the first of equal ones.
#[inline]
pub(super) fn largest(q: Quat) -> usize {
    (1..4).fold(0, |best, i| if libm::fabs(q[i]) > libm::fabs(q[best]) { i } else { best })
}

/// The largest power of two that is at most `x`, for positive `x`: only the exponent is kept.
pub(super) fn power_of_two_within(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000)
}

/// The same with powers of 16: all but two bits of the exponent of `2 * x` are kept.
fn power_of_16_within(x: f64) -> f64 {
    f64::from_bits((2.0 * x).to_bits() & 0x7FC0_0000_0000_0000) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn rotations() -> Vec<Quat> {
        (0..100).map(|i| quat::exp([f64::from(i) * 0.01, 0.3, -0.1])).collect()
    }

    fn uniform() -> Grid {
        uniform_as(Layout::WithoutW)
    }

    fn uniform_as(layout: Layout) -> Grid {
        Grid::Uniform(Uniform { offsets: [-1.0; 4], scale: 2.0, unit: 65535, most: 65535, layout })
    }

    #[test]
    fn layouts_leave_out_what_can_be_rebuilt() {
        let turn = quat::exp([0.0, 0.3, 0.0]);
        for layout in [Layout::Whole, Layout::WithoutW, Layout::OneAxis(1), Layout::OneAxisAndW(1)] {
            let grid = uniform_as(layout);
            for q in [turn, quat::negate(turn)] {
                assert!(quat::angle(played(grid.decode(grid.encode(q)), true), turn) < 1e-4, "{layout:?}");
            }
        }
        let alike = uniform_as(Layout::Uniform);
        let [x, y, z, _] = alike.decode(alike.encode([0.25, 0.25, 0.25, 0.0]));
        assert!(x == y && y == z && (x - 0.25).abs() < 1e-4);
    }

    #[test]
    fn rotations_stay_within_the_step_and_of_unit_length() {
        for step in [1e-4, 1e-3, 0.007, 0.01, 0.03] {
            for grid in [
                Grid::unit_shorts(step),
                Grid::unit_floats(step, 1.0, 0.1),
                Grid::quaternion_filter(step, None),
                uniform(),
            ] {
                for q in rotations() {
                    let stored = grid.decode(grid.encode(q));
                    let angle = quat::angle(played(stored, true), q);
                    assert!(angle <= 8.0 * step + 6e-5, "{grid:?} {angle}");
                    let square: f64 = stored.iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
                    assert!((square - 1.0).abs() < 1e-4, "{grid:?} {q:?}");
                }
            }
        }
        assert_eq!([Grid::unit_shorts(1e-6), Grid::quaternion_filter(1e-6, None)], [Grid::Float; 2]);
        let tangents = 1.0 / f64::from(SHORT);
        assert_eq!(Grid::spline_shorts(1.0 / 4096.0, 0.5), Some(Grid::UnitLength { step: 8, one: SHORT, tangents }));
        assert_eq!([Grid::spline_shorts(1e-6, 0.5), Grid::spline_shorts(1.0 / 4096.0, 100.0)], [None; 2]);
    }

    #[test]
    fn what_a_reader_gets_has_the_same_codes_again() {
        for grid in [uniform_as(Layout::Whole), Grid::multiples(0.01, 1.0), Grid::Float] {
            for q in rotations() {
                let code = grid.encode(q);
                assert_eq!(grid.encode(grid.decode(code).map(f64::from)), code, "{grid:?}");
            }
        }
    }

    #[test]
    fn floats_fall_on_powers_of_two() {
        assert_eq!(Grid::multiples(0.4, 1.0), Grid::Multiples { step: 0.25, tangents: 0.25 });
        assert_eq!(Grid::multiples(0.25, 1.0).decode([1, -2, 0, 0]), [0.25, -0.5, 0.0, 0.0]);
        assert_eq!([Grid::multiples(0.0, 1.0), Grid::multiples(1e-9, 1.0)], [Grid::Float; 2]);
        assert_eq!(Grid::spline_multiples(0.25, 1.0, 0.5), Grid::Multiples { step: 0.25, tangents: 2.0 });
        assert_eq!([0.9, 1.0, 3.0].map(power_of_two_within), [0.5, 1.0, 2.0]);
        assert_eq!([0.9, 1.0, 15.9, 17.0].map(power_of_16_within), [0.0625, 1.0, 1.0, 16.0]);
        assert_eq!([-1.5, -0.4, 0.4, 0.5, 2.5].map(round), [-2, 0, 0, 1, 3]);
    }
}
