//! Searches the tolerance of each rotation within an error bound.
//!
//! Tolerances are the engine's budgets ([`keyfold_core::engine::budgets`]). The try with the fewest keys among those
//! that hold is the result.

use super::{Plan, unchanged};
use crate::parallel::*;
use crate::{Animation, Finding, Interpolation, Kind, Monitor, PROPERTY_BOUND, Track, diff::proof, scene::core_track};
use keyfold_core::{
    curve::Curve,
    engine::{
        Reach,
        budgets::{self, Prices},
    },
    fit,
    skeleton::{Motion, Probe},
};

/// The number of rounds of the search, and of tightenings if none of them holds.
const ROUNDS: (usize, usize) = (7, 9);
/// The share of the bound from which on a try is good enough.
const NEAR: f64 = 0.9;
/// The least share of a budget that remains when it is tightened.
const LEAST: f64 = 0.25;
/// The largest tolerance of a rotation in radians, however short its reach.
const MOST: f64 = 0.1;

/// An animation with some rotations in another interpolation, within the plan's bound. Rotations that cannot be
/// converted become findings. If the monitor cancels, they stay as they are.
pub(super) fn refit_rotations(
    &Plan { scene, bound, monitor, .. }: &Plan<'_>,
    animation: &Animation,
    chosen: &[usize],
    form: Interpolation,
    findings: &mut Vec<Finding>,
) -> Animation {
    let mut changed = animation.clone();
    if chosen.is_empty() {
        return changed;
    }
    let tracks: Vec<&Track> = chosen.iter().map(|index| &animation.tracks[*index]).collect();
    let motion = scene.motion(animation);
    let probes = scene.probes(&motion.moved());
    let moving: Vec<_> = tracks.iter().filter_map(|t| core_track(&t.target, &t.curve)).collect();
    let reach = Reach::of(&motion, &moving, &probes);
    let why = format!("no {} keys come within the bound; a looser one may help", form.name());
    let Some(curves) = (Search { tracks, form, bound, motion, probes, reach, monitor }).run() else {
        findings.push(unchanged(animation, None, &why));
        return changed;
    };
    for (index, curve) in chosen.iter().zip(curves) {
        match curve {
            Some(curve) => changed.tracks[*index].curve = curve,
            None => findings.push(unchanged(animation, Some(*index), &why)),
        }
    }
    changed
}

/// Curves for the chosen tracks; `None` if a track stays as it is.
type Curves = Vec<Option<Curve>>;

struct Search<'a> {
    tracks: Vec<&'a Track>,
    form: Interpolation,
    bound: f64,
    motion: Motion<'a>,
    probes: Vec<Probe>,
    /// The reach of tracks that move nodes.
    reach: Reach,
    monitor: &'a dyn Monitor,
}

impl Search<'_> {
    fn run(&self) -> Option<Curves> {
        let (mut best, mut prices) = (None, Prices::new(&self.reach));
        let mut budgets = budgets::search(&self.reach, &mut prices, self.bound, ROUNDS.0, |budgets| {
            if self.monitor.cancelled() {
                return None;
            }
            let errors = self.tried(budgets, &mut best);
            let worst = errors.iter().copied().fold(0.0, f64::max);
            (!(NEAR..=1.0).contains(&(worst / self.bound))).then_some(errors)
        });
        let mut rounds = 0..ROUNDS.1;
        while best.is_none() && !self.monitor.cancelled() && rounds.next().is_some() {
            let errors = self.tried(&budgets, &mut best);
            self.reach.tighten(&mut budgets, &errors, self.bound, LEAST);
        }
        best.map(|(_, curves)| curves)
    }

    /// The errors of all probes with some budgets. Curves that hold with fewer keys than the best so far replace it.
    fn tried(&self, budgets: &[f64], best: &mut Option<(usize, Curves)>) -> Vec<f64> {
        let curves = self.fit(budgets);
        let errors = self.measure(&curves);
        let keys = curves.iter().flatten().map(Curve::keys).sum();
        if errors.iter().all(|error| *error <= self.bound) && best.as_ref().is_none_or(|(fewest, _)| keys < *fewest) {
            *best = Some((keys, curves));
        }
        errors
    }

    fn fit(&self, budgets: &[f64]) -> Curves {
        let mut budgets = budgets.iter().enumerate();
        let mut tolerance = |track: &Track| match track.target.moved_node().and_then(|_| budgets.next()) {
            Some((index, budget)) if self.reach.moves(index) => budget.min(MOST),
            Some(_) => MOST,
            None => PROPERTY_BOUND,
        };
        let pairs: Vec<(&&Track, f64)> = self.tracks.iter().map(|track| (track, tolerance(track))).collect();
        pairs.par_iter().map(|(t, by)| fit::refit(&t.curve, Kind::Rotation, self.form, *by)).collect()
    }

    fn measure(&self, curves: &Curves) -> Vec<f64> {
        let mut after = self.motion.clone();
        for (track, curve) in self.tracks.iter().zip(curves) {
            if let Some(track) = curve.as_ref().and_then(|curve| core_track(&track.target, curve)) {
                after.set(track);
            }
        }
        proof(&self.motion, &after, &self.probes).errors().collect()
    }
}
