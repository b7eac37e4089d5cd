//! Four numbers side by side: plain loops over arrays that the compiler turns into vector code.

use core::ops::{Add, Div, Mul, Sub};

/// The number of tracks that are processed together.
pub(super) const LANES: usize = 4;

/// One number of each track of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(16))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

impl Lanes {
    /// The same number in every lane.
    #[inline(always)]
    pub(super) const fn all(value: f32) -> Self {
        Self([value; LANES])
    }

    /// Integers as floats.
    #[inline(always)]
    pub(super) fn from_ints(ints: [i32; LANES]) -> Self {
        Self(ints.map(|v| v as f32))
    }

    /// The square roots.
    #[inline(always)]
    pub(super) fn root(self) -> Self {
        Self(self.0.map(libm::sqrtf))
    }

    /// Whether a lane is larger than `limit`.
    #[inline(always)]
    pub(super) fn any_above(self, limit: f32) -> bool {
        self.0.iter().fold(false, |any, v| any | (*v > limit))
    }
}

#[inline(always)]
fn zip(a: Lanes, b: Lanes, op: impl Fn(f32, f32) -> f32) -> Lanes {
    Lanes(core::array::from_fn(|i| op(a.0[i], b.0[i])))
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        zip(self, other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        zip(self, other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, |a, b| a * b)
    }
}

impl Div for Lanes {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        zip(self, other, |a, b| a / b)
    }
}

impl Mul<Lanes> for f32 {
    type Output = Lanes;
    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        Lanes::all(self) * other
    }
}
