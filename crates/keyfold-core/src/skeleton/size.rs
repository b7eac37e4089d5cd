//! How large a model is, and how far from a node its probes lie.

use super::{Affine, Motion, Poses, Probe, Skeleton, moments};
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

/// The longest way that the origin of an animated node travels: the largest diagonal of the box around its places at
/// the motion's keys. The size of a model that has none at rest.
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

/// A probe for each node for which `moved` says so: points a probe radius, `radius(node)`, away from its origin in
/// scene units, along the axes that its matrix to the scene has at rest.
pub fn probes(skeleton: &Skeleton, moved: &[bool], radius: impl Fn(usize) -> f64) -> Vec<Probe> {
    let nodes = (0..skeleton.len()).filter(|n| moved[*n]);
    nodes.map(|node| Probe { a: node, b: node, offsets: offsets(skeleton.rest_global(node), radius(node)) }).collect()
}

/// Local offsets: `radius` divided by the length of each axis. An axis that rest squeezes to nothing counts as long
/// as 1: no local offset is a radius away from anything there.
fn offsets(rest: &Affine, radius: f64) -> [f64; 3] {
    rest.axes.map(|axis| match length(axis) {
        l if l > 0.0 => radius / l,
        _ => radius,
    })
}
