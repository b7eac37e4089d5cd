//! What the engine is told by whoever uses it: what a storage can hold and what that costs, how much work may be done at once.

use super::{Encoded, Grid, Track};
use alloc::{vec, vec::Vec};

/// A storage as the engine sees it.
pub trait Codec: Sync {
    /// The values that a track can have with quantization steps of at most about `step`: radians for rotations, units of the property otherwise.
    fn grid(&self, track: &Track, step: f64) -> Grid;

    /// The values among which the one is chosen that a track holds throughout, where it may stray by `budget`.
    fn constant(&self, track: &Track, budget: f64) -> Grid;

    /// What tracks cost on the wire, in bytes: one entry for each track that the engine was given, `None` where it stays as it is. The whole clip has `times` as many keys as
    /// these; what describes the tracks counts once.
    fn cost(&self, tracks: &[Option<Encoded>], times: f64) -> usize;

    /// Whether tracks that all stay as they are cost more than `bytes`.
    fn exceeds(&self, tracks: usize, bytes: usize) -> bool {
        self.cost(&vec![None; tracks], 1.0) > bytes
    }
}

/// Runs work that does not depend on each other, in any order, on any number of threads.
pub trait Executor: Sync {
    /// The results for all items, in their order.
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T>;

    /// Whether to give up: the search then ends soon, with nothing that is of use.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// How hard to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// One plan, few rounds.
    Fast,
    /// All plans.
    #[default]
    Default,
    /// All plans, many rounds; what the default finds where that is smaller.
    Max,
}

impl Level {
    /// How often budgets are corrected by what was measured.
    pub(super) const fn rounds(self) -> usize {
        match self {
            Self::Fast => 4,
            Self::Default => 7,
            Self::Max => 16,
        }
    }

    /// Whether steps are coarser than what holds by itself, and repaired.
    pub(super) const fn repairs(self) -> bool {
        !matches!(self, Self::Fast)
    }
}
