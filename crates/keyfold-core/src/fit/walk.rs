//! From one end of a curve to the other in pieces, each as long as the tolerance lets it be.
//!
//! Greedy: the farthest end that a search by doubling and halving finds. Where a piece fits, shorter ones nearly always do, and
//! then no other choice of ends has fewer pieces.

use super::{
    Unfit,
    minimax::{self, Sample},
    piece::{Piece, Smooth},
};
use crate::{
    curve::{Curve, Interpolation, Kind},
    quat::{self, Quat},
};
use alloc::{vec, vec::Vec};

/// Positions along a curve count in parts of the way between two of its keys.
const PARTS: u64 = 1 << 20;

/// Below this, in radians or units, even equal curves differ by rounding.
const NOISE: f64 = 1e-9;

/// How often a piece is improved before it is given up.
const ROUNDS: usize = 3;

/// A curve to be followed.
pub(super) struct Source<'a> {
    pub(super) curve: &'a Curve,
    pub(super) kind: Kind,
    pub(super) tolerance: f64,
}

/// A value of the original that a piece should come near.
struct Wanted {
    s: f64,
    value: Vec<f64>,
    /// Whether the original may have a corner here.
    corner: bool,
}

/// What a file holds of a piece, and where it ends.
struct Fitted {
    to: Vec<f64>,
    stored: [Vec<f32>; 3],
}

impl Source<'_> {
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
        let mut value = vec![0.0; self.curve.width()];
        self.curve.sample(self.kind, time, &mut value);
        value
    }

    /// The values along a piece, from its start to its end.
    fn wanted(&self, from: f64, to: f64, at_least: usize) -> Vec<Wanted> {
        let times = self.curve.times();
        let first = times.partition_point(|t| f64::from(*t) <= from);
        let last = times.partition_point(|t| f64::from(*t) < to);
        let per_span = if self.curve.interpolation() == Interpolation::Linear { 4 } else { 8 };
        let count = at_least.div_ceil(last - first + 1).max(per_span);
        let mut out = Vec::with_capacity(count * (last - first + 1) + 1);
        out.push(Wanted { s: 0.0, value: self.at(from), corner: true });
        let mut start = from;
        for stop in times[first..last].iter().map(|t| f64::from(*t)).chain([to]) {
            out.extend((1..=count).map(|i| {
                let time = if i == count { stop } else { start + (stop - start) * i as f64 / count as f64 };
                Wanted { s: (time - from) / (to - from), value: self.at(time), corner: i == count }
            }));
            start = stop;
        }
        out
    }

    /// The velocity with which the curve leaves `time`, or arrives there where `ahead` is negative: a rotation vector per second in the
    /// frame of the value there. `ahead` is a small time; the two differences cancel what is quadratic in it.
    fn velocity(&self, time: f64, ahead: f64) -> [f64; 3] {
        let here = rotation(&self.at(time));
        let turn = |t: f64| {
            let r = quat::mul(quat::conjugate(here), rotation(&self.at(t)));
            quat::log(if r[3] < 0.0 { quat::negate(r) } else { r })
        };
        let (near, far) = (turn(time + ahead), turn(time + 2.0 * ahead));
        [0, 1, 2].map(|i| (4.0 * near[i] - far[i]) / ahead)
    }
}

fn rotation(v: &[f64]) -> Quat {
    [v[0], v[1], v[2], v[3]]
}

/// Pieces with free vectors, keys wherever they reach. Along straight lines those are keys of the original, as long as one can be reached: corners
/// are nowhere else, and tracks with keys in common share times.
pub(super) fn fit<P: Piece>(source: &Source<'_>) -> Result<Curve, Unfit> {
    let mut keys = FittedKeys::start(source);
    let (mut length, is_straight) = (PARTS, source.curve.interpolation() == Interpolation::Linear);
    while keys.position < source.end() {
        let from = keys.position;
        let reach = |to: u64| free_piece::<P>(source, &keys.value, from, to);
        let to_key = || {
            let found = farthest(from / PARTS, length / PARTS, source.end() / PARTS, |key| reach(key * PARTS));
            found.map(|(key, piece)| (key * PARTS, piece))
        };
        let found = is_straight.then(to_key).flatten().or_else(|| farthest(from, length, source.end(), reach));
        let (to, piece) = found.ok_or(Unfit { time: source.time(from) })?;
        length = to - from;
        keys.push(source, to, piece)?;
    }
    Ok(keys.curve(source, P::FORM))
}

/// Pieces that match the curve's values and velocities, from key to key; keys inserted where one piece does not reach the next.
pub(super) fn follow<P: Smooth>(source: &Source<'_>) -> Result<Curve, Unfit> {
    let mut keys = FittedKeys::start(source);
    while keys.position < source.end() {
        let from = keys.position;
        let stop = (from / PARTS + 1) * PARTS;
        let (to, piece) = farthest(from, stop - from, stop, |to| matched_piece::<P>(source, &keys.value, from, to))
            .ok_or(Unfit { time: source.time(from) })?;
        keys.push(source, to, piece)?;
    }
    Ok(keys.curve(source, P::FORM))
}

/// The farthest position up to `limit` that `reach` can make a piece to: from a first guess of the length, in steps that grow until
/// the answer changes, then closed in on. `None` where not even the smallest step can be made.
fn farthest<T>(from: u64, guess: u64, limit: u64, reach: impl Fn(u64) -> Option<T>) -> Option<(u64, T)> {
    let mut length = guess.clamp(1, limit - from);
    let (mut good, mut bad) = (None, None);
    // Neighbours are about as long as each other: the first step is small.
    let mut factor = 1.25;
    while good.is_none() || (bad.is_none() && good.as_ref().is_some_and(|(to, _)| *to < limit)) {
        match reach(from + length) {
            Some(piece) => {
                good = Some((from + length, piece));
                length = ((length as f64 * factor) as u64 + 1).min(limit - from);
            }
            None if length == 1 => return None,
            None => {
                bad = Some(from + length);
                length = ((length as f64 / factor) as u64).max(1);
            }
        }
        factor = (factor * factor).min(16.0);
    }
    let mut good = good?;
    // A sixteenth of the length more or less decides about one key in thirty.
    while let Some(end) = bad.filter(|end| end - good.0 > ((good.0 - from) / 16).max(1)) {
        let middle = good.0 + (end - good.0) / 2;
        match reach(middle) {
            Some(piece) => good = (middle, piece),
            None => bad = Some(middle),
        }
    }
    // A little short of that, on a key of the original, is better: corners are at keys, and tracks with keys in common share times.
    let key = good.0 / PARTS * PARTS;
    if key > from && key < good.0 && good.0 - key <= (good.0 - from) / 16 {
        return reach(key).map(|piece| (key, piece)).or(Some(good));
    }
    Some(good)
}

fn free_piece<P: Piece>(source: &Source<'_>, value: &[f64], from: u64, to: u64) -> Option<Fitted> {
    let (start, end) = (f64::from(source.time(from)), f64::from(source.time(to)));
    let wanted = (end > start).then(|| source.wanted(start, end, P::SAMPLES))?;
    let mut piece = P::new(value, &wanted.last()?.value, end - start);
    let tolerance = source.tolerance.max(NOISE);
    for round in 0..=ROUNDS {
        let stored = piece.store();
        let samples: Vec<Sample> = wanted.iter().map(|w| sample(&piece, w)).collect();
        let error = largest(&wanted, &samples);
        if error <= tolerance {
            return Some(Fitted { to: piece.to().to_vec(), stored });
        }
        if round < ROUNDS {
            // The solution is linear; what it neglects is as small as the square of the step.
            let hopeless = 1.05 * tolerance + error * error;
            // The start is no longer free.
            let steps = minimax::solve(&samples[1..], P::FREE, 0.96 * tolerance, hopeless)?;
            let width = samples.first()?.residual.len();
            steps.chunks_exact(width).enumerate().for_each(|(which, step)| piece.nudge(which, step));
        }
    }
    None
}

fn matched_piece<P: Smooth>(source: &Source<'_>, value: &[f64], from: u64, to: u64) -> Option<Fitted> {
    let (start, end) = (f64::from(source.time(from)), f64::from(source.time(to)));
    let wanted = (end > start).then(|| source.wanted(start, end, P::SAMPLES))?;
    let ahead = 1e-4 * (end - start);
    let (leave, arrive) = (source.velocity(start, ahead), source.velocity(end, -ahead));
    let mut piece = P::with_velocities(rotation(value), rotation(&wanted.last()?.value), end - start, leave, arrive);
    let stored = piece.store();
    let samples: Vec<Sample> = wanted.iter().map(|w| sample(&piece, w)).collect();
    (largest(&wanted, &samples) <= source.tolerance.max(NOISE)).then(|| Fitted { to: piece.to().to_vec(), stored })
}

fn sample<P: Piece>(piece: &P, wanted: &Wanted) -> Sample {
    Sample { bases: P::bases(wanted.s), residual: piece.residual(wanted.s, &wanted.value) }
}

/// The largest residual: of the samples, and of the parabolas through three of them that have their summit in between.
fn largest(wanted: &[Wanted], samples: &[Sample]) -> f64 {
    let length = |s: &Sample| libm::sqrt(s.residual.iter().map(|r| r * r).sum());
    let errors: Vec<f64> = samples.iter().map(length).collect();
    let mut most = errors.iter().copied().fold(0.0, f64::max);
    for (w, e) in wanted.windows(3).zip(errors.windows(3)) {
        if !w[1].corner && e[1] >= e[0] && e[1] >= e[2] {
            most = most.max(summit([w[0].s, w[1].s, w[2].s], [e[0], e[1], e[2]]));
        }
    }
    // A residual that is no number is no small one.
    if errors.iter().any(|e| e.is_nan()) { f64::INFINITY } else { most }
}

/// The highest value of the parabola through three points of which the middle one is the highest.
fn summit(x: [f64; 3], y: [f64; 3]) -> f64 {
    let (before, after) = ((y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1]));
    let bend = (after - before) / (x[2] - x[0]);
    if bend >= 0.0 {
        return y[1];
    }
    let at = (x[0] + x[1]) / 2.0 - before / (2.0 * bend);
    y[0] + before * (at - x[0]) + bend * (at - x[0]) * (at - x[1])
}

/// The new curve as far as it has come.
struct FittedKeys {
    position: u64,
    value: Vec<f64>,
    times: Vec<f32>,
    first: Vec<f32>,
    pieces: Vec<[Vec<f32>; 3]>,
}

impl FittedKeys {
    fn start(source: &Source<'_>) -> Self {
        let time = source.curve.start();
        let first: Vec<f32> = source.at(f64::from(time)).iter().map(|v| *v as f32).collect();
        let value = first.iter().map(|v| f64::from(*v)).collect();
        Self { position: 0, value, times: vec![time], first, pieces: Vec::new() }
    }

    fn push(&mut self, source: &Source<'_>, to: u64, piece: Fitted) -> Result<(), Unfit> {
        // A tolerance at the edge of what `f32` can say asks for keys without end.
        if self.pieces.len() > source.curve.keys().saturating_mul(64).saturating_add(4096) {
            return Err(Unfit { time: source.time(self.position) });
        }
        self.position = to;
        self.value = piece.to;
        self.times.push(source.time(to));
        self.pieces.push(piece.stored);
        Ok(())
    }

    fn curve(self, source: &Source<'_>, form: Interpolation) -> Curve {
        let unused = || vec![0.0; source.curve.width()];
        let cubic = form.elements_per_key() == 3;
        let mut values = if cubic { unused() } else { Vec::new() };
        values.extend_from_slice(&self.first);
        for [leave, arrive, to] in &self.pieces {
            values.extend(leave.iter().chain(arrive).chain(to));
        }
        values.extend(if cubic { unused() } else { Vec::new() });
        Curve::new(form, source.curve.width(), self.times, values)
            .expect("times ascend and every piece has its elements")
    }
}
