//! A track whose keys the engine may change: what it drives, where its keys are, and the values that it could hold throughout.

use super::{
    Codec,
    grid::{Code, Grid, played},
};
use crate::{
    curve::{Curve, Interpolation},
    quat,
    skeleton::{Property, Skeleton, Track as Driven},
    stream::{RotationGrid, projection},
};
use alloc::{sync::Arc, vec::Vec};

/// A `LINEAR` track that moves a node.
#[derive(Clone, Debug)]
pub struct Track {
    /// Its index among the tracks that the engine was given.
    pub index: usize,
    /// The node.
    pub node: usize,
    /// What of the node.
    pub property: Property,
    /// One axis of it alone.
    pub axis: Option<usize>,
    /// How many components a value has.
    pub width: usize,
    /// The least and the largest value of each component; rotations are taken with W positive.
    pub ranges: [(f64, f64); 4],
    /// The farthest that the first three components ever are from each other.
    pub spread: f64,
    /// Of rotations: how a stream projects them.
    pub projection: Option<RotationGrid>,
    /// Which of the clip's times are its keys; ascending.
    pub(super) keys: Vec<usize>,
    /// Whether its value never changes.
    constant: bool,
    rest: Held,
    middle: Held,
}

/// A value that a track could hold throughout.
#[derive(Clone, Copy, Debug)]
struct Held {
    value: [f64; 4],
    /// The farthest that the track ever is from it: an angle or a distance.
    stray: f64,
}

/// How much of its budget a track may stray from a value that it is made to hold.
const HOLD: f64 = 0.5;
/// A track with at least this share of a clip's times among its keys takes the rest of them, too: then it can share its times.
const NEARLY_ALL: f64 = 0.9;

impl Track {
    pub(super) fn new(skeleton: &Skeleton, index: usize, driven: &Driven<'_>, times: &[f32]) -> Self {
        let Driven { node, property, axis, curve } = *driven;
        let keys: Vec<usize> = curve.times().iter().map(|t| times.partition_point(|other| other < t)).collect();
        let all = keys.len() as f64 >= times.len() as f64 * NEARLY_ALL;
        let keys = if all { (0..times.len()).collect() } else { keys };
        let constant = (1..curve.keys()).all(|k| curve.value(k) == curve.value(0));
        let values = values(curve, property);
        let ranges = ranges(&values);
        let held = |value: [f64; 4]| Held {
            value,
            stray: values.iter().map(|v| distance(property, *v, value)).fold(0.0, f64::max),
        };
        let (rest, middle) = (held(rest(skeleton, node, property, axis)), held(middle(property, &ranges)));
        let apart = |v: &[f64; 4]| libm::fabs(v[0] - v[1]).max(libm::fabs(v[0] - v[2])).max(libm::fabs(v[1] - v[2]));
        let spread = values.iter().map(apart).fold(0.0, f64::max);
        let projection = (property == Property::Rotation).then(|| projection(&values));
        let width = curve.width();
        Self { index, node, property, axis, width, ranges, spread, projection, keys, constant, rest, middle }
    }

    /// The track with another curve.
    pub(super) fn driven<'c>(&self, curve: &'c Curve) -> Driven<'c> {
        Driven { node: self.node, property: self.property, axis: self.axis, curve }
    }

    /// The largest of all components.
    pub fn largest(&self) -> f64 {
        self.ranges.iter().fold(0.0, |m, (low, high)| m.max(libm::fabs(*low)).max(libm::fabs(*high)))
    }

    /// How a track is stored with a budget, `share` of which is its step: the rest pose or another value throughout where that is near enough,
    /// else a grid.
    pub(super) fn quantizer(&self, codec: &dyn Codec, budget: f64, share: f64) -> Quantizer {
        let constant = |grid: Grid, value| Quantizer { budget, grid, held: Some(grid.encode(value)) };
        if self.rest.stray <= HOLD * budget {
            // So that the track can go.
            return constant(Grid::Float, self.rest.value);
        }
        if self.constant || self.middle.stray <= HOLD * budget {
            return constant(codec.constant(self, budget), self.middle.value);
        }
        Quantizer { budget, grid: codec.grid(self, budget * share), held: None }
    }
}

/// How a track is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantizer {
    /// How far it may stray: radians for rotations, units of the property otherwise.
    pub(super) budget: f64,
    pub(super) grid: Grid,
    /// The value that it holds throughout.
    pub(super) held: Option<Code>,
}

/// A track as it will be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// When its keys are.
    pub times: Arc<[f32]>,
    /// What its codes mean.
    pub grid: Grid,
    /// Key by key.
    pub codes: Vec<Code>,
    /// How many components a value has.
    pub width: usize,
}

impl Encoded {
    /// The curve that a reader gets; `None` where codes are no finite numbers.
    pub fn curve(&self) -> Option<Curve> {
        let values: Vec<f32> =
            self.codes.iter().flat_map(|code| self.grid.decode(*code).into_iter().take(self.width)).collect();
        Curve::new(Interpolation::Linear, self.width, self.times.clone(), values).ok()
    }
}

/// Values of up to four components; rotations as unit quaternions with W positive.
fn values(curve: &Curve, property: Property) -> Vec<[f64; 4]> {
    let value = |k: usize| {
        let stored = curve.value(k);
        let value = [0, 1, 2, 3].map(|c| stored.get(c).copied().unwrap_or(0.0));
        match property {
            Property::Rotation => {
                let q = played(value);
                if q[3] < 0.0 { quat::negate(q) } else { q }
            }
            Property::Translation | Property::Scale => value.map(f64::from),
        }
    };
    (0..curve.keys()).map(value).collect()
}

fn ranges(values: &[[f64; 4]]) -> [(f64, f64); 4] {
    let range =
        |c: usize| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v[c]), b.max(v[c])));
    [0, 1, 2, 3].map(range)
}

fn rest(skeleton: &Skeleton, node: usize, property: Property, axis: Option<usize>) -> [f64; 4] {
    let rest = skeleton.rest(node);
    let vector = |v: [f64; 3]| axis.map_or([v[0], v[1], v[2], 0.0], |a| [v[a], 0.0, 0.0, 0.0]);
    match property {
        Property::Rotation => rest.rotation,
        Property::Scale => vector(rest.scale),
        Property::Translation => vector(rest.translation),
    }
}

fn middle(property: Property, ranges: &[(f64, f64); 4]) -> [f64; 4] {
    let middle = ranges.map(|(low, high)| low + (high - low) / 2.0);
    if property == Property::Rotation { quat::normalize(middle) } else { middle }
}

/// How far two values of a property lie apart: an angle or a distance.
fn distance(property: Property, a: [f64; 4], b: [f64; 4]) -> f64 {
    match property {
        Property::Rotation => quat::angle(a, b),
        Property::Translation | Property::Scale => crate::vector::distance([a[0], a[1], a[2]], [b[0], b[1], b[2]]),
    }
}
