//! The head of a segment of the `variable` encoding: the widths and minima of each component's codes.
//!
//! Keys come in pairs: an anchor, and a middle between it and the next anchor. A middle is stored as its
//! difference from halfway between the two. For each component, a head has the number of bits of an anchor's
//! code, the number of bits of a difference, and the least code of the anchors. For each rotation it also has
//! how much finer the step is than the track's own.

use super::ClipError;
use super::bits::{BitReader, BitWriter, mask, signed};
use super::coding::{MAX_BITS, RotationCode, ScalarCode};
use super::directory::{Directory, Layout};
use alloc::{vec, vec::Vec};

/// Whether key `k` is a middle. Every other key is an anchor, and so is the last.
pub(super) fn is_middle(k: usize, keys: usize) -> bool {
    !k.is_multiple_of(2) && k + 1 < keys
}

/// Bits of the field that says how much finer a step is, in quarters of an octave.
pub(super) const FINER_BITS: u32 = 3;
/// The factor of a step for each value of that field, in quarters of an octave.
#[allow(clippy::excessive_precision, reason = "rounded to the nearest float by the compiler")]
pub(super) const FINER: [f32; 8] = [
    1.0,
    0.840_896_415_253_714_5,
    0.707_106_781_186_547_5,
    0.594_603_557_501_360_5,
    0.5,
    0.420_448_207_626_857_3,
    0.353_553_390_593_273_8,
    0.297_301_778_750_680_3,
];
/// Bits of the width fields of components that are not part of a rotation.
const SCALAR_WIDTH_BITS: u32 = 5;
/// A minimum is a multiple of the codes' range divided by two to the power of this: fewer bits for little
/// waste.
const MIN_PARTS_BITS: u32 = 3;

/// One component in one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// The least code of an anchor.
    pub(super) min: i32,
    /// Bits of an anchor's code.
    pub(super) anchor: u8,
    /// Bits of a difference, which is stored with half its range added.
    pub(super) middle: u8,
    /// The first bit of the code within an anchor.
    pub(super) anchor_at: u32,
    /// The first bit of the difference among the differences of one key.
    pub(super) middle_at: u32,
}

/// A decoded head.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// Three for each rotation, then one for each other component.
    pub(super) parts: Vec<Part>,
    /// For each rotation, then for each other component: how many quarters of an octave finer its steps are.
    pub(super) finer: Vec<u8>,
    /// Bits of one anchor.
    pub(super) anchor_stride: u32,
    /// Bits of the differences of one key.
    pub(super) middle_stride: u32,
}

/// The properties that all heads of a clip share.
#[derive(Clone, Debug)]
pub(super) struct HeadShape {
    pub(super) rotations: usize,
    width_bits: u32,
    /// Bits of the field that says how much finer a step is, for components that are not part of a rotation.
    finer_bits: u32,
    pub(super) min_bits: Vec<u8>,
}

impl HeadShape {
    pub(super) fn new(directory: &Directory) -> Self {
        let (width_bits, refines) = match directory.layout {
            Layout::Variable { width_bits, refines, .. } => (width_bits, refines),
            Layout::Fixed { .. } => (0, false),
        };
        let rotations = directory.rotations.iter().flat_map(|r| match r {
            RotationCode::Variable { min_bits, .. } => *min_bits,
            RotationCode::Fixed { .. } => [0; 3],
        });
        let scalars = directory.scalars.iter().map(|s| match s {
            ScalarCode::Variable { min_bits, .. } => *min_bits,
            ScalarCode::Fixed { .. } => 0,
        });
        let finer_bits = if refines { FINER_BITS } else { 0 };
        Self {
            rotations: directory.rotations.len(),
            width_bits,
            finer_bits,
            min_bits: rotations.chain(scalars).collect(),
        }
    }

    /// The number of components.
    pub(super) fn parts(&self) -> usize {
        self.min_bits.len()
    }

    pub(super) fn write(&self, head: &Head, out: &mut BitWriter) {
        for r in 0..self.rotations {
            out.put(head.finer[r].into(), FINER_BITS);
            (r * 3..r * 3 + 3).for_each(|c| self.write_part(&head.parts[c], self.min_bits[c], self.width_bits, out));
        }
        for c in self.rotations * 3..self.parts() {
            out.put(head.finer[c - 2 * self.rotations].into(), self.finer_bits);
            self.write_part(&head.parts[c], self.min_bits[c], SCALAR_WIDTH_BITS, out);
        }
    }

    fn write_part(&self, part: &Part, min_bits: u8, width_bits: u32, out: &mut BitWriter) {
        out.put(part.anchor.into(), width_bits);
        out.put(part.middle.into(), width_bits);
        let (shift, bits) = min_field(part.anchor.into(), min_bits.into());
        out.put((part.min >> shift) as u64 & mask(bits), bits);
    }

    /// Reads a head into `head`, whose lists have the lengths of the shape. Bytes that were checked at
    /// opening cannot fail.
    pub(super) fn read(&self, from: &mut BitReader<'_>, head: &mut Head) -> Result<(), ClipError> {
        (head.anchor_stride, head.middle_stride) = (0, 0);
        for r in 0..self.rotations {
            head.finer[r] = from.take(FINER_BITS)? as u8;
            for c in r * 3..r * 3 + 3 {
                let part = self.read_part(c, self.width_bits, from)?;
                head.place(c, part);
            }
        }
        for c in self.rotations * 3..self.parts() {
            head.finer[c - 2 * self.rotations] = from.take(self.finer_bits)? as u8;
            let part = self.read_part(c, SCALAR_WIDTH_BITS, from)?;
            head.place(c, part);
        }
        Ok(())
    }

    #[inline]
    fn read_part(&self, c: usize, width_bits: u32, from: &mut BitReader<'_>) -> Result<Part, ClipError> {
        let widths = from.take(width_bits * 2)?;
        let (anchor, middle) = ((widths & mask(width_bits)) as u32, (widths >> width_bits) as u32);
        if anchor > MAX_BITS || middle > MAX_BITS {
            return Err(ClipError::Malformed("a code is too wide"));
        }
        let (shift, bits) = min_field(anchor, self.min_bits[c].into());
        let min = signed(from.take(bits)?, bits) << shift;
        Ok(Part { min, anchor: anchor as u8, middle: middle as u8, ..Part::default() })
    }
}

impl Head {
    /// An empty head for a shape, to read into.
    pub(super) fn for_shape(shape: &HeadShape) -> Self {
        let finer = vec![0; shape.parts() - 2 * shape.rotations];
        let parts = vec![Part::default(); shape.parts()];
        Self { parts, finer, anchor_stride: 0, middle_stride: 0 }
    }

    /// Sets the next component.
    fn place(&mut self, c: usize, part: Part) {
        self.parts[c] = Part { anchor_at: self.anchor_stride, middle_at: self.middle_stride, ..part };
        // `Segments::open` refuses keys that are longer than the file.
        self.anchor_stride = self.anchor_stride.saturating_add(part.anchor.into());
        self.middle_stride = self.middle_stride.saturating_add(part.middle.into());
    }
}

/// The number of bits by which a minimum is shifted if codes have `anchor` bits, and the number of `min_bits`
/// that remain.
fn min_field(anchor: u32, min_bits: u32) -> (u32, u32) {
    let shift = anchor.saturating_sub(MIN_PARTS_BITS).min(min_bits.saturating_sub(1));
    (shift, min_bits - shift)
}

impl Part {
    /// The narrowest part that holds anchors from `low` to `high`, and differences of `middle` bits.
    pub(super) fn holding(low: i32, high: i32, middle: u8, min_bits: u32) -> Self {
        let mut anchor = 32 - high.abs_diff(low).leading_zeros();
        loop {
            let (shift, _) = min_field(anchor, min_bits);
            let min = low >> shift << shift;
            if i64::from(high) < i64::from(min) + (1i64 << anchor) {
                return Self { min, anchor: anchor as u8, middle, ..Self::default() };
            }
            anchor += 1;
        }
    }
}

impl Part {
    /// The least difference: minus half the range.
    #[inline(always)]
    pub(super) fn least_middle(&self) -> i32 {
        -(1i32.wrapping_shl(self.middle.into()) >> 1)
    }
}

/// The number of bits that all codes need in two's complement; 0 if all are zero.
pub(super) fn signed_bits(codes: impl Iterator<Item = i32>) -> u32 {
    codes.filter(|code| *code != 0).map(|code| 33 - code.max(!code).leading_zeros()).fold(0, u32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_widths() {
        for (least, most, bits) in [(0, 0, 0), (-1, 0, 1), (0, 1, 2), (-2, 1, 2), (-3, 0, 3), (-4, 3, 3), (0, 4, 4)] {
            assert_eq!(signed_bits([least, most].into_iter()), bits, "{least}..={most}");
            for v in [least, most] {
                assert_eq!(signed(v as u64 & mask(bits), bits), v);
            }
        }
    }

    #[test]
    fn keys_longer_than_any_file_stay_so() {
        let mut head = Head { parts: vec![Part::default()], anchor_stride: u32::MAX - 5, ..Head::default() };
        head.place(0, Part { anchor: 24, middle: 3, ..Part::default() });
        assert_eq!((head.anchor_stride, head.middle_stride), (u32::MAX, 3));
    }

    #[test]
    fn parts_hold_what_they_must() {
        arbtest::arbtest(|u| {
            let low = u.int_in_range(-100_000..=100_000)?;
            let high = low + u.int_in_range(0..=2000)?;
            let min_bits = signed_bits([low.min(-1), high.max(1)].into_iter());
            let part = Part::holding(low, high, 4, min_bits);
            assert!(part.min <= low && high - part.min < 1 << part.anchor);
            let (shift, bits) = min_field(part.anchor.into(), min_bits);
            assert_eq!(signed((part.min >> shift) as u64 & mask(bits), bits) << shift, part.min);
            Ok(())
        });
    }
}
