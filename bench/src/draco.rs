//! Decoding and encoding Draco streams against libdraco: the same bytes, both in this run, the fastest of many times each.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use keyfold_core::draco::{Animation, Attribute, Coding, Limits, Options, decode, encode};
use keyfold_oracle::draco::Libdraco;

/// What is measured: a number of streams with this many tracks, keyframes and bits.
struct Case {
    name: &'static str,
    tracks: u32,
    keys: u32,
    bits: u8,
    /// How far values stray from their curve.
    noise: f32,
}

const CASES: [Case; 8] = [
    Case { name: "small: one joint", tracks: 3, keys: 20, bits: 12, noise: 0.0 },
    Case { name: "small: one joint", tracks: 3, keys: 49, bits: 16, noise: 0.0 },
    Case { name: "medium: one joint", tracks: 3, keys: 600, bits: 12, noise: 0.0 },
    Case { name: "medium: 20 joints", tracks: 60, keys: 100, bits: 16, noise: 0.001 },
    Case { name: "large: 60 joints", tracks: 180, keys: 600, bits: 12, noise: 0.0 },
    Case { name: "large: 60 joints", tracks: 180, keys: 600, bits: 16, noise: 0.0 },
    Case { name: "large: noisy", tracks: 180, keys: 600, bits: 12, noise: 0.02 },
    Case { name: "large: long", tracks: 6, keys: 60000, bits: 14, noise: 0.001 },
];

/// The goals: parts of libdraco's time.
const DECODE_GOAL: f64 = 0.5;
const ENCODE_GOAL: f64 = 0.7;

pub(crate) fn run() -> Result<()> {
    let mut libdraco = Libdraco::start().context("libdraco is needed: cargo xtask setup")?;
    println!(
        "goals: decode at most {DECODE_GOAL} of libdraco's time, encode at most {ENCODE_GOAL}; times in microseconds\n"
    );
    println!(
        "{:<20} {:>6} {:>6} {:>4} {:>8}   {:>8} {:>8} {:>5}   {:>8} {:>8} {:>5}",
        "stream", "tracks", "keys", "bits", "bytes", "decode", "libdraco", "ratio", "encode", "libdraco", "ratio"
    );
    for case in &CASES {
        measure(case, &mut libdraco)?;
    }
    Ok(())
}

fn measure(case: &Case, libdraco: &mut Libdraco) -> Result<()> {
    let animation = animation(case);
    let coding = |attribute: &Attribute| Coding::bits(if attribute.unique_id == 0 { 16 } else { case.bits });
    let options = Options::default();
    let stream = encode(&animation, coding, &options)?;
    let theirs = libdraco.encode(&animation, coding, &options)?.done();
    ensure!(theirs.as_ref() == Some(&stream), "{}: libdraco's bytes differ", case.name);

    let values: usize = animation.attributes.iter().map(|attribute| attribute.values.len()).sum();
    let runs = (4_000_000 / values as u32).clamp(10, 2000);
    let (mut decoding, mut encoding) = ([f64::MAX; 2], [f64::MAX; 2]);
    for _ in 0..3 {
        let decoded = fastest(runs, || drop(black_box(decode(black_box(&stream), &Limits::default()))));
        let encoded = fastest(runs, || drop(black_box(encode(black_box(&animation), coding, &options))));
        decoding = [decoding[0].min(decoded), decoding[1].min(minimum(&libdraco.time_decoding(runs, &stream)?))];
        let theirs = libdraco.time_encoding(runs, &animation, coding, &options)?;
        encoding = [encoding[0].min(encoded), encoding[1].min(minimum(&theirs))];
    }
    let figures =
        |[ours, theirs]: [f64; 2]| format!("{:>8.1} {:>8.1} {:>5.2}", ours / 1e3, theirs / 1e3, ours / theirs);
    println!(
        "{:<20} {:>6} {:>6} {:>4} {:>8}   {}   {}",
        case.name,
        case.tracks,
        case.keys,
        case.bits,
        stream.len(),
        figures(decoding),
        figures(encoding)
    );
    Ok(())
}

fn fastest(runs: u32, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    (0..runs).map(time).fold(f64::MAX, f64::min)
}

fn minimum(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::MAX, f64::min)
}

/// Translation, rotation and scale by turns: sums of slow waves, and noise.
fn animation(case: &Case) -> Animation {
    let times = (0..case.keys).map(|key| key as f32 / 30.0).collect();
    let mut attributes = vec![Attribute::floats(0, 1, times)];
    let mut seed = 1u32;
    let mut random = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    for track in 0..case.tracks {
        let components = if track % 3 == 1 { 4 } else { 3 };
        let waves: Vec<[f32; 4]> = (0..components).map(|_| [random(), random(), random(), random()]).collect();
        let mut values = Vec::with_capacity(case.keys as usize * components);
        for key in 0..case.keys {
            let time = key as f32 / 30.0;
            let wave = |[a, b, c, d]: [f32; 4]| a * (time * (1.0 + b)).sin() + 0.3 * c * (time * (4.0 + 2.0 * d)).sin();
            values.extend(waves.iter().map(|&parts| wave(parts) + case.noise * random()));
        }
        attributes.push(Attribute::floats(track + 1, components as u8, values));
    }
    Animation { keys: case.keys, attributes, metadata: Vec::new() }
}
