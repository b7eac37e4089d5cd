//! `keyfold clip build`: an animation, or all of a file's, as runtime clips.

use crate::{Outcome, input, measure::MeasureArgs, output, sample};
use anyhow::{Context, Result, ensure};
use keyfold::{
    Animation, Bound, BuiltClip, ClipOptions, ClipReport, Document, ErrorSize, build_clip,
    document::{real_path, write_file},
    read,
};
use keyfold_core::clip::{Encoding, MAGIC};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Build a runtime clip of one animation, or of each of them
#[derive(clap::Args)]
#[command(after_help = "\
The bound holds at every time, between keys included. With --fps it is relative to the animation resampled at that rate (straight lines between samples), \
without --fps to the animation itself. The error of resampling alone and the total error are reported separately.

Examples:
  keyfold clip build walk.glb -o walk.kfc --fps 30 --max-error 0.1mm
  keyfold clip build moves.glb --all -o clips --fps 30
  keyfold clip build walk.glb -o walk.kfc --encoding fixed --bits 16
  keyfold clip build walk.glb -o - | keyfold clip sample - --fps 10")]
pub(crate) struct Args {
    /// A .gltf or .glb file, under any name; - for standard input
    input: PathBuf,
    /// Where to write; - for standard output; with --all, a folder
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The animation's name or index [default: the first]
    #[arg(long, value_name = "NAME|INDEX", conflicts_with = "all")]
    animation: Option<String>,
    /// Build all animations, each into a file named after it
    #[arg(long)]
    all: bool,
    /// Resample at this many keys per second [default: the animation's own keys]
    #[arg(long, value_name = "N")]
    fps: Option<f32>,
    /// How to store keys: variable is smallest, fixed is fastest
    #[arg(long, value_name = "variable|fixed", default_value = "variable", value_parser = encoding)]
    encoding: Encoding,
    /// Bits per component of a fixed clip, whatever the error [default: the fewest that hold the bound]
    #[arg(long, value_name = "N")]
    bits: Option<u32>,
    /// Largest distance that a measured point may move: a percentage of the model's size, a length, or scene units
    #[arg(long, value_name = "E", default_value_t = Bound::default())]
    max_error: Bound,
    #[command(flatten)]
    measure: MeasureArgs,
    /// Keep tracks that only hold the rest pose, for motion made for other skeletons; .vrma files always keep them
    #[arg(long)]
    keep_rest: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

fn encoding(text: &str) -> Result<Encoding, String> {
    let known = [Encoding::Variable, Encoding::Fixed].into_iter().find(|e| e.name() == text);
    known.ok_or_else(|| "give `variable` or `fixed`".to_owned())
}

#[derive(Serialize)]
struct Reports<'a> {
    clips: &'a [ClipReport],
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    ensure!(args.bits.is_none() || args.encoding == Encoding::Fixed, "--bits goes with --encoding fixed");
    ensure!(args.measure.property_bound().0 > 0.0, "--max-property-error should be a positive number");
    let stream = input::is_stream(&args.output);
    ensure!(!(stream && args.all), "--all writes one file for each animation: give a folder instead of -");
    ensure!(!(stream && args.json), "--json and -o - both want standard output");
    let (document, _) = args.read.open(&args.input)?;
    let found = read(&document)?;
    // Told first: an animation without readable channels cannot be built.
    let readable = output::findings(&document, &found.findings);
    let chosen: Vec<&Animation> = match args.all {
        true => found.animations.iter().collect(),
        false => vec![sample::choose(&found.animations, args.animation.as_deref())?],
    };
    let place =
        |animation: &&Animation| if args.all { args.output.join(file_name(animation)) } else { args.output.clone() };
    let places: Vec<PathBuf> = chosen.iter().map(place).collect();
    places.iter().filter(|_| !stream).try_for_each(|path| check_place(path, args, &document))?;
    let built = chosen.par_iter().map(|animation| build(args, &document, animation)).collect::<Result<Vec<_>>>()?;
    let mut reports = Vec::new();
    for (path, clip) in places.iter().zip(&built) {
        // With bits asked for, what they make is wanted; a bound that was searched for and not held is not written.
        let output = (clip.holds || args.bits.is_some()).then(|| path.display().to_string());
        if output.is_some() {
            write(path, &clip.bytes)?;
        }
        let mut report = clip.report()?;
        report.output = output;
        reports.push(report);
    }
    print(args, &reports)?;
    let held = Outcome::wrong_if(reports.iter().any(|r| !r.held));
    Ok(held.and(readable))
}

/// Whether a clip may take a place: nothing is there but perhaps another one.
fn check_place(path: &Path, args: &Args, document: &Document) -> Result<()> {
    let read = input::same_file(path, &args.input) || document.files().contains(&real_path(path));
    ensure!(!read, "{} is read from, and would be overwritten", path.display());
    let free = input::is_called(path, &["kfc"]) || input::may_replace(path, |start| start.starts_with(&MAGIC));
    ensure!(free, "{} is no clip, and would be overwritten", path.display());
    Ok(())
}

fn build(args: &Args, document: &Document, animation: &Animation) -> Result<BuiltClip> {
    let options = ClipOptions {
        rate: args.fps,
        encoding: args.encoding,
        bits: args.bits,
        max_error: args.max_error,
        max_property_error: args.measure.property_bound(),
        probe_radius: args.measure.shell,
        keep_rest: args.keep_rest,
    };
    build_clip(document, animation.index, &options).with_context(|| format!("/animations/{}", animation.index))
}

/// So many bytes of an animation's name go into its file's: most file systems take 255 in all.
const LONGEST: usize = 200;

/// A name for an animation's file that every file system takes, and that no two animations share.
fn file_name(animation: &Animation) -> String {
    let letters = animation.name.as_deref().unwrap_or_default().char_indices();
    let name: String = letters.take_while(|(at, c)| at + c.len_utf8() <= LONGEST).map(|(_, c)| plain(c)).collect();
    let joint = if name.is_empty() { "" } else { "_" };
    format!("{:03}{joint}{name}.kfc", animation.index)
}

fn plain(c: char) -> char {
    if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if input::is_stream(path) {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        return out.write_all(bytes).and_then(|()| out.flush()).context("cannot write to standard output");
    }
    write_file(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn print(args: &Args, reports: &[ClipReport]) -> Result<()> {
    match (args.json, args.all) {
        (true, true) => output::json(&Reports { clips: reports })?,
        (true, false) => output::json(&reports.first())?,
        (false, _) if input::is_stream(&args.output) => {}
        (false, _) => output::print(&readable(reports))?,
    }
    for r in reports.iter().filter(|r| !r.held) {
        let written = if r.output.is_some() { "" } else { "; nothing was written" };
        output::error(&format!("/animations/{}: {}{written}", r.animation.index, complaint(r)));
    }
    Ok(())
}

/// What is wrong with a clip that does not hold.
fn complaint(r: &ClipReport) -> String {
    let (bound, error, possible) = (r.bound, r.error.max, r.possible.max);
    if possible <= bound {
        "a property is farther off than --max-property-error allows".into()
    } else if error > bound {
        format!(
            "the bound of {bound:.3e} is not held: {error:.3e} was measured, up to {possible:.3e} cannot be ruled out"
        )
    } else {
        format!(
            "the bound of {bound:.3e} is not proven: {error:.3e} was measured, but up to {possible:.3e} cannot be ruled out"
        )
    }
}

fn share(error: ErrorSize) -> String {
    format!("{:.3e} ({:.4} %)", error.max, error.relative * 100.0)
}

fn readable(reports: &[ClipReport]) -> String {
    let rows = reports.iter().map(|r| {
        vec![
            r.animation.to_string(),
            r.output.clone().unwrap_or_else(|| "not written".into()),
            r.tracks.to_string(),
            r.keys.to_string(),
            r.bytes.to_string(),
            share(r.total),
            share(r.error),
            share(r.resampling),
        ]
    });
    let header = ["animation", "output", "tracks", "keys", "bytes", "error in all", "of storing", "of resampling"];
    output::table(&header, rows, 2)
}
