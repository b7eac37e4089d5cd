//! Telling of files as they are done: a line for each and a total, or one JSON document. Nothing is kept that the end does not need,
//! so that memory does not grow with the number of files.

use super::{html, job::Run, report::Row};
use crate::{
    Outcome,
    batch::in_order,
    output::{self, length},
    sizes,
};
use anyhow::{Context, Result, bail, ensure};
use indicatif::ProgressBar;
use keyfold::{document::write_file, pack::FileReport};
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// Tells of all files of a run, as they are done, and how it went.
pub(super) fn tell(
    run: &Run<'_>,
    progress: &ProgressBar,
    rows: &mut dyn Iterator<Item = (usize, Row)>,
) -> Result<Outcome> {
    let args = run.args;
    let (mut total, mut left, mut drawn) = (sizes::Total::default(), false, Vec::new());
    let noted = rows.inspect(|(index, row)| {
        progress.inc(1);
        match row.report.failed {
            Some(_) => total.fail(),
            None => total.add(row.report.bytes),
        }
        left |= !row.report.left.is_empty();
        progress.suspend(|| {
            row.report.complaints().for_each(|what| output::error(&what));
            if output::is_verbose() {
                output::note(&format!("{} took {:.2} s", row.report.input, row.took.as_secs_f64()));
            }
        });
        drawn.extend(args.report.is_some().then(|| (*index, row.clone())));
    });
    let mut noted = noted.map(|(index, row)| (index, row.report));
    let told = match args.json {
        true => output::json(&Files { files: Stream(RefCell::new(&mut in_order(&mut noted))) }),
        false => lines(run, progress, &mut noted),
    };
    // Whether anybody listens to the end or not, all files are packed.
    noted.for_each(drop);
    progress.finish_and_clear();
    told?;
    if run.files > 1 && !args.json {
        output::result(&total.line(), args.files.to_stdout())?;
    }
    run.kept.unused().for_each(|pattern| output::note(&format!("--keep {pattern} fits no track")));
    if let Some(path) = &args.report {
        drawn.sort_by_key(|(index, _)| *index);
        let drawn: Vec<Row> = drawn.into_iter().map(|(_, row)| row).collect();
        let page = html::page(&drawn, &args.described(run.line));
        // Packing has written files since it was looked at.
        ensure!(html::may_be_page(path), "--report {} would overwrite a file that is no report", path.display());
        write_file(path, page.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    // A single file that cannot be read is bad input; one of many is something wrong.
    if run.files == 1 && total.failures() > 0 {
        bail!("nothing was written");
    }
    Ok(Outcome::wrong_if(left || total.failures() > 0))
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
fn lines(run: &Run<'_>, progress: &ProgressBar, reports: &mut dyn Iterator<Item = (usize, FileReport)>) -> Result<()> {
    let say = |text: &str| output::result(text, run.args.files.to_stdout());
    say(&sizes::header())?;
    for (_, report) in reports {
        let mut text = describe(&report);
        if (run.files == 1 || run.args.dry_run) && report.candidates.len() > 1 {
            text += &format!("\n{}{}", storages(&report), saving(&report).unwrap_or_default());
        }
        progress.suspend(|| say(&text))?;
    }
    Ok(())
}

fn describe(report: &FileReport) -> String {
    if report.failed.is_some() {
        return sizes::failed(&report.input);
    }
    let error = report.error.clone().unwrap_or_default();
    let note = match (report.up_to_date, report.copied) {
        (true, _) => "up to date".into(),
        (_, true) if report.bytes.after == report.bytes.before => "copied, nothing to save".into(),
        (_, true) => "animations as they were".into(),
        _ if error.node.is_none() => return sizes::line(report.bytes, Some([0.0; 2]), &report.input),
        _ => format!("worst {error}"),
    };
    sizes::line(report.bytes, Some([error.max, error.relative]), &format!("{}: {note}", report.input))
}

/// What another storage would save, where one does, in a line.
fn saving(report: &FileReport) -> Option<String> {
    let written = report.candidates.iter().find(|candidate| Some(candidate.storage) == report.storage)?;
    let smallest = report.candidates.iter().min_by_key(|candidate| candidate.gzip_bytes)?;
    let (now, then) = (written.gzip_bytes as f64, smallest.gzip_bytes as f64);
    let about = if smallest.quick { "about " } else { "" };
    let text = format!("--storage {} would save {about}{:.1} % more\n", smallest.storage, 100.0 - 100.0 * then / now);
    (then < 0.99 * now).then_some(text)
}

fn storages(report: &FileReport) -> String {
    let rows = report.candidates.iter().map(|c| {
        let about = if c.quick { "about " } else { "" };
        vec![
            c.storage.to_string(),
            c.plays.clone(),
            format!("{about}{}", c.animation_bytes),
            format!("{about}{}", c.gzip_bytes),
            c.error.map_or_else(|| "-".to_owned(), length),
        ]
    });
    output::table(&["storage", "plays", "animation bytes", "gzip, with JSON", "error"], rows, 2)
}
