//! From the root to the tips: each lane's wanted values, the keys that are needed, and what the storage makes of them.
//!
//! With compensation (`aim`) errors do not add up along a chain; where they do all the same, codes are chosen anew (`repair`).

use super::{
    aim::aimed,
    clip::{Clip, Lane},
    lattice::played,
    reduce::{Values, fitted, needed},
    repair::Repair,
    window::{Window, at, chain, matrices},
};
use crate::Property;
use keyfold_core::{
    quat::{self, Quat},
    skeleton::{Deviation, Moment, Poses, Transform},
};

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) compensate: bool,
    pub(crate) keys: Keys,
}

/// Which keys to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// All of them.
    All,
    /// Those that each lane needs.
    PerLane,
    /// Those that any dense lane needs, for all of them: one time for many.
    Shared,
}

/// How much of its budget is a lane's step where all drop the same keys, and how far keys may lie from what bridges them.
const SHARED_STEP: f64 = 0.35;
const SHARED_BRIDGE: f64 = 0.5;
/// How often tolerances are narrowed where points lie too far off.
const NARROWINGS: usize = 4;
/// By how much.
const NARROWER: f64 = 0.7;

impl Plan {
    /// How much of a lane's budget is its step.
    pub(crate) fn step_share(self) -> f64 {
        match self.keys {
            Keys::All | Keys::PerLane => 1.0,
            Keys::Shared => SHARED_STEP,
        }
    }

    /// How much coarser than what holds by itself budgets are at first, to be repaired.
    pub(crate) fn overload(self) -> f64 {
        match (self.keys, self.compensate) {
            (Keys::All, true) => 1.8,
            (Keys::All, false) => 2.3,
            (Keys::PerLane, _) => 1.2,
            (Keys::Shared, _) => 1.0,
        }
    }
}

/// Keys of a lane in a window as a reader gets them: places in the clip's times, and values.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneKeys {
    pub(crate) places: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

/// A window, encoded and decoded again.
pub(crate) struct Coded {
    /// By lane.
    pub(crate) lanes: Vec<LaneKeys>,
    /// How far it lies from the original at the window's times.
    pub(crate) deviation: Deviation,
    /// The clip's times at which it lies farther off than it should.
    pub(crate) failing: Vec<usize>,
}

/// Encodes a window with a budget per lane: radians for rotations, units of the property otherwise. What lies farther off than `limit`
/// is repaired where it can be.
pub(crate) fn encode(clip: &Clip<'_>, window: &Window, budgets: &[f64], plan: Plan, limit: Option<f64>) -> Coded {
    let mut walk = Walk {
        clip,
        window,
        plan,
        poses: window.poses.clone(),
        turns: window.turns.clone(),
        transforms: window.transforms.clone(),
        lanes: vec![LaneKeys::default(); clip.lanes.len()],
        shared: if plan.keys == Keys::Shared { shared_keys(clip, window, budgets) } else { Vec::new() },
        narrowed: vec![vec![1.0; window.len()]; if plan.keys == Keys::PerLane { clip.lanes.len() } else { 0 }],
    };
    walk.run(budgets);
    match (limit, plan.keys) {
        (Some(limit), Keys::All) => walk.repair(budgets, limit),
        (Some(limit), Keys::PerLane) => {
            for _ in 0..NARROWINGS {
                if !walk.narrow(budgets, limit) {
                    break;
                }
                walk.transforms = window.transforms.clone();
                walk.run(budgets);
            }
        }
        (None, _) | (_, Keys::Shared) => {}
    }
    let moments: Vec<Moment> = clip.times[window.range.clone()].iter().map(|t| Moment::at(f64::from(*t))).collect();
    let mut deviation = Deviation::none(clip.probes.len());
    deviation.add(&window.poses, &walk.poses, &clip.probes, &moments);
    let failing = limit.map_or_else(Vec::new, |limit| walk.failing(limit));
    Coded { lanes: walk.lanes, deviation, failing }
}

struct Walk<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    plan: Plan,
    /// As decoded, down to the node that is being looked at.
    poses: Poses,
    turns: Vec<Vec<Quat>>,
    transforms: Vec<Vec<Transform>>,
    lanes: Vec<LaneKeys>,
    /// The clip's times that dense lanes keep, where they keep the same ones.
    shared: Vec<usize>,
    /// By lane and moment: the share of its budget that is left to it there.
    narrowed: Vec<Vec<f64>>,
}

impl Walk<'_, '_> {
    fn run(&mut self, budgets: &[f64]) {
        let moved = self.clip.motion.moved();
        for &node in self.clip.scene.skeleton().order().iter().filter(|n| moved[**n]) {
            self.node(node, budgets);
        }
    }

    fn node(&mut self, node: usize, budgets: &[f64]) {
        let skeleton = self.clip.scene.skeleton();
        let lanes = self.clip.lanes_of(node);
        if lanes.is_empty() {
            // It moves as it did, under parents as decoded.
            self.poses.renew(skeleton, node);
            if let Some(parent) = skeleton.parent(node) {
                let own = relative(&self.window.turns, parent, node);
                self.turns[node] = chain(Some(&self.turns[parent]), own.into_iter());
            }
            return;
        }
        let mut transforms = std::mem::take(&mut self.transforms[node]);
        for index in lanes {
            self.lane(index, budgets[index], &mut transforms);
        }
        let parent = skeleton.parent(node).map(|p| &self.turns[p]);
        self.turns[node] = chain(parent, transforms.iter().map(|t| t.rotation));
        self.poses.set_locals_only(skeleton, node, matrices(&transforms));
        self.transforms[node] = transforms;
    }

    /// Chooses codes anew where points lie too far off: those of lanes with a key at every time of the window, where a key is alone
    /// responsible for its moment.
    fn repair(&mut self, budgets: &[f64], limit: f64) {
        let lattice = |index: usize| {
            let (lane, budget) = (&self.clip.lanes[index], budgets[index]);
            let full =
                lane.held(self.clip.storage, budget).is_none() && self.lanes[index].places.len() == self.window.len();
            full.then(|| lane.lattice(self.clip.storage, budget)).filter(|lattice| lattice.spacing() > 0.0)
        };
        let mut repair = Repair::new(self.clip, self.window, self.plan, limit, lattice);
        if repair.run(&self.poses, &self.turns, &mut self.transforms, &mut self.lanes) {
            let (skeleton, moved) = (self.clip.scene.skeleton(), self.clip.motion.moved());
            for &node in skeleton.order().iter().filter(|n| moved[**n]) {
                if self.transforms[node].is_empty() {
                    self.poses.renew(skeleton, node);
                } else {
                    self.poses.set_locals_only(skeleton, node, matrices(&self.transforms[node]));
                }
            }
        }
    }

    fn failing(&self, limit: f64) -> Vec<usize> {
        let over = |moment: usize| {
            self.clip.probes.iter().any(|probe| {
                let (a, b) = (self.window.poses.global(probe.a, moment), self.poses.global(probe.b, moment));
                probe.squared_distance(a, b) > limit * limit
            })
        };
        (0..self.window.len()).filter(|m| over(*m)).map(|m| m + self.window.range.start).collect()
    }

    /// Narrows the tolerances of those lanes that move points too far, at the moments where they do. Says whether there were any.
    fn narrow(&mut self, budgets: &[f64], limit: f64) -> bool {
        let mut any = false;
        for probe in &self.clip.probes {
            for moment in 0..self.window.len() {
                let (a, b) = (self.window.poses.global(probe.a, moment), self.poses.global(probe.b, moment));
                if probe.squared_distance(a, b) > limit * limit {
                    any |= narrow_chain(self.clip, &mut self.narrowed, probe.a, moment, budgets);
                }
            }
        }
        any
    }

    fn lane(&mut self, index: usize, budget: f64, transforms: &mut [Transform]) {
        let lane = &self.clip.lanes[index];
        let own = window_keys(lane, self.window);
        let shares = self.plan.keys == Keys::Shared && lane.held(self.clip.storage, budget).is_none();
        let dense = shares && is_dense(lane, own.len(), self.window);
        let keys = if dense { self.shared.clone() } else { own };
        let times: Vec<f64> = keys.iter().map(|k| f64::from(self.clip.times[*k])).collect();
        let (places, values) = if let Some(held) = lane.held(self.clip.storage, budget) {
            let width = self.clip.animation.tracks[lane.track].curve.width();
            (keys.clone(), keys.iter().flat_map(|_| held.into_iter().take(width)).collect::<Vec<f32>>())
        } else {
            let wanted = self.wanted(lane, &keys, transforms);
            let (kept, stored) = self.chosen(index, budget, dense, &wanted, &keys, &times);
            let width = self.clip.animation.tracks[lane.track].curve.width();
            let values = stored.into_iter().flat_map(|value| value.into_iter().take(width)).collect::<Vec<f32>>();
            (kept.iter().map(|k| keys[*k]).collect(), values)
        };
        fill(lane, &self.clip.times, &places, &values, self.window, transforms);
        self.lanes[index] = LaneKeys { places, values };
    }

    /// Which keys a lane keeps, and their values as a reader gets them.
    fn chosen(
        &self,
        index: usize,
        budget: f64,
        dense: bool,
        wanted: &Values,
        keys: &[usize],
        times: &[f64],
    ) -> (Vec<usize>, Vec<[f32; 4]>) {
        let lane = &self.clip.lanes[index];
        let lattice = lane.lattice(self.clip.storage, budget * self.plan.step_share());
        if self.plan.keys == Keys::All || dense {
            return ((0..keys.len()).collect(), (0..keys.len()).map(|k| wanted.stored(&lattice, k)).collect());
        }
        let left = |key: &usize| self.narrowed.get(index).map_or(1.0, |row| row[key - self.window.range.start]);
        let tolerances: Vec<f64> = keys.iter().map(|key| budget * left(key)).collect();
        fitted(wanted, times, &tolerances, &lattice)
    }

    /// The values that a lane should have at its keys.
    fn wanted(&self, lane: &Lane, keys: &[usize], transforms: &[Transform]) -> Values {
        let start = self.window.range.start;
        let own = |key: usize| &transforms[key - start];
        match (lane.property, lane.axis) {
            (Property::Rotation, _) => {
                // A lane with few keys would take over its parents' errors at those as if they lasted.
                let count = window_keys(lane, self.window).len();
                let compensate = self.plan.compensate && is_dense(lane, count, self.window);
                let wanted = |key: &usize| {
                    let place = *key - start;
                    if compensate { self.aimed(lane.node, place, own(*key)) } else { own(*key).rotation }
                };
                Values::Rotations(continuous(keys.iter().map(wanted)))
            }
            (property, axis) => {
                let whole =
                    |key: &usize| if property == Property::Scale { own(*key).scale } else { own(*key).translation };
                let part = |v: [f64; 3]| axis.map_or(v, |a| [v[a as usize], 0.0, 0.0]);
                Values::Vectors(keys.iter().map(|k| part(whole(k))).collect())
            }
        }
    }

    fn aimed(&self, node: usize, moment: usize, own: &Transform) -> Quat {
        let Some(parent) = self.clip.scene.skeleton().parent(node) else { return own.rotation };
        let origin = self.poses.global(parent, moment).point(own.translation);
        aimed(self.clip, self.window, node, moment, at(&self.turns[parent], moment), origin)
    }
}

/// A node's own rotations from those to the scene.
fn relative(turns: &[Vec<Quat>], parent: usize, node: usize) -> Vec<Quat> {
    let count = turns[parent].len().max(turns[node].len());
    (0..count).map(|m| quat::mul(quat::conjugate(at(&turns[parent], m)), at(&turns[node], m))).collect()
}

/// Neighbours on the same half of the sphere; the first one with its largest component positive.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<Quat> {
    let mut out: Vec<Quat> = Vec::new();
    for q in rotations {
        let flip = match out.last() {
            Some(last) => quat::dot(*last, q) < 0.0,
            None => q.iter().copied().fold(0.0f64, |m, c| if c.abs() > m.abs() { c } else { m }) < 0.0,
        };
        out.push(if flip { quat::negate(q) } else { q });
    }
    out
}

/// Whether a lane has keys at most times of a window.
fn is_dense(lane: &Lane, own: usize, window: &Window) -> bool {
    !lane.constant && own * 2 > window.len()
}

/// The times of a window that are needed so that every dense lane is bridged within its budget.
fn shared_keys(clip: &Clip<'_>, window: &Window, budgets: &[f64]) -> Vec<usize> {
    let times: Vec<f64> = clip.times[window.range.clone()].iter().map(|t| f64::from(*t)).collect();
    let dense = |lane: &Lane| is_dense(lane, window_keys(lane, window).len(), window);
    let moving = |(lane, budget): &(&Lane, &f64)| dense(lane) && lane.held(clip.storage, **budget).is_none();
    let values = clip.lanes.iter().zip(budgets).filter(moving).map(|(lane, budget)| {
        let transforms = &window.transforms[lane.node];
        let values = match lane.property {
            Property::Rotation => Values::Rotations(continuous(transforms.iter().map(|t| t.rotation))),
            Property::Scale => Values::Vectors(transforms.iter().map(|t| t.scale).collect()),
            _ => Values::Vectors(transforms.iter().map(|t| t.translation).collect()),
        };
        (values, budget * SHARED_BRIDGE)
    });
    // The lane that refused last will likely refuse again: it is asked first.
    let lanes: std::cell::RefCell<Vec<(Values, f64)>> = std::cell::RefCell::new(values.collect());
    let kept = needed(times.len(), |i, j| {
        let mut lanes = lanes.borrow_mut();
        let refuses = lanes.iter().position(|(values, tolerance)| !values.bridges(&times, i, j, *tolerance));
        if let Some(lane) = refuses {
            lanes.swap(0, lane);
        }
        refuses.is_none()
    });
    kept.into_iter().map(|k| k + window.range.start).collect()
}

/// The clip's times at which a lane has keys in a window.
fn window_keys(lane: &Lane, window: &Window) -> Vec<usize> {
    let from = lane.keys.partition_point(|k| *k < window.range.start);
    let to = lane.keys.partition_point(|k| *k < window.range.end);
    lane.keys[from..to].to_vec()
}

/// Narrows what the lanes that move a node may be off at a moment. Says whether any had something left to lose.
fn narrow_chain(clip: &Clip<'_>, narrowed: &mut [Vec<f64>], node: usize, moment: usize, budgets: &[f64]) -> bool {
    let (mut any, mut next) = (false, Some(node));
    while let Some(node) = next {
        for index in clip.lanes_of(node).filter(|i| clip.lanes[*i].held(clip.storage, budgets[*i]).is_none()) {
            narrowed[index][moment] *= NARROWER;
            any = true;
        }
        next = clip.scene.skeleton().parent(node);
    }
    any
}

/// Puts what a player makes of a lane's keys into the transforms at a window's times. Outside of the window's own keys the
/// original stays: what a player shows there depends on a neighbouring window.
fn fill(lane: &Lane, times: &[f32], places: &[usize], values: &[f32], window: &Window, transforms: &mut [Transform]) {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return };
    let width = values.len() / places.len();
    let mut from = 0;
    for place in *first..=*last {
        while from + 1 < places.len() && places[from + 1] <= place {
            from += 1;
        }
        let to = (from + 1).min(places.len() - 1);
        let (start, end) = (f64::from(times[places[from]]), f64::from(times[places[to]]));
        let s = if places[from] == place { 0.0 } else { (f64::from(times[place]) - start) / (end - start) };
        let transform = &mut transforms[place - window.range.start];
        put(lane, &values[from * width..][..width], &values[to * width..][..width], s, transform);
    }
}

fn put(lane: &Lane, a: &[f32], b: &[f32], s: f64, transform: &mut Transform) {
    let blend = |i: usize| f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * s;
    let vector = match lane.property {
        Property::Rotation => {
            let q = |v: &[f32]| played([v[0], v[1], v[2], v[3]]);
            transform.rotation = if s == 0.0 { q(a) } else { quat::slerp(q(a), q(b), s) };
            return;
        }
        Property::Scale => &mut transform.scale,
        _ => &mut transform.translation,
    };
    match lane.axis {
        Some(axis) => vector[axis as usize] = blend(0),
        None => (0..3).for_each(|i| vector[i] = blend(i)),
    }
}
