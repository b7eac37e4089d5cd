//! From the root to the tips: every joint is aimed at where it should be given its parents as they will be decoded, and coded
//! with the coarsest steps that keep what it carries within the bound.
//!
//! What a parent was rounded by is thus made up for by its children, as far as they can turn; no decoder knows of it.

use super::Job;
use super::aim::{Aim, Point};
use super::code::{Codes, Grid, RotationCodes, Steps};
use super::keys::{KeyTimes, motion, spatial};
use super::measure::Reference;
use super::plan::{Plan, Planned, Role};
use super::room::Room;
use crate::quat::{self, Quat};
use crate::skeleton::{Affine, Moment, Motion, Poses, Property, Track, Transform};
use crate::vector::{AXES, length, solve};
use alloc::{vec, vec::Vec};

/// The part of the bound that the end of an arm may be off for each radian that it turns from key to key.
const ARM_SHARE: f64 = 0.7;

/// The part of what curves through the keys stray by that codes leave to them at first.
const STRAYED: f64 = 0.5;

/// What all walks have in common.
pub(super) struct Walk<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) plan: &'a Plan<'a>,
    pub(super) keys: &'a KeyTimes,
    pub(super) reference: &'a Reference<'a>,
    moments: Vec<Moment>,
    /// Constants and steps as decoded, all else at rest.
    held: Motion<'a>,
    nodes: Vec<Node<'a>>,
}

/// One try after the other: codes as the last walk left them, and joints as those decode.
pub(super) struct Tries {
    pub(super) grid: Grid,
    pub(super) codes: Codes,
    poses: Poses,
}

/// What drives a node, and what it carries.
#[derive(Clone, Default)]
struct Node<'a> {
    /// The planned tracks, by number, rotations last: they make up for what the others were rounded by.
    tracks: Vec<(usize, Track<'a>)>,
    /// How far out its probe's points lie along its axes.
    offsets: Option<[f64; 3]>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(job: &'a Job<'a>, plan: &'a Plan<'a>, keys: &'a KeyTimes, reference: &'a Reference<'a>) -> Self {
        let held = plan.tracks.iter().filter_map(|planned| match &planned.role {
            Role::Held(curve) => Some((&planned.source.target, curve)),
            Role::Rotation(_) | Role::Numbers(_) => None,
        });
        let held = motion(job.source.skeleton, held);
        let mut nodes = vec![Node::default(); job.source.skeleton.len()];
        for (i, planned) in plan.tracks.iter().enumerate() {
            spatial(planned.source).into_iter().for_each(|track| nodes[track.node].tracks.push((i, track)));
        }
        nodes.iter_mut().for_each(|node| node.tracks.sort_by_key(|(_, track)| track.property == Property::Rotation));
        job.source.probes.iter().for_each(|probe| nodes[probe.a].offsets = Some(probe.offsets));
        Self { job, plan, keys, reference, moments: keys.moments(), held, nodes }
    }

    /// What the first try begins with: only what moves no points is coded, once for all.
    pub(super) fn tries(&self, steps: Steps, passed_on: f64) -> Tries {
        // Keys beside a curve that strays may now and then make up for it.
        let first = 1.0 - STRAYED * self.keys.stray.min(1.0);
        let room = Room::new(self.job.source.skeleton.len(), self.keys.len(), first);
        let (grid, tracks) = (Grid { steps, passed_on, room }, &self.plan.tracks);
        let mut codes = Codes { rotations: vec![None; tracks.len()], numbers: vec![Vec::new(); tracks.len()] };
        for (i, Planned { source, role }) in tracks.iter().enumerate().filter(|(_, t)| spatial(t.source).is_none()) {
            // What curves leave of the tolerance, or a little where that is nothing.
            let left = source.tolerance * (1.0 - self.keys.stray).max(0.1);
            match role {
                // Short of twice that, for the rounding of floats.
                Role::Numbers(values) => codes.numbers[i] = grid.numbers(source.curve.width(), values, 1.99 * left),
                Role::Rotation(values) => codes.rotations[i] = Some(other_rotation(&grid, values, left)),
                Role::Held(_) => {}
            }
        }
        Tries { grid, codes, poses: Poses::new(&self.held, &self.moments) }
    }

    /// Codes the keyed tracks of joints that have other room than in the last walk, and of what hangs on them.
    pub(super) fn run(&self, Tries { grid, codes, poses }: &mut Tries) {
        let (skeleton, tracks) = (self.job.source.skeleton, &self.plan.tracks);
        for &node in skeleton.order().iter().filter(|node| grid.room.changed[**node]) {
            match self.nodes[node].tracks.iter().any(|(i, _)| !matches!(tracks[*i].role, Role::Held(_))) {
                true => {
                    let locals = self.node(node, grid, poses, codes);
                    poses.set_transforms_only(skeleton, node, &locals);
                }
                false => poses.renew(skeleton, node),
            }
        }
    }

    /// Codes the tracks of a moving node; returns its own transforms as they will be decoded.
    fn node(&self, node: usize, grid: &Grid, poses: &Poses, codes: &mut Codes) -> Vec<Transform> {
        let mut locals = self.held.transforms(node, &self.moments);
        let parent = |k: usize| self.job.source.skeleton.parent(node).map_or(Affine::IDENTITY, |p| *poses.global(p, k));
        for (i, track) in &self.nodes[node].tracks {
            match &self.plan.tracks[*i].role {
                Role::Held(_) => {}
                Role::Numbers(values) => {
                    let moves = track.property == Property::Translation;
                    let values = if moves { self.translations(track, values, parent) } else { values.clone() };
                    let step = grid.room.finer(node) * self.number_step(node, track.property);
                    let coded = grid.numbers(track.curve.width(), &values, step);
                    for (k, local) in locals.iter_mut().enumerate() {
                        let to = if moves { &mut local.translation } else { &mut local.scale };
                        let to = to.iter_mut().skip(track.axis.unwrap_or(0));
                        to.zip(&coded).for_each(|(to, coded)| *to = coded.decoded[k]);
                    }
                    codes.numbers[*i] = coded;
                }
                Role::Rotation(values) => {
                    locals.iter_mut().zip(values).for_each(|(local, q)| local.rotation = *q);
                    let (first, grows) = self.points(grid, node, 0);
                    let aim = |k: usize| {
                        let mut points = if grows { self.points(grid, node, k).0 } else { first.clone() };
                        self.arms(node, k, &mut points);
                        Aim::new(&parent(k), &locals[k], &points, |p| self.belongs(p, k))
                    };
                    let coded = grid.rotation(Some(node), (0..self.keys.len()).map(aim).collect());
                    locals.iter_mut().zip(&coded.decoded).for_each(|(local, q)| local.rotation = *q);
                    codes.rotations[*i] = Some(coded);
                }
            }
        }
        locals
    }

    /// The translations that bring a node to where it belongs, given its parent as decoded.
    fn translations(&self, track: &Track<'_>, values: &[f64], parent: impl Fn(usize) -> Affine) -> Vec<f64> {
        let mut out = values.to_vec();
        for (k, row) in out.chunks_exact_mut(track.curve.width()).enumerate() {
            let (parent, place) = (parent(k), self.reference.at_keys.global(track.node, k).origin);
            // A parent that flattens space says nothing.
            if let Some(t) = solve(parent.axes, [0, 1, 2].map(|i| place[i] - parent.origin[i])) {
                row.iter_mut().zip(&t[track.axis.unwrap_or(0)..]).for_each(|(v, t)| *v = *t);
            }
        }
        out
    }

    /// The step of numbers that move points, as a part of what moves a point by the bound.
    fn number_step(&self, node: usize, property: Property) -> f64 {
        let share = if property == Property::Translation { 0.5 } else { 0.1 };
        2.0 * share * self.job.bound() / libm::sqrt(3.0) / self.job.reach(node, property).max(1e-12)
    }

    /// Where a point should be at key `k`, or which way it should lie from the node that finds its own place.
    fn belongs(&self, p: &Point, k: usize) -> [f64; 3] {
        let place = self.reference.at_keys.global(p.node, k).point(p.offset);
        let from = p.free.map_or([0.0; 3], |free| self.reference.at_keys.global(free, k).origin);
        [0, 1, 2].map(|i| place[i] - from[i])
    }

    /// The points that a joint carries at key `k`: its own probes, those of what turns with it, and the origins of joints below; and whether they lie elsewhere in
    /// the joint at other keys, because something below grows or shrinks.
    fn points(&self, grid: &Grid, node: usize, k: usize) -> (Vec<Point>, bool) {
        let (mut points, mut grows) = (Vec::new(), false);
        self.probe_points(node, &Affine::IDENTITY, None, &mut points);
        let children = |node: usize| self.job.source.skeleton.children(node).iter().copied();
        let mut stack: Vec<_> = children(node).map(|child| (child, Affine::IDENTITY, None)).collect();
        while let Some((below, mut chain, mut free)) = stack.pop() {
            let mut local = self.held.locals(below, &self.moments[..1])[0];
            if self.changes(below, Property::Scale) {
                (grows, local) = (true, Affine::from_transform(&self.scaled(below, k)));
            }
            if self.changes(below, Property::Translation) {
                (free, local.origin, chain.origin) = (Some(below), [0.0; 3], [0.0; 3]);
            }
            if self.changes(below, Property::Rotation) {
                // It will be aimed itself: only its place counts.
                if free != Some(below) {
                    let (local, allowed) = (chain.point(local.origin), grid.passed_on * self.job.bound());
                    points.push(Point { node: below, offset: [0.0; 3], local, allowed, free });
                }
                continue;
            }
            let chain = chain.then_inner(&local);
            self.probe_points(below, &chain, free, &mut points);
            stack.extend(children(below).map(|child| (child, chain, free)));
        }
        (points, grows)
    }

    /// A node's own transform at key `k` before it is coded: its scale as it should be, all else as it is held or at rest.
    fn scaled(&self, node: usize, k: usize) -> Transform {
        let mut local = self.held.transforms(node, &self.moments[k..=k])[0];
        for (i, track) in self.nodes[node].tracks.iter().filter(|(_, track)| track.property == Property::Scale) {
            if let Role::Numbers(values) = &self.plan.tracks[*i].role {
                let width = track.curve.width();
                local.scale[track.axis.unwrap_or(0)..][..width].copy_from_slice(&values[k * width..][..width]);
            }
        }
        local
    }

    /// The reach of joints below that turn far about key `k`. What they make up for at both keys of a turn they do not make up
    /// for halfway: there the joint above must point the right way itself.
    fn arms(&self, node: usize, k: usize, points: &mut Vec<Point>) {
        let lengths = self.job.source.skeleton.rest_global(node).axes.map(length);
        for &below in self.job.source.skeleton.children(node) {
            let turn = self.turn(below, k);
            if turn == 0.0 {
                continue;
            }
            let reach = self.job.reach(below, Property::Rotation);
            let allowed = ARM_SHARE / turn * self.job.bound();
            for (axis, length) in AXES.iter().zip(lengths) {
                let arm = axis.map(|c| c * (reach / length.max(1e-12)));
                points.push(Point { node, offset: arm, local: arm, allowed, free: Some(node) });
            }
        }
    }

    /// How far, in radians, a node turns from or to a key, at most.
    fn turn(&self, node: usize, k: usize) -> f64 {
        let Some(Role::Rotation(q)) = self.nodes[node].tracks.last().map(|(i, _)| &self.plan.tracks[*i].role) else {
            return 0.0;
        };
        let near = &q[k.saturating_sub(1)..q.len().min(k + 2)];
        near.windows(2).map(|pair| quat::angle(pair[0], pair[1])).fold(0.0, f64::max)
    }

    fn probe_points(&self, node: usize, chain: &Affine, free: Option<usize>, points: &mut Vec<Point>) {
        for (axis, length) in AXES.iter().zip(self.nodes[node].offsets.into_iter().flatten()) {
            let offset = axis.map(|c| c * length);
            points.push(Point { node, offset, local: chain.point(offset), allowed: self.job.bound(), free });
        }
    }

    /// Whether a property of a node is not constant.
    fn changes(&self, node: usize, property: Property) -> bool {
        let mut tracks = self.nodes[node].tracks.iter().filter(|(_, track)| track.property == property);
        tracks.any(|(i, _)| !matches!(&self.plan.tracks[*i].role, Role::Held(curve) if curve.is_constant()))
    }
}

/// A rotation that moves no points: every axis alike.
fn other_rotation(grid: &Grid, values: &[Quat], allowed: f64) -> RotationCodes {
    // Three points one unit away, which may move by the tolerance (a component moves by half of what they do).
    let points = AXES.map(|p| Point { node: 0, offset: p, local: p, allowed: allowed.max(1e-6), free: None });
    let aim = |q: &Quat| {
        let local = Transform { rotation: *q, ..Transform::IDENTITY };
        Aim::new(&Affine::IDENTITY, &local, &points, |p| quat::rotate(*q, p.offset))
    };
    grid.rotation(None, values.iter().map(aim).collect())
}
