//! Repair: other codes than the nearest at the few moments where those add up badly.
//!
//! With the nearest codes, errors along a chain rarely reach their worst case, but steps have to hold at the
//! worst moment. So steps are chosen coarser. Where a point's error is then too large, the joints above it
//! try neighbouring codes, with everything below compensated again. Room that remains is used to repeat codes
//! of the moment before.

use super::{
    clip::Clip,
    compensate::compensated,
    encode::put,
    grid::{Code, Grid},
    parameters::Parameters,
    window::{Decoded, Window, at, relative},
};
use crate::{
    quat::{self, Quat},
    skeleton::{Affine, Property, Transform},
    vector::cross,
};
use alloc::{vec, vec::Vec};

/// How often the worst point of a moment is improved.
const PASSES: usize = 12;

/// The most joints recomputed per moment. Skeletons take a tenth of it, chains of thousands would never end.
const EFFORT: usize = 1 << 17;
/// A code farther than this from the one before can hardly repeat it within the limit.
const NEAR: u32 = 2;

/// A track whose codes may change.
#[derive(Clone, Copy)]
struct Free {
    track: usize,
    grid: Grid,
    /// The grid at the current moment.
    here: Grid,
}

/// The joints of a window as decoded, one moment at a time.
pub(super) struct Repair<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    compensate: bool,
    /// The largest squared error that is accepted.
    limit: f64,
    /// By node: its translation and rotation tracks that may change.
    free: Vec<[Option<Free>; 2]>,
    moment: usize,
    /// How many joints may still be recomputed for the moment.
    effort: usize,
    joints: Vec<Joint>,
    saved: Vec<Joint>,
}

/// A joint at the current moment.
#[derive(Clone, Copy)]
struct Joint {
    own: Transform,
    local: Affine,
    global: Affine,
    turn: Quat,
    /// Of translation and rotation.
    codes: [Code; 2],
    /// The weighted squared error of its probe.
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
        let mut free = vec![[None; 2]; clip.skeleton.len()];
        for (index, track) in clip.tracks.iter().enumerate().filter(|(_, track)| track.axis.is_none()) {
            let which = match track.property {
                Property::Translation => 0,
                Property::Rotation => 1,
                Property::Scale => continue,
            };
            free[track.node][which] = grids(index).map(|grid| Free { track: index, grid, here: grid });
        }
        let (limit, joints, saved) = (limit * limit, Vec::new(), Vec::new());
        Self { clip, window, compensate, limit, free, moment: 0, effort: 0, joints, saved }
    }

    /// Repairs the keys and transforms at moments of the window. Returns whether any changed.
    pub(super) fn run(&mut self, moments: impl Iterator<Item = usize>, decoded: &mut Decoded) -> bool {
        let (mut middles, anchors): (Vec<usize>, Vec<usize>) = moments.partition(|moment| self.is_middle(*moment));
        let mut changed = false;
        for moment in anchors {
            self.load(moment, decoded);
            if self.moment_improves() {
                self.store(decoded);
                changed = true;
                // Codes relative to this one now have other values.
                let beside = [moment.wrapping_sub(1), moment + 1].into_iter();
                middles.extend(beside.filter(|m| *m < self.window.len() && self.is_middle(*m)));
            }
        }
        middles.sort_unstable();
        middles.dedup();
        for moment in middles {
            self.load(moment, decoded);
            self.encode_anew();
            self.moment_improves();
            self.store(decoded);
            changed = true;
        }
        changed
    }

    /// Whether codes at a moment are relative to the adjacent moments.
    pub(super) fn is_middle(&self, moment: usize) -> bool {
        let mut grids = self.free.iter().flatten().flatten();
        grids.any(|free| free.grid.is_middle(moment, self.window.len()))
    }

    /// Gives all joints the nearest codes.
    fn encode_anew(&mut self) {
        for node in self.clip.nodes() {
            let own = self.window.start.transforms[node].get(self.moment);
            if let (Some(own), Some(free)) = (own, self.free[node][0]) {
                let [x, y, z] = own.translation;
                self.set(node, 0, free.here.encode([x, y, z, 0.0]));
            }
            if let (Some(own), Some(free), false) = (own, self.free[node][1], self.compensate) {
                self.set(node, 1, free.here.encode(quat::toward(self.joints[node].own.rotation, own.rotation)));
            }
            self.settle(node, None);
        }
    }

    /// Repeats codes of the moment before where everything below stays in the limit, from root to tips.
    pub(super) fn repeat(&mut self, decoded: &mut Decoded) {
        let free = |(node, which): (usize, usize)| Some((node, which, self.free[node][which]?));
        let all = self.clip.nodes().flat_map(|node| [(node, 0), (node, 1)]).filter_map(free);
        let paying: Vec<_> = all.filter(|(_, _, free)| free.grid.repeats_pay()).collect();
        for moment in (1..self.window.len()).filter(|_| !paying.is_empty()) {
            self.load(moment, decoded);
            for (node, which, free) in &paying {
                self.repeat_code(*node, *which, &free.grid, decoded.keys[free.track].codes[moment - 1]);
            }
            self.store(decoded);
        }
    }

    /// Repeats a code or, if that fails, as many of its components as possible.
    fn repeat_code(&mut self, node: usize, which: usize, grid: &Grid, before: Code) {
        if self.keeps_within(node, which, before) || !grid.has_free_components() {
            return;
        }
        for component in 0..before.len() {
            let mut code = self.joints[node].codes[which];
            if code[component].abs_diff(before[component]) <= NEAR {
                code[component] = before[component];
                self.keeps_within(node, which, code);
            }
        }
    }

    /// Gives a node another code if everything below stays within the limit. Returns whether it did.
    fn keeps_within(&mut self, node: usize, which: usize, code: Code) -> bool {
        let within = self.try_code(node, which, code, self.limit.next_up()).is_some();
        if !within {
            self.restore(node);
        }
        within
    }

    /// Restores the joints of a subtree after `try_code`.
    fn restore(&mut self, node: usize) {
        let subtree = self.clip.skeleton.subtree(node).iter();
        subtree.zip(&self.saved).for_each(|(n, joint)| self.joints[*n] = *joint);
    }

    fn load(&mut self, moment: usize, decoded: &Decoded) {
        (self.moment, self.effort) = (moment, EFFORT);
        for free in self.free.iter_mut().flatten().flatten() {
            free.here = free.grid.at(&decoded.keys[free.track].codes, moment);
        }
        let mut joints = core::mem::take(&mut self.joints);
        joints.clear();
        let joint = |node: usize| {
            let (own, global) = (decoded.transforms[node].get(moment), *decoded.poses.global(node, moment));
            Joint {
                own: own.copied().unwrap_or(Transform::IDENTITY),
                local: own.map_or_else(|| *decoded.poses.local(node, moment), Affine::from_transform),
                global,
                turn: at(&decoded.turns[node], moment),
                codes: self.free[node].map(|free| free.map_or([0; 4], |free| decoded.keys[free.track].codes[moment])),
                error: self.error(node, &global),
            }
        };
        joints.extend((0..self.free.len()).map(joint));
        self.joints = joints;
    }

    fn store(&self, decoded: &mut Decoded) {
        for (node, joint) in self.joints.iter().enumerate() {
            for (free, code) in self.free[node].iter().zip(&joint.codes) {
                if let Some(free) = free {
                    decoded.keys[free.track].codes[self.moment] = *code;
                    decoded.transforms[node][self.moment] = joint.own;
                }
            }
            if let Some(turn) = decoded.turns[node].get_mut(self.moment) {
                *turn = joint.turn;
            }
        }
    }

    /// The weighted squared error of a node's probe, for a global matrix of the node.
    fn error(&self, node: usize, global: &Affine) -> f64 {
        self.clip.probe(node).map_or(0.0, |probe| self.window.error(probe, self.moment, global))
    }

    /// Improves the worst point repeatedly, until none is over the limit or nothing helps.
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

    /// Tries other codes for a node and its ancestors: the first that bring everything below within the
    /// limit, else the best.
    fn chain_improves(&mut self, worst: usize) -> bool {
        let skeleton = self.clip.skeleton;
        let mut least = self.joints[worst].error * 0.98;
        let mut best: Option<(usize, Vec<Joint>)> = None;
        let mut next = Some(worst);
        'chain: while let Some(node) = next.filter(|_| self.effort > 0) {
            for (which, code) in self.candidates(node, worst) {
                if let Some(error) = self.try_code(node, which, code, least) {
                    least = error;
                    best = Some((node, skeleton.subtree(node).iter().map(|n| self.joints[*n]).collect()));
                }
                self.restore(node);
                if least <= self.limit {
                    break 'chain;
                }
            }
            next = skeleton.parent(node);
        }
        let Some((node, joints)) = best else { return false };
        skeleton.subtree(node).iter().zip(joints).for_each(|(n, joint)| self.joints[*n] = joint);
        true
    }

    /// Codes to try: a step toward the worst point's place, steps to each side and to two sides at once.
    fn candidates(&self, node: usize, worst: usize) -> Vec<(usize, Code)> {
        let (mut out, moment) = (Vec::with_capacity(25), self.moment);
        let joint = &self.joints[node];
        let original = self.window.poses.global(worst, moment).origin;
        let miss = [0, 1, 2].map(|k| original[k] - self.joints[worst].global.origin[k]);
        if let Some(free) = &self.free[node][1] {
            let spacing = free.here.spacing() * 2.0;
            let arm = [0, 1, 2].map(|k| original[k] - joint.global.origin[k]);
            let square: f64 = arm.iter().map(|c| c * c).sum();
            // In the joint's own frame.
            let home = || quat::rotate(quat::conjugate(joint.turn), cross(arm, miss).map(|c| c / square));
            let turned = |step| (1, free.here.encode_beside(joint.own.rotation, step, true));
            out.extend((square > 0.0).then(home).map(turned));
            match free.here {
                // Components have steps of their own.
                Grid::Parameters(Parameters { codes: (least, most), .. }) => {
                    let beside = |step: [f64; 3]| {
                        let [x, y, z] = [0, 1, 2].map(|c| (joint.codes[1][c] + step[c] as i32).clamp(least, most));
                        (1, [x, y, z, 0])
                    };
                    out.extend(sides(1.0).chain(diagonals(1.0)).map(beside));
                }
                _ => out.extend(sides(spacing).chain(diagonals(spacing)).map(turned)),
            }
        }
        if let Some(free) = &self.free[node][0] {
            let [x, y, z] = joint.own.translation;
            let steps = sides(free.here.spacing());
            out.extend(steps.map(|step| (0, free.here.encode_beside([x, y, z, 0.0], step, false))));
        }
        out
    }

    /// Gives a node another code, saves its subtree and recomputes it. The largest error if below `least`.
    fn try_code(&mut self, node: usize, which: usize, code: Code, least: f64) -> Option<f64> {
        self.saved.clear();
        if code == self.joints[node].codes[which] || self.effort == 0 {
            return None;
        }
        let mut largest = 0.0f64;
        for &below in self.clip.skeleton.subtree(node) {
            self.saved.push(self.joints[below]);
            self.settle(below, (below == node).then_some((which, code)));
            largest = largest.max(self.joints[below].error);
            if largest >= least {
                return None;
            }
        }
        Some(largest)
    }

    /// Recomputes a joint under its parent, with a given code or compensated.
    fn settle(&mut self, node: usize, given: Option<(usize, Code)>) {
        self.effort = self.effort.saturating_sub(1);
        let parent = self.clip.skeleton.parent(node);
        let under = |parent: usize| (self.joints[parent].global, self.joints[parent].turn);
        let (above, turn) = parent.map_or((Affine::IDENTITY, quat::IDENTITY), under);
        if let Some((which, code)) = given {
            self.set(node, which, code);
        } else if let (true, Some(free)) = (self.compensate, self.free[node][1]) {
            let own = &self.joints[node].own;
            let aim = compensated(self.window, node, self.moment, turn, above.point(own.translation));
            self.set(node, 1, free.here.encode(quat::toward(own.rotation, aim)));
        }
        let joint = &mut self.joints[node];
        if self.clip.changes(node) {
            joint.local = Affine::from_transform(&joint.own);
            joint.turn = quat::mul(turn, joint.own.rotation);
        } else if let Some(parent) = parent {
            // Its rotation relative to its parent stays.
            joint.turn = quat::mul(turn, relative(&self.window.start.turns, parent, node, self.moment));
        }
        joint.global = above.then_inner(&joint.local);
        self.joints[node].error = self.error(node, &self.joints[node].global);
    }

    fn set(&mut self, node: usize, which: usize, code: Code) {
        let Some(free) = &self.free[node][which] else { return };
        let joint = &mut self.joints[node];
        joint.codes[which] = code;
        put(&self.clip.tracks[free.track], free.here.decode(code), &mut joint.own);
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
