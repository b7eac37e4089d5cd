//! Reports about clips, in the shapes that `keyfold clip build --json` and `keyfold clip info --json` print.

use super::BuiltClip;
use crate::{Result, sample::AnimationTitle};
use keyfold_core::clip::Clip;
use serde::Serialize;

/// A report about a clip that was built.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClipReport {
    /// The animation that it plays.
    pub animation: AnimationTitle,
    /// The file that it was written to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The encoding of its keys.
    pub encoding: &'static str,
    /// Its length in bytes.
    pub bytes: usize,
    /// The number of its tracks.
    pub tracks: usize,
    /// The number of its keys.
    pub keys: usize,
    /// Its duration in seconds.
    pub duration: f32,
    /// The largest error found relative to the resampled animation (without a rate: to the animation itself).
    pub error: ErrorSize,
    /// The proven upper limit of the error at any time. The bound is compared with it.
    pub possible: ErrorSize,
    /// The error of resampling alone.
    pub resampling: ErrorSize,
    /// The error relative to the original animation, resampling included.
    pub total: ErrorSize,
    /// The bound in scene units.
    pub bound: f64,
    /// Whether the clip holds this bound, and that of tracks that move no points.
    pub held: bool,
}

/// An error in scene units, and as a fraction of the model's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorSize {
    /// In scene units.
    pub max: f64,
    /// As a share of the model's size.
    pub relative: f64,
}

impl BuiltClip {
    /// The report of this clip.
    pub fn report(&self) -> Result<ClipReport> {
        let clip = Clip::open(&self.bytes)?;
        let error = |max: f64| ErrorSize { max, relative: max / self.model_size };
        Ok(ClipReport {
            animation: AnimationTitle::of_clip(&clip),
            output: None,
            encoding: clip.encoding().name(),
            bytes: self.bytes.len(),
            tracks: clip.tracks().len(),
            keys: clip.keys(),
            duration: clip.duration(),
            error: error(self.error),
            possible: error(self.possible),
            resampling: error(self.resampling),
            total: error(self.total),
            bound: self.bound,
            held: self.holds,
        })
    }
}

/// The contents of a clip.
#[derive(Clone, Debug, Serialize)]
pub struct ClipInfo {
    /// The file's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// The animation that it plays.
    pub animation: AnimationTitle,
    /// The encoding of its keys.
    pub encoding: &'static str,
    /// Its duration in seconds.
    pub duration: f32,
    /// The number of its keys.
    pub keys: usize,
    /// Bytes per key, if all keys have the same size.
    pub key_stride: Option<usize>,
    /// The number of segments, which decode independently.
    pub segments: usize,
    /// Bytes of everything but the keys.
    pub directory_bytes: usize,
    /// Its tracks.
    pub tracks: Vec<ClipTrack>,
}

/// A track of a clip.
#[derive(Clone, Debug, Serialize)]
pub struct ClipTrack {
    /// The target, as a JSON pointer.
    pub target: String,
    /// How it is stored: `constant`, `step` or `keyed`.
    pub form: &'static str,
    /// The number of components of its value.
    pub components: usize,
}

impl ClipInfo {
    /// The contents of a clip that was opened from this many bytes; `file` is the name of its file, if it has one.
    pub fn new(file: String, bytes: usize, clip: &Clip<'_>) -> Self {
        let tracks = clip.tracks().iter().map(|track| ClipTrack {
            target: track.target().to_string(),
            form: track.form().name(),
            components: track.width(),
        });
        Self {
            file,
            bytes,
            animation: AnimationTitle::of_clip(clip),
            encoding: clip.encoding().name(),
            duration: clip.duration(),
            keys: clip.keys(),
            key_stride: clip.key_stride(),
            segments: clip.segments(),
            directory_bytes: clip.directory_bytes(),
            tracks: tracks.collect(),
        }
    }
}
