//! How coarse each lane may be: budgets by reach, corrected by where the error really is.
//!
//! To spend the fewest bits, sum log(1 / budget), while every probe's error, modelled as a sum of squares of budget x reach, stays
//! within the bound, a lane's budget is budget^2 = 1 / sum(price x reach^2) over the probes that hang on it. Prices are raised
//! where a probe's measured error is over the bound and lowered where it is under, until the bound is just met.

use super::{
    clip::{Clip, Lane},
    encode::{Coded, Plan, encode},
    window::Window,
};
use crate::Property;
use keyfold_core::{
    skeleton::{Affine, Deviation},
    vector::{distance, length},
};
use std::sync::Arc;

/// A probe without any error still keeps this much of its price in one round.
const LEAST: f64 = 0.1;
/// The error that the search aims at, as a share of the bound: quantized clips differ a little between keys.
const AIM: f64 = 0.97;

/// For each lane and each probe, the mean square of the scene units by which the probe moves per unit of the lane.
pub(crate) struct Reach {
    /// By lane, the probes that it moves, ascending: most lanes move few.
    squares: Vec<Vec<(usize, f64)>>,
}

impl Reach {
    /// Measured at some of a window's moments.
    pub(crate) fn new(clip: &Clip<'_>, windows: &[Arc<Window>]) -> Self {
        let mut reach = Self { squares: vec![Vec::new(); clip.lanes.len()] };
        for window in windows {
            let stride = (window.len() / 12).max(1);
            for moment in (0..window.len()).step_by(stride) {
                reach.add(clip, window, moment);
            }
        }
        reach
    }

    /// Makes budgets finer where lanes move probes that are over the bound, as much as the worst of those is over it, but to no less
    /// than a share.
    pub(crate) fn tighten(&self, budgets: &mut [f64], deviation: &Deviation, bound: f64, least: f64) {
        for (budget, squares) in budgets.iter_mut().zip(&self.squares) {
            let moved = squares.iter().filter(|(_, square)| *square > 0.0);
            let worst = moved.map(|(probe, _)| deviation.probes[*probe].error).fold(0.0, f64::max);
            if worst > bound {
                *budget *= (0.99 * bound / worst).clamp(least, 0.97);
            }
        }
    }

    fn add(&mut self, clip: &Clip<'_>, window: &Window, moment: usize) {
        let skeleton = clip.scene.skeleton();
        for (index, probe) in clip.probes.iter().enumerate() {
            let carrier = window.poses.global(probe.a, moment);
            let far = (0..3).map(|axis| carrier.point(unit(axis, probe.offsets[axis]))).collect::<Vec<_>>();
            let mut node = Some(probe.a);
            while let Some(n) = node {
                for lane in clip.lanes_of(n) {
                    let above = skeleton.parent(n).map_or(Affine::IDENTITY, |p| *window.poses.global(p, moment));
                    let effect = effect(&clip.lanes[lane], window, moment, &above, &far);
                    let squares = &mut self.squares[lane];
                    match squares.binary_search_by_key(&index, |(probe, _)| *probe) {
                        Ok(place) => squares[place].1 = squares[place].1.max(effect),
                        Err(place) => squares.insert(place, (index, effect)),
                    }
                }
                node = skeleton.parent(n);
            }
        }
    }
}

fn unit(axis: usize, by: f64) -> [f64; 3] {
    let mut v = [0.0; 3];
    v[axis] = by;
    v
}

/// The square of how far the farthest of some points moves per unit of a lane.
fn effect(lane: &Lane, window: &Window, moment: usize, above: &Affine, points: &[[f64; 3]]) -> f64 {
    let origin = window.poses.global(lane.node, moment).origin;
    let far = points.iter().map(|p| distance(*p, origin)).fold(0.0, f64::max);
    let longest = above.axes.iter().map(|a| length(*a)).fold(0.0, f64::max);
    let moved = match lane.property {
        Property::Rotation => far,
        Property::Scale => {
            // Per unit of the factor, points move by their distance over the factor itself.
            let own = Affine::from_transform(&window.transforms[lane.node][moment]).axes.map(length);
            far / own.into_iter().fold(f64::INFINITY, f64::min).max(1e-3)
        }
        _ => longest,
    };
    moved * moved
}

/// Budgets per lane, and the error that they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) budgets: Vec<f64>,
    pub(crate) error: f64,
}

/// Searches budgets with which `windows` stay within `bound` under a plan, in so many rounds.
pub(crate) fn search(
    clip: &Clip<'_>,
    windows: &[Arc<Window>],
    reach: &Reach,
    bound: f64,
    plan: Plan,
    rounds: usize,
) -> Steps {
    let mut prices = vec![1.0; clip.probes.len()];
    let mut off = 1.0;
    let mut best: Option<Steps> = None;
    for _ in 0..rounds {
        // The model says what the budgets should lead to, the last measurement how far it is off.
        let model = modelled(reach, &prices);
        let scale = if model > 0.0 { AIM * bound / (model * off) } else { 0.0 };
        let candidate_budgets = budgets(reach, &prices, scale);
        let deviation = deviation(clip, windows, &candidate_budgets, plan);
        let error = deviation.error();
        let candidate = Steps { budgets: candidate_budgets, error };
        if better(&candidate, best.as_ref(), bound) {
            best = Some(candidate);
        }
        if !(error > 0.0 && model > 0.0) {
            break;
        }
        off = (error / (model * scale)).clamp(off / 4.0, off * 4.0);
        for (price, worst) in prices.iter_mut().zip(&deviation.probes) {
            *price = (*price * (worst.error / error).max(LEAST).sqrt()).max(1e-9);
        }
    }
    best.unwrap_or(Steps { budgets: vec![0.0; clip.lanes.len()], error: 0.0 })
}

/// The error of some windows under a plan.
fn deviation(clip: &Clip<'_>, windows: &[Arc<Window>], budgets: &[f64], plan: Plan) -> Deviation {
    let mut whole = Deviation::none(clip.probes.len());
    for window in windows {
        let Coded { deviation, .. } = encode(clip, window, budgets, plan, None);
        whole.merge(&deviation);
    }
    whole
}

/// Within the bound beats over it; within, larger budgets are better; over, smaller errors.
fn better(candidate: &Steps, best: Option<&Steps>, bound: f64) -> bool {
    let Some(best) = best else { return true };
    match (candidate.error <= bound, best.error <= bound) {
        (true, true) => bits(candidate) < bits(best),
        (false, false) => candidate.error < best.error,
        (within, _) => within,
    }
}

fn bits(steps: &Steps) -> f64 {
    steps.budgets.iter().filter(|b| **b > 0.0).map(|b| -libm::log(*b)).sum()
}

fn budgets(reach: &Reach, prices: &[f64], scale: f64) -> Vec<f64> {
    let of = |squares: &Vec<(usize, f64)>| {
        let sum: f64 = squares.iter().map(|(probe, square)| square * prices[*probe]).sum();
        if sum > 0.0 { scale / sum.sqrt() } else { 0.0 }
    };
    reach.squares.iter().map(of).collect()
}

/// The modelled error of the worst probe with these prices and a scale of 1.
fn modelled(reach: &Reach, prices: &[f64]) -> f64 {
    let budgets = budgets(reach, prices, 1.0);
    let mut errors = vec![0.0f64; prices.len()];
    for (squares, budget) in reach.squares.iter().zip(&budgets) {
        squares.iter().for_each(|(probe, square)| errors[*probe] += square * budget * budget);
    }
    errors.into_iter().fold(0.0, f64::max).sqrt()
}
