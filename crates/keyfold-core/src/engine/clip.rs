//! A job in parts: subtrees that no moving node connects, each with its tracks, times and probes.

use super::{Level, track::Track};
use crate::{
    curve::{Curve, merged_times},
    skeleton::{Motion, Probe, Skeleton, Track as Driven, probes},
};
use alloc::{sync::Arc, vec, vec::Vec};
use core::ops::Range;

/// An animation to be encoded.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The hierarchy.
    pub skeleton: &'a Skeleton,
    /// By node: the distance from its origin at which errors are measured, in scene units.
    pub probe_radii: &'a [f64],
    /// The tracks that move nodes.
    pub tracks: &'a [Driven<'a>],
    /// By track: the stored curve if that is settled, which is the track's own if it stays as it is.
    pub settled: &'a [Option<&'a Curve>],
    /// By track: the weight of squared errors at each time of the unsettled tracks, the same for all tracks of
    /// a part; 1 if empty.
    pub weights: &'a [&'a [f64]],
    /// When the animation ends, in seconds.
    pub end: f32,
    /// The farthest that a measured point may end up from its original place, in scene units.
    pub bound: f64,
    /// How hard to search.
    pub level: Level,
    /// Whether every track keeps its keys.
    pub keeps_keys: bool,
    /// Whether short clips skip plans with key times per track, because times cost too much.
    pub shares_times: bool,
    /// Whether an approximate cost is enough: fewer plans are tried, and short clips need not hold.
    pub is_estimate: bool,
}

/// A part of the hierarchy, with its nodes renumbered.
pub(super) struct Part<'a> {
    skeleton: Skeleton,
    radii: Vec<f64>,
    /// With their indices in the job.
    tracks: Vec<(usize, Driven<'a>)>,
}

impl<'a> Part<'a> {
    /// The parts of a job: the topmost animated nodes with their subtrees and their static ancestors.
    pub(super) fn all(job: &Job<'a>) -> Vec<Self> {
        let skeleton = job.skeleton;
        let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
        for (index, track) in job.tracks.iter().enumerate().filter(|(_, track)| track.node < skeleton.len()) {
            of_node[track.node].push(index);
        }
        let parts = skeleton.parts(|node| !of_node[node].is_empty());
        let top = |node: &&usize| parts[**node].is_some() && skeleton.parent(**node).is_none_or(|p| parts[p].is_none());
        skeleton.order().iter().filter(top).map(|top| Self::below(job, *top, &of_node)).collect()
    }

    fn below(job: &Job<'a>, top: usize, of_node: &[Vec<usize>]) -> Self {
        let above = core::iter::successors(job.skeleton.parent(top), |node| job.skeleton.parent(*node));
        let mut nodes: Vec<usize> = above.collect();
        nodes.reverse();
        nodes.extend_from_slice(job.skeleton.subtree(top));
        let tracks = nodes.iter().enumerate().flat_map(|(number, node)| {
            of_node[*node].iter().map(move |index| (*index, Driven { node: number, ..job.tracks[*index] }))
        });
        let radii = nodes.iter().map(|node| job.probe_radii[*node]).collect();
        Self { skeleton: job.skeleton.part(&nodes), radii, tracks: tracks.collect() }
    }
}

/// A part, prepared for encoding.
pub(super) struct Clip<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) radii: &'a [f64],
    pub(super) motion: Motion<'a>,
    /// The motion with settled tracks as they are stored.
    pub(super) stored: Motion<'a>,
    pub(super) is_settled_otherwise: bool,
    pub(super) moved: Vec<bool>,
    pub(super) probes: Vec<Probe>,
    probe_of: Vec<Option<usize>>,
    /// The key times of all tracks that may change. With splines, also moments between them.
    pub(super) times: Arc<[f32]>,
    /// By time: the weight of squared errors.
    pub(super) weights: Vec<f64>,
    /// The tracks that may change, ordered by node, translation first.
    pub(super) tracks: Vec<Track>,
    of_node: Vec<Range<usize>>,
}

impl<'a> Clip<'a> {
    pub(super) fn new(part: &'a Part<'a>, job: &Job<'a>) -> Self {
        let Part { skeleton, radii, tracks } = part;
        let motion = Motion::new(skeleton, tracks.iter().map(|(_, track)| *track));
        let moved = motion.moved();
        let probes = probes(skeleton, &moved, |node| radii[node]);
        let free: Vec<&(usize, Driven<'_>)> =
            tracks.iter().filter(|(index, _)| job.settled[*index].is_none()).collect();
        let times = merged(&free);
        let track = |(index, track): &&(usize, Driven<'_>)| Track::new(skeleton, *index, track, &times, job.keeps_keys);
        let mut all: Vec<Track> = free.iter().map(track).collect();
        all.sort_by_key(|track| (track.node, track.property, track.axis));
        let of_node = (0..skeleton.len()).map(|node| {
            let start = all.partition_point(|track| track.node < node);
            start..all.partition_point(|track| track.node <= node)
        });
        let weights = free.first().and_then(|(index, _)| job.weights.get(*index));
        let weights = weights.map_or_else(|| vec![1.0; times.len()], |weights| weights.to_vec());
        let is_otherwise =
            |(index, track): &(usize, Driven<'_>)| job.settled[*index].is_some_and(|curve| curve != track.curve);
        let is_settled_otherwise = tracks.iter().any(is_otherwise);
        let mut stored = motion.clone();
        let settled = tracks.iter().filter_map(|(index, track)| Some(Driven { curve: job.settled[*index]?, ..*track }));
        settled.for_each(|track| stored.set(track));
        Self {
            skeleton,
            radii,
            motion,
            stored,
            is_settled_otherwise,
            moved,
            probe_of: probe_of(skeleton, &probes),
            probes,
            times,
            weights,
            of_node: of_node.collect(),
            tracks: all,
        }
    }

    /// The motion with other curves, by track of the job, for some of the tracks.
    pub(super) fn motion_with<'m>(&'m self, curves: &[Option<&'m Curve>]) -> Motion<'m> {
        let mut motion: Motion<'m> = self.stored.clone();
        let became = self.tracks.iter().filter_map(|track| Some(track.driven(curves[track.index]?)));
        became.for_each(|track| motion.set(track));
        motion
    }

    pub(super) fn probe(&self, node: usize) -> Option<&Probe> {
        self.probe_of[node].map(|index| &self.probes[index])
    }

    /// The tracks of a node that may change.
    pub(super) fn tracks_of(&self, node: usize) -> Range<usize> {
        self.of_node[node].clone()
    }

    /// Whether a node has tracks that may change.
    pub(super) fn changes(&self, node: usize) -> bool {
        !self.of_node[node].is_empty()
    }

    /// The moving nodes, parents before children.
    pub(super) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.skeleton.order().iter().copied().filter(|node| self.moved[*node])
    }
}

/// By node: its probe.
pub(super) fn probe_of(skeleton: &Skeleton, probes: &[Probe]) -> Vec<Option<usize>> {
    let mut probe_of = vec![None; skeleton.len()];
    probes.iter().enumerate().for_each(|(index, probe)| probe_of[probe.a] = Some(index));
    probe_of
}

fn merged(tracks: &[&(usize, Driven<'_>)]) -> Arc<[f32]> {
    let times = merged_times(tracks.iter().map(|(_, track)| track.curve.times()));
    if tracks.iter().all(|(_, track)| !track.curve.interpolation().is_spline()) {
        return times.into();
    }
    // Errors of tangents show between keys.
    let between: Vec<f32> = times.windows(2).map(|pair| f32::midpoint(pair[0], pair[1])).collect();
    merged_times([&times[..], &between].into_iter()).into()
}
