//! Nanoseconds per pose: forward and at random, warm and with the caches filled by something else; by tracks, and by length.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use keyfold_core::clip::{Clip, Pose, Sampler};

use super::waves::Waves;
use super::{ENCODINGS, TRACKS};

pub(super) fn run() -> Result<()> {
    println!("Nanoseconds per pose, by tracks: per track they stay the same\n");
    let by_tracks = TRACKS.map(|joints| Waves { joints, keys: 100, whole: false });
    table(&by_tracks)?;
    println!("\nNanoseconds per pose, by the clip's length: they stay the same\n");
    table(&[30, 100, 300, 1000].map(|keys| Waves { joints: 31, keys, whole: false }))?;
    println!();
    Ok(())
}

fn table(clips: &[Waves]) -> Result<()> {
    println!(
        "| tracks | keys | encoding | bytes | forward | random | evicted forward | evicted random | forward / track |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|");
    for waves in clips {
        for encoding in ENCODINGS {
            let bytes = waves.clip(encoding)?;
            let clip = Clip::open(&bytes)?;
            let [forward, random] = [false, true].map(|random| warm(&clip, random));
            let [evicted, both] = [false, true].map(|random| evicted(&clip, random));
            let (tracks, keys, name, length) = (waves.tracks(), waves.keys, encoding.name(), bytes.len());
            let each = forward / tracks as f64;
            println!(
                "| {tracks} | {keys} | {name} | {length} | {forward:.0} | {random:.0} | {evicted:.0} | {both:.0} | {each:.1} |"
            );
        }
    }
    Ok(())
}

/// Poses that are timed together, and how often.
const CHUNK: usize = 256;
const CHUNKS: usize = 400;
/// Larger than the second-level cache, and enough of the third to matter.
const EVICT_BYTES: usize = 64 << 20;
/// Evicting takes long: fewer poses.
const EVICTED_POSES: usize = 41;

/// A sixtieth of a second from pose to pose, or anywhere; without end.
pub(super) fn times(clip: &Clip<'_>, random: bool) -> impl Iterator<Item = f64> {
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

/// Nanoseconds of a pose before which something else filled the caches, the clip's bytes, its heads and the code out of them: the
/// median.
fn evicted(clip: &Clip<'_>, random: bool) -> f64 {
    let (mut sampler, mut pose, mut other) = (Sampler::new(clip), Pose::new(clip), vec![1u8; EVICT_BYTES]);
    let run = |t: f64| {
        other.iter_mut().step_by(64).for_each(|b| *b = b.wrapping_add(1));
        let start = Instant::now();
        sampler.sample(black_box(t), &mut pose);
        black_box(pose.values());
        start.elapsed().as_nanos() as f64
    };
    let mut all: Vec<f64> = times(clip, random).take(EVICTED_POSES).map(run).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
