//! A stretch of a clip's times with the original's poses at them: what the encoder works on at once, so that memory does not
//! grow with the length of a clip.

use super::clip::Clip;
use keyfold_core::{
    quat::{self, Quat},
    skeleton::{Affine, Moment, Poses, Transform},
};
use std::ops::Range;

/// A stretch of a clip.
pub(crate) struct Window {
    /// Which of the clip's times.
    pub(crate) range: Range<usize>,
    /// The original's global matrices, and the own ones of nodes that have no lanes.
    pub(crate) poses: Poses,
    /// The own transforms of nodes that have lanes, by node; empty for others.
    pub(crate) transforms: Vec<Vec<Transform>>,
    /// Rotations to the scene, by node, as if nothing were scaled: one for all moments where nothing moves the node.
    pub(crate) turns: Vec<Vec<Quat>>,
}

impl Window {
    pub(super) fn new(clip: &Clip<'_>, range: Range<usize>, moments: &[Moment]) -> Self {
        let skeleton = clip.scene.skeleton();
        let has_lanes = |node: usize| !clip.lanes_of(node).is_empty();
        let mut poses = Poses::new(&clip.motion, moments);
        let (mut transforms, mut turns) = (vec![Vec::new(); skeleton.len()], vec![Vec::new(); skeleton.len()]);
        for &node in skeleton.order() {
            if clip.motion.animates(node) {
                let own = clip.motion.transforms(node, moments);
                turns[node] = chain(skeleton.parent(node).map(|p| &turns[p]), own.iter().map(|t| t.rotation));
                if has_lanes(node) {
                    poses.forget_locals(node);
                    transforms[node] = own;
                }
            } else {
                turns[node] =
                    chain(skeleton.parent(node).map(|p| &turns[p]), [skeleton.rest(node).rotation].into_iter());
            }
        }
        Self { range, poses, transforms, turns }
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }
}

/// A node's rotations to the scene from its parent's and its own; one value stands for all moments.
pub(crate) fn chain(parent: Option<&Vec<Quat>>, own: impl ExactSizeIterator<Item = Quat>) -> Vec<Quat> {
    match parent.map(Vec::as_slice) {
        None => own.collect(),
        Some([parent]) => own.map(|q| quat::mul(*parent, q)).collect(),
        Some(parents) if own.len() == 1 => {
            let own: Vec<Quat> = own.collect();
            parents.iter().map(|p| quat::mul(*p, own[0])).collect()
        }
        Some(parents) => parents.iter().zip(own).map(|(p, q)| quat::mul(*p, q)).collect(),
    }
}

/// The entry of a row that has one for each moment, or one for all.
pub(crate) fn at<T: Copy>(row: &[T], moment: usize) -> T {
    row[if row.len() == 1 { 0 } else { moment }]
}

/// Local matrices of transforms.
pub(crate) fn matrices(transforms: &[Transform]) -> Vec<Affine> {
    transforms.iter().map(Affine::from_transform).collect()
}
