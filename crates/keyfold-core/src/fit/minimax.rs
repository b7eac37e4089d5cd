//! The vectors `x` with the smallest largest `|residual - Σ basis x|`, by Lawson's weighted least squares.
//!
//! Each round solves a least-squares problem and raises the weights of large errors. Two conditions end the search
//! early: an error within the tolerance, and a weighted mean error that is too large. That mean is never above the
//! smallest possible largest error.

use alloc::{vec, vec::Vec};

/// The most free vectors of a piece.
pub(super) const FREE: usize = 3;
const ROUNDS: usize = 12;

/// The difference between a piece and the original at a time.
pub(super) struct Sample {
    /// The share of each free vector here.
    pub(super) bases: [f64; FREE],
    /// The original minus the piece.
    pub(super) residual: Vec<f64>,
}

/// The `free` vectors, one after another; `None` if none come within `hopeless`.
pub(super) fn solve(samples: &[Sample], free: usize, enough: f64, hopeless: f64) -> Option<Vec<f64>> {
    let mut weights = vec![1.0; samples.len()];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..ROUNDS {
        let x = least_squares(samples, &weights, free)?;
        let errors: Vec<f64> = samples.iter().map(|s| error(s, &x)).collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        if best.as_ref().is_none_or(|(e, _)| largest < *e) {
            best = Some((largest, x));
        }
        if largest <= enough {
            break;
        }
        let (total, squares) = weights.iter().zip(&errors).fold((0.0, 0.0), |(t, s), (w, e)| (t + w, s + w * e * e));
        if squares > hopeless * hopeless * total {
            return None;
        }
        weights.iter_mut().zip(&errors).for_each(|(w, e)| *w *= e / largest + 1e-6);
    }
    best.filter(|(e, _)| *e <= hopeless).map(|(_, x)| x)
}

fn error(sample: &Sample, x: &[f64]) -> f64 {
    let width = sample.residual.len();
    let left = sample.residual.iter().enumerate().map(|(i, r)| {
        let moved: f64 = x.chunks_exact(width).zip(sample.bases).map(|(v, b)| v[i] * b).sum();
        (r - moved) * (r - moved)
    });
    libm::sqrt(left.sum())
}

/// Solves the normal equations by Gauss-Jordan elimination. Each row has the matrix, which all components share because
/// they have the same bases, and then the right sides. No pivoting: the matrix is symmetric and positive definite if
/// the samples determine every free vector.
fn least_squares(samples: &[Sample], weights: &[f64], free: usize) -> Option<Vec<f64>> {
    let mut rows = vec![vec![0.0; free + samples.first()?.residual.len()]; free];
    for (sample, weight) in samples.iter().zip(weights) {
        for (row, base) in rows.iter_mut().zip(sample.bases) {
            let scaled = base * weight;
            let values = sample.bases[..free].iter().chain(&sample.residual);
            row.iter_mut().zip(values).for_each(|(sum, v)| *sum += scaled * v);
        }
    }
    for pivot in 0..free {
        let inverse = Some(1.0 / rows[pivot][pivot]).filter(|inverse| inverse.is_finite())?;
        rows[pivot].iter_mut().for_each(|v| *v *= inverse);
        let own = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&own).for_each(|(v, own)| *v -= factor * own);
        }
    }
    Some(rows.into_iter().flat_map(|row| row.into_iter().skip(free)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parabola() -> Vec<Sample> {
        let places = (0..=64).map(|i| f64::from(i) / 64.0);
        places.map(|s| Sample { bases: [1.0, s, 0.0], residual: vec![s * s, -2.0 * s * s] }).collect()
    }

    #[test]
    fn the_best_line_through_a_parabola_is_an_eighth_off_everywhere_it_matters() {
        // The closed form: x² on [0, 1] is nowhere farther than 1/8 from x - 1/8; in two components, from both at once.
        let samples = parabola();
        let x = solve(&samples, 2, 0.0, 1.0).unwrap();
        let scale = libm::sqrt(5.0) / 8.0;
        let largest = samples.iter().map(|s| error(s, &x)).fold(0.0, f64::max);
        assert!(largest < 1.06 * scale, "{largest} {scale}");
        for (found, wanted) in x.iter().zip([-0.125, 0.25, 1.0, -2.0]) {
            assert!((found - wanted).abs() < 0.02, "{x:?}");
        }
    }

    #[test]
    fn what_cannot_be_reached_is_given_up() {
        assert!(solve(&parabola(), 2, 0.0, 0.2).is_none());
        assert!(solve(&parabola(), 2, 0.0, 0.3).is_some());
    }

    #[test]
    fn samples_that_say_nothing_have_no_answer() {
        let blind = [Sample { bases: [0.0; FREE], residual: vec![1.0] }];
        assert!(solve(&blind, 1, 0.0, 10.0).is_none());
    }
}
