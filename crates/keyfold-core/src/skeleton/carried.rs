//! Points in boxes: the most that any of a run of them has of something, without looking at all.

use super::Bounds;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// How many groups one box is around.
const BOXED: usize = 64;

/// Groups of three points, and the boxes around so many of them each.
pub(super) struct Carried {
    groups: Vec<[[f64; 3]; 3]>,
    boxes: Vec<Bounds>,
}

impl Carried {
    pub(super) fn new(groups: Vec<[[f64; 3]; 3]>) -> Self {
        let mut boxes = vec![Bounds::EMPTY; groups.len().div_ceil(BOXED)];
        for (boxed, around) in groups.chunks(BOXED).zip(&mut boxes) {
            boxed.iter().flatten().for_each(|point| around.add(*point));
        }
        Self { groups, boxes }
    }

    /// The largest `value` of the points of a run of groups, and at least `least`. `limit` is what no point in a box exceeds.
    pub(super) fn most(
        &self,
        run: &Range<usize>,
        least: f64,
        limit: impl Fn(&Bounds) -> f64,
        value: impl Fn([f64; 3]) -> f64,
    ) -> f64 {
        let mut most = least;
        // The last ones first: those of a long chain are mostly the farthest.
        for index in (run.start / BOXED..run.end.div_ceil(BOXED)).rev() {
            if limit(&self.boxes[index]) <= most {
                continue;
            }
            let inside = run.start.max(index * BOXED)..run.end.min((index + 1) * BOXED);
            most = self.groups[inside].iter().flatten().fold(most, |most, point| most.max(value(*point)));
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
            let count = u.int_in_range(1..=200)?;
            let mut coordinate = || Ok(f64::from(u.int_in_range(-9..=9)?) / 3.0);
            let mut point = || Ok([coordinate()?, coordinate()?, coordinate()?]);
            let groups = (0..count)
                .map(|_| Ok([point()?, point()?, point()?]))
                .collect::<arbtest::arbitrary::Result<Vec<_>>>()?;
            let from = point()?;
            let (a, b) = (u.int_in_range(0..=count)?, u.int_in_range(0..=count)?);
            let run = a.min(b)..a.max(b);
            let carried = Carried::new(groups.clone());
            let most = carried.most(&run, 0.0, |around| around.farthest(from), |p| distance(p, from));
            let all = groups[run].iter().flatten().map(|p| distance(*p, from)).fold(0.0, f64::max);
            assert_eq!(most, all);
            Ok(())
        });
    }
}
