//! Ways to choose keys. No rule says which of them is best for a clip: they are tried.

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whether joints make up for what their parents are off.
    pub(super) compensate: bool,
    pub(super) keys: KeyChoice,
}

/// Which keys to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyChoice {
    /// All of them.
    All,
    /// Those that each track needs.
    PerTrack,
    /// Those that any dense track needs, for all of them: one time for many.
    Shared,
}

/// How much of its budget is a track's step where all drop the same keys.
const SHARED_STEP: f64 = 0.35;

impl Plan {
    /// How much of a track's budget is its step.
    pub(super) const fn step_share(self) -> f64 {
        match self.keys {
            KeyChoice::All | KeyChoice::PerTrack => 1.0,
            KeyChoice::Shared => SHARED_STEP,
        }
    }

    /// How much coarser than what holds by itself budgets are at first, to be repaired.
    pub(super) const fn overload(self) -> f64 {
        match (self.keys, self.compensate) {
            (KeyChoice::All, true) => 1.8,
            (KeyChoice::All, false) => 2.3,
            (KeyChoice::PerTrack, _) => 1.2,
            (KeyChoice::Shared, _) => 1.0,
        }
    }

    /// How many times the cheapest plan's cost it may have before anything is repaired, or it is given up: of keys that tracks choose for themselves, up to a quarter go
    /// later, where points have room left.
    pub(super) const fn promising(self) -> f64 {
        match self.keys {
            KeyChoice::All | KeyChoice::Shared => 1.05,
            KeyChoice::PerTrack => 1.3,
        }
    }
}

/// Ways to choose keys, the most promising first.
pub(super) const PLANS: [Plan; 4] = [
    Plan { compensate: true, keys: KeyChoice::All },
    Plan { compensate: true, keys: KeyChoice::PerTrack },
    Plan { compensate: false, keys: KeyChoice::PerTrack },
    Plan { compensate: false, keys: KeyChoice::All },
];

/// The same keys for all tracks: only where there are few that any needs.
pub(super) const SHARED: Plan = Plan { compensate: true, keys: KeyChoice::Shared };
