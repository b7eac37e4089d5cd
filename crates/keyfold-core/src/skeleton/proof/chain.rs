//! Bounds along a chain of nodes: from a node's own matrix to its matrix in the scene, for two twins and
//! their difference.

use super::super::{Affine, Probe};
use super::jet::{Jet, ORDER};
use super::links::stretch;
use super::pace::{Both, Own};
use super::peak::Cubic;
use crate::vector::length;

impl Own {
    /// Bounds of the difference between equal matrices: zero.
    pub(super) const ZERO: Self = Self { linear: Jet::ZERO, origin: Jet::ZERO };

    /// Bounds of a matrix that never changes.
    pub(super) fn constant(m: &Affine) -> Self {
        Self { linear: Jet::constant(stretch(m)), origin: Jet::constant(length(m.origin)) }
    }

    /// Bounds of the node in the frame that `above`, its parent, is bounded in.
    pub(super) fn below(&self, above: &Self) -> Self {
        Self { linear: above.linear * self.linear, origin: above.origin + above.linear * self.origin }
    }
}

/// Bounds of a pair's matrices relative to some frame, over a span.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    /// Of the first matrix's linear part.
    pub(super) a: Jet,
    /// Of the difference between the two.
    pub(super) apart: Own,
}

impl Chain {
    /// Bounds above a pair whose parents do not move: they stretch by `stretch` and differ by `apart`.
    pub(super) fn still(stretch: f64, apart: f64) -> Self {
        Self { a: Jet::constant(stretch), apart: Own { linear: Jet::constant(apart), origin: Jet::ZERO } }
    }

    /// Bounds of a pair under different parents, from the bounds of each node from its root.
    pub(super) fn strangers(a: &Own, b: &Own) -> Self {
        Self { a: a.linear, apart: Own { linear: a.linear + b.linear, origin: a.origin + b.origin } }
    }

    /// Bounds of a child, from its own: A a - B b = (A - B) b + A (a - b).
    pub(super) fn below(&self, own: &Both) -> Self {
        let linear = self.apart.linear * own.b.linear + self.a * own.apart.linear;
        let origin = self.apart.origin + self.apart.linear * own.b.origin + self.a * own.apart.origin;
        Self { a: self.a * own.a.linear, apart: Own { linear, origin } }
    }

    /// The error of a cubic through four samples of a point.
    fn remainder(&self, probe: &Probe) -> f64 {
        self.bound(probe, ORDER) / 81.0
    }

    fn bound(&self, probe: &Probe, order: usize) -> f64 {
        let offset = probe.offsets.iter().fold(0.0, |m, c| libm::fabs(*c).max(m));
        let bound = self.apart.origin.0[order] + offset * self.apart.linear.0[order];
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// The upper limit of a probe's deviation that follows from samples and bounds. It is not refined once it
    /// is within `limit`.
    pub(super) fn possible(&self, probe: &Probe, cubics: &[Cubic; 3], limit: f64) -> f64 {
        let remainder = self.remainder(probe);
        let square = cubics.iter().fold(0.0, |m, c| c.square().max(m));
        let quick = libm::sqrt(square) + remainder;
        if quick <= limit {
            return quick;
        }
        let enough = (limit - remainder).max(0.0);
        let peak = cubics.iter().map(|c| c.peak(enough)).fold(0.0, f64::max);
        // However fast all turns, the bound of the matrices' difference also holds.
        (peak + remainder).min(self.bound(probe, 0))
    }
}
