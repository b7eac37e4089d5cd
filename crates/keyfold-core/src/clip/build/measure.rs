//! What was written against what it should be: everywhere on the time line, through the sampler that will play it.

use super::keys::{KeyTimes, driven, kind, motion, spatial, to_one_side};
use super::plan::Plan;
use super::room::Room;
use super::{Built, Job};
use crate::clip::{Clip, Form, Pose, Sampler};
use crate::curve::{Curve, Interpolation, Kind, largest_difference};
use crate::skeleton::{Affine, BETWEEN, BLOCK, Deviation, Moment, Motion, Part, Poses, compare, moments, prove};
use alloc::{sync::Arc, vec, vec::Vec};
use core::ops::Range;

/// Floats of a size have steps of their own: so much of it.
const FLOAT: f64 = 1e-6;
/// Bytes of reference poses that are kept between tries; the others are computed again each time.
const KEPT: usize = 32 << 20;

/// What a clip is measured against.
pub(super) struct Reference<'a> {
    job: &'a Job<'a>,
    keys: &'a KeyTimes,
    /// The animation as it was.
    source: Motion<'a>,
    /// What the clip should play: the animation resampled, or itself where there is no rate.
    motion: Motion<'a>,
    /// The source's tracks as the clip runs between keys: straight, or along parabolas.
    lines: &'a [Curve],
    /// The moments at which errors are measured, and when the clip plays them.
    pub(super) moments: Vec<Moment>,
    played_at: Vec<f64>,
    /// The source at the clip's keys.
    pub(super) at_keys: Poses,
    /// The reference at the first of `moments`, block by block, as far as memory is spent on it.
    kept: Vec<Poses>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(job: &'a Job<'a>, keys: &'a KeyTimes, lines: &'a [Curve]) -> Self {
        let tracks = || job.source.tracks.iter().zip(lines);
        let source = motion(job.source);
        let resampled = Motion::new(job.source.skeleton, tracks().filter_map(|(t, line)| driven(&t.target, line)));
        // A parabola has a key in its midst.
        let moments = moments(&[&resampled], if keys.bends { 2 * BETWEEN + 1 } else { BETWEEN });
        let at_keys = Poses::new(&source, &keys.times.iter().map(|t| Moment::at(*t)).collect::<Vec<_>>());
        let motion = if job.options.rate.is_some() { resampled } else { source.clone() };
        let played_at = played_at(keys, &moments);
        let blocks = KEPT / (BLOCK * size_of::<Affine>() * job.source.probes.len().max(1));
        let kept = moments.chunks(BLOCK).take(blocks).map(|block| Poses::new(&motion, block)).collect();
        Self { job, keys, source, motion, lines, moments, played_at, at_keys, kept }
    }

    /// The moments in blocks, each with where it begins.
    fn blocks(&self) -> impl Iterator<Item = (Range<usize>, &[Moment])> {
        let blocks = self.moments.chunks(BLOCK).enumerate();
        blocks.map(|(i, block)| (i * BLOCK..i * BLOCK + block.len(), block))
    }

    /// What a clip plays at some of the moments, nodes that are not wanted left at rest; `None` where that is no number.
    fn played(&self, clip: &Clip<'_>, range: Range<usize>, wanted: &[bool]) -> Option<Poses> {
        let numbers = 0..range.len();
        let curves = sampled(clip, &self.played_at[range], &numbers.clone().map(|i| i as f32).collect())?;
        let moments: Vec<Moment> = numbers.map(|i| Moment::at(i as f64)).collect();
        Some(Poses::new(&self.motion_of(clip, &curves, wanted), &moments))
    }

    fn motion_of<'c>(&self, clip: &Clip<'_>, curves: &'c [Curve], wanted: &[bool]) -> Motion<'c>
    where
        'a: 'c,
    {
        let tracks = clip.tracks().iter().zip(curves).filter_map(|(track, curve)| driven(track.target(), curve));
        Motion::new(self.job.source.skeleton, tracks.filter(|track| wanted[track.node]))
    }

    /// The largest error of the nodes that were coded anew. Where it is over the bound, the joints that carry the point have less room next time.
    pub(super) fn error(&self, clip: &Clip<'_>, anew: &[bool], room: &mut Room) -> f64 {
        let (skeleton, bound) = (self.job.source.skeleton, self.job.bound());
        let mut wanted = anew.to_vec();
        for &node in skeleton.order().iter().rev() {
            skeleton.parent(node).into_iter().for_each(|parent| wanted[parent] |= wanted[node]);
        }
        let probes = || self.job.source.probes.iter().filter(|probe| anew[probe.a]);
        let (mut worst, mut errors) = (0.0f64, vec![0.0f64; skeleton.len()]);
        for (range, block) in self.blocks() {
            let kept = self.kept.get(range.start / BLOCK).cloned();
            let reference = kept.unwrap_or_else(|| Poses::new(&self.motion, block));
            let Some(poses) = self.played(clip, range, &wanted) else { return f64::INFINITY };
            for (i, moment) in block.iter().enumerate() {
                for probe in probes() {
                    let squared = probe.squared_distance(reference.global(probe.a, i), poses.global(probe.b, i));
                    errors[probe.a] = libm::sqrt(squared);
                }
                let key = self.keys.times.partition_point(|t| *t <= moment.time).saturating_sub(1);
                for probe in probes() {
                    worst = worst.max(errors[probe.a]);
                    let above = skeleton.parent(probe.a).is_some_and(|p| errors[p] > bound);
                    if errors[probe.a] > bound && !above {
                        room.charge(skeleton, probe.a, key, errors[probe.a] / bound);
                    }
                }
            }
        }
        room.tighten();
        worst
    }

    /// What a clip plays as curves through its keys; steps as they are.
    fn lines(&self, clip: &Clip<'_>) -> Option<Vec<Curve>> {
        let mut curves = sampled(clip, &self.keys.clock, &self.keys.floats)?;
        let moving = clip.tracks().iter().zip(&mut curves).filter(|(track, _)| track.form() == Form::Keyed);
        for (track, curve) in moving.filter(|_| self.keys.bends) {
            let mut rows: Vec<f64> = curve.values().iter().map(|v| f64::from(*v)).collect();
            if track.target().is_rotation() {
                to_one_side(&mut rows);
            }
            *curve = self.keys.bent(track.width(), &rows)?;
        }
        let steps = clip.tracks().iter().zip(&mut curves).filter(|(track, _)| track.form() == Form::Step);
        for ((track, curve), step) in steps.zip(&clip.directory.steps) {
            *curve = Curve::new(Interpolation::Step, track.width(), &*step.times, &*step.values).ok()?;
        }
        Some(curves)
    }

    /// How far a clip lies from the reference, everywhere: proven of the lines or parabolas between its keys. What floats round as they blend is
    /// added as far as it was seen.
    pub(super) fn proven(&self, clip: &Clip<'_>, built: Built) -> Built {
        let Some(lines) = self.lines(clip) else { return Built { holds: false, ..built } };
        let (all, probes) = (vec![true; self.job.source.skeleton.len()], self.job.source.probes);
        let played = self.motion_of(clip, &lines, &all);
        let each = |parts: usize, part: &(dyn Fn(usize) -> Part + Sync)| (0..parts).map(part).collect();
        let proof = prove(&self.motion, &played, probes, each);
        let mut rounding = Deviation::none(probes.len());
        for (range, block) in self.blocks() {
            if let Some(poses) = self.played(clip, range, &all) {
                rounding.add(&Poses::new(&played, block), &poses, probes, block);
            }
        }
        let error = built.error.max(proof.deviation.error());
        let apart = |other: &Motion<'_>| {
            compare(&self.source, other, probes, &moments(&[&self.source, other], BETWEEN)).error()
        };
        let (resampling, total) = match self.job.options.rate {
            Some(_) => (apart(&self.motion), apart(&played)),
            None => (0.0, error),
        };
        Built { error, possible: (proof.possible + rounding.error()).max(error), resampling, total, ..built }
    }

    /// Whether what moves no points keeps within its tolerances, everywhere.
    pub(super) fn others_hold(&self, plan: &Plan, clip: &Clip<'_>) -> bool {
        let tracks = plan.tracks.iter().map(|planned| (planned.source, &self.job.source.tracks[planned.source]));
        if tracks.clone().all(|(_, track)| spatial(track).is_some()) {
            return true;
        }
        let Some(lines) = self.lines(clip) else { return false };
        tracks.zip(&lines).filter(|((_, track), _)| spatial(track).is_none()).all(|((i, track), line)| {
            let reference = if self.job.options.rate.is_some() { &self.lines[i] } else { track.curve };
            let off = largest_difference(kind(&track.target), reference, line);
            // A component of a quaternion moves by half of what it turns.
            let off = if kind(&track.target) == Kind::Rotation { off / 2.0 } else { off };
            let largest = line.values().iter().fold(0.0f32, |m, v| m.max(v.abs()));
            off <= track.tolerance + FLOAT * f64::from(largest)
        })
    }
}

/// When a clip plays the moments of its curves, whose keys are floats.
fn played_at(keys: &KeyTimes, moments: &[Moment]) -> Vec<f64> {
    let edges: Vec<f64> = moments.iter().filter(|m| m.left).map(|m| m.time).collect();
    let at = |moment: &Moment| match edges.binary_search_by(|edge| edge.total_cmp(&moment.time)) {
        // Just before a time, as near as the sampler can be asked.
        Ok(_) if moment.left => libm::nextafter(moment.time, -1.0),
        Ok(_) => moment.time,
        Err(_) => keys.unrounded(moment.time),
    };
    moments.iter().map(at).collect()
}

/// What a clip plays at `times`, as curves with keys at `keys`; `None` where that is no number.
fn sampled(clip: &Clip<'_>, times: &[f64], keys: &Arc<[f32]>) -> Option<Vec<Curve>> {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut rows: Vec<Vec<f32>> = clip.tracks().iter().map(|t| Vec::with_capacity(t.width() * times.len())).collect();
    for time in times {
        sampler.sample(*time, &mut pose);
        rows.iter_mut().zip(clip.tracks()).for_each(|(row, track)| row.extend_from_slice(pose.value(track)));
    }
    let curve = |(row, track): (Vec<f32>, &crate::clip::Track)| match track.form() {
        Form::Constant => Curve::constant(0.0, &row[..track.width()]).ok(),
        _ => Curve::new(Interpolation::Linear, track.width(), keys.clone(), row).ok(),
    };
    rows.into_iter().zip(clip.tracks()).map(curve).collect()
}
