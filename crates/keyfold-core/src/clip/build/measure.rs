//! Measures a written clip against the reference at all times, through the sampler that will play it.

use super::keys::{motion, spatial, to_one_side};
use super::plan::Planned;
use super::{BuildError, Built, Encoder};
use crate::clip::{Clip, Form, Pose, Sampler, Track, bend};
use crate::curve::{Curve, Interpolation, largest_difference};
use crate::skeleton::{BETWEEN, BLOCK, Deviation, Moment, Motion, Part, Poses, compare, moments, prove};
use alloc::{sync::Arc, vec, vec::Vec};

/// The allowance for the rounding of a float, as a share of its size.
const FLOAT: f64 = 1e-6;

/// Squared errors of the probes, in squares of the bound.
pub(super) struct Errors {
    /// At each key.
    pub(super) own: Vec<f64>,
    /// Between the key and the next. An error at the key itself is included if it is over the bound: because
    /// floats round, it is treated like one between keys.
    pub(super) beside: Vec<f64>,
}

/// The largest error of all parts, as a share of the bound.
pub(super) fn largest(errors: &[Errors]) -> f64 {
    let all = errors.iter().flat_map(|errors| errors.own.iter().chain(&errors.beside));
    libm::sqrt(all.copied().fold(0.0, f64::max))
}

impl Encoder<'_> {
    /// The moments in blocks, the times at which the clip plays them, and the reference poses there.
    fn blocks(&self) -> impl Iterator<Item = (&[Moment], &[f64], Poses)> {
        let blocks = self.moments.chunks(BLOCK).zip(self.played_at.chunks(BLOCK)).enumerate();
        let poses = |b: usize, block| self.kept.get(b).cloned().unwrap_or_else(|| Poses::new(&self.wanted, block));
        blocks.map(move |(b, (block, at))| (block, at, poses(b, block)))
    }

    /// The poses of a clip at some times; `None` if a value is not finite.
    fn played(&self, clip: &Clip<'_>, times: &[f64]) -> Option<Poses> {
        let moments: Vec<Moment> = (0..times.len()).map(|i| Moment::at(i as f64)).collect();
        let curves = sampled(clip, times, &(0..times.len()).map(|i| i as f32).collect())?;
        let played = motion(self.job.source.skeleton, clip.tracks().iter().map(Track::target).zip(&curves));
        Some(Poses::new(&played, &moments))
    }

    /// The errors of each part of the hierarchy; `None` if a value that the clip plays is not finite.
    pub(super) fn errors(&self, clip: &Clip<'_>) -> Option<Vec<Errors>> {
        let (keys, bound) = (&self.keys.times, self.job.bound);
        let none = || vec![0.0f64; keys.len()];
        let mut all: Vec<Errors> = (0..self.parts()).map(|_| Errors { own: none(), beside: none() }).collect();
        for (_, times, reference) in self.blocks() {
            let poses = self.played(clip, times)?;
            for (i, time) in times.iter().enumerate() {
                let key = keys.partition_point(|key| key <= time).saturating_sub(1);
                let at = keys[key] == *time;
                for probe in self.job.probes {
                    let Some(Errors { own, beside }) = self.part_of[probe.a].map(|part| &mut all[part]) else {
                        continue;
                    };
                    let square = probe.squared_distance(reference.global(probe.a, i), poses.global(probe.b, i));
                    let error = square / (bound * bound);
                    own[key] = if at { error.max(own[key]) } else { own[key] };
                    beside[key] = if !at || error > 1.0 { error.max(beside[key]) } else { beside[key] };
                }
            }
        }
        Some(all)
    }

    /// A clip as curves through its keys. Steps stay as they are.
    pub(super) fn lines(&self, clip: &Clip<'_>) -> Option<Vec<Curve>> {
        let mut curves = sampled(clip, &self.keys.clock, &self.keys.floats)?;
        let moving = clip.tracks().iter().zip(&mut curves).filter(|(track, _)| track.form() == Form::Keyed);
        for (track, curve) in moving.filter(|_| self.keys.bends) {
            let mut rows: Vec<f64> = curve.values().iter().map(|v| f64::from(*v)).collect();
            to_one_side(track.target(), &mut rows);
            *curve = bend::curve(&self.keys.times, track.width(), &rows)?;
        }
        let steps = clip.tracks().iter().zip(&mut curves).filter(|(track, _)| track.form() == Form::Step);
        for ((track, curve), step) in steps.zip(&clip.directory.steps) {
            *curve = Curve::new(Interpolation::Step, track.width(), &*step.times, &*step.values).ok()?;
        }
        Some(curves)
    }

    /// Measures the deviation of a clip from the reference at all times: as proven between its keys, plus the
    /// rounding of floats that samples show.
    pub(super) fn proven(&self, bytes: Vec<u8>) -> Result<Built, BuildError> {
        let Self { job, wanted, .. } = self;
        let clip = Clip::open(&bytes)?;
        let lines = self.lines(&clip).ok_or(BuildError::Range)?;
        let (source, probes) = (job.source.motion(), job.probes);
        let played = motion(job.source.skeleton, clip.tracks().iter().map(Track::target).zip(&lines));
        let each = |parts: usize, part: &(dyn Fn(usize) -> Part + Sync)| (0..parts).map(part).collect();
        let proof = prove(wanted, &played, probes, each);
        let [mut rounding, mut seen] = [(); 2].map(|()| Deviation::none(probes.len()));
        for (block, times, reference) in self.blocks() {
            let poses = self.played(&clip, times).ok_or(BuildError::Range)?;
            rounding.add(&Poses::new(&played, block), &poses, probes, block);
            seen.add(&reference, &poses, probes, block);
        }
        let error = seen.error().max(proof.deviation.error());
        let possible = (proof.possible + rounding.error()).max(error);
        let apart = |other: &Motion<'_>| compare(&source, other, probes, &moments(&[&source, other], BETWEEN)).error();
        let (resampling, total) = match job.options.rate {
            Some(_) => (apart(wanted), apart(&played)),
            None => (0.0, error),
        };
        let holds = possible <= job.options.max_error && self.others_hold(&lines);
        Ok(Built { bytes, error, possible, holds, resampling, total })
    }

    /// Whether tracks that move no points keep within their tolerances at all times, if a clip plays `lines`.
    pub(super) fn others_hold(&self, lines: &[Curve]) -> bool {
        let holds = |(track, line): (&Planned<'_>, &Curve)| {
            let off = largest_difference(track.source.target.kind(), track.wanted, line);
            // A quaternion's component changes by half of the angle of a turn.
            let off = if track.source.target.is_rotation() { off / 2.0 } else { off };
            let largest = line.values().iter().fold(0.0f32, |m, v| m.max(v.abs()));
            off <= track.source.tolerance + FLOAT * f64::from(largest)
        };
        let mut others = self.plan.tracks.iter().zip(lines).filter(|(track, _)| spatial(track.source).is_none());
        others.all(holds)
    }
}

/// A clip at `times`, as curves with keys at `keys`; `None` if a value is not finite.
fn sampled(clip: &Clip<'_>, times: &[f64], keys: &Arc<[f32]>) -> Option<Vec<Curve>> {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut rows: Vec<Vec<f32>> = clip.tracks().iter().map(|t| Vec::with_capacity(t.width() * times.len())).collect();
    for time in times {
        sampler.sample(*time, &mut pose);
        rows.iter_mut().zip(clip.tracks()).for_each(|(row, track)| row.extend_from_slice(pose.value(track)));
    }
    let curve = |(row, track): (Vec<f32>, &Track)| match track.form() {
        Form::Constant => Curve::constant(0.0, &row[..track.width()]).ok(),
        _ => Curve::new(Interpolation::Linear, track.width(), keys.clone(), row).ok(),
    };
    rows.into_iter().zip(clip.tracks()).map(curve).collect()
}
