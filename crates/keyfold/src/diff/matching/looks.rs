//! Distinguishes nodes with the same name or none: by their rest poses, what drives them, and their
//! descendants.
//!
//! From strict to loose: [`Looks::digest`] is equal if nothing differs, [`Looks::driven`] and [`Looks::rest`]
//! if a file was only made smaller. [`Looks::poses`] tells how close two nodes are that differ.

use crate::{Animation, Axis, Curve, Property, Target, diff::Side};
use keyfold_core::skeleton::{Affine, Moment, Motion, Skeleton};
use std::hash::{Hash, Hasher};

/// Rest poses that round to the same multiple of this count as equal. It is odd, so that round numbers are
/// not at the edge.
const STEP: f64 = 3.17e-4;
/// The most animations whose poses are compared.
const ANIMATIONS: usize = 8;
/// The times of poses, as uneven shares of an animation: motions that go round or back and forth look
/// different there in reverse.
pub(super) const SHARES: [f64; 5] = [0.0, 0.137, 0.382, 0.618, 0.871];
/// Sums of squared differences below this count as zero.
const SAME: f64 = 1e-9;
/// The moments of an animation at which poses are compared.
pub(super) type Moments = [Moment; SHARES.len()];

pub(super) struct Looks<'a> {
    side: &'a Side<'a>,
    motions: Vec<Motion<'a>>,
    digests: Vec<u64>,
    driven: Vec<Vec<(Property, Option<Axis>)>>,
    below: Vec<usize>,
    /// The length that others are relative to.
    size: f64,
}

impl<'a> Looks<'a> {
    /// The looks of a file's nodes. `animations` give the poses and must be the same in both files. Lengths
    /// are relative to `size`.
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
            hash(&(side.scene.name(node), rest, side.scene.probe_radius(node).to_bits(), curves))
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

    /// Equal if the node and its descendants are: names, rest poses, meshes, curves.
    pub(super) fn digest(&self, node: usize) -> u64 {
        self.digests[node]
    }

    /// The driven properties of the node, and the number of driven nodes in its subtree.
    pub(super) fn driven(&self, node: usize) -> (&[(Property, Option<Axis>)], usize) {
        (&self.driven[node], self.below[node])
    }

    /// The node's rest pose relative to its parent, rounded.
    pub(super) fn rest(&self, node: usize) -> [i64; 12] {
        numbers(self.skeleton().rest_local(node), self.size).map(|n| (n / STEP).round() as i64)
    }

    /// The moments of each animation for [`Self::poses`].
    pub(super) fn moments(&self) -> Vec<Moments> {
        let of_span = |(start, end): (f64, f64)| SHARES.map(|share| Moment::at(start + (end - start) * share));
        self.motions.iter().map(|motion| of_span(motion.span())).collect()
    }

    /// The node's local matrices at rest and at the moments of each animation.
    pub(super) fn poses(&self, node: usize, moments: &[Moments]) -> Vec<f64> {
        let mut all = numbers(self.skeleton().rest_local(node), self.size).to_vec();
        for (motion, moments) in self.motions.iter().zip(moments) {
            let locals = motion.locals(node, moments);
            // A single matrix if nothing drives the node.
            let of = |i: usize| &locals[i.min(locals.len() - 1)];
            (0..SHARES.len()).for_each(|i| all.extend(numbers(of(i), self.size)));
        }
        all
    }
}

/// The numbers of a matrix, lengths as fractions of `size`.
fn numbers(matrix: &Affine, size: f64) -> [f64; 12] {
    let [x, y, z] = matrix.axes;
    let [a, b, c] = matrix.origin.map(|o| o / size);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2], a, b, c]
}

/// The hash of each node and its descendants in any order.
fn with_descendants(skeleton: &Skeleton, own: Vec<u64>) -> Vec<u64> {
    let mut all = own;
    for node in skeleton.order().iter().rev() {
        let mut children: Vec<u64> = skeleton.children(*node).iter().map(|child| all[*child]).collect();
        children.sort_unstable();
        all[*node] = hash(&(all[*node], children));
    }
    all
}

/// The hash of a curve.
pub(super) fn of_curve(curve: &Curve) -> u64 {
    let bits = |floats: &[f32]| hash(&floats.iter().map(|f| f.to_bits()).collect::<Vec<_>>());
    hash(&(curve.interpolation(), curve.width(), bits(curve.times()), bits(curve.values())))
}

/// FNV-1a, 64 bits. The standard library's hash may change between versions.
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

/// The sum of squared differences.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let sum = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    if sum < SAME { 0.0 } else { sum }
}
