//! Bounds of how fast a node's own transform changes over a stretch without keys, and of how fast it departs
//! from its twin's. They follow from the curves, without trust in samples between keys.
//!
//! | between two keys | what is used |
//! |---|---|
//! | nothing, `Step`, `Linear` | vectors move and rotations turn at constant speed: two samples determine it |
//! | `CubicSpline` | vectors are cubics, rotations normalized cubics: control values, and the least length |
//! | `CubicSlerp` | arcs of constant speed, logarithm and exponential ([`squad`]) |
//!
//! Rotations are bounded as matrices: if two differ by an angle φ, their matrices differ by 2 sin(φ/2). Two
//! rotations of one kind are bounded by the difference of their control values. Two of different kinds, or
//! two quadrangles, are bounded by samples of their difference, and only its last derivative by the sum of
//! both.

use super::super::motion::{Pace, Turn, Way};
use super::super::{Affine, Transform};
use super::jet::{Jet, ORDER};
use super::squad;
use crate::curve::{Curve, bezier};
use crate::quat::{self, Quat};
use crate::vector::{Vector, length};

/// The largest distance between two rotations' matrices.
const FARTHEST: f64 = 2.0;

/// Bounds of a node's own matrix over a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    /// Of rotation and scale.
    pub(super) linear: Jet,
    /// Of the translation.
    pub(super) origin: Jet,
}

/// Bounds of two twins and of their difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    pub(super) a: Own,
    pub(super) b: Own,
    pub(super) apart: Own,
}

/// A node over a stretch: its curves, and its transforms at four even steps from end to end.
pub(super) struct Stretch<'s> {
    pub(super) pace: Pace<'s>,
    pub(super) samples: [&'s Transform; 4],
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Stretch<'_> {
    /// Bounds of the node alone.
    pub(super) fn own(&self) -> Own {
        let linear = self.turn().jet() * self.way(Vectors::Scale).jet(largest);
        Own { linear, origin: self.way(Vectors::Translation).jet(length) }
    }

    /// Bounds of the node and of its twin over the same stretch.
    pub(super) fn beside(&self, other: &Self) -> Both {
        let (turn, other_turn) = (self.turn(), other.turn());
        let (scale, other_scale) = (self.way(Vectors::Scale), other.way(Vectors::Scale));
        let (way, other_way) = (self.way(Vectors::Translation), other.way(Vectors::Translation));
        let (turning, other_turning) = (turn.jet(), other_turn.jet());
        let (scaling, other_scaling) = (scale.jet(largest), other_scale.jet(largest));
        let apart = self.turned_apart((&turn, &turning), other, (&other_turn, &other_turning)) * scaling
            + other_turning * scale.minus(&other_scale, largest);
        Both {
            a: Own { linear: turning * scaling, origin: way.jet(length) },
            b: Own { linear: other_turning * other_scaling, origin: other_way.jet(length) },
            apart: Own { linear: apart, origin: way.minus(&other_way, length) },
        }
    }

    /// Bounds of the difference of the two rotations, given the bounds of each.
    fn turned_apart(&self, mine: (&Turning, &Jet), other: &Self, theirs: (&Turning, &Jet)) -> Jet {
        match (mine.0, theirs.0) {
            (Turning::Even(a), Turning::Even(b)) => evenly_apart(*a, *b, self.chord(other)),
            (Turning::Spline(a), Turning::Spline(b)) => {
                let apart = a.minus(b, theirs.1);
                // From the ends to the middle, at the bounded speed.
                apart.with_size((self.chord(other) + apart.0[1] / 2.0).min(FARTHEST))
            }
            _ => {
                let at = |i: usize| matrix_apart(self.samples[i].rotation, other.samples[i].rotation);
                let apart = Jet::through([at(0), at(1), at(2), at(3)], mine.1.0[ORDER] + theirs.1.0[ORDER]);
                apart.with_size(apart.0[0].min(FARTHEST))
            }
        }
    }

    /// An upper limit of the distance between the two rotations' matrices at the ends.
    fn chord(&self, other: &Self) -> f64 {
        let at = |i: usize| 2.0 * apart(self.samples[i].rotation, other.samples[i].rotation);
        at(0).max(at(3))
    }

    fn turn(&self) -> Turning {
        let evenly = || Turning::Even(even(self.samples[0].rotation, self.samples[1].rotation));
        match self.pace.turn {
            Turn::Even => evenly(),
            Turn::Spline(curve) => Turning::Spline(Spline::new(curve, self.start, self.end)),
            Turn::Squad(curve) => squad::bounds(curve, self.start, self.end).map_or_else(evenly, Turning::Squad),
        }
    }

    fn way(&self, which: Vectors) -> Path {
        let (way, of): (_, fn(&Transform) -> Vector) = match which {
            Vectors::Translation => (&self.pace.translation, |t| t.translation),
            Vectors::Scale => (&self.pace.scale, |t| t.scale),
        };
        let (from, to) = (of(self.samples[0]), of(self.samples[3]));
        match way {
            Way::Straight => Path::Straight(from, to),
            Way::Spline(parts) => {
                let axes = [0, 1, 2].map(|axis| match parts.axis(axis) {
                    Some((curve, component)) => bezier::bezier(curve, component, self.start, self.end),
                    None => [from[axis]; 4],
                });
                Path::Spline(core::array::from_fn(|i| axes.map(|c| c[i])))
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Vectors {
    Translation,
    Scale,
}

/// A vector over a stretch: its ends, or its control values.
enum Path {
    Straight(Vector, Vector),
    Spline([Vector; 4]),
}

impl Path {
    fn jet(&self, size: fn(Vector) -> f64) -> Jet {
        match *self {
            Self::Straight(from, to) => Jet::bezier([from, to], minus, size),
            Self::Spline(c) => Jet::bezier(c, minus, size),
        }
    }

    fn minus(&self, other: &Self, size: fn(Vector) -> f64) -> Jet {
        match (self, other) {
            (Self::Straight(a, b), Self::Straight(c, d)) => Jet::bezier([minus(*a, *c), minus(*b, *d)], minus, size),
            _ => {
                let (a, b) = (self.controls(), other.controls());
                Jet::bezier(core::array::from_fn::<_, 4, _>(|i| minus(a[i], b[i])), minus, size)
            }
        }
    }

    fn controls(&self) -> [Vector; 4] {
        match *self {
            Self::Spline(c) => c,
            Self::Straight(from, to) => {
                let axes = [0, 1, 2].map(|axis| bezier::straight(from[axis], to[axis]));
                core::array::from_fn(|i| axes.map(|c| c[i]))
            }
        }
    }
}

/// A rotation over a stretch.
enum Turning {
    /// By this rotation vector, at constant speed.
    Even(Vector),
    Spline(Spline),
    Squad(Jet),
}

impl Turning {
    fn jet(&self) -> Jet {
        match self {
            Self::Even(turn) => Jet::turning(length(*turn)),
            Self::Spline(spline) => spline.jet(),
            Self::Squad(jet) => *jet,
        }
    }
}

/// The rotation vector from the start to the end of a turn at constant speed, which leads from `start` to
/// `third` in a third of the time.
fn even(start: Quat, third: Quat) -> Vector {
    let turn = quat::mul(third, quat::conjugate(start));
    let turn = if turn[3] < 0.0 { quat::negate(turn) } else { turn };
    half_turn(turn).map(|c| 6.0 * c)
}

/// [`quat::log`], by its series if that is as precise.
fn half_turn(q: Quat) -> Vector {
    let v = [q[0], q[1], q[2]];
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square > 2.5e-3 {
        return quat::log(q);
    }
    let k = 1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (5.0 / 112.0 + square * (35.0 / 1152.0))));
    v.map(|c| c * k)
}

/// Bounds of the difference of two rotations that turn at constant speed, by the rotation vectors `a` and
/// `b`. With their cross products A and B as matrices, the k-th derivatives are powers of those times the
/// rotations, and A^k - B^k is at most k |A - B| times the larger one to the power of k - 1.
fn evenly_apart(a: Vector, b: Vector, chord: f64) -> Jet {
    let (speed, slip) = (length(a).max(length(b)), length(minus(a, b)));
    let (size, turning) = ((chord + slip / 2.0).min(FARTHEST), Jet::turning(speed));
    let mut jet = turning.times(size);
    (1..jet.0.len()).for_each(|k| jet.0[k] += slip * turning.0[k - 1]);
    jet
}

/// A cubic of quaternions, whose direction is the rotation. As a matrix, this is q ⊗ q over the square of its
/// length.
struct Spline {
    q: [Quat; 4],
    /// The control values of the square of its length.
    squares: [f64; 7],
}

impl Spline {
    fn new(curve: &Curve, start: f64, end: f64) -> Self {
        let parts = [0, 1, 2, 3].map(|c| bezier::bezier(curve, c, start, end));
        let q: [Quat; 4] = core::array::from_fn(|i| parts.map(|c| c[i]));
        Self { q, squares: bezier::squares(&q) }
    }

    fn least(&self) -> f64 {
        self.squares.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn jet(&self) -> Jet {
        let (q, least) = (quaternions(self.q), self.least());
        if least.is_nan() || least <= 0.0 {
            return Jet::WILD;
        }
        (q * q * numbers(self.squares).reciprocal(least)).with_size(1.0)
    }

    /// With the squared lengths n and m: p ⊗ p / n - q ⊗ q / m = (p ⊗ p - q ⊗ q) / n + q ⊗ q (m - n) / (n m).
    fn minus(&self, other: &Self, theirs: &Jet) -> Jet {
        let (least, other_least) = (self.least(), other.least());
        if !(least > 0.0 && other_least > 0.0) {
            return Jet::WILD;
        }
        // The difference of two rotations that are close, whichever sign the quaternions have.
        let same_side = quat::dot(self.q[0], other.q[0]) >= 0.0;
        let twin = if same_side { other.q } else { other.q.map(quat::negate) };
        let apart = quaternions(core::array::from_fn(|i| subtract(self.q[i], twin[i])));
        let longer = numbers(core::array::from_fn(|i| self.squares[i] - other.squares[i]));
        let over = numbers(self.squares).reciprocal(least);
        apart * (quaternions(self.q) + quaternions(twin)) * over + *theirs * longer * over
    }
}

fn numbers(c: [f64; 7]) -> Jet {
    Jet::bezier(c, |a, b| a - b, libm::fabs)
}

fn quaternions(c: [Quat; 4]) -> Jet {
    Jet::bezier(c, subtract, |q| libm::sqrt(quat::dot(q, q)))
}

fn subtract(a: Quat, b: Quat) -> Quat {
    [0, 1, 2, 3].map(|i| a[i] - b[i])
}

/// The distance of two unit quaternions on the side where they are close: 2 sin(φ/4). Twice that is at least
/// 2 sin(φ/2).
fn apart(a: Quat, b: Quat) -> f64 {
    let d = subtract(a, if quat::dot(a, b) < 0.0 { quat::negate(b) } else { b });
    libm::sqrt(quat::dot(d, d))
}

/// The difference of two rotations' matrices, by component. Quaternions would have ambiguous signs.
fn matrix_apart(a: Quat, b: Quat) -> [f64; 9] {
    let axes = |rotation| Affine::from_transform(&Transform { rotation, ..Transform::IDENTITY }).axes;
    let (a, b) = (axes(a), axes(b));
    core::array::from_fn(|i| a[i / 3][i % 3] - b[i / 3][i % 3])
}

fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| a[i] - b[i])
}

/// The factor by which a scale stretches at most.
fn largest(v: Vector) -> f64 {
    v.iter().fold(0.0, |m, c| libm::fabs(*c).max(m))
}
