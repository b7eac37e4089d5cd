//! What an animation means once every storage is undone: tracks of floats with their targets. Pure values.

use crate::{Target, Targets};
use keyfold_core::curve::Curve;

/// An animation of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Its index in the document.
    pub index: usize,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What it drives, in the order of the file's channels.
    pub tracks: Vec<Track>,
}

impl Animation {
    /// When the last track ends, in seconds.
    pub fn duration(&self) -> f32 {
        self.tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max)
    }
}

/// A curve and what it drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What it drives.
    pub target: Target,
    /// The values over time; offsets, scales and time scales of the file are already applied.
    pub curve: Curve,
    /// Where in the document it came from.
    pub source: Source,
}

impl Track {
    /// The value at time `t`.
    pub fn sample(&self, t: f64) -> Vec<f64> {
        let mut out = vec![0.0; self.curve.width()];
        self.curve.sample(self.target.kind(), t, &mut out);
        out
    }
}

/// Where in a document a track came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The channel's index in its animation.
    pub channel: usize,
    /// The sampler's index in its animation.
    pub sampler: usize,
    /// The accessor that holds the times.
    pub input: usize,
    /// The accessor that holds the values.
    pub output: usize,
    /// How the channel addresses its target.
    pub targets: Targets,
}
