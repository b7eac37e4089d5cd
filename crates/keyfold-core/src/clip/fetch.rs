//! From the bits of keys to numbers: the two keys around a place, for a group of rotations or for a single component.
//!
//! Either encoding comes down to the same: for each component its value at the key before and at the key after.

use super::bits::{mask, peek};
use super::directory::MAX_BITS;
use super::head::Head;
use super::lanes::{LANES, Lanes};
use super::timing::Place;
use alloc::vec::Vec;
use core::ops::Range;

/// Up to eight rotations that are decoded together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// How many of the lanes are in use.
    pub(super) lanes: usize,
    /// A component is `origin + code * step`.
    pub(super) origin: [Lanes; 3],
    pub(super) step: [Lanes; 3],
    pub(super) frames: super::blend::Frames,
    /// Where in the pose each quaternion goes.
    pub(super) out: [usize; LANES],
}

/// A component that is not a rotation's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub(super) origin: f32,
    pub(super) step: f32,
    pub(super) out: usize,
}

/// Two neighbouring keys' values, by component and lane.
#[derive(Default)]
pub(super) struct Pair {
    pub(super) lo: [Lanes; 3],
    pub(super) hi: [Lanes; 3],
}

/// Two neighbouring keys of the `fixed` encoding: where each starts, in bytes.
pub(super) struct FixedKeys<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) bits: u32,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

impl FixedKeys<'_> {
    /// Group `index`, all groups before it being full.
    #[inline(never)]
    pub(super) fn group(&self, index: usize, group: &Group, out: &mut Pair) {
        self.key(self.lo, index, group, &mut out.lo);
        self.key(self.hi, index, group, &mut out.hi);
    }

    #[inline(always)]
    fn key(&self, start: usize, index: usize, group: &Group, out: &mut [Lanes; 3]) {
        let at = start + index * 6 * LANES;
        let chunk = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<{ 6 * LANES }>);
        match (self.bits, group.lanes, chunk) {
            (16, LANES, Some(chunk)) => sixteen(chunk, group, out),
            (16, lanes, _) => place_on(group, &self.few_of_sixteen(at, lanes), out),
            (_, lanes, _) => place_on(group, &self.any(start, index * 3 * LANES, lanes), out),
        }
    }

    /// A group of fewer.
    #[inline(always)]
    fn few_of_sixteen(&self, start: usize, lanes: usize) -> [Lanes; 3] {
        let mut codes = [Lanes::all(0.0); 3];
        let bytes = self.bytes.get(start..start + 6 * lanes).unwrap_or_default();
        for (row, bytes) in codes.iter_mut().zip(bytes.chunks_exact(2 * lanes)) {
            for (code, pair) in row.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *code = u16::from_le_bytes(*pair).into();
            }
        }
        codes
    }

    /// `lanes` rotations of any width, from component `first` on.
    fn any(&self, start: usize, first: usize, lanes: usize) -> [Lanes; 3] {
        let mut codes = [Lanes::all(0.0); 3];
        for (c, row) in codes.iter_mut().enumerate() {
            for (i, code) in row.0[..lanes].iter_mut().enumerate() {
                *code = self.code(start, first + c * lanes + i);
            }
        }
        codes
    }

    #[inline(always)]
    fn code(&self, start: usize, component: usize) -> f32 {
        (peek(self.bytes, start * 8 + component * self.bits as usize) & mask(self.bits)) as f32
    }

    /// Component `index` at both keys.
    #[inline(always)]
    pub(super) fn scalar(&self, index: usize, scalar: &Scalar) -> (f32, f32) {
        let value = |start| scalar.origin + self.code(start, index) * scalar.step;
        (value(self.lo), value(self.hi))
    }
}

/// Codes to numbers.
#[inline(always)]
fn place_on(group: &Group, codes: &[Lanes; 3], out: &mut [Lanes; 3]) {
    *out = [0, 1, 2].map(|c| group.origin[c] + codes[c] * group.step[c]);
}

/// A full group of 16-bit codes to numbers.
#[inline(always)]
fn sixteen(chunk: &[u8; 6 * LANES], group: &Group, out: &mut [Lanes; 3]) {
    for (c, row) in chunk.as_chunks::<{ 2 * LANES }>().0.iter().enumerate().take(3) {
        let (origin, step) = (&group.origin[c].0, &group.step[c].0);
        for (i, pair) in row.as_chunks::<2>().0.iter().enumerate().take(LANES) {
            out[c].0[i] = origin[i] + f32::from(u16::from_le_bytes(*pair)) * step[i];
        }
    }
}

/// Which two of a pair's three keys (anchor, middle, next anchor) lie around a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Span {
    AnchorToMiddle,
    MiddleToAnchor,
    /// The last pair of an even number of keys has no middle.
    AnchorToAnchor,
}

impl Span {
    /// The two values around the place.
    #[inline(always)]
    fn pick<T>(self, anchor: T, middle: T, next: T) -> (T, T) {
        match self {
            Self::AnchorToMiddle => (anchor, middle),
            Self::MiddleToAnchor => (middle, next),
            Self::AnchorToAnchor => (anchor, next),
        }
    }
}

/// Which anchors and which middle a place needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// The anchor before; the one after is the next. Also the number of the middle.
    pub(super) anchor: usize,
    span: Span,
}

impl Spot {
    #[inline(always)]
    pub(super) fn new(place: Place, keys: usize) -> Self {
        let span = match place.key % 2 {
            1 => Span::MiddleToAnchor,
            _ if place.key + 2 == keys => Span::AnchorToAnchor,
            _ => Span::AnchorToMiddle,
        };
        Self { anchor: place.key / 2, span }
    }
}

/// Where the three codes of a rotation lie in a key, and what to add to them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Triple {
    /// Bits from the start of the key.
    at: u32,
    /// Bits from the first code to the second and to the third.
    second: u8,
    third: u8,
    masks: [u32; 3],
    least: [i32; 3],
}

impl Triple {
    /// Codes of these widths from the bit `at` of a key on.
    pub(super) fn new(at: u32, widths: [u8; 3], least: [i32; 3]) -> Self {
        let masks = widths.map(|w| mask(w.into()) as u32);
        Self { at, second: widths[0], third: widths[0] + widths[1], masks, least }
    }

    /// The codes in the key that starts at the bit `start`.
    #[inline(always)]
    fn codes(&self, bytes: &[u8], start: usize) -> [i32; 3] {
        let at = start + self.at as usize;
        let word = peek(bytes, at);
        // A look sees 57 bits: all three codes, unless they are very wide.
        let third = if self.third <= 57 - MAX_BITS as u8 {
            word >> (self.third & 63)
        } else {
            peek(bytes, at + usize::from(self.third))
        };
        let words = [word, word >> (self.second & 63), third];
        [0, 1, 2].map(|c| (words[c] as u32 & self.masks[c]) as i32 + self.least[c])
    }
}

/// A segment whose head was read.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) index: usize,
    pub(super) head: Head,
    /// The rotations' codes, ready to be taken out.
    pub(super) anchor_codes: Vec<Triple>,
    pub(super) middle_codes: Vec<Triple>,
    /// The rotations' steps in this segment relative to the tracks' own, group by group.
    pub(super) finer: Vec<Lanes>,
    /// Where the first anchor starts, in bits, and where the first middle.
    pub(super) anchors: usize,
    pub(super) middles: usize,
}

/// The three keys of a pair in the `variable` encoding: where each starts, in bits.
pub(super) struct VariableKeys<'a> {
    pub(super) bytes: &'a [u8],
    /// The segments of the anchor before (and of the middle), and of the anchor after.
    pub(super) before: &'a Segment,
    pub(super) after: &'a Segment,
    pub(super) anchor: usize,
    pub(super) middle: usize,
    pub(super) next: usize,
    pub(super) spot: Spot,
}

impl VariableKeys<'_> {
    /// Group `index`, all groups before it being full.
    #[inline(never)]
    pub(super) fn group(&self, index: usize, group: &Group, out: &mut Pair) {
        let rotations = index * LANES..index * LANES + group.lanes;
        let a = codes(self.bytes, self.anchor, &self.before.anchor_codes, rotations.clone());
        let b = codes(self.bytes, self.next, &self.after.anchor_codes, rotations.clone());
        let m = match self.spot.span {
            Span::AnchorToAnchor => [[0; LANES]; 3],
            _ => codes(self.bytes, self.middle, &self.before.middle_codes, rotations),
        };
        let (fa, fb) = (self.before.finer[index], self.after.finer[index]);
        for c in 0..3 {
            let (sa, sb) = (group.step[c] * fa, group.step[c] * fb);
            let (a, b) = (Lanes::from_ints(a[c]) * sa, Lanes::from_ints(b[c]) * sb);
            let middle = 0.5 * (a + b) + Lanes::from_ints(m[c]) * sa;
            (out.lo[c], out.hi[c]) = self.spot.span.pick(a, middle, b);
        }
    }

    /// Component `part` at both keys.
    #[inline(always)]
    pub(super) fn scalar(&self, part: usize, scalar: &Scalar) -> (f32, f32) {
        let anchor = |start: usize, segment: &Segment| {
            let p = &segment.head.parts[part];
            let code = peek(self.bytes, start + p.anchor_at as usize) & mask(p.anchor.into());
            scalar.origin + (p.min + code as i32) as f32 * scalar.step
        };
        let (a, b) = (anchor(self.anchor, self.before), anchor(self.next, self.after));
        let p = &self.before.head.parts[part];
        let code = peek(self.bytes, self.middle + p.middle_at as usize) & mask(p.middle.into());
        let m = code as i32 + p.least_middle();
        self.spot.span.pick(a, 0.5 * (a + b) + m as f32 * scalar.step, b)
    }
}

/// The codes of up to eight rotations in the key that starts at the bit `start`.
#[inline(always)]
fn codes(bytes: &[u8], start: usize, triples: &[Triple], rotations: Range<usize>) -> [[i32; LANES]; 3] {
    let mut codes = [[0; LANES]; 3];
    for (i, triple) in triples.get(rotations).unwrap_or_default().iter().enumerate().take(LANES) {
        let three = triple.codes(bytes, start);
        (0..3).for_each(|c| codes[c][i] = three[c]);
    }
    codes
}
