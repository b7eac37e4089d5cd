//! three.js: its GLTFLoader reads a file, its AnimationMixer plays it; how it looks, and how long it takes.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::peers::script;

/// A file to play, and when to look.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    /// The file.
    pub file: PathBuf,
    /// The times in seconds, a list for each animation of the file. Animations beyond the lists are not played.
    pub times: Vec<Vec<f64>>,
    /// Whether every node's world matrix is wanted too, as a track with the path `world`.
    pub world: bool,
}

/// What three.js showed of a file.
#[derive(Clone, Debug)]
pub struct Playback {
    /// Per animation, what its channels drive.
    pub animations: Vec<Vec<Track>>,
    /// Why the file could not be played.
    pub failure: Option<String>,
}

/// A property of a node over the requested times.
#[derive(Clone, Debug)]
pub struct Track {
    /// The node's index in the file.
    pub node: usize,
    /// `translation`, `rotation`, `scale`, `weights` or `world`.
    pub path: String,
    /// One row of values per time.
    pub rows: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct RawPlayback {
    animations: Vec<Vec<RawTrack>>,
    failure: Option<String>,
}

/// A track as the script prints it: floats in base64, which are a fifth of their text.
#[derive(Deserialize)]
struct RawTrack {
    node: usize,
    path: String,
    width: usize,
    floats: String,
}

/// Plays files, all in one process.
pub fn play(jobs: &[Job]) -> Result<Vec<Playback>> {
    let answers: Vec<RawPlayback> = script("three_sample.mjs", &jobs)?;
    ensure!(answers.len() == jobs.len(), "three_sample.mjs left files out");
    answers.into_iter().map(playback).collect()
}

fn playback(raw: RawPlayback) -> Result<Playback> {
    let tracks = |animation: Vec<RawTrack>| animation.into_iter().map(track).collect();
    let animations = raw.animations.into_iter().map(tracks).collect::<Result<_>>()?;
    Ok(Playback { animations, failure: raw.failure })
}

fn track(raw: RawTrack) -> Result<Track> {
    let bytes = STANDARD.decode(&raw.floats).context("three_sample.mjs printed no base64")?;
    let floats: Vec<f32> = bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
    let rows = floats.chunks_exact(raw.width.max(1)).map(<[f32]>::to_vec).collect();
    Ok(Track { node: raw.node, path: raw.path, rows })
}

/// An animation to time.
#[derive(Clone, Debug, Serialize)]
pub struct Stopwatch {
    /// The file.
    pub file: PathBuf,
    /// Which of its animations.
    pub animation: usize,
    /// Seconds from one pose to the next.
    pub step: f64,
    /// How long to measure.
    pub seconds: f64,
}

/// Nanoseconds per track and pose.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Timing {
    /// Of the clip's interpolants alone.
    pub interpolants: f64,
    /// Of the AnimationMixer, which also sets the scene's objects.
    pub mixer: f64,
}

/// Times playback, all in one process.
pub fn time(files: &[Stopwatch]) -> Result<Vec<Timing>> {
    script("three_time.mjs", &files)
}
