//! Codes on grids: how aims become integers, for either encoding.

use super::aim::AimedAt;
use super::frame::Frame;
use super::plan::Plan;
use super::room::Room;
use crate::clip::coding::{ScalarCode, rotation_step, scalar_step};
use crate::clip::head::{FINER, signed_bits};
use crate::quat::Quat;
use alloc::{vec, vec::Vec};

/// The codes of all keyed tracks, by planned track.
pub(super) struct Codes {
    pub(super) rotations: Vec<Option<RotationCodes>>,
    pub(super) numbers: Vec<Vec<NumberCodes>>,
}

impl Codes {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { rotations: vec![None; plan.tracks.len()], numbers: vec![Vec::new(); plan.tracks.len()] }
    }
}

/// A rotation track in codes.
#[derive(Clone, Debug)]
pub(super) struct RotationCodes {
    pub(super) frame: Frame,
    pub(super) steps: Steps,
    /// One code for each key: of an anchor, or of a middle's difference.
    pub(super) keys: Vec<[i32; 3]>,
    pub(super) decoded: Vec<Quat>,
}

/// The grid of a rotation track.
#[derive(Clone, Debug)]
pub(super) enum Steps {
    Fixed { origin: [f32; 3], step: [f32; 3] },
    Variable { step: [u8; 3], finer: Vec<u8> },
}

/// One component of a track that is no rotation.
#[derive(Clone, Debug)]
pub(super) struct NumberCodes {
    pub(super) code: ScalarCode,
    pub(super) keys: Vec<i32>,
    pub(super) decoded: Vec<f64>,
}

/// The grids that codes may be on.
#[derive(Clone, Copy)]
pub(super) enum Grid<'a> {
    /// So many bits over the whole range.
    Fixed { bits: u32 },
    /// Steps chosen against the bound, segment by segment.
    Variable {
        /// Anchors in a segment.
        anchors: usize,
        /// The part of the bound by which the origin of a joint may be off that its parent carries.
        passed_on: f64,
        /// How much of the bound each joint may use at each key.
        room: &'a Room,
    },
}

/// A key of the `variable` encoding: which anchor or middle it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    Anchor(usize),
    Middle(usize),
}

/// What key `k` of `keys` is: every other one is an anchor, and so is the last.
pub(super) fn slot(k: usize, keys: usize) -> Slot {
    if k.is_multiple_of(2) || k + 1 == keys { Slot::Anchor(k.div_ceil(2)) } else { Slot::Middle(k / 2) }
}

/// The most quarters of an octave by which a segment's steps are finer than the track's.
const FINEST: usize = FINER.len() - 1;
/// How many quarters of an octave the search goes down at most, and the byte of the finest step: codes of the longest
/// parameters still have 24 bits there.
const LADDER: usize = 60;
const FINEST_BYTE: u8 = 168;
/// By how many eighths of an octave single components are made coarser at most.
const COARSER: usize = 4;
/// In tracks of so many segments: among more, one has hardly ever room to spare in all of them.
const SHORT: usize = 16;
/// Where the parents left a miss that this joint cannot turn away, it may make it so much larger.
const HOPELESS: f64 = 1.1;

impl Grid<'_> {
    /// The part of the bound by which the origin of a joint may be off that its parent carries.
    pub(super) fn passed_on(&self) -> f64 {
        match self {
            Self::Fixed { .. } => 0.5,
            Self::Variable { passed_on, .. } => *passed_on,
        }
    }

    /// How much finer a joint's numbers are than they might be: as its least room, but not much, because all of its keys pay for it.
    pub(super) fn finer(&self, node: usize) -> f64 {
        match self {
            Self::Fixed { .. } => 1.0,
            Self::Variable { room, .. } => room.of(node).iter().copied().fold(1.0, f64::min).max(0.5),
        }
    }

    /// Whether a joint may use less than in the try before.
    pub(super) fn changed(&self, node: usize) -> bool {
        matches!(self, Self::Variable { room, .. } if room.changed[node])
    }

    /// A component with this `step`, or with as many bits as there are.
    pub(super) fn number(&self, values: impl Iterator<Item = f64>, step: f64) -> NumberCodes {
        let values: Vec<f64> = values.collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match *self {
            Self::Fixed { bits } => {
                let last = f64::from((1u32 << bits) - 1);
                let (origin, step) = (low as f32, ((high - low) / last) as f32);
                let code = |v: &f64| {
                    let code = libm::round((v - f64::from(origin)) / f64::from(step));
                    if code.is_finite() { code.clamp(0.0, last) as i32 } else { 0 }
                };
                let keys: Vec<i32> = values.iter().map(code).collect();
                let decoded = keys.iter().map(|c| f64::from(origin + *c as f32 * step)).collect();
                NumberCodes { code: ScalarCode::Fixed { origin, step }, keys, decoded }
            }
            Self::Variable { .. } => {
                // Codes have 24 bits, and floats no more; a difference may be as large as the range, with a sign.
                let finest = ((high - low) / f64::from(1 << 22)).max(f64::from(f32::MIN_POSITIVE));
                let byte = libm::ceil((24.0 - libm::log2(step.max(finest))) * 4.0).clamp(0.0, 255.0) as u8;
                number_variable((low + (high - low) / 2.0) as f32, byte, &values)
            }
        }
    }

    /// A rotation, of `node` where it moves points, whose aims miss by `sensitivity` for a radian about each component's axis.
    pub(super) fn rotation(
        &self,
        node: Option<usize>,
        frame: Frame,
        targets: &[AimedAt],
        sensitivity: [f64; 3],
    ) -> RotationCodes {
        match *self {
            Self::Fixed { bits } => rotation_fixed(frame, targets, bits),
            Self::Variable { anchors, room, .. } => {
                let room = |k: usize| node.map_or(1.0, |n| room.of(n)[k]);
                let allowed = targets.iter().enumerate().map(|(k, t)| room(k).max(HOPELESS * t.least())).collect();
                rotation_variable(frame, targets, sensitivity, anchors, allowed)
            }
        }
    }
}

fn number_variable(origin: f32, byte: u8, values: &[f64]) -> NumberCodes {
    let step = scalar_step(byte) as f32;
    let n = values.len();
    let (mut keys, mut decoded) = (vec![0; n], vec![0.0; n]);
    let round = |v: f64, from: f64| libm::round((v - from) / f64::from(step)) as i32;
    for k in (0..n).filter(|k| matches!(slot(*k, n), Slot::Anchor(_))) {
        keys[k] = round(values[k], origin.into());
        decoded[k] = f64::from(origin + keys[k] as f32 * step);
    }
    for k in (0..n).filter(|k| matches!(slot(*k, n), Slot::Middle(_))) {
        let middle = (decoded[k - 1] + decoded[k + 1]) / 2.0;
        keys[k] = round(values[k], middle);
        decoded[k] = middle + f64::from(keys[k] as f32 * step);
    }
    NumberCodes { code: ScalarCode::Variable { origin, step: byte, min_bits: 0 }, keys, decoded }
}

fn rotation_fixed(frame: Frame, targets: &[AimedAt], bits: u32) -> RotationCodes {
    let last = f64::from((1u32 << bits) - 1);
    let low = [0, 1, 2].map(|c| targets.iter().map(|t| t.m[c]).fold(f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|c| targets.iter().map(|t| t.m[c]).fold(f64::NEG_INFINITY, f64::max));
    let origin = low.map(|v| v as f32);
    let step = [0, 1, 2].map(|c| ((high[c] - f64::from(origin[c])) / last).max(1e-12) as f32);
    let (wide, steps) = (origin.map(f64::from), step.map(f64::from));
    let keys: Vec<[i32; 3]> =
        targets.iter().map(|t| t.nearest(wide, steps).0.map(|c| c.clamp(0, last as i32))).collect();
    let decoded =
        keys.iter().map(|key| frame.outer([0, 1, 2].map(|c| wide[c] + f64::from(key[c]) * steps[c]))).collect();
    RotationCodes { frame, steps: Steps::Fixed { origin, step }, keys, decoded }
}

/// A rotation in the making: its parameters as far as they are coded.
struct Trial<'a> {
    targets: &'a [AimedAt],
    /// For each key how large a miss may be: its room, or a little more than the aim misses by itself.
    allowed: Vec<f64>,
    /// Bytes of the coarsest steps.
    coarsest: [u8; 3],
    anchors: usize,
    keys: Vec<[i32; 3]>,
    m: Vec<[f64; 3]>,
}

fn rotation_variable(
    frame: Frame,
    targets: &[AimedAt],
    sensitivity: [f64; 3],
    anchors: usize,
    allowed: Vec<f64>,
) -> RotationCodes {
    // A parameter is a quarter of the turn. At the coarsest, one step of each component misses by four times the bound.
    let coarsest = sensitivity.map(|s| libm::round(8.0 * libm::log2(s.max(1e-9))).clamp(0.0, FINEST_BYTE.into()) as u8);
    let n = targets.len();
    let mut trial = Trial { targets, allowed, coarsest, anchors, keys: vec![[0; 3]; n], m: vec![[0.0; 3]; n] };
    let segments = (n / 2 + 1).div_ceil(anchors);
    let mut levels = vec![0; segments];
    let mut start = 6;
    // Backwards: the last middle of a segment leans on the first anchor of the next.
    for s in (0..segments).rev() {
        levels[s] = trial.search(s, start);
        start = levels[s];
    }
    // A segment's steps are the track's or up to seven quarters of an octave finer.
    let finest = levels.iter().copied().max().unwrap_or(0);
    let base = levels.iter().copied().min().unwrap_or(0).max(finest.saturating_sub(FINEST));
    levels.iter_mut().for_each(|level| *level = (*level).max(base));
    if segments <= SHORT {
        trial.use_up(base, &levels);
    }
    for s in (0..segments).rev() {
        trial.code(s, base, levels[s]);
        trial.narrow(s, base, levels[s]);
    }
    let finer = levels.iter().map(|l| (l - base) as u8).collect();
    let decoded = trial.m.iter().map(|m| frame.outer(*m)).collect();
    RotationCodes { frame, steps: Steps::Variable { step: trial.bytes(base), finer }, keys: trial.keys, decoded }
}

impl Trial<'_> {
    fn bytes(&self, base: usize) -> [u8; 3] {
        self.coarsest.map(|b| b.saturating_add(2 * base as u8).min(FINEST_BYTE))
    }

    /// The coarsest level, near `start`, at which a segment keeps within its room.
    fn search(&mut self, segment: usize, start: usize) -> usize {
        let mut level = start;
        if self.code(segment, level, level) <= 1.0 {
            while level > 0 && self.code(segment, level - 1, level - 1) <= 1.0 {
                level -= 1;
            }
            self.code(segment, level, level);
            return level;
        }
        while level < LADDER && self.code(segment, level, level) > 1.0 {
            level += 1;
        }
        level
    }

    /// Makes the steps of single components coarser where all segments keep within their room: quarters of an octave for all of them leave some.
    fn use_up(&mut self, base: usize, levels: &[usize]) {
        for c in (0..3).cycle().take(3 * COARSER) {
            let finer = self.coarsest[c];
            self.coarsest[c] = finer.saturating_sub(1);
            if !(0..levels.len()).rev().all(|s| self.code(s, base, levels[s]) <= 1.0) {
                self.coarsest[c] = finer;
            }
        }
    }

    /// Codes a segment with steps of `base` refined to `level`; returns the largest miss over its room.
    fn code(&mut self, segment: usize, base: usize, level: usize) -> f64 {
        let (step, n) = (self.step(base, level), self.targets.len());
        let first = segment * self.anchors * 2;
        // An even number of keys ends with an anchor where a middle would be: it belongs to the segment of its number.
        let keys = (first.min(n)..(first + self.anchors * 2).min(n)).filter(|k| self.is_in(*k, segment));
        let extra = (n.is_multiple_of(2) && self.is_in(n - 1, segment)).then_some(n - 1);
        let all: Vec<usize> = keys.chain(extra.filter(|k| *k >= first + self.anchors * 2 || *k < first)).collect();
        let mut worst = 0.0f64;
        for pass in 0..2 {
            for &k in &all {
                let middle = matches!(slot(k, n), Slot::Middle(_));
                if middle == (pass == 1) {
                    let origin = if middle { self.halfway(k) } else { [0.0; 3] };
                    let (codes, miss) = self.targets[k].nearest(origin, step);
                    self.keys[k] = codes;
                    self.m[k] = [0, 1, 2].map(|c| origin[c] + f64::from(codes[c]) * step[c]);
                    worst = worst.max(miss / self.allowed[k]);
                }
            }
        }
        worst
    }

    /// Takes bits from the middles of a segment, a component at a time, as long as all keep within their room: a few codes at the edge would cost the others as much.
    fn narrow(&mut self, segment: usize, base: usize, level: usize) {
        let (step, n) = (self.step(base, level), self.targets.len());
        let (first, end) = (segment * self.anchors * 2, (segment + 1) * self.anchors * 2);
        let middles: Vec<usize> = (first..end.min(n)).filter(|k| matches!(slot(*k, n), Slot::Middle(_))).collect();
        for c in 0..3 {
            while let Some(codes) = self.narrower(&middles, c, step) {
                for (&k, code) in middles.iter().zip(codes) {
                    let origin = self.halfway(k);
                    self.m[k] = [0, 1, 2].map(|c| origin[c] + f64::from(code[c]) * step[c]);
                    self.keys[k] = code;
                }
            }
        }
    }

    /// Codes of middles of which component `c` takes a bit less; nothing where a miss would be too large, or there is no bit.
    fn narrower(&self, middles: &[usize], c: usize, step: [f64; 3]) -> Option<Vec<[i32; 3]>> {
        let mut bits = [0, 1, 2].map(|c| {
            let codes = || middles.iter().map(|k| self.keys[*k][c]).chain([0]);
            signed_bits(codes().min().unwrap_or(0), codes().max().unwrap_or(0))
        });
        bits[c] = bits[c].checked_sub(1)?;
        let range = bits.map(|bits| {
            let half = f64::from((1 << bits) >> 1);
            (-half, (half - 1.0).max(0.0))
        });
        let fits = |code: i32| (range[c].0..=range[c].1).contains(&f64::from(code));
        let within = |k: &usize| {
            if fits(self.keys[*k][c]) {
                return Some(self.keys[*k]);
            }
            let (codes, miss) = self.targets[*k].nearest_of(self.halfway(*k), step, range);
            (miss <= self.allowed[*k]).then_some(codes)
        };
        middles.iter().map(within).collect()
    }

    /// The steps of a segment.
    fn step(&self, base: usize, level: usize) -> [f64; 3] {
        let finer = FINER[(level - base).min(FINEST)];
        self.bytes(base).map(|b| f64::from(rotation_step(b) as f32 * finer))
    }

    /// Between the anchors around a middle.
    fn halfway(&self, k: usize) -> [f64; 3] {
        [0, 1, 2].map(|c| (self.m[k - 1][c] + self.m[k + 1][c]) / 2.0)
    }

    fn is_in(&self, k: usize, segment: usize) -> bool {
        let (Slot::Anchor(i) | Slot::Middle(i)) = slot(k, self.targets.len());
        i / self.anchors == segment
    }
}
