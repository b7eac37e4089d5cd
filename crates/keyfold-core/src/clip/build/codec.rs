//! The engine's codec for the keys of a clip: the grids of tracks with a key at every time.

use super::frame::Frame;
use crate::clip::coding::{MAX_BITS, rotation_step, scalar_step};
use crate::engine::{Codec, Counting, Encoded, Grid, Parameters, Track};

/// The byte of the finest step that a rotation may have.
pub(super) const FINEST_BYTE: u8 = 168;

/// The least and the largest code of the `variable` encoding.
const CODES: (i32, i32) = (-(1 << (MAX_BITS - 1)), (1 << (MAX_BITS - 1)) - 1);

/// The grids that a track may have. Each level is finer than the one before by a quarter of an octave.
#[derive(Clone, Debug)]
pub(super) enum Grids {
    /// `bytes` are the bytes of the steps at level 0. `finest` is the finest level at which codes still fit
    /// in their bits.
    Rotation { frame: Frame, bytes: [u8; 3], finest: u8 },
    /// `finest` is the finest level, as for rotations.
    Numbers { origin: [f32; 3], finest: u8 },
}

impl Grids {
    /// The bytes of the steps at a level.
    pub(super) fn bytes(&self, level: u8) -> [u8; 3] {
        match self {
            Self::Rotation { bytes, .. } => bytes.map(|byte| byte + 2 * level),
            Self::Numbers { .. } => [level; 3],
        }
    }

    /// The steps at a level.
    fn steps(&self, level: u8) -> [f64; 3] {
        let step = if matches!(self, Self::Rotation { .. }) { rotation_step } else { scalar_step };
        self.bytes(level).map(|byte| f64::from(step(byte) as f32))
    }

    /// The grid at a level. `after` are the parameters of the anchor that follows the segment.
    pub(super) fn at(&self, level: u8, after: Option<[f64; 3]>) -> Parameters {
        let (frame, origin) = match self {
            Self::Rotation { frame, .. } => (Some(frame.sides()), [0.0; 3]),
            Self::Numbers { origin, .. } => (None, origin.map(f64::from)),
        };
        Parameters { frame, origin, steps: self.steps(level), codes: CODES, counting: Counting::Halfway(after) }
    }

    /// The level with these steps.
    pub(super) fn level_of(&self, steps: [f64; 3]) -> u8 {
        (0..=self.finest()).find(|level| self.steps(*level) == steps).unwrap_or(0)
    }

    /// The finest level.
    pub(super) fn finest(&self) -> u8 {
        let (Self::Rotation { finest, .. } | Self::Numbers { finest, .. }) = self;
        *finest
    }

    /// The coarsest level whose steps are at most `step` (radians or units); the finest level if there is
    /// none.
    pub(super) fn level(&self, step: f64) -> u8 {
        let level = match self {
            // A parameter is about a quarter of the angle of a turn.
            Self::Rotation { bytes, .. } => {
                let finest = f64::from(bytes.iter().copied().fold(0, u8::max));
                libm::ceil((-8.0 * libm::log2((step / 4.0).max(1e-12)) - finest) / 2.0).max(0.0) as u8
            }
            Self::Numbers { .. } => number_level(step),
        };
        level.min(self.finest())
    }
}

/// The coarsest level of numbers whose step is at most `step`.
pub(super) fn number_level(step: f64) -> u8 {
    libm::ceil((24.0 - libm::log2(step.max(f64::from(f32::MIN_POSITIVE)))) * 4.0).clamp(0.0, 255.0) as u8
}

/// A storage for the keys of a clip. The function returns the grid of a job's track with steps of at most
/// about a size; `None` if the track is settled.
pub(super) struct KeyCodec<G>(pub(super) G);

impl<G: Fn(usize, f64) -> Option<Parameters> + Sync> Codec for KeyCodec<G> {
    fn grid(&self, track: &Track, step: f64) -> Grid {
        self.0(track.index, step).map_or(Grid::Float, Grid::Parameters)
    }

    fn constant(&self, track: &Track, budget: f64) -> Grid {
        self.grid(track, budget)
    }

    /// The number of tracks without codes. All keys stay, so there is nothing else to choose.
    fn cost(&self, tracks: &[Option<Encoded>], _: f64) -> usize {
        tracks.iter().filter(|track| track.is_none()).count()
    }
}
