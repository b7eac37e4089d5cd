//! The keys of the `fixed` encoding. Every component of every key has the same number of bits, which grows
//! until the bound holds.

use super::codec::KeyCodec;
use super::keyed::{Keyed, Tracks};
use super::measure::largest;
use super::pack::packed_fixed;
use super::{BuildError, Built, Encoder, range};
use crate::clip::Clip;
use crate::clip::coding::MAX_BITS;
use crate::engine::{self, Code, Counting, Parameters, Sequential};
use alloc::vec::Vec;

/// The fewest bits that are tried, unless a number is given.
const FIXED_BITS: u32 = 8;

/// How far rotations may go beyond their range, in steps of level 0. Each such step moves points by about
/// four times the bound.
const BEYOND: f64 = 1.0;

/// The grid of a track, with codes of `bits` bits over its whole range.
fn grid(keyed: &Keyed, bits: u32) -> Parameters {
    let last = (1i32 << bits) - 1;
    let any = Parameters { codes: (0, last), counting: Counting::Origin, ..keyed.grids.at(0, None) };
    let parameters: Vec<[f64; 3]> = keyed.values.iter().map(|value| any.parameters_of(*value)).collect();
    // Joints that compensate for others turn slightly farther than in the source.
    let beyond = any.frame.map_or(0.0, |_| BEYOND);
    let ranges = [0, 1, 2].map(|c| {
        let (low, high) = range(parameters.iter().map(|row| row[c]));
        (low - beyond * any.steps[c], high + beyond * any.steps[c])
    });
    let origin = ranges.map(|(low, _)| f64::from(low as f32));
    let step = |c: usize| f64::from((((ranges[c].1 - origin[c]) / f64::from(last)) as f32).max(f32::MIN_POSITIVE));
    Parameters { origin, steps: [0, 1, 2].map(step), ..any }
}

impl Encoder<'_> {
    /// Encodes with the given number of bits, or with the fewest that hold the bound. One more bit halves the
    /// error.
    pub(super) fn fixed(&self) -> Result<Built, BuildError> {
        let tracks = Tracks::new(self, false);
        let mut bits = self.job.options.bits.unwrap_or(FIXED_BITS);
        loop {
            let done = f64::from(bits) / f64::from(MAX_BITS + 1);
            self.job.pay(4 * (self.keys.len() + self.moments.len()), done)?;
            let grids: Vec<Parameters> = tracks.keyed.iter().map(|keyed| grid(keyed, bits)).collect();
            let nearest: Vec<Vec<Code>> =
                tracks.keyed.iter().zip(&grids).map(|(keyed, grid)| grid.encode_keys(&keyed.values)).collect();
            // Compensation holds at keys. If joints turn far between two keys, the nearest codes may be
            // better.
            let [compensated, nearest] = [self.compensated(&tracks, &grids, &nearest), nearest]
                .map(|codes| self.tried(packed_fixed(self, &tracks.keyed, &grids, &codes, bits)));
            let (compensated, nearest) = (compensated?, nearest?);
            let (largest, holds, bytes) = if compensated.0 <= nearest.0 { compensated } else { nearest };
            if holds || self.job.options.bits.is_some() || bits == MAX_BITS {
                return self.proven(bytes);
            }
            let short = libm::log2(largest).clamp(1.0, MAX_BITS.into());
            bits = (bits + short as u32).min(MAX_BITS);
        }
    }

    /// The largest error of a clip as a share of the bound, whether the bound and other tolerances hold, and
    /// the bytes.
    fn tried(&self, bytes: Vec<u8>) -> Result<(f64, bool, Vec<u8>), BuildError> {
        let clip = Clip::open(&bytes)?;
        let largest = self.errors(&clip).map_or(f64::INFINITY, |errors| largest(&errors));
        let holds = largest <= 1.0 && self.lines(&clip).is_some_and(|lines| self.others_hold(&lines));
        Ok((largest, holds, bytes))
    }

    /// The codes of all keyed tracks, with compensation for errors of parents.
    fn compensated(&self, tracks: &Tracks<'_>, grids: &[Parameters], nearest: &[Vec<Code>]) -> Vec<Vec<Code>> {
        let mut codes = nearest.to_vec();
        let codec = KeyCodec(|index: usize, _| tracks.moving[index].keyed.map(|place| grids[place]));
        let found = tracks.job(self, &(0..self.keys.len()), &[], |job| engine::rounded(job, &codec, &Sequential));
        for (moving, track) in tracks.moving.iter().zip(found) {
            if let (Some(place), Some(track)) = (moving.keyed, track) {
                codes[place] = track.codes;
            }
        }
        codes
    }
}
