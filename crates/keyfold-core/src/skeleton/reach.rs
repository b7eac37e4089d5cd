//! How far from a node its probes lie, what a small movement of a node moves, and how large a model is.

use super::{Affine, Motion, Poses, Probe, Property, Skeleton, Track, moments};
use crate::vector::{distance, length};
use alloc::vec::Vec;

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
    translation: f64,
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
    fn rotation(&self, point: [f64; 3]) -> f64 {
        distance(point, self.origin)
    }

    /// Scene units that a point moves per unit of a scale factor: how far out along the axis it lies, in units of the axis as it is scaled now.
    fn scale(&self, axis: usize, point: [f64; 3]) -> f64 {
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
