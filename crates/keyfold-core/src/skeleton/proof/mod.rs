//! Proven upper limits of the deviation between two motions, at any time.
//!
//! Between neighbouring keys, the vector from a probe's point to its twin is a smooth function of time. The
//! control points of the cubic through four samples bound the cubic's length (`peak`). The error of the cubic
//! is at most the fourth derivative over 4!, times 1/81 of the span's length to the power of four. Bounds
//! along the two chains limit that derivative (`pace`). If the result is not good enough, the span is halved,
//! which divides the error by 16.
//!
//! The proof holds mathematically for the stored numbers. The last bits of `f64` are not accounted for.

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
    /// The error found for each probe, scaled so that the largest is `possible`. Searches find the probes
    /// over a limit with it.
    pub fn errors(&self) -> impl Iterator<Item = f64> + '_ {
        let found = self.deviation.error();
        let raise = if found > 0.0 && found.is_finite() { self.possible / found } else { 1.0 };
        self.deviation.probes.iter().map(move |worst| worst.error * raise)
    }
}

/// The upper limit may be larger than the deviation found by this share: a tenth of what is promised, because
/// searches use the bound to its limit.
const TOLERANCE: f64 = 1e-3;
/// Lengths up to this share of the largest coordinate count as rounding.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;
/// The number of spans that are sampled together: each has 3 moments, and a block has one more.
const BLOCK: usize = super::BLOCK / 3;
/// The number of spans in a part of the work: 16 blocks.
const PART: usize = 16 * BLOCK;
/// How often a span may be halved.
const GENERATIONS: usize = 60;
/// How many nodes all halves may visit: for each probe in each span, in addition for each probe, and at most
/// in addition for all probes. Beyond that, the upper limits of open spans stay as they are.
const NODES: (u64, u64, u64) = (16, 20_000, 4_000_000);

/// Proves how far `a` and `b` differ at any time.
///
/// Parts of the work are independent. `each` gets their number and a function, and returns its results for 0,
/// 1, 2 ... in order. It may use as many threads as it likes.
///
/// ```
/// # use keyfold_core::{curve::{Curve, Interpolation}, skeleton::*};
/// let arm = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)])?;
/// let eased = Curve::new(Interpolation::CubicSpline, 3, [0.0, 1.0], [[0.0; 12].as_slice(), &[4.0, 0.0, 0.0], &[0.0; 3]].concat())?;
/// let even = Curve::new(Interpolation::Linear, 3, [0.0, 1.0], [0.0, 0.0, 0.0, 4.0, 0.0, 0.0])?;
/// let motion = |curve| Motion::new(&arm, [Track { node: 0, property: Property::Translation, axis: None, curve }]);
/// let probes = probes(&arm, &[true], |_| 1.0);
/// let proof = prove(&motion(&eased), &motion(&even), &probes, |parts, part| (0..parts).map(part).collect());
/// // 4 (3x² - 2x³ - x) is largest at x = (1 - 1/√3) / 2.
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

/// Compares two motions. Halves of spans visit at most `nodes` nodes, in addition to those allowed for each
/// span.
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

/// The result of a part of the work.
#[derive(Clone, Debug)]
pub struct Part {
    deviation: Deviation,
    /// The upper limit of the deviation in spans that are done.
    decided: f64,
    open: Vec<Open>,
    /// The largest coordinate of any point.
    farthest: f64,
}

/// A span to halve.
#[derive(Clone, Debug)]
struct Open {
    span: Span,
    /// The upper limit of the deviation in it.
    possible: f64,
    /// The probes whose upper limit is not good enough.
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

    /// Adds the result for some of the probes.
    fn take_in(&mut self, other: Self, probes: &[usize]) {
        self.deviation.take_in(&other.deviation, probes);
        self.decided = self.decided.max(other.decided);
        self.farthest = self.farthest.max(other.farthest);
        self.open.extend(other.open);
    }

    /// The upper limit that is good enough: slightly more than the deviation found.
    fn limit(&self) -> f64 {
        self.deviation.error() * (1.0 + TOLERANCE) + self.farthest * ROUNDING
    }

    /// Closes spans that are within the limit by now, and those that cannot be halved. Returns the limit.
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
