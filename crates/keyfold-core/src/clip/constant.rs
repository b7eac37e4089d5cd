//! The values of tracks that never change: zeros and ones in two bits, other numbers as floats.
//!
//! Clips may also have numbers on a grid that all of them share, and rotations in few bits. Those are read, but not written: `docs/clips.md` tells what they saved.

use super::ClipError;
use super::bits::{BitReader, BitWriter, signed};
use super::small_quat::SmallQuat;
use super::track::{Form, Track};
use alloc::vec::Vec;

/// How precise constants are that are no floats.
struct Grid {
    /// Bits per component of rotations.
    quat_bits: u32,
    /// Bits of a number on the grid, and the grid's step: two to the minus `exponent`.
    bits: u32,
    exponent: i32,
}

/// The fewest and the most bits of a rotation's components.
const QUAT_BITS: (u32, u32) = (2, 18);

/// Writes the values of constant tracks.
pub(super) fn write_constants(tracks: &[Track], constants: &[Vec<f32>], out: &mut BitWriter) {
    // A grid that nothing is on.
    out.put(QUAT_BITS.0.into(), 5);
    out.put(0, 5 + 8);
    let tracks = tracks.iter().filter(|track| track.form == Form::Constant);
    for (track, values) in tracks.zip(constants) {
        if track.target.is_rotation() {
            out.put(1, 1);
        }
        for value in values {
            match *value {
                zero if zero.to_bits() == 0 => out.put(0, 2),
                1.0 => out.put(1, 2),
                other => {
                    out.put(3, 2);
                    out.put_f32(other);
                }
            }
        }
    }
}

/// Reads the values of constant tracks.
pub(super) fn read_constants(tracks: &[Track], from: &mut BitReader<'_>) -> Result<Vec<Vec<f32>>, ClipError> {
    let (quat_bits, bits, exponent) = (from.take(5)? as u32, from.take(5)? as u32, signed(from.take(8)?, 8));
    if !(QUAT_BITS.0..=QUAT_BITS.1).contains(&quat_bits) {
        return Err(ClipError::Malformed("constant rotations have 2 to 18 bits"));
    }
    let grid = Grid { quat_bits, bits, exponent };
    tracks.iter().filter(|track| track.form == Form::Constant).map(|track| grid.read(track, from)).collect()
}

impl Grid {
    fn read(&self, track: &Track, from: &mut BitReader<'_>) -> Result<Vec<f32>, ClipError> {
        if track.target.is_rotation() && !from.flag()? {
            return Ok(SmallQuat::read(from, self.quat_bits)?.quat().map(|c| c as f32).to_vec());
        }
        (0..track.width).map(|_| self.number(from)).collect()
    }

    fn number(&self, from: &mut BitReader<'_>) -> Result<f32, ClipError> {
        Ok(match from.take(2)? {
            0 => 0.0,
            1 => 1.0,
            2 => libm::ldexp(signed(from.take(self.bits)?, self.bits).into(), -self.exponent) as f32,
            _ => from.f32()?,
        })
    }
}
