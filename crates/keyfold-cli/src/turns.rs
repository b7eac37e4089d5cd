//! Files write in their order where they could get into each other's way: several folders into one, each bringing files of the same names along.
//! Who finds a name taken then does not hang on chance.

use crate::{batch::Order, files::Job};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Condvar, Mutex, PoisonError},
};

/// Whose turn it is.
pub(crate) struct Turns {
    /// The first job that has not ended; `None` where no two can meet.
    first: Option<Mutex<Ended>>,
    changed: Condvar,
}

/// Which jobs have ended.
#[derive(Default)]
struct Ended {
    first_open: usize,
    early: BTreeSet<usize>,
}

impl Turns {
    pub(crate) fn new(jobs: &[Job]) -> Self {
        let mut from: BTreeMap<Option<&Path>, Option<&Path>> = BTreeMap::new();
        let moving = jobs.iter().map(|job| (job.input.parent(), job.output.parent())).filter(|(from, to)| from != to);
        let brought = moving.into_iter().any(|(input, output)| *from.entry(output).or_insert(input) != input);
        // `walk.gltf` and `walk.glb` may both want `walk.bin`.
        let mut stems = BTreeSet::new();
        let meet = brought || !jobs.iter().all(|job| stems.insert(job.output.with_extension("")));
        Self { first: meet.then(Mutex::default), changed: Condvar::new() }
    }

    /// In which order jobs may begin: one that waits for another must not begin before it.
    pub(crate) fn order(&self) -> Order {
        if self.first.is_some() { Order::Named } else { Order::Any }
    }

    /// Waits until all jobs before this one have ended.
    pub(crate) fn wait(&self, index: usize) {
        let Some(first) = &self.first else { return };
        let ended = first.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(ended, |ended| ended.first_open < index));
    }

    /// A job's turn; it ends when it is dropped.
    pub(crate) fn of(&self, index: usize) -> Turn<'_> {
        Turn { turns: self, index }
    }
}

/// A job that has not ended.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    index: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Some(first) = &self.turns.first else { return };
        let mut ended = first.lock().unwrap_or_else(PoisonError::into_inner);
        ended.early.insert(self.index);
        while let Some(next) = ended.early.first().copied().filter(|next| *next == ended.first_open) {
            ended.early.remove(&next);
            ended.first_open += 1;
        }
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(input: &str, output: &str) -> Job {
        Job { input: input.into(), output: output.into() }
    }

    #[test]
    fn only_jobs_that_can_meet_wait() {
        let waits = |jobs: &[Job]| Turns::new(jobs).first.is_some();
        assert!(waits(&[job("a/x.gltf", "out/x.gltf"), job("b/y.gltf", "out/y.gltf")]));
        assert!(!waits(&[job("a/x.gltf", "out/x.gltf"), job("a/y.gltf", "out/y.gltf")]));
        assert!(!waits(&[job("a/x.gltf", "out/a/x.gltf"), job("b/x.gltf", "out/b/x.gltf")]));
        assert!(waits(&[job("a/x.gltf", "out/x.gltf"), job("a/x.glb", "out/x.glb")]));
    }

    #[test]
    fn a_job_goes_on_when_all_before_it_have_ended() {
        let turns = Turns::new(&[job("a/x.gltf", "out/x.gltf"), job("b/y.gltf", "out/y.gltf")]);
        drop(turns.of(1));
        drop(turns.of(0));
        turns.wait(2);
        assert_eq!(turns.first.unwrap().into_inner().unwrap().first_open, 2);
    }
}
