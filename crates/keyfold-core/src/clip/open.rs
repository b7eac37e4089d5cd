//! Opening a clip. Everything is checked here once, and laid out for sampling.

use super::blend::Quats;
use super::coding::{RotationCode, ScalarCode, rotation_step, scalar_step};
use super::directory::{Directory, Layout};
use super::keys::{Group, Moving, Numbers};
use super::lanes::{LANES, Lanes};
use super::memory::Memory;
use super::small_quat::SmallQuat;
use super::track::{Form, Track};
use super::variable::Segments;
use super::{ClipError, Encoding};
use alloc::{borrow::Cow, vec, vec::Vec};
use core::ops::Range;

/// A clip, opened from borrowed or owned bytes: a `Clip<'static>` can live in an asset.
///
/// ```
/// # use keyfold_core::clip::{Clip, ClipError};
/// assert_eq!(Clip::open(b"no clip").err(), Some(ClipError::NotAClip));
/// let bytes: Vec<u8> = b"no clip".to_vec();
/// let owned: Result<Clip<'static>, _> = Clip::open(bytes);
/// ```
#[derive(Clone, Debug)]
pub struct Clip<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) directory: Directory,
    /// The byte at which the keys start.
    pub(super) start: usize,
    pub(super) keys: KeyData,
    pub(super) moving: Moving,
    /// The places of step tracks in a pose.
    pub(super) stepped: Vec<Range<usize>>,
    /// The values of constant tracks in their places. Other places hold zeros, or the identity for rotations.
    pub(super) template: Vec<f32>,
}

/// The layout of the keys in either encoding.
#[derive(Clone, Debug)]
pub(super) enum KeyData {
    /// Each key has `stride` bytes.
    Fixed {
        stride: usize,
        bits: u32,
    },
    Variable(Segments),
}

impl<'a> Clip<'a> {
    /// Opens a clip and checks all of `bytes` once; sampling cannot fail afterwards.
    ///
    /// An open clip takes memory besides its bytes: for the targets of its tracks, and for the places of
    /// their codes in each segment. In clips that Keyfold built, this is a few times their bytes. Clips that
    /// take more than eight times their bytes and 64 MiB are refused.
    pub fn open(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, ClipError> {
        let bytes = bytes.into();
        let memory = bytes.len().saturating_mul(8).saturating_add(64 << 20);
        Self::open_within(bytes, memory)
    }

    /// Like [`open`](Self::open) with another limit, in bytes of memory.
    pub fn open_within(bytes: impl Into<Cow<'a, [u8]>>, memory: usize) -> Result<Self, ClipError> {
        let (bytes, mut memory) = (bytes.into(), Memory::new(memory));
        let (directory, start) = Directory::read(&bytes, &mut memory)?;
        let keys = match directory.layout {
            Layout::Fixed { bits } => {
                KeyData::Fixed { bits, stride: Self::open_fixed(&bytes, start, &directory, bits)? }
            }
            Layout::Variable { anchors, .. } => {
                KeyData::Variable(Segments::open(&bytes, start, &directory, anchors, &mut memory)?)
            }
        };
        let moving = Moving { groups: groups(&directory), numbers: numbers(&directory) };
        let stepped = directory.tracks.iter().filter(|t| t.form == Form::Step).map(Track::range).collect();
        let template = template(&directory);
        Ok(Self { bytes, directory, start, keys, moving, stepped, template })
    }

    /// The bytes of a key in the `fixed` encoding. Its keys must fill the rest of the file.
    fn open_fixed(bytes: &[u8], start: usize, directory: &Directory, bits: u32) -> Result<usize, ClipError> {
        let components = directory.rotations.len() * 3 + directory.scalars.len();
        let stride = components.saturating_mul(bits as usize).div_ceil(8);
        let needed = stride.saturating_mul(directory.timing.keys());
        if bytes.len() - start == needed { Ok(stride) } else { Err(ClipError::Truncated) }
    }

    /// The name of the animation.
    pub fn name(&self) -> &str {
        &self.directory.name
    }

    /// The index of the animation in its file.
    pub fn index(&self) -> usize {
        self.directory.index
    }

    /// The duration in seconds, from the start to the last key.
    pub fn duration(&self) -> f32 {
        self.directory.duration
    }

    /// How the keys are stored.
    pub fn encoding(&self) -> Encoding {
        self.directory.layout.encoding()
    }

    /// The tracks, in the order of their values in a pose.
    pub fn tracks(&self) -> &[Track] {
        &self.directory.tracks
    }

    /// The number of keys of the keyed tracks.
    pub fn keys(&self) -> usize {
        self.directory.timing.keys()
    }

    /// The time of a key in seconds.
    pub fn key_time(&self, key: usize) -> f64 {
        self.directory.timing.time(key, self.directory.duration)
    }

    /// Bytes per key in the `fixed` encoding.
    pub fn key_stride(&self) -> Option<usize> {
        match self.keys {
            KeyData::Fixed { stride, .. } => Some(stride),
            KeyData::Variable(_) => None,
        }
    }

    /// The number of segments in the `variable` encoding.
    pub fn segments(&self) -> usize {
        match &self.keys {
            KeyData::Fixed { .. } => 0,
            KeyData::Variable(segments) => segments.count(),
        }
    }

    /// Bytes of everything except the keys.
    pub fn directory_bytes(&self) -> usize {
        self.start
    }

    /// The bytes that the clip was opened from.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The time within the clip at `t` when it loops endlessly.
    pub fn looped(&self, t: f64) -> f64 {
        let duration = f64::from(self.directory.duration);
        if duration > 0.0 { t - libm::floor(t / duration) * duration } else { 0.0 }
    }
}

/// The keyed tracks: either the rotations or the others.
fn keyed(directory: &Directory, rotation: bool) -> impl Iterator<Item = &Track> {
    directory.tracks.iter().filter(move |t| t.form == Form::Keyed && t.target.is_rotation() == rotation)
}

fn groups(directory: &Directory) -> Vec<Group> {
    let mut groups =
        vec![Group { out: [u32::MAX; LANES], ..Group::default() }; directory.rotations.len().div_ceil(LANES)];
    for (r, (code, track)) in directory.rotations.iter().zip(keyed(directory, true)).enumerate() {
        let (group, lane) = (&mut groups[r / LANES], r % LANES);
        group.lanes = lane + 1;
        group.out[lane] = track.offset as u32;
        match code {
            RotationCode::Fixed { left, origin, step } => {
                (0..3).for_each(|c| (group.origin[c].0[lane], group.step[c].0[lane]) = (origin[c], step[c]));
                put(&mut group.frames.left, lane, left);
            }
            RotationCode::Variable { left, right, step, .. } => {
                (0..3).for_each(|c| group.step[c].0[lane] = rotation_step(step[c]) as f32);
                put(&mut group.frames.left, lane, left);
                put(group.frames.right.get_or_insert_default(), lane, right);
            }
        }
    }
    groups
}

fn put(to: &mut Quats, lane: usize, q: &SmallQuat) {
    to.iter_mut().zip(q.quat()).for_each(|(row, c)| row.0[lane] = c as f32);
}

fn numbers(directory: &Directory) -> Vec<Numbers> {
    let places: Vec<usize> = keyed(directory, false).flat_map(Track::range).collect();
    let four = |(codes, places): (&[ScalarCode], &[usize])| {
        let zero = Lanes::all(0.0);
        let mut numbers = Numbers { origin: zero, step: zero, out: [u32::MAX; LANES] };
        for (i, (code, place)) in codes.iter().zip(places).enumerate() {
            let (origin, step) = match *code {
                ScalarCode::Fixed { origin, step } => (origin, step),
                ScalarCode::Variable { origin, step, .. } => (origin, scalar_step(step) as f32),
            };
            (numbers.origin.0[i], numbers.step.0[i], numbers.out[i]) = (origin, step, *place as u32);
        }
        numbers
    };
    directory.scalars.chunks(LANES).zip(places.chunks(LANES)).map(four).collect()
}

fn template(directory: &Directory) -> Vec<f32> {
    let mut values = vec![0.0; directory.pose_len()];
    for track in directory.tracks.iter().filter(|t| t.target.is_rotation()) {
        values[track.offset + 3] = 1.0;
    }
    let constants = directory.tracks.iter().filter(|t| t.form == Form::Constant);
    for (track, constant) in constants.zip(&directory.constants) {
        values[track.range()].copy_from_slice(constant);
    }
    values
}
