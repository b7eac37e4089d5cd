//! Codes on grids: how aims become integers, for either encoding.

use super::aim::Aim;
use super::frame::{Frame, axes, folded, mean};
use super::room::Room;
use crate::clip::coding::{RotationCode, ScalarCode, rotation_step, scalar_step};
use crate::clip::head::{FINER, is_middle, signed_bits};
use crate::quat::{self, Quat};
use crate::vector::{AXES, Matrix, form};
use alloc::{vec, vec::Vec};

/// The codes of all keyed tracks, by planned track.
pub(super) struct Codes {
    pub(super) rotations: Vec<Option<RotationCodes>>,
    pub(super) numbers: Vec<Vec<NumberCodes>>,
}

/// A rotation track in codes.
#[derive(Clone, Debug)]
pub(super) struct RotationCodes {
    pub(super) code: RotationCode,
    /// By segment: by how many quarters of an octave its steps are finer than the track's.
    pub(super) finer: Vec<u8>,
    /// One code for each key: of an anchor, or of a middle's difference.
    pub(super) keys: Vec<[i32; 3]>,
    pub(super) decoded: Vec<Quat>,
}

/// One component of a track that is no rotation.
#[derive(Clone, Debug)]
pub(super) struct NumberCodes {
    pub(super) code: ScalarCode,
    pub(super) keys: Vec<i32>,
    pub(super) decoded: Vec<f64>,
}

/// The grids that codes may be on.
pub(super) struct Grid {
    pub(super) steps: Steps,
    /// The part of the bound by which the origin of a joint may be off that its parent carries.
    pub(super) passed_on: f64,
    /// How much of the bound each joint may use at each key.
    pub(super) room: Room,
}

#[derive(Clone, Copy)]
pub(super) enum Steps {
    /// So many bits over the whole range.
    Fixed { bits: u32 },
    /// Chosen against the bound, in segments of so many anchors.
    Variable { anchors: usize },
}

/// Bits that hold any anchor of a component with these codes.
fn min_bits(codes: impl ExactSizeIterator<Item = i32>) -> u8 {
    let keys = codes.len();
    signed_bits(codes.enumerate().filter(|(k, _)| !is_middle(*k, keys)).map(|(_, code)| code)) as u8
}

/// The anchors and the middles of each segment of so many anchors.
pub(super) fn segments(keys: usize, anchors: usize) -> Vec<[Vec<usize>; 2]> {
    let (middles, all): (Vec<usize>, Vec<usize>) = (0..keys).partition(|k| is_middle(*k, keys));
    let mut middles = middles.chunks(anchors).map(<[usize]>::to_vec);
    all.chunks(anchors).map(|all| [all.to_vec(), middles.next().unwrap_or_default()]).collect()
}

/// The most quarters of an octave by which a segment's steps are finer than the track's.
const FINEST: usize = FINER.len() - 1;
/// How many quarters of an octave the search goes down at most, and the byte of the finest step: codes of the longest
/// parameters still have 24 bits there.
const LADDER: usize = 60;
const FINEST_BYTE: u8 = 168;
/// Where the parents left a miss that this joint cannot turn away, it may make it so much larger.
const HOPELESS: f64 = 1.1;

/// The least and the largest.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

impl Grid {
    /// Rows of so many components with this `step`, or with as many bits as there are.
    pub(super) fn numbers(&self, width: usize, rows: &[f64], step: f64) -> Vec<NumberCodes> {
        (0..width).map(|c| self.number(rows.iter().copied().skip(c).step_by(width).collect(), step)).collect()
    }

    fn number(&self, values: Vec<f64>, step: f64) -> NumberCodes {
        let (low, high) = range(values.iter().copied());
        match self.steps {
            Steps::Fixed { bits } => {
                let last = f64::from((1u32 << bits) - 1);
                let (origin, step) = (low as f32, ((high - low) / last) as f32);
                let code = |v: &f64| libm::round((v - f64::from(origin)) / f64::from(step)).clamp(0.0, last) as i32;
                let keys: Vec<i32> = values.iter().map(code).collect();
                let decoded = keys.iter().map(|c| f64::from(origin + *c as f32 * step)).collect();
                NumberCodes { code: ScalarCode::Fixed { origin, step }, keys, decoded }
            }
            Steps::Variable { .. } => {
                // Codes have 24 bits, and floats no more; a difference may be as large as the range, with a sign.
                let finest = ((high - low) / f64::from(1 << 22)).max(f64::from(f32::MIN_POSITIVE));
                let byte = libm::ceil((24.0 - libm::log2(step.max(finest))) * 4.0).clamp(0.0, 255.0) as u8;
                number_variable((low + (high - low) / 2.0) as f32, byte, &values)
            }
        }
    }

    /// A rotation, of `node` where it moves points.
    pub(super) fn rotation(&self, node: Option<usize>, aims: Vec<Aim>) -> RotationCodes {
        // Each aim is a small turn away from the reference, and no more on the other side of the sphere than that.
        let rotations: Vec<Quat> = aims.iter().map(|a| a.rotation).collect();
        let (n, metric, mean) = (aims.len(), mean_metric(&aims), mean(&rotations));
        let is_fixed = matches!(self.steps, Steps::Fixed { .. });
        let frame = Frame::new(mean, &if is_fixed { AXES } else { axes(&rotations, mean, &metric) });
        let inner: Vec<Quat> = rotations.iter().map(|q| frame.inner(*q)).collect();
        let aims: Vec<Aim> = aims.into_iter().zip(folded(&inner)).map(|(aim, m)| aim.within(&frame, m)).collect();
        let anchors = match self.steps {
            Steps::Fixed { bits } => return rotation_fixed(&frame, &aims, bits),
            Steps::Variable { anchors } => anchors,
        };
        let room = |k: usize| node.map_or(1.0, |n| self.room.of(n)[k]);
        let allowed = aims.iter().enumerate().map(|(k, aim)| room(k).max(HOPELESS * aim.least())).collect();
        // A parameter is a quarter of the turn. At the coarsest, one step of each component misses by four times the bound.
        let coarsest = AXES.map(|axis| {
            let missed = libm::sqrt(form(&metric, &quat::rotate(quat::conjugate(frame.right.quat()), axis)));
            libm::round(8.0 * libm::log2(missed.max(1e-9))).clamp(0.0, FINEST_BYTE.into()) as u8
        });
        let (segments, keys, m) = (segments(n, anchors), vec![[0; 3]; n], vec![[0.0; 3]; n]);
        Trial { aims: &aims, allowed, coarsest, segments, keys, m }.coded(&frame)
    }
}

/// The mean metric of a few dozen aims spread over the keys.
fn mean_metric(aims: &[Aim]) -> Matrix {
    let every = aims.len().div_ceil(32).max(1);
    let some: Vec<Matrix> = aims.iter().step_by(every).map(Aim::metric).collect();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| some.iter().map(|m| m[i][j]).sum::<f64>() / some.len() as f64))
}

fn number_variable(origin: f32, byte: u8, values: &[f64]) -> NumberCodes {
    let (step, n) = (scalar_step(byte) as f32, values.len());
    let (mut keys, mut decoded) = (vec![0; n], vec![0.0; n]);
    for k in segments(n, n).concat().concat() {
        let halfway = is_middle(k, n).then(|| (decoded[k - 1] + decoded[k + 1]) / 2.0);
        let code = libm::round((values[k] - halfway.unwrap_or(origin.into())) / f64::from(step)) as i32;
        let off = code as f32 * step;
        decoded[k] = halfway.map_or(f64::from(origin + off), |halfway| halfway + f64::from(off));
        keys[k] = code;
    }
    let min_bits = min_bits(keys.iter().copied());
    NumberCodes { code: ScalarCode::Variable { origin, step: byte, min_bits }, keys, decoded }
}

fn rotation_fixed(frame: &Frame, aims: &[Aim], bits: u32) -> RotationCodes {
    let last = f64::from((1u32 << bits) - 1);
    let ranges = [0, 1, 2].map(|c| range(aims.iter().map(|aim| aim.m[c])));
    let origin = ranges.map(|(low, _)| low as f32);
    let step = [0, 1, 2].map(|c| ((ranges[c].1 - f64::from(origin[c])) / last).max(1e-12) as f32);
    let (wide, steps) = (origin.map(f64::from), step.map(f64::from));
    let keys: Vec<[i32; 3]> = aims.iter().map(|aim| aim.nearest(wide, steps, [(0.0, last); 3]).0).collect();
    let decoded = |key: &[i32; 3]| frame.outer([0, 1, 2].map(|c| wide[c] + f64::from(key[c]) * steps[c]));
    let code = RotationCode::Fixed { left: frame.left, origin, step };
    RotationCodes { code, finer: Vec::new(), decoded: keys.iter().map(decoded).collect(), keys }
}

/// Codes of any size.
const ANY: [(f64, f64); 3] = [(f64::NEG_INFINITY, f64::INFINITY); 3];

/// A rotation in the making: its parameters as far as they are coded.
struct Trial<'a> {
    aims: &'a [Aim],
    /// For each key how large a miss may be: its room, or a little more than the aim misses by itself.
    allowed: Vec<f64>,
    /// Bytes of the coarsest steps.
    coarsest: [u8; 3],
    /// The anchors and the middles of each segment.
    segments: Vec<[Vec<usize>; 2]>,
    keys: Vec<[i32; 3]>,
    m: Vec<[f64; 3]>,
}

impl Trial<'_> {
    /// Codes on the coarsest steps that keep within the room.
    fn coded(mut self, frame: &Frame) -> RotationCodes {
        let mut levels = vec![0; self.segments.len()];
        let mut start = 6;
        // Backwards: the last middle of a segment leans on the first anchor of the next.
        for s in (0..levels.len()).rev() {
            levels[s] = self.search(s, start);
            start = levels[s];
        }
        // A segment's steps are the track's or up to seven quarters of an octave finer.
        let finest = levels.iter().copied().max().unwrap_or(0);
        let base = levels.iter().copied().min().unwrap_or(0).max(finest.saturating_sub(FINEST));
        levels.iter_mut().for_each(|level| *level = (*level).max(base));
        for s in (0..levels.len()).rev() {
            self.code(s, base, levels[s], f64::INFINITY);
            self.narrow(s, self.step(base, levels[s]));
        }
        let (left, right, step) = (frame.left, frame.right, self.bytes(base));
        let min_bits = [0, 1, 2].map(|c| min_bits(self.keys.iter().map(|key| key[c])));
        RotationCodes {
            code: RotationCode::Variable { left, right, step, min_bits },
            finer: levels.iter().map(|level| (level - base) as u8).collect(),
            decoded: self.m.iter().map(|m| frame.outer(*m)).collect(),
            keys: self.keys,
        }
    }

    fn bytes(&self, base: usize) -> [u8; 3] {
        self.coarsest.map(|b| b.saturating_add(2 * base as u8).min(FINEST_BYTE))
    }

    /// The coarsest level, near `start`, at which a segment keeps within its room.
    fn search(&mut self, segment: usize, start: usize) -> usize {
        let mut level = start;
        while level < LADDER && !self.code(segment, level, level, 1.0) {
            level += 1;
        }
        if level == start {
            while level > 0 && self.code(segment, level - 1, level - 1, 1.0) {
                level -= 1;
            }
            self.code(segment, level, level, f64::INFINITY);
        }
        level
    }

    /// Codes a segment with steps of `base` refined to `level`, up to the first miss that is over `most` of its room; whether there is none.
    fn code(&mut self, segment: usize, base: usize, level: usize, most: f64) -> bool {
        let step = self.step(base, level);
        for k in self.segments[segment].concat() {
            let (code, miss) = self.aims[k].nearest(self.origin(k), step, ANY);
            self.put(k, code, step);
            if miss > most * self.allowed[k] {
                return false;
            }
        }
        true
    }

    fn put(&mut self, k: usize, code: [i32; 3], step: [f64; 3]) {
        let origin = self.origin(k);
        self.m[k] = [0, 1, 2].map(|c| origin[c] + f64::from(code[c]) * step[c]);
        self.keys[k] = code;
    }

    /// Takes bits from the middles of a segment, a component at a time, as long as all keep within their room: a few codes at the edge would cost the others as much.
    fn narrow(&mut self, segment: usize, step: [f64; 3]) {
        let middles = self.segments[segment][1].clone();
        for c in 0..3 {
            while let Some(codes) = self.narrower(&middles, c, step) {
                middles.iter().zip(codes).for_each(|(k, code)| self.put(*k, code, step));
            }
        }
    }

    /// Codes of middles of which component `c` takes a bit less; nothing where a miss would be too large, or there is no bit.
    fn narrower(&self, middles: &[usize], c: usize, step: [f64; 3]) -> Option<Vec<[i32; 3]>> {
        let mut bits = [0, 1, 2].map(|c| signed_bits(middles.iter().map(|k| self.keys[*k][c])));
        bits[c] = bits[c].checked_sub(1)?;
        let range = bits.map(|bits| {
            let half = f64::from((1 << bits) >> 1);
            (-half, (half - 1.0).max(0.0))
        });
        let within = |k: &usize| {
            if (range[c].0..=range[c].1).contains(&f64::from(self.keys[*k][c])) {
                return Some(self.keys[*k]);
            }
            let (codes, miss) = self.aims[*k].nearest(self.origin(*k), step, range);
            (miss <= self.allowed[*k]).then_some(codes)
        };
        middles.iter().map(within).collect()
    }

    /// The steps of a segment.
    fn step(&self, base: usize, level: usize) -> [f64; 3] {
        let finer = FINER[(level - base).min(FINEST)];
        self.bytes(base).map(|b| f64::from(rotation_step(b) as f32 * finer))
    }

    /// What a key's code counts from: halfway between the anchors around a middle.
    fn origin(&self, k: usize) -> [f64; 3] {
        match is_middle(k, self.aims.len()) {
            true => [0, 1, 2].map(|c| (self.m[k - 1][c] + self.m[k + 1][c]) / 2.0),
            false => [0.0; 3],
        }
    }
}
