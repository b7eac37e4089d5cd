//! Keys of the `fixed` encoding. All keys have the same length, and all components have the same number of
//! bits.

use super::bits::{mask, peek};
use super::blend::Pair;
use super::keys::{Group, Neighbours, Numbers};
use super::lanes::{LANES, Lanes};

/// Two neighbouring keys, given by the bytes at which they start. `SIXTEEN`: codes have 16 bits, which are
/// whole bytes and faster to read.
pub(super) struct FixedKeys<'a, const SIXTEEN: bool> {
    pub(super) bytes: &'a [u8],
    pub(super) bits: u32,
    /// The number of components of rotations in a key.
    pub(super) turning: usize,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

impl<const SIXTEEN: bool> Neighbours for FixedKeys<'_, SIXTEEN> {
    #[inline(always)]
    fn group(&self, index: usize, group: &Group, out: &mut Pair) {
        self.key(self.lo, index, group, &mut out.lo);
        self.key(self.hi, index, group, &mut out.hi);
    }

    #[inline(always)]
    fn numbers(&self, index: usize, numbers: &Numbers) -> (Lanes, Lanes) {
        let value = |start| numbers.origin + self.four(start, self.turning + index * LANES) * numbers.step;
        (value(self.lo), value(self.hi))
    }
}

impl<const SIXTEEN: bool> FixedKeys<'_, SIXTEEN> {
    #[inline(always)]
    fn key(&self, start: usize, index: usize, group: &Group, out: &mut [Lanes; 3]) {
        let first = index * 3 * LANES;
        out[0] = group.origin[0] + self.four(start, first) * group.step[0];
        out[1] = group.origin[1] + self.four(start, first + group.lanes) * group.step[1];
        out[2] = group.origin[2] + self.four(start, first + 2 * group.lanes) * group.step[2];
    }

    /// The codes of four components from `first` on. If a group is smaller, codes beyond it do no harm: the
    /// steps of unused lanes are zero.
    #[inline(always)]
    fn four(&self, start: usize, first: usize) -> Lanes {
        let at = start + 2 * first;
        match self.bytes.get(at..at + 2 * LANES).and_then(|row| row.try_into().ok()) {
            Some(row) if SIXTEEN => sixteen(row),
            _ => self.any(start, first),
        }
    }

    /// Four codes of any width, or four that reach the end of the bytes.
    #[inline(never)]
    fn any(&self, start: usize, first: usize) -> Lanes {
        Lanes(core::array::from_fn(|i| self.code(start, first + i)))
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
