//! `keyfold inspect`: what a file's animations are, and what they weigh.

use crate::{
    Outcome, input,
    nodes::{self, NodeArgs},
    output::{self, in_line, title},
};
use anyhow::{Context, Result};
use keyfold::{
    Document, Severity,
    inspect::{AnimationSummary, FileInspection, Inspection, inspect},
};
use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

/// Show a file's animations and their sizes
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  keyfold inspect walk.glb
  keyfold inspect walk.glb --tracks            every track on its own line
  keyfold inspect walk.glb --node 'leg*'       the tracks of some nodes
  keyfold inspect walk.glb --json | jq '.animations[].name'
  curl -s $ADDRESS | keyfold inspect -")]
pub(crate) struct Args {
    /// A .gltf or .glb file, under any name; - for standard input
    file: PathBuf,
    /// List every track
    #[arg(long)]
    tracks: bool,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (document, bytes) = args.read.open(&args.file)?;
    let name = input::name(&args.file);
    let inspection = args.inspected(&document).with_context(|| name.clone())?;
    let file = FileInspection { file: name, bytes, inspection };
    if args.json {
        output::json(&file)?;
    } else {
        output::print(&describe(args, &document, &file))?;
    }
    let inspection = &file.inspection;
    output::findings(&document, &inspection.findings);
    // Nothing is made here that a channel of an unknown path could be missing from.
    Ok(Outcome::wrong_if(inspection.findings.iter().any(|f| f.severity == Severity::Error)))
}

impl Args {
    /// What there is, or of the nodes that are asked for.
    fn inspected(&self, document: &Document) -> Result<Inspection> {
        let mut inspection = inspect(document)?;
        let chosen = self.nodes.of(document)?;
        if self.nodes.some() {
            let wanted = |target: &str| nodes::index_of(target).and_then(|node| chosen.get(node)).is_some_and(|c| *c);
            inspection.animations.iter_mut().for_each(|a| a.tracks.retain(|track| wanted(&track.target)));
            inspection.animations.retain(|animation| !animation.tracks.is_empty());
        }
        Ok(inspection)
    }
}

fn describe(args: &Args, document: &Document, FileInspection { file, bytes, inspection }: &FileInspection) -> String {
    let mut text = format!("{}: {bytes} bytes", in_line(file));
    if !inspection.extensions.used.is_empty() {
        let _ = write!(text, ", uses {}", in_line(&inspection.extensions.used.join(", ")));
    }
    text.push('\n');
    if inspection.animations.is_empty() {
        return text + "no animations\n";
    }
    text.push('\n');
    text += &output::table(
        &["animation", "storage", "interpolation", "seconds", "tracks", "keys", "bytes"],
        inspection.animations.iter().map(row),
        3,
    );
    if args.tracks || args.nodes.some() {
        inspection.animations.iter().for_each(|animation| text += &tracks(document, animation));
    }
    text
}

fn row(animation: &AnimationSummary) -> Vec<String> {
    let kinds = |pick: fn(&keyfold::inspect::TrackSummary) -> &'static str| {
        let mut counts = BTreeMap::new();
        animation.tracks.iter().for_each(|t| *counts.entry(pick(t)).or_insert(0) += 1);
        counts.into_keys().collect::<Vec<_>>().join(", ")
    };
    vec![
        title(animation.name.as_deref(), animation.index),
        kinds(|t| t.storage),
        kinds(|t| t.interpolation),
        format!("{:.3}", animation.duration),
        animation.tracks.len().to_string(),
        animation.keys.to_string(),
        animation.animation_bytes.to_string(),
    ]
}

fn tracks(document: &Document, animation: &AnimationSummary) -> String {
    let rows = animation.tracks.iter().map(|t| {
        vec![
            nodes::titled(document, &t.target),
            t.storage.into(),
            t.interpolation.into(),
            t.keys.to_string(),
            t.bytes.to_string(),
        ]
    });
    let table = output::table(&["target", "storage", "interpolation", "keys", "bytes"], rows, 3);
    format!("\n{}\n{table}", in_line(&title(animation.name.as_deref(), animation.index)))
}
