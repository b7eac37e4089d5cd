//! Everything of a clip except its keys: header, name, timing, and the lists of its tracks.
//!
//! Writing and reading are side by side, in the order of the file. `docs/kfc.md` describes the format.

use super::bits::{BitReader, BitWriter};
use super::checksum::crc32;
use super::coding::{MAX_BITS, RotationCode, ScalarCode};
use super::constant::{ConstantGrid, read_constants, write_constants};
use super::memory::Memory;
use super::step::StepTrack;
use super::timing::Timing;
use super::track::{Form, Track, read_text, read_tracks, write_tracks};
use super::{ClipError, Encoding};
use alloc::string::String;
use alloc::vec::Vec;

/// The first bytes of every clip.
pub const MAGIC: [u8; 4] = *b"KFC\x1A";
/// The versions: clips with straight lines between keys, clips with parabolas, and clips whose segments have
/// finer steps for all components, not only for rotations.
const STRAIGHT: u8 = 1;
const BENT: u8 = 2;
const REFINED: u8 = 3;
/// The length of the header. The directory and the checksummed bytes start after it.
const HEADER: usize = 16;

/// A clip without its keys.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub(super) name: String,
    pub(super) index: usize,
    pub(super) duration: f32,
    pub(super) timing: Timing,
    pub(super) tracks: Vec<Track>,
    /// The values of constant tracks.
    pub(super) constants: Vec<Vec<f32>>,
    /// The precision of constants.
    pub(super) grid: ConstantGrid,
    pub(super) steps: Vec<StepTrack>,
    /// One code for each keyed rotation track.
    pub(super) rotations: Vec<RotationCode>,
    /// One code for each component of the other keyed tracks.
    pub(super) scalars: Vec<ScalarCode>,
    pub(super) layout: Layout,
}

/// The layout of the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    Fixed {
        bits: u32,
    },
    Variable {
        /// Anchors per segment. Every other key is an anchor, and so is the last.
        anchors: usize,
        /// Bits of the fields for the widths of rotations' codes.
        width_bits: u32,
        /// Whether values follow parabolas from anchor to anchor, instead of lines from key to key.
        bends: bool,
        /// Whether segments have steps of their own for all components, not only for those of rotations.
        refines: bool,
    },
}

impl Layout {
    pub(super) fn encoding(&self) -> Encoding {
        match self {
            Self::Fixed { .. } => Encoding::Fixed,
            Self::Variable { .. } => Encoding::Variable,
        }
    }

    pub(super) fn bends(&self) -> bool {
        matches!(self, Self::Variable { bends: true, .. })
    }

    fn refines(&self) -> bool {
        matches!(self, Self::Variable { refines: true, .. })
    }

    /// The first version that supports the layout.
    fn version(&self) -> u8 {
        match (self.bends(), self.refines()) {
            (_, true) => REFINED,
            (true, false) => BENT,
            (false, false) => STRAIGHT,
        }
    }
}

impl Directory {
    /// The number of floats of a pose.
    pub(super) fn pose_len(&self) -> usize {
        self.tracks.last().map_or(0, |t| t.offset + t.width)
    }

    /// The whole file. `keys` follow the directory.
    pub(super) fn write(&self, keys: &[u8]) -> Vec<u8> {
        let mut out = BitWriter::default();
        MAGIC.iter().for_each(|b| out.put((*b).into(), 8));
        out.put(self.layout.version().into(), 8);
        out.put(self.layout.encoding() as u64, 8);
        out.put(self.layout.bends().into(), 8);
        out.put(self.layout.refines().into(), 8);
        // Length and checksum, which are known at the end.
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
            Layout::Variable { anchors, width_bits, .. } => {
                out.put_count(anchors as u64);
                out.put(width_bits.into(), 3);
            }
        }
        write_tracks(&self.tracks, out);
        write_constants(&self.tracks, &self.constants, self.grid, out);
        self.steps.iter().for_each(|s| s.write(out));
        self.rotations.iter().for_each(|r| r.write(out));
        self.scalars.iter().for_each(|s| s.write(out));
        out.align();
    }

    /// Reads and checks a directory. Also returns the byte at which the keys start.
    pub(super) fn read(bytes: &[u8], memory: &mut Memory) -> Result<(Self, usize), ClipError> {
        let form = check_header(bytes)?;
        let mut from = BitReader::new(bytes, HEADER);
        let from = &mut from;
        let name = read_text(from)?;
        let (index, duration, timing) = (from.count()?, from.f32()?, Timing::read(from)?);
        let (layout, encoding) = (read_layout(form, from)?, form.0);
        let tracks = read_tracks(from, memory)?;
        let (constants, grid) = read_constants(&tracks, from)?;
        let of = |form: Form| tracks.iter().filter(move |t| t.form == form);
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

/// The encoding, whether values bend between keys, and whether segments refine all components.
fn check_header(bytes: &[u8]) -> Result<(Encoding, bool, bool), ClipError> {
    let header: &[u8; HEADER] = bytes.first_chunk().ok_or(match bytes.starts_with(&MAGIC) {
        true => ClipError::Truncated,
        false => ClipError::NotAClip,
    })?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if header[..4] != MAGIC {
        return Err(ClipError::NotAClip);
    }
    if ![STRAIGHT, BENT, REFINED].contains(&header[4]) {
        return Err(ClipError::Version(header[4]));
    }
    if word(8) as usize != bytes.len() {
        return Err(ClipError::Truncated);
    }
    if word(12) != crc32(&bytes[HEADER..]) {
        return Err(ClipError::Checksum);
    }
    match (header[4], header[5], header[6], header[7]) {
        (STRAIGHT, 0, 0, 0) => Ok((Encoding::Fixed, false, false)),
        (STRAIGHT, 1, 0, 0) => Ok((Encoding::Variable, false, false)),
        (BENT, 1, 1, 0) => Ok((Encoding::Variable, true, false)),
        (REFINED, 1, bends @ 0..=1, 1) => Ok((Encoding::Variable, bends == 1, true)),
        _ => Err(ClipError::Malformed("an unknown encoding")),
    }
}

fn read_layout(
    (encoding, bends, refines): (Encoding, bool, bool),
    from: &mut BitReader<'_>,
) -> Result<Layout, ClipError> {
    match encoding {
        Encoding::Fixed => match from.take(5)? as u32 {
            bits @ 1..=MAX_BITS => Ok(Layout::Fixed { bits }),
            _ => Err(ClipError::Malformed("bits must be 1 to 24")),
        },
        Encoding::Variable => match (from.count()?, from.take(3)? as u32) {
            (anchors @ 1.., width_bits @ 1..=5) => Ok(Layout::Variable { anchors, width_bits, bends, refines }),
            _ => Err(ClipError::Malformed("segments need anchors, and widths need 1 to 5 bits")),
        },
    }
}
