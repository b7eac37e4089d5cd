//! One file of a run: packed, written, told of.

use super::{
    Args, html,
    journal::Journal,
    kept::Kept,
    report::Row,
    watch::{Deadline, Watch},
};
use crate::{
    files::Job,
    input::{self, is_stream},
    limits::explained,
    output,
    turns::Turns,
};
use anyhow::{Context, Result, bail};
use keyfold::{
    Document, Error, Storage,
    pack::{self, Choice, Chosen, ErrorReport, FileReport, Level, Options, PackedFile},
};
use std::{ffi::OsString, panic::AssertUnwindSafe, path::PathBuf, time::Instant};

/// What all jobs of a run share.
pub(super) struct Run<'a> {
    pub(super) args: &'a Args,
    /// The command line that they come from.
    pub(super) line: &'a [OsString],
    pub(super) options: Options,
    pub(super) journal: Option<Journal>,
    /// How many files there are.
    pub(super) files: usize,
    pub(super) turns: Turns,
    pub(super) watch: Watch,
    pub(super) kept: Kept,
}

impl Run<'_> {
    /// Packs one file; a failure becomes part of the report. `drawn`: with its part of a page.
    pub(super) fn pack(&self, index: usize, job: &Job, drawn: bool) -> Row {
        let (_turn, began) = (self.turns.of(index), Instant::now());
        let attempt = without_panic(|| {
            let (document, bytes) = self.args.read.open(&job.input)?;
            self.kept.look(&document)?;
            let (mut report, after) =
                self.attempt(index, job, &document, bytes).with_context(|| input::name(&job.input))?;
            let part = drawn.then(|| self.draw(&mut report, &document, job, after)).transpose()?;
            Ok(Row { report, part, took: began.elapsed() })
        });
        attempt.unwrap_or_else(|error| {
            let report = FileReport::failure(input::name(&job.input), explained(&error));
            Row { report, part: None, took: began.elapsed() }
        })
    }

    fn attempt(&self, index: usize, job: &Job, document: &Document, before: u64) -> Result<(FileReport, After)> {
        let marked = |journal| Journal::mark(document).map(|mark| (journal, mark));
        let mark = self.journal.as_ref().map(marked).transpose()?;
        let name = input::name(&job.input);
        if let Some(done) = mark.as_ref().and_then(|(journal, mark)| journal.finished(job, mark)) {
            let mut report = done.clone();
            (report.input, report.up_to_date) = (name, true);
            return Ok((report, After::There(job.output.clone())));
        }
        let chosen = self.choose(document)?;
        self.turns.wait(index);
        let place = (!is_stream(&job.output)).then_some(job.output.as_path());
        let packed = chosen.finish(document, before, name, place);
        let PackedFile { draft, document: packed, mut report, .. } =
            packed.with_context(|| format!("cannot write {}", job.output.display()))?;
        if self.args.dry_run {
            report.output = None;
        } else {
            report.output = Some(job.output.display().to_string());
            output::write(&draft, &job.output)?;
        }
        if let Some((journal, mark)) = mark {
            journal.finish(&job.output, mark, &draft, report.clone())?;
        }
        Ok((report, packed.map_or(After::Same, |packed| After::Packed(Box::new(packed)))))
    }

    /// A document packed in the time that there is: as asked for, else quickly, else as it was.
    fn choose(&self, document: &Document) -> Result<Chosen> {
        let choice = self.choice(document)?;
        let attempt = |level: Level, choice: &Choice| {
            let options = Options { level, ..self.options.clone() };
            let watch = Deadline { watch: &self.watch, until: self.args.timeout.map(|most| Instant::now() + most) };
            match pack::choose_with(document, &options, choice, &watch) {
                Err(Error::Cancelled) => Ok(None),
                other => other.map(Some),
            }
        };
        let quick = Choice { estimate: false, ..choice.clone() };
        if let Some(chosen) = attempt(self.options.level, &choice)? {
            return Ok(chosen);
        }
        let seconds = self.args.timeout.unwrap_or_default().as_secs_f64();
        let why = format!("--timeout {seconds} was not enough");
        if let Some(mut chosen) = attempt(Level::Fast, &quick)? {
            chosen.packed.left.push(format!("{why}; it was packed at --level fast"));
            return Ok(chosen);
        }
        // The report names the storage that was asked for.
        let options = Options { storage: choice.among[0], ..self.options.clone() };
        let packed =
            pack::leave(document, &options, vec![format!("{why}, at --level fast neither; it stays as it was")], &())?;
        Ok(Chosen::alone(choice.among[0], packed, self.options.optimize))
    }

    /// The storages that are packed, and those of them that may be written.
    fn choice(&self, document: &Document) -> Result<Choice> {
        let among = self.args.asked(document)?;
        let beside = if self.args.dry_run { Storage::ALL.to_vec() } else { Vec::new() };
        Ok(Choice { estimate: self.estimates(), among, beside })
    }

    /// Whether anybody is told what other storages would take, and waits for that.
    fn estimates(&self) -> bool {
        let told = self.files == 1 || self.args.report.is_some();
        told && !output::is_quiet() && self.options.level != Level::Fast
    }

    /// Draws a file's part of the page.
    fn draw(&self, report: &mut FileReport, document: &Document, job: &Job, after: After) -> Result<String> {
        let there;
        let after = match &after {
            After::Same => document,
            After::Packed(packed) => packed,
            After::There(path) => {
                there = self.args.read.open(path)?.0;
                let diff = keyfold::diff(document, &there, self.args.measure.shell)?;
                report.error = Some(ErrorReport::new(&diff, self.args.bound().in_scene(diff.model_size)));
                &there
            }
        };
        let animations = keyfold::report::report(document, after, self.args.measure.shell)?;
        let input = document.source().map(|source| hash(&source.joined())).unwrap_or_default();
        let written = std::fs::read(&job.output).ok().filter(|_| report.output.is_some());
        Ok(html::part(report, &animations, &[input, written.map(|w| hash(&w)).unwrap_or_default()], self.files))
    }
}

/// What a file's bytes are known by.
fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// One file never ends a run of many: what panics is a bug that is told like any other failure.
fn without_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        bail!("a bug in this program, please report it with the file: {what}")
    })
}

/// What is in the output.
enum After {
    /// What was in the input.
    Same,
    Packed(Box<Document>),
    /// What a run before had written to this place.
    There(PathBuf),
}
