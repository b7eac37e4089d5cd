//! `keyfold validate`: whether files keep the rules, as far as animation reaches.

use crate::{Outcome, input, output};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{
    Document, Finding, Severity,
    validate::{self, Subjects, Validation},
};
use rayon::prelude::*;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
};

/// Check whether files keep the rules, as far as animation reaches
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  keyfold validate walk.glb
  keyfold validate assets/*.glb --max 5 --quiet
  keyfold validate walk.glb --json | jq '.findings[].code'
  keyfold validate --explain ACCESSOR_MIN_MISMATCH
  keyfold validate walk.glb --fix -o mended.glb
  keyfold validate assets/*.glb --fix -o mended/      one file each in the folder")]
pub(crate) struct Args {
    /// .gltf or .glb files, whatever their names; - for standard input
    #[arg(required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Explain a code, and how to mend what it stands for
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// Leave out advice (hints)
    #[arg(long, short)]
    quiet: bool,
    /// Show at most this many findings of each file
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Mend what has one obvious cure, and report on the result
    #[arg(long)]
    fix: bool,
    /// Where mended files go: a file for one, a folder for many; - for standard output
    #[arg(long, short, value_name = "OUT", requires = "fix")]
    output: Option<PathBuf>,
    /// Write mended files over their originals
    #[arg(long, requires = "fix", conflicts_with = "output")]
    in_place: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

/// What is to be said about one file.
#[derive(Serialize)]
struct Report {
    file: String,
    errors: usize,
    warnings: usize,
    infos: usize,
    hints: usize,
    /// How many findings `--max` left out.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
    /// Where the mended file went.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// What was mended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mended: Vec<Named>,
    findings: Vec<Named>,
    /// Whether people see only the first of many like hints.
    #[serde(skip)]
    fold: bool,
}

/// A finding, and the name of what it is about.
#[derive(Serialize)]
struct Named {
    #[serde(flatten)]
    finding: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(name) = &args.explain {
        return explain(name, args.json);
    }
    if args.fix {
        check_targets(args)?;
    }
    let reports: Vec<Result<Report>> = args.files.par_iter().map(|file| report(args, file)).collect();
    let mut outcome = Outcome::Done;
    let many = reports.len() > 1;
    let mut good = Vec::new();
    for report in reports {
        match report {
            Ok(report) => good.push(report),
            Err(error) if many => {
                output::error(&format!("{error:#}"));
                outcome = Outcome::Wrong;
            }
            Err(error) => return Err(error),
        }
    }
    if good.is_empty() {
        bail!("none of the files can be read");
    }
    if good.iter().any(|report| report.errors > 0) {
        outcome = Outcome::Wrong;
    }
    let to_stdout = args.output.as_deref().is_some_and(input::is_stream);
    if to_stdout {
        good.iter().for_each(|report| output::note(describe(report).trim_end()));
    } else {
        show(&good, args.json, many)?;
    }
    Ok(outcome)
}

fn show(reports: &[Report], json: bool, many: bool) -> Result<()> {
    #[derive(Serialize)]
    struct Files<'a> {
        files: &'a [Report],
    }
    match reports {
        _ if json && many => output::json(&Files { files: reports }),
        [report] if json => output::json(report),
        _ => output::print(&reports.iter().map(describe).collect::<Vec<_>>().join("\n")),
    }
}

fn report(args: &Args, file: &Path) -> Result<Report> {
    let (bytes, folder) = args.read.bytes(file)?;
    let unreadable = || format!("cannot read {}", input::name(file));
    let mut report = Report::new(file);
    let validation = if args.fix {
        // What is mended must be readable as a whole: a broken container has no obvious cure.
        let document = Document::from_bytes(bytes, folder, &args.read.options()).with_context(unreadable)?;
        fix(args, file, document, &mut report)?
    } else {
        validate::validate_bytes(&bytes, folder, &args.read.options()).with_context(unreadable)?
    };
    let Validation { findings, document } = validation;
    let advice = document.as_ref().filter(|_| !args.quiet).map(validate::advise).unwrap_or_default();
    let mut all: Vec<Finding> = findings.into_iter().chain(advice).collect();
    all.sort_by_key(|finding| finding.severity);
    report.take(all, document.as_ref(), args.max);
    Ok(report)
}

impl Report {
    fn new(file: &Path) -> Self {
        let file = input::name(file);
        Self {
            file,
            errors: 0,
            warnings: 0,
            infos: 0,
            hints: 0,
            omitted: 0,
            output: None,
            mended: Vec::new(),
            findings: Vec::new(),
            fold: true,
        }
    }

    fn take(&mut self, all: Vec<Finding>, document: Option<&Document>, max: Option<usize>) {
        let count = |severity| all.iter().filter(|finding| finding.severity == severity).count();
        self.errors = count(Severity::Error);
        self.warnings = count(Severity::Warning);
        self.infos = count(Severity::Info);
        self.hints = count(Severity::Hint);
        let shown = max.unwrap_or(usize::MAX).min(all.len());
        self.omitted = all.len() - shown;
        self.findings = named(document, all.into_iter().take(shown));
        self.fold = max.is_none();
    }
}

fn named(document: Option<&Document>, findings: impl IntoIterator<Item = Finding>) -> Vec<Named> {
    let subjects = document.map(Subjects::new);
    let subject = |at: &str| subjects.as_ref().and_then(|subjects| subjects.of(at));
    findings.into_iter().map(|finding| Named { subject: subject(&finding.at), finding }).collect()
}

/// Mends a document and writes it, also where there was nothing to mend: who asks for an output gets one.
fn fix(args: &Args, file: &Path, document: Document, report: &mut Report) -> Result<Validation> {
    let mended = validate::mend(&document).with_context(|| format!("cannot mend {}", input::name(file)))?;
    let changed = mended.is_some();
    let document = match mended {
        Some(mended) => {
            report.mended = named(Some(&document), mended.done);
            mended.document
        }
        None => document,
    };
    let target = target(args, file)?;
    if changed || !args.in_place {
        output::save(&document, &target)?;
        report.output = Some(target.display().to_string());
    }
    Ok(Validation { findings: validate::validate(&document), document: Some(document) })
}

/// Whether every mended file has a place of its own, and none is an original's unless that was asked for.
fn check_targets(args: &Args) -> Result<()> {
    let Some(output) = &args.output else {
        ensure!(args.in_place, "--fix needs a place for what it mends: -o OUT, or --in-place");
        ensure!(
            !args.files.iter().any(|file| input::is_stream(file)),
            "standard input has no place to write to: use -o"
        );
        return Ok(());
    };
    if input::is_stream(output) {
        ensure!(args.files.len() == 1, "only one file can go to standard output");
        ensure!(!args.json, "standard output is for the file: there is no place for --json");
        return Ok(());
    }
    let targets = args.files.iter().map(|file| target(args, file)).collect::<Result<Vec<_>>>()?;
    input::check_targets(args.files.iter().zip(&targets).map(|(file, target)| (file.as_path(), target.as_path())))
        .context("--in-place is for writing over originals")
}

/// Where a mended file goes.
fn target(args: &Args, file: &Path) -> Result<PathBuf> {
    let Some(output) = &args.output else { return Ok(file.to_path_buf()) };
    let folder = args.files.len() > 1 || output.is_dir() || output.to_string_lossy().ends_with(['/', '\\']);
    if !folder {
        return Ok(output.clone());
    }
    ensure!(!input::is_stream(file), "standard input has no name: -o must be a file");
    let name = file.file_name().with_context(|| format!("{} has no name", input::name(file)))?;
    Ok(output.join(name))
}

/// The report for people: a line of counts, then the findings, the worst first.
fn describe(report: &Report) -> String {
    let counts =
        [(report.errors, "error"), (report.warnings, "warning"), (report.infos, "info"), (report.hints, "hint")];
    let plural = |(n, word): &(usize, &str)| format!("{n} {word}{}", if *n == 1 { "" } else { "s" });
    let said: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(plural).collect();
    let said = if said.is_empty() { "no findings".into() } else { said.join(", ") };
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}: {said}\n", report.file);
    if let Some(output) = &report.output {
        let mends = plural(&(report.mended.len(), "mend"));
        let _ = writeln!(text, "  {mends}, written to {output}");
    }
    report.mended.iter().for_each(|finding| line(&mut text, finding));
    let mut hints: BTreeMap<&str, usize> = BTreeMap::new();
    for named in &report.findings {
        let hint = report.fold && named.finding.severity == Severity::Hint;
        let alike = if hint { hints.entry(named.finding.code).or_default() } else { &mut 0 };
        *alike += 1;
        if *alike <= ALIKE {
            line(&mut text, named);
        }
    }
    for (code, count) in hints.into_iter().filter(|(_, count)| *count > ALIKE) {
        let _ = writeln!(text, "  ... and {} more {code} (--max {} shows all)", count - ALIKE, report.findings.len());
    }
    if report.omitted > 0 {
        let _ = writeln!(text, "  ... and {} more", report.omitted);
    }
    text
}

/// How many like hints people see.
const ALIKE: usize = 3;

fn line(text: &mut String, named: &Named) {
    let Named { finding, subject } = named;
    let (color, word) = match finding.severity {
        Severity::Error => (AnsiColor::Red, "error"),
        Severity::Warning => (AnsiColor::Yellow, "warning"),
        Severity::Info => (AnsiColor::Cyan, "info"),
        Severity::Hint => (AnsiColor::Green, "hint"),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let subject = subject.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let _ = writeln!(text, "  {style}{word:<7}{style:#} {} {}{subject}: {}", finding.code, finding.at, finding.message);
}

fn explain(name: &str, json: bool) -> Result<Outcome> {
    let code = validate::explain(name).with_context(|| format!("there is no code {name}; docs/codes.md lists all"))?;
    if json {
        output::json(code)?;
    } else {
        let severity = format!("{:?}", code.severity).to_lowercase();
        output::print(&format!("{} ({severity})\n{}\nTo mend it: {}\n", code.name, code.about, code.mend))?;
    }
    Ok(Outcome::Done)
}
