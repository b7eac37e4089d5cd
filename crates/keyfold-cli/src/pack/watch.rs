//! How far packing has come, on a terminal: of many files how many are done, of a single one how far its search is. Where another program
//! watches (`KEYFOLD_PROGRESS=lines`, as the npm package does), a single file's search is told in lines of standard error:
//! `progress 0.25 searching`.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use keyfold::Monitor;
use std::{env, io::IsTerminal, time::Instant};

/// The steps that a single file's bar has.
const STEPS: f64 = 1000.0;

/// A bar on a terminal, or nothing.
pub(super) struct Watch {
    pub(super) files: ProgressBar,
    /// The bar again, where it shows a single file's work.
    single: Option<ProgressBar>,
    /// Whether another program reads along.
    lines: bool,
}

impl Watch {
    /// For so many files.
    pub(super) fn new(count: usize) -> Self {
        let shown = std::io::stderr().is_terminal() && !output::is_quiet();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let (steps, template) = match count {
            1 => (STEPS as u64, "{wide_bar} {msg} {eta}"),
            _ => (count as u64, "{wide_bar} {pos}/{len} {eta}"),
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let files = ProgressBar::with_draw_target(Some(steps), target).with_style(style);
        let lines = env::var_os("KEYFOLD_PROGRESS").is_some_and(|how| how == "lines");
        Self { single: (count == 1).then(|| files.clone()), files, lines }
    }
}

impl Monitor for Watch {
    fn progress(&self, done: f64, what: &str) {
        if let Some(bar) = &self.single {
            // Threads may be late to tell.
            bar.set_position(bar.position().max((done * STEPS) as u64));
            bar.set_message(what.to_owned());
            if self.lines {
                eprintln!("progress {} {what}", bar.position() as f64 / STEPS);
            }
        }
    }
}

/// A file's work that is watched, and ends when its time is up.
pub(super) struct Deadline<'a> {
    pub(super) watch: &'a Watch,
    pub(super) until: Option<Instant>,
}

impl Monitor for Deadline<'_> {
    fn progress(&self, done: f64, what: &str) {
        self.watch.progress(done, what);
    }

    fn cancelled(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() > until)
    }
}
