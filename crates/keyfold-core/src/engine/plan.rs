//! Plans: ways to choose keys. No rule tells which is best for a clip, so they are tried.

/// A way to choose keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whether joints compensate for errors of their ancestors.
    pub(super) compensate: bool,
    /// Whether each track keeps only the keys that it needs.
    pub(super) drops_keys: bool,
}

impl Plan {
    /// By how much budgets are too coarse at first, to be repaired.
    pub(super) const fn overload(self) -> f64 {
        match (self.drops_keys, self.compensate) {
            (false, true) => 1.8,
            (false, false) => 2.3,
            (true, _) => 1.2,
        }
    }

    /// A plan is dropped before repair if it costs more than this multiple of the cheapest. Up to a quarter
    /// of the keys of plans that drop keys go later.
    pub(super) const fn promising(self) -> f64 {
        if self.drops_keys { 1.3 } else { 1.05 }
    }
}

/// All plans, the most promising first.
pub(super) const PLANS: [Plan; 4] = [
    Plan { compensate: true, drops_keys: false },
    Plan { compensate: true, drops_keys: true },
    Plan { compensate: false, drops_keys: true },
    Plan { compensate: false, drops_keys: false },
];
