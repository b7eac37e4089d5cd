//! Keys of the `variable` encoding: segments with widths of their own.
//!
//! Opening a clip reads the heads of all segments once and lays them out for sampling, with 32 bytes for each
//! rotation in a segment. So random access is as fast as forward playback.

use super::ClipError;
use super::bend::Three;
use super::bits::{BitReader, peek};
use super::blend::Pair;
use super::directory::Directory;
use super::head::{FINER, Head, HeadShape, Part};
use super::keys::{Group, Neighbours, Numbers};
use super::lanes::{LANES, Lanes};
use super::memory::Memory;
use super::timing::KeySpan;
use alloc::vec::Vec;

/// All segments of a clip.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    /// Anchors per segment, except in the last.
    anchors: usize,
    all: Vec<Segment>,
    /// Groups of rotations, segment by segment.
    quads: Vec<Quad>,
    /// Groups of four other components, segment by segment.
    fours: Vec<Four>,
}

/// The positions of a segment's keys, in bits.
#[derive(Clone, Copy, Debug)]
struct Segment {
    anchors: usize,
    middles: usize,
    anchor_stride: usize,
    middle_stride: usize,
}

/// The codes of a group of rotations in one segment.
#[derive(Clone, Debug, Default)]
struct Quad {
    anchors: [Triple; LANES],
    middles: [Triple; LANES],
    /// The least codes of anchors.
    least: [[i32; LANES]; 3],
    /// The steps in this segment relative to the tracks' own.
    finer: Lanes,
}

/// The codes of four other components in one segment.
#[derive(Clone, Debug, Default)]
struct Four {
    parts: [Part; LANES],
    /// The steps in this segment relative to the tracks' own.
    finer: Lanes,
}

/// The positions of the three codes of a rotation in a key.
#[derive(Clone, Copy, Debug, Default)]
struct Triple {
    /// Bits from the start of the key.
    at: u32,
    x: u8,
    y: u8,
    z: u8,
    /// Whether the three codes take more bits than one read returns.
    wide: bool,
}

impl Triple {
    fn new(at: u32, [x, y, z]: [u8; 3]) -> Self {
        Self { at, x, y, z, wide: u32::from(x) + u32::from(y) + u32::from(z) > 57 }
    }

    /// The codes in the key that starts at the bit `start`.
    #[inline(always)]
    fn codes(&self, bytes: &[u8], start: usize) -> [i32; 3] {
        let at = start + self.at as usize;
        let first = peek(bytes, at);
        let second = first >> (self.x & 63);
        let third = if self.wide { self.third(bytes, at) } else { second >> (self.y & 63) };
        let mask = |word: u64, width: u8| (word as u32 & MASKS[usize::from(width)]) as i32;
        [mask(first, self.x), mask(second, self.y), mask(third, self.z)]
    }

    #[cold]
    #[inline(never)]
    fn third(&self, bytes: &[u8], at: usize) -> u64 {
        peek(bytes, at + usize::from(self.x) + usize::from(self.y))
    }

    /// Half the range of each code.
    #[inline(always)]
    fn halves(&self) -> [i32; 3] {
        let half = |width: u8| HALVES[usize::from(width)] as i32;
        [half(self.x), half(self.y), half(self.z)]
    }
}

/// By number of bits: a mask of the lowest bits. There is an entry for every value of a byte.
static MASKS: [u32; 256] = table(0);
/// By number of bits: half of their range.
static HALVES: [u32; 256] = table(1);

const fn table(half: u32) -> [u32; 256] {
    let mut out = [0; 256];
    let mut bits = 1;
    while bits <= 24 {
        out[bits] = if half == 1 { 1 << (bits - 1) } else { (1 << bits) - 1 };
        bits += 1;
    }
    out
}

impl Segments {
    /// Reads and checks the segments of a clip whose keys start at the byte `start`.
    pub(super) fn open(
        bytes: &[u8],
        start: usize,
        directory: &Directory,
        anchors: usize,
        memory: &mut Memory,
    ) -> Result<Self, ClipError> {
        let shape = HeadShape::new(directory);
        let (quads, fours) = (shape.rotations.div_ceil(LANES), (shape.parts() - shape.rotations * 3).div_ceil(LANES));
        let segment = size_of::<Segment>() + quads * size_of::<Quad>() + fours * size_of::<Four>();
        let mut segments = Self { anchors, ..Self::default() };
        let mut end = start;
        if shape.parts() > 0 {
            let (mut head, keys) = (Head::for_shape(&shape), directory.timing.keys());
            let (mut all, mut middles) = (keys / 2 + 1, (keys - 1) / 2);
            while all > 0 {
                // Growing lists may reserve twice the memory.
                memory.pay(2, segment)?;
                let mut from = BitReader::new(bytes, end);
                shape.read(&mut from, &mut head)?;
                let here = (all.min(anchors), middles.min(anchors));
                (all, middles) = (all - here.0, middles - here.1);
                end = segments.push(&head, shape.rotations, from.bit(), here)?;
                if end > bytes.len() {
                    return Err(ClipError::Truncated);
                }
            }
        }
        if end == bytes.len() { Ok(segments) } else { Err(ClipError::Malformed("bytes after the keys")) }
    }

    /// Adds a segment with `keys` anchors and middles from the bit `start` on. Returns the byte after it.
    fn push(&mut self, head: &Head, rotations: usize, start: usize, keys: (usize, usize)) -> Result<usize, ClipError> {
        let (anchor_stride, middle_stride) = (head.anchor_stride as usize, head.middle_stride as usize);
        let too_long = ClipError::Truncated;
        let middles = keys.0.checked_mul(anchor_stride).and_then(|n| n.checked_add(start)).ok_or(too_long)?;
        let end = keys.1.checked_mul(middle_stride).and_then(|n| n.checked_add(middles)).ok_or(too_long)?;
        self.all.push(Segment { anchors: start, middles, anchor_stride, middle_stride });
        let (turning, others) = head.parts.split_at(rotations * 3);
        let (triples, _) = turning.as_chunks::<3>();
        let (finer, others_finer) = head.finer.split_at(rotations);
        self.quads.extend(triples.chunks(LANES).zip(finer.chunks(LANES)).map(|(t, f)| Quad::new(t, f)));
        self.fours
            .extend(others.chunks(LANES).zip(others_finer.chunks(LANES)).map(|(few, finer)| Four::new(few, finer)));
        Ok(end.div_ceil(8))
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// The keys around a place, in a clip with `keys` keys.
    #[inline(always)]
    pub(super) fn keys<'a>(&'a self, bytes: &'a [u8], place: KeySpan, keys: usize) -> Option<VariableKeys<'a>> {
        let (spot, count) = (Spot::new(place, keys), self.all.len());
        let (here, next) = (spot.anchor / self.anchors, (spot.anchor + 1) / self.anchors);
        let (before, after) = (self.all.get(here)?, self.all.get(next)?);
        let (at, beyond) = (spot.anchor % self.anchors, (spot.anchor + 1) % self.anchors);
        let (quads, fours) = (self.quads.len() / count, self.fours.len() / count);
        Some(VariableKeys {
            bytes,
            before: (&self.quads[here * quads..][..quads], &self.fours[here * fours..][..fours]),
            after: (&self.quads[next * quads..][..quads], &self.fours[next * fours..][..fours]),
            anchor: before.anchors + at * before.anchor_stride,
            middle: before.middles + at * before.middle_stride,
            next: after.anchors + beyond * after.anchor_stride,
            span: spot.span,
        })
    }
}

impl Quad {
    fn new(parts: &[[Part; 3]], finer: &[u8]) -> Self {
        let mut quad = Self::default();
        for (i, (p, finer)) in parts.iter().zip(finer).enumerate() {
            quad.anchors[i] = Triple::new(p[0].anchor_at, p.map(|p| p.anchor));
            quad.middles[i] = Triple::new(p[0].middle_at, p.map(|p| p.middle));
            (0..3).for_each(|c| quad.least[c][i] = p[c].min);
            quad.finer.0[i] = FINER[usize::from(finer % 8)];
        }
        quad
    }

    /// The codes of the anchor that starts at the bit `start`.
    #[inline(always)]
    fn anchor(&self, bytes: &[u8], start: usize) -> Ints {
        four(&self.anchors, |t| t.codes(bytes, start))
    }

    /// The differences of the middle that starts at the bit `start`.
    #[inline(always)]
    fn middle(&self, bytes: &[u8], start: usize) -> Ints {
        four(&self.middles, |t| {
            let (codes, halves) = (t.codes(bytes, start), t.halves());
            [codes[0] - halves[0], codes[1] - halves[1], codes[2] - halves[2]]
        })
    }
}

impl Four {
    fn new(parts: &[Part], finer: &[u8]) -> Self {
        let mut four = Self::default();
        four.parts[..parts.len()].copy_from_slice(parts);
        four.finer.0.iter_mut().zip(finer).for_each(|(lane, finer)| *lane = FINER[usize::from(finer % 8)]);
        four
    }
}

/// The codes of four rotations, by component. Written out, because `map` over arrays would not be inlined
/// here.
#[inline(always)]
fn four([a, b, c, d]: &[Triple; LANES], codes: impl Fn(&Triple) -> [i32; 3]) -> Ints {
    let (a, b, c, d) = (codes(a), codes(b), codes(c), codes(d));
    [[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]]]
}

/// The two of a pair's three keys (anchor, middle, next anchor) around a place.
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

/// The anchors and the middle that a place needs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    /// The anchor before the place. The one after it is the next anchor. The middle has the same index.
    anchor: usize,
    span: Span,
}

impl Spot {
    #[inline(always)]
    fn new(place: KeySpan, keys: usize) -> Self {
        let span = match place.key % 2 {
            1 => Span::MiddleToAnchor,
            _ if place.key + 2 == keys => Span::AnchorToAnchor,
            _ => Span::AnchorToMiddle,
        };
        Self { anchor: place.key / 2, span }
    }
}

/// The three keys of a pair: the bits at which they start, the segment of the anchor before (and of the
/// middle), and the segment of the anchor after.
pub(super) struct VariableKeys<'a> {
    bytes: &'a [u8],
    before: (&'a [Quad], &'a [Four]),
    after: (&'a [Quad], &'a [Four]),
    anchor: usize,
    middle: usize,
    next: usize,
    span: Span,
}

impl Neighbours for VariableKeys<'_> {
    #[inline(always)]
    fn group(&self, index: usize, group: &Group, out: &mut Pair) {
        let (before, after) = (&self.before.0[index], &self.after.0[index]);
        let (a, b) = (before.anchor(self.bytes, self.anchor), after.anchor(self.bytes, self.next));
        let m = self.middles(before);
        values(self.span, (&a, &m, &b), (before, after), group, out);
    }

    #[inline(always)]
    fn numbers(&self, index: usize, numbers: &Numbers) -> (Lanes, Lanes) {
        let [a, m, b] = self.three_numbers(index, numbers);
        self.span.pick(a, m, b)
    }
}

impl VariableKeys<'_> {
    /// Decodes group `index` at all three keys, as two spans.
    #[inline(always)]
    pub(super) fn three(&self, index: usize, group: &Group, out: &mut Three) {
        let (before, after) = (&self.before.0[index], &self.after.0[index]);
        let (a, b) = (before.anchor(self.bytes, self.anchor), after.anchor(self.bytes, self.next));
        let (m, mut pair) = (self.middles(before), Pair::default());
        values(Span::AnchorToMiddle, (&a, &m, &b), (before, after), group, &mut pair);
        (out[0], out[1]) = (pair.lo, pair.hi);
        values(Span::AnchorToAnchor, (&a, &m, &b), (before, after), group, &mut pair);
        out[2] = pair.hi;
    }

    /// The differences of a group at the middle, if there is one.
    #[inline(always)]
    fn middles(&self, before: &Quad) -> Ints {
        match self.span {
            Span::AnchorToAnchor => [[0; LANES]; 3],
            _ => before.middle(self.bytes, self.middle),
        }
    }

    /// The components from `4 * index` on, of those that are not part of a rotation, at all three keys.
    #[inline(always)]
    pub(super) fn three_numbers(&self, index: usize, numbers: &Numbers) -> [Lanes; 3] {
        let (before, after) = (&self.before.1[index], &self.after.1[index]);
        let anchor = |start: usize, four: &Four| {
            let codes =
                each(&four.parts, |p| p.min.wrapping_add(code(self.bytes, start + p.anchor_at as usize, p.anchor)));
            numbers.origin + codes * (numbers.step * four.finer)
        };
        let (a, b) = (anchor(self.anchor, before), anchor(self.next, after));
        let middle = each(&before.parts, |p| {
            code(self.bytes, self.middle + p.middle_at as usize, p.middle) - HALVES[usize::from(p.middle)] as i32
        });
        [a, 0.5 * (a + b) + middle * (numbers.step * before.finer), b]
    }
}

#[inline(always)]
fn code(bytes: &[u8], at: usize, width: u8) -> i32 {
    (peek(bytes, at) as u32 & MASKS[usize::from(width)]) as i32
}

#[inline(always)]
fn each([a, b, c, d]: &[Part; LANES], code: impl Fn(&Part) -> i32) -> Lanes {
    Lanes::from_ints([code(a), code(b), code(c), code(d)])
}

type Ints = [[i32; LANES]; 3];

/// Decodes the codes of the anchor before, of the middle and of the anchor after to the parameters at the two
/// keys around the place.
#[inline(never)]
fn values(
    span: Span,
    (a, m, b): (&Ints, &Ints, &Ints),
    (before, after): (&Quad, &Quad),
    group: &Group,
    out: &mut Pair,
) {
    for c in 0..3 {
        let (sa, sb) = (group.step[c] * before.finer, group.step[c] * after.finer);
        let a = Lanes::from_ints(sum(&a[c], &before.least[c])) * sa;
        let b = Lanes::from_ints(sum(&b[c], &after.least[c])) * sb;
        let middle = 0.5 * (a + b) + Lanes::from_ints(m[c]) * sa;
        (out.lo[c], out.hi[c]) = span.pick(a, middle, b);
    }
}

#[inline(always)]
fn sum(a: &[i32; LANES], b: &[i32; LANES]) -> [i32; LANES] {
    core::array::from_fn(|i| a[i].wrapping_add(b[i]))
}
