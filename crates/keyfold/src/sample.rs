//! Values of an animation or a clip at given times, in the shape that `keyfold sample --json` prints.

use crate::{Animation, Track};
use keyfold_core::clip::{Clip, Pose, Sampler};
use serde::Serialize;

/// The values of an animation's targets at given times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Samples {
    /// The animation.
    pub animation: AnimationTitle,
    /// The times, in seconds.
    pub times: Vec<f64>,
    /// The values of each target at these times.
    pub tracks: Vec<TrackSamples>,
}

/// The index and name of an animation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnimationTitle {
    /// Its index.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
}

/// The values of one target, one row per time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackSamples {
    /// The target, as a JSON pointer.
    pub target: String,
    /// Its values.
    pub values: Vec<Vec<f64>>,
}

impl Samples {
    /// An animation's values at `times`.
    pub fn of(animation: &Animation, times: Vec<f64>) -> Self {
        let tracks = animation.tracks.iter().map(|track| rows(track, &times)).collect();
        Self { animation: AnimationTitle::of(animation), times, tracks }
    }

    /// A clip's values at `times`. Targets that it does not list stay in the rest pose.
    pub fn of_clip(clip: &Clip<'_>, times: Vec<f64>) -> Self {
        let listed = clip.tracks().iter().map(|t| TrackSamples { target: t.target().to_string(), values: Vec::new() });
        let mut tracks: Vec<TrackSamples> = listed.collect();
        let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
        for time in &times {
            sampler.sample(*time, &mut pose);
            for (samples, track) in tracks.iter_mut().zip(clip.tracks()) {
                samples.values.push(pose.value(track).iter().map(|v| f64::from(*v)).collect());
            }
        }
        Self { animation: AnimationTitle::of_clip(clip), times, tracks }
    }
}

impl AnimationTitle {
    /// The title of an animation.
    pub fn of(animation: &Animation) -> Self {
        Self { index: animation.index, name: animation.name.clone() }
    }

    /// The title of the animation that a clip was built from.
    pub fn of_clip(clip: &Clip<'_>) -> Self {
        Self { index: clip.index(), name: Some(clip.name().to_owned()).filter(|name| !name.is_empty()) }
    }
}

/// For people: the name, or else the index.
impl std::fmt::Display for AnimationTitle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&title(self.name.as_deref(), self.index))
    }
}

/// The title of an animation or a node: its name, or else its index.
pub fn title(name: Option<&str>, index: usize) -> String {
    name.map_or_else(|| format!("#{index}"), str::to_owned)
}

fn rows(track: &Track, times: &[f64]) -> TrackSamples {
    let width = track.curve.width();
    let mut flat = vec![0.0; times.len() * width];
    track.curve.sample_many(track.target.kind(), times, &mut flat);
    TrackSamples { target: track.target.to_string(), values: flat.chunks(width).map(<[f64]>::to_vec).collect() }
}
