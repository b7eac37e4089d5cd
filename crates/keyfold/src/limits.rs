//! Limits: one budget of memory and work for a document and everything that is derived from it.
//!
//! No count from a file is trusted before it is charged. Memory counts while it is held: each document has an
//! account, which gets back what the document held when it is dropped. Work adds up. A request beyond the budget
//! returns an error with its place, and every later request returns the same error, so an incomplete result cannot be
//! mistaken for a complete one.

use crate::{Error, Result};
use keyfold_core::clip::build;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// The resources that a document may use. The defaults should allow every ordinary file, and keep a hostile one below
/// 16 times its own bytes and 256 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file: the document itself, or a buffer beside it.
    pub file_bytes: u64,
    /// Bytes of memory held at a time.
    pub memory: Allowance,
    /// Steps of work, of a few nanoseconds each: a number decoded, a value interpolated.
    pub work: Allowance,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 30,
            memory: Allowance { base: 128 << 20, per_byte: 8 },
            work: Allowance { base: 2_000_000_000, per_byte: 10_000 },
        }
    }
}

impl Limits {
    /// No limits, for trusted files.
    pub const NONE: Self =
        Self { file_bytes: u64::MAX, memory: Allowance::exactly(u64::MAX), work: Allowance::exactly(u64::MAX) };
}

/// An amount that grows with the size of the files that a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The amount for every document.
    pub base: u64,
    /// The amount that each byte of its files adds.
    pub per_byte: u64,
}

impl Allowance {
    /// The same for every document.
    pub const fn exactly(amount: u64) -> Self {
        Self { base: amount, per_byte: 0 }
    }

    /// The amount for a document of this many bytes.
    pub fn of(self, bytes: u64) -> u64 {
        self.base.saturating_add(self.per_byte.saturating_mul(bytes))
    }
}

/// What documents that come from one another share.
#[derive(Debug)]
struct Budget {
    limits: Limits,
    /// Bytes of the files that were read.
    input: AtomicU64,
    memory: AtomicU64,
    work: AtomicU64,
    /// What was asked for first that was too much.
    refused: OnceLock<Error>,
}

/// What one document holds of the budget that it shares with those that it comes from.
#[derive(Debug)]
pub(crate) struct Account {
    budget: Arc<Budget>,
    /// Bytes that are given back in the end.
    held: AtomicU64,
    /// Of these, bytes of curves: however often a document is read, its curves are paid once.
    curves: AtomicU64,
}

impl Account {
    /// The account of a document that comes from a file of so many bytes.
    pub(crate) fn new(limits: Limits, input: usize) -> Self {
        let budget = Budget {
            limits,
            input: AtomicU64::new(input as u64),
            memory: AtomicU64::new(0),
            work: AtomicU64::new(0),
            refused: OnceLock::new(),
        };
        Self { budget: Arc::new(budget), held: AtomicU64::new(0), curves: AtomicU64::new(0) }
    }

    /// The account of a document that is derived from this one.
    pub(crate) fn derived(&self) -> Self {
        Self { budget: self.budget.clone(), held: AtomicU64::new(0), curves: AtomicU64::new(0) }
    }

    /// Another file was read: what it brings with it.
    pub(crate) fn feed(&self, bytes: usize) {
        self.budget.input.fetch_add(bytes as u64, Relaxed);
    }

    /// Holds memory as long as the document is there.
    pub(crate) fn hold(&self, bytes: usize, at: impl FnOnce() -> String) -> Result<()> {
        self.afford(bytes, at)?;
        self.held.fetch_add(bytes as u64, Relaxed);
        self.budget.memory.fetch_add(bytes as u64, Relaxed);
        Ok(())
    }

    /// Holds the memory of all curves of the document: `bytes` of them are known by now.
    pub(crate) fn hold_curves(&self, bytes: usize, at: impl FnOnce() -> String) -> Result<()> {
        let before = self.curves.fetch_max(bytes as u64, Relaxed);
        self.hold((bytes as u64).saturating_sub(before) as usize, at)
    }

    /// Whether memory may be taken for a while.
    pub(crate) fn afford(&self, bytes: usize, at: impl FnOnce() -> String) -> Result<()> {
        let Budget { limits, input, memory, .. } = &*self.budget;
        let (all, taken) = (limits.memory.of(input.load(Relaxed)), memory.load(Relaxed));
        self.refuse_if(taken.saturating_add(bytes as u64) > all, || {
            let what = format!("needs {bytes} bytes of memory; {} of {all} are left", all.saturating_sub(taken));
            Error::limit(at(), what)
        })
    }

    /// Pays for work before it is done.
    pub(crate) fn work(&self, steps: u64, at: impl FnOnce() -> String) -> Result<()> {
        let Budget { limits, input, work, .. } = &*self.budget;
        let before = work.fetch_add(steps, Relaxed);
        let all = limits.work.of(input.load(Relaxed));
        self.refuse_if(before.saturating_add(steps) > all, || {
            let what = format!("needs {steps} steps of work; {} of {all} are left", all.saturating_sub(before));
            Error::limit(at(), what)
        })
    }

    /// What is left for building a clip.
    pub(crate) fn left(&self) -> build::Limits {
        let Budget { limits, input, memory, work, .. } = &*self.budget;
        let input = input.load(Relaxed);
        build::Limits {
            memory: limits.memory.of(input).saturating_sub(memory.load(Relaxed)),
            work: limits.work.of(input).saturating_sub(work.load(Relaxed)),
        }
    }

    /// The error of whoever asked for too much first, where somebody did.
    pub(crate) fn check(&self) -> Result<()> {
        self.budget.refused.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn refuse_if(&self, too_much: bool, error: impl FnOnce() -> Error) -> Result<()> {
        if too_much {
            let _ = self.budget.refused.get_or_init(error);
        }
        self.check()
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.budget.memory.fetch_sub(*self.held.get_mut(), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(memory: u64, work: u64) -> Account {
        let limits = Limits {
            memory: Allowance { base: memory, per_byte: 2 },
            work: Allowance::exactly(work),
            ..Limits::default()
        };
        Account::new(limits, 10)
    }

    fn at(place: &str) -> impl FnOnce() -> String {
        let place = place.to_owned();
        || place
    }

    #[test]
    fn documents_of_one_origin_share_memory_and_give_it_back() {
        let first = account(100, 0);
        first.hold(80, at("/a")).unwrap();
        let second = first.derived();
        second.hold(40, at("/b")).unwrap();
        drop(second);
        first.derived().hold(40, at("/c")).unwrap();
        first.feed(10);
        first.hold(60, at("/d")).unwrap();
        let error = first.derived().hold(1, at("/e")).unwrap_err();
        assert_eq!(error.to_string(), "/e: needs 1 bytes of memory; 0 of 140 are left");
    }

    #[test]
    fn work_adds_up_and_the_first_refusal_stays() {
        let first = account(100, 10);
        first.work(7, at("/a")).unwrap();
        first.derived().work(3, at("/b")).unwrap();
        assert!(first.check().is_ok());
        let error = first.work(u64::MAX, at("/c")).unwrap_err();
        assert_eq!(error.at(), "/c");
        assert_eq!(first.derived().hold(1, at("/d")).unwrap_err().at(), "/c");
        assert_eq!(first.check().unwrap_err().at(), "/c");
    }

    #[test]
    fn curves_are_paid_once_however_often_they_are_read() {
        let account = account(80, 0);
        account.hold_curves(60, at("")).unwrap();
        account.hold_curves(30, at("")).unwrap();
        account.hold_curves(100, at("")).unwrap();
        assert_eq!(account.hold_curves(101, at("/animations/0")).unwrap_err().at(), "/animations/0");
    }
}
