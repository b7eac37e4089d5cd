//! How far from a node its probes lie, what a small movement of a node moves, and how large a model is.

use super::carried::Carried;
use super::{Affine, Motion, Poses, Probe, Property, Skeleton, Track, moments};
use crate::vector::{distance, length};
use alloc::vec::Vec;
use core::ops::Range;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lowest corner.
    pub min: [f64; 3],
    /// The highest corner.
    pub max: [f64; 3],
}

impl Bounds {
    /// The box around nothing.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Grows to hold a point.
    pub fn add(&mut self, point: [f64; 3]) {
        for (axis, v) in point.into_iter().enumerate() {
            self.min[axis] = self.min[axis].min(v);
            self.max[axis] = self.max[axis].max(v);
        }
    }

    /// No point inside is farther from `from`: each step is rounded as [`distance`] rounds it.
    pub(super) fn farthest(&self, from: [f64; 3]) -> f64 {
        let side = |k: usize| libm::fabs(self.min[k] - from[k]).max(libm::fabs(self.max[k] - from[k]));
        length([side(0), side(1), side(2)])
    }

    /// No point inside is farther from `from` along a direction, either way: likewise.
    pub(super) fn farthest_along(&self, from: [f64; 3], direction: [f64; 3]) -> f64 {
        let ends = |k: usize| ((self.min[k] - from[k]) * direction[k], (self.max[k] - from[k]) * direction[k]);
        let (mut least, mut most) = (0.0, 0.0);
        for (a, b) in (0..3).map(ends) {
            least += a.min(b);
            most += a.max(b);
        }
        libm::fabs(least).max(libm::fabs(most))
    }

    /// The eight corners.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        let pick = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] };
        core::array::from_fn(|corner| [0, 1, 2].map(|axis| pick(corner, axis)))
    }

    /// The length from corner to corner; zero where the box is empty.
    pub fn diagonal(&self) -> f64 {
        let d = distance(self.min, self.max);
        if d.is_finite() { d } else { 0.0 }
    }
}

/// The diagonal of the box, at rest, around the origins of the nodes for which `counts` says so, and of the boxes that
/// `mesh` gives for them in their own coordinates. Zero where there is nothing to measure.
pub fn model_size(skeleton: &Skeleton, counts: impl Fn(usize) -> bool, mesh: impl Fn(usize) -> Option<Bounds>) -> f64 {
    let mut bounds = Bounds::EMPTY;
    for node in (0..skeleton.len()).filter(|n| counts(*n)) {
        let global = skeleton.rest_global(node);
        bounds.add(global.origin);
        if let Some(mesh) = mesh(node) {
            mesh.corners().into_iter().for_each(|c| bounds.add(global.point(c)));
        }
    }
    bounds.diagonal()
}

/// The longest way that the origin of an animated node travels: the largest diagonal of the box around its places at the
/// motion's keys. The size of a model that has none at rest.
pub fn travel(motion: &Motion<'_>) -> f64 {
    let times = moments(&[motion], 0);
    let moved = motion.moved();
    let mut boxes = alloc::vec![Bounds::EMPTY; moved.len()];
    for block in times.chunks(super::BLOCK) {
        let poses = Poses::new(motion, block);
        for node in (0..moved.len()).filter(|n| moved[*n]) {
            poses.globals(node).iter().for_each(|g| boxes[node].add(g.origin));
        }
    }
    boxes.iter().map(Bounds::diagonal).fold(0.0, f64::max)
}

/// A probe for each node for which `moved` says so: points a probe radius, `radius(node)`, away from its origin in scene units, along the
/// axes that its matrix to the scene has at rest.
pub fn probes(skeleton: &Skeleton, moved: &[bool], radius: impl Fn(usize) -> f64) -> Vec<Probe> {
    let nodes = (0..skeleton.len()).filter(|n| moved[*n]);
    nodes.map(|node| Probe { a: node, b: node, offsets: offsets(skeleton.rest_global(node), radius(node)) }).collect()
}

/// Local offsets: `radius` divided by the length of each axis. An axis that rest squeezes to nothing counts as long as 1: no local offset is
/// a radius away from anything there.
fn offsets(rest: &Affine, radius: f64) -> [f64; 3] {
    rest.axes.map(|axis| match length(axis) {
        l if l > 0.0 => radius / l,
        _ => radius,
    })
}

/// A node at a moment, as what moves points that hang on it.
pub(crate) struct Lever {
    /// Scene units per unit of its translation: the length of its parent's longest axis.
    pub(crate) translation: f64,
    origin: [f64; 3],
    axes: [[f64; 3]; 3],
    /// Scene units along each axis per unit of the square of its length, as the node is scaled now; zero where nothing can be said.
    per_square: [f64; 3],
}

impl Lever {
    /// Of a node's matrix to the scene, its own scale, and its parent's matrix to the scene.
    pub(crate) fn new(global: &Affine, factors: [f64; 3], above: &Affine) -> Self {
        let per_square = |axis: usize| {
            let (length, factor) = (length(global.axes[axis]), libm::fabs(factors[axis]));
            if length * factor > 0.0 { 1.0 / (length * factor) } else { 0.0 }
        };
        Self {
            translation: above.axes.iter().fold(0.0, |m, a| length(*a).max(m)),
            origin: global.origin,
            axes: global.axes,
            per_square: [0, 1, 2].map(per_square),
        }
    }

    /// Scene units that a point moves per radian that the node turns.
    pub(crate) fn rotation(&self, point: [f64; 3]) -> f64 {
        distance(point, self.origin)
    }

    /// Scene units that a point moves per unit of a scale factor: how far out along the axis it lies, in units of the axis as it is scaled now.
    pub(crate) fn scale(&self, axis: usize, point: [f64; 3]) -> f64 {
        let along: f64 = (0..3).map(|k| (point[k] - self.origin[k]) * self.axes[axis][k]).sum();
        libm::fabs(along) * self.per_square[axis]
    }

    /// Scene units that the farthest moved of some points moves per unit of a track of the node.
    pub(crate) fn moves(&self, track: &Track<'_>, points: &[[f64; 3]]) -> f64 {
        let most = |of: &dyn Fn([f64; 3]) -> f64| points.iter().map(|p| of(*p)).fold(0.0, f64::max);
        match (track.property, track.axis) {
            (Property::Rotation, _) => most(&|p| self.rotation(p)),
            (Property::Translation, _) => self.translation,
            (Property::Scale, Some(axis)) => most(&|p| self.scale(axis, p)),
            (Property::Scale, None) => most(&|p| (0..3).map(|axis| self.scale(axis, p)).fold(0.0, f64::max)),
        }
    }
}

/// How far a small movement of a node moves the probes that hang on it, at most, over a set of poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sensitivity {
    /// Scene units per radian that the node turns: the distance of its farthest probe point.
    pub rotation: f64,
    /// Scene units per unit of its translation: the length of its parent's longest axis.
    pub translation: f64,
    /// Scene units per unit of each of its scale factors: how far out along each of its axes the farthest probe point lies.
    pub scale: [f64; 3],
}

/// The sensitivity of every node over `poses`. Nodes that carry no probe have none.
pub fn sensitivity(skeleton: &Skeleton, poses: &Poses, probes: &[Probe]) -> Vec<Sensitivity> {
    let mut out = alloc::vec![Sensitivity::default(); skeleton.len()];
    // What hangs on a node is a run of probes in the order of the hierarchy.
    let mut ordered: Vec<&Probe> = probes.iter().collect();
    ordered.sort_by_key(|probe| skeleton.place[probe.a]);
    let before = |place: usize| ordered.partition_point(|probe| skeleton.place[probe.a] < place);
    let runs: Vec<_> = (0..skeleton.len()).map(|n| before(skeleton.place[n])..before(skeleton.end[n])).collect();
    for moment in 0..poses.moments() {
        let carried = Carried::new(ordered.iter().map(|probe| probe.points(poses.global(probe.a, moment))).collect());
        for (n, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
            let above = skeleton.parent(n).map_or(Affine::IDENTITY, |p| *poses.global(p, moment));
            let factors = poses.local(n, moment).axes.map(length);
            out[n].include(&Lever::new(poses.global(n, moment), factors, &above), &carried, run);
        }
    }
    out
}

impl Sensitivity {
    /// Scene units per unit of a property, or per radian.
    pub fn of(&self, property: Property) -> f64 {
        match property {
            Property::Rotation => self.rotation,
            Property::Translation => self.translation,
            Property::Scale => self.scale.into_iter().fold(0.0, f64::max),
        }
    }

    fn include(&mut self, node: &Lever, carried: &Carried, run: &Range<usize>) {
        self.translation = self.translation.max(node.translation);
        self.rotation = carried.most(run, self.rotation, |b| b.farthest(node.origin), |p| node.rotation(p));
        for (axis, most) in self.scale.iter_mut().enumerate() {
            let in_box = |b: &Bounds| b.farthest_along(node.origin, node.axes[axis]) * node.per_square[axis];
            *most = carried.most(run, *most, in_box, |p| node.scale(axis, p));
        }
    }
}
