//! What tells nodes apart that have the same name, or none: where they rest, what drives them and how, what hangs on
//! them.
//!
//! From the strictest to the loosest: [`Looks::digest`] is equal where nothing at all differs, [`Looks::driven`] and
//! [`Looks::rest`] where a file was only made smaller, and [`Looks::poses`] say how near two nodes are that differ.

use crate::{Animation, Axis, Curve, Property, Target, diff::Side};
use keyfold_core::skeleton::{Affine, Moment, Motion, Skeleton};
use std::hash::{Hash, Hasher};

/// Rest poses that round to the same multiple of this are taken as equal: odd, so that round numbers lie on no edge
/// of it.
const STEP: f64 = 3.17e-4;
/// At most so many animations are looked at for poses.
const ANIMATIONS: usize = 8;
/// When in an animation: at uneven shares of its time, where two ways round or back and forth do not look the same.
pub(super) const SHARES: [f64; 5] = [0.0, 0.137, 0.382, 0.618, 0.871];
/// Numbers that lie apart by less than this, squared and added up, are the same.
const SAME: f64 = 1e-9;
/// The moments of an animation that poses are looked at.
pub(super) type Moments = [Moment; SHARES.len()];

/// How the nodes of a file look.
pub(super) struct Looks<'a> {
    side: &'a Side<'a>,
    motions: Vec<Motion<'a>>,
    digests: Vec<u64>,
    driven: Vec<Vec<(Property, Option<Axis>)>>,
    below: Vec<usize>,
    /// What lengths are compared with.
    size: f64,
}

impl<'a> Looks<'a> {
    /// The looks of a file's nodes, poses under `animations`, which are the same in both files; lengths are shares of
    /// `size`.
    pub(super) fn new(side: &'a Side<'a>, animations: &[&'a Animation], size: f64) -> Self {
        let skeleton = side.scene.skeleton();
        let (mut driven, mut curves) = (vec![Vec::new(); skeleton.len()], vec![Vec::new(); skeleton.len()]);
        for track in side.read.animations.iter().flat_map(|a| &a.tracks) {
            if let Target::Node { node, property, axis } = track.target
                && node < skeleton.len()
            {
                driven[node].push((property, axis));
                curves[node].push((property, axis, of_curve(&track.curve)));
            }
        }
        driven.iter_mut().for_each(|d| {
            d.sort_unstable();
            d.dedup();
        });
        let own = curves.into_iter().enumerate().map(|(node, mut curves)| {
            curves.sort_unstable();
            let rest = numbers(skeleton.rest_local(node), 1.0).map(f64::to_bits);
            hash(&(side.scene.name(node), rest, side.scene.shell(node).to_bits(), curves))
        });
        let digests = with_descendants(skeleton, own.collect());
        let mut below: Vec<usize> = driven.iter().map(|d| usize::from(!d.is_empty())).collect();
        for node in skeleton.order().iter().rev() {
            below[*node] += skeleton.children(*node).iter().map(|child| below[*child]).sum::<usize>();
        }
        let motions = animations.iter().take(ANIMATIONS).map(|a| side.scene.motion(a)).collect();
        Self { side, motions, digests, driven, below, size }
    }

    pub(super) fn name(&self, node: usize) -> Option<&'a str> {
        self.side.scene.name(node)
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.side.scene.skeleton()
    }

    /// Equal where the node and all that hangs on it are: names, rest poses, meshes, curves.
    pub(super) fn digest(&self, node: usize) -> u64 {
        self.digests[node]
    }

    /// What of the node is driven, and how many nodes are from it down.
    pub(super) fn driven(&self, node: usize) -> (&[(Property, Option<Axis>)], usize) {
        (&self.driven[node], self.below[node])
    }

    /// Where the node rests in its parent, roughly.
    pub(super) fn rest(&self, node: usize) -> [i64; 12] {
        numbers(self.skeleton().rest_local(node), self.size).map(|n| (n / STEP).round() as i64)
    }

    /// The moments of each animation that [`Self::poses`] looks at.
    pub(super) fn moments(&self) -> Vec<Moments> {
        let of_span = |(start, end): (f64, f64)| SHARES.map(|share| Moment::at(start + (end - start) * share));
        self.motions.iter().map(|motion| of_span(motion.span())).collect()
    }

    /// The node's own matrices at rest and at the moments of each animation.
    pub(super) fn poses(&self, node: usize, moments: &[Moments]) -> Vec<f64> {
        let mut all = numbers(self.skeleton().rest_local(node), self.size).to_vec();
        for (motion, moments) in self.motions.iter().zip(moments) {
            let locals = motion.locals(node, moments);
            // One for all moments where nothing drives the node.
            let of = |i: usize| &locals[i.min(locals.len() - 1)];
            (0..SHARES.len()).for_each(|i| all.extend(numbers(of(i), self.size)));
        }
        all
    }
}

/// A matrix's numbers, lengths as shares of `size`.
fn numbers(matrix: &Affine, size: f64) -> [f64; 12] {
    let [x, y, z] = matrix.axes;
    let [a, b, c] = matrix.origin.map(|o| o / size);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2], a, b, c]
}

/// Each node's hash with those of its descendants, whatever their order.
fn with_descendants(skeleton: &Skeleton, own: Vec<u64>) -> Vec<u64> {
    let mut all = own;
    for node in skeleton.order().iter().rev() {
        let mut children: Vec<u64> = skeleton.children(*node).iter().map(|child| all[*child]).collect();
        children.sort_unstable();
        all[*node] = hash(&(all[*node], children));
    }
    all
}

/// A curve's hash: equal for equal curves only.
pub(super) fn of_curve(curve: &Curve) -> u64 {
    let bits = |floats: &[f32]| hash(&floats.iter().map(|f| f.to_bits()).collect::<Vec<_>>());
    hash(&(curve.interpolation(), curve.width(), bits(curve.times()), bits(curve.values())))
}

/// FNV-1a, 64 bits: the standard library's hash may be another one in its next version.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    value.hash(&mut hasher);
    hasher.finish()
}

/// How far apart numbers are, squared and added up.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let sum = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    if sum < SAME { 0.0 } else { sum }
}
