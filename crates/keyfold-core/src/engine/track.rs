//! A track whose keys the engine may change: its target, its keys, and the constants that could replace it.

use super::{
    Codec,
    grid::{Code, Grid, played},
};
use crate::{
    curve::{Curve, Interpolation},
    quat,
    skeleton::{Property, Skeleton, Track as Driven, Transform},
    stream::{RotationGrid, projection},
};
use alloc::{sync::Arc, vec, vec::Vec};
use core::ops::Range;

/// A track that moves a node. Keys of `LINEAR` tracks may be dropped and compensate for ancestors. Others
/// keep their keys, and splines their tangents.
#[derive(Clone, Debug)]
pub struct Track {
    /// Its index in the job.
    pub index: usize,
    /// The node.
    pub node: usize,
    /// The property of the node.
    pub property: Property,
    /// The axis, if it drives only one.
    pub axis: Option<usize>,
    /// The number of components of a value.
    pub width: usize,
    /// How values between keys are interpolated.
    pub interpolation: Interpolation,
    /// The range of each component, tangents included. Rotations without tangents count with positive W.
    pub ranges: [(f64, f64); 4],
    /// The largest difference between the first three components.
    pub spread: f64,
    /// The longest time between two keys, in seconds.
    pub gap: f64,
    /// Whether keys are of unit length, as readers of rotations assume.
    pub is_unit: bool,
    /// The largest angle between two keys of a rotation, in radians.
    pub(super) turn: f64,
    /// The component of a rotation that is never small, if there is one.
    pub steady: Option<usize>,
    /// How a stream projects a rotation.
    pub projection: Option<RotationGrid>,
    /// The original.
    pub(super) curve: Curve,
    /// The clip's times that are its keys, ascending.
    pub(super) keys: Vec<usize>,
    /// The value at rest.
    rest: Held,
    /// The middle of all its values.
    middle: Held,
}

/// A constant that could replace a track, and the track's largest distance from it: an angle or a length.
type Held = ([f64; 4], f64);

/// The share of its budget that a track may be away from a constant that replaces it.
const HOLD: f64 = 0.5;
/// How far the length of a unit quaternion may be from 1.
const UNIT: f64 = 1.0 / 32768.0;
/// Smaller quaternion components, rebuilt from the others, would have over three times their error.
const SMALL: f64 = 0.3;
/// A track with this share of a clip's times as keys gets all of them, so that it can share times.
const NEARLY_ALL: f64 = 0.9;

impl Track {
    pub(super) fn new(skeleton: &Skeleton, index: usize, driven: &Driven<'_>, times: &[f32], keeps_keys: bool) -> Self {
        let Driven { node, property, axis, curve } = *driven;
        let interpolation = curve.interpolation();
        let is_linear = interpolation == Interpolation::Linear;
        let keys: Vec<usize> = curve.times().iter().map(|t| times.partition_point(|other| other < t)).collect();
        let all = is_linear && !keeps_keys && keys.len() as f64 >= times.len() as f64 * NEARLY_ALL;
        let keys = if all { (0..times.len()).collect() } else { keys };
        let values = values(curve, property);
        let hull = if interpolation == Interpolation::CubicSpline { hull(curve) } else { values.clone() };
        // Keys that stay are not replaced by a constant.
        let least = if keeps_keys && !curve.is_constant() { f64::INFINITY } else { 0.0 };
        let stray = |value| hull.iter().map(|v| distance(property, *v, value)).fold(least, f64::max);
        let held = |value| (value, stray(value));
        let apart = |v: &[f64; 4]| libm::fabs(v[0] - v[1]).max(libm::fabs(v[0] - v[2])).max(libm::fabs(v[1] - v[2]));
        let is_turned = property == Property::Rotation && !interpolation.is_spline();
        let arcs = values.windows(2).filter(|_| is_turned);
        let square = |k: usize| curve.value(k).iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>();
        let gaps = curve.times().windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0]));
        Self {
            index,
            node,
            property,
            axis,
            width: curve.width(),
            interpolation,
            ranges: ranges(&values),
            spread: values.iter().map(apart).fold(0.0, f64::max),
            gap: gaps.fold(0.0, f64::max),
            is_unit: (0..curve.keys()).all(|k| libm::fabs(libm::sqrt(square(k)) - 1.0) < UNIT),
            turn: arcs.map(|pair| distance(property, pair[0], pair[1])).fold(0.0, f64::max),
            steady: steady(&values).filter(|_| property == Property::Rotation),
            projection: is_turned.then(|| projection(&values)),
            rest: held(part_of(skeleton.rest(node), property, axis)),
            middle: held(middle(property, &ranges(&hull))),
            curve: curve.clone(),
            keys,
        }
    }

    /// Whether its keys may be dropped, be changed and compensate for ancestors.
    pub(super) fn is_linear(&self) -> bool {
        self.interpolation == Interpolation::Linear
    }

    pub(super) fn turns(&self) -> bool {
        self.property == Property::Rotation
    }

    /// Whether its keys have tangents.
    pub fn is_spline(&self) -> bool {
        self.interpolation.is_spline()
    }

    /// The elements of some keys in order: keys of splines have tangents before and after the value.
    pub(super) fn elements(&self, keys: Range<usize>) -> impl Iterator<Item = [f64; 4]> + '_ {
        let stride = self.width * self.interpolation.elements_per_key();
        let elements = self.curve.values()[keys.start * stride..keys.end * stride].chunks_exact(self.width);
        elements.map(|element| element_of(element, self.turns() && !self.is_spline()))
    }

    pub(super) fn driven<'c>(&self, curve: &'c Curve) -> Driven<'c> {
        Driven { node: self.node, property: self.property, axis: self.axis, curve }
    }

    /// The keys as they will be stored.
    pub(super) fn encoded(&self, quantizer: &Quantizer, times: Arc<[f32]>, codes: Vec<Code>) -> Encoded {
        Encoded { interpolation: self.interpolation, times, grid: quantizer.grid, codes, width: self.width }
    }

    /// The largest magnitude of all components.
    pub fn largest(&self) -> f64 {
        self.ranges.iter().fold(0.0, |m, (low, high)| m.max(libm::fabs(*low)).max(libm::fabs(*high)))
    }

    /// Whether a budget allows the track to hold one value throughout.
    pub(super) fn is_held(&self, budget: f64) -> bool {
        self.rest.1.min(self.middle.1) <= HOLD * budget || self.curve.is_constant()
    }

    /// How a track is stored within a budget: as a constant if possible, preferably at rest, else on a grid.
    pub(super) fn quantizer(&self, codec: &dyn Codec, budget: f64) -> Quantizer {
        let grid = codec.grid(self, budget);
        if let Grid::Parameters(_) = grid {
            // Codes are relative to adjacent keys, which need not have the constant's value.
            return Quantizer { budget, grid, held: None };
        }
        let constant = |grid: Grid, value| Quantizer { budget, grid, held: Some(grid.encode(value)) };
        let (rest, middle) = (self.rest, self.middle);
        if rest.1 <= HOLD * budget {
            // Exact, so that the track can be dropped.
            return constant(Grid::Float, rest.0);
        }
        if self.is_held(budget) {
            return constant(codec.constant(self, budget), middle.0);
        }
        Quantizer { budget, grid, held: None }
    }
}

/// How a track is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantizer {
    /// Its budget: radians for rotations, units of the property otherwise.
    pub(super) budget: f64,
    pub(super) grid: Grid,
    /// The code of the value that it holds throughout, if it does.
    pub(super) held: Option<Code>,
}

/// A track as it will be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// How values between keys are interpolated.
    pub interpolation: Interpolation,
    /// The times of its keys.
    pub times: Arc<[f32]>,
    /// The meaning of its codes.
    pub grid: Grid,
    /// By key; splines have tangents before and after each value.
    pub codes: Vec<Code>,
    /// The number of components of a value.
    pub width: usize,
}

impl Encoded {
    /// The values as decoded.
    pub fn values(&self) -> Vec<f32> {
        let grids = self.grid.of_elements(self.interpolation);
        let value =
            |(k, grid): (usize, Grid)| grid.at(&self.codes, k).decode(self.codes[k]).into_iter().take(self.width);
        (0..self.codes.len()).zip(grids).flat_map(value).collect()
    }

    /// The curve as decoded; `None` if values are not finite.
    pub fn curve(&self) -> Option<Curve> {
        let values = self.values();
        Curve::new(self.interpolation, self.width, self.times.clone(), values).ok()
    }
}

/// All elements of a curve; rotations without tangents as unit quaternions with W positive.
fn values(curve: &Curve, property: Property) -> Vec<[f64; 4]> {
    let turns = property == Property::Rotation && !curve.interpolation().is_spline();
    let value = |element: &[f32]| {
        let value = element_of(element, turns);
        if turns && value[3] < 0.0 { quat::negate(value) } else { value }
    };
    curve.values().chunks_exact(curve.width()).map(value).collect()
}

/// An element of up to four components, normalized if it is `turned`.
fn element_of(element: &[f32], turned: bool) -> [f64; 4] {
    let value = [0, 1, 2, 3].map(|c| element.get(c).copied().unwrap_or(0.0));
    played(value, turned)
}

/// The component whose least magnitude is the largest, unless that is small.
fn steady(values: &[[f64; 4]]) -> Option<usize> {
    let least = |c: usize| values.iter().map(|value| libm::fabs(value[c])).fold(1.0, f64::min);
    let best = super::grid::largest([0, 1, 2, 3].map(least));
    (least(best) >= SMALL).then_some(best)
}

/// Points whose hull contains a spline: its keys, and a third of the way along their tangents.
fn hull(curve: &Curve) -> Vec<[f64; 4]> {
    let at = |k: usize| element_of(curve.value(k), false);
    let mut points = vec![at(0)];
    for (k, pair) in curve.times().windows(2).enumerate() {
        let third = (f64::from(pair[1]) - f64::from(pair[0])) / 3.0;
        let along = |k: usize, tangent: Option<&[f32]>, by: f64| {
            let (value, tangent) = (at(k), element_of(tangent.unwrap_or_default(), false));
            [0, 1, 2, 3].map(|c| value[c] + by * tangent[c])
        };
        points.extend([
            along(k, curve.out_tangent(k), third),
            along(k + 1, curve.in_tangent(k + 1), -third),
            at(k + 1),
        ]);
    }
    points
}

fn ranges(values: &[[f64; 4]]) -> [(f64, f64); 4] {
    let range =
        |c: usize| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v[c]), b.max(v[c])));
    [0, 1, 2, 3].map(range)
}

/// The value of a property, or of one axis of it, in a transform.
pub(super) fn part_of(transform: &Transform, property: Property, axis: Option<usize>) -> [f64; 4] {
    let vector = |v: [f64; 3]| axis.map_or([v[0], v[1], v[2], 0.0], |a| [v[a], 0.0, 0.0, 0.0]);
    match property {
        Property::Rotation => transform.rotation,
        Property::Scale => vector(transform.scale),
        Property::Translation => vector(transform.translation),
    }
}

fn middle(property: Property, ranges: &[(f64, f64); 4]) -> [f64; 4] {
    let middle = ranges.map(|(low, high)| low + (high - low) / 2.0);
    if property == Property::Rotation { quat::normalize(middle) } else { middle }
}

/// The distance of two values of a property: an angle or a length.
fn distance(property: Property, a: [f64; 4], b: [f64; 4]) -> f64 {
    match property {
        Property::Rotation => quat::angle(a, b),
        Property::Translation | Property::Scale => crate::vector::distance([a[0], a[1], a[2]], [b[0], b[1], b[2]]),
    }
}
