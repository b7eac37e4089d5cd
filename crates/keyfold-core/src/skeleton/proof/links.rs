//! Relations between the probes of two motions: which pair of nodes is the parent of another pair, and what
//! both motions have in common.

use super::super::{Affine, Motion, Probe, Skeleton};
use crate::vector::{distance, dot, length};
use alloc::{vec, vec::Vec};

/// The parents of a pair of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Above {
    /// Parents that do not move: how far they stretch at most, and how far they differ.
    Still { stretch: f64, apart: f64 },
    /// The pair of another probe.
    Pair(usize),
    /// Parents that are not a pair.
    Strangers,
}

/// The relations of a probe's pair of nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) above: Above,
    /// Whether both have equal curves and equal rest poses.
    pub(super) same: bool,
    /// Whether everything above has as well: the twins never differ.
    pub(super) equal: bool,
    /// Whether all of it also keeps angles, and lengths except for one factor.
    rigid: bool,
    /// The nearest pair above that is `rigid`. In its frame, distances are the same, however it moves.
    pub(super) frame: Option<usize>,
}

impl Link {
    /// The pair above, unless it is the frame in which distances are measured.
    pub(super) fn above_in_frame(&self) -> Option<usize> {
        match self.above {
            Above::Pair(p) if Some(p) != self.frame => Some(p),
            _ => None,
        }
    }
}

/// The links of all probes, and the probes in an order with parents first.
pub(super) fn links(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe]) -> (Vec<Link>, Vec<usize>) {
    let (moved, others) = (a.moved(), b.moved());
    let mut of_node = vec![None; a.skeleton().len()];
    probes.iter().enumerate().for_each(|(i, probe)| of_node[probe.a] = Some(i));
    let order: Vec<usize> = a.skeleton().order().iter().filter_map(|node| of_node[*node]).collect();
    let none = Link { above: Above::Strangers, same: false, equal: false, rigid: false, frame: None };
    let mut links = vec![none; probes.len()];
    for &i in &order {
        let probe = &probes[i];
        let (parent, other) = (a.skeleton().parent(probe.a), b.skeleton().parent(probe.b));
        let still = |parent: Option<usize>, moved: &[bool]| parent.is_none_or(|p| !moved[p]);
        let pair = parent.and_then(|p| of_node[p]).filter(|p| Some(probes[*p].b) == other);
        let same = a.same(probe.a, b, probe.b);
        let own = same && uniform(a, probe.a);
        links[i] = match pair {
            Some(p) => {
                let up = links[p];
                let frame = if up.rigid { Some(p) } else { up.frame };
                Link { above: Above::Pair(p), same, equal: same && up.equal, rigid: own && up.rigid, frame }
            }
            None if still(parent, &moved) && still(other, &others) => {
                let global = |skeleton: &Skeleton, node: Option<usize>| {
                    node.map_or(Affine::IDENTITY, |n| *skeleton.rest_global(n))
                };
                let (mine, theirs) = (global(a.skeleton(), parent), global(b.skeleton(), other));
                let equal = same && mine == theirs;
                let above = Above::Still { stretch: stretch(&mine), apart: difference(&mine, &theirs) };
                Link { above, same, equal, rigid: equal && own && conformal(&mine), frame: None }
            }
            None => Link { same, ..none },
        };
    }
    (links, order)
}

/// Whether a node is always scaled by one factor for all axes.
fn uniform(motion: &Motion<'_>, node: usize) -> bool {
    let moves = motion.animates(node);
    conformal(motion.skeleton().rest_local(node)) && !(moves && motion.pace(node).scales)
}

/// An upper limit of how far a matrix stretches.
pub(super) fn stretch(m: &Affine) -> f64 {
    let row = |i: usize| (0..3).map(|j| libm::fabs(dot(m.axes[i], m.axes[j]))).sum::<f64>();
    libm::sqrt(row(0).max(row(1)).max(row(2)))
}

/// An upper limit of the difference between the linear parts of two matrices.
pub(super) fn difference(a: &Affine, b: &Affine) -> f64 {
    let squares = (0..3).map(|i| distance(a.axes[i], b.axes[i])).map(|d| d * d);
    libm::sqrt(squares.sum())
}

/// Whether a matrix keeps angles, except for rounding: its effect on a length is negligible beside the proven
/// limits.
fn conformal(m: &Affine) -> bool {
    let size = length(m.axes[0]);
    let near = |v: f64, to: f64| libm::fabs(v - to) <= 1e-9 * to.max(size * size);
    (0..3).all(|i| near(dot(m.axes[i], m.axes[i]), size * size) && near(dot(m.axes[i], m.axes[(i + 1) % 3]), 0.0))
}
