//! Neighbouring keys, whatever the encoding: what lies between the bits of a clip and the values of a pose.

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
    /// How many of the lanes are in use.
    pub(super) lanes: usize,
    /// A component is `origin + code * step`.
    pub(super) origin: [Lanes; 3],
    pub(super) step: [Lanes; 3],
    pub(super) frames: Frames,
    /// Where in the pose each quaternion goes.
    pub(super) out: [u32; LANES],
}

/// Up to four components that are no rotation's.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) origin: Lanes,
    pub(super) step: Lanes,
    /// Where in the pose each goes.
    pub(super) out: [u32; LANES],
}

/// The two keys around a time.
pub(super) trait Neighbours {
    /// Group `index`, all groups before it being full.
    fn group(&self, index: usize, group: &Group, out: &mut Pair);

    /// The components `4 * index` and following of those that are no rotation's, at both keys.
    fn numbers(&self, index: usize, numbers: &Numbers) -> (Lanes, Lanes);
}

/// Everything that moves, laid out for sampling.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    pub(super) groups: Vec<Group>,
    pub(super) numbers: Vec<Numbers>,
}

/// What of a pose is asked for: groups of rotations, and fours of other components.
pub(super) struct Wanted {
    pub(super) groups: Range<usize>,
    pub(super) numbers: Range<usize>,
}

impl Moving {
    /// What has to be decoded for one keyed track. Places in the pose increase from group to group.
    pub(super) fn of(&self, track: &Track) -> Wanted {
        let (start, end) = (track.range().start as u32, track.range().end as u32);
        if track.target.is_rotation() {
            let after = self.groups.partition_point(|g| g.out[0] <= start);
            return Wanted { groups: after.saturating_sub(1)..after, numbers: 0..0 };
        }
        let after = self.numbers.partition_point(|n| n.out[0] <= start);
        Wanted { groups: 0..0, numbers: after.saturating_sub(1)..self.numbers.partition_point(|n| n.out[0] < end) }
    }

    /// Writes what is wanted, a part `s` of the way between two keys, to its places in `pose`.
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

    /// Writes what is wanted, so much of each of the three keys of a pair, to its places in `pose`.
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

/// Puts components where they belong.
#[inline(always)]
fn store_numbers(value: Lanes, numbers: &Numbers, pose: &mut [f32]) {
    for (v, at) in value.0.iter().zip(numbers.out) {
        if let Some(place) = pose.get_mut(at as usize) {
            *place = *v;
        }
    }
}

/// Puts the quaternions of a group where they belong. Lanes that are not in use have no place in any pose.
#[inline(always)]
fn store(q: &Quats, group: &Group, pose: &mut [f32]) {
    for (i, at) in group.out.iter().enumerate() {
        // The place of a lane that is not in use is the largest number there is: a sum that wraps makes no range.
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
