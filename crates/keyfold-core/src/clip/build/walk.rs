//! From the root to the tips: every joint is aimed at where it should be given its parents as they will be decoded, and coded
//! with the coarsest steps that keep what it carries within the bound.
//!
//! What a parent was rounded by is thus made up for by its children, as far as they can turn; no decoder knows of it.

use super::Job;
use super::aim::{Aim, AimedAt, Point};
use super::code::{Codes, Grid, NumberCodes, RotationCodes};
use super::frame::{Follow, Frame, Matrix, axes, form, mean};
use super::keys::{KeyTimes, spatial};
use super::measure::{Reference, put};
use super::plan::{Plan, Planned, Role};
use crate::clip::track::Form;
use crate::curve::Interpolation;
use crate::quat::{self, Quat};
use crate::skeleton::{Affine, Moment, Motion, Poses, Property, Transform};
use crate::vector::{cross, length};
use alloc::{vec, vec::Vec};

/// The part of the bound that the end of an arm may be off for each radian that it turns from key to key.
const ARM_SHARE: f64 = 0.7;

/// What a walk is given beside the tracks.
pub(super) struct Walk<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) plan: &'a Plan,
    pub(super) keys: &'a KeyTimes,
    pub(super) reference: &'a Reference<'a>,
    pub(super) grid: Grid<'a>,
}

/// The nodes' tracks, and what of them stands still.
struct Nodes {
    /// For each node the planned tracks that drive it.
    tracks: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
    /// A node's own matrix as decoded, where it does not move in its parent.
    still: Vec<Option<Affine>>,
    /// How far, in radians, a node turns from or to each key, at most; empty where it does not.
    turns: Vec<Vec<f64>>,
}

impl Walk<'_> {
    /// The codes of all keyed tracks.
    pub(super) fn run(&self) -> Codes {
        let nodes = self.nodes();
        let skeleton = self.job.source.skeleton;
        let moments: Vec<Moment> = self.keys.times.iter().map(|t| Moment::at(*t)).collect();
        let mut poses = Poses::new(&Motion::new(skeleton, []), &moments);
        let mut codes = Codes::new(self.plan);
        for &node in skeleton.order() {
            let locals = match nodes.still[node] {
                Some(local) => vec![local],
                None => self.node(node, &nodes, &poses, &mut codes),
            };
            poses.set_locals_only(skeleton, node, locals);
        }
        for (i, planned) in self.plan.tracks.iter().enumerate() {
            match &planned.role {
                Role::Numbers(values) if codes.numbers[i].is_empty() => codes.numbers[i] = self.others(planned, values),
                Role::Rotation(values) if codes.rotations[i].is_none() => {
                    codes.rotations[i] = Some(self.other_rotation(planned, values));
                }
                _ => {}
            }
        }
        codes
    }

    fn nodes(&self) -> Nodes {
        let skeleton = self.job.source.skeleton;
        let (mut tracks, mut children) = (vec![Vec::new(); skeleton.len()], vec![Vec::new(); skeleton.len()]);
        for (i, planned) in self.plan.tracks.iter().enumerate() {
            if let Some(track) = self.spatial(planned) {
                tracks[track.node].push(i);
            }
        }
        for node in 0..skeleton.len() {
            if let Some(parent) = skeleton.parent(node) {
                children[parent].push(node);
            }
        }
        let still = (0..skeleton.len()).map(|node| self.still(node, &tracks[node])).collect();
        let turns = (0..skeleton.len()).map(|node| self.turns(&tracks[node])).collect();
        Nodes { tracks, children, still, turns }
    }

    fn spatial(&self, planned: &Planned) -> Option<crate::skeleton::Track<'_>> {
        spatial(&self.job.source.tracks[planned.source])
    }

    fn still(&self, node: usize, tracks: &[usize]) -> Option<Affine> {
        let skeleton = self.job.source.skeleton;
        if tracks.is_empty() {
            return Some(*skeleton.rest_local(node));
        }
        let all = tracks.iter().all(|i| self.plan.tracks[*i].track.form == Form::Constant);
        all.then(|| Affine::from_transform(&self.unmoved(node, tracks)))
    }

    fn turns(&self, tracks: &[usize]) -> Vec<f64> {
        let rotations = tracks.iter().find_map(|i| match &self.plan.tracks[*i].role {
            Role::Rotation(values) => Some(values),
            _ => None,
        });
        let Some(q) = rotations else { return Vec::new() };
        let turn = |k: usize| q.get(k + 1).map_or(0.0, |next| quat::angle(q[k], *next));
        (0..q.len()).map(|k| turn(k).max(if k > 0 { turn(k - 1) } else { 0.0 })).collect()
    }

    /// A node's transform with its constants as decoded, at rest otherwise.
    fn unmoved(&self, node: usize, tracks: &[usize]) -> Transform {
        let mut local = *self.job.source.skeleton.rest(node);
        for planned in tracks.iter().map(|i| &self.plan.tracks[*i]) {
            if let (Role::Constant(constant), Some(track)) = (&planned.role, self.spatial(planned)) {
                let values: Vec<f64> = constant.values(&self.plan.grid).into_iter().map(f64::from).collect();
                put(&mut local, track.property, track.axis, &values);
            }
        }
        local
    }

    /// Codes the tracks of a moving node; returns its own matrices as they will be decoded.
    fn node(&self, node: usize, nodes: &Nodes, poses: &Poses, codes: &mut Codes) -> Vec<Affine> {
        let tracks = &nodes.tracks[node];
        let mut locals = vec![self.unmoved(node, tracks); self.keys.len()];
        let parent = |k: usize| self.job.source.skeleton.parent(node).map_or(Affine::IDENTITY, |p| *poses.global(p, k));
        let mut turning = None;
        for &i in tracks {
            let planned = &self.plan.tracks[i];
            let Some(track) = self.spatial(planned) else { continue };
            match &planned.role {
                Role::Constant(_) => {}
                Role::Step(step) => {
                    for (local, t) in locals.iter_mut().zip(&self.keys.times) {
                        let key = step.times.partition_point(|k| f64::from(*k) <= *t).saturating_sub(1);
                        let value: Vec<f64> = step.values[key * planned.track.width..][..planned.track.width]
                            .iter()
                            .map(|v| f64::from(*v))
                            .collect();
                        put(local, track.property, track.axis, &value);
                    }
                }
                Role::Numbers(values) => {
                    let values = match track.property {
                        Property::Translation => self.translations(node, track.axis, values, parent),
                        _ => values.clone(),
                    };
                    let coded = self.numbers(planned, &values, self.number_step(node, track.property));
                    for (k, local) in locals.iter_mut().enumerate() {
                        let value: Vec<f64> = coded.iter().map(|c| c.decoded[k]).collect();
                        put(local, track.property, track.axis, &value);
                    }
                    codes.numbers[i] = coded;
                }
                Role::Rotation(values) => turning = Some((i, values)),
            }
        }
        if let Some((i, values)) = turning {
            locals.iter_mut().zip(values).for_each(|(local, q)| local.rotation = *q);
            let coded = self.rotation(node, nodes, &locals, parent);
            locals.iter_mut().zip(&coded.decoded).for_each(|(local, q)| local.rotation = *q);
            codes.rotations[i] = Some(coded);
        }
        locals.iter().map(Affine::from_transform).collect()
    }

    /// The translations that bring a node to where it belongs, given its parent as decoded.
    fn translations(
        &self,
        node: usize,
        axis: Option<usize>,
        values: &[f64],
        parent: impl Fn(usize) -> Affine,
    ) -> Vec<f64> {
        let width = if axis.is_some() { 1 } else { 3 };
        let mut out = values.to_vec();
        for k in 0..self.keys.len() {
            let Some(t) = unpoint(&parent(k), self.reference.at_keys.global(node, k).origin) else { continue };
            match axis {
                Some(axis) => out[k] = t[axis],
                None => out[k * width..k * width + 3].copy_from_slice(&t),
            }
        }
        out
    }

    /// The step of numbers that move points, as a part of what moves a point by the bound.
    fn number_step(&self, node: usize, property: Property) -> f64 {
        let share = match property {
            Property::Translation => 0.4,
            _ => 0.1,
        };
        2.0 * share * self.job.bound() / libm::sqrt(3.0) / self.job.reach(node, property).max(1e-12)
    }

    fn numbers(&self, planned: &Planned, values: &[f64], step: f64) -> Vec<NumberCodes> {
        let width = planned.track.width;
        (0..width).map(|c| self.grid.number(values.iter().copied().skip(c).step_by(width), step)).collect()
    }

    /// Numbers that move no points.
    fn others(&self, planned: &Planned, values: &[f64]) -> Vec<NumberCodes> {
        let track = &self.job.source.tracks[planned.source];
        // Short of two tolerances, for the rounding of floats, and for the straight lines that stand for a spline.
        let steps = if track.curve.interpolation() == Interpolation::CubicSpline { 1.75 } else { 1.99 };
        self.numbers(planned, values, steps * track.tolerance)
    }

    /// A rotation that moves no points: every axis alike.
    fn other_rotation(&self, planned: &Planned, values: &[Quat]) -> RotationCodes {
        let tolerance = self.job.source.tracks[planned.source].tolerance.max(1e-6);
        let arm = [0, 1, 2].map(|i| core::array::from_fn::<f64, 3, _>(|k| f64::from(u8::from(k == i))));
        // Three points one unit away, which may move by the tolerance (a component moves by half of what they do).
        let points: Vec<Point> = arm
            .iter()
            .map(|p| Point { node: 0, offset: *p, local: *p, allowed: tolerance / self.job.bound(), free: None })
            .collect();
        let aim = |q: &Quat| {
            let local = Transform { rotation: *q, ..Transform::IDENTITY };
            Aim::new(&Affine::IDENTITY, &local, &points, self.job.bound(), |p| quat::rotate(*q, p.offset))
        };
        self.code_aims(None, &values.iter().map(aim).collect::<Vec<_>>())
    }

    fn rotation(
        &self,
        node: usize,
        nodes: &Nodes,
        locals: &[Transform],
        parent: impl Fn(usize) -> Affine,
    ) -> RotationCodes {
        let points = self.points(node, nodes);
        let aims: Vec<Aim> = (0..self.keys.len())
            .map(|k| {
                let mut points = points.clone();
                self.arms(node, nodes, k, &mut points);
                Aim::new(&parent(k), &locals[k], &points, self.job.bound(), |p| self.belongs(p, k))
            })
            .collect();
        self.code_aims(Some(node), &aims)
    }

    fn code_aims(&self, node: Option<usize>, aims: &[Aim]) -> RotationCodes {
        // Each aim is a small turn away from the reference, and no more on the other side of the sphere than that.
        let rotations: Vec<Quat> = aims.iter().map(|a| a.rotation).collect();
        let metric = mean_metric(aims);
        let mean = mean(&rotations);
        let frame = match self.grid {
            Grid::Variable { .. } => Frame::new(mean, &axes(&rotations, mean, &metric)),
            Grid::Fixed { .. } => Frame::plain(mean),
        };
        let mut follow = Follow::default();
        let targets: Vec<AimedAt> =
            aims.iter().zip(&rotations).map(|(aim, q)| aim.target(&frame, follow.fold(frame.inner(*q)))).collect();
        // What a turn about each component's axis by a radian misses by.
        let sensitivity = [0, 1, 2].map(|i| {
            let axis = core::array::from_fn::<f64, 3, _>(|k| f64::from(u8::from(k == i)));
            libm::sqrt(form(&metric, &quat::rotate(quat::conjugate(frame.r), axis)))
        });
        self.grid.rotation(node, frame, &targets, sensitivity)
    }

    /// Where a point should be at key `k`, or which way it should lie from the node that finds its own place.
    fn belongs(&self, p: &Point, k: usize) -> [f64; 3] {
        let place = self.reference.at_keys.global(p.node, k).point(p.offset);
        let from = p.free.map_or([0.0; 3], |free| self.reference.at_keys.global(free, k).origin);
        [0, 1, 2].map(|i| place[i] - from[i])
    }

    /// The points that a joint carries: its own probes, those of what turns with it, and the origins of joints below.
    fn points(&self, node: usize, nodes: &Nodes) -> Vec<Point> {
        let mut points = Vec::new();
        self.probe_points(node, &Affine::IDENTITY, None, &mut points);
        let children = |node: usize, chain: Affine, free| nodes.children[node].iter().map(move |c| (*c, chain, free));
        let mut stack: Vec<(usize, Affine, Option<usize>)> = children(node, Affine::IDENTITY, None).collect();
        while let Some((below, chain, free)) = stack.pop() {
            let tracks = &nodes.tracks[below];
            let mut local = nodes.still[below].unwrap_or_else(|| Affine::from_transform(&self.unmoved(below, tracks)));
            let mut free = free;
            let mut chain = chain;
            if self.keyed(tracks, Property::Translation) {
                (free, local.origin, chain.origin) = (Some(below), [0.0; 3], [0.0; 3]);
            }
            if self.keyed(tracks, Property::Rotation) {
                // It will be aimed itself: only its place counts.
                if free != Some(below) {
                    let (local, allowed) = (chain.point(local.origin), self.grid.passed_on());
                    points.push(Point { node: below, offset: [0.0; 3], local, allowed, free });
                }
                continue;
            }
            let chain = chain.then_inner(&local);
            self.probe_points(below, &chain, free, &mut points);
            stack.extend(children(below, chain, free));
        }
        points
    }

    /// The reach of joints below that turn far about key `k`. What they make up for at both keys of a turn they do not make up
    /// for halfway: there the joint above must point the right way itself.
    fn arms(&self, node: usize, nodes: &Nodes, k: usize, points: &mut Vec<Point>) {
        let lengths = self.job.source.skeleton.rest_global(node).axes.map(length);
        for &below in &nodes.children[node] {
            let Some(turn) = nodes.turns[below].get(k).filter(|t| **t > 0.0) else { continue };
            let reach = self.job.reach(below, Property::Rotation);
            for axis in 0..3 {
                let mut arm = [0.0; 3];
                arm[axis] = reach / lengths[axis].max(1e-12);
                points.push(Point { node, offset: arm, local: arm, allowed: ARM_SHARE / turn, free: Some(node) });
            }
        }
    }

    fn probe_points(&self, node: usize, chain: &Affine, free: Option<usize>, points: &mut Vec<Point>) {
        // What finds its own place has rounding of its own.
        let allowed = if free.is_some() { 0.5 } else { 1.0 };
        for probe in self.job.source.probes.iter().filter(|p| p.a == node) {
            for axis in 0..3 {
                let mut offset = [0.0; 3];
                offset[axis] = probe.offsets[axis];
                points.push(Point { node, offset, local: chain.point(offset), allowed, free });
            }
        }
    }

    /// Whether a node's translation or rotation is not constant.
    fn keyed(&self, tracks: &[usize], property: Property) -> bool {
        tracks.iter().any(|i| {
            let planned = &self.plan.tracks[*i];
            planned.track.form != Form::Constant && self.spatial(planned).is_some_and(|t| t.property == property)
        })
    }
}

/// The mean metric of a few dozen aims spread over the keys.
fn mean_metric(aims: &[Aim]) -> Matrix {
    let every = aims.len().div_ceil(32).max(1);
    let some: Vec<Matrix> = aims.iter().step_by(every).map(Aim::metric).collect();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| some.iter().map(|m| m[i][j]).sum::<f64>() / some.len() as f64))
}

/// The point that a matrix takes to `p`; `None` where it flattens space.
fn unpoint(m: &Affine, p: [f64; 3]) -> Option<[f64; 3]> {
    let [a, b, c] = m.axes;
    let v = [0, 1, 2].map(|i| p[i] - m.origin[i]);
    let triple = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        let x = cross(b, c);
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2]
    };
    let determinant = triple(a, b, c);
    (libm::fabs(determinant) > 1e-300)
        .then(|| [triple(v, b, c), triple(a, v, c), triple(a, b, v)].map(|x| x / determinant))
}
