//! Global matrices of all nodes at many times: one row per node, so that a chain is walked row by row.

use super::{Affine, Moment, Motion, Skeleton, Transform};
use alloc::{sync::Arc, vec, vec::Vec};

/// The global matrices of all nodes at a number of moments.
///
/// A node that nothing moves keeps a single matrix for all moments. Copies share the rows that they do not
/// replace.
#[derive(Clone, Debug)]
pub struct Poses {
    moments: usize,
    locals: Vec<Arc<Vec<Affine>>>,
    globals: Vec<Arc<Vec<Affine>>>,
}

impl Poses {
    /// The poses of a motion at `moments`.
    pub fn new(motion: &Motion<'_>, moments: &[Moment]) -> Self {
        Self::with(motion.skeleton(), moments.len(), |node| motion.locals(node, moments))
    }

    /// What each node's own matrices (one per moment, or one for all) make of a skeleton.
    pub fn with(skeleton: &Skeleton, moments: usize, locals: impl FnMut(usize) -> Vec<Affine>) -> Self {
        let locals = (0..skeleton.len()).map(locals).map(Arc::new).collect();
        let empty = Arc::new(Vec::new());
        let mut poses = Self { moments, locals, globals: vec![empty; skeleton.len()] };
        skeleton.order().iter().for_each(|node| poses.renew(skeleton, *node));
        poses
    }

    /// What nodes' own matrices make of a skeleton: one for each moment, or one for all where nothing drives a node.
    pub(crate) fn from_locals(skeleton: &Skeleton, moments: usize, locals: Vec<Vec<Affine>>) -> Self {
        let locals = locals.into_iter().map(Arc::new).collect();
        let mut poses = Self { moments, locals, globals: vec![Arc::default(); skeleton.len()] };
        skeleton.order().iter().for_each(|node| poses.renew(skeleton, *node));
        poses
    }

    /// The number of moments.
    pub fn moments(&self) -> usize {
        self.moments
    }

    /// A node's global matrices: one per moment, or a single one if nothing moves it.
    pub fn globals(&self, node: usize) -> &[Affine] {
        &self.globals[node]
    }

    /// A node's global matrix at a moment.
    #[inline]
    pub fn global(&self, node: usize, moment: usize) -> &Affine {
        at(&self.globals[node], moment)
    }

    /// A node's local matrix at a moment.
    #[inline]
    pub fn local(&self, node: usize, moment: usize) -> &Affine {
        at(&self.locals[node], moment)
    }

    /// Replaces a node's local matrices (one per moment, or one for all) and recomputes its subtree.
    #[cfg(test)]
    pub(crate) fn set_locals(&mut self, skeleton: &Skeleton, node: usize, locals: Vec<Affine>) {
        debug_assert!(locals.len() == 1 || locals.len() == self.moments);
        self.locals[node] = Arc::new(locals);
        skeleton.subtree(node).iter().for_each(|n| self.renew(skeleton, *n));
    }

    /// Computes a node's global matrices from other transforms of its own, one for each moment, which are not kept,
    /// but not those of its descendants: for a walk from the root to the tips that comes to them later anyway.
    pub(crate) fn set_transforms_only(&mut self, skeleton: &Skeleton, node: usize, transforms: &[Transform]) {
        debug_assert!(transforms.len() == self.moments);
        let mut row = core::mem::take(&mut self.globals[node]);
        // A row that no other poses share is written over.
        if Arc::get_mut(&mut row).is_none_or(|row| row.len() != transforms.len()) {
            row = Arc::new(vec![Affine::IDENTITY; transforms.len()]);
        }
        let parent = skeleton.parent(node).map(|p| &self.globals[p]);
        if let Some(row) = Arc::get_mut(&mut row) {
            for (moment, (global, own)) in row.iter_mut().zip(transforms).enumerate() {
                let own = Affine::from_transform(own);
                *global = parent.map_or(own, |parent| at(parent, moment).then_inner(&own));
            }
        }
        self.globals[node] = row;
    }

    /// Gives a node that moves another matrix to the scene at a moment.
    pub(crate) fn set_global(&mut self, node: usize, moment: usize, global: Affine) {
        if let Some(place) = Arc::make_mut(&mut self.globals[node]).get_mut(moment) {
            *place = global;
        }
    }

    /// Forgets a node's own matrices, which take as much as the global ones. [`Poses::local`] and [`Poses::renew`]
    /// are not for it any more.
    pub(crate) fn forget_locals(&mut self, node: usize) {
        self.locals[node] = Arc::default();
    }

    /// Computes a node's global matrices again from its parent's, but not those of its descendants.
    pub(crate) fn renew(&mut self, skeleton: &Skeleton, node: usize) {
        self.globals[node] = Arc::new(self.below_parent(skeleton, node, &self.locals[node]));
    }

    fn below_parent(&self, skeleton: &Skeleton, node: usize, locals: &[Affine]) -> Vec<Affine> {
        let Some(parent) = skeleton.parent(node).map(|p| &self.globals[p]) else { return locals.to_vec() };
        match (parent.as_slice(), locals) {
            ([parent], locals) => locals.iter().map(|l| parent.then_inner(l)).collect(),
            (parents, [local]) => parents.iter().map(|p| p.then_inner(local)).collect(),
            (parents, locals) => parents.iter().zip(locals).map(|(p, l)| p.then_inner(l)).collect(),
        }
    }
}

#[inline]
fn at(row: &[Affine], moment: usize) -> &Affine {
    &row[if row.len() == 1 { 0 } else { moment }]
}
