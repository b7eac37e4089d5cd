//! Long work that can be watched and ended.

use crate::{Error, Result};

/// Watches long work from outside, and may end it. `()` watches nothing.
///
/// ```
/// use keyfold::Monitor;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// struct Button(AtomicBool);
///
/// impl Monitor for Button {
///     fn progress(&self, done: f64, what: &str) {
///         eprintln!("{:3.0} % {what}", done * 100.0);
///     }
///
///     fn cancelled(&self) -> bool {
///         self.0.load(Ordering::Relaxed)
///     }
/// }
/// ```
pub trait Monitor: Sync {
    /// Work has come so far, from 0 to 1, and is now at this. Threads may call it out of order.
    fn progress(&self, done: f64, what: &str);

    /// Whether to stop: the work then ends soon, with [`Error::Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

impl Monitor for () {
    fn progress(&self, _: f64, _: &str) {}
}

impl dyn Monitor + '_ {
    /// Tells how far work has come, unless it is to stop.
    pub(crate) fn step(&self, done: f64, what: &str) -> Result<()> {
        if self.cancelled() {
            return Err(Error::Cancelled);
        }
        self.progress(done, what);
        Ok(())
    }
}

/// One of several jobs that a monitor watches.
pub struct Part<'a> {
    /// Watches all of them.
    pub whole: &'a dyn Monitor,
    /// How much was done before, from 0 to 1.
    pub from: f64,
    /// How much of all this job is.
    pub share: f64,
}

impl Monitor for Part<'_> {
    fn progress(&self, done: f64, what: &str) {
        self.whole.progress(self.from + self.share * done, what);
    }

    fn cancelled(&self) -> bool {
        self.whole.cancelled()
    }
}
