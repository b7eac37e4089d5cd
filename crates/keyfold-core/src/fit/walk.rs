//! Replaces a curve by pieces from its start to its end, each as long as the tolerance allows.
//!
//! The search is greedy: each piece ends at the farthest position that doubling and halving find. If a piece fits,
//! shorter ones nearly always fit; then no other choice of ends has fewer pieces.

use super::{
    minimax::{self, Sample},
    piece::{Piece, to_quat},
};
use crate::{
    curve::{Curve, Interpolation, Kind},
    quat,
    vector::Vector,
};
use alloc::{vec, vec::Vec};

/// Positions along a curve are counted in parts of the time between two of its keys.
const PARTS: u64 = 1 << 20;

/// How often a piece is improved.
const ROUNDS: usize = 3;

/// The original and the new form. Splines are for rotations, whose values have four components.
pub(super) struct Source<'a> {
    pub(super) curve: &'a Curve,
    pub(super) kind: Kind,
    pub(super) form: Interpolation,
    pub(super) tolerance: f64,
}

/// A value of the original within a piece.
struct Wanted {
    s: f64,
    value: Vec<f64>,
    /// Whether the original may have a corner here.
    corner: bool,
}

impl Source<'_> {
    /// Whether pieces get their controls from the curve's: between the cubic forms.
    fn is_followed(&self) -> bool {
        self.curve.interpolation().is_spline() && self.form.is_spline()
    }

    fn end(&self) -> u64 {
        (self.curve.keys() as u64 - 1) * PARTS
    }

    fn time(&self, position: u64) -> f32 {
        let times = self.curve.times();
        let (key, part) = ((position / PARTS) as usize, (position % PARTS) as f64 / PARTS as f64);
        let Some(next) = times.get(key + 1).filter(|_| part > 0.0) else { return times[key] };
        let (a, b) = (f64::from(times[key]), f64::from(*next));
        (a + (b - a) * part) as f32
    }

    fn at(&self, time: f64) -> Vec<f64> {
        self.curve.at(self.kind, time)
    }

    /// The times at which a piece begins and ends, and the values along it; `None` if it has no duration.
    fn wanted(&self, from: u64, to: u64) -> Option<(f64, f64, Vec<Wanted>)> {
        let [from, to] = [from, to].map(|position| f64::from(self.time(position)));
        if from >= to {
            return None;
        }
        let times = self.curve.times();
        let first = times.partition_point(|t| f64::from(*t) <= from);
        let last = times.partition_point(|t| f64::from(*t) < to);
        let per_span = if self.curve.interpolation() == Interpolation::Linear { 4 } else { 8 };
        // A few for each extremum of a piece's error.
        let least = if self.form.is_spline() { 24 } else { 12 };
        let count = usize::div_ceil(least, last - first + 1).max(per_span);
        let mut out = vec![Wanted { s: 0.0, value: self.at(from), corner: true }];
        let mut start = from;
        for stop in times[first..last].iter().map(|t| f64::from(*t)).chain([to]) {
            out.extend((1..=count).map(|i| {
                let time = if i == count { stop } else { start + (stop - start) * i as f64 / count as f64 };
                Wanted { s: (time - from) / (to - from), value: self.at(time), corner: i == count }
            }));
            start = stop;
        }
        Some((from, to, out))
    }

    /// The velocity after `time`, or before it if `ahead` is negative: a rotation vector per second in the frame of the
    /// value there. `ahead` is a short time; the two differences cancel its square.
    fn velocity(&self, time: f64, ahead: f64) -> Vector {
        let back = quat::conjugate(to_quat(&self.at(time)));
        let turn = |t: f64| quat::log(quat::toward(quat::IDENTITY, quat::mul(back, to_quat(&self.at(t)))));
        let (near, far) = (turn(time + ahead), turn(time + 2.0 * ahead));
        [0, 1, 2].map(|i| (4.0 * near[i] - far[i]) / ahead)
    }

    /// The differences between a piece and the original, and the largest: of the samples, and of the parabolas through
    /// three of them with the summit in between.
    fn lack(&self, piece: &Piece<'_>, wanted: &[Wanted]) -> (Vec<Sample>, f64) {
        let samples: Vec<Sample> = wanted.iter().map(|w| piece.sample(w.s, &w.value)).collect();
        let errors: Vec<f64> = samples.iter().map(|s| self.length(&s.residual)).collect();
        let threes = wanted.windows(3).zip(errors.windows(3));
        let tops = threes.filter(|(w, e)| !w[1].corner && e[1] >= e[0] && e[1] >= e[2]);
        let summits = tops.map(|(w, e)| summit([w[0].s, w[1].s, w[2].s], [e[0], e[1], e[2]]));
        let most = errors.iter().copied().chain(summits).fold(0.0, f64::max);
        (samples, most)
    }

    /// The size of a residual: the farthest component of vectors, an angle of rotations. It is infinite for NaN.
    fn length(&self, residual: &[f64]) -> f64 {
        match self.kind {
            _ if !residual.iter().all(|r| r.is_finite()) => f64::INFINITY,
            Kind::Vector => residual.iter().map(|r| libm::fabs(*r)).fold(0.0, f64::max),
            Kind::Rotation => libm::sqrt(residual.iter().map(|r| r * r).sum()),
        }
    }

    /// The free vectors with the smallest largest residual. Each component of a vector is solved by itself.
    fn solve(&self, samples: &[Sample], enough: f64, hopeless: f64) -> Option<Vec<f64>> {
        if self.kind == Kind::Rotation {
            return minimax::solve(samples, self.form.elements_per_key(), enough, hopeless);
        }
        let component = |i: usize| {
            let one = |s: &Sample| Sample { bases: s.bases, residual: vec![s.residual[i]] };
            minimax::solve(&samples.iter().map(one).collect::<Vec<_>>(), 1, enough, hopeless)?.pop()
        };
        (0..samples.first()?.residual.len()).map(component).collect()
    }
}

/// Fits pieces to a curve, the next one about as long as the last.
///
/// Pieces with the curve's velocities end at its next key, or before it if they do not reach so far. Pieces with free
/// vectors end wherever they reach. On `Linear` curves they end at keys of the original if they reach one: corners are
/// nowhere else, and tracks with the same keys share times.
pub(super) fn fit(source: &Source<'_>) -> Option<Curve> {
    let (mut length, is_straight) = (PARTS, source.curve.interpolation() == Interpolation::Linear);
    walk(source, |from, value| {
        let reach = |to: u64| piece(source, value, from, to);
        if source.is_followed() {
            let stop = (from / PARTS + 1) * PARTS;
            return farthest(from, stop - from, stop, reach);
        }
        let to_key = || {
            let found = farthest(from / PARTS, length / PARTS, source.end() / PARTS, |key| reach(key * PARTS));
            found.map(|(key, piece)| (key * PARTS, piece))
        };
        let anywhere = || {
            let (to, piece) = farthest(from, length, source.end(), reach)?;
            // An end shortly before, at a key of the original, is better for the same reasons.
            let key = to / PARTS * PARTS;
            let near = (key > from && key < to && to - key <= (to - from) / 16).then(|| reach(key)).flatten();
            Some(near.map_or((to, piece), |piece| (key, piece)))
        };
        let found = is_straight.then(to_key).flatten().or_else(anywhere)?;
        length = found.0 - from;
        Some(found)
    })
}

/// A curve of pieces. `next` makes the piece from a position and a value: its end, and its numbers in a file.
fn walk(source: &Source<'_>, mut next: impl FnMut(u64, &[f64]) -> Option<(u64, Vec<f32>)>) -> Option<Curve> {
    let Source { curve, form, .. } = source;
    let unused = vec![0.0; if form.is_spline() { curve.width() } else { 0 }];
    let (mut position, mut times, mut values) = (0, vec![curve.start()], unused.clone());
    values.extend(source.at(f64::from(curve.start())).iter().map(|v| *v as f32));
    while position < source.end() {
        let value: Vec<f64> = values[values.len() - curve.width()..].iter().map(|v| f64::from(*v)).collect();
        // A tolerance near the precision of `f32` would need ever more keys.
        let is_sane = times.len() <= curve.keys().saturating_mul(64).saturating_add(4097);
        let (to, piece) = is_sane.then(|| next(position, &value))??;
        position = to;
        times.push(source.time(to));
        values.extend(piece);
    }
    values.extend(unused);
    Curve::new(*form, curve.width(), times, values).ok()
}

/// The farthest position up to `limit` that `reach` makes a piece to: from a guess of the length in growing steps until
/// the answer changes, then by bisection. `None` if even the shortest piece fails.
fn farthest<T>(from: u64, guess: u64, limit: u64, reach: impl Fn(u64) -> Option<T>) -> Option<(u64, T)> {
    let mut length = guess.clamp(1, limit - from);
    let (mut good, mut bad) = ((from, None), limit + 1);
    // Neighbours have similar lengths: the first step is small.
    let mut factor = 1.25;
    while good.1.is_none() || bad > limit && good.0 < limit {
        match reach(from + length) {
            Some(piece) => {
                good = (from + length, Some(piece));
                length = ((length as f64 * factor) as u64 + 1).min(limit - from);
            }
            None if length == 1 => return None,
            None => {
                bad = from + length;
                length = ((length as f64 / factor) as u64).max(1);
            }
        }
        factor = (factor * factor).min(16.0);
    }
    // A sixteenth of the length costs about one key in thirty.
    while bad - good.0 > ((good.0 - from) / 16).max(1) {
        let middle = good.0 + (bad - good.0) / 2;
        match reach(middle) {
            Some(piece) => good = (middle, Some(piece)),
            None => bad = middle,
        }
    }
    Some((good.0, good.1?))
}

/// The numbers in a file of a piece within the tolerance, with the original's velocities or with free vectors.
fn piece(source: &Source<'_>, value: &[f64], from: u64, to: u64) -> Option<Vec<f32>> {
    let (start, end, wanted) = source.wanted(from, to)?;
    let (span, last, tolerance) = (end - start, &wanted.last()?.value, source.tolerance);
    let (mut piece, mut rounds) = if source.is_followed() {
        let velocities = [source.velocity(start, 1e-4 * span), source.velocity(end, -1e-4 * span)];
        (Piece::turning(source, span, [to_quat(value), to_quat(last)], velocities)?, 0..0)
    } else {
        (Piece::new(source, span, value, last)?, 0..ROUNDS)
    };
    loop {
        let (samples, error) = source.lack(&piece, &wanted);
        if error <= tolerance {
            return Some(piece.behind_its_start().to_vec());
        }
        rounds.next()?;
        // The solution is linear: it neglects the square of the step.
        let hopeless = 1.05 * tolerance + error * error;
        // The start is fixed.
        piece = piece.nudged(&source.solve(&samples[1..], 0.96 * tolerance, hopeless)?)?;
    }
}

/// The highest value of the parabola through three points, the middle one highest.
fn summit(x: [f64; 3], y: [f64; 3]) -> f64 {
    let (before, after) = ((y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1]));
    let bend = (after - before) / (x[2] - x[0]);
    if bend >= 0.0 {
        return y[1];
    }
    let at = (x[0] + x[1]) / 2.0 - before / (2.0 * bend);
    y[0] + before * (at - x[0]) + bend * (at - x[0]) * (at - x[1])
}
