//! The values of tracks that never change, in few bits: zeros and ones, numbers on a grid that all share, or exact ones.

use super::ClipError;
use super::bits::{BitReader, BitWriter, mask, signed};
use super::head::signed_bits;
use super::small_quat::SmallQuat;
use super::track::Track;
use alloc::vec::Vec;

/// How precise constants are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ConstantGrid {
    /// Bits per component of rotations.
    pub(super) quat_bits: u32,
    /// Bits of a number on the grid, and the grid's step: two to the minus `exponent`.
    pub(super) bits: u32,
    pub(super) exponent: i32,
}

/// The value of a constant track.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Rotation(SmallQuat),
    /// Four floats for a rotation that must be exact, else one number for each component.
    Numbers(Vec<Number>),
}

/// One component of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Grid(i32),
    /// Zeros and ones take no bits but for saying so.
    Exact(f32),
}

impl Number {
    fn value(self, grid: &ConstantGrid) -> f32 {
        match self {
            Self::Grid(code) => libm::ldexp(code.into(), -grid.exponent) as f32,
            Self::Exact(value) => value,
        }
    }

    fn write(self, grid: &ConstantGrid, out: &mut BitWriter) {
        match self {
            Self::Exact(value) if value.to_bits() == 0 => out.put(0, 2),
            Self::Exact(1.0) => out.put(1, 2),
            Self::Grid(code) => {
                out.put(2, 2);
                out.put(code as u64 & mask(grid.bits), grid.bits);
            }
            Self::Exact(value) => {
                out.put(3, 2);
                out.put_f32(value);
            }
        }
    }

    fn read(grid: &ConstantGrid, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        Ok(match from.take(2)? {
            0 => Self::Exact(0.0),
            1 => Self::Exact(1.0),
            2 => Self::Grid(signed(from.take(grid.bits)?, grid.bits)),
            _ => Self::Exact(from.f32()?),
        })
    }
}

impl ConstantGrid {
    pub(super) fn write(&self, out: &mut BitWriter) {
        out.put(self.quat_bits.into(), 5);
        out.put(self.bits.into(), 5);
        out.put(self.exponent as u64 & 0xFF, 8);
    }

    pub(super) fn read(from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let (quat_bits, bits) = (from.take(5)? as u32, from.take(5)? as u32);
        if !(2..=18).contains(&quat_bits) {
            return Err(ClipError::Malformed("constant rotations have 2 to 18 bits"));
        }
        Ok(Self { quat_bits, bits, exponent: signed(from.take(8)?, 8) })
    }
}

impl Constant {
    pub(super) fn write(&self, rotation: bool, grid: &ConstantGrid, out: &mut BitWriter) {
        if rotation {
            out.put(matches!(self, Self::Numbers(_)).into(), 1);
        }
        match self {
            Self::Rotation(q) => q.write(out),
            Self::Numbers(numbers) => numbers.iter().for_each(|n| n.write(grid, out)),
        }
    }

    pub(super) fn read(track: &Track, grid: &ConstantGrid, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        if track.target.is_rotation() && !from.flag()? {
            return Ok(Self::Rotation(SmallQuat::read(from, grid.quat_bits)?));
        }
        Ok(Self::Numbers((0..track.width).map(|_| Number::read(grid, from)).collect::<Result<_, _>>()?))
    }

    /// How many bits its numbers on the grid take, the widest of them.
    pub(super) fn code_bits(&self) -> u32 {
        let Self::Numbers(numbers) = self else { return 0 };
        let bits = |number: &Number| match *number {
            Number::Grid(code) => signed_bits(code.min(0), code.max(0)),
            Number::Exact(_) => 0,
        };
        numbers.iter().map(bits).fold(0, u32::max)
    }

    /// The value's floats.
    pub(super) fn values(&self, grid: &ConstantGrid) -> Vec<f32> {
        match self {
            Self::Rotation(q) => q.quat().map(|c| c as f32).to_vec(),
            Self::Numbers(numbers) => numbers.iter().map(|n| n.value(grid)).collect(),
        }
    }
}
