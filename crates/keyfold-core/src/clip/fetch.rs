//! From the bits of keys to numbers: the two keys around a place, for a group of rotations or for a single component.
//!
//! Either encoding comes down to the same: for each component its value at the key before and at the key after.

use super::bits::{mask, peek, signed};
use super::blend::{LANES, Lanes};
use super::head::{Head, Part};
use super::timing::Place;

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
    #[inline(always)]
    pub(super) fn group(&self, index: usize, group: &Group) -> Pair {
        Pair { lo: self.key(self.lo, index, group), hi: self.key(self.hi, index, group) }
    }

    #[inline(always)]
    fn key(&self, start: usize, index: usize, group: &Group) -> [Lanes; 3] {
        let codes = match (self.bits, group.lanes) {
            (16, LANES) => self.sixteen(start + index * 6 * LANES),
            _ => self.any(start, index * 3 * LANES, group.lanes),
        };
        let mut out = [[0.0; LANES]; 3];
        for c in 0..3 {
            for i in 0..LANES {
                out[c][i] = group.origin[c][i] + codes[c][i] * group.step[c][i];
            }
        }
        out
    }

    /// A full group of 16-bit codes.
    #[inline(always)]
    fn sixteen(&self, start: usize) -> [Lanes; 3] {
        let mut codes = [[0.0; LANES]; 3];
        let Some(chunk) = self.bytes.get(start..).and_then(<[u8]>::first_chunk::<{ 6 * LANES }>) else { return codes };
        for (row, codes) in codes.iter_mut().zip(chunk.as_chunks::<{ 2 * LANES }>().0) {
            (0..LANES).for_each(|i| row[i] = f32::from(u16::from_le_bytes([codes[i * 2], codes[i * 2 + 1]])));
        }
        codes
    }

    /// `lanes` rotations of any width, from component `first` on.
    fn any(&self, start: usize, first: usize, lanes: usize) -> [Lanes; 3] {
        let mut codes = [[0.0; LANES]; 3];
        for (c, row) in codes.iter_mut().enumerate() {
            for (i, code) in row[..lanes].iter_mut().enumerate() {
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

/// Which two of a pair's three keys (anchor, middle, next anchor) lie around a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Span {
    AnchorToMiddle,
    MiddleToAnchor,
    /// The last pair of an even number of keys has no middle.
    AnchorToAnchor,
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

/// A segment whose head was read.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) index: usize,
    pub(super) head: Head,
    /// The rotations' steps in this segment relative to the tracks' own, group by group.
    pub(super) finer: alloc::vec::Vec<Lanes>,
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
    #[inline(always)]
    pub(super) fn group(&self, index: usize, group: &Group) -> Pair {
        let first = index * LANES * 3;
        let a = anchors(self.bytes, self.anchor, self.before, first, group.lanes);
        let b = anchors(self.bytes, self.next, self.after, first, group.lanes);
        let m = match self.spot.span {
            Span::AnchorToAnchor => [[0; LANES]; 3],
            _ => middles(self.bytes, self.middle, self.before, first, group.lanes),
        };
        let (fa, fb) = (&self.before.finer[index], &self.after.finer[index]);
        let mut pair = Pair { lo: [[0.0; LANES]; 3], hi: [[0.0; LANES]; 3] };
        for c in 0..3 {
            for i in 0..LANES {
                let (sa, sb) = (group.step[c][i] * fa[i], group.step[c][i] * fb[i]);
                (pair.lo[c][i], pair.hi[c][i]) =
                    self.span(a[c][i] as f32 * sa, b[c][i] as f32 * sb, m[c][i] as f32 * sa);
            }
        }
        pair
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
        let m = signed(peek(self.bytes, self.middle + p.middle_at as usize), p.middle.into());
        self.span(a, b, m as f32 * scalar.step)
    }

    /// The two values around the place, from both anchors and the middle's difference.
    #[inline(always)]
    fn span(&self, a: f32, b: f32, difference: f32) -> (f32, f32) {
        let m = 0.5 * (a + b) + difference;
        match self.spot.span {
            Span::AnchorToMiddle => (a, m),
            Span::MiddleToAnchor => (m, b),
            Span::AnchorToAnchor => (a, b),
        }
    }
}

/// The anchors' codes of up to eight rotations.
#[inline(always)]
fn anchors(bytes: &[u8], start: usize, segment: &Segment, first: usize, lanes: usize) -> [[i32; LANES]; 3] {
    let mut codes = [[0; LANES]; 3];
    for (i, part) in triples(segment, first, lanes) {
        let words = three(bytes, start + part[0].anchor_at as usize, part.map(|p| p.anchor));
        for c in 0..3 {
            codes[c][i] = part[c].min + (words[c] & mask(part[c].anchor.into())) as i32;
        }
    }
    codes
}

/// The middles' differences of up to eight rotations.
#[inline(always)]
fn middles(bytes: &[u8], start: usize, segment: &Segment, first: usize, lanes: usize) -> [[i32; LANES]; 3] {
    let mut codes = [[0; LANES]; 3];
    for (i, part) in triples(segment, first, lanes) {
        let words = three(bytes, start + part[0].middle_at as usize, part.map(|p| p.middle));
        for c in 0..3 {
            codes[c][i] = signed(words[c], part[c].middle.into());
        }
    }
    codes
}

/// The parts of a group's rotations, with their lanes.
#[inline(always)]
fn triples(segment: &Segment, first: usize, lanes: usize) -> impl Iterator<Item = (usize, &[Part; 3])> {
    let parts = segment.head.parts.get(first..first + lanes * 3).unwrap_or_default();
    parts.as_chunks::<3>().0.iter().take(LANES).enumerate()
}

/// Three neighbouring codes, each at the low end of a word: one look where they fit it together.
#[inline(always)]
fn three(bytes: &[u8], at: usize, widths: [u8; 3]) -> [u64; 3] {
    let (second, third) = (widths[0], widths[0] + widths[1]);
    let word = peek(bytes, at);
    if third + widths[2] <= 57 {
        [word, word >> second, word >> third]
    } else {
        [word, peek(bytes, at + usize::from(second)), peek(bytes, at + usize::from(third))]
    }
}
