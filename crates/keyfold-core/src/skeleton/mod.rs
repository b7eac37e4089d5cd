//! The hierarchy that animations move, and the difference between two animations of it in space.
//!
//! Shared by the comparison of files, the search for smaller ones and the encoder of runtime clips. Everything is `f64`
//! and plain data; what a document's nodes and meshes mean for it is decided by the caller.
//!
//! ```text
//! Skeleton + tracks ─> Motion ─ at Moments ─> Poses (global matrices, node by node) ─ Probes ─> Deviation
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `affine` | transforms and matrices |
//! | `motion` | curves bound to the nodes they drive; local matrices at many times |
//! | `moments` | at which times, and on which side of them, two motions are compared |
//! | `poses` | global matrices at many times, renewed along a chain |
//! | `deviation` | probes on the moved nodes, the largest distance between a probe and its twin |
//! | `proof` | the same, proven between the samples: how fast two twins can come apart |
//! | `size` | the size of a model, how far a node's probes lie from it |
//!
//! Not here: which times a search should try, parallelism (split the moments, merge the deviations), files.

mod affine;
mod deviation;
mod moments;
mod motion;
mod poses;
mod proof;
mod size;

use crate::vector::{distance, length};
use alloc::{vec, vec::Vec};
use core::fmt;

pub use affine::{Affine, Transform};
pub(crate) use deviation::BLOCK;
pub use deviation::{Deviation, Probe, Worst, compare};
pub use moments::{BETWEEN, Moment, moments, random_moments};
pub use motion::{Motion, Property, Track};
pub use poses::Poses;
pub use proof::{Part, Proof, prove};
pub use size::{Bounds, model_size, probes, travel};

/// A hierarchy of nodes with their rest pose.
///
/// Nodes keep the numbers they were given; [`Skeleton::order`] visits parents before children and each subtree in one
/// run.
#[derive(Clone, Debug)]
pub struct Skeleton {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    rest: Vec<Transform>,
    local: Vec<Affine>,
    global: Vec<Affine>,
    order: Vec<usize>,
    place: Vec<usize>,
    end: Vec<usize>,
}

/// The rest pose of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rest {
    /// Translation, rotation and scale.
    Transform(Transform),
    /// A matrix, which may shear.
    Matrix(Affine),
}

/// Why parents do not form a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The numbers of parents and rest poses differ.
    Count,
    /// A parent is not a node.
    NoSuchNode {
        /// Whose parent.
        node: usize,
    },
    /// A node is its own ancestor.
    Cycle {
        /// One of the nodes that no root leads to.
        node: usize,
    },
}

impl fmt::Display for SkeletonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count => f.write_str("parents and rest poses differ in number"),
            Self::NoSuchNode { node } => write!(f, "the parent of node {node} does not exist"),
            Self::Cycle { node } => write!(f, "node {node} is its own ancestor"),
        }
    }
}

impl core::error::Error for SkeletonError {}

impl Skeleton {
    /// A hierarchy from each node's parent and rest pose.
    pub fn new(parents: Vec<Option<usize>>, rest: &[Rest]) -> Result<Self, SkeletonError> {
        if parents.len() != rest.len() {
            return Err(SkeletonError::Count);
        }
        if let Some(node) = parents.iter().position(|p| p.is_some_and(|p| p >= rest.len())) {
            return Err(SkeletonError::NoSuchNode { node });
        }
        let children = children(&parents);
        let (order, place, end) = depth_first(&parents, &children)?;
        let local: Vec<Affine> = rest.iter().map(Rest::affine).collect();
        let mut global = local.clone();
        for &node in &order {
            if let Some(parent) = parents[node] {
                global[node] = global[parent].then_inner(&local[node]);
            }
        }
        let rest = rest.iter().map(Rest::transform).collect();
        Ok(Self { parents, children, rest, local, global, order, place, end })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// A node's parent.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// A node's children.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[node]
    }

    /// All nodes, parents before children, each subtree in one run.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// A node and all its descendants, parents before children.
    pub fn subtree(&self, node: usize) -> &[usize] {
        &self.order[self.place[node]..self.end[node]]
    }

    /// A node's local transform at rest; a matrix is decomposed.
    pub fn rest(&self, node: usize) -> &Transform {
        &self.rest[node]
    }

    /// A node's own transform at rest; `None` if it is a matrix that shears.
    pub(crate) fn rest_transform(&self, node: usize) -> Option<&Transform> {
        let (rest, local) = (&self.rest[node], &self.local[node]);
        let made = Affine::from_transform(rest);
        let near = |axis: usize| distance(made.axes[axis], local.axes[axis]) <= 1e-12 * length(local.axes[axis]);
        (0..3).all(near).then_some(rest)
    }

    /// A node's local matrix at rest.
    pub fn rest_local(&self, node: usize) -> &Affine {
        &self.local[node]
    }

    /// A node's global matrix at rest.
    pub fn rest_global(&self, node: usize) -> &Affine {
        &self.global[node]
    }

    /// The hierarchy of some nodes only, numbered in the given order. Parents that are not among them do not count.
    pub fn part(&self, nodes: &[usize]) -> Self {
        let mut number = vec![None; self.len()];
        nodes.iter().enumerate().for_each(|(new, old)| number[*old] = Some(new));
        let parents: Vec<Option<usize>> = nodes.iter().map(|n| self.parents[*n].and_then(|p| number[p])).collect();
        let children = children(&parents);
        // Parents of a hierarchy make one.
        let (order, place, end) = depth_first(&parents, &children).unwrap_or_default();
        let rest = nodes.iter().map(|n| self.rest[*n]).collect();
        let (local, global) = (|n: &usize| self.local[*n], |n: &usize| self.global[*n]);
        let (local, global) = (nodes.iter().map(local).collect(), nodes.iter().map(global).collect());
        Self { parents, children, rest, local, global, order, place, end }
    }

    /// For each node, whether it or one of its ancestors is `animated`.
    pub fn moved(&self, animated: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut moved = vec![false; self.len()];
        for &node in &self.order {
            moved[node] = animated(node) || self.parents[node].is_some_and(|p| moved[p]);
        }
        moved
    }

    /// For each node that moves, the number of its part: the topmost node that is `animated`, and all below it.
    pub fn parts(&self, animated: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let (mut parts, mut numbers) = (vec![None; self.len()], 0..);
        for &node in &self.order {
            let above = self.parents[node].and_then(|parent| parts[parent]);
            parts[node] = if animated(node) { above.or_else(|| numbers.next()) } else { above };
        }
        parts
    }
}

impl Rest {
    fn affine(&self) -> Affine {
        match self {
            Self::Transform(t) => Affine::from_transform(t),
            Self::Matrix(m) => *m,
        }
    }

    fn transform(&self) -> Transform {
        match self {
            Self::Transform(t) => *t,
            Self::Matrix(m) => m.to_transform(),
        }
    }
}

/// The nodes in depth-first order, each node's place in it, and where its subtree ends.
#[allow(clippy::type_complexity, reason = "three parallel lists, named where they are taken apart")]
fn depth_first(
    parents: &[Option<usize>],
    children: &[Vec<usize>],
) -> Result<(Vec<usize>, Vec<usize>, Vec<usize>), SkeletonError> {
    let count = parents.len();
    let (mut order, mut place, mut end) = (Vec::with_capacity(count), vec![0; count], vec![0; count]);
    // A node is pushed twice: the first visit opens it, the second closes its subtree.
    let mut stack: Vec<(usize, bool)> = Vec::new();
    for root in (0..count).filter(|n| parents[*n].is_none()) {
        stack.push((root, false));
        while let Some((node, closing)) = stack.pop() {
            if closing {
                end[node] = order.len();
                continue;
            }
            place[node] = order.len();
            order.push(node);
            stack.push((node, true));
            stack.extend(children[node].iter().rev().map(|child| (*child, false)));
        }
    }
    match (order.len() < count).then(|| end.iter().position(|e| *e == 0)).flatten() {
        Some(node) => Err(SkeletonError::Cycle { node }),
        None => Ok((order, place, end)),
    }
}

fn children(parents: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[*parent].push(node);
        }
    }
    children
}

#[cfg(test)]
mod tests;
