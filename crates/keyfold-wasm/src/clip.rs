//! Runtime clips played: opening, what is in one, poses. All of it the core's.

use crate::wire::{Failure, put_text, put_words};
use keyfold_core::clip::{Clip, Playback, Pose};

/// A clip with the pose that it was last asked for.
#[derive(Debug)]
pub struct Player {
    clip: Clip<'static>,
    playback: Playback,
    pose: Pose,
}

impl Player {
    /// Opens a clip, which may take up `memory` bytes besides its own.
    pub fn open(memory: usize, bytes: &[u8]) -> Result<Self, Failure> {
        let clip = Clip::open_within(bytes.to_vec(), memory).map_err(|e| e.to_string())?;
        Ok(Self { playback: Playback::default(), pose: Pose::new(&clip), clip })
    }

    /// What is in the clip: the animation's index, the number of keys, the duration's bits and the number of tracks, then the animation's name;
    /// of each track the form, the number of components, the target.
    pub fn described(&self) -> Vec<u8> {
        let Self { clip, .. } = self;
        let mut out = Vec::new();
        let counts = [clip.index(), clip.keys(), clip.duration().to_bits() as usize, clip.tracks().len()];
        put_words(&mut out, counts);
        put_text(&mut out, clip.name());
        for track in clip.tracks() {
            put_words(&mut out, [track.form() as usize, track.width()]);
            put_text(&mut out, &track.target().to_string());
        }
        out
    }

    /// The floats of all tracks at a time. Nothing is allocated.
    pub fn sample(&mut self, time: f64) -> &[f32] {
        self.playback.sample(&self.clip, time, &mut self.pose);
        self.pose.values()
    }
}
