//! Compares two motions over spans: samples of both, bounds along their chains, and the upper limits that
//! follow from both.

use super::super::motion::Pace;
use super::super::{Affine, Deviation, Moment, Motion, Poses, Probe, Transform};
use super::chain::Chain;
use super::jet::Jet;
use super::links::{Above, Link, difference};
use super::pace::{Both, Own, Stretch};
use super::peak::Cubic;
use super::spans::{Span, moments_of};
use super::{BLOCK, Open, Part};
use crate::vector::{dot, length};
use alloc::{vec, vec::Vec};
use core::iter::successors;

/// Two motions and the probes to compare.
pub(super) struct Comparison<'m> {
    pub(super) a: &'m Motion<'m>,
    pub(super) b: &'m Motion<'m>,
    pub(super) probes: &'m [Probe],
    pub(super) links: Vec<Link>,
    pub(super) order: Vec<usize>,
}

/// One motion at a block's moments.
struct Rows {
    /// By node, if it is animated and needed.
    transforms: Vec<Option<Vec<Transform>>>,
    poses: Poses,
}

impl Rows {
    fn new(motion: &Motion<'_>, moments: &[Moment], wanted: impl Fn(usize) -> bool) -> Self {
        let skeleton = motion.skeleton();
        let mut transforms = vec![None; skeleton.len()];
        let poses = Poses::with(skeleton, moments.len(), |node| {
            if !wanted(node) || !motion.animates(node) {
                return vec![*skeleton.rest_local(node)];
            }
            let rows = transforms[node].insert(motion.transforms(node, moments));
            rows.iter().map(Affine::from_transform).collect()
        });
        Self { transforms, poses }
    }

    /// A node over a span whose moments start with `first`; `None` if its matrix is not a transform.
    fn stretch<'s>(&'s self, motion: &'s Motion<'_>, node: usize, span: &Span, first: usize) -> Option<Stretch<'s>> {
        let (pace, samples) = match &self.transforms[node] {
            Some(rows) => (motion.pace(node), [0, 1, 2, 3].map(|i| &rows[first + i])),
            None => (Pace::STEADY, [motion.skeleton().rest_transform(node)?; 4]),
        };
        Some(Stretch { pace, samples, start: span.start, end: span.end })
    }

    /// Bounds of a node's own matrix.
    fn own(&self, motion: &Motion<'_>, node: usize, span: &Span, first: usize) -> Own {
        let stretch = self.stretch(motion, node, span, first);
        stretch.map_or_else(|| Own::constant(motion.skeleton().rest_local(node)), |stretch| stretch.own())
    }
}

impl Comparison<'_> {
    /// Samples and bounds spans for the first time.
    pub(super) fn survey(&self, spans: &[Span]) -> Part {
        let mut part = Part::new(self.probes.len());
        let mut chains = vec![Chain::still(0.0, 0.0); self.probes.len()];
        let strangers = self.links.iter().any(|link| matches!(link.above, Above::Strangers));
        for block in spans.chunks(BLOCK) {
            let (moments, firsts) = moments_of(block.iter().copied());
            let rows = (Rows::new(self.a, &moments, |_| true), Rows::new(self.b, &moments, |_| true));
            let mut found = Deviation::none(self.probes.len());
            found.add(&rows.0.poses, &rows.1.poses, self.probes, &moments);
            part.deviation.merge(&found);
            part.farthest = part.farthest.max(self.farthest(&rows.0.poses, &firsts));
            for (span, &first) in block.iter().zip(&firsts).filter(|(span, _)| !span.is_instant()) {
                let limit = part.limit();
                if !limit.is_finite() {
                    break;
                }
                let mut open = Open { span: *span, possible: 0.0, probes: Vec::new() };
                let alone = strangers.then(|| {
                    (all_from_root(self.a, &rows.0, span, first), all_from_root(self.b, &rows.1, span, first))
                });
                for &i in &self.order {
                    let link = &self.links[i];
                    chains[i] = match (&alone, link.above) {
                        (Some((a, b)), Above::Strangers) => {
                            Chain::strangers(&a[self.probes[i].a], &b[self.probes[i].b])
                        }
                        _ => self.chain(i, None, &chains, &rows, span, first),
                    };
                    if !link.equal {
                        let cubics = self.cubics(i, &rows, first, None);
                        open.include(i, chains[i].possible(&self.probes[i], &cubics, limit), limit, &mut part.decided);
                    }
                }
                part.open.extend(open.close());
            }
        }
        part
    }

    /// Samples and bounds the halves of open spans.
    pub(super) fn refine(&self, open: &[Open], limit: f64) -> Part {
        let mut part = Part::new(self.probes.len());
        let mut chains = vec![Chain::still(0.0, 0.0); self.probes.len()];
        for block in open.chunks(BLOCK / 2) {
            let halves: Vec<(Span, &Open)> =
                block.iter().filter_map(|o| Some((o, o.span.halves()?))).flat_map(|(o, h)| h.map(|h| (h, o))).collect();
            let (moments, firsts) = moments_of(halves.iter().map(|(span, _)| *span));
            let wanted = self.wanted(block);
            let rows = (
                Rows::new(self.a, &moments, |node| wanted.0[node]),
                Rows::new(self.b, &moments, |node| wanted.1[node]),
            );
            for ((span, parent), &first) in halves.iter().zip(&firsts) {
                let mut next = Open { span: *span, possible: 0.0, probes: Vec::new() };
                for i in self.needed(&parent.probes) {
                    chains[i] = self.chain(i, self.links[i].frame, &chains, &rows, span, first);
                }
                for &i in &parent.probes {
                    let probe = &self.probes[i];
                    for (m, &moment) in moments.iter().enumerate().skip(first).take(4) {
                        let squared =
                            probe.squared_distance(rows.0.poses.global(probe.a, m), rows.1.poses.global(probe.b, m));
                        part.deviation.include(i, squared, moment);
                    }
                    let limit = limit.max(part.limit());
                    let cubics = self.cubics(i, &rows, first, self.links[i].frame);
                    next.include(i, chains[i].possible(probe, &cubics, limit), limit, &mut part.decided);
                }
                part.open.extend(next.close());
            }
        }
        part
    }

    /// The nodes of either motion that the probes of open spans depend on.
    fn wanted(&self, open: &[Open]) -> (Vec<bool>, Vec<bool>) {
        let mut wanted = (vec![false; self.a.skeleton().len()], vec![false; self.b.skeleton().len()]);
        for i in open.iter().flat_map(|open| &open.probes) {
            let (mut a, mut b) = (Some(self.probes[*i].a), Some(self.probes[*i].b));
            while let Some(node) = a.filter(|node| !wanted.0[*node]) {
                wanted.0[node] = true;
                a = self.a.skeleton().parent(node);
            }
            while let Some(node) = b.filter(|node| !wanted.1[*node]) {
                wanted.1[node] = true;
                b = self.b.skeleton().parent(node);
            }
        }
        wanted
    }

    fn farthest(&self, poses: &Poses, firsts: &[usize]) -> f64 {
        let at = |probe: &Probe, m: usize| {
            let global = poses.global(probe.a, m);
            let out = (0..3).map(|k| length(global.axes[k]) * libm::fabs(probe.offsets[k])).fold(0.0, f64::max);
            length(global.origin) + out
        };
        let every = firsts.iter().flat_map(|m| self.probes.iter().map(|probe| at(probe, *m)));
        every.filter(|far| far.is_finite()).fold(0.0, f64::max)
    }

    /// Bounds of a pair's own matrices.
    fn own(&self, i: usize, rows: &(Rows, Rows), span: &Span, first: usize) -> Both {
        let probe = &self.probes[i];
        if self.links[i].same {
            let own = rows.0.own(self.a, probe.a, span, first);
            return Both { a: own, b: own, apart: Own::ZERO };
        }
        let (a, b) = (rows.0.stretch(self.a, probe.a, span, first), rows.1.stretch(self.b, probe.b, span, first));
        match (a, b) {
            (Some(a), Some(b)) => a.beside(&b),
            // A matrix is not a transform. Either nothing moves, or both motions are bounded separately.
            _ => {
                let (a, b) = (self.a.skeleton().rest_local(probe.a), self.b.skeleton().rest_local(probe.b));
                let still = rows.0.transforms[probe.a].is_none() && rows.1.transforms[probe.b].is_none();
                let origin = length([0, 1, 2].map(|k| a.origin[k] - b.origin[k]));
                let apart = Own { linear: Jet::constant(difference(a, b)), origin: Jet::constant(origin) };
                let (a, b) = (rows.0.own(self.a, probe.a, span, first), rows.1.own(self.b, probe.b, span, first));
                let sum = Own { linear: a.linear + b.linear, origin: a.origin + b.origin };
                Both { a, b, apart: if still { apart } else { sum } }
            }
        }
    }

    /// The probes that the bounds of `probes` depend on, each once, parents first. Probes on one chain share
    /// the work.
    pub(super) fn needed(&self, probes: &[usize]) -> Vec<usize> {
        let (mut seen, mut needed) = (vec![false; self.probes.len()], Vec::with_capacity(probes.len()));
        for &probe in probes {
            let (from, mut at) = (needed.len(), Some(probe));
            while let Some(i) = at.filter(|i| !seen[*i]) {
                seen[i] = true;
                needed.push(i);
                at = self.links[i].above_in_frame();
            }
            needed[from..].reverse();
        }
        needed
    }

    /// By probe: how many nodes its bounds would visit alone. This is the price of halving.
    pub(super) fn lengths(&self) -> Vec<u64> {
        let (a, b) = (depths(self.a), depths(self.b));
        let mut lengths = vec![1; self.probes.len()];
        for &i in &self.order {
            lengths[i] = match (self.links[i].above_in_frame(), self.links[i].above) {
                (Some(p), _) => lengths[p] + 1,
                (None, Above::Strangers) => a[self.probes[i].a] + b[self.probes[i].b],
                (None, _) => 1,
            };
        }
        lengths
    }

    /// Bounds of a pair from those of the pair above it; in the `frame` of a rigid pair if there is one.
    fn chain(
        &self,
        i: usize,
        frame: Option<usize>,
        chains: &[Chain],
        rows: &(Rows, Rows),
        span: &Span,
        first: usize,
    ) -> Chain {
        let probe = &self.probes[i];
        let above = match self.links[i].above {
            Above::Pair(p) if Some(p) == frame => {
                Chain::still(length(rows.0.poses.global(self.probes[p].a, first).axes[0]), 0.0)
            }
            Above::Pair(p) => chains[p],
            Above::Still { stretch, apart } => Chain::still(stretch, apart),
            Above::Strangers => {
                let a = from_root(self.a, &rows.0, probe.a, span, first);
                return Chain::strangers(&a, &from_root(self.b, &rows.1, probe.b, span, first));
            }
        };
        above.below(&self.own(i, rows, span, first))
    }

    /// The vectors from the three points to their twins over a span, as cubics; in the `frame` of a rigid
    /// pair if there is one.
    fn cubics(&self, i: usize, rows: &(Rows, Rows), first: usize, frame: Option<usize>) -> [Cubic; 3] {
        let probe = &self.probes[i];
        let at = |m: usize| {
            let (a, b) = (rows.0.poses.global(probe.a, first + m), rows.1.poses.global(probe.b, first + m));
            let points = probe.differences(a, b);
            frame.map_or(points, |p| {
                let axes = &rows.0.poses.global(self.probes[p].a, first + m).axes;
                let size = length(axes[0]);
                points.map(|v| axes.map(|axis| dot(axis, v) / size))
            })
        };
        let samples = [at(0), at(1), at(2), at(3)];
        [0, 1, 2].map(|axis| Cubic::through(&samples.map(|points| points[axis])))
    }
}

/// By node: the number of nodes up to its root.
fn depths(motion: &Motion<'_>) -> Vec<u64> {
    let skeleton = motion.skeleton();
    let mut depths = vec![1; skeleton.len()];
    for &node in skeleton.order() {
        depths[node] = skeleton.parent(node).map_or(1, |parent| depths[parent] + 1);
    }
    depths
}

/// Bounds of a node's matrix in the scene.
fn from_root(motion: &Motion<'_>, rows: &Rows, node: usize, span: &Span, first: usize) -> Own {
    let path: Vec<usize> = successors(Some(node), |node| motion.skeleton().parent(*node)).collect();
    let own = path.iter().rev().map(|node| rows.own(motion, *node, span, first));
    own.reduce(|above, own| own.below(&above)).unwrap_or(Own::ZERO)
}

/// Bounds of all nodes' matrices in the scene.
fn all_from_root(motion: &Motion<'_>, rows: &Rows, span: &Span, first: usize) -> Vec<Own> {
    let skeleton = motion.skeleton();
    let mut all = vec![Own::ZERO; skeleton.len()];
    for &node in skeleton.order() {
        let own = rows.own(motion, node, span, first);
        all[node] = skeleton.parent(node).map_or(own, |parent| own.below(&all[parent]));
    }
    all
}
