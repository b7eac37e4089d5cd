//! Points in a hierarchy of boxes: the most that any of a run of them has of something, without looking at all.

use super::Bounds;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Groups of three points, and the boxes around twos, fours, eights of them: box `i` holds boxes `2 i` and `2 i + 1`, the last ones hold one
/// group each.
pub(super) struct Carried {
    groups: Vec<[[f64; 3]; 3]>,
    boxes: Vec<Bounds>,
}

impl Carried {
    pub(super) fn new(groups: Vec<[[f64; 3]; 3]>) -> Self {
        let count = groups.len();
        let mut boxes = vec![Bounds::EMPTY; 2 * count];
        for (group, around) in groups.iter().zip(&mut boxes[count..]) {
            group.iter().for_each(|point| around.add(*point));
        }
        for i in (1..count).rev() {
            // Each has points in it: corners say where it is.
            let [mut around, other] = [boxes[2 * i], boxes[2 * i + 1]];
            [other.min, other.max].into_iter().for_each(|corner| around.add(corner));
            boxes[i] = around;
        }
        Self { groups, boxes }
    }

    /// The largest `value` of the points of a run of groups, and at least `least`. `limit` is what no point in a box exceeds.
    pub(super) fn most(
        &self,
        run: Range<usize>,
        least: f64,
        limit: impl Fn(&Bounds) -> f64,
        value: impl Fn([f64; 3]) -> f64,
    ) -> f64 {
        let (count, mut most) = (self.groups.len(), least);
        let (mut start, mut end) = (run.start + count, run.end + count);
        let mut open = Vec::new();
        while start < end {
            if start % 2 == 1 {
                open.push(start);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                open.push(end);
            }
            (start, end) = (start / 2, end / 2);
        }
        while let Some(i) = open.pop() {
            if limit(&self.boxes[i]) <= most {
                continue;
            }
            match i.checked_sub(count) {
                Some(group) => most = self.groups[group].iter().fold(most, |m, point| m.max(value(*point))),
                None => open.extend([2 * i, 2 * i + 1]),
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::distance;

    #[test]
    fn the_farthest_of_every_run_is_found() {
        arbtest::arbtest(|u| {
            let count = u.int_in_range(1..=40)?;
            let mut coordinate = || Ok(f64::from(u.int_in_range(-9..=9)?) / 3.0);
            let mut point = || Ok([coordinate()?, coordinate()?, coordinate()?]);
            let groups = (0..count)
                .map(|_| Ok([point()?, point()?, point()?]))
                .collect::<arbtest::arbitrary::Result<Vec<_>>>()?;
            let from = point()?;
            let (a, b) = (u.int_in_range(0..=count)?, u.int_in_range(0..=count)?);
            let run = a.min(b)..a.max(b);
            let carried = Carried::new(groups.clone());
            let most = carried.most(run.clone(), 0.0, |around| around.farthest(from), |p| distance(p, from));
            let all = groups[run].iter().flatten().map(|p| distance(*p, from)).fold(0.0, f64::max);
            assert_eq!(most, all);
            Ok(())
        });
    }
}
