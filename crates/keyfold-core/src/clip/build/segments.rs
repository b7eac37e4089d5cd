//! The keys of the `variable` encoding. Each segment is a job for the engine. Segments are made from the last
//! to the first, because the last middle of a segment counts from the first anchor of the next.
//!
//! Errors between keys are measured on the whole clip, through the sampler that will play it. If they are
//! over the bound, the keys beside them weigh more. Their codes are repaired, and so are codes that count
//! from them.

use super::codec::{Grids, KeyCodec};
use super::keyed::{Keyed, Tracks};
use super::measure::{Errors, largest};
use super::pack::packed;
use super::{BuildError, Built, Encoder};
use crate::clip::Clip;
use crate::clip::head::FINER;
use crate::curve::Interpolation;
use crate::engine::{self, Code, Encoded, Grid, Sequential, raise};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// The most levels by which a segment can be finer than its track. A head cannot express more.
pub(super) const FINEST: u8 = FINER.len() as u8 - 1;

/// The segments of a clip, as far as they are made.
pub(super) struct Segments<'a, 'e> {
    encoder: &'e Encoder<'a>,
    tracks: &'e Tracks<'a>,
    /// Anchors per segment.
    pub(super) anchors: usize,
    /// The keys of each segment.
    pub(super) ranges: Vec<Range<usize>>,
    /// By keyed track and segment: the level of the quantization steps.
    pub(super) levels: Vec<Vec<u8>>,
    /// By keyed track and key.
    pub(super) codes: Vec<Vec<Code>>,
    /// By segment: whether it already has codes, which can be repaired.
    made: Vec<bool>,
    /// By part of the hierarchy and key: the weight of the squared error.
    weights: Vec<Vec<f64>>,
    /// By keyed track: the coarsest level that a segment may have.
    floors: Vec<u8>,
}

impl<'a, 'e> Segments<'a, 'e> {
    fn new(encoder: &'e Encoder<'a>, tracks: &'e Tracks<'a>) -> Self {
        let (keys, keyed) = (encoder.keys.len(), &tracks.keyed);
        // Segments have equal lengths: a short one at the end would cost a head of its own.
        let all = keys / 2 + 1;
        let anchors = all.div_ceil(((all + ANCHORS / 2) / ANCHORS).max(1));
        // The last key is always an anchor.
        let starts = (0..all.div_ceil(anchors)).map(|segment| (2 * anchors * segment).min(keys - 1));
        let ends = starts.clone().skip(1).chain([keys]);
        let ranges: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
        let codes = keyed.iter().map(|keyed| match keyed.level {
            Some(level) => keyed.grids.at(level, None).encode_keys(&keyed.values),
            None => vec![[0; 4]; keys],
        });
        Self {
            encoder,
            tracks,
            anchors,
            levels: keyed.iter().map(|keyed| vec![keyed.level.unwrap_or(0); ranges.len()]).collect(),
            codes: codes.collect(),
            made: vec![false; ranges.len()],
            weights: vec![vec![1.0; keys]; encoder.parts()],
            floors: vec![0; keyed.len()],
            ranges,
        }
    }

    /// Raises the weights of keys beside errors over the bound, and raises them further if that did not help.
    /// Then makes the segments of these keys again.
    fn come_nearer(&mut self, errors: &[Errors]) -> Result<(), BuildError> {
        let mut wanted = vec![false; self.ranges.len()];
        for (weights, errors) in self.weights.iter_mut().zip(errors) {
            let (mut raised, beyond) = raise(weights, &errors.own, &errors.beside, LEAST);
            for key in beyond {
                for beside in key..(key + 2).min(raised.len()) {
                    raised[beside] = raised[beside].max(weights[beside] * errors.beside[key] / NEARER);
                }
            }
            let differ = |keys: &Range<usize>| raised[keys.clone()] != weights[keys.clone()];
            wanted.iter_mut().zip(&self.ranges).for_each(|(wanted, keys)| *wanted |= differ(keys));
            *weights = raised;
        }
        self.make(wanted)
    }

    /// Makes the wanted segments, and those before them whose codes count from theirs, until no track has
    /// levels too far apart.
    fn make(&mut self, mut wanted: Vec<bool>) -> Result<(), BuildError> {
        while wanted.contains(&true) {
            for segment in (0..wanted.len()).rev() {
                if wanted[segment] {
                    let done = MADE * (1.0 - segment as f64 / wanted.len() as f64);
                    self.encoder.job.pay(WORK * self.ranges[segment].len(), done)?;
                    let before = self.firsts(segment);
                    self.segment(segment);
                    wanted[segment.saturating_sub(1)] |= self.firsts(segment) != before;
                }
            }
            wanted = self.raised_floors();
        }
        Ok(())
    }

    /// By moving track: the parameters of a segment's first key.
    fn firsts(&self, segment: usize) -> Vec<Option<[f64; 3]>> {
        let first = |place: usize| {
            let (key, level) = (self.ranges.get(segment)?.start, self.levels[place][segment]);
            Some(self.tracks.keyed[place].grids.at(level, None).parameters(self.codes[place][key]))
        };
        self.tracks.moving.iter().map(|moving| moving.keyed.and_then(first)).collect()
    }

    /// Makes a segment: repairs its codes if it has any, and searches it anew if that does not hold.
    fn segment(&mut self, segment: usize) {
        let (keys, tracks, after) = (self.ranges[segment].clone(), self.tracks, self.firsts(segment + 1));
        let codec = KeyCodec(|index: usize, step: f64| {
            let place = tracks.moving[index].keyed?;
            let grids = &tracks.keyed[place].grids;
            Some(grids.at(grids.level(step).max(self.floors[place]), after[index]))
        });
        let made = self.made[segment].then(|| self.encoded(segment, &after));
        let found = tracks
            .job(self.encoder, &keys, &self.weights, |job| engine::nearest(job, &codec, &Sequential, made.as_deref()));
        for (moving, track) in tracks.moving.iter().zip(&found) {
            let (Some(place), Some(Encoded { grid: Grid::Parameters(grid), codes, .. })) = (moving.keyed, track) else {
                continue;
            };
            self.levels[place][segment] = tracks.keyed[place].grids.level_of(grid.steps);
            self.codes[place][keys.clone()].copy_from_slice(codes);
        }
        self.made[segment] = true;
    }

    /// The encoded tracks of a segment. `after` are the parameters of the anchors that follow it.
    fn encoded(&self, segment: usize, after: &[Option<[f64; 3]>]) -> Vec<Option<Encoded>> {
        let keys = self.ranges[segment].clone();
        let track = |(place, after): (Option<usize>, &Option<[f64; 3]>)| {
            let keyed = &self.tracks.keyed[place?];
            Some(Encoded {
                interpolation: Interpolation::Linear,
                times: keys.clone().map(|key| key as f32).collect(),
                grid: Grid::Parameters(keyed.grids.at(self.levels[place?][segment], *after)),
                codes: self.codes[place?][keys.clone()].to_vec(),
                width: keyed.components,
            })
        };
        self.tracks.moving.iter().map(|moving| moving.keyed).zip(after).map(track).collect()
    }

    /// Raises the coarsest level of tracks whose segments have levels too far apart for a head. Returns, by
    /// segment, whether it has to be made again.
    fn raised_floors(&mut self) -> Vec<bool> {
        let mut wanted = vec![false; self.ranges.len()];
        for (floor, levels) in self.floors.iter_mut().zip(&self.levels) {
            *floor = levels.iter().copied().max().unwrap_or(0).saturating_sub(FINEST).max(*floor);
            wanted.iter_mut().zip(levels).for_each(|(wanted, level)| *wanted |= level < floor);
        }
        self.made.iter_mut().zip(&wanted).for_each(|(made, wanted)| *made &= !wanted);
        wanted
    }

    /// The tracks at their finest level: with finer steps, codes would not reach all of their values.
    fn at_finest(&self) -> impl Iterator<Item = &Keyed> {
        let tracks = self.tracks.keyed.iter().zip(&self.levels);
        tracks.filter(|(keyed, levels)| levels.contains(&keyed.grids.finest())).map(|(keyed, _)| keyed)
    }
}

/// The work of making a segment, for each of its keys, in moments of one try.
const WORK: usize = 64;
/// How often segments are made again because the bound is exceeded between keys.
const TRIES: usize = 24;
/// The approximate number of anchors in a segment.
const ANCHORS: usize = 8;
/// Beside errors over the bound, a key's own error counts as at least this share of the bound. Keys that are
/// nearer already need not come much nearer.
const LEAST: f64 = 0.5;
/// The share of the bound, squared, to which errors are brought beside keys whose weights were raised before.
const NEARER: f64 = 0.97;
/// The progress when each segment has been made once.
const MADE: f64 = 0.8;

impl Encoder<'_> {
    /// Encodes, reads back and measures. If the bound is exceeded between keys, the keys beside weigh more in
    /// the next try.
    pub(super) fn variable(&self) -> Result<Built, BuildError> {
        let tracks = Tracks::new(self, true);
        let mut segments = Segments::new(self, &tracks);
        let any = tracks.moving.iter().any(|moving| moving.keyed.is_some());
        segments.make(vec![any; segments.ranges.len()])?;
        let (mut tries, mut last) = (0..TRIES, f64::INFINITY);
        loop {
            let bytes = packed(self, &tracks.keyed, &segments);
            self.job.pay(self.keys.len() + self.moments.len(), MADE)?;
            let errors = self.errors(&Clip::open(&bytes)?);
            let found = errors.as_deref().map_or(0.0, largest);
            let is_stuck = found == last && segments.at_finest().next().is_some();
            if let Some(errors) = errors.filter(|_| found > 1.0 && !is_stuck && tries.next().is_some()) {
                last = found;
                segments.come_nearer(&errors)?;
                continue;
            }
            let built = self.proven(bytes)?;
            let lacks_codes = segments.at_finest().any(|keyed| matches!(keyed.grids, Grids::Numbers { .. }));
            return if built.holds || !lacks_codes { Ok(built) } else { Err(BuildError::Range) };
        }
    }
}
