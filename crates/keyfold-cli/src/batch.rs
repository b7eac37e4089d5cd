//! All files of a run, one after the other or side by side; what comes of each is told as soon as it is known.

use crate::{
    Outcome,
    files::Job,
    input,
    limits::explained,
    output::{self, Remarks},
    sizes,
    turns::Turns,
};
use anyhow::{Context, Result};
use keyfold::pack::Sizes;
use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

/// In which order jobs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they are named.
    Named,
    /// Whichever keeps the others waiting least.
    Any,
}

/// Does `work` for every job and lets `tell` go through all that comes of them, by their indices, as they end. Few files are worked on one after the
/// other, each on all threads, the smallest first. Of many, each thread takes one after the other for itself: a thread that waited for a
/// part of one file would begin another one meanwhile, and memory would grow with the number of files.
pub(crate) fn each<R: Send, T>(
    jobs: &[Job],
    order: Order,
    work: impl Fn(usize, &Job) -> R + Sync,
    tell: impl FnOnce(&mut dyn Iterator<Item = (usize, R)>) -> T,
) -> Result<T> {
    let threads = rayon::current_num_threads();
    if threads == 1 || jobs.len() < 2 * threads {
        let mut indices: Vec<usize> = (0..jobs.len()).collect();
        if order == Order::Any {
            indices.sort_by_key(|index| jobs[*index].length());
        }
        return Ok(tell(&mut indices.into_iter().map(|index| (index, work(index, &jobs[index])))));
    }
    let pools = (0..threads).map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build());
    let pools = pools.collect::<Result<Vec<_>, _>>().context("cannot start threads")?;
    let next = AtomicUsize::new(0);
    let (sender, done) = mpsc::channel();
    let (next, work) = (&next, &work);
    let take = |sender: mpsc::Sender<(usize, R)>| {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        for (index, job) in indices.map_while(|index| Some((index, jobs.get(index)?))) {
            // Whoever listens stays to the end.
            let _ = sender.send((index, work(index, job)));
        }
    };
    Ok(std::thread::scope(|scope| {
        for pool in &pools {
            let sender = sender.clone();
            scope.spawn(move || pool.install(|| take(sender)));
        }
        drop(sender);
        tell(&mut done.into_iter())
    }))
}

/// Does `work` for every job, each when it is its turn.
pub(crate) fn each_in_turn<R: Send, T>(
    jobs: &[Job],
    turns: &Turns,
    work: impl Fn(&Job) -> R + Sync,
    tell: impl FnOnce(&mut dyn Iterator<Item = (usize, R)>) -> T,
) -> Result<T> {
    let in_turn = |index: usize, job: &Job| {
        let _turn = turns.of(index);
        turns.wait(index);
        work(job)
    };
    each(jobs, turns.order(), in_turn, tell)
}

/// What arrives by index, in the order of the indices.
pub(crate) fn in_order<T>(mut arriving: impl Iterator<Item = (usize, T)>) -> impl Iterator<Item = T> {
    let mut early = BTreeMap::new();
    (0..).map_while(move |index| {
        loop {
            if let Some(next) = early.remove(&index) {
                return Some(next);
            }
            let (index, one) = arriving.next()?;
            early.insert(index, one);
        }
    })
}

/// What came of a file.
pub(crate) struct Done {
    /// What it took, and what it takes now.
    pub(crate) bytes: Sizes,
    /// How far off it is, in scene units and of the model's size, where that was measured.
    pub(crate) error: Option<[f64; 2]>,
    /// What else there is to say.
    pub(crate) remarks: Remarks,
}

/// Makes a file of every file, and tells of each: a line of sizes, and what else there is to say. A single file that cannot be read is
/// bad input; one of many is something wrong.
pub(crate) fn make(jobs: &[Job], to_stdout: bool, work: impl Fn(&Job) -> Result<Done> + Sync) -> Result<Outcome> {
    let single = jobs.len() == 1;
    let (mut outcome, mut total) = (Outcome::Done, sizes::Total::default());
    let tell = |rows: &mut dyn Iterator<Item = (usize, Result<Done>)>| -> Result<Outcome> {
        let say = |text: &str| output::result(text, to_stdout);
        let mut headed = false;
        for (index, row) in rows {
            let name = input::name(&jobs[index].input);
            let failed = row.as_ref().err().map(explained);
            if let Some(why) = failed.filter(|_| !single) {
                total.fail();
                outcome = Outcome::Wrong;
                output::error(&why);
                continue;
            }
            let done = row?;
            if !std::mem::replace(&mut headed, true) {
                say(&sizes::header())?;
            }
            total.add(done.bytes);
            say(&sizes::line(done.bytes, done.error, &name))?;
            done.remarks.tell((!single).then_some(name.as_str()));
            outcome = outcome.and(done.remarks.outcome());
        }
        if !single {
            say(&total.line())?;
        }
        Ok(outcome)
    };
    each_in_turn(jobs, &Turns::new(jobs), work, tell)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_early_waits_for_its_turn() {
        let arriving = [2, 0, 3, 1].into_iter().map(|index| (index, index));
        assert_eq!(in_order(arriving).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_smallest_of_few_files_begins() {
        let folder = tempfile::tempdir().unwrap();
        let job = |(name, length): (&str, usize)| {
            let input = folder.path().join(name);
            std::fs::write(&input, vec![0; length]).unwrap();
            Job { output: input.with_extension("out"), input }
        };
        let jobs: Vec<Job> = [("a", 30), ("b", 10), ("c", 20)].map(job).into();
        let began = |order| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            let tell = |rows: &mut dyn Iterator<Item = (usize, ())>| rows.map(|(index, ())| index).collect::<Vec<_>>();
            pool.install(|| each(&jobs, order, |_, _| (), tell)).unwrap()
        };
        assert_eq!((began(Order::Any), began(Order::Named)), (vec![1, 2, 0], vec![0, 1, 2]));
    }
}
