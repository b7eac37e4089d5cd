//! `keyfold sample`: the values of an animation at given times.

use crate::{
    Outcome, input,
    nodes::{self, NodeArgs},
    output,
};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{Animation, Document, Finding, Samples, TrackSamples, freeze, pack::matches, read};
use std::path::PathBuf;

/// Print the values of an animation at given times
#[derive(clap::Args)]
#[command(after_help = "\
Times outside the keys clamp to the nearest key, as glTF requires. Rotations are unit quaternions XYZW.

Examples:
  keyfold sample walk.glb --time 0,0.5,1
  keyfold sample walk.glb --animation run --fps 30 --csv > run.csv
  keyfold sample walk.glb --animation 2 --fps 60 --json
  keyfold sample walk.glb --node hips --time 0
  keyfold sample walk.glb --time 0,1 --track '/nodes/3/*'
  keyfold sample walk.glb --time 1.5 --apply -o pose.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file, under any name; - for standard input
    file: PathBuf,
    /// The animation's name or index [default: the first]
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    #[command(flatten)]
    times: Times,
    /// Only tracks whose target (/nodes/3/rotation) matches; * matches anything
    #[arg(long, value_name = "PATTERN", conflicts_with = "apply")]
    track: Vec<String>,
    #[command(flatten)]
    form: Form,
    /// Write the document frozen at the time instead: every animated property gets its value at that time
    #[arg(long, requires = "output", conflicts_with_all = ["json", "csv", "fps"])]
    apply: bool,
    /// Where to write the frozen document; - for standard output
    #[arg(short, long, value_name = "OUT", requires = "apply")]
    output: Option<PathBuf>,
    /// Keep the animations in the frozen document
    #[arg(long, requires = "apply")]
    keep_animations: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

/// How to print samples.
#[derive(clap::Args, Clone)]
pub(crate) struct Form {
    /// Print one JSON document
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, one line per time
    #[arg(long)]
    csv: bool,
}

/// When to sample.
#[derive(clap::Args, Clone)]
#[group(required = true, multiple = false)]
pub(crate) struct Times {
    /// Times in seconds
    #[arg(long = "time", value_name = "T[,T...]", value_delimiter = ',', allow_hyphen_values = true)]
    list: Vec<f64>,
    /// From 0 to the animation's end, at this many times per second
    #[arg(long, value_name = "N")]
    fps: Option<f64>,
}

/// More rows than anybody can want: the times alone take memory.
const MOST_TIMES: f64 = 10_000_000.0;

impl Times {
    /// The times themselves; `duration` is the animation's.
    pub(crate) fn resolve(&self, duration: f64) -> Result<Vec<f64>> {
        let Some(fps) = self.fps else {
            if let Some(time) = self.list.iter().find(|time| !time.is_finite()) {
                bail!("--time {time} is no time: give seconds from the animation's begin");
            }
            return Ok(self.list.clone());
        };
        ensure!(fps.is_finite() && fps > 0.0, "--fps should be a positive number");
        let frames = (duration * fps).max(0.0);
        ensure!(frames < MOST_TIMES, "{duration} seconds at {fps} frames a second are too many times");
        let mut times: Vec<f64> = (0..=frames as u64).map(|i| i as f64 / fps).collect();
        // The end belongs to the animation also where it falls between two frames.
        if times.last().is_some_and(|last| duration - last > 1e-6 / fps) {
            times.push(duration);
        }
        Ok(times)
    }
}

/// What it takes to sample and print.
pub(crate) struct Cost {
    pub(crate) memory: usize,
    pub(crate) work: u64,
}

impl Cost {
    /// Of tracks of these widths at so many times: a row of its own for each track and time; each number is sampled and printed.
    pub(crate) fn new(times: usize, widths: impl Iterator<Item = usize>) -> Self {
        let (rows, numbers) = widths.fold((0, 0), |(rows, numbers), width| (rows + 1, numbers + width));
        let row = size_of::<Vec<f64>>() + 2 * size_of::<usize>();
        let memory = times.saturating_mul(rows * row + numbers * size_of::<f64>());
        Self { memory, work: (times as u64).saturating_mul(numbers as u64).saturating_mul(50) }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (document, _) = args.read.open(&args.file)?;
    args.sample(&document).with_context(|| input::name(&args.file))
}

impl Args {
    fn sample(&self, document: &Document) -> Result<Outcome> {
        let found = read(document)?;
        let animation = choose(&found.animations, self.animation.as_deref())?;
        let times = self.times.resolve(f64::from(animation.duration()))?;
        let said = |findings: &mut dyn Iterator<Item = Finding>| outcome(document, animation, findings);
        if let Some(path) = &self.output {
            let [time] = times[..] else { bail!("a document is frozen at one time, not at {}", times.len()) };
            let keyfold::Changed { document: frozen, findings: unset, .. } =
                freeze(document, animation, time, self.keep_animations)?;
            output::save(&frozen, &self.file, path)?;
            return Ok(said(&mut found.findings.into_iter().chain(unset)));
        }
        let animation = &self.wanted(document, animation)?;
        let widths = animation.tracks.iter().map(|track| track.curve.width());
        let (cost, at) = (Cost::new(times.len(), widths), || format!("/animations/{}", animation.index));
        document.pay_work(cost.work, at)?;
        document.check_memory(cost.memory, at)?;
        print(&self.form, &Samples::of(animation, times), |target| nodes::titled(document, target))?;
        Ok(said(&mut found.findings.into_iter()))
    }

    /// The animation with the tracks that are asked for.
    fn wanted(&self, document: &Document, animation: &Animation) -> Result<Animation> {
        let chosen = self.nodes.of(document)?;
        let fits = |target: &str| self.track.is_empty() || self.track.iter().any(|pattern| matches(pattern, target));
        let of_nodes = |target: &str| {
            !self.nodes.some() || nodes::index_of(target).and_then(|node| chosen.get(node)).is_some_and(|c| *c)
        };
        let wanted = |target: &str| fits(target) && of_nodes(target);
        let tracks = animation.tracks.iter().filter(|track| wanted(&track.target.to_string())).cloned();
        Ok(Animation { tracks: tracks.collect(), ..animation.clone() })
    }
}

/// Says what was found about an animation, and whether something had to be left out.
fn outcome(document: &Document, animation: &Animation, findings: &mut dyn Iterator<Item = Finding>) -> Outcome {
    let mine = format!("/animations/{}/", animation.index);
    let is_mine = |f: &Finding| !f.at.starts_with("/animations/") || f.at.starts_with(&mine);
    let ours: Vec<Finding> = findings.filter(is_mine).collect();
    output::findings(document, &ours)
}

/// Prints what an animation's targets are at some times; `titled` calls them as people know them.
pub(crate) fn print(form: &Form, samples: &Samples, titled: impl Fn(&str) -> String) -> Result<()> {
    match (form.json, form.csv) {
        (true, _) => output::json(samples),
        (_, true) => output::print_all(csv(samples)),
        _ => output::print_all(readable(samples, titled)),
    }
}

/// The animation that a name or an index means; the first where neither is given.
pub(crate) fn choose<'a>(animations: &'a [Animation], wanted: Option<&str>) -> Result<&'a Animation> {
    let names = || animations.iter().map(|a| output::title(a.name.as_deref(), a.index)).collect::<Vec<_>>();
    let Some(wanted) = wanted else {
        let Some(first) = animations.first() else { bail!("there is no animation to take") };
        if animations.len() > 1 {
            let names = names();
            output::note(&format!("taking {}, the first of {}: {}", names[0], names.len(), names.join(", ")));
        }
        return Ok(first);
    };
    let by_name = animations.iter().find(|a| a.name.as_deref() == Some(wanted));
    let by_index = || wanted.parse::<usize>().ok().and_then(|i| animations.get(i));
    let found = by_name.or_else(by_index);
    found.with_context(|| format!("there is no animation {wanted}; there is: {}", names().join(", ")))
}

/// A line of names, then one for each time.
fn csv(Samples { times, tracks, .. }: &Samples) -> impl Iterator<Item = String> {
    let columns = |track: &TrackSamples| {
        let width = track.values.first().map_or(0, Vec::len);
        (0..width).map(|i| format!(",{}", quoted(&format!("{}[{i}]", track.target)))).collect::<String>()
    };
    let line = move |(row, time): (usize, &f64)| {
        let numbers = tracks.iter().flat_map(|track| &track.values[row]).map(|v| format!(",{v}"));
        format!("{time}{}\n", numbers.collect::<String>())
    };
    let names = tracks.iter().map(columns).collect::<String>();
    std::iter::once(format!("time{names}\n")).chain(times.iter().enumerate().map(line))
}

/// A field of a CSV file, quoted where it must be (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

/// A table for each time.
fn readable(Samples { times, tracks, .. }: &Samples, titled: impl Fn(&str) -> String) -> impl Iterator<Item = String> {
    let titles: Vec<String> = tracks.iter().map(|track| format!("  {}", titled(&track.target))).collect();
    times.iter().enumerate().map(move |(row, time)| {
        let lines = tracks.iter().zip(&titles).map(|(track, title)| {
            let values: Vec<String> = track.values[row].iter().map(|v| format!("{v:9.5}")).collect();
            vec![title.clone(), values.join(" ")]
        });
        format!("{time:.3} s\n{}", output::table(&[], lines, 2))
    })
}
