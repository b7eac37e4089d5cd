//! A unit quaternion in few bits: the three smaller components, and the index of the largest.

use super::ClipError;
use super::bits::{BitReader, BitWriter, mask};
use crate::quat::{self, Quat};

/// The largest size of the three smaller components of a unit quaternion.
const REACH: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// A unit quaternion, rounded to `bits` bits per component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SmallQuat {
    largest: u32,
    codes: [u32; 3],
    bits: u32,
}

impl SmallQuat {
    /// The nearest quaternion to `q` with `bits` bits per component, 2 to 18.
    pub(super) fn new(q: Quat, bits: u32) -> Self {
        let q = quat::normalize(q);
        let largest = (0..4).fold(0, |best, i| if libm::fabs(q[i]) > libm::fabs(q[best]) { i } else { best });
        let sign = if q[largest] < 0.0 { -1.0 } else { 1.0 };
        let steps = mask(bits) as f64 - 1.0;
        let code = |i: usize| libm::round((q[i] * sign / REACH + 1.0) / 2.0 * steps) as u32;
        let [a, b, c] = others(largest);
        Self { largest: largest as u32, codes: [code(a), code(b), code(c)], bits }
    }

    pub(super) fn write(&self, out: &mut BitWriter) {
        out.put(self.largest.into(), 2);
        self.codes.iter().for_each(|c| out.put((*c).into(), self.bits));
    }

    pub(super) fn read(from: &mut BitReader<'_>, bits: u32) -> Result<Self, ClipError> {
        let largest = from.take(2)? as u32;
        let mut codes = [0; 3];
        for code in &mut codes {
            *code = from.take(bits)? as u32;
        }
        Ok(Self { largest, codes, bits })
    }

    /// The quaternion. The number of steps is even, so zero and every axis are exact.
    pub(super) fn quat(&self) -> Quat {
        let steps = mask(self.bits) as f64 - 1.0;
        let mut q = [0.0; 4];
        let mut squares = 0.0;
        for (i, code) in others(self.largest as usize).into_iter().zip(self.codes) {
            q[i] = (f64::from(code) / steps * 2.0 - 1.0) * REACH;
            squares += q[i] * q[i];
        }
        q[self.largest as usize] = libm::sqrt((1.0 - squares).max(0.0));
        quat::normalize(q)
    }
}

fn others(largest: usize) -> [usize; 3] {
    [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][largest & 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_within_its_bits() {
        for bits in [4, 6, 8, 15, 18] {
            for q in [[0.1, -0.7, 0.3, -0.2], [0.9, 0.1, 0.0, 0.0], [0.5, 0.5, -0.5, 0.5], [0.0, 0.0, 0.0, -1.0]] {
                let q = quat::normalize(q);
                let small = SmallQuat::new(q, bits);
                // If all four are equal, three components that are off by half a step move the fourth by
                // three times that.
                let step = 2.0 * REACH / (mask(bits) as f64 - 1.0);
                assert!(quat::angle(small.quat(), q) < 3.5 * step, "{bits} {q:?}");
                let mut w = BitWriter::default();
                small.write(&mut w);
                let bytes = w.into_bytes();
                assert_eq!(SmallQuat::read(&mut BitReader::new(&bytes, 0), bits), Ok(small));
            }
        }
    }

    #[test]
    fn the_identity_is_exact() {
        assert_eq!(SmallQuat::new(quat::IDENTITY, 6).quat(), quat::IDENTITY);
    }
}
