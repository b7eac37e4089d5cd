//! Encodes tracks from the root to the tips: their wanted values, the keys that they need, and codes.
//!
//! Compensation (`compensate`) keeps errors from adding up along a chain; `repair` helps where they still do.

use super::{
    Codec,
    clip::Clip,
    compensate::compensated,
    grid::{Code, Grid, played},
    plan::Plan,
    reduce::fitted,
    repair::Repair,
    thin::Thinning,
    track::{Quantizer, Track, part_of},
    window::{Decoded, Window, at, chain_into, relative},
};
use crate::{
    curve::Kind,
    quat::{self, Quat},
    skeleton::{Probe, Property, Transform},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// How often tolerances are narrowed where errors are too large, and by which factor.
const NARROWINGS: usize = 4;
const NARROWER: f64 = 0.7;

/// The keys of a track in a window: indices into the clip's times, and codes.
#[derive(Clone, Debug, Default)]
pub(super) struct TrackKeys {
    pub(super) places: Vec<usize>,
    pub(super) codes: Vec<Code>,
}

/// The errors of an encoded window.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    /// By probe: its largest weighted error at the window's times, in scene units.
    pub(super) errors: Vec<f64>,
    /// The clip's times with an error over the limit.
    pub(super) failing: Vec<usize>,
}

/// How each track of a clip is stored within given budgets.
pub(super) fn quantizers(clip: &Clip<'_>, codec: &dyn Codec, budgets: &[f64]) -> Vec<Quantizer> {
    clip.tracks.iter().zip(budgets).map(|(track, budget)| track.quantizer(codec, *budget)).collect()
}

/// Encodes a window. Encoding again only redoes what has changed.
pub(super) struct Encoder<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    plan: Plan,
    /// Errors beyond this are repaired if possible.
    limit: Option<f64>,
    pub(super) decoded: Decoded,
    /// By track and moment: the share of its budget that remains.
    narrowed: Vec<Vec<f64>>,
    /// By track: whether its keys have to be computed again.
    stale: Vec<bool>,
    /// Initial codes by track, if they are not simply the nearest.
    pub(super) given: Vec<Vec<Code>>,
    /// The quantizers and errors of the last run.
    last: (Vec<Quantizer>, Measured),
}

impl<'a, 'c> Encoder<'a, 'c> {
    pub(super) fn new(clip: &'a Clip<'c>, window: &'a Window, plan: Plan, limit: Option<f64>) -> Self {
        Self {
            clip,
            window,
            plan,
            limit,
            decoded: window.start.clone(),
            narrowed: Vec::new(),
            stale: vec![true; clip.tracks.len()],
            given: Vec::new(),
            last: (Vec::new(), Measured::default()),
        }
    }

    pub(super) fn encode(&mut self, quantizers: &[Quantizer]) -> Measured {
        if self.is_done(quantizers) {
            return self.last.1.clone();
        }
        if !self.narrowed.is_empty() {
            self.stale.fill(true);
        }
        self.narrowed.clear();
        let measured = self.encoded(quantizers);
        self.last = (quantizers.to_vec(), measured.clone());
        measured
    }

    /// Whether the last run had the same quantizers. Marks the tracks for which it had not.
    fn is_done(&mut self, quantizers: &[Quantizer]) -> bool {
        let same = |(a, b): (&Quantizer, &Quantizer)| {
            // If all keys stay, a budget only decides the grid.
            a.grid == b.grid && a.held == b.held && (!self.plan.drops_keys || a.budget == b.budget)
        };
        let same: Vec<bool> = self.last.0.iter().zip(quantizers).map(same).collect();
        self.stale.iter_mut().zip(&same).for_each(|(stale, same)| *stale |= !same);
        !same.is_empty() && !same.contains(&false)
    }

    fn encoded(&mut self, quantizers: &[Quantizer]) -> Measured {
        self.run(quantizers);
        let mut measured = self.measure();
        let Some(limit) = self.limit.filter(|_| !measured.failing.is_empty()) else { return measured };
        if !self.plan.drops_keys {
            self.repair(quantizers, limit, &measured.failing);
            return self.measure();
        }
        for _ in 0..NARROWINGS {
            if !self.narrow(quantizers, limit, &measured.failing) {
                break;
            }
            self.run(quantizers);
            measured = self.measure();
        }
        measured
    }

    /// Computes the keys of stale tracks and, with compensation, of the tracks below them.
    fn run(&mut self, quantizers: &[Quantizer]) {
        let clip = self.clip;
        let mut moved = vec![false; clip.skeleton.len()];
        for node in clip.nodes() {
            let parent = clip.skeleton.parent(node);
            let above = parent.is_some_and(|parent| moved[parent]);
            let tracks = clip.tracks_of(node);
            let anew = self.stale[tracks.clone()].contains(&true) || (above && self.plan.compensate);
            moved[node] = above || anew;
            if !moved[node] {
                continue;
            }
            self.stale[tracks.clone()].fill(false);
            let mut turns = core::mem::take(&mut self.decoded.turns[node]);
            if clip.changes(node) {
                let mut transforms = core::mem::take(&mut self.decoded.transforms[node]);
                if anew {
                    transforms.copy_from_slice(&self.window.start.transforms[node]);
                    tracks.for_each(|index| self.track(index, &quantizers[index], &mut transforms));
                }
                let above = parent.map(|p| self.decoded.turns[p].as_slice());
                chain_into(&mut turns, above, transforms.iter().map(|t| t.rotation));
                self.decoded.poses.set_transforms_only(clip.skeleton, node, &transforms);
                self.decoded.transforms[node] = transforms;
            } else {
                // Its local motion stays, under ancestors as decoded.
                self.decoded.poses.renew(clip.skeleton, node);
                if let Some(parent) = parent {
                    let rows = &self.window.start.turns;
                    let moments = 0..rows[parent].len().max(rows[node].len());
                    let own = moments.map(|moment| relative(rows, parent, node, moment));
                    chain_into(&mut turns, Some(&self.decoded.turns[parent]), own);
                }
            }
            self.decoded.turns[node] = turns;
        }
    }

    /// Measures the window's errors at its times.
    fn measure(&self) -> Measured {
        let most = self.limit.map_or(f64::INFINITY, |limit| limit * limit);
        let mut over = vec![false; self.window.len()];
        let error = |probe: &Probe| {
            let mut largest = 0.0f64;
            for (moment, over) in over.iter_mut().enumerate() {
                let squared = self.squared(probe, moment);
                largest = largest.max(squared);
                *over |= squared > most;
            }
            libm::sqrt(largest)
        };
        let errors = self.clip.probes.iter().map(error).collect();
        let failing = (0..over.len()).filter(|m| over[*m]).map(|m| m + self.window.range.start).collect();
        Measured { errors, failing }
    }

    /// The weighted squared error of a probe at a moment.
    fn squared(&self, probe: &Probe, moment: usize) -> f64 {
        self.window.error(probe, moment, self.decoded.poses.global(probe.b, moment))
    }

    /// Repairs errors over the limit by other codes.
    fn repair(&mut self, quantizers: &[Quantizer], limit: f64, failing: &[usize]) {
        let (clip, failing) = (self.clip, failing.iter().map(|place| place - self.window.range.start));
        if !self.repairs(quantizers, limit).run(failing, &mut self.decoded) {
            return;
        }
        // Repaired codes are not what tracks would get by themselves.
        self.stale.fill(true);
        for node in clip.nodes() {
            match clip.changes(node) {
                true => self.decoded.poses.set_transforms_only(clip.skeleton, node, &self.decoded.transforms[node]),
                false => self.decoded.poses.renew(clip.skeleton, node),
            }
        }
    }

    /// The repair of tracks with a key at every time, where each moment depends on one key per track.
    fn repairs(&self, quantizers: &[Quantizer], limit: f64) -> Repair<'a, 'c> {
        let grid = |index: usize| {
            let quantizer = &quantizers[index];
            let full = quantizer.held.is_none() && self.decoded.keys[index].places.len() == self.window.len();
            let full = full && self.clip.tracks[index].is_linear();
            full.then_some(quantizer.grid).filter(|grid| grid.spacing() > 0.0)
        };
        Repair::new(self.clip, self.window, self.plan.compensate, limit, grid)
    }

    /// Uses the remaining room for error: repeats codes of the key before, which compresses, or drops keys.
    pub(super) fn relax(&mut self, quantizers: &[Quantizer]) {
        let Some(limit) = self.limit else { return };
        match self.plan.drops_keys {
            true => Thinning::new(self.clip, self.window, limit, &mut self.decoded).run(quantizers),
            false => self.repairs(quantizers, limit).repeat(&mut self.decoded),
        }
        self.stale.fill(true);
        self.last.0.clear();
    }

    /// Narrows tolerances of tracks at moments where they cause too large errors. Returns whether it could.
    fn narrow(&mut self, quantizers: &[Quantizer], limit: f64, failing: &[usize]) -> bool {
        if self.narrowed.is_empty() {
            self.narrowed = vec![vec![1.0; self.window.len()]; self.clip.tracks.len()];
        }
        let mut any = false;
        for probe in &self.clip.probes {
            for moment in failing.iter().map(|place| place - self.window.range.start) {
                if self.squared(probe, moment) > limit * limit {
                    any |= self.narrow_chain(probe.a, moment, quantizers);
                }
            }
        }
        any
    }

    /// Narrows the tolerances of a node and its ancestors at a moment. Returns whether it could.
    fn narrow_chain(&mut self, node: usize, moment: usize, quantizers: &[Quantizer]) -> bool {
        let (mut any, mut next) = (false, Some(node));
        while let Some(node) = next {
            for index in self.clip.tracks_of(node).filter(|i| quantizers[*i].held.is_none()) {
                self.narrowed[index][moment] *= NARROWER;
                self.stale[index] = true;
                any = true;
            }
            next = self.clip.skeleton.parent(node);
        }
        any
    }

    fn track(&mut self, index: usize, quantizer: &Quantizer, transforms: &mut [Transform]) {
        let (track, window) = (&self.clip.tracks[index], self.window);
        let range = window_keys(track, window);
        let own = &track.keys[range.clone()];
        let mut keys = core::mem::take(&mut self.decoded.keys[index]);
        keys.places.clear();
        keys.codes.clear();
        if let Some(held) = quantizer.held {
            // One key represents all.
            keys.places.extend(own.first());
            keys.codes.extend(own.first().map(|_| held));
            let value = quantizer.grid.decode(held);
            transforms.iter_mut().for_each(|transform| put(track, value, transform));
        } else if !track.is_linear() {
            keys.places.extend_from_slice(own);
            let elements = track.elements(range).zip(quantizer.grid.of_elements(track.interpolation));
            keys.codes.extend(elements.map(|(element, grid)| grid.encode(element)));
            fill_curve(track, &keys, quantizer, window, transforms);
        } else {
            let wanted = self.wanted(track, range, &quantizer.grid, transforms);
            if self.plan.drops_keys {
                let left = |place: &usize| self.narrowed.get(index).map_or(1.0, |row| row[place - window.range.start]);
                let tolerances: Vec<f64> = own.iter().map(|place| quantizer.budget * left(place)).collect();
                let times: Vec<f64> = own.iter().map(|place| window.times[place - window.range.start]).collect();
                let (kept, codes) = fitted(&wanted, track.turns(), &times, &tolerances, &quantizer.grid);
                keys.places.extend(kept.into_iter().map(|k| own[k]));
                keys.codes = codes;
            } else {
                keys.places.extend_from_slice(own);
                keys.codes = match self.given.get(index) {
                    Some(given) => given.clone(),
                    None => quantizer.grid.encode_keys(&wanted),
                };
            }
            fill(track, &keys, quantizer, window, transforms);
        }
        self.decoded.keys[index] = keys;
    }

    /// The values that a track should have at its keys.
    fn wanted(&self, track: &Track, keys: Range<usize>, grid: &Grid, transforms: &[Transform]) -> Vec<[f64; 4]> {
        let places = &track.keys[keys.clone()];
        // With few keys, a track would adopt its ancestors' errors at those as if they lasted.
        let compensates = track.turns() && self.plan.compensate && places.len() * 2 > self.window.len();
        let parent = self.clip.skeleton.parent(track.node).filter(|_| compensates);
        let wanted = places.iter().map(|place| {
            let moment = place - self.window.range.start;
            let own = &transforms[moment];
            let Some(parent) = parent else { return part_of(own, track.property, track.axis) };
            let origin = self.decoded.poses.global(parent, moment).point(own.translation);
            compensated(self.window, track.node, moment, at(&self.decoded.turns[parent], moment), origin)
        });
        match grid {
            _ if !track.turns() => wanted.collect(),
            // The sign decides which way round the arc to the next key goes.
            Grid::Parameters(_) => wanted.zip(track.elements(keys)).map(|(q, own)| quat::toward(own, q)).collect(),
            _ => continuous(wanted),
        }
    }
}

/// Puts neighbours on the same half of the sphere. The first one's largest component becomes positive.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<Quat> {
    let mut out: Vec<Quat> = Vec::with_capacity(rotations.size_hint().0);
    for q in rotations {
        let q = match out.last() {
            Some(last) => quat::toward(*last, q),
            None if q[super::grid::largest(q)] < 0.0 => quat::negate(q),
            None => q,
        };
        out.push(q);
    }
    out
}

/// The range of a track's keys in a window.
fn window_keys(track: &Track, window: &Window) -> Range<usize> {
    let before = |place: usize| track.keys.partition_point(|k| *k < place);
    before(window.range.start)..before(window.range.end)
}

/// Applies a track's keys, as played, to the transforms at a window's times. The original stays outside of
/// the window's own keys: what is played there depends on a neighbouring window.
fn fill(track: &Track, keys: &TrackKeys, quantizer: &Quantizer, window: &Window, transforms: &mut [Transform]) {
    let start = window.range.start;
    let value = |k: usize| played(quantizer.grid.at(&keys.codes, k).decode(keys.codes[k]), track.turns());
    let Some(first) = keys.places.first() else { return };
    let mut from = value(0);
    put_value(track, from, &mut transforms[first - start]);
    for (k, pair) in keys.places.windows(2).enumerate() {
        let to = value(k + 1);
        let (begin, end) = (window.times[pair[0] - start], window.times[pair[1] - start]);
        for place in pair[0] + 1..pair[1] {
            let s = (window.times[place - start] - begin) / (end - begin);
            put_value(track, between(track, from, to, s), &mut transforms[place - start]);
        }
        put_value(track, to, &mut transforms[pair[1] - start]);
        from = to;
    }
}

/// Like [`fill`], for a track that is not linear.
fn fill_curve(track: &Track, keys: &TrackKeys, quantizer: &Quantizer, window: &Window, transforms: &mut [Transform]) {
    let start = window.range.start;
    let (Some(first), Some(last)) = (keys.places.first(), keys.places.last()) else { return };
    let times = keys.places.iter().map(|place| window.times[place - start] as f32).collect();
    let Some(curve) = track.encoded(quantizer, times, keys.codes.clone()).curve() else { return };
    let kind = if track.turns() { Kind::Rotation } else { Kind::Vector };
    let span = first - start..=last - start;
    for (time, transform) in window.times[span.clone()].iter().zip(&mut transforms[span]) {
        let mut value = [0.0; 4];
        curve.sample(kind, *time, &mut value[..track.width]);
        put_value(track, if track.turns() { quat::normalize(value) } else { value }, transform);
    }
}

/// Interpolates between two values, as a player does.
pub(super) fn between(track: &Track, from: [f64; 4], to: [f64; 4], share: f64) -> [f64; 4] {
    match track.property {
        Property::Rotation => quat::slerp(from, to, share),
        Property::Translation | Property::Scale => [0, 1, 2, 3].map(|i| from[i] + (to[i] - from[i]) * share),
    }
}

/// Puts a decoded value into a transform.
pub(super) fn put(track: &Track, stored: [f32; 4], transform: &mut Transform) {
    put_value(track, played(stored, track.turns()), transform);
}

#[inline]
pub(super) fn put_value(track: &Track, value: [f64; 4], transform: &mut Transform) {
    let vector = match track.property {
        Property::Rotation => {
            transform.rotation = value;
            return;
        }
        Property::Scale => &mut transform.scale,
        Property::Translation => &mut transform.translation,
    };
    match track.axis {
        Some(axis) => vector[axis] = value[0],
        None => *vector = [value[0], value[1], value[2]],
    }
}
