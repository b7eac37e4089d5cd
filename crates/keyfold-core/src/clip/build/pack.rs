//! Codes to bytes.

use super::Job;
use super::code::{Codes, RotationCodes, Steps, is_middle};
use super::keys::KeyTimes;
use super::plan::{Plan, Role};
use crate::clip::bits::BitWriter;
use crate::clip::coding::{RotationCode, ScalarCode};
use crate::clip::directory::{Directory, Layout};
use crate::clip::head::{Head, HeadShape, Part, signed_bits};
use crate::clip::lanes::LANES;
use alloc::{string::ToString, vec::Vec};
use core::ops::Range;

/// A clip with these codes.
pub(super) fn packed(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, steps: Steps) -> Vec<u8> {
    match steps {
        Steps::Fixed { bits } => fixed(job, plan, keys, codes, bits),
        Steps::Variable { anchors } => variable(job, plan, keys, codes, anchors),
    }
}

/// A clip in the `fixed` encoding: key by key, four rotations' x, y and z together, then the other components.
fn fixed(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, bits: u32) -> Vec<u8> {
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
fn variable(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, anchors: usize) -> Vec<u8> {
    let rotations: Vec<&RotationCodes> = codes.rotations.iter().flatten().collect();
    let turned = rotations.iter().flat_map(|r| (0..3).map(|c| Column::new(r.keys.iter().map(move |key| key[c]))));
    let numbers = codes.numbers.iter().flatten().map(|n| Column::new(n.keys.iter().copied()));
    let columns: Vec<Column> = turned.chain(numbers).collect();
    let segments = columns.first().map_or(0, |column| column.anchors.len().div_ceil(anchors));
    let cut = |s: usize, n: usize| (s * anchors).min(n)..((s + 1) * anchors).min(n);
    let parts = |s: usize| columns.iter().map(|c| c.part(cut(s, c.anchors.len()), cut(s, c.middles.len()))).collect();
    let parts: Vec<Vec<Part>> = (0..segments).map(parts).collect();
    let of_rotations = parts.iter().flat_map(|parts| &parts[..3 * rotations.len()]);
    let widest = of_rotations.map(|part| part.anchor.max(part.middle)).fold(1, u8::max);
    let layout = Layout::Variable { anchors, width_bits: 8 - widest.leading_zeros(), bends: keys.bends };
    let min_bits: Vec<u8> = columns.iter().map(|column| column.min_bits as u8).collect();
    let directory = directory(job, plan, keys, codes, layout, &min_bits);
    let (shape, mut out) = (HeadShape::new(&directory), BitWriter::default());
    for (s, parts) in parts.into_iter().enumerate() {
        let head = Head { parts, finer: rotations.iter().map(|r| r.finer[s]).collect(), ..Head::default() };
        shape.write(&head, &mut out);
        let each = || head.parts.iter().zip(&columns);
        for k in cut(s, columns[0].anchors.len()) {
            each().for_each(|(p, c)| out.put(c.anchors[k].wrapping_sub(p.min) as u64, p.anchor.into()));
        }
        for k in cut(s, columns[0].middles.len()) {
            each().for_each(|(p, c)| out.put(c.middles[k].wrapping_sub(p.least_middle()) as u64, p.middle.into()));
        }
        out.align();
    }
    directory.write(&out.into_bytes())
}

/// The codes of one component.
struct Column {
    anchors: Vec<i32>,
    middles: Vec<i32>,
    min_bits: u32,
}

impl Column {
    fn new(codes: impl ExactSizeIterator<Item = i32>) -> Self {
        let keys = codes.len();
        let (middles, anchors): (Vec<_>, Vec<_>) = codes.enumerate().partition(|(k, _)| is_middle(*k, keys));
        let [anchors, middles] =
            [anchors, middles].map(|all| all.into_iter().map(|(_, code)| code).collect::<Vec<i32>>());
        let (least, most) = range(&anchors);
        Self { min_bits: signed_bits(least.min(0), most.max(0)), anchors, middles }
    }

    fn part(&self, anchors: Range<usize>, middles: Range<usize>) -> Part {
        let ((low, high), (least, most)) = (range(&self.anchors[anchors]), range(&self.middles[middles]));
        Part::holding(low, high, (least.min(0), most.max(0)), self.min_bits)
    }
}

fn range(codes: &[i32]) -> (i32, i32) {
    (codes.iter().copied().min().unwrap_or(0), codes.iter().copied().max().unwrap_or(0))
}

fn directory(job: &Job<'_>, plan: &Plan, keys: &KeyTimes, codes: &Codes, layout: Layout, min_bits: &[u8]) -> Directory {
    let mut bits = min_bits.iter().copied();
    let mut next = || bits.next().unwrap_or(0);
    let rotations = codes.rotations.iter().flatten().map(|r| match r.code {
        RotationCode::Variable { left, right, step, .. } => {
            RotationCode::Variable { left, right, step, min_bits: [next(), next(), next()] }
        }
        fixed => fixed,
    });
    let rotations = rotations.collect();
    let scalars = codes.numbers.iter().flatten().map(|n| match n.code {
        ScalarCode::Variable { origin, step, .. } => ScalarCode::Variable { origin, step, min_bits: next() },
        fixed => fixed,
    });
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
        scalars: scalars.collect(),
        layout,
    }
}
