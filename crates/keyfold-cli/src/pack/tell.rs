//! Telling of files as they are done: a line for each and a total, or one JSON document. Nothing is kept that the end does not need,
//! so that memory does not grow with the number of files.

use super::{Args, html, job::Run, report::Row};
use crate::{
    Outcome, input,
    output::{self, length, percent},
};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use keyfold::{
    document::write_file,
    pack::{FileReport, Sizes},
};
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// Tells of all files of a run, and how it went.
pub(super) fn tell(run: &Run<'_>, progress: &ProgressBar, rows: &mut dyn Iterator<Item = Row>) -> Result<Outcome> {
    let args = run.args;
    let (mut total, mut drawn) = (Total::default(), Vec::new());
    let noted = rows.inspect(|row| {
        progress.inc(1);
        total.add(&row.report);
        progress.suspend(|| row.report.complaints().for_each(|what| output::error(&what)));
        drawn.extend(args.report.is_some().then(|| row.clone()));
    });
    let mut noted = noted.map(|row| row.report);
    let told = match args.json {
        true => output::json(&Files { files: Stream(RefCell::new(&mut noted)) }),
        false => lines(run, progress, &mut noted),
    };
    // Whether anybody listens to the end or not, all files are packed.
    noted.for_each(drop);
    progress.finish_and_clear();
    told?;
    if run.files > 1 && !args.json {
        say(args, &line(total.bytes, ["", ""], &format!("{} files", run.files)))?;
    }
    if let Some(path) = &args.report {
        let page = html::page(&drawn, &args.described());
        write_file(path, page.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    total.outcome(run.files == 1)
}

/// One JSON document.
#[derive(Serialize)]
struct Files<'a> {
    files: Stream<'a>,
}

/// A list that is written while it comes.
struct Stream<'a>(RefCell<&'a mut dyn Iterator<Item = FileReport>>);

impl Serialize for Stream<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut **self.0.borrow_mut())
    }
}

/// A line for each file, and the tables of storages where they are asked for.
fn lines(run: &Run<'_>, progress: &ProgressBar, reports: &mut dyn Iterator<Item = FileReport>) -> Result<()> {
    say(run.args, &columns(["before", "after", "saved", "error", "of size"], "file"))?;
    for report in reports {
        let mut text = describe(&report);
        if (run.files == 1 || run.args.dry_run) && report.candidates.len() > 1 {
            text += &format!("\n{}", storages(&report));
        }
        progress.suspend(|| say(run.args, &text))?;
    }
    Ok(())
}

/// Results go to standard output, unless a packed file does.
fn say(args: &Args, text: &str) -> Result<()> {
    match args.output.as_deref().is_some_and(input::is_stream) {
        true => {
            output::aside(text);
            Ok(())
        }
        false => output::print(text),
    }
}

/// Columns of a fixed width: no line has to wait for the others.
fn columns(figures: [&str; 5], file: &str) -> String {
    let [before, after, saved, error, share] = figures;
    format!("{before:>10}  {after:>10}  {saved:>6}  {error:>9}  {share:>10}  {file}\n")
}

fn line(Sizes { before, after }: Sizes, [error, share]: [&str; 2], file: &str) -> String {
    let saved = format!("{:.1} %", 100.0 - 100.0 * after as f64 / before.max(1) as f64);
    columns([&before.to_string(), &after.to_string(), &saved, error, share], file)
}

fn describe(report: &FileReport) -> String {
    if report.failed.is_some() {
        return columns(["-"; 5], &format!("{}: failed", report.input));
    }
    let error = report.error.clone().unwrap_or_default();
    let note = match (report.up_to_date, report.copied) {
        (true, _) => "up to date".into(),
        (_, true) if report.bytes.after == report.bytes.before => "copied, nothing to save".into(),
        (_, true) => "animations as they were".into(),
        _ if error.node.is_none() => return line(report.bytes, ["0", "0 %"], &report.input),
        _ => format!("worst {error}"),
    };
    let figures = [length(error.max), percent(error.relative)];
    line(report.bytes, figures.each_ref().map(String::as_str), &format!("{}: {note}", report.input))
}

fn storages(report: &FileReport) -> String {
    let rows = report.candidates.iter().map(|c| {
        let about = if c.quick { "about " } else { "" };
        vec![
            c.storage.to_string(),
            c.plays.to_owned(),
            format!("{about}{}", c.animation_bytes),
            format!("{about}{}", c.gzip_bytes),
            length(c.error),
        ]
    });
    output::table(&["storage", "plays", "animation bytes", "gzip", "error"], rows, 2)
}

/// What the end needs of all files.
#[derive(Default)]
struct Total {
    bytes: Sizes,
    failed: bool,
    left: bool,
}

impl Total {
    fn add(&mut self, report: &FileReport) {
        self.bytes.before += report.bytes.before;
        self.bytes.after += report.bytes.after;
        self.failed |= report.failed.is_some();
        self.left |= !report.left.is_empty();
    }

    /// A single file that cannot be read is bad input; one of many is something wrong.
    fn outcome(&self, single: bool) -> Result<Outcome> {
        if single && self.failed {
            bail!("nothing was written");
        }
        Ok(Outcome::wrong_if(self.failed || self.left))
    }
}
