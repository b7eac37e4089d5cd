//! Ways to choose keys. No rule says which of them is best for a clip: they are tried.

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whether joints make up for what their parents are off.
    pub(super) compensate: bool,
    /// Whether each track keeps only the keys that it needs.
    pub(super) drops_keys: bool,
}

impl Plan {
    /// How much coarser than what holds by itself budgets are at first, to be repaired.
    pub(super) const fn overload(self) -> f64 {
        match (self.drops_keys, self.compensate) {
            (false, true) => 1.8,
            (false, false) => 2.3,
            (true, _) => 1.2,
        }
    }

    /// How many times the cheapest plan's cost it may have before anything is repaired, or it is given up: of keys that tracks choose for themselves, up to a quarter go
    /// later, where points have room left.
    pub(super) const fn promising(self) -> f64 {
        if self.drops_keys { 1.3 } else { 1.05 }
    }
}

/// Ways to choose keys, the most promising first.
pub(super) const PLANS: [Plan; 4] = [
    Plan { compensate: true, drops_keys: false },
    Plan { compensate: true, drops_keys: true },
    Plan { compensate: false, drops_keys: true },
    Plan { compensate: false, drops_keys: false },
];
