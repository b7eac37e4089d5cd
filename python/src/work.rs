//! Long work while Python waits: on threads of its own, the interpreter's lock released, Ctrl-C and progress looked after.

use crate::error::{raised, refused};
use keyfold::{Monitor, Result};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Sender},
    },
    thread,
    time::Duration,
};

/// How often Python is asked whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// Who does the work, and who wants to know how far it is.
pub(crate) struct Work {
    /// On so many threads; on all processors where not given. Every call has threads of its own: those of a pool that all share would be
    /// gone in a process that was forked.
    pub(crate) threads: Option<usize>,
    /// Is called with how much is done, from 0 to 1, and what is going on. What it raises ends the work.
    pub(crate) progress: Option<Py<PyAny>>,
}

enum Event<T> {
    Progress(f64, String),
    /// With the panic where the work broke down: it goes on in Python's thread.
    Done(thread::Result<Result<T>>),
}

/// What the work asks, from its threads, and what it tells.
struct Watch<T> {
    cancelled: AtomicBool,
    events: Sender<Event<T>>,
}

impl<T: Send> Monitor for Watch<T> {
    fn progress(&self, done: f64, what: &str) {
        // Nobody listens any more where the work goes on after its end was asked for.
        let _ = self.events.send(Event::Progress(done, what.to_owned()));
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Work {
    /// Does it and waits. Callbacks are called, and signals are seen, on the thread that waits.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Monitor) -> Result<T> + Send,
    ) -> PyResult<T> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0)).build().map_err(refused)?;
        py.detach(|| {
            let (events, waiting) = mpsc::channel();
            let watch = Watch { cancelled: AtomicBool::new(false), events: events.clone() };
            thread::scope(|scope| {
                scope.spawn(|| {
                    let work = AssertUnwindSafe(|| pool.install(|| work(&watch)));
                    events.send(Event::Done(catch_unwind(work)))
                });
                let mut interrupted = Ok(());
                loop {
                    let seen = match waiting.recv_timeout(LOOK) {
                        Ok(Event::Done(Ok(result))) => return interrupted.and_then(|()| result.map_err(raised)),
                        Ok(Event::Done(Err(panic))) => resume_unwind(panic),
                        Ok(Event::Progress(done, what)) => self.tell(done, &what),
                        Err(_) => Ok(()),
                    };
                    let seen = seen.and_then(|()| Python::attach(|py| py.check_signals()));
                    if seen.is_err() && interrupted.is_ok() {
                        interrupted = seen;
                        watch.cancelled.store(true, Ordering::Relaxed);
                    }
                }
            })
        })
    }

    fn tell(&self, done: f64, what: &str) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        Python::attach(|py| progress.call1(py, (done, what)).map(|_| ()))
    }
}
