//! `keyfold clip bench`: how long a pose takes.

use crate::{Outcome, limits::LimitArgs, output};
use anyhow::Result;
use keyfold_core::clip::{Clip, Form, Pose, Sampler};
use serde::Serialize;
use std::{hint::black_box, path::PathBuf, time::Instant};

/// Measure the time to sample a pose of a clip
#[derive(clap::Args)]
#[command(after_help = "\
'Forward' plays the clip at 60 poses per second, 'random' samples random times, and the last figure is with other data in the caches before every pose. \
All are medians in nanoseconds.

Examples:
  keyfold clip bench walk.kfc
  keyfold clip bench walk.kfc --poses 1000000 --json")]
pub(crate) struct Args {
    /// A .kfc file; - for standard input
    file: PathBuf,
    /// Number of poses to sample for each figure
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=MOST_POSES))]
    poses: u32,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Serialize)]
struct Report {
    tracks: usize,
    /// Tracks that are decoded for each pose.
    moving: usize,
    bytes: usize,
    pose_ns: Times,
}

#[derive(Serialize)]
struct Times {
    sequential: f64,
    random: f64,
    /// Random times, with the clip's bytes out of the caches.
    evicted: f64,
}

/// More poses make no figure better.
const MOST_POSES: i64 = 10_000_000;
/// Larger than the caches of the machines this runs on.
const EVICT_BYTES: usize = 64 << 20;
/// Evicting takes long: fewer poses.
const EVICTED_POSES: u32 = 60;
/// Poses that are timed together: long against the clock's own cost, short against what else the machine does.
const CHUNK: usize = 256;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let bytes = super::bytes(&args.file, args.limits)?;
    let clip = super::open(&args.file, &bytes, args.limits)?;
    let report = Report {
        tracks: clip.tracks().len(),
        moving: clip.tracks().iter().filter(|t| t.form() != Form::Constant).count(),
        bytes: bytes.len(),
        pose_ns: Times {
            sequential: warm(&clip, &forward(&clip, args.poses)),
            random: warm(&clip, &random(&clip, args.poses)),
            evicted: evicted(&clip),
        },
    };
    if args.json {
        output::json(&report)?
    } else {
        output::print(&readable(&report))?
    }
    Ok(Outcome::Done)
}

/// A sixtieth of a second from pose to pose, round and round.
fn forward(clip: &Clip<'_>, count: u32) -> Vec<f64> {
    (0..count).map(|i| clip.looped(f64::from(i) / 60.0)).collect()
}

/// Times all over the clip, the same ones every time.
fn random(clip: &Clip<'_>, count: u32) -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| next() * f64::from(clip.duration())).collect()
}

/// Nanoseconds per pose: the median of many short runs.
fn warm(clip: &Clip<'_>, times: &[f64]) -> f64 {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let chunks = times.chunks(CHUNK).map(|chunk| {
        let start = Instant::now();
        for time in chunk {
            sampler.sample(black_box(*time), &mut pose);
            black_box(pose.values());
        }
        start.elapsed().as_nanos() as f64 / chunk.len() as f64
    });
    median(chunks.collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median nanoseconds of poses before each of which something else filled the caches.
fn evicted(clip: &Clip<'_>) -> f64 {
    let mut other = vec![1u8; EVICT_BYTES];
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let times = random(clip, EVICTED_POSES)
        .into_iter()
        .map(|time| {
            other.iter_mut().step_by(64).for_each(|b| *b = b.wrapping_add(1));
            black_box(&other);
            let start = Instant::now();
            sampler.sample(black_box(time), &mut pose);
            black_box(pose.values());
            start.elapsed().as_nanos() as f64
        })
        .collect();
    median(times)
}

fn readable(report: &Report) -> String {
    let row = |what: &str, ns: f64| {
        let each = ns / report.moving.max(1) as f64;
        vec![what.to_owned(), format!("{ns:.0}"), format!("{each:.1}")]
    };
    let times = &report.pose_ns;
    let rows =
        [row("forward", times.sequential), row("random", times.random), row("random, caches cold", times.evicted)];
    format!("{} tracks, {} of them moving, {} bytes\n", report.tracks, report.moving, report.bytes)
        + &output::table(&["", "ns per pose", "ns per moving track"], rows, 1)
}
