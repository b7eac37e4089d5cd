//! What is told of clips, in the shapes that `keyfold clip build --json` and `keyfold clip info --json` print.

use super::BuiltClip;
use crate::{Scene, sample::AnimationTitle};
use keyfold_core::clip::{Clip, ClipError, Form};
use serde::Serialize;

/// A clip that was built.
#[derive(Clone, Debug, Serialize)]
pub struct ClipReport {
    /// The animation that it plays.
    pub animation: AnimationTitle,
    /// Where it was written, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How its keys are stored.
    pub encoding: &'static str,
    /// Its length.
    pub bytes: usize,
    /// How many targets it drives.
    pub tracks: usize,
    /// How many keys it has.
    pub keys: usize,
    /// How long it lasts, in seconds.
    pub duration: f32,
    /// How far it lies from the resampled animation (without a rate: from the animation itself).
    pub error: ErrorSize,
    /// What is not ruled out anywhere: what the bound is held against.
    pub possible: ErrorSize,
    /// How far resampling alone went.
    pub resampling: ErrorSize,
    /// How far it lies from the animation as it was, resampling and all.
    pub total: ErrorSize,
    /// The largest error that was allowed, in scene units.
    pub bound: f64,
    /// Whether that, and the bound of what moves no points, is kept.
    pub held: bool,
}

/// An error, and its share of the model's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorSize {
    /// In scene units.
    pub max: f64,
    /// As a share of the model's size.
    pub relative: f64,
}

impl BuiltClip {
    /// What there is to tell of it; `scene` is the one that it was built in.
    pub fn report(&self, scene: &Scene) -> Result<ClipReport, ClipError> {
        let clip = Clip::open(&self.bytes)?;
        let error = |max: f64| ErrorSize { max, relative: max / scene.model_size() };
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

/// What is in a clip.
#[derive(Clone, Debug, Serialize)]
pub struct ClipInfo {
    /// The file's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Its length.
    pub bytes: usize,
    /// The animation that it plays.
    pub animation: AnimationTitle,
    /// How its keys are stored.
    pub encoding: &'static str,
    /// How long it lasts, in seconds.
    pub duration: f32,
    /// How many keys it has.
    pub keys: usize,
    /// Bytes of a key, where they are all alike.
    pub key_stride: Option<usize>,
    /// Pieces that decode on their own.
    pub segments: usize,
    /// Bytes of everything but the keys.
    pub directory_bytes: usize,
    /// What it drives.
    pub tracks: Vec<ClipTrack>,
}

/// A track of a clip.
#[derive(Clone, Debug, Serialize)]
pub struct ClipTrack {
    /// What it drives: a JSON pointer.
    pub target: String,
    /// How it is kept: `constant`, `step` or `keyed`.
    pub form: &'static str,
    /// How many numbers its value has.
    pub components: usize,
}

impl ClipInfo {
    /// What is in a clip that was opened from so many bytes; `file` is its name, where it has one.
    pub fn new(file: String, bytes: usize, clip: &Clip<'_>) -> Self {
        let tracks = clip.tracks().iter().map(|track| ClipTrack {
            target: track.target().to_string(),
            form: match track.form() {
                Form::Constant => "constant",
                Form::Step => "step",
                Form::Keyed => "keyed",
            },
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
