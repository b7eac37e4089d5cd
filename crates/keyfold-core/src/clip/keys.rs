//! Interpolates between neighbouring keys of either encoding: from the bits of a clip to the values of a
//! pose.

use super::bend::{Three, bent};
use super::blend::{Frames, Pair, Quats, Weights, rotations};
use super::lanes::{LANES, Lanes};
use super::track::Track;
use super::variable::VariableKeys;
use alloc::vec::Vec;
use core::ops::Range;

/// Up to four rotations that are decoded together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// The number of lanes in use.
    pub(super) lanes: usize,
    /// A component is `origin + code * step`.
    pub(super) origin: [Lanes; 3],
    pub(super) step: [Lanes; 3],
    pub(super) frames: Frames,
    /// The place of each quaternion in the pose.
    pub(super) out: [u32; LANES],
}

/// Up to four components that are not part of a rotation.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) origin: Lanes,
    pub(super) step: Lanes,
    /// The place of each component in the pose.
    pub(super) out: [u32; LANES],
}

/// The two keys around a time.
pub(super) trait Neighbours {
    /// Decodes group `index` at both keys. All groups before it are full.
    fn group(&self, index: usize, group: &Group, out: &mut Pair);

    /// The components from `4 * index` on, of those that are not part of a rotation, at both keys.
    fn numbers(&self, index: usize, numbers: &Numbers) -> (Lanes, Lanes);
}

/// All keyed tracks, laid out for sampling.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    pub(super) groups: Vec<Group>,
    pub(super) numbers: Vec<Numbers>,
}

/// The parts of a pose that are asked for: groups of rotations, and groups of four other components.
pub(super) struct Wanted {
    pub(super) groups: Range<usize>,
    pub(super) numbers: Range<usize>,
}

impl Moving {
    /// The parts to decode for one keyed track. Places in the pose increase from group to group.
    pub(super) fn of(&self, track: &Track) -> Wanted {
        let (start, end) = (track.range().start as u32, track.range().end as u32);
        if track.target.is_rotation() {
            let after = self.groups.partition_point(|g| g.out[0] <= start);
            return Wanted { groups: after.saturating_sub(1)..after, numbers: 0..0 };
        }
        let after = self.numbers.partition_point(|n| n.out[0] <= start);
        Wanted { groups: 0..0, numbers: after.saturating_sub(1)..self.numbers.partition_point(|n| n.out[0] < end) }
    }

    /// Writes the parts that are wanted to their places in `pose`, at `s` of the way between two keys.
    pub(super) fn blend<K: Neighbours>(&self, keys: &K, s: f32, wanted: Wanted, pose: &mut [f32]) {
        let (weights, mut pair, mut quats) = (Weights::new(s), Pair::default(), Quats::default());
        for (g, group) in wanted.groups.clone().zip(self.groups.get(wanted.groups).unwrap_or_default()) {
            keys.group(g, group, &mut pair);
            rotations(&pair, &weights, &group.frames, &mut quats);
            store(&quats, group, pose);
        }
        for (i, numbers) in wanted.numbers.clone().zip(self.numbers.get(wanted.numbers).unwrap_or_default()) {
            let (lo, hi) = keys.numbers(i, numbers);
            store_numbers(lo + s * (hi - lo), numbers, pose);
        }
    }

    /// Writes the parts that are wanted to their places in `pose`, as the sum of `parts` of each of the three
    /// keys of a pair.
    pub(super) fn bend(&self, keys: &VariableKeys<'_>, parts: [f32; 3], wanted: Wanted, pose: &mut [f32]) {
        let (mut three, mut quats) = (Three::default(), Quats::default());
        for (g, group) in wanted.groups.clone().zip(self.groups.get(wanted.groups).unwrap_or_default()) {
            keys.three(g, group, &mut three);
            bent(&three, parts, &group.frames, &mut quats);
            store(&quats, group, pose);
        }
        for (i, numbers) in wanted.numbers.clone().zip(self.numbers.get(wanted.numbers).unwrap_or_default()) {
            let [a, m, b] = keys.three_numbers(i, numbers);
            store_numbers(parts[0] * a + parts[1] * m + parts[2] * b, numbers, pose);
        }
    }
}

/// Writes components to their places.
#[inline(always)]
fn store_numbers(value: Lanes, numbers: &Numbers, pose: &mut [f32]) {
    for (v, at) in value.0.iter().zip(numbers.out) {
        if let Some(place) = pose.get_mut(at as usize) {
            *place = *v;
        }
    }
}

/// Writes the quaternions of a group to their places. Unused lanes have no place in any pose.
#[inline(always)]
fn store(q: &Quats, group: &Group, pose: &mut [f32]) {
    for (i, at) in group.out.iter().enumerate() {
        // The place of an unused lane is `u32::MAX`. If the sum wraps, the range is invalid and there is no
        // place.
        let at = *at as usize;
        if let Some(four) = pose.get_mut(at..at.wrapping_add(4)) {
            four.copy_from_slice(&[q[0].0[i], q[1].0[i], q[2].0[i], q[3].0[i]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_are_not_in_use_go_nowhere() {
        let quats: Quats = core::array::from_fn(|c| Lanes([c as f32; LANES]));
        let mut pose = [9.0; 7];
        store(&quats, &Group { out: [3, 4, u32::MAX, u32::MAX - 3], ..Group::default() }, &mut pose);
        assert_eq!(pose, [9.0, 9.0, 9.0, 0.0, 1.0, 2.0, 3.0]);
    }
}
