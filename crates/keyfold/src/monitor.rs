//! Progress and cancellation of long work.

use crate::{Error, Result};

/// Observes the progress of long work, and can cancel it. `()` does neither.
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
    /// The monitor of the whole work.
    pub whole: &'a dyn Monitor,
    /// The progress when this job begins, from 0 to 1.
    pub from: f64,
    /// This job's fraction of the whole work.
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
