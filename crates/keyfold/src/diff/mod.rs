//! Measures how far the animations of two files differ, at every time.
//!
//! Tracks that move nodes are measured in space: by probes on every moved node, at every key of both files,
//! between neighbouring keys and at both sides of `Step` edges. [`skeleton::prove`] bounds the error between
//! these times. Other tracks (weights, colours, lights) are measured relative to their range (`properties`).
//! Files may differ in key counts, storage, and the order of nodes, channels and animations (`matching`).

mod kept;
mod matching;
mod properties;
pub mod report;
mod unmatched;

pub use kept::{Kept, kept, kept_with};
pub(crate) use properties::{natural_range, worst_property};
pub use unmatched::{Unmatched, Which};

use crate::parallel::*;
use crate::{Animation, Animations, Bound, Document, Kind, Monitor, Result, Scene, Severity, effort, read};
use keyfold_core::{
    curve::shortest,
    skeleton::{self, Motion, Probe, Proof},
};
use matching::{Matching, Twins};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The differences between the animations of two files.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Diff {
    /// The largest distance between a point of the first file and its twin over all animations, in scene
    /// units. NaN, like the next two, if the files have nothing in common.
    pub error: f64,
    /// The error as a fraction of the model's size.
    pub relative: f64,
    /// The proven upper bound of that distance at any time, in scene units: what error bounds limit.
    pub possible: f64,
    /// The root mean square of the distances, in scene units; the largest of all animations.
    pub rms: f64,
    /// The length that relative errors refer to, in scene units: the first file's.
    pub model_size: f64,
    /// One entry per animation of the first file.
    pub animations: Vec<AnimationDiff>,
    /// What could not be compared: animations, channels or nodes that a file lacks or that cannot be read.
    pub unmatched: Vec<Unmatched>,
    /// Rotations of the first file that are undefined at some time: splines through zero.
    pub undefined: Vec<String>,
}

/// The difference between an animation and its twin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AnimationDiff {
    /// Its index in the first file.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The largest distance between a point and its twin, in scene units.
    pub error: f64,
    /// The error as a fraction of the model's size.
    pub relative: f64,
    /// The proven upper bound of that distance at any time, in scene units: what error bounds limit.
    pub possible: f64,
    /// The root mean square of the distances, in scene units.
    pub rms: f64,
    /// The node that carries the worst point.
    pub node: Option<usize>,
    /// The node's name.
    pub node_name: Option<String>,
    /// The time of the largest error, in seconds.
    pub time: Option<f64>,
    /// The largest difference of properties that move no points.
    pub properties: PropertyDiff,
}

/// The largest difference of properties that move no points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PropertyDiff {
    /// The largest difference as a fraction of the property's natural range.
    pub max: f64,
    /// The property with that difference.
    pub target: Option<String>,
}

/// Compares the animations of two documents; `probe_radius` as for [`Scene::new`].
///
/// ```
/// # let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/");
/// # let open = |name: &str| keyfold::Document::open(format!("{samples}{name}"));
/// let machine = open("machine.glb")?;
/// let found = keyfold::diff(&machine, &machine, None)?;
/// assert!(found.error == 0.0 && found.unmatched.is_empty());
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn diff(a: &Document, b: &Document, probe_radius: Option<Bound>) -> Result<Diff> {
    diff_with(a, b, probe_radius, &())
}

/// Like [`diff`](fn@diff), with progress and cancellation.
pub fn diff_with(a: &Document, b: &Document, probe_radius: Option<Bound>, monitor: &dyn Monitor) -> Result<Diff> {
    diff_nodes_with(a, b, probe_radius, &|_| true, monitor)
}

/// Like [`diff`](fn@diff), restricted to the points and properties of some nodes of the first file.
pub fn diff_nodes(
    a: &Document,
    b: &Document,
    probe_radius: Option<Bound>,
    wanted: &dyn Fn(usize) -> bool,
) -> Result<Diff> {
    diff_nodes_with(a, b, probe_radius, wanted, &())
}

/// Like [`diff_nodes`], with progress and cancellation.
pub fn diff_nodes_with(
    a: &Document,
    b: &Document,
    probe_radius: Option<Bound>,
    wanted: &dyn Fn(usize) -> bool,
    monitor: &dyn Monitor,
) -> Result<Diff> {
    let (a, b) = (Side::new(a, probe_radius)?, Side::new(b, probe_radius)?);
    effort::pay(a.document, &a.scene, &a.read.animations, effort::MEASURE)?;
    effort::pay(b.document, &b.scene, &b.read.animations, effort::MEASURE)?;
    let matching = Matching::new(&a, &b);
    let mut unmatched: Vec<Unmatched> = a.unreadable(Which::First).chain(b.unreadable(Which::Second)).collect();
    let lacks = |file, side: &Side<'_>, index: usize| {
        let name = side.read.animations.get(index).and_then(|animation| animation.name.clone());
        Unmatched::Animation { file, index, name }
    };
    unmatched.extend(matching.animations.alone().into_iter().map(|index| lacks(Which::First, &a, index)));
    unmatched.extend(matching.animations.left().into_iter().map(|index| lacks(Which::Second, &b, index)));
    let (mut animations, mut compared) = (Vec::new(), 0);
    for (mine, twin) in a.read.animations.iter().zip(matching.animations.all()) {
        monitor.step(mine.index as f64 / a.read.animations.len() as f64, "comparing")?;
        let theirs = twin.map(|index| &b.read.animations[index]);
        let (diff, points) = compare(&a, mine, &b, theirs, &matching, wanted, &mut unmatched);
        compared += points;
        animations.push(diff);
    }
    // A node may be missing for many animations.
    let mut told = BTreeSet::new();
    unmatched.retain(|one| told.insert(one.to_string()));
    // Two files without animations are alike; two without a pair to compare are not.
    let alike = a.read.animations.is_empty() && b.read.animations.is_empty();
    let least = if alike || compared > 0 { 0.0 } else { f64::NAN };
    let largest = |of: fn(&AnimationDiff) -> f64| {
        animations.iter().map(of).fold(least, |a, b| if a.is_nan() { a } else { a.max(b) })
    };
    Ok(Diff {
        error: largest(|a| a.error),
        relative: largest(|a| a.relative),
        possible: largest(|a| a.possible),
        rms: largest(|a| a.rms),
        model_size: a.scene.model_size(),
        undefined: a.read.animations.iter().flat_map(|animation| told_undefined(&a.scene, animation)).collect(),
        animations,
        unmatched,
    })
}

impl Diff {
    /// Whether there was anything to compare: an animation of both files that drives something of both.
    pub fn in_common(&self) -> bool {
        !self.error.is_nan()
    }
}

/// The rotations of an animation that are undefined at some time, as their track's index and that time.
pub(crate) fn undefined(animation: &Animation) -> impl Iterator<Item = (usize, f64)> {
    let rotations = animation.tracks.iter().enumerate().filter(|(_, track)| track.target.kind() == Kind::Rotation);
    rotations.filter_map(|(i, track)| Some((i, shortest(&track.curve).filter(|shortest| !shortest.is_defined())?.time)))
}

/// Messages about the rotations that are undefined at some time.
pub(crate) fn told_undefined(scene: &Scene, animation: &Animation) -> impl Iterator<Item = String> {
    undefined(animation).map(move |(i, at)| {
        let place = format!("/animations/{}{}", animation.index, called(animation.name.as_deref()));
        let target = scene.titled(&animation.tracks[i].target);
        format!("{place}: {target} is {}", through_zero(at))
    })
}

/// A description of a rotation that is undefined at a time.
pub(crate) fn through_zero(at: f64) -> String {
    format!("a spline that passes through zero at {at} s, where no rotation is defined")
}

/// A name in brackets, if there is one.
pub(crate) fn called(name: Option<&str>) -> String {
    name.map(|name| format!(" ({name})")).unwrap_or_default()
}

/// One of the two files.
struct Side<'a> {
    document: &'a Document,
    scene: Scene,
    read: Animations,
}

impl<'a> Side<'a> {
    fn new(document: &'a Document, probe_radius: Option<Bound>) -> Result<Self> {
        let read = read(document)?;
        Ok(Self { document, scene: Scene::new(document, &read.animations, probe_radius)?, read })
    }

    fn unreadable(&self, file: Which) -> impl Iterator<Item = Unmatched> {
        let errors = self.read.findings.iter().filter(|f| f.severity == Severity::Error);
        errors.map(move |f| Unmatched::Unreadable { file, at: f.at.clone(), message: f.message.clone() })
    }
}

/// Compares an animation with its twin, and counts the points, or kinds of properties, that were compared.
fn compare(
    a: &Side<'_>,
    mine: &Animation,
    b: &Side<'_>,
    theirs: Option<&Animation>,
    matching: &Matching,
    wanted: &dyn Fn(usize) -> bool,
    unmatched: &mut Vec<Unmatched>,
) -> (AnimationDiff, usize) {
    let still = Animation { index: mine.index, name: None, tracks: Vec::new() };
    let is_there = theirs.is_some();
    let theirs = theirs.unwrap_or(&still);
    if is_there && mine.duration() != theirs.duration() {
        let seconds = [mine.duration(), theirs.duration()];
        unmatched.push(Unmatched::Duration { index: mine.index, seconds });
    }
    let (motion, twin) = (a.scene.motion(mine), b.scene.motion(theirs));
    let (mut probes, mut lost) = twin_probes(&a.scene, &motion, &twin, &matching.nodes);
    probes.retain(|probe| wanted(probe.a));
    lost.retain(|node| wanted(*node));
    let name = |node: usize| a.scene.name(node).map(str::to_owned);
    unmatched.extend(lost.into_iter().map(|index| Unmatched::Node { index, name: name(index) }));
    let proof = proof(&motion, &twin, &probes);
    let properties = properties::compare(a.document, mine, b.document, theirs, matching, wanted);
    let moves_nothing = mine.tracks.iter().all(|track| track.target.moved_node().is_none());
    let points = probes.len() + usize::from(moves_nothing && is_there);
    (AnimationDiff::new(&a.scene, mine, &proof, &probes, properties), points)
}

impl AnimationDiff {
    pub(crate) fn new(
        scene: &Scene,
        animation: &Animation,
        Proof { deviation, possible }: &Proof,
        probes: &[Probe],
        properties: PropertyDiff,
    ) -> Self {
        let worst = deviation.worst().filter(|(_, w)| w.error > 0.0);
        let node = worst.map(|(probe, _)| probes[probe].a);
        let error = deviation.error();
        Self {
            index: animation.index,
            name: animation.name.clone(),
            error,
            relative: error / scene.model_size(),
            possible: *possible,
            rms: deviation.rms(),
            node,
            node_name: node.and_then(|n| scene.name(n)).map(str::to_owned),
            time: worst.map(|(_, w)| w.moment.time),
            properties,
        }
    }
}

/// Probes on all nodes that either motion moves, and the moved nodes that the second file lacks.
fn twin_probes(scene: &Scene, motion: &Motion<'_>, twin: &Motion<'_>, nodes: &Twins) -> (Vec<Probe>, Vec<usize>) {
    let theirs = twin.moved();
    let mut moved = motion.moved();
    for (flag, node) in moved.iter_mut().zip(nodes.all()) {
        *flag |= node.is_some_and(|n| theirs[n]);
    }
    let probes = scene.probes(&moved);
    let lost = probes.iter().map(|p| p.a).filter(|a| nodes.of(*a).is_none()).collect();
    (probes.into_iter().filter_map(|p| Some(Probe { b: nodes.of(p.a)?, ..p })).collect(), lost)
}

/// The proven error between two motions, computed in parallel; the same on any number of threads.
pub(crate) fn proof(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe]) -> Proof {
    skeleton::prove(a, b, probes, |parts, part| (0..parts).into_par_iter().map(part).collect())
}

#[cfg(test)]
mod tests;
