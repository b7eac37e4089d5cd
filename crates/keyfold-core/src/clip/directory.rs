//! Everything of a clip but its keys: header, names, tracks, constants, and how each component is coded.
//!
//! What is written and what is read stand side by side, in the order of the file; `docs/kfc.md` describes the same.

use super::bits::{BitReader, BitWriter, mask, signed};
use super::checksum::crc32;
use super::small_quat::SmallQuat;
use super::timing::Timing;
use super::track::{Form, Track, read_text, read_tracks, write_tracks};
use super::{ClipError, Encoding};
use alloc::string::String;
use alloc::vec::Vec;

/// The first bytes of every clip.
const MAGIC: [u8; 4] = *b"KFC\x1A";
/// The version that is written.
const VERSION: u8 = 1;
/// Where the directory starts, and the checksummed bytes.
const HEADER: usize = 16;

/// Bits per component of a keyed rotation's fixed quaternions: they only have to lie near the keys.
pub(super) const LEFT_BITS: u32 = 8;
pub(super) const RIGHT_BITS: u32 = 6;
/// The widest codes: floats hold no wider integers.
pub(super) const MAX_BITS: u32 = 24;

/// A clip without its keys.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub(super) name: String,
    pub(super) index: usize,
    pub(super) duration: f32,
    pub(super) timing: Timing,
    pub(super) tracks: Vec<Track>,
    pub(super) constants: Vec<Constant>,
    pub(super) grid: ConstantGrid,
    pub(super) steps: Vec<StepTrack>,
    /// One for each keyed rotation track.
    pub(super) rotations: Vec<RotationCode>,
    /// One for each component of the other keyed tracks.
    pub(super) scalars: Vec<ScalarCode>,
    pub(super) layout: Layout,
}

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
    Zero,
    One,
    Grid(i32),
    Exact(f32),
}

/// Exact values that hold from key to key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepTrack {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<f32>,
}

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

/// How the keys lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    Fixed {
        bits: u32,
    },
    Variable {
        /// Every other key is an anchor, and so is the last; so many anchors make a segment.
        anchors: usize,
        /// Bits of the fields that say how wide the codes of rotations are.
        width_bits: u32,
    },
}

impl Layout {
    pub(super) fn encoding(&self) -> Encoding {
        match self {
            Self::Fixed { .. } => Encoding::Fixed,
            Self::Variable { .. } => Encoding::Variable,
        }
    }
}

/// The step that a byte stands for in a rotation: eighths of an octave below one.
pub(super) fn rotation_step(code: u8) -> f64 {
    libm::exp2(f64::from(code) / -8.0)
}

/// The step that a byte stands for elsewhere: quarters of an octave below two to the 24.
pub(super) fn scalar_step(code: u8) -> f64 {
    libm::exp2(24.0 - f64::from(code) / 4.0)
}

impl Number {
    pub(super) fn value(self, grid: &ConstantGrid) -> f32 {
        match self {
            Self::Zero => 0.0,
            Self::One => 1.0,
            Self::Grid(code) => libm::ldexp(code.into(), -grid.exponent) as f32,
            Self::Exact(value) => value,
        }
    }

    fn write(self, grid: &ConstantGrid, out: &mut BitWriter) {
        match self {
            Self::Zero => out.put(0, 2),
            Self::One => out.put(1, 2),
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
            0 => Self::Zero,
            1 => Self::One,
            2 => Self::Grid(signed(from.take(grid.bits)?, grid.bits)),
            _ => Self::Exact(from.f32()?),
        })
    }
}

impl ConstantGrid {
    fn write(&self, out: &mut BitWriter) {
        out.put(self.quat_bits.into(), 5);
        out.put(self.bits.into(), 5);
        out.put(self.exponent as u64 & 0xFF, 8);
    }

    fn read(from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let (quat_bits, bits) = (from.take(5)? as u32, from.take(5)? as u32);
        if !(2..=18).contains(&quat_bits) {
            return Err(ClipError::Malformed("constant rotations have 2 to 18 bits"));
        }
        Ok(Self { quat_bits, bits, exponent: signed(from.take(8)?, 8) })
    }
}

impl Constant {
    fn write(&self, rotation: bool, grid: &ConstantGrid, out: &mut BitWriter) {
        if rotation {
            out.put(matches!(self, Self::Numbers(_)).into(), 1);
        }
        match self {
            Self::Rotation(q) => q.write(out),
            Self::Numbers(numbers) => numbers.iter().for_each(|n| n.write(grid, out)),
        }
    }

    fn read(track: &Track, grid: &ConstantGrid, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        if track.target.is_rotation() && !from.flag()? {
            return Ok(Self::Rotation(SmallQuat::read(from, grid.quat_bits)?));
        }
        Ok(Self::Numbers((0..track.width).map(|_| Number::read(grid, from)).collect::<Result<_, _>>()?))
    }

    /// The value's floats.
    pub(super) fn values(&self, grid: &ConstantGrid) -> Vec<f32> {
        match self {
            Self::Rotation(q) => q.quat().map(|c| c as f32).to_vec(),
            Self::Numbers(numbers) => numbers.iter().map(|n| n.value(grid)).collect(),
        }
    }
}

impl StepTrack {
    /// Values that are all 0 or 1 take a bit each.
    fn write(&self, out: &mut BitWriter) {
        let bools = self.values.iter().all(|v| v.to_bits() == 0 || *v == 1.0);
        out.put_count(self.times.len() as u64);
        out.put(bools.into(), 1);
        self.times.iter().for_each(|t| out.put_f32(*t));
        self.values.iter().for_each(|v| if bools { out.put((*v == 1.0).into(), 1) } else { out.put_f32(*v) });
    }

    fn read(width: usize, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let keys = from.paid_count(width.saturating_add(32))?;
        let bools = from.flag()?;
        let times = (0..keys).map(|_| from.f32()).collect::<Result<Vec<_>, _>>()?;
        if keys == 0 || !times.windows(2).all(|w| w[0] < w[1]) {
            return Err(ClipError::Malformed("the times of a step track do not increase"));
        }
        let value = |from: &mut BitReader<'_>| if bools { Ok(f32::from(from.flag()? as u8)) } else { from.f32() };
        let values = (0..keys * width).map(|_| value(from)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { times, values })
    }
}

impl RotationCode {
    fn write(&self, out: &mut BitWriter) {
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

    fn read(encoding: Encoding, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
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
    fn write(&self, out: &mut BitWriter) {
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

    fn read(encoding: Encoding, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
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
    // One more than the codes have, for the sign.
    if u32::from(bits) <= MAX_BITS + 1 { Ok(bits) } else { Err(ClipError::Malformed("a minimum has too many bits")) }
}

impl Directory {
    /// How many floats a pose has.
    pub(super) fn pose_len(&self) -> usize {
        self.tracks.last().map_or(0, |t| t.offset + t.width)
    }

    /// The whole file, with what follows the directory.
    pub(super) fn write(&self, keys: &[u8]) -> Vec<u8> {
        let mut out = BitWriter::default();
        MAGIC.iter().for_each(|b| out.put((*b).into(), 8));
        out.put(VERSION.into(), 8);
        out.put(self.layout.encoding() as u64, 8);
        // Two bytes kept free, then length and checksum, known at the end.
        out.put(0, 16);
        out.put(0, 64);
        self.write_body(&mut out);
        let mut bytes = out.into_bytes();
        bytes.extend_from_slice(keys);
        let length = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        let crc = crc32(&bytes[HEADER..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn write_body(&self, out: &mut BitWriter) {
        out.put_count(self.name.len() as u64);
        self.name.bytes().for_each(|b| out.put(b.into(), 8));
        out.put_count(self.index as u64);
        out.put_f32(self.duration);
        self.timing.write(out);
        match self.layout {
            Layout::Fixed { bits } => out.put(bits.into(), 5),
            Layout::Variable { anchors, width_bits } => {
                out.put_count(anchors as u64);
                out.put(width_bits.into(), 3);
            }
        }
        write_tracks(&self.tracks, out);
        self.grid.write(out);
        let constants = self.tracks.iter().filter(|t| t.form == Form::Constant);
        constants.zip(&self.constants).for_each(|(t, c)| c.write(t.target.is_rotation(), &self.grid, out));
        self.steps.iter().for_each(|s| s.write(out));
        self.rotations.iter().for_each(|r| r.write(out));
        self.scalars.iter().for_each(|s| s.write(out));
        out.align();
    }

    /// Reads and checks a directory; also says at which byte the keys start.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, usize), ClipError> {
        let encoding = check_header(bytes)?;
        let mut from = BitReader::new(bytes, HEADER);
        let from = &mut from;
        let name = read_text(from)?;
        let (index, duration, timing) = (from.count()?, from.f32()?, Timing::read(from)?);
        let layout = read_layout(encoding, from)?;
        let tracks = read_tracks(from)?;
        let grid = ConstantGrid::read(from)?;
        let of = |form: Form| tracks.iter().filter(move |t| t.form == form);
        let constants = of(Form::Constant).map(|t| Constant::read(t, &grid, from)).collect::<Result<_, _>>()?;
        let steps = of(Form::Step).map(|t| StepTrack::read(t.width, from)).collect::<Result<_, _>>()?;
        let keyed = || of(Form::Keyed);
        if keyed().next().is_some() && timing.keys() < 2 {
            return Err(ClipError::Malformed("keyed tracks need two keys"));
        }
        let rotations = keyed().filter(|t| t.target.is_rotation());
        let rotations = rotations.map(|_| RotationCode::read(encoding, from)).collect::<Result<_, _>>()?;
        let widths = keyed().filter(|t| !t.target.is_rotation()).map(|t| t.width);
        let scalars = widths.flat_map(|w| 0..w).map(|_| ScalarCode::read(encoding, from)).collect::<Result<_, _>>()?;
        let keys = from.aligned();
        Ok((Self { name, index, duration, timing, tracks, constants, grid, steps, rotations, scalars, layout }, keys))
    }
}

fn check_header(bytes: &[u8]) -> Result<Encoding, ClipError> {
    let header: &[u8; HEADER] = bytes.first_chunk().ok_or(match bytes.starts_with(&MAGIC) {
        true => ClipError::Truncated,
        false => ClipError::NotAClip,
    })?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if header[..4] != MAGIC {
        return Err(ClipError::NotAClip);
    }
    if header[4] != VERSION {
        return Err(ClipError::Version(header[4]));
    }
    if word(8) as usize != bytes.len() {
        return Err(ClipError::Truncated);
    }
    if word(12) != crc32(&bytes[HEADER..]) {
        return Err(ClipError::Checksum);
    }
    match (header[5], header[6], header[7]) {
        (0, 0, 0) => Ok(Encoding::Fixed),
        (1, 0, 0) => Ok(Encoding::Variable),
        _ => Err(ClipError::Malformed("an unknown encoding")),
    }
}

fn read_layout(encoding: Encoding, from: &mut BitReader<'_>) -> Result<Layout, ClipError> {
    match encoding {
        Encoding::Fixed => match from.take(5)? as u32 {
            bits @ 1..=MAX_BITS => Ok(Layout::Fixed { bits }),
            _ => Err(ClipError::Malformed("a component has 1 to 24 bits")),
        },
        Encoding::Variable => match (from.count()?, from.take(3)? as u32) {
            (anchors @ 1.., width_bits @ 1..=5) => Ok(Layout::Variable { anchors, width_bits }),
            _ => Err(ClipError::Malformed("segments without anchors, or widths without bits")),
        },
    }
}
