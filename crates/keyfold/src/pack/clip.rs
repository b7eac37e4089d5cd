//! An animation taken apart for the search: the lanes whose keys may change, the times they live on, and how far each lane
//! moves what hangs on it.
//!
//! A lane is a `LINEAR` track that moves a node. Tracks of other interpolations and targets keep their curves while
//! lanes are searched; they move the skeleton as they always did.

use super::window::Window;
use crate::{Animation, Axis, Interpolation, Property, Scene, Storage, Target};
use keyfold_core::skeleton::{Moment, Motion, Probe};

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
        let mut lanes: Vec<Lane> = tracks().filter_map(|(index, _)| lane(animation, index, &times)).collect();
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

fn w_of(stored: &[f32]) -> f64 {
    let q = super::lattice::played([stored[0], stored[1], stored[2], stored[3]]);
    q[3].abs()
}

fn is_lane(target: &Target, curve: &crate::Curve) -> bool {
    target.moved_node().is_some() && curve.interpolation() == Interpolation::Linear
}

fn lane(animation: &Animation, track: usize, times: &[f32]) -> Option<Lane> {
    let Target::Node { node, property, axis } = animation.tracks[track].target else { return None };
    let curve = &animation.tracks[track].curve;
    let keys: Vec<usize> = curve.times().iter().map(|t| times.partition_point(|other| other < t)).collect();
    // A lane with nearly all keys takes the rest of them, too: then it can share its times.
    let keys = if keys.len() * 10 >= times.len() * 9 { (0..times.len()).collect() } else { keys };
    let constant = (1..curve.keys()).all(|k| curve.value(k) == curve.value(0));
    let upright = property == Property::Rotation && (0..curve.keys()).all(|k| w_of(curve.value(k)) > UPRIGHT);
    Some(Lane { track, node, property, axis, keys, constant, upright })
}
