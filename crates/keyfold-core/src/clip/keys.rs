//! Two neighbouring keys, whatever the encoding: what lies between the bits of a clip and the values of a pose.

use super::blend::{Frames, Pair, Quats, Weights, rotations};
use super::lanes::{LANES, Lanes};
use alloc::vec::Vec;
use core::ops::Range;

/// Up to four rotations that are decoded together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// How many of the lanes are in use.
    pub(super) lanes: usize,
    /// A component is `origin + code * step`.
    pub(super) origin: [Lanes; 3],
    pub(super) step: [Lanes; 3],
    pub(super) frames: Frames,
    /// Where in the pose each quaternion goes.
    pub(super) out: [u32; LANES],
}

/// A component that is not a rotation's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub(super) origin: f32,
    pub(super) step: f32,
    /// Where in the pose it goes.
    pub(super) out: usize,
}

/// The two keys around a time.
pub(super) trait Neighbours {
    /// Group `index`, all groups before it being full.
    fn group(&self, index: usize, group: &Group, out: &mut Pair);

    /// Component `index` of those that are no rotation's, at both keys.
    fn scalar(&self, index: usize, scalar: &Scalar) -> (f32, f32);
}

/// Everything that moves, laid out for sampling.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    pub(super) groups: Vec<Group>,
    pub(super) scalars: Vec<Scalar>,
}

/// What of a pose is asked for: groups of rotations, and other components.
pub(super) struct Wanted {
    pub(super) groups: Range<usize>,
    pub(super) scalars: Range<usize>,
}

impl Moving {
    /// Writes what is wanted, a part `s` of the way between two keys, to its places in `pose`.
    pub(super) fn blend<K: Neighbours>(&self, keys: &K, s: f32, wanted: Wanted, pose: &mut [f32]) {
        let (weights, mut pair, mut quats) = (Weights::new(s), Pair::default(), Quats::default());
        for (g, group) in wanted.groups.clone().zip(self.groups.get(wanted.groups).unwrap_or_default()) {
            keys.group(g, group, &mut pair);
            rotations(&pair, &weights, &group.frames, &mut quats);
            store(&quats, group, pose);
        }
        for (i, scalar) in wanted.scalars.clone().zip(self.scalars.get(wanted.scalars).unwrap_or_default()) {
            let (lo, hi) = keys.scalar(i, scalar);
            pose[scalar.out] = lo + (hi - lo) * s;
        }
    }
}

/// Puts the quaternions of a group where they belong. Lanes that are not in use have no place in any pose.
#[inline(always)]
fn store(q: &Quats, group: &Group, pose: &mut [f32]) {
    for (i, at) in group.out.iter().enumerate() {
        if let Some(four) = pose.get_mut(*at as usize..*at as usize + 4) {
            four.copy_from_slice(&[q[0].0[i], q[1].0[i], q[2].0[i], q[3].0[i]]);
        }
    }
}
