//! Playing a clip: sampler and pose.

use super::bend::weights_at;
use super::fixed::FixedKeys;
use super::keys::Wanted;
use super::open::{Clip, KeyData};
use super::timing::Cursor;
use super::track::{Form, Track};
use alloc::vec::Vec;

/// The values of all tracks at one time. It is created for a clip and kept by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    values: Vec<f32>,
}

impl Pose {
    /// A pose for `clip`, with the values of its constant tracks.
    pub fn new(clip: &Clip<'_>) -> Self {
        Self { values: clip.template.clone() }
    }

    /// All floats; [`Track::range`] is the range of a track.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The value of a track of the clip that the pose was created for.
    pub fn value(&self, track: &Track) -> &[f32] {
        self.values.get(track.range()).unwrap_or_default()
    }
}

/// Plays a clip, one sampler for each playing instance. Use [`Playback`] if the clip cannot be borrowed for
/// so long.
#[derive(Clone, Debug)]
pub struct Sampler<'c> {
    clip: &'c Clip<'c>,
    playback: Playback,
}

impl<'c> Sampler<'c> {
    /// A sampler for `clip`.
    pub fn new(clip: &'c Clip<'c>) -> Self {
        Self { clip, playback: Playback::default() }
    }

    /// The clip that is played.
    pub fn clip(&self) -> &'c Clip<'c> {
        self.clip
    }

    /// Like [`Playback::sample`].
    pub fn sample(&mut self, t: f64, pose: &mut Pose) {
        self.playback.sample(self.clip, t, pose);
    }

    /// Samples a pose for each of `times`.
    pub fn sample_many(&mut self, times: &[f64], poses: &mut [Pose]) {
        times.iter().zip(poses).for_each(|(t, pose)| self.sample(*t, pose));
    }

    /// Like [`Playback::sample_track`].
    pub fn sample_track(&mut self, track: &Track, t: f64, pose: &mut Pose) {
        self.playback.sample_track(self.clip, track, t, pose);
    }
}

/// The playing state of an instance, separate from the clip: a few bytes.
#[derive(Clone, Debug, Default)]
pub struct Playback {
    cursor: Cursor,
}

impl Playback {
    /// Samples the pose of `clip` at `t` seconds. Times before the start and after the end clamp to the first
    /// and the last key.
    ///
    /// Writes the tracks that move; constant ones are in the pose from its creation. Panics if the pose was
    /// created for a clip with another number of components.
    pub fn sample(&mut self, clip: &Clip<'_>, t: f64, pose: &mut Pose) {
        let wanted = Wanted { groups: 0..clip.moving.groups.len(), numbers: 0..clip.moving.numbers.len() };
        self.write(clip, t, wanted, pose);
        steps(clip, t, &mut pose.values);
    }

    /// Samples one track at `t` seconds into its place in the pose. Tracks that are decoded together with it
    /// are written as well.
    pub fn sample_track(&mut self, clip: &Clip<'_>, track: &Track, t: f64, pose: &mut Pose) {
        match track.form {
            Form::Constant => {}
            Form::Step => steps(clip, t, &mut pose.values),
            Form::Keyed => self.write(clip, t, clip.moving.of(track), pose),
        }
    }

    fn write(&mut self, clip: &Clip<'_>, t: f64, wanted: Wanted, pose: &mut Pose) {
        let Clip { bytes, directory, start, keys, moving, template, .. } = clip;
        assert_eq!(pose.values.len(), template.len(), "the pose was made for another clip");
        // If the last place was in another clip, it is only a bad guess.
        let place = self.cursor.place(&directory.timing, t, directory.duration);
        match keys {
            KeyData::Fixed { stride, bits } => {
                let lo = start + place.key * stride;
                let turning = directory.rotations.len() * 3;
                let (bits, hi) = (*bits, lo + stride);
                if bits == 16 {
                    let keys = FixedKeys::<true> { bytes, bits, turning, lo, hi };
                    moving.blend(&keys, place.s, wanted, &mut pose.values);
                } else {
                    let keys = FixedKeys::<false> { bytes, bits, turning, lo, hi };
                    moving.blend(&keys, place.s, wanted, &mut pose.values);
                }
            }
            KeyData::Variable(segments) if directory.layout.bends() => {
                if let Some(keys) = segments.keys(bytes, place, directory.timing.keys()) {
                    let parts = weights_at(&directory.timing, place, directory.duration);
                    moving.bend(&keys, parts, wanted, &mut pose.values);
                }
            }
            KeyData::Variable(segments) => {
                // Without keyed tracks there are no segments.
                if let Some(keys) = segments.keys(bytes, place, directory.timing.keys()) {
                    moving.blend(&keys, place.s, wanted, &mut pose.values);
                }
            }
        }
    }
}

fn steps(clip: &Clip<'_>, t: f64, values: &mut [f32]) {
    for (range, step) in clip.stepped.iter().zip(&clip.directory.steps) {
        values[range.clone()].copy_from_slice(step.at(t, range.len()));
    }
}
