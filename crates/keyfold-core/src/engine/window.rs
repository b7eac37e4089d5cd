//! A range of a clip's times with the original's poses: what is encoded at once, however long the clip is.

use super::{clip::Clip, compensate::Tilt, encode::TrackKeys};
use crate::{
    quat::{self, Quat},
    skeleton::{Affine, Moment, Motion, Poses, Probe, Transform},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

pub(super) struct Window {
    /// The range of the clip's times.
    pub(super) range: Range<usize>,
    pub(super) times: Vec<f64>,
    /// The weight of squared errors at each time.
    pub(super) weights: Vec<f64>,
    /// The original's global matrices, and the local ones of nodes without tracks to change.
    pub(super) poses: Poses,
    /// The original's global rotations, as in [`Decoded`].
    pub(super) turns: Vec<Vec<Quat>>,
    /// For nodes with tracks to change: how a displacement of their origin tilts them.
    pub(super) tilts: Vec<Vec<Tilt>>,
    /// What encoding starts from: the original with settled tracks as they are stored, without keys.
    pub(super) start: Decoded,
}

/// A window as decoded.
#[derive(Clone)]
pub(super) struct Decoded {
    pub(super) poses: Poses,
    /// Global rotations by node, ignoring scale: one for all moments if nothing moves the node.
    pub(super) turns: Vec<Vec<Quat>>,
    /// Local transforms of nodes with tracks to change, by node; empty for others.
    pub(super) transforms: Vec<Vec<Transform>>,
    /// The stored keys, by track.
    pub(super) keys: Vec<TrackKeys>,
}

impl Decoded {
    fn new(clip: &Clip<'_>, motion: &Motion<'_>, moments: &[Moment]) -> Self {
        let skeleton = clip.skeleton;
        let (mut transforms, mut turns) = (vec![Vec::new(); skeleton.len()], vec![Vec::new(); skeleton.len()]);
        let mut locals: Vec<Vec<Affine>> = vec![Vec::new(); skeleton.len()];
        for &node in skeleton.order() {
            let moves = motion.animates(node);
            let own = if moves { motion.transforms(node, moments) } else { vec![*skeleton.rest(node)] };
            let (mut row, parent) = (Vec::new(), skeleton.parent(node).map(|p| turns[p].as_slice()));
            chain_into(&mut row, parent, own.iter().map(|t| t.rotation));
            turns[node] = row;
            locals[node] = match moves {
                true => own.iter().map(Affine::from_transform).collect(),
                false => vec![*skeleton.rest_local(node)],
            };
            transforms[node] = if clip.changes(node) { own } else { Vec::new() };
        }
        let mut poses = Poses::from_locals(skeleton, moments.len(), locals);
        (0..skeleton.len()).filter(|node| clip.changes(*node)).for_each(|node| poses.forget_locals(node));
        Self { poses, turns, transforms, keys: vec![TrackKeys::default(); clip.tracks.len()] }
    }
}

impl Window {
    pub(super) fn new(clip: &Clip<'_>, range: Range<usize>) -> Self {
        let times: Vec<f64> = clip.times[range.clone()].iter().map(|t| f64::from(*t)).collect();
        let moments: Vec<Moment> = times.iter().map(|t| Moment::at(*t)).collect();
        let start = Decoded::new(clip, &clip.stored, &moments);
        let (poses, turns) = match clip.is_settled_otherwise {
            true => {
                let Decoded { poses, turns, .. } = Decoded::new(clip, &clip.motion, &moments);
                (poses, turns)
            }
            false => (start.poses.clone(), start.turns.clone()),
        };
        let tilts = (0..clip.skeleton.len()).map(|node| {
            let moments = if clip.changes(node) { 0..moments.len() } else { 0..0 };
            moments.map(|moment| Tilt::new(clip, &poses, node, moment)).collect()
        });
        let (tilts, weights) = (tilts.collect(), clip.weights[range.clone()].to_vec());
        Self { range, times, weights, poses, turns, tilts, start }
    }

    /// The weighted squared error of a probe at a moment, for a global matrix of its node.
    #[inline]
    pub(super) fn error(&self, probe: &Probe, moment: usize, global: &Affine) -> f64 {
        self.weights[moment] * probe.squared_distance(self.poses.global(probe.a, moment), global)
    }

    pub(super) fn len(&self) -> usize {
        self.range.len()
    }
}

/// Fills a row with a node's global rotations, from its parent's and its own; one value may serve all.
pub(super) fn chain_into(row: &mut Vec<Quat>, parent: Option<&[Quat]>, own: impl ExactSizeIterator<Item = Quat>) {
    row.clear();
    match parent {
        None => row.extend(own),
        Some([parent]) => row.extend(own.map(|q| quat::mul(*parent, q))),
        Some(parents) if own.len() == 1 => {
            own.for_each(|own| row.extend(parents.iter().map(|p| quat::mul(*p, own))));
        }
        Some(parents) => row.extend(parents.iter().zip(own).map(|(p, q)| quat::mul(*p, q))),
    }
}

/// The rotation of a node relative to its parent at a moment, from their global rotations.
pub(super) fn relative(turns: &[Vec<Quat>], parent: usize, node: usize, moment: usize) -> Quat {
    quat::mul(quat::conjugate(at(&turns[parent], moment)), at(&turns[node], moment))
}

/// The entry of a row that has one for each moment, or one for all.
#[inline]
pub(super) fn at<T: Copy>(row: &[T], moment: usize) -> T {
    row[if row.len() == 1 { 0 } else { moment }]
}
