//! An animation taken apart for the search: the lanes whose keys may change, the times they live on, and how far each lane
//! moves what hangs on it.
//!
//! A lane is a `LINEAR` track that moves a node. Tracks of other interpolations and targets keep their curves while
//! lanes are searched; they move the skeleton as they always did.

use super::{
    grid::Grid,
    lattice::{Lattice, played, snap_float},
    projection::projection,
    window::Window,
};
use crate::{Animation, Axis, Interpolation, Property, Scene, Storage, Target};
use keyfold_core::{
    quat,
    skeleton::{Moment, Motion, Probe},
    stream::RotationGrid,
};

/// A track whose keys the search may change.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// Its index among the animation's tracks.
    pub(crate) track: usize,
    pub(crate) node: usize,
    pub(crate) property: Property,
    pub(crate) axis: Option<Axis>,
    /// Which of the clip's times are its keys; ascending.
    pub(crate) keys: Vec<usize>,
    /// Whether its value never changes.
    pub(crate) constant: bool,
    /// Whether it is a rotation whose W is never small, so that W follows from the rest.
    pub(crate) upright: bool,
    /// How a stream projects its rotations.
    projection: RotationGrid,
    /// The least and the largest value of each component; of upright rotations with W positive.
    spans: Vec<(f64, f64)>,
    /// What the node has at rest, and how far the lane ever is from it.
    rest: Held,
    /// The middle of all values, and how far the lane ever is from it.
    middle: Held,
}

/// A value that a lane could hold throughout.
#[derive(Clone, Copy, Debug)]
struct Held {
    value: [f64; 4],
    /// The farthest that the lane ever is from it: an angle or a distance.
    stray: f64,
}

/// The finest step (radians) that meshopt's quaternion filter is good for.
const FINEST: f64 = 1e-4;
/// How much of its budget a lane may stray from a value that it is made to hold.
const HOLD: f64 = 0.5;

impl Lane {
    /// The value that a lane holds throughout at a budget: the rest pose where that is near enough, so that the track can go. As stored.
    pub(crate) fn held(&self, storage: Storage, budget: f64) -> Option<[f32; 4]> {
        if self.rest.stray <= HOLD * budget {
            return Some(self.rest.value.map(|c| c as f32));
        }
        let held = self.constant || self.middle.stray <= HOLD * budget;
        held.then(|| match self.property {
            // What the quaternion filter gives at its finest is of unit length, and needs no buffer view of its own.
            Property::Rotation if storage == Storage::Meshopt && budget > 16.0 * FINEST => {
                self.lattice(storage, FINEST).rotation(self.middle.value)
            }
            Property::Rotation if storage == Storage::Stream => {
                self.lattice(storage, held_step(budget)).rotation(self.middle.value)
            }
            // What never changes is shown as stored by players that normalize only what they blend: floats are of unit length.
            Property::Rotation => self.middle.value.map(|c| c as f32),
            _ => self.middle.value.map(|c| snap_float(c, budget / 4.0)),
        })
    }

    /// The values that the lane has at a budget, whether it holds one throughout or not.
    pub(crate) fn stored_lattice(&self, storage: Storage, budget: f64, step: f64) -> Lattice {
        let held = self.held(storage, budget).is_some();
        self.lattice(storage, if held && storage == Storage::Stream { held_step(budget) } else { step })
    }

    /// The values that the lane can have with steps of `step`.
    pub(crate) fn lattice(&self, storage: Storage, step: f64) -> Lattice {
        match self.property {
            Property::Rotation if storage == Storage::Stream => Lattice::projected(step / 2.0, self.projection),
            // Half an angle is what a quaternion's components hold.
            Property::Rotation => {
                let grid = |step| if self.upright { Grid::new(&self.spans[..3], step, true) } else { None };
                Lattice::rotations(storage, step / 2.0, grid)
            }
            _ => Lattice::vectors(storage, step, |step| Grid::new(&self.spans, step, false)),
        }
    }
}

/// An animation taken apart.
pub(crate) struct Clip<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) animation: &'a Animation,
    /// How it will be stored: decides which values there are.
    pub(crate) storage: Storage,
    pub(crate) motion: Motion<'a>,
    pub(crate) probes: Vec<Probe>,
    /// All keys of all lanes.
    pub(crate) times: Vec<f32>,
    /// Ordered so that a node's lanes come together, translation first.
    pub(crate) lanes: Vec<Lane>,
}

impl<'a> Clip<'a> {
    /// Takes an animation apart; tracks for which `keep` says so become no lanes.
    pub(crate) fn new(
        scene: &'a Scene,
        animation: &'a Animation,
        storage: Storage,
        keep: impl Fn(&Target) -> bool,
    ) -> Self {
        let motion = scene.motion(animation);
        let probes = scene.probes(&motion.moved());
        let tracks =
            || animation.tracks.iter().enumerate().filter(|(_, t)| is_lane(&t.target, &t.curve) && !keep(&t.target));
        let mut times: Vec<f32> = tracks().flat_map(|(_, t)| t.curve.times()).copied().collect();
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        let mut lanes: Vec<Lane> = tracks().filter_map(|(index, _)| lane(scene, animation, index, &times)).collect();
        lanes.sort_by_key(|lane| (lane.node, lane.property, lane.axis));
        Self { scene, animation, storage, motion, probes, times, lanes }
    }

    /// The lanes of a node.
    pub(crate) fn lanes_of(&self, node: usize) -> std::ops::Range<usize> {
        let start = self.lanes.partition_point(|lane| lane.node < node);
        start..start + self.lanes[start..].partition_point(|lane| lane.node == node)
    }

    /// The part of the clip between two of its times.
    pub(crate) fn window(&self, range: std::ops::Range<usize>) -> Window {
        let moments: Vec<Moment> = self.times[range.clone()].iter().map(|t| Moment::at(f64::from(*t))).collect();
        Window::new(self, range, &moments)
    }
}

/// The least W with which a rotation is stored without it: below, small errors of the rest make large ones of W.
const UPRIGHT: f64 = 0.4;

fn is_lane(target: &Target, curve: &crate::Curve) -> bool {
    target.moved_node().is_some() && curve.interpolation() == Interpolation::Linear
}

fn lane(scene: &Scene, animation: &Animation, track: usize, times: &[f32]) -> Option<Lane> {
    let Target::Node { node, property, axis } = animation.tracks[track].target else { return None };
    let curve = &animation.tracks[track].curve;
    let keys: Vec<usize> = curve.times().iter().map(|t| times.partition_point(|other| other < t)).collect();
    // A lane with nearly all keys takes the rest of them, too: then it can share its times.
    let keys = if keys.len() * 10 >= times.len() * 9 { (0..times.len()).collect() } else { keys };
    let constant = (1..curve.keys()).all(|k| curve.value(k) == curve.value(0));
    let values = values(curve, property);
    let upright = property == Property::Rotation && values.iter().all(|q| q[3] > UPRIGHT);
    let spans = spans(&values, curve.width());
    let held =
        |value: [f64; 4]| Held { value, stray: values.iter().map(|v| apart(property, *v, value)).fold(0.0, f64::max) };
    let rest = held(rest(scene, node, property, axis));
    let middle = held(middle(property, &spans));
    let projection = projection(&values);
    Some(Lane { track, node, property, axis, keys, constant, upright, projection, spans, rest, middle })
}

/// The step of what a lane holds throughout: fine, because it is stored once.
fn held_step(budget: f64) -> f64 {
    budget / 8.0
}

/// Values of up to four components; rotations as unit quaternions with W positive.
fn values(curve: &crate::Curve, property: Property) -> Vec<[f64; 4]> {
    let value = |k: usize| {
        let stored = curve.value(k);
        let value = [0, 1, 2, 3].map(|c| stored.get(c).copied().unwrap_or(0.0));
        match property {
            Property::Rotation => {
                let q = played(value);
                if q[3] < 0.0 { quat::negate(q) } else { q }
            }
            _ => value.map(f64::from),
        }
    };
    (0..curve.keys()).map(value).collect()
}

fn spans(values: &[[f64; 4]], width: usize) -> Vec<(f64, f64)> {
    let span =
        |c: usize| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v[c]), b.max(v[c])));
    (0..width).map(span).collect()
}

fn rest(scene: &Scene, node: usize, property: Property, axis: Option<Axis>) -> [f64; 4] {
    let rest = scene.skeleton().rest(node);
    let vector = |v: [f64; 3]| axis.map_or([v[0], v[1], v[2], 0.0], |a| [v[a as usize], 0.0, 0.0, 0.0]);
    match property {
        Property::Rotation => rest.rotation,
        Property::Scale => vector(rest.scale),
        Property::Translation | Property::Weights => vector(rest.translation),
    }
}

fn middle(property: Property, spans: &[(f64, f64)]) -> [f64; 4] {
    let middle = [0, 1, 2, 3].map(|c| spans.get(c).map_or(0.0, |(low, high)| low + (high - low) / 2.0));
    if property == Property::Rotation { quat::normalize(middle) } else { middle }
}

/// How far two values of a property lie apart: an angle or a distance.
fn apart(property: Property, a: [f64; 4], b: [f64; 4]) -> f64 {
    match property {
        Property::Rotation => quat::angle(a, b),
        _ => [0, 1, 2].iter().map(|c| (a[*c] - b[*c]) * (a[*c] - b[*c])).sum::<f64>().sqrt(),
    }
}
