//! From the root to the tips: every joint is aimed at where it should be given its parents as they will be decoded, and coded
//! with the coarsest steps that keep what it carries within the bound.
//!
//! What a parent was rounded by is thus made up for by its children, as far as they can turn; no decoder knows of it.

use super::Job;
use super::aim::{Aim, Point};
use super::code::{Codes, Grid, NumberCodes, RotationCodes, Steps};
use super::frame::{AXES, Frame, Matrix, axes, folded, form, mean};
use super::keys::{KeyTimes, driven, kind};
use super::measure::Reference;
use super::plan::{Plan, Planned, Role};
use super::splines;
use crate::clip::track::Form;
use crate::curve::{Curve, largest_difference};
use crate::quat::{self, Quat};
use crate::skeleton::{Affine, Moment, Motion, Poses, Property, Track, Transform};
use crate::vector::{length, solve};
use alloc::{vec, vec::Vec};

/// The part of the bound that the end of an arm may be off for each radian that it turns from key to key.
const ARM_SHARE: f64 = 0.7;

/// What all walks have in common.
pub(super) struct Walk<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) plan: &'a Plan,
    pub(super) keys: &'a KeyTimes,
    pub(super) reference: &'a Reference<'a>,
    moments: Vec<Moment>,
    nodes: Vec<Node>,
}

/// A node's tracks, and what is known of it before any is coded.
struct Node {
    /// The planned tracks that drive it.
    tracks: Vec<usize>,
    /// Its transform with constants and steps as decoded, at rest otherwise: one for each key, or one for all.
    fixed: Vec<Transform>,
    /// Its own matrix as decoded, where it does not move in its parent.
    still: Option<Affine>,
    /// How far, in radians, it turns from or to each key, at most; empty where it does not.
    turns: Vec<f64>,
    /// How far out its probe's points lie along its axes.
    offsets: Option<[f64; 3]>,
}

/// What a walk came to.
pub(super) struct Walked {
    pub(super) codes: Codes,
    /// The nodes as they will be decoded.
    poses: Poses,
    /// By node: whether it was coded this time; none yet at the start.
    pub(super) anew: Vec<bool>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(job: &'a Job<'a>, plan: &'a Plan, keys: &'a KeyTimes, reference: &'a Reference<'a>) -> Self {
        let moments: Vec<Moment> = keys.times.iter().map(|t| Moment::at(*t)).collect();
        let held: Vec<Option<Curve>> = plan.tracks.iter().map(|planned| planned.held(&plan.grid)).collect();
        let tracks = plan.tracks.iter().zip(&held);
        let tracks = tracks.filter_map(|(planned, curve)| driven(&planned.track.target, curve.as_ref()?));
        let fixed = Motion::new(job.source.skeleton, tracks);
        let mut walk = Self { job, plan, keys, reference, moments, nodes: Vec::new() };
        let mut of_node = vec![Vec::new(); job.source.skeleton.len()];
        for (i, planned) in plan.tracks.iter().enumerate() {
            walk.spatial(planned).into_iter().for_each(|track| of_node[track.node].push(i));
        }
        walk.nodes =
            of_node.into_iter().enumerate().map(|(node, tracks)| walk.new_node(node, tracks, &fixed)).collect();
        job.source.probes.iter().for_each(|probe| walk.nodes[probe.a].offsets = Some(probe.offsets));
        walk
    }

    fn new_node(&self, node: usize, tracks: Vec<usize>, fixed: &Motion<'_>) -> Node {
        let forms = || tracks.iter().map(|i| self.plan.tracks[*i].track.form);
        let is_still = forms().all(|form| form == Form::Constant);
        let still = is_still.then(|| fixed.locals(node, &self.moments[..1])[0]);
        let steps = forms().any(|form| form == Form::Step);
        let fixed = fixed.transforms(node, if steps { &self.moments } else { &self.moments[..1] });
        let q = tracks.iter().find_map(|i| match &self.plan.tracks[*i].role {
            Role::Rotation(values) => Some(values.as_slice()),
            _ => None,
        });
        let q = q.unwrap_or_default();
        let turn = |k: usize| q.get(k + 1).map_or(0.0, |next| quat::angle(q[k], *next));
        let turns = (0..q.len()).map(|k| turn(k).max(if k > 0 { turn(k - 1) } else { 0.0 })).collect();
        Node { tracks, fixed, still, turns, offsets: None }
    }

    fn spatial(&self, planned: &Planned) -> Option<Track<'a>> {
        super::keys::spatial(&self.job.source.tracks[planned.source])
    }

    /// Nothing coded yet.
    pub(super) fn start(&self) -> Walked {
        let poses = Poses::new(&Motion::new(self.job.source.skeleton, []), &self.moments);
        let tracks = self.plan.tracks.len();
        let codes = Codes { rotations: vec![None; tracks], numbers: vec![Vec::new(); tracks] };
        Walked { codes, poses, anew: Vec::new() }
    }

    /// Codes all keyed tracks; after the first time only those of nodes whose room changed, and of all below them.
    pub(super) fn run(&self, grid: Grid<'_>, walked: &mut Walked) {
        let skeleton = self.job.source.skeleton;
        let Walked { codes, poses, anew } = walked;
        let is_first = anew.is_empty();
        anew.resize(skeleton.len(), true);
        for &node in skeleton.order() {
            anew[node] =
                is_first || grid.room.changed[node] || skeleton.parent(node).is_some_and(|parent| anew[parent]);
            if anew[node] {
                let locals = match self.nodes[node].still {
                    Some(local) => vec![local],
                    None => self.node(node, &grid, poses, codes),
                };
                poses.set_locals_only(skeleton, node, locals);
            }
        }
        for (i, planned) in self.plan.tracks.iter().enumerate() {
            match &planned.role {
                Role::Numbers(values) if codes.numbers[i].is_empty() => {
                    // Short of twice that, for the rounding of floats.
                    codes.numbers[i] = numbers(&grid, planned, values, 1.99 * self.left(planned));
                }
                Role::Rotation(values) if codes.rotations[i].is_none() => {
                    codes.rotations[i] = Some(self.other_rotation(&grid, planned, values));
                }
                _ => {}
            }
        }
    }

    /// Codes the tracks of a moving node; returns its own matrices as they will be decoded.
    fn node(&self, node: usize, grid: &Grid<'_>, poses: &Poses, codes: &mut Codes) -> Vec<Affine> {
        let Node { tracks, fixed, .. } = &self.nodes[node];
        let mut locals: Vec<Transform> = (0..self.keys.len()).map(|k| fixed[k.min(fixed.len() - 1)]).collect();
        let parent = |k: usize| self.job.source.skeleton.parent(node).map_or(Affine::IDENTITY, |p| *poses.global(p, k));
        let mut turning = None;
        for &i in tracks {
            let planned = &self.plan.tracks[i];
            let Some(track) = self.spatial(planned) else { continue };
            match &planned.role {
                Role::Constant(_) | Role::Step(_) => {}
                Role::Numbers(values) => {
                    let moves = track.property == Property::Translation;
                    let values = if moves { self.translations(&track, values, parent) } else { values.clone() };
                    let step = grid.room.finer(node) * self.number_step(node, track.property);
                    let coded = numbers(grid, planned, &values, step);
                    for (k, local) in locals.iter_mut().enumerate() {
                        let to = if moves { &mut local.translation } else { &mut local.scale };
                        let to = to.iter_mut().skip(track.axis.unwrap_or(0));
                        to.zip(&coded).for_each(|(to, coded)| *to = coded.decoded[k]);
                    }
                    codes.numbers[i] = coded;
                }
                Role::Rotation(values) => turning = Some((i, values)),
            }
        }
        if let Some((i, values)) = turning {
            locals.iter_mut().zip(values).for_each(|(local, q)| local.rotation = *q);
            let points = self.points(grid, node);
            let aim = |k: usize| {
                let mut points = points.clone();
                self.arms(node, k, &mut points);
                Aim::new(&parent(k), &locals[k], &points, |p| self.belongs(p, k))
            };
            let coded = code_aims(grid, Some(node), (0..self.keys.len()).map(aim).collect());
            locals.iter_mut().zip(&coded.decoded).for_each(|(local, q)| local.rotation = *q);
            codes.rotations[i] = Some(coded);
        }
        locals.iter().map(Affine::from_transform).collect()
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
        let share = if property == Property::Translation { 0.4 } else { 0.1 };
        2.0 * share * self.job.bound() / libm::sqrt(3.0) / self.job.reach(node, property).max(1e-12)
    }

    /// What straight lines leave of the tolerance of a track that moves no points, or a little where that is nothing.
    fn left(&self, planned: &Planned) -> f64 {
        let track = &self.job.source.tracks[planned.source];
        let is_followed = self.job.options.rate.is_none() && splines::is_spline(track);
        let line = is_followed.then(|| self.keys.line(track));
        let off = line.map_or(0.0, |line| largest_difference(kind(&track.target), track.curve, &line));
        (track.tolerance - off).max(0.1 * track.tolerance)
    }

    /// A rotation that moves no points: every axis alike.
    fn other_rotation(&self, grid: &Grid<'_>, planned: &Planned, values: &[Quat]) -> RotationCodes {
        let allowed = self.left(planned).max(1e-6);
        // Three points one unit away, which may move by the tolerance (a component moves by half of what they do).
        let points = AXES.map(|p| Point { node: 0, offset: p, local: p, allowed, free: None });
        let aim = |q: &Quat| {
            let local = Transform { rotation: *q, ..Transform::IDENTITY };
            Aim::new(&Affine::IDENTITY, &local, &points, |p| quat::rotate(*q, p.offset))
        };
        code_aims(grid, None, values.iter().map(aim).collect())
    }

    /// Where a point should be at key `k`, or which way it should lie from the node that finds its own place.
    fn belongs(&self, p: &Point, k: usize) -> [f64; 3] {
        let place = self.reference.at_keys.global(p.node, k).point(p.offset);
        let from = p.free.map_or([0.0; 3], |free| self.reference.at_keys.global(free, k).origin);
        [0, 1, 2].map(|i| place[i] - from[i])
    }

    /// The points that a joint carries: its own probes, those of what turns with it, and the origins of joints below.
    fn points(&self, grid: &Grid<'_>, node: usize) -> Vec<Point> {
        let mut points = Vec::new();
        self.probe_points(node, &Affine::IDENTITY, None, &mut points);
        let children = |node: usize| self.job.source.skeleton.children(node).iter().copied();
        let mut stack: Vec<_> = children(node).map(|child| (child, Affine::IDENTITY, None)).collect();
        while let Some((below, mut chain, mut free)) = stack.pop() {
            let own = &self.nodes[below];
            let mut local = own.still.unwrap_or_else(|| Affine::from_transform(&own.fixed[0]));
            if self.keyed(own, Property::Translation) {
                (free, local.origin, chain.origin) = (Some(below), [0.0; 3], [0.0; 3]);
            }
            if self.keyed(own, Property::Rotation) {
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
        points
    }

    /// The reach of joints below that turn far about key `k`. What they make up for at both keys of a turn they do not make up
    /// for halfway: there the joint above must point the right way itself.
    fn arms(&self, node: usize, k: usize, points: &mut Vec<Point>) {
        let lengths = self.job.source.skeleton.rest_global(node).axes.map(length);
        for &below in self.job.source.skeleton.children(node) {
            let Some(turn) = self.nodes[below].turns.get(k).filter(|t| **t > 0.0) else { continue };
            let reach = self.job.reach(below, Property::Rotation);
            let allowed = ARM_SHARE / turn * self.job.bound();
            for (axis, length) in AXES.iter().zip(lengths) {
                let arm = axis.map(|c| c * (reach / length.max(1e-12)));
                points.push(Point { node, offset: arm, local: arm, allowed, free: Some(node) });
            }
        }
    }

    fn probe_points(&self, node: usize, chain: &Affine, free: Option<usize>, points: &mut Vec<Point>) {
        // What finds its own place has rounding of its own.
        let allowed = if free.is_some() { 0.5 } else { 1.0 } * self.job.bound();
        let Some(offsets) = self.nodes[node].offsets else { return };
        let point = |(axis, length): (&[f64; 3], f64)| {
            let offset = axis.map(|c| c * length);
            Point { node, offset, local: chain.point(offset), allowed, free }
        };
        points.extend(AXES.iter().zip(offsets).map(point));
    }

    /// Whether a node's translation or rotation is not constant.
    fn keyed(&self, node: &Node, property: Property) -> bool {
        node.tracks.iter().any(|i| {
            let planned = &self.plan.tracks[*i];
            planned.track.form != Form::Constant && self.spatial(planned).is_some_and(|t| t.property == property)
        })
    }
}

fn numbers(grid: &Grid<'_>, planned: &Planned, values: &[f64], step: f64) -> Vec<NumberCodes> {
    let width = planned.track.width;
    (0..width).map(|c| grid.number(values.iter().copied().skip(c).step_by(width), step)).collect()
}

fn code_aims(grid: &Grid<'_>, node: Option<usize>, aims: Vec<Aim>) -> RotationCodes {
    // Each aim is a small turn away from the reference, and no more on the other side of the sphere than that.
    let rotations: Vec<Quat> = aims.iter().map(|a| a.rotation).collect();
    let (metric, mean) = (mean_metric(&aims), mean(&rotations));
    let frame = match grid.steps {
        Steps::Variable { .. } => Frame::new(mean, &axes(&rotations, mean, &metric)),
        Steps::Fixed { .. } => Frame::new(mean, &AXES),
    };
    let inner: Vec<Quat> = rotations.iter().map(|q| frame.inner(*q)).collect();
    let aims: Vec<Aim> = aims.into_iter().zip(folded(&inner)).map(|(aim, m)| aim.within(&frame, m)).collect();
    // What a turn about each component's axis by a radian misses by.
    let sensitivity = AXES.map(|axis| libm::sqrt(form(&metric, &quat::rotate(quat::conjugate(frame.r), axis))));
    grid.rotation(node, &frame, &aims, sensitivity)
}

/// The mean metric of a few dozen aims spread over the keys.
fn mean_metric(aims: &[Aim]) -> Matrix {
    let every = aims.len().div_ceil(32).max(1);
    let some: Vec<Matrix> = aims.iter().step_by(every).map(Aim::metric).collect();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| some.iter().map(|m| m[i][j]).sum::<f64>() / some.len() as f64))
}
