//! Difference prediction with the wrap transform, and the zigzag that makes corrections unsigned.
//!
//! A value is predicted by the same component of the keyframe before it (the first by 0), the prediction
//! clamped to the bounds of all values; the correction is taken modulo the span of the bounds.

use alloc::vec::Vec;

/// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
pub(super) const fn zigzag(value: i32) -> u32 {
    ((value as u32) << 1) ^ (value >> 31) as u32
}

/// The reverse of [`zigzag`].
pub(super) const fn unzigzag(symbol: u32) -> i32 {
    (symbol >> 1) as i32 ^ -((symbol & 1) as i32)
}

/// The bounds of an attribute's integers, within which corrections wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrap {
    low: i32,
    high: i32,
    span: i32,
}

impl Wrap {
    /// `None` if the bounds are the wrong way round or their span does not fit 31 bits.
    pub(super) fn new(low: i32, high: i32) -> Option<Wrap> {
        let span = i64::from(high) - i64::from(low) + 1;
        if span < 1 {
            return None;
        }
        Some(Wrap { low, high, span: i32::try_from(span).ok()? })
    }

    /// The tightest bounds of some integers, at least one.
    pub(super) fn around(integers: &[i32]) -> Option<Wrap> {
        let low = integers.iter().copied().min()?;
        let high = integers.iter().copied().max()?;
        Wrap::new(low, high)
    }

    /// Whether the decoder gets `integers` back. At the ends of the 32-bit numbers it may not: there a prediction
    /// plus its correction can overflow before it is wrapped.
    pub(super) fn is_exact_for(self, integers: &[i32], components: usize) -> bool {
        let reach = self.span / 2;
        if self.low.checked_sub(reach).is_some() && self.high.checked_add(reach).is_some() {
            return true;
        }
        let mut decoded: Vec<i32> = self.apply(integers, components).into_iter().map(|symbol| symbol as i32).collect();
        self.undo(&mut decoded, components);
        decoded == integers
    }

    pub(super) fn bounds(self) -> [i32; 2] {
        [self.low, self.high]
    }

    /// Replaces zigzag symbols (as the bits of an `i32`) by the integers they stand for.
    pub(super) fn undo(self, symbols: &mut [i32], components: usize) {
        match components {
            1 => self.undo_rows::<1>(symbols),
            2 => self.undo_rows::<2>(symbols),
            3 => self.undo_rows::<3>(symbols),
            4 => self.undo_rows::<4>(symbols),
            _ => self.undo_any(symbols, components),
        }
    }

    fn undo_rows<const C: usize>(self, symbols: &mut [i32]) {
        let mut before = [0; C];
        symbols.as_chunks_mut::<C>().0.iter_mut().for_each(|row| self.undo_row(row, &mut before));
    }

    fn undo_any(self, symbols: &mut [i32], components: usize) {
        let mut before = alloc::vec![0; components];
        symbols.chunks_exact_mut(components).for_each(|row| self.undo_row(row, &mut before));
    }

    #[inline(always)]
    fn undo_row(self, row: &mut [i32], before: &mut [i32]) {
        for (value, before) in row.iter_mut().zip(before) {
            *value = self.corrected(*before, unzigzag(*value as u32));
            *before = *value;
        }
    }

    /// Wraps once only: corrections that no encoder makes can leave a value outside of the bounds.
    #[inline(always)]
    fn corrected(self, before: i32, correction: i32) -> i32 {
        let value = before.clamp(self.low, self.high).wrapping_add(correction);
        if value > self.high {
            value.wrapping_sub(self.span)
        } else if value < self.low {
            value.wrapping_add(self.span)
        } else {
            value
        }
    }

    /// The zigzag symbols of integers that lie within the bounds.
    pub(super) fn apply(self, integers: &[i32], components: usize) -> Vec<u32> {
        let smallest = -(self.span / 2);
        let largest = smallest + (self.span - 1);
        let first = 0.clamp(self.low, self.high);
        let correction = |before: i32, value: i32| {
            let difference = value.wrapping_sub(before);
            if difference < smallest {
                difference.wrapping_add(self.span)
            } else if difference > largest {
                difference.wrapping_sub(self.span)
            } else {
                difference
            }
        };
        let mut symbols = Vec::with_capacity(integers.len());
        let (head, tail) = integers.split_at(components.min(integers.len()));
        symbols.extend(head.iter().map(|&value| zigzag(correction(first, value))));
        symbols.extend(tail.iter().zip(integers).map(|(&value, &before)| zigzag(correction(before, value))));
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(integers: &[i32], components: usize) {
        let wrap = Wrap::around(integers).unwrap();
        let mut symbols: Vec<i32> = wrap.apply(integers, components).into_iter().map(|s| s as i32).collect();
        wrap.undo(&mut symbols, components);
        assert_eq!(symbols, integers);
    }

    #[test]
    fn zigzag_alternates() {
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
        for value in [0, 1, -1, 77, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn wraps_the_short_way_round() {
        let wrap = Wrap::around(&[0, 4095]).unwrap();
        assert_eq!(wrap.apply(&[0, 4095], 1), [0, 1]);
    }

    #[test]
    fn undoes_what_it_applies() {
        round_trip(&[5], 1);
        round_trip(&[-3, -9, -3, -9], 1);
        let integers: Vec<i32> = (0..60).map(|i| (i * i * 37) % 101 - 50).collect();
        for components in [1, 2, 3, 4, 5, 6] {
            round_trip(&integers, components);
        }
    }

    #[test]
    fn knows_where_the_decoder_overflows() {
        let exact = |integers: &[i32]| Wrap::around(integers).unwrap().is_exact_for(integers, 1);
        assert!(exact(&[-5, 1 << 30, 7]));
        assert!(exact(&[i32::MAX - 3, i32::MAX]));
        assert!(!exact(&[i32::MIN, -2, i32::MIN]));
    }

    #[test]
    fn refuses_bounds_that_cannot_wrap() {
        assert_eq!(Wrap::new(1, 0), None);
        assert_eq!(Wrap::new(0, i32::MAX), None);
        assert!(Wrap::new(1, i32::MAX).is_some());
        assert_eq!(Wrap::new(i32::MIN, i32::MAX), None);
    }
}
