//! Runtime clips: bytes against ACL's on the clips that it was measured on, and the time of a pose.
//!
//! ACL's bytes are read from the table of `peers.md` where that stands beside the project.

use std::f32::consts::TAU;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use keyfold::{Bound, ClipOptions, Document, Scene, build_clip, read};
use keyfold_core::clip::build::{Options, Source, SourceTrack, build};
use keyfold_core::clip::{Clip, Encoding, NodeProperty, Pose, Sampler, Target};
use keyfold_core::curve::{Curve, Interpolation};
use keyfold_core::skeleton::{Rest, Skeleton, Transform, probes};
use keyfold_oracle::shared_dir;

pub(crate) fn run() -> Result<()> {
    match shared_dir() {
        Some(shared) => sizes(&shared)?,
        None => println!("no table of ACL's bytes here: sizes are not compared"),
    }
    speeds()
}

/// A line of ACL's table.
struct Peer {
    file: String,
    animation: usize,
    bytes: usize,
    bound: f64,
}

/// `| file #animation | tracks x keys | bytes | error (bound B unit) |`
fn peer(line: &str) -> Option<Peer> {
    let mut cells = line.split('|').map(str::trim).skip(1);
    let (file, animation) = cells.next()?.split_once(" #")?;
    let bytes = cells.nth(1)?.parse().ok()?;
    let bound = cells.next()?.split("(bound ").nth(1)?.split(' ').next()?.parse().ok()?;
    Some(Peer { file: file.to_owned(), animation: animation.parse().ok()?, bytes, bound })
}

/// Three centimetres where the bound is a tenth of a millimetre.
const SHELL_PER_BOUND: f64 = 300.0;

fn sizes(shared: &Path) -> Result<()> {
    let text = std::fs::read_to_string(shared.join("peers.md")).context("cannot read peers.md")?;
    let (mut ours, mut theirs, mut held) = (0, 0, 0);
    println!("| clip | keys | bytes | ACL | ratio | error / bound | resampling |\n|---|--:|--:|--:|--:|--:|--:|");
    let peers: Vec<Peer> = text.lines().filter_map(peer).collect();
    for peer in &peers {
        let document = Document::open(shared.join("corpus").join(format!("{}.glb", peer.file)))?;
        let animations = read(&document)?.animations;
        let scene = Scene::new(&document, &animations, Some(Bound::Length(peer.bound * SHELL_PER_BOUND)))?;
        let options = ClipOptions { rate: Some(30.0), max_error: Bound::Length(peer.bound), ..ClipOptions::default() };
        let built = build_clip(&document, &scene, &animations[peer.animation], &options)?;
        let (bytes, keys) = (built.bytes.len(), Clip::open(&built.bytes)?.keys());
        let (ratio, error) = (bytes as f64 / peer.bytes as f64, built.error / built.bound);
        let (name, number, resampling) = (&peer.file, peer.animation, built.resampling);
        println!(
            "| {name} #{number} | {keys} | {bytes} | {} | {ratio:.3} | {error:.3} | {resampling:.4} |",
            peer.bytes
        );
        (ours, theirs, held) = (ours + bytes, theirs + peer.bytes, held + usize::from(built.holds));
    }
    let ratio = ours as f64 / theirs as f64;
    println!("\n{} clips: {ours} bytes, ACL {theirs}: {ratio:.3}; the bound is held on {held}\n", peers.len());
    Ok(())
}

/// Bodies of chains of five joints that wave.
fn clip(tracks: usize, keys: usize, encoding: Encoding) -> Result<Vec<u8>> {
    let parents = (0..tracks).map(|n| if n % 5 == 0 { (n > 0).then_some(0) } else { Some(n - 1) }).collect();
    let rest = vec![Rest::Transform(Transform { translation: [0.0, 0.2, 0.0], ..Transform::IDENTITY }); tracks];
    let skeleton = Skeleton::new(parents, &rest)?;
    let times: Vec<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
    let half = |n: usize, k: usize| 0.25 * (k as f32 * TAU / (20.0 + n as f32)).sin();
    let value = |n: usize, k: usize| [half(n, k).sin() * 0.8, half(n, k).sin() * 0.6, 0.0, half(n, k).cos()];
    let curve = |n| {
        Curve::new(Interpolation::Linear, 4, times.clone(), (0..keys).flat_map(|k| value(n, k)).collect::<Vec<_>>())
    };
    let curves = (0..tracks).map(curve).collect::<Result<Vec<_>, _>>()?;
    let track = |(n, curve)| SourceTrack {
        target: Target::Node(n as u32, NodeProperty::Rotation),
        curve,
        rest: None,
        tolerance: 1e-3,
    };
    let tracks: Vec<SourceTrack<'_>> = curves.iter().enumerate().map(track).collect();
    let probes = probes(&skeleton, &vec![true; tracks.len()], |_| 0.03);
    let source = Source { name: "", index: 0, skeleton: &skeleton, probes: &probes, tracks: &tracks };
    let bits = (encoding == Encoding::Fixed).then_some(16);
    Ok(build(&source, &Options { rate: Some(30.0), encoding, bits, max_error: 2e-4 })?.bytes)
}

fn speeds() -> Result<()> {
    println!("| tracks | keys | encoding | bytes | forward ns | random ns | cold ns | forward ns / track |");
    println!("|--:|--:|---|--:|--:|--:|--:|--:|");
    for (tracks, keys) in [(25, 100), (31, 100), (53, 100), (300, 100), (31, 30), (31, 1000)] {
        for encoding in [Encoding::Fixed, Encoding::Variable] {
            let bytes = clip(tracks, keys, encoding)?;
            let clip = Clip::open(&bytes)?;
            let (forward, random, cold) = (warm(&clip, false), warm(&clip, true), cold(&clip));
            let (name, each) = (encoding.name(), forward / tracks as f64);
            println!(
                "| {tracks} | {keys} | {name} | {} | {forward:.0} | {random:.0} | {cold:.0} | {each:.1} |",
                bytes.len()
            );
        }
    }
    Ok(())
}

/// Poses that are timed together, and how often.
const CHUNK: usize = 256;
const CHUNKS: usize = 200;
/// Larger than the caches.
const EVICT_BYTES: usize = 64 << 20;

fn times(clip: &Clip<'_>, random: bool) -> impl Iterator<Item = f64> {
    let (duration, mut state) = (f64::from(clip.duration()), 1u64);
    (0..).map(move |i| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let t = if random { (state >> 11) as f64 / (1u64 << 53) as f64 } else { f64::from(i) / 60.0 / duration };
        t.fract() * duration
    })
}

/// Nanoseconds per pose: the least of many short runs, which disturbances cannot shorten.
fn warm(clip: &Clip<'_>, random: bool) -> f64 {
    let (mut sampler, mut pose, mut times) = (Sampler::new(clip), Pose::new(clip), times(clip, random));
    let run = |_| {
        let chunk: Vec<f64> = times.by_ref().take(CHUNK).collect();
        let start = Instant::now();
        for t in &chunk {
            sampler.sample(black_box(*t), &mut pose);
            black_box(pose.values());
        }
        start.elapsed().as_nanos() as f64 / CHUNK as f64
    };
    (0..CHUNKS).map(run).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of a pose before which something else filled the caches: the median.
fn cold(clip: &Clip<'_>) -> f64 {
    let (mut sampler, mut pose, mut other) = (Sampler::new(clip), Pose::new(clip), vec![1u8; EVICT_BYTES]);
    let run = |t: f64| {
        other.iter_mut().step_by(64).for_each(|b| *b = b.wrapping_add(1));
        let start = Instant::now();
        sampler.sample(black_box(t), &mut pose);
        black_box(pose.values());
        start.elapsed().as_nanos() as f64
    };
    let mut all: Vec<f64> = times(clip, true).take(31).map(run).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
