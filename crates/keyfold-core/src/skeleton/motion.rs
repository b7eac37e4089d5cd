//! Curves bound to the nodes they drive, and the local matrices they make at many times.

use super::moments::edges;
use super::{Affine, Moment, Skeleton, Transform};
use crate::curve::{Cursor, Curve, Interpolation, Kind, Location, locate_left, merged_times};
use alloc::{vec, vec::Vec};

/// The property of a node that a curve drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The node's origin.
    Translation,
    /// A quaternion.
    Rotation,
    /// A factor per axis.
    Scale,
}

/// A curve and the property that it drives.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    /// The node.
    pub node: usize,
    /// The property of the node.
    pub property: Property,
    /// A single axis (0, 1, 2), for curves of one component; `None` for whole values.
    pub axis: Option<usize>,
    /// The curve.
    pub curve: &'a Curve,
}

/// A skeleton and the curves that move it.
#[derive(Clone, Debug)]
pub struct Motion<'a> {
    skeleton: &'a Skeleton,
    nodes: Vec<Drive<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Drive<'a> {
    translation: Parts<'a>,
    rotation: Option<&'a Curve>,
    scale: Parts<'a>,
}

/// A vector's curve, and those of single axes, which come before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts<'a> {
    whole: Option<&'a Curve>,
    axes: [Option<&'a Curve>; 3],
}

/// How a node moves between neighbouring keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace<'a> {
    pub(super) turn: Turn<'a>,
    pub(super) translation: Way<'a>,
    pub(super) scale: Way<'a>,
    /// Whether its scale changes at all.
    pub(super) scales: bool,
}

/// How a rotation comes about between neighbouring keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn<'a> {
    /// At constant speed.
    Even,
    Spline(&'a Curve),
    Squad(&'a Curve),
}

/// How a vector comes about between neighbouring keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'a> {
    /// At constant speed.
    Straight,
    Spline(&'a Parts<'a>),
}

impl Pace<'_> {
    /// At constant speed throughout: straight on, and turning evenly.
    pub(super) const STEADY: Self =
        Self { turn: Turn::Even, translation: Way::Straight, scale: Way::Straight, scales: true };
}

impl<'a> Motion<'a> {
    /// The motion of a skeleton by `tracks`. Tracks of missing nodes, or whose width does not fit their property,
    /// move nothing. Of two tracks for the same property the later one counts.
    pub fn new(skeleton: &'a Skeleton, tracks: impl IntoIterator<Item = Track<'a>>) -> Self {
        let mut motion = Self { skeleton, nodes: vec![Drive::default(); skeleton.len()] };
        tracks.into_iter().for_each(|track| motion.set(track));
        motion
    }

    /// Adds a track, replacing one for the same property.
    pub fn set(&mut self, track: Track<'a>) {
        let Some(drive) = self.nodes.get_mut(track.node) else { return };
        let parts = match track.property {
            Property::Rotation => {
                if track.axis.is_none() && track.curve.width() == 4 {
                    drive.rotation = Some(track.curve);
                }
                return;
            }
            Property::Translation => &mut drive.translation,
            Property::Scale => &mut drive.scale,
        };
        match (track.axis, track.curve.width()) {
            (None, 3) => parts.whole = Some(track.curve),
            (Some(axis @ 0..=2), 1) => parts.axes[axis] = Some(track.curve),
            _ => {}
        }
    }

    /// The motion of some nodes, which make up a skeleton of their own.
    pub(super) fn part<'p>(&self, skeleton: &'p Skeleton, nodes: &[usize]) -> Motion<'p>
    where
        'a: 'p,
    {
        Motion { skeleton, nodes: nodes.iter().map(|node| self.nodes[*node].clone()).collect() }
    }

    /// The number of keys times that of nodes that move, summed over parts of the hierarchy that no moving node connects.
    pub fn keys_by_nodes(&self) -> u64 {
        let parts = self.skeleton.parts(|node| self.animates(node));
        let mut all: Vec<(u64, Vec<&[f32]>)> =
            vec![Default::default(); parts.iter().flatten().max().map_or(0, |last| last + 1)];
        for (drive, part) in self.nodes.iter().zip(&parts) {
            if let Some((nodes, times)) = part.map(|part| &mut all[part]) {
                *nodes += 1;
                times.extend(drive.curves().map(Curve::times));
            }
        }
        let product =
            |(nodes, times): (u64, Vec<&[f32]>)| nodes.saturating_mul(merged_times(times.into_iter()).len() as u64);
        all.into_iter().map(product).fold(0, u64::saturating_add)
    }

    /// The skeleton that moves.
    pub fn skeleton(&self) -> &'a Skeleton {
        self.skeleton
    }

    /// Whether curves drive this node itself.
    pub fn animates(&self, node: usize) -> bool {
        self.nodes[node].curves().next().is_some()
    }

    /// Whether a node has the curves and the rest pose that another one has in another motion.
    pub(super) fn same(&self, node: usize, other: &Motion<'_>, twin: usize) -> bool {
        self.nodes[node] == other.nodes[twin] && self.skeleton.rest_local(node) == other.skeleton.rest_local(twin)
    }

    /// For each node, whether it moves, by itself or through an ancestor.
    pub fn moved(&self) -> Vec<bool> {
        self.skeleton.moved(|node| self.animates(node))
    }

    /// All curves.
    pub fn curves(&self) -> impl Iterator<Item = &'a Curve> + '_ {
        self.nodes.iter().flat_map(Drive::curves)
    }

    /// The times of the first and the last key of all curves; zeros if there are none.
    pub fn span(&self) -> (f64, f64) {
        let ends = self.curves().map(|c| (f64::from(c.start()), f64::from(c.end())));
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 0.0))
    }

    /// The local transforms of an animated node at `moments`.
    pub fn transforms(&self, node: usize, moments: &[Moment]) -> Vec<Transform> {
        let drive = &self.nodes[node];
        let mut out = vec![*self.skeleton.rest(node); moments.len()];
        drive.translation.sample(moments, |i, axis, v| out[i].translation[axis] = v);
        drive.scale.sample(moments, |i, axis, v| out[i].scale[axis] = v);
        if let Some(curve) = drive.rotation {
            rows::<4>(curve, Kind::Rotation, moments, |i, q| out[i].rotation = q);
        }
        out
    }

    /// How an animated node moves between neighbouring keys.
    pub(super) fn pace(&self, node: usize) -> Pace<'_> {
        let drive = &self.nodes[node];
        let turn = match drive.rotation.map(|curve| (curve.interpolation(), curve)) {
            Some((Interpolation::CubicSpline, curve)) => Turn::Spline(curve),
            Some((Interpolation::CubicSlerp, curve)) => Turn::Squad(curve),
            _ => Turn::Even,
        };
        let scales = drive.scale.curves().next().is_some();
        Pace { turn, translation: drive.translation.way(), scale: drive.scale.way(), scales }
    }

    /// The times of all keys, of those at which something jumps, and the first of every two neighbouring floats that
    /// are keys of one curve, which is how an edge is written between keys that blend; ascending.
    pub(super) fn keys(&self) -> [Vec<f64>; 3] {
        let wide = |times: Vec<f32>| times.into_iter().map(f64::from).collect();
        let steps = self.curves().filter(|c| c.interpolation() == Interpolation::Step);
        let times = || self.curves().map(Curve::times);
        [wide(merged_times(times())), wide(merged_times(steps.map(Curve::times))), wide(edges(times()))]
    }

    /// A node's local matrices at `moments`; a single one if nothing drives it.
    pub fn locals(&self, node: usize, moments: &[Moment]) -> Vec<Affine> {
        if !self.animates(node) {
            return vec![*self.skeleton.rest_local(node)];
        }
        self.transforms(node, moments).iter().map(Affine::from_transform).collect()
    }
}

impl<'a> Drive<'a> {
    fn curves(&self) -> impl Iterator<Item = &'a Curve> + use<'a> {
        self.translation.curves().chain(self.rotation).chain(self.scale.curves())
    }
}

impl<'a> Parts<'a> {
    fn curves(&self) -> impl Iterator<Item = &'a Curve> + use<'a> {
        self.axes.into_iter().flatten().chain(self.whole)
    }

    /// The curve that an axis follows, and which of its components.
    pub(super) fn axis(&self, axis: usize) -> Option<(&'a Curve, usize)> {
        self.axes[axis].map(|curve| (curve, 0)).or_else(|| self.whole.map(|curve| (curve, axis)))
    }

    fn way(&self) -> Way<'_> {
        let spline = self.curves().any(|curve| curve.interpolation() == Interpolation::CubicSpline);
        if spline { Way::Spline(self) } else { Way::Straight }
    }

    fn sample(&self, moments: &[Moment], mut put: impl FnMut(usize, usize, f64)) {
        if let Some(curve) = self.whole {
            rows::<3>(curve, Kind::Vector, moments, |i, v| (0..3).for_each(|axis| put(i, axis, v[axis])));
        }
        for (axis, curve) in self.axes.iter().enumerate() {
            if let Some(curve) = curve {
                rows::<1>(curve, Kind::Vector, moments, |i, v| put(i, axis, v[0]));
            }
        }
    }
}

fn rows<const N: usize>(curve: &Curve, kind: Kind, moments: &[Moment], mut put: impl FnMut(usize, [f64; N])) {
    let mut cursor = Cursor::default();
    let mut value = [0.0; N];
    for (i, moment) in moments.iter().enumerate() {
        curve.blend(kind, place(&mut cursor, curve, moment), &mut value);
        put(i, value);
    }
}

fn place(cursor: &mut Cursor, curve: &Curve, moment: &Moment) -> Location {
    if moment.left { locate_left(curve.times(), moment.time) } else { cursor.locate(curve.times(), moment.time) }
}
