//! The clips that ACL was measured on, and a measure of runtime clips apart from their encoder's: resampling and the walk through
//! the hierarchy are done again here, at random times of its own, in `f64`. Points, matrices and quaternions are the library's.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result};
use keyfold::{Animation, Bound, BuiltClip, ClipOptions, Document, Property, Scene, Target, Track, build_clip, read};
use keyfold_core::clip::{Clip, Encoding, Pose, Sampler};
use keyfold_core::curve::{Interpolation, Kind};
use keyfold_core::quat;
use keyfold_core::skeleton::{Affine, Transform, random_moments};

use crate::shared_dir;

/// Keys per second of ACL's clips.
const RATE: f32 = 30.0;
/// ACL's points are three centimetres from a joint where its bound is a tenth of a millimetre.
const SHELL_PER_BOUND: f64 = 300.0;

/// A clip that ACL was measured on.
#[derive(Clone, Debug)]
pub struct AclClip {
    /// The file.
    pub path: PathBuf,
    /// Its name without folder and ending.
    pub file: String,
    /// Which of its animations.
    pub animation: usize,
    /// Bytes of ACL's clip.
    pub bytes: usize,
    /// ACL's bound, in scene units.
    pub bound: f64,
}

/// All of them, as the table beside the project lists them; none where it is not there.
pub fn acl_clips() -> Result<Vec<AclClip>> {
    let Some(shared) = shared_dir() else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(shared.join("peers.md")).context("cannot read peers.md")?;
    Ok(text.lines().filter_map(|line| AclClip::parse(line, &shared.join("corpus"))).collect())
}

impl AclClip {
    /// `| file #animation | tracks x keys | bytes | error (bound B unit) |`
    fn parse(line: &str, corpus: &std::path::Path) -> Option<Self> {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (file, animation) = cells.next()?.split_once(" #")?;
        let bytes = cells.nth(1)?.parse().ok()?;
        let bound = cells.next()?.split("(bound ").nth(1)?.split(' ').next()?.parse().ok()?;
        let path = corpus.join(format!("{file}.glb"));
        Some(Self { path, file: file.to_owned(), animation: animation.parse().ok()?, bytes, bound })
    }

    /// The same clip as Keyfold builds it, and its largest error at so many random times.
    pub fn build(&self, encoding: Encoding, times: usize) -> Result<(BuiltClip, f64)> {
        let document = Document::open(&self.path)?;
        let animations = read(&document)?.animations;
        let (max_error, probe_radius) = (Bound::Length(self.bound), Some(Bound::Length(self.bound * SHELL_PER_BOUND)));
        let options = ClipOptions { rate: Some(RATE), encoding, max_error, probe_radius, ..ClipOptions::default() };
        let built = build_clip(&document, self.animation, &options)?;
        let scene = Scene::new(&document, &animations, probe_radius)?;
        let error = error(&scene, &animations[self.animation], &Clip::open(&built.bytes)?, times);
        Ok((built, error))
    }
}

/// The largest error of a clip against its animation resampled at the clip's keys, at so many random times, in scene units.
pub fn error(scene: &Scene, animation: &Animation, clip: &Clip<'_>, times: usize) -> f64 {
    let probes = scene.probes(&scene.motion(animation).moved());
    let driven: Vec<Driven<'_>> = animation.tracks.iter().filter_map(|track| Driven::new(track, clip)).collect();
    let key_times: Vec<f64> = (0..clip.keys()).map(|k| clip.key_time(k)).collect();
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut worst = 0.0f64;
    for moment in random_moments(0.0, clip.duration().into(), times, 0x0AC1) {
        sampler.sample(moment.time, &mut pose);
        let expected = globals(scene, &driven, |d| Some(d.resampled(&key_times, moment.time)));
        let played = globals(scene, &driven, |d| d.played(&pose));
        let far = probes.iter().map(|p| p.squared_distance(&expected[p.a], &played[p.b]));
        worst = far.fold(worst, f64::max);
    }
    worst.sqrt()
}

/// A track that moves points.
struct Driven<'a> {
    track: &'a Track,
    node: usize,
    property: Property,
    axis: Option<usize>,
    /// The animation's values at the clip's keys.
    at_keys: Vec<Vec<f64>>,
    /// Where the clip's values stand in a pose; nowhere where the clip leaves the node at rest.
    range: Option<Range<usize>>,
}

impl<'a> Driven<'a> {
    fn new(track: &'a Track, clip: &Clip<'_>) -> Option<Self> {
        let Target::Node { node, property, axis } = track.target else { return None };
        track.target.moved_node()?;
        let name = track.target.to_string();
        let range = clip.tracks().iter().find(|t| t.target().to_string() == name).map(|t| t.range());
        let at_keys = (0..clip.keys()).map(|k| value(track, clip.key_time(k))).collect();
        Some(Self { track, node, property, axis: axis.map(|a| a as usize), at_keys, range })
    }

    /// Straight lines between the keys, slerp for rotations; steps as they are.
    fn resampled(&self, key_times: &[f64], t: f64) -> Vec<f64> {
        let after = key_times.partition_point(|k| *k <= t).clamp(1, key_times.len().max(2) - 1);
        if self.track.curve.interpolation() == Interpolation::Step || key_times.len() < 2 {
            return value(self.track, t);
        }
        let (a, b) = (&self.at_keys[after - 1], &self.at_keys[after]);
        let s = ((t - key_times[after - 1]) / (key_times[after] - key_times[after - 1])).clamp(0.0, 1.0);
        match (self.property, a[..].try_into(), b[..].try_into()) {
            (Property::Rotation, Ok(a), Ok(b)) => quat::slerp(a, b, s).to_vec(),
            _ => a.iter().zip(b).map(|(a, b)| a + (b - a) * s).collect(),
        }
    }

    fn played(&self, pose: &Pose) -> Option<Vec<f64>> {
        Some(pose.values()[self.range.clone()?].iter().map(|v| f64::from(*v)).collect())
    }

    fn put(&self, local: &mut Transform, value: &[f64]) {
        if let (Property::Rotation, Ok(q)) = (self.property, value.try_into()) {
            local.rotation = quat::normalize(q);
            return;
        }
        let to = if self.property == Property::Scale { &mut local.scale } else { &mut local.translation };
        match self.axis {
            Some(axis) => to[axis] = value[0],
            None => to.copy_from_slice(value),
        }
    }
}

fn value(track: &Track, t: f64) -> Vec<f64> {
    let mut out = vec![0.0; track.curve.width()];
    let rotation = matches!(track.target, Target::Node { property: Property::Rotation, .. });
    track.curve.sample(if rotation { Kind::Rotation } else { Kind::Vector }, t, &mut out);
    out
}

/// Where every node is when those that are driven have these values.
fn globals(scene: &Scene, driven: &[Driven<'_>], value: impl Fn(&Driven<'_>) -> Option<Vec<f64>>) -> Vec<Affine> {
    let skeleton = scene.skeleton();
    let mut locals: Vec<Option<Transform>> = vec![None; skeleton.len()];
    for d in driven {
        let local = locals[d.node].get_or_insert(*skeleton.rest(d.node));
        if let Some(value) = value(d) {
            d.put(local, &value);
        }
    }
    let mut globals = vec![Affine::IDENTITY; skeleton.len()];
    for &node in skeleton.order() {
        let local = locals[node].as_ref().map_or(*skeleton.rest_local(node), Affine::from_transform);
        globals[node] = skeleton.parent(node).map_or(local, |parent| globals[parent].then_inner(&local));
    }
    globals
}
