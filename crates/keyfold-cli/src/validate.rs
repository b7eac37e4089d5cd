//! `keyfold validate`: whether files keep the rules, as far as animation reaches.

use crate::{
    Outcome,
    batch::{each_in_turn, in_order},
    files::{self, Job, Places},
    input,
    output::{self, in_line},
    turns::Turns,
};
use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{
    Document, Finding, Severity,
    pack::Sizes,
    validate::{self, NamedFinding, ValidationReport},
};
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

/// Check files against the rules of glTF that concern animation
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  keyfold validate walk.glb
  keyfold validate assets/*.glb --max 5 --quiet
  keyfold validate walk.glb --json | jq '.findings[].code'
  keyfold validate --explain ACCESSOR_MIN_MISMATCH
  keyfold validate walk.glb --fix -o fixed.glb
  keyfold validate assets/*.glb --fix -o fixed/      one fixed file each in the folder")]
pub(crate) struct Args {
    /// .gltf or .glb files, under any name; - for standard input
    #[arg(required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Explain a code and how to fix the problem
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// Show at most this many findings per file
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Fix problems that have one obvious fix, and report on the result
    #[arg(long)]
    fix: bool,
    /// Where to write fixed files: a file for one, a folder for many; - for standard output
    #[arg(long, short, value_name = "OUT", requires = "fix")]
    output: Option<PathBuf>,
    /// Overwrite the originals with the fixed files
    #[arg(long, requires = "fix", conflicts_with = "output")]
    in_place: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(name) = &args.explain {
        return explain(name, args.json);
    }
    let jobs = args.jobs()?;
    let turns = Turns::new(if args.fix { &jobs } else { &[] });
    let all = |reports: &mut dyn Iterator<Item = (usize, Result<Report>)>| in_order(reports).collect();
    let reports: Vec<Result<Report>> = each_in_turn(&jobs, &turns, |job| args.report(job), all)?;
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
    if good.iter().any(|report| report.said.errors > 0) {
        outcome = Outcome::Wrong;
    }
    args.show(&good, many)?;
    Ok(outcome)
}

/// What is to be said about one file, as `--json` prints it.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    said: ValidationReport,
    /// How many things `--fix` would fix.
    #[serde(rename = "mendable", skip_serializing_if = "Option::is_none")]
    fixable: Option<usize>,
    /// What the file took, and takes fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<Sizes>,
}

impl Args {
    /// The files, with the places that fixed ones go to.
    fn jobs(&self) -> Result<Vec<Job>> {
        let found: Vec<_> = self.files.iter().map(|file| files::alone(file)).collect();
        if !self.fix {
            return Ok(found.into_iter().map(|(input, _)| Job { output: input.clone(), input }).collect());
        }
        let places = Places { output: self.output.as_deref(), out_dir: None, in_place: self.in_place };
        ensure!(!(self.to_stdout() && self.json), "standard output is for the file: there is no place for --json");
        places.jobs(found, false, None)
    }

    fn to_stdout(&self) -> bool {
        self.output.as_deref().is_some_and(input::is_stream)
    }

    fn show(&self, reports: &[Report], many: bool) -> Result<()> {
        #[derive(Serialize)]
        struct Files<'a> {
            files: &'a [Report],
        }
        let described = || reports.iter().map(|report| describe(report, self.max.is_none()));
        match reports {
            _ if self.to_stdout() => {
                described().for_each(|text| output::note(&anstream::adapter::strip_str(text.trim_end()).to_string()));
                Ok(())
            }
            _ if self.json && many => output::json(&Files { files: reports }),
            [report] if self.json => output::json(report),
            _ => output::print_styled(&described().collect::<Vec<_>>().join("\n")),
        }
    }

    fn report(&self, job: &Job) -> Result<Report> {
        let file = &job.input;
        let (bytes, folder) = self.read.bytes(file)?;
        let unreadable = || format!("cannot read {}", input::name(file));
        let (findings, document, fixed) = if self.fix {
            // What is fixed must be readable as a whole: a broken container has no obvious cure.
            let length = bytes.len() as u64;
            let document = self.read.document(file, bytes, folder)?;
            let (findings, document, fixed) = fix(job, document, length)?;
            (findings, Some(document), Some(fixed))
        } else {
            let found = validate::validate_bytes(&bytes, folder, &self.read.options()).with_context(unreadable)?;
            (found.findings, found.document, None)
        };
        let wrong = findings.iter().any(|f| matches!(f.severity, Severity::Error | Severity::Warning));
        // What cannot be fixed for some reason is not promised to be.
        let fixes = |document: &Document| Some(validate::fix(document).ok()??.done.len());
        let fixable = document.as_ref().filter(|_| wrong && !self.fix).and_then(fixes);
        let advice = document.as_ref().filter(|_| !output::is_quiet()).map(validate::advise).unwrap_or_default();
        let all = findings.into_iter().chain(advice).collect();
        let said = ValidationReport::new(input::name(file), document.as_ref(), all, self.max);
        let Fixed { output, fixed, bytes } = fixed.unwrap_or_default();
        Ok(Report { said: ValidationReport { output, fixed, ..said }, fixable, bytes })
    }
}

/// What `--fix` did.
#[derive(Default)]
struct Fixed {
    output: Option<String>,
    fixed: Vec<NamedFinding>,
    bytes: Option<Sizes>,
}

/// Fixes a document of so many bytes and writes it, also where there was nothing to fix: who asks for an output gets one.
fn fix(job: &Job, document: Document, length: u64) -> Result<(Vec<Finding>, Document, Fixed)> {
    let fixed = validate::fix(&document).with_context(|| format!("cannot fix {}", input::name(&job.input)))?;
    let (changed, mut outcome) = (fixed.is_some(), Fixed::default());
    let before = length + document.bytes_apart();
    let document = match fixed {
        Some(fixed) => {
            outcome.fixed = NamedFinding::all(Some(&document), fixed.done);
            fixed.document
        }
        None => document,
    };
    if !changed && job.is_in_place() {
        return Ok((validate::validate(&document), document, outcome));
    }
    let draft = output::draft(&document, &job.output)?;
    output::write(&draft, &job.output)?;
    outcome.output = Some(job.output.display().to_string());
    outcome.bytes = Some(Sizes { before, after: draft.bytes() });
    // What is said of the result is said of what is on disk.
    Ok((validate::validate(draft.document()), document, outcome))
}

/// The report for people: a line of counts, then the findings, the worst first. Equal ones are told once with their count; of many of one
/// code, the first few, where they are folded.
fn describe(report: &Report, fold: bool) -> String {
    let Report { said, fixable, bytes } = report;
    let counts = [(said.errors, "error"), (said.warnings, "warning"), (said.infos, "info"), (said.hints, "hint")];
    let plural = |(n, word): &(usize, &str)| format!("{n} {word}{}", if *n == 1 { "" } else { "s" });
    let counted: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(plural).collect();
    let counted = if counted.is_empty() { "no findings".into() } else { counted.join(", ") };
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}: {counted}\n", in_line(&said.file));
    if let Some(output) = &said.output {
        let fixes = if said.fixed.len() == 1 { "1 fix".into() } else { format!("{} fixes", said.fixed.len()) };
        let Sizes { before, after } = bytes.unwrap_or_default();
        let _ = writeln!(text, "  {fixes}, written to {}: {before} -> {after} bytes", in_line(output));
    }
    said.fixed.iter().for_each(|finding| line(&mut text, finding, 1));
    let fold = fold && !output::is_verbose();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for output::Alike { first, count } in output::alike(said.findings.clone(), fold) {
        let shown = codes.entry(first.finding.code).or_default();
        *shown += 1;
        if !fold || *shown <= ALIKE {
            line(&mut text, &first, count);
        }
    }
    for (code, count) in codes.into_iter().filter(|(_, count)| fold && *count > ALIKE) {
        let _ = writeln!(text, "  ... and {} more {code} (--verbose shows all)", count - ALIKE);
    }
    if said.omitted > 0 {
        let _ = writeln!(text, "  ... and {} more", said.omitted);
    }
    if let Some(count) = fixable.filter(|_| !output::is_quiet()) {
        let _ = writeln!(text, "  --fix would fix {}", plural(&(count, "thing")));
    }
    text
}

/// How many findings of one code people see.
const ALIKE: usize = 3;

fn line(text: &mut String, named: &NamedFinding, count: usize) {
    let NamedFinding { finding, subject } = named;
    let (color, word) = match finding.severity {
        Severity::Error => (AnsiColor::Red, "error"),
        Severity::Warning => (AnsiColor::Yellow, "warning"),
        Severity::Info => (AnsiColor::Cyan, "info"),
        Severity::Hint => (AnsiColor::Green, "hint"),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let subject = subject.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let more = if count > 1 { format!("; {} more like it", count - 1) } else { String::new() };
    let said = format!("{} {}{subject}: {}{more}", finding.code, finding.at, finding.message);
    let _ = writeln!(text, "  {style}{word:<7}{style:#} {}", in_line(&said));
}

fn explain(name: &str, json: bool) -> Result<Outcome> {
    let code = validate::explain(name).with_context(|| format!("there is no code {name}; docs/codes.md lists all"))?;
    if json {
        output::json(code)?;
    } else {
        let severity = format!("{:?}", code.severity).to_lowercase();
        output::print(&format!("{} ({severity})\n{}\nTo fix it: {}\n", code.name, code.about, code.fix))?;
    }
    Ok(Outcome::Done)
}
