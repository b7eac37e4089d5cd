//! The largest distance from zero of a cubic through four samples.

use crate::vector::{Vector, dot};

/// A cubic in space, by its control points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic([Vector; 4]);

impl Cubic {
    /// Through four points at even steps.
    #[inline]
    pub(super) fn through(p: &[Vector; 4]) -> Self {
        Self(control_points(p))
    }

    /// An upper limit of its squared length: the square of its longest control point.
    #[inline]
    pub(super) fn square(&self) -> f64 {
        self.0.iter().fold(0.0, |m, c| dot(*c, *c).max(m))
    }

    /// An upper limit of its length: at most `enough`, or else near its largest length.
    pub(super) fn peak(&self, enough: f64) -> f64 {
        let ends = [self.0[0], self.0[3]].map(|c| dot(c, c));
        let mut enough = (enough * enough).max(ends[0].max(ends[1]) * TIGHT);
        let mut most = 0.0f64;
        self.divide(DEPTH, &mut enough, &mut most);
        libm::sqrt(most)
    }

    fn divide(&self, depth: u32, enough: &mut f64, most: &mut f64) {
        let square = self.square();
        if square <= *enough || depth == 0 {
            *most = most.max(square);
            return;
        }
        let [left, right] = self.halves();
        *enough = enough.max(dot(left.0[3], left.0[3]) * TIGHT);
        left.divide(depth - 1, enough, most);
        right.divide(depth - 1, enough, most);
    }

    fn halves(&self) -> [Self; 2] {
        let middle = |a: Vector, b: Vector| [0, 1, 2].map(|k| (a[k] + b[k]) / 2.0);
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d));
        let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
        let m = middle(abc, bcd);
        [Self([a, ab, abc, m]), Self([m, bcd, cd, d])]
    }
}

/// The control points of the cubic through four points at even steps.
#[inline]
pub(super) fn control_points<const N: usize>(p: &[[f64; N]; 4]) -> [[f64; N]; 4] {
    let mix = |near: usize, far: usize, other: usize, last: usize| {
        core::array::from_fn(|k| (18.0 * p[near][k] - 9.0 * p[far][k] - 5.0 * p[other][k] + 2.0 * p[last][k]) / 6.0)
    };
    [p[0], mix(1, 2, 0, 3), mix(2, 1, 3, 0), p[3]]
}

/// An upper limit is near enough if it is at most this many times the largest square found.
const TIGHT: f64 = 1.0 + 2e-4;
/// The most divisions. Each one divides by four how far the control points are off the curve.
const DEPTH: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_between_the_samples_is_found() {
        // 1 + 4 x (1 - x): 2 in the middle, where there is no sample.
        let at = |x: f64| [0.0, 1.0 + 4.0 * x * (1.0 - x), 0.0];
        let cubic = Cubic::through(&[at(0.0), at(1.0 / 3.0), at(2.0 / 3.0), at(1.0)]);
        assert!((cubic.square().sqrt() - (1.0 + 4.0 / 3.0)).abs() < 1e-12);
        let peak = cubic.peak(0.0);
        assert!((2.0..2.0 * 1.0002).contains(&peak), "{peak}");
        assert!(cubic.peak(2.2) <= 2.2);
    }
}
