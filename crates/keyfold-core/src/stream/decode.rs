//! Reading a stream: its head at once, its segments when asked for.

use super::{
    error::StreamError,
    head::{self, Clock, Coding, Head, Layout},
    limits::Limits,
    number::Numbers,
    range_coder::{Coder, Decoder},
    rotation::Rotations,
    series,
};
use alloc::{vec, vec::Vec};

/// The first byte of a stream: its version.
pub(super) const VERSION: u8 = 0xA2;
/// What stands at the end of every block, in eight bits.
pub(super) const END: u32 = 0x5A;

/// How many numbers of keys, and how many arrays, any stream may have, and how many more for each of its bytes.
const LISTED: usize = 64;
const LISTED_PER_BYTE: usize = 8;
/// How many turns, an array in a segment each, any stream may take, and how many more for each of its bytes: arrays
/// without keys in a segment cost no bytes there.
const TURNS: usize = 1 << 20;
const TURNS_PER_BYTE: usize = 1024;

/// A stream whose head was read.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    head: Head,
    /// By array, where it begins in the decoded bytes.
    offsets: Vec<usize>,
    length: usize,
    blocks: Vec<&'a [u8]>,
    segments: usize,
    /// The first block's coder behind the head.
    start: Decoder<'a>,
}

impl<'a> Stream<'a> {
    /// Reads the head of a stream. A stream that was cut off is refused, unless `limits` let it be.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, StreamError> {
        let (blocks, segments) = blocks(bytes, limits)?;
        let mut start = Decoder::new(blocks.first().ok_or(StreamError::Truncated)?);
        let head = head::code(&mut start, Head::default(), segments, LISTED + LISTED_PER_BYTE * bytes.len())?;
        if start.overran() {
            return Err(StreamError::Truncated);
        }
        if head.arrays.len().saturating_mul(segments) > TURNS + TURNS_PER_BYTE * bytes.len() {
            return Err(StreamError::Limit);
        }
        let (offsets, length) = offsets(&head, bytes.len(), limits)?;
        Ok(Self { head, offsets, length, blocks, segments, start })
    }

    /// The clocks.
    pub fn clocks(&self) -> &[Clock] {
        &self.head.clocks
    }

    /// The arrays, in the order in which their bytes lie behind each other.
    pub fn arrays(&self) -> &[Layout] {
        &self.head.arrays
    }

    /// Where an array begins in the decoded bytes.
    pub fn offset(&self, array: usize) -> Option<usize> {
        self.offsets.get(array).copied()
    }

    /// How many bytes the stream stands for.
    pub fn byte_length(&self) -> usize {
        self.length
    }

    /// How many segments it has.
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// How many segments are there to be decoded: all of them, but for a stream that was cut off.
    pub fn whole_segments(&self) -> usize {
        self.blocks.len()
    }

    /// All bytes, or zeros where segments were cut off.
    pub fn decode(&self) -> Result<Vec<u8>, StreamError> {
        let mut out = vec![0; self.length];
        let mut before = vec![0; self.head.clocks.len()];
        for segment in 0..self.blocks.len() {
            self.decode_behind(segment, &before, &mut out)?;
            for (before, clock) in before.iter_mut().zip(&self.head.clocks) {
                *before += u64::from(clock.keys[segment]);
            }
        }
        Ok(out)
    }

    /// Decodes one segment into its places among all bytes.
    pub fn decode_segment(&self, segment: usize, out: &mut [u8]) -> Result<(), StreamError> {
        if out.len() != self.length {
            return Err(StreamError::Unfit);
        }
        let keys = |clock: &Clock| clock.keys.iter().take(segment).map(|k| u64::from(*k)).sum();
        self.decode_behind(segment, &self.head.clocks.iter().map(keys).collect::<Vec<u64>>(), out)
    }

    /// Decodes a segment that stands behind so many keys of each clock.
    fn decode_behind(&self, segment: usize, before: &[u64], out: &mut [u8]) -> Result<(), StreamError> {
        let block = *self.blocks.get(segment).ok_or(StreamError::NoSuchSegment)?;
        let mut decoder = if segment == 0 { self.start.clone() } else { Decoder::new(block) };
        let (mut numbers, mut codes) = (Numbers::start(), Vec::new());
        for (array, offset) in self.head.arrays.iter().zip(&self.offsets) {
            let Some(clock) = self.head.clocks.get(array.clock as usize) else { return Err(StreamError::Head) };
            let keys = clock.keys.get(segment).map_or(0, |k| *k as usize);
            if keys == 0 {
                continue;
            }
            let before = before[array.clock as usize];
            let width = array.width as usize;
            let stride = width * array.coding.component_bytes();
            let (from, length) = (offset + before as usize * stride, keys * stride);
            let Some(target) = out.get_mut(from..from + length) else { return Err(StreamError::Head) };
            let coded = array.coding.codes(width);
            codes.clear();
            codes.resize(keys * coded, 0);
            series::code(&mut decoder, &mut numbers, array.predictor, coded, &mut codes);
            if decoder.overran() {
                return Err(StreamError::Truncated);
            }
            restore(array.coding, &codes, target);
        }
        if decoder.raw(8, 0) != END {
            return Err(StreamError::Broken);
        }
        Ok(())
    }
}

/// A stream's blocks, as far as they are there.
fn blocks<'a>(bytes: &'a [u8], limits: &Limits) -> Result<(Vec<&'a [u8]>, usize), StreamError> {
    let (version, mut rest) = bytes.split_first().ok_or(StreamError::Truncated)?;
    if *version != VERSION {
        return Err(StreamError::Version);
    }
    let segments = leb128(&mut rest)? as usize;
    if segments == 0 {
        return Err(StreamError::Head);
    }
    // Each has a length of a byte at least.
    if segments > rest.len() {
        return Err(StreamError::Truncated);
    }
    let lengths = (0..segments).map(|_| leb128(&mut rest)).collect::<Result<Vec<u32>, _>>()?;
    let mut blocks = Vec::with_capacity(segments);
    for length in lengths {
        match rest.split_at_checked(length as usize) {
            Some((block, behind)) => {
                blocks.push(block);
                rest = behind;
            }
            None if limits.truncated => break,
            None => return Err(StreamError::Truncated),
        }
    }
    Ok((blocks, segments))
}

/// An unsigned LEB128 of at most 32 bits.
fn leb128(bytes: &mut &[u8]) -> Result<u32, StreamError> {
    let mut value = 0u64;
    for group in 0..5 {
        let (byte, rest) = bytes.split_first().ok_or(StreamError::Truncated)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << (7 * group);
        if byte & 0x80 == 0 {
            return u32::try_from(value).map_err(|_| StreamError::Head);
        }
    }
    Err(StreamError::Head)
}

/// What an array of so many bytes begins at a multiple of. Places of accessors are much of a short clip's JSON: round
/// numbers have fewer digits that differ.
pub(super) fn alignment(length: u64) -> u64 {
    if length < 100 { 4 } else { 100 }
}

/// Where each array begins, and where the last one ends.
fn offsets(head: &Head, bytes: usize, limits: &Limits) -> Result<(Vec<usize>, usize), StreamError> {
    let (mut offsets, mut end, mut values) = (Vec::with_capacity(head.arrays.len()), 0u64, 0u64);
    for array in &head.arrays {
        let keys = head.clocks.get(array.clock as usize).map_or(0, Clock::total);
        let count = keys.saturating_mul(array.width.into());
        values = values.saturating_add(count);
        let length = count.saturating_mul(array.coding.component_bytes() as u64);
        let begin = end.div_ceil(alignment(length)).saturating_mul(alignment(length));
        offsets.push(usize::try_from(begin).map_err(|_| StreamError::Limit)?);
        end = begin.saturating_add(length).saturating_add(3) & !3;
        if values > limits.values_for(bytes) || end > limits.memory {
            return Err(StreamError::Limit);
        }
    }
    Ok((offsets, usize::try_from(end).map_err(|_| StreamError::Limit)?))
}

/// Codes to the bytes that they stand for.
fn restore(coding: Coding, codes: &[i32], out: &mut [u8]) {
    match coding {
        Coding::Rotations(grid) => {
            let rotations = Rotations::new(&grid);
            for (codes, out) in codes.as_chunks::<3>().0.iter().zip(out.as_chunks_mut::<16>().0) {
                let q = rotations.decode(*codes);
                out.as_chunks_mut().0.iter_mut().zip(q).for_each(|(out, c)| *out = c.to_le_bytes());
            }
        }
        Coding::Steps { multiplier, divisor, exponent } => {
            let steps = Steps::new(multiplier, divisor, exponent);
            floats(codes, out, |code| steps.value(code));
        }
        Coding::Floats => floats(codes, out, float),
        Coding::Integers { bytes } => {
            let size = usize::from(bytes);
            out.chunks_exact_mut(size)
                .zip(codes)
                .for_each(|(out, code)| out.copy_from_slice(&code.to_le_bytes()[..size]));
        }
    }
}

fn floats(codes: &[i32], out: &mut [u8], value: impl Fn(i32) -> f32) {
    out.as_chunks_mut().0.iter_mut().zip(codes).for_each(|(out, code)| *out = value(*code).to_le_bytes());
}

/// Floats of equal steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    multiplier: i64,
    divisor: f64,
    power: f64,
}

impl Steps {
    pub(super) fn new(multiplier: u32, divisor: u32, exponent: i32) -> Self {
        let power = f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52);
        Self { multiplier: multiplier.into(), divisor: divisor.into(), power }
    }

    /// About what one step is.
    pub(super) fn step(&self) -> f64 {
        self.multiplier as f64 / self.divisor * self.power
    }

    /// What a code stands for: each operation rounds once, to the nearest, ties to even.
    #[inline]
    pub(super) fn value(&self, code: i32) -> f32 {
        ((i64::from(code) * self.multiplier) as f64 / self.divisor * self.power) as f32
    }
}

/// The float that is so many away from zero.
#[inline]
pub(super) fn float(code: i32) -> f32 {
    f32::from_bits(if code < 0 { !code as u32 | 1 << 31 } else { code as u32 })
}

/// How many floats a float is away from zero.
pub(super) fn float_code(value: f32) -> i32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !(bits & !(1 << 31)) as i32 } else { bits as i32 }
}
