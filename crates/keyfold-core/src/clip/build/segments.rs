//! The keys of the `variable` encoding: each segment is a job for the engine, from the last to the first, because the last middle of a segment counts from the first anchor
//! of the next.
//!
//! What is over the bound between keys is measured on the whole clip, through the sampler that will play it: keys beside have to come nearer then, and codes there are
//! repaired, as are those that count from them.

use super::codec::{Grids, SegmentCodec};
use super::keyed::Keyed;
use super::keys::spatial;
use super::pack::packed;
use super::plan::Role;
use super::{BuildError, Built, Encoder, Job};
use crate::clip::Clip;
use crate::clip::head::{FINER, is_middle};
use crate::curve::{Curve, Interpolation};
use crate::engine::{self, Code, Counting, Encoded, Executor, Grid, Level, raise};
use crate::skeleton::Track;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// The most levels by which a segment is finer than its track.
pub(super) const FINEST: u8 = FINER.len() as u8 - 1;

/// One after the other: the core knows no threads.
pub(super) struct Sequential;

impl Executor for Sequential {
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T> {
        items.iter().map(run).collect()
    }
}

/// The anchors and the middles of each segment of so many anchors.
pub(super) fn cut(keys: usize, anchors: usize) -> Vec<[Vec<usize>; 2]> {
    let (middles, all): (Vec<usize>, Vec<usize>) = (0..keys).partition(|k| is_middle(*k, keys));
    let mut middles = middles.chunks(anchors).map(<[usize]>::to_vec);
    all.chunks(anchors).map(|all| [all.to_vec(), middles.next().unwrap_or_default()]).collect()
}

/// What moves points, as the engine is given it. Times are the numbers of keys.
pub(super) struct Moving<'a> {
    pub(super) tracks: Vec<Track<'a>>,
    /// By track: its values at the keys.
    rows: Vec<Rows>,
    /// By track: the number of its keyed one.
    pub(super) keyed: Vec<Option<usize>>,
    /// By track: what it is stored as, where it is held.
    held: Vec<Option<Rows>>,
    pub(super) grids: Vec<Option<Grids>>,
}

/// Values at keys; one where all are alike.
struct Rows {
    width: usize,
    values: Vec<f32>,
}

impl Rows {
    /// Splines may leave the range of floats.
    fn new(width: usize, values: impl IntoIterator<Item = f64>) -> Self {
        let float = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(f32::MIN.into(), f32::MAX.into()) as f32 };
        Self { width, values: values.into_iter().map(float).collect() }
    }

    /// The same in one row where all are alike.
    fn shortened(mut self) -> Self {
        if self.values.chunks_exact(self.width).all(|row| *row == self.values[..self.width]) {
            self.values.truncate(self.width);
        }
        self
    }

    /// A curve through some keys.
    fn curve(&self, keys: &Range<usize>) -> Curve {
        if self.values.len() == self.width {
            return Curve::constant(0.0, &self.values[..]).expect("a value of a curve is finite");
        }
        let times: Vec<f32> = (0..keys.len()).map(|key| key as f32).collect();
        let values = &self.values[keys.start * self.width..keys.end * self.width];
        Curve::new(Interpolation::Linear, self.width, times, values)
            .expect("numbers ascend, values of a curve are finite")
    }
}

impl<'a> Moving<'a> {
    pub(super) fn new(encoder: &Encoder<'a>, keyed: &[Keyed]) -> Self {
        let mut moving =
            Self { tracks: Vec::new(), rows: Vec::new(), keyed: Vec::new(), held: Vec::new(), grids: Vec::new() };
        for (planned, track) in encoder.plan.tracks.iter().enumerate() {
            let Some(moved) = spatial(track.source) else { continue };
            let (width, place) = (track.source.curve.width(), keyed.iter().position(|keyed| keyed.planned == planned));
            let held = match &track.role {
                Role::Held(curve) => {
                    Some(Rows::new(width, encoder.keys.values_of(&track.source.target, curve)).shortened())
                }
                Role::Rotation(_) | Role::Numbers(_) => None,
            };
            moving.tracks.push(moved);
            moving.rows.push(match place {
                Some(place) => Rows::new(width, keyed[place].values.iter().flat_map(|v| v[..width].to_vec())),
                None => Rows::new(width, encoder.keys.values(track.source)).shortened(),
            });
            moving.grids.push(place.map(|place| keyed[place].grids.clone()));
            moving.keyed.push(place);
            moving.held.push(held);
        }
        moving
    }

    /// Calls `run` with the job of some keys.
    pub(super) fn job<T>(
        &self,
        job: &Job<'_>,
        keys: &Range<usize>,
        (bound, weights): (f64, &[f64]),
        run: impl FnOnce(&engine::Job<'_>) -> T,
    ) -> T {
        let curves: Vec<Curve> = self.rows.iter().map(|rows| rows.curve(keys)).collect();
        let held: Vec<Option<Curve>> =
            self.held.iter().map(|held| held.as_ref().map(|rows| rows.curve(keys))).collect();
        let tracks: Vec<Track<'_>> =
            self.tracks.iter().zip(&curves).map(|(track, curve)| Track { curve, ..*track }).collect();
        let settled: Vec<Option<&Curve>> = held.iter().map(Option::as_ref).collect();
        run(&engine::Job {
            skeleton: job.source.skeleton,
            probe_radii: job.source.probe_radii,
            tracks: &tracks,
            settled: &settled,
            weights,
            end: keys.len().saturating_sub(1) as f32,
            bound,
            level: Level::Default,
            keeps_keys: true,
            shares_times: true,
            is_estimate: false,
        })
    }
}

/// The codes of all keyed tracks.
pub(super) struct Coded {
    /// By keyed track and segment: how fine steps are.
    pub(super) levels: Vec<Vec<u8>>,
    /// By keyed track and key.
    pub(super) codes: Vec<Vec<Code>>,
}

/// A clip cut into segments of so many anchors, as far as it is made.
pub(super) struct Segments<'a, 'e> {
    encoder: &'e Encoder<'a>,
    moving: &'e Moving<'a>,
    pub(super) anchors: usize,
    /// The keys of each.
    ranges: Vec<Range<usize>>,
    pub(super) coded: Coded,
    /// By segment: what became of its tracks.
    made: Vec<Option<Vec<Option<Encoded>>>>,
    /// By segment: its share of the bound.
    shares: Vec<f64>,
    /// By key: how many times the square of its error counts.
    weights: Vec<f64>,
    /// By segment and track: the parameters of its first key, once they are known.
    firsts: Vec<Vec<Option<[f64; 3]>>>,
    /// By track: the coarsest level.
    floors: Vec<u8>,
}

/// How far points are off, in squares of the bound: at each key, and between it and the next.
pub(super) struct Errors {
    pub(super) own: Vec<f64>,
    pub(super) between: Vec<f64>,
}

impl Errors {
    /// The largest, as a share of the bound.
    pub(super) fn largest(&self) -> f64 {
        libm::sqrt(self.own.iter().chain(&self.between).copied().fold(0.0, f64::max))
    }
}

impl<'a, 'e> Segments<'a, 'e> {
    pub(super) fn new(encoder: &'e Encoder<'a>, keyed: &'e [Keyed], moving: &'e Moving<'a>, anchors: usize) -> Self {
        let keys = encoder.keys.len();
        let ends =
            |[anchors, middles]: &[Vec<usize>; 2]| anchors[0]..anchors.last().max(middles.last()).map_or(0, |k| k + 1);
        let ranges: Vec<Range<usize>> = cut(keys, anchors).iter().map(ends).collect();
        let count = ranges.len();
        let levels = keyed.iter().map(|keyed| vec![keyed.level.unwrap_or(0); count]).collect();
        let codes = keyed.iter().map(|keyed| match keyed.level {
            Some(level) => keyed.grids.at(level, None).encode_keys(&keyed.values),
            None => vec![[0; 4]; keys],
        });
        Self {
            encoder,
            moving,
            anchors,
            coded: Coded { levels, codes: codes.collect() },
            made: vec![None; count],
            shares: vec![1.0; count],
            weights: vec![1.0; keys],
            firsts: vec![vec![None; moving.tracks.len()]; count + 1],
            floors: vec![0; moving.tracks.len()],
            ranges,
        }
    }

    /// Makes all segments.
    fn run(&mut self) -> Result<(), BuildError> {
        let any = self.moving.keyed.iter().any(Option::is_some);
        self.make(vec![any; self.ranges.len()])
    }

    /// Makes those segments again that are beside errors over the bound: keys there count for more or, where that did not help, have less of the bound.
    fn come_nearer(&mut self, errors: &Errors) -> Result<(), BuildError> {
        // What is over the bound at a key itself, because floats round, is as good as beside it.
        let worse = |(own, between): (&f64, &f64)| if *own > 1.0 { own.max(*between) } else { *between };
        let beside: Vec<f64> = errors.own.iter().zip(&errors.between).map(worse).collect();
        let (weights, beyond) = raise(&self.weights, &errors.own, &beside, LEAST);
        let before = core::mem::replace(&mut self.weights, weights);
        let mut wanted: Vec<bool> =
            self.ranges.iter().map(|keys| self.weights[keys.clone()] != before[keys.clone()]).collect();
        for (segment, keys) in self.ranges.iter().enumerate() {
            let beside = beyond.iter().filter(|key| keys.contains(key) || keys.contains(&(**key + 1)));
            let worst = beside.map(|key| worse((&errors.own[*key], &errors.between[*key]))).fold(0.0, f64::max);
            if worst > 0.0 {
                self.shares[segment] *= (NEARER / libm::sqrt(worst)).clamp(LESS.0, LESS.1);
                wanted[segment] = true;
            }
        }
        self.make(wanted)
    }

    /// Makes segments, and those before them whose codes count from theirs, until no track has levels too far apart.
    fn make(&mut self, mut wanted: Vec<bool>) -> Result<(), BuildError> {
        loop {
            for segment in (0..wanted.len()).rev() {
                if !wanted[segment] {
                    continue;
                }
                let done = MADE * (1.0 - segment as f64 / wanted.len() as f64);
                self.encoder.job.pay(WORK * self.ranges[segment].len(), done)?;
                if self.segment(segment) && segment > 0 {
                    wanted[segment - 1] = true;
                }
            }
            wanted = self.raised_floors();
            self.made.iter_mut().zip(&wanted).filter(|(_, wanted)| **wanted).for_each(|(made, _)| *made = None);
            if !wanted.contains(&true) {
                return Ok(());
            }
        }
    }

    /// Makes a segment. Says whether its first key is another.
    fn segment(&mut self, segment: usize) -> bool {
        let (keys, moving) = (self.ranges[segment].clone(), self.moving);
        let after: &[Option<[f64; 3]>] = &self.firsts[segment + 1];
        let codec = SegmentCodec { grids: &moving.grids, after, floors: &self.floors };
        let bound = self.encoder.job.bound() * self.shares[segment];
        let made = self.made[segment].take().map(|tracks| counted(tracks, after));
        let tracks = moving.job(self.encoder.job, &keys, (bound, &self.weights[keys.clone()]), |job| {
            let again = made.and_then(|made| engine::repaired(job, &codec, &Sequential, &made));
            let found = again.or_else(|| engine::search(job, &codec, &Sequential, None).map(|found| found.tracks));
            // Where nothing holds: as near as codes come.
            found.unwrap_or_else(|| engine::rounded(job, &codec, &Sequential))
        });
        let mut firsts = vec![None; moving.tracks.len()];
        for (index, (place, track)) in moving.keyed.iter().zip(&tracks).enumerate() {
            let (Some(place), Some(track)) = (place, track) else { continue };
            let (Grid::Parameters(grid), Some(grids)) = (track.grid, &moving.grids[index]) else { continue };
            let level = (0..=u8::MAX).find(|level| grids.at(*level, None).steps == grid.steps);
            self.coded.levels[*place][segment] = level.unwrap_or(0);
            self.coded.codes[*place][keys.clone()].copy_from_slice(&track.codes);
            firsts[index] = Some(grid.parameters(track.codes[0]));
        }
        self.made[segment] = Some(tracks);
        core::mem::replace(&mut self.firsts[segment], firsts) != self.firsts[segment]
    }

    /// Whether a track has no finer steps with which codes would reach its values.
    fn lack_codes(&self, keyed: &[Keyed]) -> bool {
        let lacks = |(keyed, levels): (&Keyed, &Vec<u8>)| match &keyed.grids {
            Grids::Numbers { finest, .. } => levels.contains(finest),
            Grids::Rotation { .. } => false,
        };
        keyed.iter().zip(&self.coded.levels).any(lacks)
    }

    /// Raises the coarsest level of tracks whose segments are too far apart for a head to say. Says which segments have to be made again.
    fn raised_floors(&mut self) -> Vec<bool> {
        let mut wanted = vec![false; self.ranges.len()];
        for (floor, place) in self.floors.iter_mut().zip(&self.moving.keyed) {
            let Some(place) = place else { continue };
            let levels = &self.coded.levels[*place];
            let least = levels.iter().copied().max().unwrap_or(0).saturating_sub(FINEST);
            if levels.iter().any(|level| *level < least) {
                *floor = least;
                wanted.iter_mut().zip(levels).for_each(|(wanted, level)| *wanted |= *level < least);
            }
        }
        wanted
    }
}

/// Tracks whose codes count from anchors with these parameters after the last key.
fn counted(mut tracks: Vec<Option<Encoded>>, after: &[Option<[f64; 3]>]) -> Vec<Option<Encoded>> {
    for (track, after) in tracks.iter_mut().zip(after) {
        if let Some(Encoded { grid: Grid::Parameters(grid), .. }) = track {
            grid.counting = Counting::Halfway(*after);
        }
    }
    tracks
}

/// What making a segment takes, in moments of one try.
const WORK: usize = 64;
/// How often the search may come nearer where the bound was exceeded between keys.
const TRIES: usize = 24;
/// About how many anchors make a segment.
const ANCHORS: usize = 8;
/// The least share of the bound that a key's own error is taken for where errors beside it are over the bound: what is nearer already need not come much nearer.
const LEAST: f64 = 0.5;
/// The share of the bound that errors beside keys are to come to which nearer keys did not help, and how much less of it a segment has for that, at least and at most.
const NEARER: f64 = 0.97;
const LESS: (f64, f64) = (0.5, 0.95);
/// How much of all work is done once each segment was made.
const MADE: f64 = 0.8;

impl Encoder<'_> {
    /// Encodes, reads back, measures; where the bound is exceeded between keys, again with those beside nearer.
    pub(super) fn variable(&self) -> Result<Built, BuildError> {
        let keyed = Keyed::all(self, true);
        let moving = Moving::new(self, &keyed);
        // Segments are all alike: a short one at the end would have a head of its own.
        let all = self.keys.len() / 2 + 1;
        let anchors = all.div_ceil(((all + ANCHORS / 2) / ANCHORS).max(1));
        let mut segments = Segments::new(self, &keyed, &moving, anchors);
        segments.run()?;
        let mut tries = 0;
        loop {
            let bytes = packed(self, &keyed, &segments);
            self.job.pay(self.keys.len() + self.reference.moments.len(), MADE)?;
            let clip = Clip::open(&bytes).map_err(|_| BuildError::Range)?;
            let errors = self.reference.errors(&clip);
            let largest = errors.as_ref().map_or(f64::INFINITY, Errors::largest);
            let Some(errors) = errors.filter(|_| largest > 1.0 && tries < TRIES) else {
                let built = self.built(bytes, largest * self.job.bound());
                return if built.holds || !segments.lack_codes(&keyed) { Ok(built) } else { Err(BuildError::Range) };
            };
            segments.come_nearer(&errors)?;
            tries += 1;
        }
    }
}
