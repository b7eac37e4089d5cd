//! Babylon.js: its loader reads a file with animation pointers, its animation groups play it.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::peers::script;

/// A file whose first animation is played, what to look at, and when.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    /// The file, a `.gltf` that holds its buffers.
    pub file: PathBuf,
    /// The property, as the object model spells it.
    pub pointer: String,
    /// The times in seconds.
    pub times: Vec<f64>,
}

/// What Babylon.js showed of a file.
#[derive(Clone, Debug)]
pub struct Playback {
    /// One row of numbers per time.
    pub rows: Vec<Vec<f64>>,
    /// Why the file could not be played, or the property not be found.
    pub failure: Option<String>,
}

/// A playback as the script prints it: JSON has null where a number is none.
#[derive(Deserialize)]
struct RawPlayback {
    rows: Vec<Vec<Option<f64>>>,
    failure: Option<String>,
}

/// Plays files, all in one process.
pub fn play(jobs: &[Job]) -> Result<Vec<Playback>> {
    let answers: Vec<RawPlayback> = script("babylon_sample.mjs", &jobs)?;
    ensure!(answers.len() == jobs.len(), "babylon_sample.mjs left files out");
    let row = |row: Vec<Option<f64>>| row.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect();
    let playback = |raw: RawPlayback| Playback { rows: raw.rows.into_iter().map(row).collect(), failure: raw.failure };
    Ok(answers.into_iter().map(playback).collect())
}
