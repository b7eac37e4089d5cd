//! From the root to the tips: each lane's wanted values, the keys that are needed, and what the storage makes of them.
//!
//! With compensation a joint aims at the original's rotation in the scene, given its parents as decoded, and tilts a little so
//! that its children come to lie where they were: errors do not add up along a chain. No reader knows about it.

use super::{
    clip::{Clip, Lane},
    lattice::{Rotations, played, snap_float},
    reduce::{Values, needed},
    window::{Window, at, chain, matrices},
};
use crate::{Property, Storage};
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

/// How much of a lane's budget goes to missing keys where keys are dropped; the rest goes to the step.
const KEY_SHARE: f64 = 0.7;

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
}

/// Encodes a window with a budget per lane: radians for rotations, units of the property otherwise.
pub(crate) fn encode(clip: &Clip<'_>, window: &Window, budgets: &[f64], plan: Plan) -> Coded {
    let skeleton = clip.scene.skeleton();
    let mut walk = Walk {
        clip,
        window,
        plan,
        poses: window.poses.clone(),
        turns: window.turns.clone(),
        lanes: vec![LaneKeys::default(); clip.lanes.len()],
        shared: if plan.keys == Keys::Shared { shared_keys(clip, window, budgets) } else { Vec::new() },
    };
    let moved = clip.motion.moved();
    for &node in skeleton.order().iter().filter(|n| moved[**n]) {
        walk.node(node, budgets);
    }
    let moments: Vec<Moment> = clip.times[window.range.clone()].iter().map(|t| Moment::at(f64::from(*t))).collect();
    let mut deviation = Deviation::none(clip.probes.len());
    deviation.add(&window.poses, &walk.poses, &clip.probes, &moments);
    Coded { lanes: walk.lanes, deviation }
}

struct Walk<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    plan: Plan,
    /// As decoded, down to the node that is being looked at.
    poses: Poses,
    turns: Vec<Vec<Quat>>,
    lanes: Vec<LaneKeys>,
    /// The clip's times that dense lanes keep, where they keep the same ones.
    shared: Vec<usize>,
}

impl Walk<'_, '_> {
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
        let mut transforms = self.window.transforms[node].clone();
        for index in lanes {
            self.lane(index, budgets[index], &mut transforms);
        }
        let parent = skeleton.parent(node).map(|p| &self.turns[p]);
        self.turns[node] = chain(parent, transforms.iter().map(|t| t.rotation));
        self.poses.set_locals_only(skeleton, node, matrices(&transforms));
    }

    fn lane(&mut self, index: usize, budget: f64, transforms: &mut [Transform]) {
        let lane = &self.clip.lanes[index];
        let own = window_keys(lane, self.window);
        let dense = self.plan.keys == Keys::Shared && is_dense(lane, own.len(), self.window);
        let keys = if dense { self.shared.clone() } else { own };
        let times: Vec<f64> = keys.iter().map(|k| f64::from(self.clip.times[*k])).collect();
        let wanted = self.wanted(lane, &keys, transforms);
        let (tolerance, step) = match self.plan.keys {
            Keys::All => (0.0, budget),
            Keys::PerLane | Keys::Shared => (budget * KEY_SHARE, budget * (1.0 - KEY_SHARE)),
        };
        let kept = match self.plan.keys {
            Keys::Shared if dense => (0..keys.len()).collect(),
            Keys::All => (0..keys.len()).collect(),
            Keys::PerLane | Keys::Shared => needed(keys.len(), |i, j| wanted.bridges(&times, i, j, tolerance)),
        };
        let values = snapped(&wanted, &kept, lane, self.clip.storage, step);
        let places: Vec<usize> = kept.iter().map(|k| keys[*k]).collect();
        fill(lane, &self.clip.times, &places, &values, self.window, transforms);
        self.lanes[index] = LaneKeys { places, values };
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
                    if compensate { self.aimed(lane.node, *key - start, own(*key)) } else { own(*key).rotation }
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

    /// The rotation that gives a joint its original turn in the scene, tilted so that its children hit their places.
    fn aimed(&self, node: usize, moment: usize, own: &Transform) -> Quat {
        let skeleton = self.clip.scene.skeleton();
        let Some(parent) = skeleton.parent(node) else { return own.rotation };
        let above = at(&self.turns[parent], moment);
        let origin = self.poses.global(parent, moment).point(own.translation);
        let original = self.window.poses.global(node, moment).origin;
        let miss = [0, 1, 2].map(|k| original[k] - origin[k]);
        let tilt = self.tilt(node, moment, original, miss);
        let aim = quat::mul(quat::exp(tilt.map(|c| c / 2.0)), at(&self.window.turns[node], moment));
        quat::normalize(quat::mul(quat::conjugate(above), aim))
    }

    /// The small turn (a rotation vector) that brings a joint's children nearest to their places, where its own origin lies
    /// off by `miss`, without turning the joint's own points more than that is worth: least squares.
    fn tilt(&self, node: usize, moment: usize, origin: [f64; 3], miss: [f64; 3]) -> [f64; 3] {
        let shell = self.clip.scene.shell(node);
        let mut m = [[shell * shell, 0.0, 0.0], [0.0, shell * shell, 0.0], [0.0, 0.0, shell * shell]];
        let mut b = [0.0; 3];
        for &child in self.clip.scene.skeleton().children(node) {
            let end = self.window.poses.global(child, moment).origin;
            let r = [0, 1, 2].map(|k| end[k] - origin[k]);
            let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] += if i == j { square } else { 0.0 } - r[i] * r[j];
                }
            }
            let c = [r[1] * miss[2] - r[2] * miss[1], r[2] * miss[0] - r[0] * miss[2], r[0] * miss[1] - r[1] * miss[0]];
            (0..3).for_each(|k| b[k] += c[k]);
        }
        solve(m, b)
    }
}

/// A 3 x 3 system by Cramer's rule; nothing where it has no single answer.
fn solve(m: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    // The matrix is symmetric: rows are columns.
    let whole = det(m[0], m[1], m[2]);
    if whole == 0.0 || !whole.is_finite() {
        return [0.0; 3];
    }
    [det(b, m[1], m[2]) / whole, det(m[0], b, m[2]) / whole, det(m[0], m[1], b) / whole]
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
    let values = clip.lanes.iter().zip(budgets).filter(|(lane, _)| dense(lane)).map(|(lane, budget)| {
        let transforms = &window.transforms[lane.node];
        let values = match lane.property {
            Property::Rotation => Values::Rotations(continuous(transforms.iter().map(|t| t.rotation))),
            Property::Scale => Values::Vectors(transforms.iter().map(|t| t.scale).collect()),
            _ => Values::Vectors(transforms.iter().map(|t| t.translation).collect()),
        };
        (values, budget * KEY_SHARE)
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

/// The values at kept keys as a reader gets them.
fn snapped(wanted: &Values, kept: &[usize], lane: &Lane, storage: Storage, step: f64) -> Vec<f32> {
    match wanted {
        Values::Rotations(q) => {
            // Half an angle is what a quaternion's components hold. What never changes is shown as stored by players that
            // normalize only what they blend: there floats, which are of unit length, are worth their bytes.
            let half = if lane.constant { 0.0 } else { step / 2.0 };
            Rotations::within(storage, half, lane.upright).snap(kept.iter().map(|k| q[*k]))
        }
        Values::Vectors(v) => {
            let width = if lane.axis.is_some() { 1 } else { 3 };
            kept.iter().flat_map(|k| v[*k].into_iter().take(width)).map(|c| snap_float(c, step)).collect()
        }
    }
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
