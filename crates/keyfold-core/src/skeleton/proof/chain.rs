//! Bounds along a chain: from a node's own matrix to that of everything above it, for two twins and what lies between
//! them.

use super::super::{Affine, Probe};
use super::jet::{Jet, ORDER};
use super::links::stretch;
use super::pace::{Both, Own};
use super::peak::Cubic;
use crate::vector::length;

impl Own {
    /// Of what never moves, or never differs.
    pub(super) const ZERO: Self = Self { linear: Jet::ZERO, origin: Jet::ZERO };

    /// Of a matrix that never changes.
    pub(super) fn constant(m: &Affine) -> Self {
        Self { linear: Jet::constant(stretch(m)), origin: Jet::constant(length(m.origin)) }
    }

    /// Seen from where what is above it is seen from.
    pub(super) fn below(&self, above: &Self) -> Self {
        Self { linear: above.linear * self.linear, origin: above.origin + above.linear * self.origin }
    }
}

/// Bounds of a pair's matrices to some frame over a span.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    /// Of the first one's linear part.
    pub(super) a: Jet,
    /// Of the difference between the two.
    pub(super) apart: Own,
}

impl Chain {
    /// Nothing but a factor.
    pub(super) fn still(stretch: f64, apart: f64) -> Self {
        Self { a: Jet::constant(stretch), apart: Own { linear: Jet::constant(apart), origin: Jet::ZERO } }
    }

    /// Of a pair under different parents: each on its own, all the way from its root.
    pub(super) fn strangers(a: &Own, b: &Own) -> Self {
        Self { a: a.linear, apart: Own { linear: a.linear + b.linear, origin: a.origin + b.origin } }
    }

    /// A child's, from its own: A a - B b = (A - B) b + A (a - b).
    pub(super) fn below(&self, own: &Both) -> Self {
        let linear = self.apart.linear * own.b.linear + self.a * own.apart.linear;
        let origin = self.apart.origin + self.apart.linear * own.b.origin + self.a * own.apart.origin;
        Self { a: self.a * own.a.linear, apart: Own { linear, origin } }
    }

    /// What a cubic through four samples of a point misses.
    fn remainder(&self, probe: &Probe) -> f64 {
        self.bound(probe, ORDER) / 81.0
    }

    fn bound(&self, probe: &Probe, order: usize) -> f64 {
        let offset = probe.offsets.iter().fold(0.0, |m, c| libm::fabs(*c).max(m));
        let bound = self.apart.origin.0[order] + offset * self.apart.linear.0[order];
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// The largest length that samples and bounds do not rule out for a probe; not worked out further than to `limit`.
    pub(super) fn possible(&self, probe: &Probe, cubics: &[Cubic; 3], limit: f64) -> f64 {
        let remainder = self.remainder(probe);
        let square = cubics.iter().fold(0.0, |m, c| c.square().max(m));
        let quick = libm::sqrt(square) + remainder;
        if quick <= limit {
            return quick;
        }
        let enough = (limit - remainder).max(0.0);
        let peak = cubics.iter().map(|c| c.peak(enough)).fold(0.0, f64::max);
        // However fast it all turns, matrices that lie near each other do.
        (peak + remainder).min(self.bound(probe, 0))
    }
}
