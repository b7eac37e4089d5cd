//! Writes codes as bytes.

use super::Encoder;
use super::codec::Grids;
use super::frame::Frame;
use super::keyed::Keyed;
use super::segments::{FINEST, Segments};
use crate::clip::bits::BitWriter;
use crate::clip::coding::{RotationCode, ScalarCode};
use crate::clip::directory::{Directory, Layout};
use crate::clip::head::{Head, HeadShape, Part, is_middle, signed_bits};
use crate::clip::lanes::LANES;
use crate::engine::{Code, Parameters};
use alloc::vec::Vec;

/// A clip in the `fixed` encoding, key by key: x, y and z of four rotations at a time, then the other
/// components.
pub(super) fn packed_fixed(
    encoder: &Encoder<'_>,
    keyed: &[Keyed],
    grids: &[Parameters],
    codes: &[Vec<Code>],
    bits: u32,
) -> Vec<u8> {
    let mut directory = Directory { layout: Layout::Fixed { bits }, ..encoder.plan.directory.clone() };
    for (keyed, grid) in keyed.iter().zip(grids) {
        let [origin, step] = [grid.origin, grid.steps].map(|three| three.map(|v| v as f32));
        let scalar = |c: usize| ScalarCode::Fixed { origin: origin[c], step: step[c] };
        match keyed.grids {
            Grids::Rotation { frame: Frame { left, .. }, .. } => {
                directory.rotations.push(RotationCode::Fixed { left, origin, step })
            }
            Grids::Numbers { .. } => directory.scalars.extend((0..keyed.components).map(scalar)),
        }
    }
    let (rotations, others) = codes.split_at(directory.rotations.len());
    let mut out = BitWriter::default();
    for k in 0..encoder.keys.len() {
        for group in rotations.chunks(LANES) {
            (0..3).for_each(|c| group.iter().for_each(|codes| out.put(codes[k][c] as u64, bits)));
        }
        for (keyed, codes) in keyed[rotations.len()..].iter().zip(others) {
            codes[k][..keyed.components].iter().for_each(|code| out.put(*code as u64, bits));
        }
        out.align();
    }
    directory.write(&out.into_bytes())
}

/// A component in the `variable` encoding.
struct Column<'a> {
    codes: &'a [Code],
    component: usize,
    /// The number of bits that hold the code of any anchor.
    min_bits: u8,
}

impl<'a> Column<'a> {
    fn new(codes: &'a [Code], component: usize) -> Self {
        let anchors = (0..codes.len()).filter(|k| !is_middle(*k, codes.len()));
        Self { codes, component, min_bits: signed_bits(anchors.map(|k| codes[k][component])) as u8 }
    }

    fn at(&self, key: usize) -> i32 {
        self.codes[key][self.component]
    }

    /// The narrowest part that holds the codes of these anchors and middles.
    fn part(&self, anchors: &[usize], middles: &[usize]) -> Part {
        let all = || anchors.iter().map(|k| self.at(*k));
        let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        Part::holding(low, high, signed_bits(middles.iter().map(|k| self.at(*k))) as u8, self.min_bits.into())
    }
}

/// A clip in the `variable` encoding, segment by segment.
pub(super) fn packed(encoder: &Encoder<'_>, keyed: &[Keyed], segments: &Segments<'_, '_>) -> Vec<u8> {
    let (levels, keys) = (&segments.levels, encoder.keys.len());
    // A segment has the track's steps, or steps that are finer by a few levels.
    let base = |levels: &Vec<u8>| {
        let (least, most) = levels.iter().fold((u8::MAX, 0), |(a, b), level| (a.min(*level), b.max(*level)));
        least.max(most.saturating_sub(FINEST))
    };
    let bases: Vec<u8> = levels.iter().map(base).collect();
    let (mut directory, mut all) = (encoder.plan.directory.clone(), Vec::new());
    for ((keyed, codes), base) in keyed.iter().zip(&segments.codes).zip(&bases) {
        let columns: Vec<Column<'_>> = (0..keyed.components).map(|c| Column::new(codes, c)).collect();
        match keyed.grids {
            Grids::Rotation { frame: Frame { left, right }, .. } => {
                let (step, min_bits) = (keyed.grids.bytes(*base), [0, 1, 2].map(|c: usize| columns[c].min_bits));
                directory.rotations.push(RotationCode::Variable { left, right, step, min_bits });
            }
            Grids::Numbers { origin, .. } => {
                let origins = origin.iter().zip(&columns);
                directory.scalars.extend(origins.map(|(origin, column)| ScalarCode::Variable {
                    origin: *origin,
                    step: *base,
                    min_bits: column.min_bits,
                }));
            }
        }
        all.extend(columns);
    }
    let rotations = directory.rotations.len();
    let cut = segments.ranges.iter().map(|range| range.clone().partition(|k| !is_middle(*k, keys)));
    let cut: Vec<(Vec<usize>, Vec<usize>)> = cut.collect();
    let parts = |(anchors, middles): &(Vec<usize>, Vec<usize>)| all.iter().map(|c| c.part(anchors, middles)).collect();
    let parts: Vec<Vec<Part>> = cut.iter().map(parts).collect();
    let of_rotations = parts.iter().flat_map(|parts| &parts[..3 * rotations]);
    let widest = of_rotations.map(|part| part.anchor.max(part.middle)).fold(1, u8::max);
    let refines = (rotations..keyed.len()).any(|i| levels[i].iter().any(|level| *level != bases[i]));
    let (width_bits, bends) = (8 - widest.leading_zeros(), encoder.keys.bends);
    directory.layout = Layout::Variable { anchors: segments.anchors, width_bits, bends, refines };
    let (shape, mut out) = (HeadShape::new(&directory), BitWriter::default());
    for (s, (parts, (anchors, middles))) in parts.into_iter().zip(&cut).enumerate() {
        // One number for each rotation, and for each component of the other tracks.
        let repeats = keyed.iter().enumerate().map(|(i, keyed)| (i, if i < rotations { 1 } else { keyed.components }));
        let finer = repeats.flat_map(|(i, count)| core::iter::repeat_n(levels[i][s] - bases[i], count)).collect();
        let head = Head { parts, finer, ..Head::default() };
        shape.write(&head, &mut out);
        let each = || head.parts.iter().zip(&all);
        for k in anchors {
            each().for_each(|(p, column)| out.put(column.at(*k).wrapping_sub(p.min) as u64, p.anchor.into()));
        }
        for k in middles {
            each()
                .for_each(|(p, column)| out.put(column.at(*k).wrapping_sub(p.least_middle()) as u64, p.middle.into()));
        }
        out.align();
    }
    directory.write(&out.into_bytes())
}
