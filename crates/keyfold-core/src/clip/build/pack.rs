//! Codes to bytes.

use super::Job;
use super::code::{Codes, NumberCodes, RotationCodes, Slot, Steps, slot};
use super::keys::KeyTimes;
use super::plan::{Plan, Role};
use crate::clip::bits::BitWriter;
use crate::clip::coding::{RotationCode, ScalarCode};
use crate::clip::directory::{Directory, Layout};
use crate::clip::head::{Head, HeadShape, Part, signed_bits};
use crate::clip::lanes::LANES;
use alloc::string::ToString;
use alloc::vec::Vec;

/// A clip in the `fixed` encoding: key by key, four rotations' x, y and z together, then the other components.
pub(super) fn fixed(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, bits: u32) -> Vec<u8> {
    let directory = directory(job, plan, keys, codes, Layout::Fixed { bits }, &[]);
    let rotations: Vec<&RotationCodes> = codes.rotations.iter().flatten().collect();
    let mut out = BitWriter::default();
    for k in 0..keys.len() {
        for group in rotations.chunks(LANES) {
            for c in 0..3 {
                group.iter().for_each(|r| out.put(r.keys[k][c] as u64, bits));
            }
        }
        codes.numbers.iter().flatten().for_each(|n| out.put(n.keys[k] as u64, bits));
        out.align();
    }
    directory.write(&out.into_bytes())
}

/// A clip in the `variable` encoding: segment after segment.
pub(super) fn variable(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, anchors: usize) -> Vec<u8> {
    let columns = Columns::new(codes, keys.len());
    let most = columns.widest_rotation(anchors);
    let layout = Layout::Variable { anchors, width_bits: 32 - most.leading_zeros(), bends: keys.bends };
    let directory = directory(job, plan, keys, codes, layout, &columns.min_bits);
    if columns.all.is_empty() {
        return directory.write(&[]);
    }
    let shape = HeadShape::new(&directory);
    let segments = (keys.len() / 2 + 1).div_ceil(anchors);
    directory.write(&(0..segments).flat_map(|s| columns.segment(s, anchors, &shape)).collect::<Vec<u8>>())
}

/// All components of a clip as columns of codes, rotations first.
struct Columns {
    rotations: usize,
    /// Anchors and middles of each component.
    all: Vec<(Vec<i32>, Vec<i32>)>,
    finer: Vec<Vec<u8>>,
    min_bits: Vec<u32>,
}

impl Columns {
    fn new(codes: &Codes, keys: usize) -> Self {
        let rotations: Vec<&RotationCodes> = codes.rotations.iter().flatten().collect();
        let turned = rotations.iter().flat_map(|r| (0..3).map(|c| split(r.keys.iter().map(|k| k[c]), keys)));
        let numbers = codes.numbers.iter().flatten().map(|n| split(n.keys.iter().copied(), keys));
        let all: Vec<_> = turned.chain(numbers).collect();
        let finer = rotations.iter().map(|r| match &r.steps {
            Steps::Variable { finer, .. } => finer.clone(),
            Steps::Fixed { .. } => Vec::new(),
        });
        let min_bits = all.iter().map(|(anchors, _)| signed_range(anchors)).collect();
        Self { rotations: rotations.len(), finer: finer.collect(), all, min_bits }
    }

    fn part(&self, c: usize, segment: usize, anchors: usize) -> Part {
        let (a, m) = (cut(&self.all[c].0, segment, anchors), cut(&self.all[c].1, segment, anchors));
        let least = |v: &[i32]| v.iter().copied().min().unwrap_or(0);
        let most = |v: &[i32]| v.iter().copied().max().unwrap_or(0);
        Part::holding(least(a), most(a), (least(m).min(0), most(m).max(0)), self.min_bits[c])
    }

    /// The widest code of a rotation, of anchors or middles.
    fn widest_rotation(&self, anchors: usize) -> u32 {
        let segments = self.all.first().map_or(0, |(a, _)| a.len().div_ceil(anchors));
        let parts = (0..self.rotations * 3).flat_map(|c| (0..segments).map(move |s| (c, s)));
        parts.map(|(c, s)| self.part(c, s, anchors)).map(|p| p.anchor.max(p.middle).into()).max().unwrap_or(1).max(1)
    }

    fn segment(&self, segment: usize, anchors: usize, shape: &HeadShape) -> Vec<u8> {
        let mut head = Head::for_shape(shape);
        (0..self.all.len()).for_each(|c| head.parts[c] = self.part(c, segment, anchors));
        (0..self.rotations).for_each(|r| head.finer[r] = self.finer[r][segment]);
        let mut out = BitWriter::default();
        shape.write(&head, &mut out);
        let of = |codes: &[i32]| cut(codes, segment, anchors).len();
        let (keys, middles) = self.all.first().map_or((0, 0), |(a, m)| (of(a), of(m)));
        for k in 0..keys {
            for (part, (codes, _)) in head.parts.iter().zip(&self.all) {
                out.put(codes[segment * anchors + k].wrapping_sub(part.min) as u64, part.anchor.into());
            }
        }
        for k in 0..middles {
            for (part, (_, codes)) in head.parts.iter().zip(&self.all) {
                out.put(codes[segment * anchors + k].wrapping_sub(part.least_middle()) as u64, part.middle.into());
            }
        }
        out.align();
        out.into_bytes()
    }
}

/// What belongs to a segment.
fn cut(codes: &[i32], segment: usize, anchors: usize) -> &[i32] {
    let start = (segment * anchors).min(codes.len());
    &codes[start..(start + anchors).min(codes.len())]
}

fn split(codes: impl Iterator<Item = i32>, keys: usize) -> (Vec<i32>, Vec<i32>) {
    let (mut anchors, mut middles) = (Vec::new(), Vec::new());
    for (k, code) in codes.enumerate() {
        match slot(k, keys) {
            Slot::Anchor(_) => anchors.push(code),
            Slot::Middle(_) => middles.push(code),
        }
    }
    (anchors, middles)
}

fn signed_range(codes: &[i32]) -> u32 {
    signed_bits(codes.iter().copied().min().unwrap_or(0).min(0), codes.iter().copied().max().unwrap_or(0).max(0))
}

fn directory(
    job: &Job<'_>,
    plan: &Plan,
    keys: &KeyTimes,
    codes: &Codes,
    layout: Layout,
    min_bits: &[u32],
) -> Directory {
    let mut bits = min_bits.iter().map(|b| *b as u8);
    let mut next = || bits.next().unwrap_or(0);
    let rotations = codes.rotations.iter().flatten().map(|r| rotation(r, &mut next)).collect();
    let scalars = codes.numbers.iter().flatten().map(|n| scalar(n, &mut next)).collect();
    let constants = plan.tracks.iter().filter_map(|t| match &t.role {
        Role::Constant(constant) => Some(constant.clone()),
        _ => None,
    });
    let steps = plan.tracks.iter().filter_map(|t| match &t.role {
        Role::Step(step) => Some(step.clone()),
        _ => None,
    });
    Directory {
        name: job.source.name.to_string(),
        index: job.source.index,
        duration: keys.duration,
        timing: keys.timing.clone(),
        tracks: plan.tracks.iter().map(|t| t.track.clone()).collect(),
        constants: constants.collect(),
        grid: plan.grid,
        steps: steps.collect(),
        rotations,
        scalars,
        layout,
    }
}

fn rotation(codes: &RotationCodes, next: &mut impl FnMut() -> u8) -> RotationCode {
    let (left, right) = (codes.frame.left, codes.frame.right);
    match codes.steps {
        Steps::Fixed { origin, step } => RotationCode::Fixed { left, origin, step },
        Steps::Variable { step, .. } => {
            RotationCode::Variable { left, right, step, min_bits: [next(), next(), next()] }
        }
    }
}

fn scalar(codes: &NumberCodes, next: &mut impl FnMut() -> u8) -> ScalarCode {
    match codes.code {
        ScalarCode::Variable { origin, step, .. } => ScalarCode::Variable { origin, step, min_bits: next() },
        fixed => fixed,
    }
}
