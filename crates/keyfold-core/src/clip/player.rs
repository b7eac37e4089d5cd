//! Clip, sampler and pose: what an engine that only plays needs.

use super::bits::BitReader;
use super::blend::{Quats, rotations};
use super::directory::{Directory, Layout, RotationCode, ScalarCode, rotation_step, scalar_step};
use super::fetch::{FixedKeys, Group, Pair, Scalar, Segment, Spot, Triple, VariableKeys};
use super::head::{Head, HeadShape};
use super::lanes::{LANES, Lanes};
use super::track::{Form, Track};
use super::{ClipError, Encoding};
use alloc::{vec, vec::Vec};

/// A clip, opened from bytes that stay where they are.
///
/// ```
/// # use keyfold_core::clip::{Clip, ClipError};
/// assert_eq!(Clip::open(b"no clip").err(), Some(ClipError::NotAClip));
/// ```
#[derive(Clone, Debug)]
pub struct Clip<'a> {
    bytes: &'a [u8],
    directory: Directory,
    groups: Vec<Group>,
    scalars: Vec<Scalar>,
    /// Values of constant tracks in their places, zeros elsewhere, the identity for rotations.
    template: Vec<f32>,
    /// Where the keys start.
    keys: usize,
    /// `fixed`: bytes of a key.
    stride: usize,
    /// `variable`: where each segment starts, and the shape of their heads.
    segments: Vec<usize>,
    shape: HeadShape,
}

/// The values of all tracks at one time. Made for a clip, kept by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    values: Vec<f32>,
}

impl Pose {
    /// A pose for `clip`, with the values of its constant tracks.
    pub fn new(clip: &Clip<'_>) -> Self {
        Self { values: clip.template.clone() }
    }

    /// All floats; [`Track::range`] says where a track's are.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The value of a track of the clip that the pose was made for.
    pub fn value(&self, track: &Track) -> &[f32] {
        self.values.get(track.range()).unwrap_or_default()
    }
}

impl<'a> Clip<'a> {
    /// Checks all of `bytes` once; afterwards nothing that sampling reads can fail.
    pub fn open(bytes: &'a [u8]) -> Result<Self, ClipError> {
        let (directory, keys) = Directory::read(bytes)?;
        let (groups, scalars, template) = (groups(&directory), scalars(&directory), template(&directory));
        let shape = HeadShape::new(&directory);
        let mut clip =
            Self { bytes, directory, groups, scalars, template, keys, stride: 0, segments: Vec::new(), shape };
        match clip.directory.layout {
            Layout::Fixed { bits } => clip.open_fixed(bits)?,
            Layout::Variable { anchors, .. } => clip.open_variable(anchors)?,
        }
        Ok(clip)
    }

    fn open_fixed(&mut self, bits: u32) -> Result<(), ClipError> {
        let components = self.directory.rotations.len() * 3 + self.directory.scalars.len();
        self.stride = (components * bits as usize).div_ceil(8);
        let needed = self.stride.saturating_mul(self.directory.timing.keys());
        if self.bytes.len() - self.keys == needed { Ok(()) } else { Err(ClipError::Truncated) }
    }

    fn open_variable(&mut self, anchors: usize) -> Result<(), ClipError> {
        if self.shape.parts() == 0 {
            return if self.bytes.len() == self.keys { Ok(()) } else { Err(ClipError::Malformed("keys of nothing")) };
        }
        let (all, middles) = (self.directory.timing.keys() / 2 + 1, (self.directory.timing.keys() - 1) / 2);
        let count = all.div_ceil(anchors);
        if count.saturating_mul(4) > self.bytes.len() - self.keys {
            return Err(ClipError::Truncated);
        }
        let mut head = Head::for_shape(&self.shape);
        let mut from = BitReader::new(self.bytes, self.keys);
        for s in 0..count {
            let start = from.take(32)? as usize;
            let mut at = BitReader::new(self.bytes, start);
            self.shape.read(&mut at, &mut head)?;
            let of = |all: usize| all.saturating_sub(s * anchors).min(anchors);
            let bits = of(all) * head.anchor_stride as usize + of(middles) * head.middle_stride as usize;
            if at.bit().saturating_add(bits) > self.bytes.len() * 8 {
                return Err(ClipError::Truncated);
            }
            self.segments.push(start);
        }
        Ok(())
    }

    /// The name of the animation.
    pub fn name(&self) -> &str {
        &self.directory.name
    }

    /// The number of the animation in the file it came from.
    pub fn index(&self) -> usize {
        self.directory.index
    }

    /// Seconds from the start to the last key.
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

    /// How many keys the keyed tracks have.
    pub fn keys(&self) -> usize {
        self.directory.timing.keys()
    }

    /// The time of a key in seconds.
    pub fn key_time(&self, key: usize) -> f64 {
        self.directory.timing.time(key, self.directory.duration)
    }

    /// Bytes of one key in the `fixed` encoding.
    pub fn key_stride(&self) -> Option<usize> {
        matches!(self.directory.layout, Layout::Fixed { .. }).then_some(self.stride)
    }

    /// How many segments the keys of the `variable` encoding are cut into.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Bytes of everything but the keys.
    pub fn directory_bytes(&self) -> usize {
        self.keys
    }

    /// The bytes that the clip was opened from.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The time within the clip that `t` has in an endless loop of it.
    pub fn looped(&self, t: f64) -> f64 {
        let duration = f64::from(self.directory.duration);
        if duration > 0.0 { t - libm::floor(t / duration) * duration } else { 0.0 }
    }
}

/// The animated tracks' places: each keyed rotation, or each component of the others.
fn keyed(directory: &Directory, rotation: bool) -> impl Iterator<Item = &Track> {
    directory.tracks.iter().filter(move |t| t.form == Form::Keyed && t.target.is_rotation() == rotation)
}

fn groups(directory: &Directory) -> Vec<Group> {
    let mut groups = vec![Group::default(); directory.rotations.len().div_ceil(LANES)];
    for (r, (code, track)) in directory.rotations.iter().zip(keyed(directory, true)).enumerate() {
        let (group, lane) = (&mut groups[r / LANES], r % LANES);
        group.lanes = lane + 1;
        group.out[lane] = track.offset;
        let (left, right) = match code {
            RotationCode::Fixed { left, origin, step } => {
                (0..3).for_each(|c| (group.origin[c].0[lane], group.step[c].0[lane]) = (origin[c], step[c]));
                (left.quat(), crate::quat::IDENTITY)
            }
            RotationCode::Variable { left, right, step, .. } => {
                (0..3).for_each(|c| group.step[c].0[lane] = rotation_step(step[c]) as f32);
                (left.quat(), right.quat())
            }
        };
        for k in 0..4 {
            (group.frames.left[k].0[lane], group.frames.right[k].0[lane]) = (left[k] as f32, right[k] as f32);
        }
    }
    groups
}

fn scalars(directory: &Directory) -> Vec<Scalar> {
    let places = keyed(directory, false).flat_map(Track::range);
    let scalar = |(code, out): (&ScalarCode, usize)| match *code {
        ScalarCode::Fixed { origin, step } => Scalar { origin, step, out },
        ScalarCode::Variable { origin, step, .. } => Scalar { origin, step: scalar_step(step) as f32, out },
    };
    directory.scalars.iter().zip(places).map(scalar).collect()
}

fn template(directory: &Directory) -> Vec<f32> {
    let mut values = vec![0.0; directory.pose_len()];
    for track in directory.tracks.iter().filter(|t| t.target.is_rotation()) {
        values[track.offset + 3] = 1.0;
    }
    let constants = directory.tracks.iter().filter(|t| t.form == Form::Constant);
    for (track, constant) in constants.zip(&directory.constants) {
        values[track.range()].copy_from_slice(&constant.values(&directory.grid));
    }
    values
}

/// Plays a clip: one for each playing instance. Remembers the heads of the segments it was in last.
#[derive(Clone, Debug)]
pub struct Sampler<'c> {
    clip: &'c Clip<'c>,
    segments: [Segment; 2],
}

impl<'c> Sampler<'c> {
    /// A sampler for `clip`. All it will ever need is allocated here.
    pub fn new(clip: &'c Clip<'c>) -> Self {
        let segment = Segment {
            index: usize::MAX,
            head: Head::for_shape(&clip.shape),
            anchor_codes: vec![Triple::default(); clip.shape.rotations],
            middle_codes: vec![Triple::default(); clip.shape.rotations],
            finer: vec![Lanes::all(0.0); clip.groups.len()],
            anchors: 0,
            middles: 0,
        };
        Self { clip, segments: [segment.clone(), segment] }
    }

    /// The clip that is played.
    pub fn clip(&self) -> &'c Clip<'c> {
        self.clip
    }

    /// The pose at `t` seconds; before the start and after the end, that of the first and of the last key.
    ///
    /// Writes the tracks that move; constant ones stand in the pose since it was made. Panics where the pose was made for
    /// a clip with another number of components.
    pub fn sample(&mut self, t: f64, pose: &mut Pose) {
        assert_eq!(pose.values.len(), self.clip.template.len(), "the pose was made for another clip");
        self.write(t, &mut pose.values, 0..self.clip.groups.len(), 0..self.clip.scalars.len());
        self.steps(t, &mut pose.values);
    }

    /// A pose for each of `times`.
    pub fn sample_many(&mut self, times: &[f64], poses: &mut [Pose]) {
        times.iter().zip(poses).for_each(|(t, pose)| self.sample(*t, pose));
    }

    /// The value of one track at `t` seconds, into its place in the pose. A rotation takes those of its group of eight along.
    pub fn sample_track(&mut self, track: &Track, t: f64, pose: &mut Pose) {
        assert_eq!(pose.values.len(), self.clip.template.len(), "the pose was made for another clip");
        match track.form {
            Form::Constant => {}
            Form::Step => self.steps(t, &mut pose.values),
            Form::Keyed => {
                let group = self.clip.groups.iter().position(|g| g.out[..g.lanes].contains(&track.offset));
                let scalar = self.clip.scalars.partition_point(|s| s.out < track.offset);
                match group.filter(|_| track.target.is_rotation()) {
                    Some(g) => self.write(t, &mut pose.values, g..g + 1, 0..0),
                    None => self.write(t, &mut pose.values, 0..0, scalar..scalar + track.width),
                }
            }
        }
    }

    fn write(&mut self, t: f64, out: &mut [f32], groups: core::ops::Range<usize>, scalars: core::ops::Range<usize>) {
        let clip = self.clip;
        if clip.groups.is_empty() && clip.scalars.is_empty() {
            return;
        }
        let place = clip.directory.timing.place(t, clip.directory.duration);
        let components = clip.directory.rotations.len() * 3;
        let (mut pair, mut quats) = (Pair::default(), Quats::default());
        match clip.directory.layout {
            Layout::Fixed { bits } => {
                let lo = clip.keys + place.key * clip.stride;
                let keys = FixedKeys { bytes: clip.bytes, bits, lo, hi: lo + clip.stride };
                for g in groups {
                    let group = &clip.groups[g];
                    keys.group(g, group, &mut pair);
                    rotations::<false>(&pair.lo, &pair.hi, place.s, &group.frames, &mut quats);
                    store(&quats, group, out);
                }
                for s in scalars {
                    let (lo, hi) = keys.scalar(components + s, &clip.scalars[s]);
                    out[clip.scalars[s].out] = lo + (hi - lo) * place.s;
                }
            }
            Layout::Variable { anchors, .. } => {
                let keys = self.variable_keys(Spot::new(place, clip.directory.timing.keys()), anchors);
                for g in groups {
                    let group = &clip.groups[g];
                    keys.group(g, group, &mut pair);
                    rotations::<true>(&pair.lo, &pair.hi, place.s, &group.frames, &mut quats);
                    store(&quats, group, out);
                }
                for s in scalars {
                    let (lo, hi) = keys.scalar(components + s, &clip.scalars[s]);
                    out[clip.scalars[s].out] = lo + (hi - lo) * place.s;
                }
            }
        }
    }

    fn variable_keys(&mut self, spot: Spot, anchors: usize) -> VariableKeys<'_> {
        let (here, next) = (spot.anchor / anchors, (spot.anchor + 1) / anchors);
        let before = self.load(here, next, anchors);
        let after = self.load(next, here, anchors);
        let (before, after) = (&self.segments[before], &self.segments[after]);
        let (at, beyond) = (spot.anchor % anchors, (spot.anchor + 1) % anchors);
        VariableKeys {
            bytes: self.clip.bytes,
            before,
            after,
            anchor: before.anchors + at * before.head.anchor_stride as usize,
            middle: before.middles + at * before.head.middle_stride as usize,
            next: after.anchors + beyond * after.head.anchor_stride as usize,
            spot,
        }
    }

    /// Makes sure that the head of a segment is read, without forgetting that of `keep`; says where it is.
    fn load(&mut self, index: usize, keep: usize, anchors: usize) -> usize {
        if let Some(slot) = self.segments.iter().position(|s| s.index == index) {
            return slot;
        }
        let slot = usize::from(self.segments[0].index == keep);
        let (clip, segment) = (self.clip, &mut self.segments[slot]);
        let Some(start) = clip.segments.get(index) else { return slot };
        let mut from = BitReader::new(clip.bytes, *start);
        // Opening has read every head: this one cannot fail.
        if clip.shape.read(&mut from, &mut segment.head).is_err() {
            return slot;
        }
        for (r, (finer, p)) in segment.head.finer.iter().zip(segment.head.parts.as_chunks::<3>().0).enumerate() {
            segment.finer[r / LANES].0[r % LANES] = FINER[usize::from(finer % 8)];
            segment.anchor_codes[r] = Triple::new(p[0].anchor_at, p.map(|p| p.anchor), p.map(|p| p.min));
            segment.middle_codes[r] = Triple::new(p[0].middle_at, p.map(|p| p.middle), p.map(|p| p.least_middle()));
        }
        let all = clip.directory.timing.keys() / 2 + 1;
        segment.index = index;
        segment.anchors = from.bit();
        segment.middles =
            from.bit() + all.saturating_sub(index * anchors).min(anchors) * segment.head.anchor_stride as usize;
        slot
    }

    fn steps(&self, t: f64, out: &mut [f32]) {
        let tracks = self.clip.directory.tracks.iter().filter(|track| track.form == Form::Step);
        for (track, step) in tracks.zip(&self.clip.directory.steps) {
            let key = step.times.partition_point(|k| f64::from(*k) <= t).saturating_sub(1);
            out[track.range()].copy_from_slice(&step.values[key * track.width..(key + 1) * track.width]);
        }
    }
}

/// How much smaller a rotation's step is for each number in a head: quarters of an octave.
#[allow(clippy::excessive_precision, reason = "rounded to the nearest float by the compiler")]
pub(super) const FINER: [f32; 8] = [
    1.0,
    0.840_896_415_253_714_5,
    0.707_106_781_186_547_5,
    0.594_603_557_501_360_5,
    0.5,
    0.420_448_207_626_857_3,
    0.353_553_390_593_273_8,
    0.297_301_778_750_680_3,
];

/// Puts the quaternions of a group where they belong.
#[inline(always)]
fn store(q: &Quats, group: &Group, out: &mut [f32]) {
    for (i, at) in group.out.iter().enumerate().take(group.lanes) {
        if let Some(four) = out.get_mut(*at..).and_then(<[f32]>::first_chunk_mut::<4>) {
            *four = q.map(|c| c.0[i]);
        }
    }
}
