//! Bounds of a function's size and of its derivatives over a stretch of time, and their propagation through
//! sums, products and quotients.
//!
//! The rules are those of power series with coefficients that are never too small (majorants). For example,
//! Leibniz' rule for a product is the product of two such series. Time runs from 0 to 1 over the stretch.

use super::peak::control_points;
use core::ops::{Add, Mul};

/// The highest derivative that is bounded: the remainder of a cubic depends on it.
pub(super) const ORDER: usize = 4;

/// For each k up to [`ORDER`]: an upper bound of the k-th derivative's length over k!.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet(pub(super) [f64; ORDER + 1]);

/// The largest derivatives over k! of ω = x (x - 1/3) (x - 2/3) (x - 1).
const OMEGA: Jet = Jet([1.0 / 81.0, 2.0 / 9.0, 11.0 / 9.0, 2.0, 1.0]);

impl Jet {
    pub(super) const ZERO: Self = Self([0.0; ORDER + 1]);
    /// A unit quaternion or a rotation of which nothing is known. The bounds are numbers instead of
    /// infinities, so that zero times them is zero.
    pub(super) const WILD: Self = Self([1.0, 1e30, 1e30, 1e30, 1e30]);

    /// A function of this size that never changes.
    pub(super) fn constant(size: f64) -> Self {
        Self([size, 0.0, 0.0, 0.0, 0.0])
    }

    /// A function of unit length that turns by `angle` at constant speed.
    pub(super) fn turning(angle: f64) -> Self {
        let square = angle * angle;
        Self([1.0, angle, square / 2.0, square * angle / 6.0, square * square / 24.0])
    }

    /// A polynomial of degree N - 1 with these control values, whose length is `size`.
    pub(super) fn bezier<const N: usize, V: Copy>(mut c: [V; N], minus: fn(V, V) -> V, size: fn(V) -> f64) -> Self {
        let mut jet = Self::ZERO;
        let mut choose = 1.0;
        for k in 0..N.min(ORDER + 1) {
            let left = N - k;
            jet.0[k] = choose * c[..left].iter().fold(0.0, |m, v| size(*v).max(m));
            (1..left).for_each(|i| c[i - 1] = minus(c[i], c[i - 1]));
            choose *= (left - 1) as f64 / (k + 1) as f64;
        }
        jet
    }

    /// A function with these values at four even steps from end to end, and `last` as its last bound: the
    /// cubic through the values, plus the cubic's error. The error of each derivative is at most the largest
    /// one of [`OMEGA`] times the last bound (A. Shadrin, "Error bounds for Lagrange interpolation", 1995;
    /// the tests confirm it by Peano's kernel).
    pub(super) fn through<const N: usize>(p: [[f64; N]; 4], last: f64) -> Self {
        let minus = |a: [f64; N], b: [f64; N]| core::array::from_fn(|k| a[k] - b[k]);
        let size = |v: [f64; N]| libm::sqrt(v.iter().map(|c| c * c).sum());
        Self::bezier(control_points(&p), minus, size) + OMEGA.times(last)
    }

    /// Each bound times `factor`.
    pub(super) fn times(self, factor: f64) -> Self {
        Self(self.0.map(|c| c * factor))
    }

    /// The same bounds with a better one of the function's size.
    pub(super) fn with_size(mut self, size: f64) -> Self {
        self.0[0] = size;
        self
    }

    /// The reciprocal of a number with these bounds that is nowhere less than `least`, which is positive.
    pub(super) fn reciprocal(&self, least: f64) -> Self {
        let mut out = Self::constant(1.0 / least);
        for k in 1..=ORDER {
            out.0[k] = (1..=k).map(|j| self.0[j] * out.0[k - j]).sum::<f64>() / least;
        }
        out
    }

    /// A function of a function with these bounds. `c` are the outer function's Taylor coefficients.
    pub(super) fn series(&self, c: [f64; ORDER + 1]) -> Self {
        let rest = self.with_size(0.0);
        c.iter().rev().fold(Self::ZERO, |sum, c| sum * rest + Self::constant(*c))
    }
}

impl Add for Jet {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Mul for Jet {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let ([a, b, c, d, e], [v, w, x, y, z]) = (self.0, other.0);
        Self([
            a * v,
            a * w + b * v,
            a * x + b * w + c * v,
            a * y + b * x + c * w + d * v,
            a * z + b * y + c * x + d * w + e * v,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Taylor coefficients of e^x at 0, which its bounds over 0..1 exceed e-fold at most.
    const EXP: [f64; 5] = [1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0];

    #[test]
    fn products_and_quotients_are_those_of_power_series() {
        let exp = Jet(EXP);
        let close = |a: Jet, b: [f64; 5]| (0..5).for_each(|k| assert!((a.0[k] - b[k]).abs() < 1e-12, "{a:?} {b:?}"));
        close(exp * exp, [1.0, 2.0, 2.0, 4.0 / 3.0, 2.0 / 3.0]);
        // 1 / (1 - x) from 1 - x, whose bounds have lost their sign.
        close(Jet([1.0, 1.0, 0.0, 0.0, 0.0]).reciprocal(1.0), [1.0; 5]);
        // e^(x + x²): the coefficients in x.
        close(Jet([7.0, 1.0, 1.0, 0.0, 0.0]).series(EXP), [1.0, 1.0, 1.5, 7.0 / 6.0, 25.0 / 24.0]);
        close(Jet::turning(2.0), [1.0, 2.0, 2.0, 4.0 / 3.0, 2.0 / 3.0]);
    }

    /// (x - t)³ from t on, and its derivatives over k!.
    fn spline(x: f64, t: f64, k: usize) -> f64 {
        let choose = [1.0, 3.0, 3.0, 1.0][k];
        if x > t { choose * libm::pow(x - t, (3 - k) as f64) } else { 0.0 }
    }

    /// The k-th derivative over k!, at `x`, of the cubic through four samples.
    fn derivative(samples: [f64; 4], k: usize, x: f64) -> f64 {
        let mut c = control_points(&samples.map(|v| [v])).map(|v| v[0]);
        (0..k).for_each(|k| (0..3 - k).for_each(|i| c[i] = c[i + 1] - c[i]));
        (0..3 - k).for_each(|k| (0..3 - k).for_each(|i| c[i] += (c[i + 1] - c[i]) * x));
        [1.0, 3.0, 3.0, 1.0][k] * c[0]
    }

    #[test]
    fn a_cubic_misses_no_more_than_omega() {
        // Peano: the error is a mean of the fourth derivative, weighted by the error for splines with one
        // knot.
        const STEPS: usize = 600;
        for k in 0..4 {
            let missed = |x: f64| {
                let at = |i: usize| {
                    let t = (i as f64 + 0.5) / STEPS as f64;
                    let samples = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|x| spline(x, t, 0));
                    4.0 * libm::fabs(spline(x, t, k) - derivative(samples, k, x))
                };
                (0..STEPS).map(at).sum::<f64>() / STEPS as f64
            };
            let most = (0..=300).map(|i| missed(f64::from(i) / 300.0)).fold(0.0, f64::max);
            assert!(most <= OMEGA.0[k] * 1.002 && most > OMEGA.0[k] * 0.98, "{k}: {most} {}", OMEGA.0[k]);
        }
    }

    #[test]
    fn control_values_bound_every_derivative() {
        // x³ - x: second derivative 6 x, third 6.
        let cubic = [0.0, -1.0 / 3.0, -2.0 / 3.0, 0.0];
        let jet = Jet::bezier(cubic, |a, b| a - b, libm::fabs);
        let exact = [2.0 / 3.0, 2.0, 3.0, 1.0, 0.0];
        (0..5).for_each(|k| assert!((jet.0[k] - exact[k]).abs() < 1e-12, "{jet:?}"));
    }
}
