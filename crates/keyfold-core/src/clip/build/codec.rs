//! The codec by which the engine sees a segment of a clip: grids of the tracks that have a key at every time, and what their codes take in bits.

use super::frame::Frame;
use crate::clip::coding::{MAX_BITS, rotation_step, scalar_step};
use crate::clip::head::{Part, signed_bits};
use crate::engine::{Codec, Counting, Encoded, Grid, Parameters, Track};
use alloc::vec::Vec;

/// The finest level of a rotation, and its byte of the finest step: codes of the longest parameters still have 24 bits there.
const LADDER: u8 = 60;
const FINEST_BYTE: u8 = 168;

/// The codes of the variable encoding.
const CODES: (i32, i32) = (-(1 << (MAX_BITS - 1)), (1 << (MAX_BITS - 1)) - 1);

/// The grids that a track may be on, from level to level finer by a quarter of an octave.
#[derive(Clone, Debug)]
pub(super) enum Grids {
    /// With the bytes of the steps at level 0.
    Rotation { frame: Frame, bytes: [u8; 3] },
    /// With the finest level at which codes have no more bits than they may.
    Numbers { origin: [f32; 3], finest: u8 },
}

impl Grids {
    /// The bytes of the steps at a level.
    pub(super) fn bytes(&self, level: u8) -> [u8; 3] {
        match self {
            Self::Rotation { bytes, .. } => bytes.map(|b| b.saturating_add(2 * level).min(FINEST_BYTE)),
            Self::Numbers { .. } => [level; 3],
        }
    }

    /// The grid at a level, in a segment that anchors with the parameters `after` follow.
    pub(super) fn at(&self, level: u8, after: Option<[f64; 3]>) -> Parameters {
        let counting = Counting::Halfway(after);
        match self {
            Self::Rotation { frame, .. } => {
                let steps = self.bytes(level).map(|byte| f64::from(rotation_step(byte) as f32));
                Parameters { frame: Some(frame.sides()), origin: [0.0; 3], steps, codes: CODES, counting }
            }
            Self::Numbers { origin, .. } => {
                let steps = [f64::from(scalar_step(level) as f32); 3];
                Parameters { frame: None, origin: origin.map(f64::from), steps, codes: CODES, counting }
            }
        }
    }

    /// The coarsest level whose steps are no larger than one of radians or units.
    pub(super) fn level(&self, step: f64) -> u8 {
        match self {
            // A parameter is a quarter of the turn.
            Self::Rotation { bytes, .. } => {
                let finest = f64::from(bytes.iter().copied().fold(0, u8::max));
                libm::ceil((-8.0 * libm::log2((step / 4.0).max(1e-12)) - finest) / 2.0).clamp(0.0, LADDER.into()) as u8
            }
            Self::Numbers { finest, .. } => number_level(step).min(*finest),
        }
    }
}

/// The coarsest level of numbers whose step is no larger than this one.
pub(super) fn number_level(step: f64) -> u8 {
    libm::ceil((24.0 - libm::log2(step.max(f64::from(f32::MIN_POSITIVE)))) * 4.0).clamp(0.0, 255.0) as u8
}

/// A segment of a clip as a storage.
pub(super) struct SegmentCodec<'a> {
    /// By track of the job; nothing for those that are settled.
    pub(super) grids: &'a [Option<Grids>],
    /// By track: the parameters of the anchor after the last key.
    pub(super) after: &'a [Option<[f64; 3]>],
    /// By track: the coarsest level.
    pub(super) floors: &'a [u8],
}

impl Codec for SegmentCodec<'_> {
    fn grid(&self, track: &Track, step: f64) -> Grid {
        let index = track.index;
        let grids = self.grids[index].as_ref();
        grids.map_or(Grid::Float, |grids| {
            Grid::Parameters(grids.at(grids.level(step).max(self.floors[index]), self.after[index]))
        })
    }

    fn constant(&self, track: &Track, budget: f64) -> Grid {
        self.grid(track, budget)
    }

    /// In bits: a segment is short.
    fn cost(&self, tracks: &[Option<Encoded>], _: f64) -> usize {
        tracks.iter().flatten().map(bits).sum()
    }

    fn exceeds(&self, _: usize, _: usize) -> bool {
        true
    }
}

/// The bits of a track's codes.
fn bits(track: &Encoded) -> usize {
    let keys = track.codes.len();
    let Grid::Parameters(grid) = track.grid else { return 0 };
    let component = |c: usize| {
        let (middles, anchors): (Vec<usize>, Vec<usize>) = (0..keys).partition(|k| grid.is_middle(*k, keys));
        let part =
            Part::of(anchors.iter().map(|k| track.codes[*k][c]), middles.iter().map(|k| track.codes[*k][c]), MIN_BITS);
        usize::from(part.anchor) * anchors.len() + usize::from(part.middle) * middles.len()
    };
    (0..track.width.min(3)).map(component).sum()
}

/// About how many bits a minimum has.
const MIN_BITS: u32 = 12;

impl Part {
    /// The narrowest part that holds the codes of these anchors and of these middles.
    pub(super) fn of(
        anchors: impl Iterator<Item = i32> + Clone,
        middles: impl Iterator<Item = i32>,
        min_bits: u32,
    ) -> Self {
        let (low, high) = (anchors.clone().min().unwrap_or(0), anchors.max().unwrap_or(0));
        Self::holding(low, high, signed_bits(middles) as u8, min_bits)
    }
}
