//! `keyfold diff`: how far two files' animations lie apart, worst joint and second first.

use crate::{
    Outcome, input,
    measure::MeasureArgs,
    nodes::NodeArgs,
    output::{self, Remarks, length, percent, title},
    sample::choose,
};
use anyhow::{Context, Result};
use keyfold::{
    AnimationDiff, Bound, Diff, Document, Severity, Unmatched, diff_nodes, read,
    report::{AnimationReport, report_of},
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Measure how far the animations of two files differ
#[derive(clap::Args)]
#[command(after_help = "\
The error is the largest distance found between a point of A and the same point of B. Every node that moves has three points: one on each of its axes, as far \
out as the farthest vertex that the node carries. 'Possible' is a proven limit: no point is farther away at any time, between keys included. Files may \
differ in keys, storage and the order of nodes.

The exit code is 1 if a given bound is exceeded, if the files have nothing in common (the figures are then null), or if a channel of either file \
cannot be read.

Examples:
  keyfold diff walk.glb walk.packed.glb
  keyfold diff walk.glb walk.packed.glb --max-error 0.1mm     exits with 1 if a point is farther off
  keyfold diff walk.glb walk.packed.glb --node hand.left
  keyfold diff a.glb b.glb --json | jq .possible
  keyfold diff a.glb b.glb --json --over-time --animation walk | jq '.over_time[0].joints[0]'")]
pub(crate) struct Args {
    /// The original; - for standard input
    a: PathBuf,
    /// The file to compare with it
    b: PathBuf,
    /// Exit with 1 if the error is larger: a percentage of the model's size (0.01%), a length (0.1mm, 2cm) or a number of scene units
    #[arg(long, value_name = "E")]
    max_error: Option<Bound>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// With --json: also print every joint's error over time, and every track before and after with its keys
    #[arg(long, requires = "json")]
    over_time: bool,
    /// With --over-time: only this animation of A, by name or index
    #[arg(long, value_name = "NAME|INDEX", requires = "over_time")]
    animation: Option<String>,
    #[command(flatten)]
    read: input::ReadArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    diff: &'a Diff,
    #[serde(skip_serializing_if = "Option::is_none")]
    over_time: Option<Vec<AnimationReport>>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let ((a, _), (b, _)) = (args.read.open(&args.a)?, args.read.open(&args.b)?);
    let chosen = args.nodes.of(&a).with_context(|| input::name(&args.a))?;
    let some = args.nodes.some();
    let found = diff_nodes(&a, &b, args.measure.shell, &|node| !some || chosen.get(node).is_some_and(|c| *c))
        .with_context(|| format!("{} and {}", input::name(&args.a), input::name(&args.b)))?;
    if args.json {
        let over_time = args.over_time.then(|| args.over_time(&a, &b)).transpose()?;
        output::json(&Told { diff: &found, over_time })?;
    } else {
        output::print(&describe(&found))?;
    }
    let apart = found.unmatched.iter().filter(|what| !matches!(what, Unmatched::Unreadable { .. }));
    apart.for_each(|what| output::note(&what.to_string()));
    found.undefined.iter().for_each(|what| output::note(what));
    let readable = tell_unreadable(&a, &args.a)?.and(tell_unreadable(&b, &args.b)?);
    Ok(readable.and(Outcome::wrong_if(args.exceeded(&found))))
}

/// Says what of a file could not be compared because nobody can read it: that is no difference, and no equality either.
fn tell_unreadable(document: &Document, path: &Path) -> Result<Outcome> {
    let findings = read(document)?.findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let mut remarks = Remarks::default();
    remarks.findings(document, &findings.collect::<Vec<_>>());
    remarks.tell(Some(&input::name(path)));
    Ok(remarks.outcome())
}

impl Args {
    fn over_time(&self, a: &Document, b: &Document) -> Result<Vec<AnimationReport>> {
        let animations = read(a)?.animations;
        let only = self.animation.as_deref().map(|name| choose(&animations, Some(name))).transpose()?;
        Ok(report_of(a, b, self.measure.shell, |animation| only.is_none_or(|only| only.index == animation.index))?)
    }

    fn exceeded(&self, found: &Diff) -> bool {
        let gates = self.max_error.is_some() || self.measure.max_property_error.is_some();
        let properties = found.animations.iter().any(|a| a.properties.max > self.measure.property_bound().0);
        let apart = self.max_error.is_some_and(|bound| found.possible > bound.in_scene(found.model_size));
        !found.in_common() || apart || (gates && (properties || !found.unmatched.is_empty()))
    }
}

fn describe(found: &Diff) -> String {
    if !found.in_common() {
        return "The files have nothing in common: no animated node or property of one answers to one of the other.\n"
            .to_owned();
    }
    let summary = format!(
        "largest error {} ({}), at most {} possible, of a model of size {:.4}\n",
        length(found.error),
        percent(found.relative),
        length(found.possible),
        found.model_size
    );
    if found.animations.is_empty() {
        return summary + "no animations\n";
    }
    let header = ["animation", "node", "property", "second", "error", "of size", "possible", "rms", "property off"];
    summary + "\n" + &output::table(&header, found.animations.iter().map(row), 3)
}

fn row(a: &AnimationDiff) -> Vec<String> {
    vec![
        title(a.name.as_deref(), a.index),
        a.node.map_or_else(|| "-".into(), |node| title(a.node_name.as_deref(), node)),
        a.properties.target.clone().unwrap_or_else(|| "-".into()),
        a.time.map_or_else(|| "-".into(), |t| format!("{t:.3}")),
        length(a.error),
        percent(a.relative),
        length(a.possible),
        length(a.rms),
        percent(a.properties.max),
    ]
}
