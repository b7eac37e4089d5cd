//! Printing: results on stdout, everything else on stderr, colours only where wanted (`NO_COLOR`, no terminal).

use crate::{Outcome, input::check_targets};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
pub(crate) use keyfold::title;
use keyfold::{Document, Finding, Severity, document::Draft};
use serde::Serialize;
use std::{
    borrow::Cow,
    io::Write,
    path::{Path, PathBuf},
};

/// A text as a terminal may have it. Names come from strangers' files: what would command the terminal is spelled out.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let commands =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(commands) {
        return text.into();
    }
    text.chars().map(|c| if commands(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<()> {
    print_all([text])
}

/// Prints a result piece by piece.
pub(crate) fn print_all<T: AsRef<str>>(pieces: impl IntoIterator<Item = T>) -> Result<()> {
    print_pieces(pieces.into_iter().map(|piece| plain(piece.as_ref()).into_owned()))
}

/// Prints a result with styles of our own; whatever else is in it has to be [`plain`].
pub(crate) fn print_styled(text: &str) -> Result<()> {
    print_pieces([text])
}

/// A reader that has seen enough and went away is no error.
fn print_pieces<T: AsRef<str>>(pieces: impl IntoIterator<Item = T>) -> Result<()> {
    let mut out = std::io::BufWriter::new(anstream::stdout().lock());
    let written = pieces.into_iter().try_for_each(|piece| out.write_all(piece.as_ref().as_bytes()));
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Prints a result on stderr, where stdout carries a file.
pub(crate) fn aside(text: &str) {
    // Nothing can be done where even stderr is gone.
    let _ = anstream::stderr().lock().write_all(plain(text).as_bytes());
}

/// Prints one JSON document, piece by piece: it may be as long as there are files.
pub(crate) fn json(value: &impl Serialize) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from);
    match written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// A table without lines, its first column to the left and numbers to the right.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>, text_columns: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if !header.is_empty() {
        table.set_header(header.to_vec());
    }
    for row in rows {
        table.add_row(row);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if i >= text_columns {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A length in scene units, with as many digits as matter.
pub(crate) fn length(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.3e}") }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    if share == 0.0 { "0 %".into() } else { format!("{:.5} %", share * 100.0) }
}

/// Says what went wrong.
pub(crate) fn error(message: &str) {
    say(AnsiColor::Red, "error", message);
}

/// Says what is worth knowing.
pub(crate) fn note(message: &str) {
    say(AnsiColor::Cyan, "note", message);
}

/// Says what was found, and whether that is anything left out.
pub(crate) fn findings(findings: &[Finding]) -> Outcome {
    for finding in findings {
        let message = format!("{}: {} ({})", finding.at, finding.message, finding.code);
        match finding.severity {
            Severity::Error => say(AnsiColor::Red, "error", &message),
            Severity::Warning => say(AnsiColor::Yellow, "warning", &message),
            Severity::Info | Severity::Hint => say(AnsiColor::Cyan, "note", &message),
        }
    }
    Outcome::wrong_if(findings.iter().any(Finding::leaves_out))
}

fn say(color: AnsiColor, word: &str, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    // Nothing can be done where even stderr is gone.
    let _ = writeln!(anstream::stderr(), "{style}{word}{style:#}: {}", plain(message));
}

/// Where a result goes by default: `walk.glb` -> `walk.unpacked.glb`
pub(crate) fn beside(input: &Path, word: &str) -> PathBuf {
    let extension = input.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    let stem = input.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    input.with_file_name(format!("{stem}.{word}{extension}"))
}

/// Writes what came of a document to a file that is not the input, or to standard output for `-`.
pub(crate) fn save(document: &Document, input: &Path, path: &Path) -> Result<()> {
    check_targets(std::iter::once((input, path)))?;
    write(&draft(document, path)?, path)
}

/// What would be written to a file, or to standard output for `-`, opened again from the bytes that it would have there.
pub(crate) fn draft(document: &Document, path: &Path) -> Result<Draft> {
    let place = (!crate::input::is_stream(path)).then_some(path);
    document.draft(place).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes it.
pub(crate) fn write(draft: &Draft, path: &Path) -> Result<()> {
    if !crate::input::is_stream(path) {
        return draft.write().with_context(|| format!("cannot write {}", path.display()));
    }
    let mut out = std::io::stdout().lock();
    let written = out.write_all(draft.contents()).and_then(|()| out.flush());
    written.context("cannot write to standard output")
}
