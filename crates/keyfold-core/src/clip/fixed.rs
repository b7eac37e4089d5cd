//! Keys of the `fixed` encoding: all of one length, every component with the same number of bits.

use super::bits::{mask, peek};
use super::blend::Pair;
use super::keys::{Group, Neighbours, Scalar};
use super::lanes::{LANES, Lanes};

/// Bytes of a full group's codes of 16 bits.
const SIXTEEN: usize = 2 * 3 * LANES;

/// Two neighbouring keys: where each starts, in bytes.
pub(super) struct FixedKeys<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) bits: u32,
    /// How many components of a key are rotations'.
    pub(super) turning: usize,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

impl Neighbours for FixedKeys<'_> {
    #[inline(always)]
    fn group(&self, index: usize, group: &Group, out: &mut Pair) {
        self.key(self.lo, index, group, &mut out.lo);
        self.key(self.hi, index, group, &mut out.hi);
    }

    #[inline(always)]
    fn scalar(&self, index: usize, scalar: &Scalar) -> (f32, f32) {
        let value = |start| scalar.origin + self.code(start, self.turning + index) * scalar.step;
        (value(self.lo), value(self.hi))
    }
}

impl FixedKeys<'_> {
    #[inline(always)]
    fn key(&self, start: usize, index: usize, group: &Group, out: &mut [Lanes; 3]) {
        // The codes after a smaller group's rows do no harm: the steps of lanes that are not in use are zero.
        let row = |c: usize| {
            let at = start + index * SIXTEEN + c * 2 * group.lanes;
            self.bytes.get(at..at + 2 * LANES).and_then(|row| row.try_into().ok())
        };
        match (self.bits, row(0), row(1), row(2)) {
            (16, Some(x), Some(y), Some(z)) => {
                out[0] = group.origin[0] + sixteen(x) * group.step[0];
                out[1] = group.origin[1] + sixteen(y) * group.step[1];
                out[2] = group.origin[2] + sixteen(z) * group.step[2];
            }
            _ => self.any(start, index, group, out),
        }
    }

    /// A group of fewer, or of codes of any width.
    #[inline(never)]
    fn any(&self, start: usize, index: usize, group: &Group, out: &mut [Lanes; 3]) {
        for (c, row) in out.iter_mut().enumerate() {
            let first = (index * LANES) * 3 + c * group.lanes;
            for i in 0..group.lanes {
                row.0[i] = group.origin[c].0[i] + self.code(start, first + i) * group.step[c].0[i];
            }
        }
    }

    #[inline(always)]
    fn code(&self, start: usize, component: usize) -> f32 {
        (peek(self.bytes, start * 8 + component * self.bits as usize) as u32 & mask(self.bits) as u32) as i32 as f32
    }
}

/// Four codes of 16 bits.
#[inline(always)]
fn sixteen(row: &[u8; 2 * LANES]) -> Lanes {
    let code = |i: usize| i32::from(u16::from_le_bytes([row[2 * i], row[2 * i + 1]]));
    Lanes::from_ints([code(0), code(1), code(2), code(3)])
}
