//! Global matrices of all nodes at many times: one row per node, so that a chain is walked row by row.

use super::{Affine, Moment, Motion, Skeleton};
use alloc::{vec, vec::Vec};

/// The matrices to the scene of all nodes at a number of moments.
///
/// A node that nothing moves keeps a single matrix for all moments. After a node's own matrices were replaced
/// ([`Poses::set_locals`]), only its subtree is computed again.
#[derive(Clone, Debug)]
pub struct Poses {
    moments: usize,
    locals: Vec<Vec<Affine>>,
    globals: Vec<Vec<Affine>>,
}

impl Poses {
    /// What `motion` makes of its skeleton at `moments`.
    pub fn new(motion: &Motion<'_>, moments: &[Moment]) -> Self {
        let skeleton = motion.skeleton();
        let locals = (0..skeleton.len()).map(|node| motion.locals(node, moments)).collect();
        let mut poses = Self { moments: moments.len(), locals, globals: vec![Vec::new(); skeleton.len()] };
        skeleton.order().iter().for_each(|node| poses.renew(skeleton, *node));
        poses
    }

    /// How many moments there are.
    pub fn moments(&self) -> usize {
        self.moments
    }

    /// A node's matrices to the scene: one per moment, or a single one where nothing moves it.
    pub fn globals(&self, node: usize) -> &[Affine] {
        &self.globals[node]
    }

    /// A node's matrix to the scene at a moment.
    #[inline]
    pub fn global(&self, node: usize, moment: usize) -> &Affine {
        at(&self.globals[node], moment)
    }

    /// A node's own matrix at a moment.
    #[inline]
    pub fn local(&self, node: usize, moment: usize) -> &Affine {
        at(&self.locals[node], moment)
    }

    /// Replaces a node's own matrices (one per moment, or one for all) and computes its subtree again.
    pub fn set_locals(&mut self, skeleton: &Skeleton, node: usize, locals: Vec<Affine>) {
        self.replace_locals(node, locals);
        skeleton.subtree(node).iter().for_each(|n| self.renew(skeleton, *n));
    }

    /// Replaces a node's own matrices and computes its own global ones, but not those of its descendants: for a walk from
    /// the root to the tips that comes to them later anyway.
    pub fn set_locals_only(&mut self, skeleton: &Skeleton, node: usize, locals: Vec<Affine>) {
        self.replace_locals(node, locals);
        self.renew(skeleton, node);
    }

    fn replace_locals(&mut self, node: usize, locals: Vec<Affine>) {
        debug_assert!(locals.len() == 1 || locals.len() == self.moments);
        self.locals[node] = locals;
    }

    /// Computes a node's global matrices again from its parent's, but not those of its descendants.
    pub fn renew(&mut self, skeleton: &Skeleton, node: usize) {
        let mut row = core::mem::take(&mut self.globals[node]);
        row.clear();
        let locals = &self.locals[node];
        match skeleton.parent(node).map(|p| &self.globals[p]) {
            None => row.extend_from_slice(locals),
            Some(parent) => match (parent.as_slice(), locals.as_slice()) {
                ([parent], locals) => row.extend(locals.iter().map(|l| parent.then_inner(l))),
                (parents, [local]) => row.extend(parents.iter().map(|p| p.then_inner(local))),
                (parents, locals) => row.extend(parents.iter().zip(locals).map(|(p, l)| p.then_inner(l))),
            },
        }
        self.globals[node] = row;
    }
}

#[inline]
fn at(row: &[Affine], moment: usize) -> &Affine {
    &row[if row.len() == 1 { 0 } else { moment }]
}
