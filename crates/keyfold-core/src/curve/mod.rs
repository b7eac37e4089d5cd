//! Curves: keys in time, and values that are interpolated between them.
//!
//! The rules are glTF 2.0's appendix C and, for [`Interpolation::CubicSlerp`], the draft EXT_animation_sqlerp.
//! Finding the place of a time among the keys ([`locate`]) is separate from blending the values there (`blend`): a
//! player keeps a [`Cursor`] per curve, a converter samples many times at once.

pub mod bezier;
mod blend;
mod cubic_slerp;
mod difference;
mod half_turn;
mod join;
mod locate;
mod shortest;
mod times;

use alloc::{sync::Arc, vec, vec::Vec};
use core::fmt;

pub use blend::Kind;
pub(crate) use blend::{hermite, quadrangle};
pub(crate) use cubic_slerp::align;
pub use cubic_slerp::{controls, cubic_slerp};
pub use difference::{difference, largest_difference};
pub(crate) use half_turn::NEAR_HALF_TURN;
pub use half_turn::split_half_turns;
pub use join::join;
pub(crate) use locate::locate_left;
pub use locate::{Cursor, Location, locate};
pub use shortest::{Shortest, shortest};
pub use times::merged_times;
pub(crate) use times::once;

/// How values between two keys are interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Interpolation {
    /// The value of the previous key.
    Step,
    /// A straight line; for rotations the shortest arc.
    #[default]
    Linear,
    /// A Hermite spline with tangents per second; rotations are normalized afterwards.
    CubicSpline,
    /// Spherical cubic interpolation of rotations with control quaternions (draft EXT_animation_sqlerp).
    CubicSlerp,
}

impl Interpolation {
    /// The number of elements per key: three (in-tangent, value, out-tangent) for the cubic ones.
    pub const fn elements_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline | Self::CubicSlerp => 3,
        }
    }

    /// Whether keys have tangents or controls, so that curves bend between them.
    pub const fn is_spline(self) -> bool {
        self.elements_per_key() > 1
    }

    /// The name in a glTF file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Linear => "LINEAR",
            Self::CubicSpline => "CUBICSPLINE",
            Self::CubicSlerp => "CUBICSLERP",
        }
    }

    /// The interpolation with this name in a glTF file.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Step, Self::Linear, Self::CubicSpline, Self::CubicSlerp].into_iter().find(|i| i.name() == name)
    }
}

/// Why a curve was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveError {
    /// There is no key.
    Empty,
    /// A value has no components.
    NoComponents,
    /// The values are not keys x elements per key x width.
    Count {
        /// How many floats the keys ask for.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A time is NaN or infinite.
    TimeNotFinite {
        /// Which key.
        key: usize,
    },
    /// A time is not later than the one before it.
    TimeNotIncreasing {
        /// The later of the two keys.
        key: usize,
    },
    /// A value is NaN or infinite.
    ValueNotFinite {
        /// Which key.
        key: usize,
    },
}

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => f.write_str("there is no key"),
            Self::NoComponents => f.write_str("a value has no components"),
            Self::Count { expected, found } => {
                write!(f, "the keys need {expected} floats of values, {found} are there")
            }
            Self::TimeNotFinite { key } => write!(f, "the time of key {key} is not finite"),
            Self::TimeNotIncreasing { key } => write!(f, "the time of key {key} is not later than the one before it"),
            Self::ValueNotFinite { key } => write!(f, "a value of key {key} is not finite"),
        }
    }
}

impl core::error::Error for CurveError {}

/// Keys in time with their values, as stored (`f32`); sampling evaluates in `f64`.
///
/// Times are strictly increasing and finite, values are finite and complete: [`Curve::new`] refuses anything else, so
/// nothing that holds a curve has to check again. What the values mean ([`Kind`]) belongs to whatever the curve drives.
///
/// ```
/// use keyfold_core::curve::{Curve, Interpolation, Kind};
/// let curve = Curve::new(Interpolation::Linear, 3, [0.0, 2.0], [0.0, 0.0, 0.0, 4.0, 2.0, 0.0])?;
/// let mut out = [0.0; 3];
/// curve.sample(Kind::Vector, 0.5, &mut out);
/// assert_eq!(out, [1.0, 0.5, 0.0]);
/// # Ok::<(), keyfold_core::curve::CurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    interpolation: Interpolation,
    width: usize,
    times: Arc<[f32]>,
    values: Arc<[f32]>,
}

impl Curve {
    /// A curve of `width` components. Values hold, key by key, one element (`Step`, `Linear`) or in-tangent, value and
    /// out-tangent (the cubic ones).
    pub fn new(
        interpolation: Interpolation,
        width: usize,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Arc<[f32]>>,
    ) -> Result<Self, CurveError> {
        let (times, values) = (times.into(), values.into());
        if width == 0 {
            return Err(CurveError::NoComponents);
        }
        check_times(&times)?;
        let stride = width.saturating_mul(interpolation.elements_per_key());
        let expected = times.len().saturating_mul(stride);
        if values.len() != expected {
            return Err(CurveError::Count { expected, found: values.len() });
        }
        match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(CurveError::ValueNotFinite { key: at / stride }),
            None => Ok(Self { interpolation, width, times, values }),
        }
    }

    /// A constant curve: a single key.
    pub fn constant(time: f32, value: impl Into<Arc<[f32]>>) -> Result<Self, CurveError> {
        let value = value.into();
        Self::new(Interpolation::Linear, value.len(), [time], value)
    }

    /// The same keys with other values, of the same number.
    pub fn with_values(&self, values: impl Into<Arc<[f32]>>) -> Result<Self, CurveError> {
        Self::new(self.interpolation, self.width, self.times.clone(), values)
    }

    /// One component as a curve, with all keys. Panics if there is no such component.
    pub fn component(&self, index: usize) -> Self {
        let values: Vec<f32> = self.values.iter().skip(index).step_by(self.width).copied().collect();
        Self::new(self.interpolation, 1, self.times.clone(), values).expect("a component of a curve is a curve")
    }

    /// The interpolation between keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Components of one value.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of keys, at least one.
    pub fn keys(&self) -> usize {
        self.times.len()
    }

    /// The keys' times in seconds, strictly increasing.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The keys' times, shared: curves read from one accessor share one allocation.
    pub fn shared_times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// All floats as stored: per key one element, or in-tangent, value and out-tangent.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Whether the curve has the same value everywhere.
    pub fn is_constant(&self) -> bool {
        let last = self.keys() - 1;
        let zero = |tangent: Option<&[f32]>| tangent.is_none_or(|t| t.iter().all(|v| *v == 0.0));
        // The tangents before the first and after the last key lead nowhere.
        let flat = |k: usize| (k == 0 || zero(self.in_tangent(k))) && (k == last || zero(self.out_tangent(k)));
        let rests = match self.interpolation {
            Interpolation::Step | Interpolation::Linear => true,
            Interpolation::CubicSpline => (0..=last).all(flat),
            Interpolation::CubicSlerp => last == 0,
        };
        rests && (1..=last).all(|k| self.value(k) == self.value(0))
    }

    /// The time of the first key.
    pub fn start(&self) -> f32 {
        self.times[0]
    }

    /// The time of the last key.
    pub fn end(&self) -> f32 {
        self.times[self.times.len() - 1]
    }

    /// The value at key `key`, without tangents. Panics if there is no such key.
    pub fn value(&self, key: usize) -> &[f32] {
        self.element(key, self.interpolation.elements_per_key() / 2)
    }

    /// The tangent or control value that leads into key `key`; `None` if the interpolation has none.
    pub fn in_tangent(&self, key: usize) -> Option<&[f32]> {
        (self.interpolation.elements_per_key() == 3).then(|| self.element(key, 0))
    }

    /// The tangent or control value that leads out of key `key`; `None` if the interpolation has none.
    pub fn out_tangent(&self, key: usize) -> Option<&[f32]> {
        (self.interpolation.elements_per_key() == 3).then(|| self.element(key, 2))
    }

    fn element(&self, key: usize, which: usize) -> &[f32] {
        let at = (key * self.interpolation.elements_per_key() + which) * self.width;
        &self.values[at..at + self.width]
    }

    /// The value at time `t` (seconds).
    pub fn at(&self, kind: Kind, t: f64) -> Vec<f64> {
        let mut out = vec![0.0; self.width];
        self.sample(kind, t, &mut out);
        out
    }

    /// Writes the value at time `t` (seconds) into `out`, whose length is the width.
    pub fn sample(&self, kind: Kind, t: f64, out: &mut [f64]) {
        self.blend(kind, locate(&self.times, t), out);
    }

    /// The limit of the value as time approaches `t` from below. It differs from [`Curve::sample`] only if a `Step`
    /// key is at `t`.
    #[cfg(test)]
    pub(crate) fn sample_left(&self, kind: Kind, t: f64, out: &mut [f64]) {
        self.blend(kind, locate_left(&self.times, t), out);
    }

    /// Writes the values at many times into `out`, one row of `width` floats each. Fast for ascending times.
    pub fn sample_many(&self, kind: Kind, times: &[f64], out: &mut [f64]) {
        let mut cursor = Cursor::default();
        for (t, row) in times.iter().zip(out.chunks_exact_mut(self.width)) {
            self.blend(kind, cursor.locate(&self.times, *t), row);
        }
    }

    /// The value at a location that [`locate`] or a [`Cursor`] found among this curve's times.
    pub fn blend(&self, kind: Kind, place: Location, out: &mut [f64]) {
        blend::blend(self, kind, place, out);
    }
}

fn check_times(times: &[f32]) -> Result<(), CurveError> {
    if times.is_empty() {
        return Err(CurveError::Empty);
    }
    if let Some(key) = times.iter().position(|t| !t.is_finite()) {
        return Err(CurveError::TimeNotFinite { key });
    }
    match times.windows(2).position(|w| w[0] >= w[1]) {
        Some(before) => Err(CurveError::TimeNotIncreasing { key: before + 1 }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
