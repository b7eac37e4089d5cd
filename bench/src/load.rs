//! Loading a file and decoding all its curves to floats, against the crate `gltf` 1.4.1 doing the same.
//!
//! Both start from the file's name and end with every curve's times and values as `f32` in memory; both parse all of the JSON and
//! hold all buffers that the curves need. What each does beside: `gltf` builds its typed tree of the whole document and checks its
//! references; Keyfold outlines the whole document (values to be changed are made when somebody asks, and nobody does here),
//! checks that times increase and values are finite, asks extensions about each channel, and lets channels on one accessor share its
//! floats, which `gltf` decodes again for each. Files that `gltf` refuses (it knows no path but core's) are left out and named. Cargo
//! builds one serde_json for both, with Keyfold's `float_roundtrip`, which costs `gltf` a little that it would not pay alone.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use gltf::animation::util::ReadOutputs;
use keyfold::{Document, read};
use keyfold_oracle::{corpus_files, sample_files};

use crate::measure::{mean, rivals, stem};

const TIME_PER_FILE: Duration = Duration::from_millis(400);

pub(crate) fn run() -> Result<()> {
    println!(
        "{:<42} {:>10} {:>19} {:>8} {:>21} {:>8}",
        "", "floats", "ms: ours / gltf", "ratio", "peak KiB: ours / gltf", "ratio"
    );
    let (mut times, mut peaks, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let (mut seconds, mut bytes) = ([0.0; 2], [0; 2]);
    for file in corpus_files().into_iter().chain(sample_files()) {
        let name = stem(&file);
        let Ok(floats) = with_gltf(&file) else {
            refused.push(name);
            continue;
        };
        ensure!(with_keyfold(&file)? == floats, "{name}: the two do not decode the same number of floats");
        let [ours, theirs] = rivals(TIME_PER_FILE, || with_keyfold(&file), || with_gltf(&file));
        let (time, peak) = (ours.seconds / theirs.seconds, ours.peak as f64 / theirs.peak as f64);
        println!(
            "{name:<42} {floats:>10} {:>9.2} /{:>8.2} {time:>8.2} {:>10} /{:>9} {peak:>8.2}",
            ours.seconds * 1e3,
            theirs.seconds * 1e3,
            ours.peak / 1024,
            theirs.peak / 1024,
        );
        times.push(time);
        peaks.push(peak);
        for (i, cost) in [ours, theirs].into_iter().enumerate() {
            seconds[i] += cost.seconds;
            bytes[i] += cost.peak;
        }
    }
    println!("\ngltf refuses: {}", refused.join(", "));
    println!("time: {:.2} of gltf's in all, {:.2} in the geometric mean", seconds[0] / seconds[1], mean(&times));
    let in_all = bytes[0] as f64 / bytes[1] as f64;
    println!("peak memory: {in_all:.2} of gltf's in all, {:.2} in the geometric mean", mean(&peaks));
    Ok(())
}

/// How many floats the curves hold.
fn with_keyfold(file: &Path) -> Result<usize> {
    let document = Document::open(file)?;
    let animations = read(&document)?.animations;
    let tracks = animations.iter().flat_map(|animation| &animation.tracks);
    Ok(tracks.map(|track| track.curve.keys() + track.curve.values().len()).sum())
}

fn with_gltf(file: &Path) -> Result<usize> {
    let gltf = gltf::Gltf::from_slice(&fs::read(file)?)?;
    let buffers = buffers(&gltf, file)?;
    let mut curves: Vec<(Vec<f32>, Vec<f32>)> = Vec::new();
    for channel in gltf.animations().flat_map(|animation| animation.channels()) {
        let reader = channel.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let times = reader.read_inputs().context("a channel without times")?.collect();
        curves.push((times, values(reader.read_outputs().context("a channel without values")?)));
    }
    Ok(curves.iter().map(|(times, values)| times.len() + values.len()).sum())
}

fn buffers(gltf: &gltf::Gltf, file: &Path) -> Result<Vec<Vec<u8>>> {
    let mut blob = gltf.blob.clone();
    gltf.buffers()
        .map(|buffer| match buffer.source() {
            gltf::buffer::Source::Bin => blob.take().context("a buffer without data"),
            gltf::buffer::Source::Uri(uri) => Ok(fs::read(file.with_file_name(uri))?),
        })
        .collect()
}

fn values(outputs: ReadOutputs<'_>) -> Vec<f32> {
    match outputs {
        ReadOutputs::Translations(values) | ReadOutputs::Scales(values) => values.flatten().collect(),
        ReadOutputs::Rotations(values) => values.into_f32().flatten().collect(),
        ReadOutputs::MorphTargetWeights(values) => values.into_f32().collect(),
    }
}
