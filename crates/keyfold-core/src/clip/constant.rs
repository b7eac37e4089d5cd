//! The values of tracks that never change, in few bits: zeros and ones, numbers and rotations on shared
//! grids, or floats.

use super::ClipError;
use super::bits::{BitReader, BitWriter, signed};
use super::head::signed_bits;
use super::small_quat::SmallQuat;
use super::track::{Form, Track};
use crate::quat::Quat;
use alloc::vec::Vec;

/// The precision of constants that are not stored as floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ConstantGrid {
    /// Bits per component of rotations.
    quat_bits: u32,
    /// Numbers are multiples of two to the power of minus this.
    exponent: i32,
}

/// The fewest and the most bits of a component of a rotation.
const QUAT_BITS: (u32, u32) = (2, 18);
/// Codes are smaller than this. Larger ones would take as many bits as floats.
const LARGEST_CODE: f64 = (1 << 24) as f64;

impl ConstantGrid {
    /// The grid with rotations within `angle` radians and numbers within `distance`.
    pub(super) fn within(angle: f64, distance: f64) -> Self {
        // A step is 1.41 / 2^bits of a component. Three components that are off by half a step turn by up to
        // three and a half steps.
        let quat_bits = libm::ceil(libm::log2(5.0 / angle)).clamp(QUAT_BITS.0.into(), QUAT_BITS.1.into()) as u32;
        Self { quat_bits, exponent: libm::ceil(-libm::log2(distance)).clamp(-30.0, 100.0) as i32 }
    }

    /// The nearest rotation.
    pub(super) fn rotation(&self, q: Quat) -> [f32; 4] {
        SmallQuat::new(q, self.quat_bits).quat().map(|c| c as f32)
    }

    /// The nearest number.
    pub(super) fn number(&self, v: f64) -> f32 {
        self.value(libm::round(libm::ldexp(v, self.exponent)))
    }

    fn value(&self, code: f64) -> f32 {
        libm::ldexp(code, -self.exponent) as f32
    }

    /// The rotation of these values; `None` if they are not on the grid.
    fn small(&self, track: &Track, values: &[f32]) -> Option<SmallQuat> {
        let q = <[f32; 4]>::try_from(values).ok().filter(|_| track.target.is_rotation())?.map(f64::from);
        (self.rotation(q) == *values).then(|| SmallQuat::new(q, self.quat_bits))
    }

    /// The code of a number; `None` if it is zero, one, or not on the grid.
    fn code(&self, v: f32) -> Option<i32> {
        let code = libm::round(libm::ldexp(v.into(), self.exponent));
        let is_code = ![0.0, 1.0].contains(&v) && libm::fabs(code) < LARGEST_CODE && self.value(code) == v;
        is_code.then_some(code as i32)
    }
}

/// Writes the values of constant tracks.
pub(super) fn write_constants(tracks: &[Track], constants: &[Vec<f32>], grid: ConstantGrid, out: &mut BitWriter) {
    let tracks = tracks.iter().filter(|track| track.form == Form::Constant).zip(constants);
    let codes = tracks.clone().flat_map(|(_, values)| values).filter_map(|v| grid.code(*v));
    let bits = signed_bits(codes);
    out.put(grid.quat_bits.into(), 5);
    out.put(bits.into(), 5);
    out.put(grid.exponent as u64, 8);
    for (track, values) in tracks {
        let small = grid.small(track, values);
        if track.target.is_rotation() {
            out.put(small.is_none().into(), 1);
        }
        match small {
            Some(small) => small.write(out),
            None => values.iter().for_each(|v| write_number(*v, grid.code(*v), bits, out)),
        }
    }
}

fn write_number(v: f32, code: Option<i32>, bits: u32, out: &mut BitWriter) {
    let (kind, rest, bits) = match code {
        _ if v.to_bits() == 0 => (0, 0, 0),
        _ if v == 1.0 => (1, 0, 0),
        Some(code) => (2, code as u64, bits),
        None => (3, v.to_bits().into(), 32),
    };
    out.put(kind, 2);
    out.put(rest, bits);
}

/// Reads the values of constant tracks, and their grid.
pub(super) fn read_constants(
    tracks: &[Track],
    from: &mut BitReader<'_>,
) -> Result<(Vec<Vec<f32>>, ConstantGrid), ClipError> {
    let (quat_bits, bits, exponent) = (from.take(5)? as u32, from.take(5)? as u32, signed(from.take(8)?, 8));
    if !(QUAT_BITS.0..=QUAT_BITS.1).contains(&quat_bits) {
        return Err(ClipError::Malformed("bits of constant rotations must be 2 to 18"));
    }
    let grid = ConstantGrid { quat_bits, exponent };
    let number = |from: &mut BitReader<'_>| {
        Ok(match from.take(2)? {
            0 => 0.0,
            1 => 1.0,
            2 => grid.value(signed(from.take(bits)?, bits).into()),
            _ => from.f32()?,
        })
    };
    let constant = |track: &Track| match track.target.is_rotation() && !from.flag()? {
        true => Ok(SmallQuat::read(from, quat_bits)?.quat().map(|c| c as f32).to_vec()),
        false => (0..track.width).map(|_| number(from)).collect(),
    };
    let constants = tracks.iter().filter(|track| track.form == Form::Constant).map(constant);
    Ok((constants.collect::<Result<_, _>>()?, grid))
}
