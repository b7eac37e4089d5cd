//! `keyfold validate`: whether files keep the rules, as far as animation reaches.

use crate::{
    Outcome, input,
    output::{self, plain},
};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{
    Document, Severity,
    validate::{self, NamedFinding, Validation, ValidationReport},
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

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(name) = &args.explain {
        return explain(name, args.json);
    }
    if args.fix {
        check_targets(args)?;
    }
    let reports: Vec<Result<ValidationReport>> = args.files.par_iter().map(|file| report(args, file)).collect();
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
        let plain = |report| anstream::adapter::strip_str(describe(report, args.max.is_none()).trim_end()).to_string();
        good.iter().for_each(|report| output::note(&plain(report)));
    } else {
        show(&good, args, many)?;
    }
    Ok(outcome)
}

fn show(reports: &[ValidationReport], args: &Args, many: bool) -> Result<()> {
    #[derive(Serialize)]
    struct Files<'a> {
        files: &'a [ValidationReport],
    }
    match reports {
        _ if args.json && many => output::json(&Files { files: reports }),
        [report] if args.json => output::json(report),
        _ => output::print_styled(
            &reports.iter().map(|report| describe(report, args.max.is_none())).collect::<Vec<_>>().join("\n"),
        ),
    }
}

fn report(args: &Args, file: &Path) -> Result<ValidationReport> {
    let (bytes, folder) = args.read.bytes(file)?;
    let unreadable = || format!("cannot read {}", input::name(file));
    let (validation, fixed) = if args.fix {
        // What is mended must be readable as a whole: a broken container has no obvious cure.
        let document = Document::from_bytes(bytes, folder, &args.read.options()).with_context(unreadable)?;
        let (validation, fixed) = fix(args, file, document)?;
        (validation, Some(fixed))
    } else {
        (validate::validate_bytes(&bytes, folder, &args.read.options()).with_context(unreadable)?, None)
    };
    let Validation { findings, document } = validation;
    let advice = document.as_ref().filter(|_| !args.quiet).map(validate::advise).unwrap_or_default();
    let all = findings.into_iter().chain(advice).collect();
    let report = ValidationReport::new(input::name(file), document.as_ref(), all, args.max);
    let Fixed { output, mended } = fixed.unwrap_or_default();
    Ok(ValidationReport { output, mended, ..report })
}

/// What `--fix` did.
#[derive(Default)]
struct Fixed {
    output: Option<String>,
    mended: Vec<NamedFinding>,
}

/// Mends a document and writes it, also where there was nothing to mend: who asks for an output gets one.
fn fix(args: &Args, file: &Path, document: Document) -> Result<(Validation, Fixed)> {
    let mended = validate::mend(&document).with_context(|| format!("cannot mend {}", input::name(file)))?;
    let (changed, mut fixed) = (mended.is_some(), Fixed::default());
    let document = match mended {
        Some(mended) => {
            fixed.mended = NamedFinding::all(Some(&document), mended.done);
            mended.document
        }
        None => document,
    };
    let target = target(args, file)?;
    if !changed && args.in_place {
        return Ok((Validation { findings: validate::validate(&document), document: Some(document) }, fixed));
    }
    let draft = output::draft(&document, &target)?;
    output::write(&draft, &target)?;
    fixed.output = Some(target.display().to_string());
    // What is said of the result is said of what is on disk.
    Ok((Validation { findings: validate::validate(draft.document()), document: Some(document) }, fixed))
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

/// The report for people: a line of counts, then the findings, the worst first; of many like hints, only the first where they are folded.
fn describe(report: &ValidationReport, fold: bool) -> String {
    let counts =
        [(report.errors, "error"), (report.warnings, "warning"), (report.infos, "info"), (report.hints, "hint")];
    let plural = |(n, word): &(usize, &str)| format!("{n} {word}{}", if *n == 1 { "" } else { "s" });
    let said: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(plural).collect();
    let said = if said.is_empty() { "no findings".into() } else { said.join(", ") };
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}: {said}\n", plain(&report.file));
    if let Some(output) = &report.output {
        let mends = plural(&(report.mended.len(), "mend"));
        let _ = writeln!(text, "  {mends}, written to {}", plain(output));
    }
    report.mended.iter().for_each(|finding| line(&mut text, finding));
    let mut hints: BTreeMap<&str, usize> = BTreeMap::new();
    for named in &report.findings {
        let hint = fold && named.finding.severity == Severity::Hint;
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

fn line(text: &mut String, named: &NamedFinding) {
    let NamedFinding { finding, subject } = named;
    let (color, word) = match finding.severity {
        Severity::Error => (AnsiColor::Red, "error"),
        Severity::Warning => (AnsiColor::Yellow, "warning"),
        Severity::Info => (AnsiColor::Cyan, "info"),
        Severity::Hint => (AnsiColor::Green, "hint"),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let subject = subject.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let said = format!("{} {}{subject}: {}", finding.code, finding.at, finding.message);
    let _ = writeln!(text, "  {style}{word:<7}{style:#} {}", plain(&said));
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
