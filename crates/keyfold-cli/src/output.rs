//! Printing: results on stdout, everything else on stderr, colours only where wanted (`NO_COLOR`, no terminal).

use crate::{
    Outcome,
    input::{check_targets, is_stream},
};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
pub(crate) use keyfold::title;
use keyfold::{Document, Finding, Severity, document::Draft, validate::NamedFinding};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU8, Ordering},
};

/// How much is said beside results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Loudness {
    /// Only what is wrong.
    Quiet,
    Usual,
    /// Everything, like findings one by one.
    Verbose,
}

/// One for the whole program, as standard error is.
static LOUDNESS: AtomicU8 = AtomicU8::new(Loudness::Usual as u8);

/// Sets how much is said.
pub(crate) fn speak(loudness: Loudness) {
    LOUDNESS.store(loudness as u8, Ordering::Relaxed);
}

/// Whether nothing is said but what is wrong.
pub(crate) fn is_quiet() -> bool {
    LOUDNESS.load(Ordering::Relaxed) == Loudness::Quiet as u8
}

/// Whether everything is said.
pub(crate) fn is_verbose() -> bool {
    LOUDNESS.load(Ordering::Relaxed) == Loudness::Verbose as u8
}

/// Lines as a terminal may have them. Names come from strangers' files: what would command the terminal is spelled out.
fn plain(text: &str) -> Cow<'_, str> {
    spelled_out(text, |c| c != '\n' && commands(c))
}

/// The same for what has to stay in one line: a name with a line break in it would say things of its own.
pub(crate) fn in_line(text: &str) -> Cow<'_, str> {
    spelled_out(text, commands)
}

fn commands(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn spelled_out(text: &str, commands: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&commands) {
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

/// Prints a result with styles of our own; whatever else is in it has to be [`in_line`].
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

/// Prints what is told of a file that was made: on stderr where stdout carries the file itself.
pub(crate) fn result(text: &str, stdout_is_taken: bool) -> Result<()> {
    match (is_quiet(), stdout_is_taken) {
        (true, _) => Ok(()),
        (false, false) => print(text),
        (false, true) => {
            // Nothing can be done where even stderr is gone.
            let _ = anstream::stderr().lock().write_all(plain(text).as_bytes());
            Ok(())
        }
    }
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
        table.add_row(row.iter().map(|cell| in_line(cell)));
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
    say(Severity::Error, message);
}

/// Says what is worth knowing.
pub(crate) fn note(message: &str) {
    say(Severity::Info, message);
}

/// Says what was found in a document, and whether that is anything left out.
pub(crate) fn findings(document: &Document, findings: &[Finding]) -> Outcome {
    let mut remarks = Remarks::default();
    remarks.findings(document, findings);
    remarks.tell(None);
    remarks.outcome()
}

/// What there is to say of a file beside its result.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    said: Vec<(Severity, String)>,
    wrong: bool,
}

impl Remarks {
    /// Something worth knowing.
    pub(crate) fn note(&mut self, message: impl Into<String>) {
        self.said.push((Severity::Info, message.into()));
    }

    /// Something that is wrong.
    pub(crate) fn error(&mut self, message: impl Into<String>) {
        self.said.push((Severity::Error, message.into()));
        self.wrong = true;
    }

    /// Findings about a document, with the names of what they are about; equal ones once, with their count.
    pub(crate) fn findings(&mut self, document: &Document, findings: &[Finding]) {
        self.wrong |= findings.iter().any(Finding::leaves_out);
        let named = NamedFinding::all(Some(document), findings.iter().cloned());
        for Alike { first: NamedFinding { finding, subject }, count } in alike(named, !is_verbose()) {
            let subject = subject.map(|name| format!(" ({name})")).unwrap_or_default();
            let more = if count > 1 { format!("; {} more like it", count - 1) } else { String::new() };
            self.said.push((
                finding.severity,
                format!("{}{subject}: {}{more} ({})", finding.at, finding.message, finding.code),
            ));
        }
    }

    /// Says all of it, of a file where there are many.
    pub(crate) fn tell(&self, file: Option<&str>) {
        let file = file.map(|name| format!("{name}: ")).unwrap_or_default();
        self.said.iter().for_each(|(severity, message)| say(*severity, &format!("{file}{message}")));
    }

    /// Whether anything is wrong.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::wrong_if(self.wrong)
    }
}

/// A finding, and how many there are that say the same.
pub(crate) struct Alike {
    pub(crate) first: NamedFinding,
    pub(crate) count: usize,
}

/// Findings, those that say the same once, where the first of them was; one by one where they are not to be folded.
pub(crate) fn alike(findings: Vec<NamedFinding>, fold: bool) -> Vec<Alike> {
    let mut known: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    let mut told: Vec<Alike> = Vec::new();
    for first in findings {
        let key = (first.finding.code, first.finding.message.clone());
        match known.get(&key).filter(|_| fold) {
            Some(index) => told[*index].count += 1,
            None => {
                known.insert(key, told.len());
                told.push(Alike { first, count: 1 });
            }
        }
    }
    told
}

fn say(severity: Severity, message: &str) {
    let (color, word) = match severity {
        Severity::Error => (AnsiColor::Red, "error"),
        Severity::Warning => (AnsiColor::Yellow, "warning"),
        Severity::Info | Severity::Hint if is_quiet() => return,
        Severity::Info | Severity::Hint => (AnsiColor::Cyan, "note"),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    // Nothing can be done where even stderr is gone.
    let _ = writeln!(anstream::stderr(), "{style}{word}{style:#}: {}", in_line(message));
}

/// Where a result goes by default: `walk.glb` -> `walk.unpacked.glb`
pub(crate) fn beside(input: &Path, word: &str) -> PathBuf {
    let mut name = input.file_stem().unwrap_or_default().to_os_string();
    name.push(format!(".{word}"));
    if let Some(extension) = input.extension() {
        name.push(".");
        name.push(extension);
    }
    input.with_file_name(name)
}

/// Writes what came of a document to a file that is not the input, or to standard output for `-`.
pub(crate) fn save(document: &Document, input: &Path, path: &Path) -> Result<()> {
    check_targets(std::iter::once((input, path)))?;
    write(&draft(document, path)?, path)
}

/// What would be written to a file, or to standard output for `-`, opened again from the bytes that it would have there.
pub(crate) fn draft(document: &Document, path: &Path) -> Result<Draft> {
    draft_as(document, path, false)
}

/// The same; `embed` puts everything into the file itself.
pub(crate) fn draft_as(document: &Document, path: &Path, embed: bool) -> Result<Draft> {
    let place = (!is_stream(path)).then_some(path);
    let draft = if embed { document.draft_whole(place) } else { document.draft(place) };
    draft.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes it.
pub(crate) fn write(draft: &Draft, path: &Path) -> Result<()> {
    if !is_stream(path) {
        return draft.write().with_context(|| format!("cannot write {}", path.display()));
    }
    let mut out = std::io::stdout().lock();
    let written = draft.contents().iter().try_for_each(|piece| out.write_all(piece)).and_then(|()| out.flush());
    written.context("cannot write to standard output")
}
