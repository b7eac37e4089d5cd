//! Repair: codes beside the nearest ones at the few moments where the nearest ones add up badly.
//!
//! Rounded one by one, the errors along a chain are rarely near their worst, but steps have to hold at the worst moment of a clip. So
//! steps are chosen coarser than that, and where a point comes to lie too far off, the joints above it try their neighbouring codes, each
//! with everything below it aimed anew, until it does not. What room is left then, codes use to repeat those of the moment before.

use super::{
    clip::Clip,
    compensate::compensated,
    encode::{TrackKeys, put},
    grid::{Code, Grid},
    window::{Window, at, relative},
};
use crate::{
    quat::{self, Quat},
    skeleton::{Affine, Poses, Property, Transform},
    vector::cross,
};
use alloc::{vec, vec::Vec};

/// How often the worst point of a moment is looked at.
const PASSES: usize = 12;

/// How many joints are settled for one moment at most: an ordinary skeleton takes a tenth of it, a chain of thousands would never end.
const EFFORT: usize = 1 << 17;
/// A component's code farther than this from the one before it hardly ever repeats that within the limit.
const NEAR: u32 = 2;

/// A track whose codes may be chosen anew.
#[derive(Clone, Copy)]
struct Free {
    track: usize,
    grid: Grid,
}

/// A window's joints as decoded, one moment at a time.
pub(super) struct Repair<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    compensate: bool,
    /// The largest squared distance that is let be.
    limit: f64,
    /// By node: the tracks of its translation and its rotation that may change.
    free: Vec<[Option<Free>; 2]>,
    /// By node: its probe.
    probes: Vec<Option<usize>>,
    moment: usize,
    /// How many joints may still be settled for the moment.
    effort: usize,
    joints: Vec<Joint>,
    saved: Vec<Joint>,
}

/// A joint at the moment that is being looked at.
#[derive(Clone, Copy)]
struct Joint {
    own: Transform,
    local: Affine,
    global: Affine,
    turn: Quat,
    /// Translation and rotation.
    codes: [Code; 2],
    /// The squared distance of its probe, weighted.
    error: f64,
}

impl<'a, 'c> Repair<'a, 'c> {
    pub(super) fn new(
        clip: &'a Clip<'c>,
        window: &'a Window,
        compensate: bool,
        limit: f64,
        grids: impl Fn(usize) -> Option<Grid>,
    ) -> Self {
        let nodes = clip.skeleton.len();
        let mut free = vec![[None; 2]; nodes];
        for (index, track) in clip.tracks.iter().enumerate().filter(|(_, track)| track.axis.is_none()) {
            let which = match track.property {
                Property::Translation => 0,
                Property::Rotation => 1,
                Property::Scale => continue,
            };
            free[track.node][which] = grids(index).map(|grid| Free { track: index, grid });
        }
        let probes = clip.probe_of();
        let joint = Joint {
            own: Transform::IDENTITY,
            local: Affine::IDENTITY,
            global: Affine::IDENTITY,
            turn: quat::IDENTITY,
            codes: [[0; 4]; 2],
            error: 0.0,
        };
        let limit = limit * limit;
        let joints = vec![joint; nodes];
        Self { clip, window, compensate, limit, free, probes, moment: 0, effort: 0, joints, saved: Vec::new() }
    }

    /// Repairs moments of the window. `transforms` are the nodes' own ones as decoded, `keys` what is stored. Says whether any changed.
    pub(super) fn run(
        &mut self,
        moments: impl Iterator<Item = usize>,
        poses: &Poses,
        turns: &[Vec<Quat>],
        transforms: &mut [Vec<Transform>],
        keys: &mut [TrackKeys],
    ) -> bool {
        let mut changed = false;
        for moment in moments {
            self.load(moment, poses, turns, transforms, keys);
            if self.moment_improves() {
                self.store(transforms, keys);
                changed = true;
            }
        }
        changed
    }

    /// Repeats the codes of the moment before wherever everything below stays within the limit, from the root to the tips.
    pub(super) fn repeat(
        &mut self,
        poses: &Poses,
        turns: &[Vec<Quat>],
        transforms: &mut [Vec<Transform>],
        keys: &mut [TrackKeys],
    ) {
        for moment in 1..self.window.len() {
            self.load(moment, poses, turns, transforms, keys);
            let mut changed = false;
            for node in self.clip.nodes() {
                for which in 0..2 {
                    let Some(free) = self.free[node][which].filter(|free| free.grid.repeats_pay()) else { continue };
                    changed |= self.repeats(node, which, &free, keys[free.track].codes[moment - 1]);
                }
            }
            if changed {
                self.store(transforms, keys);
            }
        }
    }

    /// Repeats a code, or those of its components that can be. Says whether any changed.
    fn repeats(&mut self, node: usize, which: usize, free: &Free, before: Code) -> bool {
        let mut changed = self.keeps_within(node, which, free, before);
        let components = if changed || !free.grid.has_free_components() { 0..0 } else { 0..before.len() };
        for component in components {
            let mut code = self.joints[node].codes[which];
            if code[component].abs_diff(before[component]) <= NEAR {
                code[component] = before[component];
                changed |= self.keeps_within(node, which, free, code);
            }
        }
        changed
    }

    /// Gives a node another code where everything below stays within the limit. Says whether it did.
    fn keeps_within(&mut self, node: usize, which: usize, free: &Free, code: Code) -> bool {
        if code == self.joints[node].codes[which] || self.effort == 0 {
            return false;
        }
        let subtree = self.clip.skeleton.subtree(node);
        self.saved.clear();
        self.saved.extend(subtree.iter().map(|n| self.joints[*n]));
        self.set(node, which, free, code);
        let mut settled = 0;
        let within = subtree.iter().all(|below| {
            self.settle(*below, *below == node);
            settled += 1;
            self.joints[*below].error <= self.limit
        });
        if !within {
            self.restore(node, settled);
        }
        within
    }

    /// Puts the first joints of a subtree back as they were saved.
    fn restore(&mut self, node: usize, count: usize) {
        let subtree = self.clip.skeleton.subtree(node).iter().take(count);
        subtree.zip(&self.saved).for_each(|(n, joint)| self.joints[*n] = *joint);
    }

    fn load(
        &mut self,
        moment: usize,
        poses: &Poses,
        turns: &[Vec<Quat>],
        transforms: &[Vec<Transform>],
        keys: &[TrackKeys],
    ) {
        (self.moment, self.effort) = (moment, EFFORT);
        for node in 0..self.joints.len() {
            let joint = &mut self.joints[node];
            let own = transforms[node].get(moment);
            joint.own = own.copied().unwrap_or(Transform::IDENTITY);
            joint.local = own.map_or_else(|| *poses.local(node, moment), Affine::from_transform);
            joint.global = *poses.global(node, moment);
            joint.turn = at(&turns[node], moment);
            for (free, code) in self.free[node].iter().zip(&mut joint.codes) {
                if let Some(free) = free {
                    *code = keys[free.track].codes[moment];
                }
            }
            self.joints[node].error = self.error(node);
        }
    }

    fn store(&self, transforms: &mut [Vec<Transform>], keys: &mut [TrackKeys]) {
        for (node, joint) in self.joints.iter().enumerate() {
            for (free, code) in self.free[node].iter().zip(&joint.codes) {
                if let Some(free) = free {
                    keys[free.track].codes[self.moment] = *code;
                    transforms[node][self.moment] = joint.own;
                }
            }
        }
    }

    fn error(&self, node: usize) -> f64 {
        self.probes[node].map_or(0.0, |probe| {
            let original = self.window.poses.global(node, self.moment);
            self.window.weights[self.moment]
                * self.clip.probes[probe].squared_distance(original, &self.joints[node].global)
        })
    }

    /// Looks at the worst point again and again, until none is too far off or nothing helps.
    fn moment_improves(&mut self) -> bool {
        let mut changed = false;
        for _ in 0..PASSES {
            let worst =
                (0..self.joints.len()).fold(0, |w, n| if self.joints[n].error > self.joints[w].error { n } else { w });
            if self.joints[worst].error <= self.limit || !self.chain_improves(worst) {
                break;
            }
            changed = true;
        }
        changed
    }

    /// Tries other codes for a node and those above it: the first that bring everything below them within the limit, else the best.
    fn chain_improves(&mut self, worst: usize) -> bool {
        let skeleton = self.clip.skeleton;
        let mut least = self.joints[worst].error * 0.98;
        let mut best: Option<(usize, Vec<Joint>)> = None;
        let mut next = Some(worst);
        while let Some(node) = next.filter(|_| self.effort > 0) {
            if self.free[node].iter().any(Option::is_some) {
                let subtree = skeleton.subtree(node);
                self.saved.clear();
                self.saved.extend(subtree.iter().map(|n| self.joints[*n]));
                for (which, step) in self.candidates(node, worst) {
                    let (settled, error) = self.try_code(node, which, step, least);
                    if let Some(error) = error {
                        least = error;
                        best = Some((node, subtree.iter().map(|n| self.joints[*n]).collect()));
                    }
                    self.restore(node, settled);
                    if least <= self.limit {
                        break;
                    }
                }
                if least <= self.limit {
                    break;
                }
            }
            next = skeleton.parent(node);
        }
        let Some((node, joints)) = best else { return false };
        skeleton.subtree(node).iter().zip(joints).for_each(|(n, joint)| self.joints[*n] = joint);
        true
    }

    /// Steps to try: the one that would bring the worst point home, one to each side, and to two sides at once.
    fn candidates(&self, node: usize, worst: usize) -> Vec<(usize, [f64; 3])> {
        let (mut out, moment) = (Vec::with_capacity(25), self.moment);
        let joint = &self.joints[node];
        let original = self.window.poses.global(worst, moment).origin;
        let miss = [0, 1, 2].map(|k| original[k] - self.joints[worst].global.origin[k]);
        if let Some(free) = &self.free[node][1] {
            let spacing = free.grid.spacing() * 2.0;
            let arm = [0, 1, 2].map(|k| original[k] - joint.global.origin[k]);
            let square: f64 = arm.iter().map(|c| c * c).sum();
            if square > 0.0 {
                // In the joint's own frame.
                let turn = quat::rotate(quat::conjugate(joint.turn), cross(arm, miss).map(|c| c / square));
                out.push((1, turn));
            }
            out.extend(sides(spacing).chain(diagonals(spacing)).map(|step| (1, step)));
        }
        if let Some(free) = &self.free[node][0] {
            out.extend(sides(free.grid.spacing()).map(|step| (0, step)));
        }
        out
    }

    /// Takes a step with a node's rotation or translation and settles what is below it: how many joints, and the largest error, if below `least`.
    fn try_code(&mut self, node: usize, which: usize, step: [f64; 3], least: f64) -> (usize, Option<f64>) {
        let Some(free) = self.free[node][which] else { return (0, None) };
        let own = &self.joints[node].own;
        let code = match which {
            0 => {
                let [x, y, z] = [0, 1, 2].map(|k| own.translation[k] + step[k]);
                free.grid.encode([x, y, z, 0.0])
            }
            _ => free.grid.encode(quat::mul(own.rotation, quat::exp(step.map(|c| c / 2.0)))),
        };
        if code == self.joints[node].codes[which] || self.effort == 0 {
            return (0, None);
        }
        self.set(node, which, &free, code);
        let mut largest = 0.0f64;
        let subtree = self.clip.skeleton.subtree(node);
        for (place, &below) in subtree.iter().enumerate() {
            self.settle(below, below == node);
            largest = largest.max(self.joints[below].error);
            if largest >= least {
                return (place + 1, None);
            }
        }
        (subtree.len(), Some(largest))
    }

    /// A joint under its parent as it is now.
    fn settle(&mut self, node: usize, given: bool) {
        self.effort = self.effort.saturating_sub(1);
        let parent = self.clip.skeleton.parent(node).map(|p| (self.joints[p].global, self.joints[p].turn));
        let (above, turn) = parent.unwrap_or((Affine::IDENTITY, quat::IDENTITY));
        if let (false, true, Some(free)) = (given, self.compensate, self.free[node][1]) {
            let own = &self.joints[node].own;
            let aim = compensated(self.window, node, self.moment, turn, above.point(own.translation));
            let aim = if quat::dot(aim, own.rotation) < 0.0 { quat::negate(aim) } else { aim };
            self.set(node, 1, &free, free.grid.encode(aim));
        }
        let changes = self.clip.changes(node);
        let carried = if changes { quat::IDENTITY } else { self.carried(node, turn) };
        let joint = &mut self.joints[node];
        if changes {
            joint.local = Affine::from_transform(&joint.own);
        }
        joint.turn = if changes { quat::mul(turn, joint.own.rotation) } else { carried };
        joint.global = above.then_inner(&joint.local);
        self.joints[node].error = self.error(node);
    }

    /// Gives a joint's translation or rotation other codes.
    fn set(&mut self, node: usize, which: usize, free: &Free, code: Code) {
        let joint = &mut self.joints[node];
        joint.codes[which] = code;
        put(&self.clip.tracks[free.track], free.grid.decode(code), &mut joint.own);
    }

    /// How a node without tracks to change is turned: as it always was under its parent.
    fn carried(&self, node: usize, above: Quat) -> Quat {
        let Some(parent) = self.clip.skeleton.parent(node) else { return self.joints[node].turn };
        quat::mul(above, relative(&self.window.turns, parent, node, self.moment))
    }
}

/// One step to each side.
fn sides(by: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..6).map(move |i| [0, 1, 2].map(|k| if i / 2 == k { if i % 2 == 0 { by } else { -by } } else { 0.0 }))
}

/// One step to two sides at once.
fn diagonals(by: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..12).map(move |i| {
        let (other, signs) = (i / 4, [if i % 2 == 0 { by } else { -by }, if i / 2 % 2 == 0 { by } else { -by }]);
        let mut step = [0.0; 3];
        step[(other + 1) % 3] = signs[0];
        step[(other + 2) % 3] = signs[1];
        step
    })
}
