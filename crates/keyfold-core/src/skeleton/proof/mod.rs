//! Proven limits of the deviation between two motions, at any time.
//!
//! Between neighbouring keys the way from a probe's point to its twin is smooth. Four samples make a cubic of it,
//! whose largest length its control points bound (`peak`), and what the cubic misses is at most the fourth derivative
//! over 4! times 1/81 of the stretch's length to the fourth, which bounds along the two chains tell (`pace`). Where
//! that is not good enough, a stretch is halved, which leaves a sixteenth of it.
//!
//! Proven is what mathematics says of the stored numbers; the last bits of `f64` are not accounted for.

mod chain;
mod comparison;
mod groups;
mod jet;
mod links;
mod pace;
mod peak;
mod spans;
mod squad;

use super::{Deviation, Motion, Probe};
use alloc::vec::Vec;
use comparison::Comparison;
use groups::{Chains, groups};
use links::links;
use spans::{Span, spans};

/// The deviation between two motions.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The deviation found by sampling.
    pub deviation: Deviation,
    /// The proven upper limit: at no time is a point of a probe farther from its twin.
    pub possible: f64,
}

impl Proof {
    /// The error of each probe as far as it was found, raised in proportion so that the largest is what is possible:
    /// for searches that ask which probes are over a limit.
    pub fn errors(&self) -> impl Iterator<Item = f64> + '_ {
        let found = self.deviation.error();
        let raise = if found > 0.0 && found.is_finite() { self.possible / found } else { 1.0 };
        self.deviation.probes.iter().map(move |worst| worst.error * raise)
    }
}

/// How much more than what was found may be left possible: a tenth of what is promised, because searches go to the
/// limit.
const TOLERANCE: f64 = 1e-3;
/// Lengths of so much less than the largest coordinate are rounding.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;
/// Spans that are looked at together: 3 moments each, and one.
const BLOCK: usize = super::BLOCK / 3;
/// Blocks in a part of the work.
const PART: usize = 16 * BLOCK;
/// How often a span may be halved, and how many nodes may be gone through for all halves: for each probe in each
/// span, for each probe besides, and for all probes besides. Beyond that, what is left open stays possible.
const GENERATIONS: usize = 60;
const NODES: (u64, u64, u64) = (16, 20_000, 4_000_000);

/// Proves how far `a` and `b` differ at any time.
///
/// Parts of the work are independent: `each` is given their number and a function, and answers with its results for
/// 0, 1, 2 ... in order, from as many threads as it likes.
///
/// ```
/// # use keyfold_core::{curve::{Curve, Interpolation}, skeleton::*};
/// let arm = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)])?;
/// let eased = Curve::new(Interpolation::CubicSpline, 3, [0.0, 1.0], [[0.0; 12].as_slice(), &[4.0, 0.0, 0.0], &[0.0; 3]].concat())?;
/// let even = Curve::new(Interpolation::Linear, 3, [0.0, 1.0], [0.0, 0.0, 0.0, 4.0, 0.0, 0.0])?;
/// let motion = |curve| Motion::new(&arm, [Track { node: 0, property: Property::Translation, axis: None, curve }]);
/// let probes = probes(&arm, &[true], |_| 1.0);
/// let proof = prove(&motion(&eased), &motion(&even), &probes, |parts, part| (0..parts).map(part).collect());
/// // 4 (3x² - 2x³ - x) is largest where x is half of 1 - 1/√3.
/// let exact = 4.0 / 108f64.sqrt();
/// assert!(proof.deviation.error() <= exact && exact <= proof.possible);
/// assert!(proof.possible < 1.01 * proof.deviation.error());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove(
    a: &Motion<'_>,
    b: &Motion<'_>,
    probes: &[Probe],
    each: impl Fn(usize, &(dyn Fn(usize) -> Part + Sync)) -> Vec<Part> + Sync,
) -> Proof {
    let groups = groups(a, b, probes);
    if groups.len() <= 1 {
        return examined(a, b, probes, NODES.2, &each).proof();
    }
    let examine = |index: usize| {
        let all = || groups[index].iter().map(|probe| &probes[*probe]);
        let mine = Chains::new(a.skeleton(), all().map(|probe| probe.a));
        let theirs = Chains::new(b.skeleton(), all().map(|probe| probe.b));
        let (a, b) = (a.part(&mine.skeleton, &mine.nodes), b.part(&theirs.skeleton, &theirs.nodes));
        let renumbered = |probe: &Probe| Probe { a: mine.number(probe.a), b: theirs.number(probe.b), ..*probe };
        examined(&a, &b, &all().map(renumbered).collect::<Vec<_>>(), NODES.2 / groups.len() as u64, &each)
    };
    let mut whole = Part::new(probes.len());
    each(groups.len(), &examine).into_iter().zip(&groups).for_each(|(part, probes)| whole.take_in(part, probes));
    whole.proof()
}

/// The results of a function for 0, 1, 2 ... in order.
type Each<'e> = dyn Fn(usize, &(dyn Fn(usize) -> Part + Sync)) -> Vec<Part> + Sync + 'e;

/// What is found of two motions; halves of spans go through at most `nodes` nodes beside those of each span.
fn examined(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe], nodes: u64, each: &Each<'_>) -> Part {
    let (links, order) = links(a, b, probes);
    let comparison = Comparison { a, b, probes, links, order };
    let spans = spans(a, b);
    let parts = spans.len().div_ceil(PART);
    let survey = |i: usize| comparison.survey(&spans[i * PART..spans.len().min((i + 1) * PART)]);
    let mut whole = Part::new(probes.len());
    each(parts, &survey).into_iter().for_each(|part| whole.merge(part));
    let lengths = comparison.lengths();
    let count = probes.len() as u64;
    let mut left = (NODES.0 * spans.len() as u64).saturating_mul(count).saturating_add((NODES.1 * count).min(nodes));
    for _ in 0..GENERATIONS {
        let limit = whole.decide();
        let open = core::mem::take(&mut whole.open);
        let nodes: u64 = open.iter().flat_map(|open| &open.probes).map(|probe| 2 * lengths[*probe]).sum();
        if open.is_empty() || nodes > left {
            whole.open = open;
            break;
        }
        left -= nodes;
        let pieces: Vec<&[Open]> = open.chunks(PART / 2).collect();
        let refine = |i: usize| comparison.refine(pieces[i], limit);
        each(pieces.len(), &refine).into_iter().for_each(|part| whole.merge(part));
    }
    whole
}

/// What a part of the work found.
#[derive(Clone, Debug)]
pub struct Part {
    deviation: Deviation,
    /// The largest length that is not ruled out in spans that are done with.
    decided: f64,
    open: Vec<Open>,
    /// The largest coordinate of any point.
    farthest: f64,
}

/// A span that is to be halved, and why.
#[derive(Clone, Debug)]
struct Open {
    span: Span,
    /// The largest length that is not ruled out in it.
    possible: f64,
    /// Which probes it is not ruled out for.
    probes: Vec<usize>,
}

impl Part {
    fn new(probes: usize) -> Self {
        Self { deviation: Deviation::none(probes), decided: 0.0, open: Vec::new(), farthest: 0.0 }
    }

    fn merge(&mut self, other: Self) {
        self.deviation.merge(&other.deviation);
        self.decided = self.decided.max(other.decided);
        self.farthest = self.farthest.max(other.farthest);
        self.open.extend(other.open);
    }

    /// Takes in what was found of some of the probes.
    fn take_in(&mut self, other: Self, probes: &[usize]) {
        self.deviation.take_in(&other.deviation, probes);
        self.decided = self.decided.max(other.decided);
        self.farthest = self.farthest.max(other.farthest);
        self.open.extend(other.open);
    }

    /// What may be left possible: nearly what was found.
    fn limit(&self) -> f64 {
        self.deviation.error() * (1.0 + TOLERANCE) + self.farthest * ROUNDING
    }

    /// Closes spans that are within the limit by now, and those that cannot be halved.
    fn decide(&mut self) -> f64 {
        let limit = self.limit();
        let decided = &mut self.decided;
        self.open.retain(|open| {
            let done = open.possible <= limit || open.span.halves().is_none();
            *decided = if done { decided.max(open.possible) } else { *decided };
            !done
        });
        limit
    }

    fn proof(mut self) -> Proof {
        let open = self.open.iter().map(|open| open.possible).fold(self.decided, f64::max);
        let possible = open.max(self.deviation.error());
        if possible <= 4.0 * self.farthest * ROUNDING {
            self.deviation.forget_errors();
            return Proof { deviation: self.deviation, possible: 0.0 };
        }
        Proof { deviation: self.deviation, possible }
    }
}

impl Open {
    fn include(&mut self, probe: usize, possible: f64, limit: f64, decided: &mut f64) {
        if possible <= limit {
            *decided = decided.max(possible);
        } else {
            self.possible = self.possible.max(possible);
            self.probes.push(probe);
        }
    }

    fn close(self) -> Option<Self> {
        (!self.probes.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests;
