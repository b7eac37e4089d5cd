//! What the caller provides: the values that a storage can hold, their cost, and how to run work in parallel.

use super::{Encoded, Grid, Track};
use alloc::{vec, vec::Vec};

/// A storage, as the engine sees it.
pub trait Codec: Sync {
    /// The grid of a track with steps of at most about `step`: radians for rotations, else property units.
    fn grid(&self, track: &Track, step: f64) -> Grid;

    /// The grid from which a constant's value is chosen, given the error that it may have.
    fn constant(&self, track: &Track, budget: f64) -> Grid;

    /// The transfer size in bytes. There is one entry for each of the job's tracks, `None` if it stays as it
    /// is. The whole clip has `times` as many keys; the description of the tracks counts once.
    fn cost(&self, tracks: &[Option<Encoded>], times: f64) -> usize;

    /// Whether the tracks cost more than `bytes` if all stay as they are.
    fn exceeds(&self, tracks: usize, bytes: usize) -> bool {
        self.cost(&vec![None; tracks], 1.0) > bytes
    }
}

/// Runs independent work in any order, on any number of threads.
pub trait Executor: Sync {
    /// The results for all items, in the order of the items.
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T>;

    /// Whether to cancel. The search then ends soon, without a usable result.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// One after the other: the core knows no threads.
pub(crate) struct Sequential;

impl Executor for Sequential {
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T> {
        items.iter().map(run).collect()
    }
}

/// How hard to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// One plan, few rounds.
    Fast,
    /// All plans.
    #[default]
    Default,
    /// All plans, many rounds, or the default's result if that is smaller.
    Max,
}

impl Level {
    /// How often budgets are corrected by measured errors.
    pub(super) const fn rounds(self) -> usize {
        match self {
            Self::Fast => 4,
            Self::Default => 7,
            Self::Max => 16,
        }
    }

    /// Whether steps are chosen too coarse at first and then repaired.
    pub(super) const fn repairs(self) -> bool {
        !matches!(self, Self::Fast)
    }
}
