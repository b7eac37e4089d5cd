//! All jobs of a run, one after the other or side by side; what came of them is told in their order, as soon as it is known.

use super::{job::Job, report::Row};
use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

/// Packs every job and lets `tell` go through all that came of them. Few files are packed one after the other, each on all threads. Of
/// many, each thread takes one after the other for itself: a thread that waited for a part of one file would begin another one
/// meanwhile, and memory would grow with the number of files.
pub(super) fn each<T>(
    jobs: &[Job],
    pack: impl Fn(usize, &Job) -> Row + Sync,
    tell: impl FnOnce(&mut dyn Iterator<Item = Row>) -> T,
) -> Result<T> {
    let threads = rayon::current_num_threads();
    if threads == 1 || jobs.len() < 2 * threads {
        return Ok(tell(&mut jobs.iter().enumerate().map(|(index, job)| pack(index, job))));
    }
    let pools = (0..threads).map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build());
    let pools = pools.collect::<Result<Vec<_>, _>>().context("cannot start threads")?;
    let next = AtomicUsize::new(0);
    let (sender, done) = mpsc::channel();
    let (next, pack) = (&next, &pack);
    let work = |sender: mpsc::Sender<(usize, Row)>| {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        for (index, job) in indices.map_while(|index| Some((index, jobs.get(index)?))) {
            // Whoever listens stays to the end.
            let _ = sender.send((index, pack(index, job)));
        }
    };
    Ok(std::thread::scope(|scope| {
        for pool in &pools {
            let sender = sender.clone();
            scope.spawn(move || pool.install(|| work(sender)));
        }
        drop(sender);
        tell(&mut in_order(done))
    }))
}

/// What arrives by index, in the order of the indices.
fn in_order<T>(arriving: mpsc::Receiver<(usize, T)>) -> impl Iterator<Item = T> {
    let mut early = BTreeMap::new();
    (0..).map_while(move |index| {
        loop {
            if let Some(next) = early.remove(&index) {
                return Some(next);
            }
            let (index, one) = arriving.recv().ok()?;
            early.insert(index, one);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_early_waits_for_its_turn() {
        let (sender, arriving) = mpsc::channel();
        [2, 0, 3, 1].into_iter().for_each(|index| sender.send((index, index)).unwrap());
        drop(sender);
        assert_eq!(in_order(arriving).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
