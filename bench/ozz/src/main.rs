//! Nanoseconds per pose of Keyfold's sampler and of ozz-animation-rs, on the same animation, in one run.
//!
//! Every clip that is named is opened by Keyfold and rebuilt for ozz from its own keys, so that both play the same values at the
//! same keys; how far their poses lie apart is part of the table. ozz always blends translation, rotation and scale of
//! every joint: where a clip does not move them, ozz has two equal keys.

mod convert;

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use keyfold_core::clip::{Clip, Pose, Sampler};
use ozz_animation_rs::{Animation, SamplingContext, SamplingJobRef, SoaTransform};

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| clip | forward ns | ozz | ratio | random ns | ozz | ratio | apart |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let clip = Clip::open(&bytes)?;
        let joints = convert::joints(&clip);
        let animation = convert::animation(&clip, joints)?;
        let apart = apart(&clip, &animation, joints)?;
        let mut cells = String::new();
        for random in [false, true] {
            let [ours, theirs] = race(&clip, &animation, &times(&clip, random))?;
            cells += &format!(" {ours:.0} | {theirs:.0} | {:.2} |", ours / theirs);
        }
        let name = path.rsplit(['/', '\\']).next().unwrap_or(&path).trim_end_matches(".kfc");
        println!("| {name} |{cells} {apart:.1e} |");
    }
    Ok(())
}

/// A sixtieth of a second from pose to pose, or anywhere.
fn times(clip: &Clip<'_>, random: bool) -> Vec<f64> {
    let (duration, mut state) = (f64::from(clip.duration()), 1u64);
    let mut next = |i: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let t = if random { (state >> 11) as f64 / (1u64 << 53) as f64 } else { f64::from(i) / 60.0 / duration };
        t.fract() * duration
    };
    (0..4096).map(&mut next).collect()
}

/// Poses that are timed together, and how often all of them are.
const CHUNK: usize = 256;
const ROUNDS: usize = 30;

/// Nanoseconds per pose of both, chunk by chunk in turns: the least, which disturbances cannot shorten.
fn race(clip: &Clip<'_>, animation: &Animation, times: &[f64]) -> Result<[f64; 2], Box<dyn Error>> {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut context = SamplingContext::new(animation.num_tracks());
    let mut out = vec![SoaTransform::default(); animation.num_soa_tracks()];
    let mut job = SamplingJobRef::default();
    job.set_animation(animation);
    job.set_context(&mut context);
    job.set_output(&mut out);
    let (mut best, per_second) = ([f64::INFINITY; 2], 1.0 / f64::from(clip.duration()));
    for chunk in (0..ROUNDS).flat_map(|_| times.chunks(CHUNK)) {
        let start = Instant::now();
        for t in chunk {
            sampler.sample(black_box(*t), &mut pose);
            black_box(pose.values());
        }
        best[0] = best[0].min(start.elapsed().as_nanos() as f64 / chunk.len() as f64);
        let start = Instant::now();
        for t in chunk {
            job.set_ratio(black_box((t * per_second) as f32));
            job.run()?;
            black_box(job.output());
        }
        best[1] = best[1].min(start.elapsed().as_nanos() as f64 / chunk.len() as f64);
    }
    Ok(best)
}

/// The largest difference of a component of both poses, at a few hundred times: proof that both do the same work.
fn apart(clip: &Clip<'_>, animation: &Animation, joints: usize) -> Result<f32, Box<dyn Error>> {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut context = SamplingContext::new(animation.num_tracks());
    let mut worst = 0.0f32;
    for t in times(clip, true).into_iter().take(300) {
        sampler.sample(t, &mut pose);
        let mut out = vec![SoaTransform::default(); animation.num_soa_tracks()];
        let mut job = SamplingJobRef::default();
        job.set_animation(animation);
        job.set_context(&mut context);
        job.set_output(&mut out);
        job.set_ratio((t / f64::from(clip.duration())) as f32);
        job.run()?;
        drop(job);
        for joint in 0..joints {
            worst = worst.max(convert::difference(clip, &pose, joint, &out[joint / 4], joint % 4));
        }
    }
    Ok(worst)
}
