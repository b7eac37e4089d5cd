//! The coding of keyed tracks' components: everything that is the same for all keys of a track.

use super::bits::{BitReader, BitWriter};
use super::small_quat::SmallQuat;
use super::{ClipError, Encoding};

/// Bits per component of the fixed quaternions of a keyed rotation. These only have to be near the keys.
pub(super) const LEFT_BITS: u32 = 8;
pub(super) const RIGHT_BITS: u32 = 6;
/// The widest codes: floats hold no wider integers.
pub(super) const MAX_BITS: u32 = 24;

/// How a keyed rotation is coded: `left * Q(origin + code * step) * right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RotationCode {
    Fixed { left: SmallQuat, origin: [f32; 3], step: [f32; 3] },
    Variable { left: SmallQuat, right: SmallQuat, step: [u8; 3], min_bits: [u8; 3] },
}

/// How a component is coded: `origin + code * step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalarCode {
    Fixed { origin: f32, step: f32 },
    Variable { origin: f32, step: u8, min_bits: u8 },
}

/// The step that a byte represents in a rotation: as many eighths of an octave below 1.
pub(super) fn rotation_step(code: u8) -> f64 {
    libm::exp2(f64::from(code) / -8.0)
}

/// The step that a byte represents in other tracks: as many quarters of an octave below 2^24.
pub(super) fn scalar_step(code: u8) -> f64 {
    libm::exp2(24.0 - f64::from(code) / 4.0)
}

impl RotationCode {
    pub(super) fn write(&self, out: &mut BitWriter) {
        match self {
            Self::Fixed { left, origin, step } => {
                left.write(out);
                origin.iter().chain(step).for_each(|v| out.put_f32(*v));
            }
            Self::Variable { left, right, step, min_bits } => {
                left.write(out);
                right.write(out);
                step.iter().for_each(|v| out.put((*v).into(), 8));
                min_bits.iter().for_each(|v| out.put((*v).into(), 5));
            }
        }
    }

    pub(super) fn read(encoding: Encoding, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let left = SmallQuat::read(from, LEFT_BITS)?;
        if encoding == Encoding::Fixed {
            return Ok(Self::Fixed {
                left,
                origin: three(from, |from| from.f32())?,
                step: three(from, |from| from.f32())?,
            });
        }
        let right = SmallQuat::read(from, RIGHT_BITS)?;
        let step = three(from, |from| Ok(from.take(8)? as u8))?;
        let min_bits = three(from, min_bits)?;
        Ok(Self::Variable { left, right, step, min_bits })
    }
}

impl ScalarCode {
    pub(super) fn write(&self, out: &mut BitWriter) {
        match *self {
            Self::Fixed { origin, step } => {
                out.put_f32(origin);
                out.put_f32(step);
            }
            Self::Variable { origin, step, min_bits } => {
                out.put_f32(origin);
                out.put(step.into(), 8);
                out.put(min_bits.into(), 5);
            }
        }
    }

    pub(super) fn read(encoding: Encoding, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let origin = from.f32()?;
        Ok(match encoding {
            Encoding::Fixed => Self::Fixed { origin, step: from.f32()? },
            Encoding::Variable => Self::Variable { origin, step: from.take(8)? as u8, min_bits: min_bits(from)? },
        })
    }
}

fn three<T: Copy + Default>(
    from: &mut BitReader<'_>,
    mut read: impl FnMut(&mut BitReader<'_>) -> Result<T, ClipError>,
) -> Result<[T; 3], ClipError> {
    let mut out = [T::default(); 3];
    for v in &mut out {
        *v = read(from)?;
    }
    Ok(out)
}

fn min_bits(from: &mut BitReader<'_>) -> Result<u8, ClipError> {
    let bits = from.take(5)? as u8;
    // One bit more than the codes have, for the sign.
    if u32::from(bits) <= MAX_BITS + 1 { Ok(bits) } else { Err(ClipError::Malformed("a minimum has too many bits")) }
}
