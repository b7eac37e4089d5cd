//! Codes to bytes.

use super::Encoder;
use super::codec::Grids;
use super::keyed::Keyed;
use super::segments::{FINEST, Segments, cut};
use crate::clip::bits::BitWriter;
use crate::clip::coding::{RotationCode, ScalarCode};
use crate::clip::directory::{Directory, Layout};
use crate::clip::head::{Head, HeadShape, Part, is_middle, signed_bits};
use crate::clip::lanes::LANES;
use crate::engine::{Code, Parameters};
use alloc::vec::Vec;

/// Rotations first, then all else: in this order codes are written, by the numbers of keyed tracks.
fn order(keyed: &[Keyed]) -> [Vec<usize>; 2] {
    let is_rotation = |i: &usize| matches!(keyed[*i].grids, Grids::Rotation { .. });
    let (rotations, numbers) = (0..keyed.len()).partition(is_rotation);
    [rotations, numbers]
}

/// A clip in the `fixed` encoding: key by key, four rotations' x, y and z together, then the other components.
pub(super) fn packed_fixed(
    encoder: &Encoder<'_>,
    keyed: &[Keyed],
    grids: &[Parameters],
    codes: &[Vec<Code>],
    bits: u32,
) -> Vec<u8> {
    let [rotations, numbers] = order(keyed);
    let mut directory = Directory { layout: Layout::Fixed { bits }, ..encoder.plan.directory.clone() };
    for &i in &rotations {
        let Grids::Rotation { frame, .. } = &keyed[i].grids else { continue };
        let [origin, step] = [grids[i].origin, grids[i].steps].map(|three| three.map(|v| v as f32));
        directory.rotations.push(RotationCode::Fixed { left: frame.left, origin, step });
    }
    let others: Vec<(usize, usize)> = numbers.iter().flat_map(|i| (0..keyed[*i].components).map(|c| (*i, c))).collect();
    let scalar = |(i, c): &(usize, usize)| ScalarCode::Fixed {
        origin: grids[*i].origin[*c] as f32,
        step: grids[*i].steps[*c] as f32,
    };
    directory.scalars = others.iter().map(scalar).collect();
    let mut out = BitWriter::default();
    for k in if keyed.is_empty() { 0..0 } else { 0..encoder.keys.len() } {
        for group in rotations.chunks(LANES) {
            (0..3).for_each(|c| group.iter().for_each(|i| out.put(codes[*i][k][c] as u64, bits)));
        }
        others.iter().for_each(|(i, c)| out.put(codes[*i][k][*c] as u64, bits));
        out.align();
    }
    directory.write(&out.into_bytes())
}

/// A component in the `variable` encoding.
struct Column<'a> {
    codes: &'a [Code],
    component: usize,
    /// Bits that hold any anchor.
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
}

/// A clip in the `variable` encoding: segment after segment.
pub(super) fn packed(encoder: &Encoder<'_>, keyed: &[Keyed], segments: &Segments<'_, '_>) -> Vec<u8> {
    let [rotations, numbers] = order(keyed);
    let (levels, codes) = (&segments.coded.levels, &segments.coded.codes);
    let mut directory = encoder.plan.directory.clone();
    // A segment's steps are the track's or finer by a few levels.
    let base = |i: usize| {
        let (least, most) = levels[i].iter().fold((u8::MAX, 0), |(a, b), level| (a.min(*level), b.max(*level)));
        least.max(most.saturating_sub(FINEST))
    };
    let columns = |i: &usize| (0..keyed[*i].components).map(|c| Column::new(&codes[*i], c)).collect::<Vec<_>>();
    let [turned, others] = [&rotations, &numbers].map(|all| all.iter().map(columns).collect::<Vec<_>>());
    for (i, columns) in rotations.iter().zip(&turned) {
        let Grids::Rotation { frame, .. } = &keyed[*i].grids else { continue };
        let (step, min_bits) = (keyed[*i].grids.bytes(base(*i)), [0, 1, 2].map(|c: usize| columns[c].min_bits));
        directory.rotations.push(RotationCode::Variable { left: frame.left, right: frame.right, step, min_bits });
    }
    for (i, columns) in numbers.iter().zip(&others) {
        let Grids::Numbers { origin, .. } = &keyed[*i].grids else { continue };
        let scalar =
            |c: &Column<'_>| ScalarCode::Variable { origin: origin[c.component], step: base(*i), min_bits: c.min_bits };
        directory.scalars.extend(columns.iter().map(scalar));
    }
    let all: Vec<Column<'_>> = turned.into_iter().chain(others).flatten().collect();
    let cut = cut(if all.is_empty() { 0 } else { encoder.keys.len() }, segments.anchors);
    let parts = |[anchors, middles]: &[Vec<usize>; 2]| {
        let part = |column: &Column<'_>| {
            Part::of(
                anchors.iter().map(|k| column.at(*k)),
                middles.iter().map(|k| column.at(*k)),
                column.min_bits.into(),
            )
        };
        all.iter().map(part).collect()
    };
    let parts: Vec<Vec<Part>> = cut.iter().map(parts).collect();
    let of_rotations = parts.iter().flat_map(|parts| &parts[..3 * rotations.len()]);
    let widest = of_rotations.map(|part| part.anchor.max(part.middle)).fold(1, u8::max);
    let refines = numbers.iter().any(|i| levels[*i].iter().any(|level| *level != base(*i)));
    let (width_bits, bends) = (8 - widest.leading_zeros(), encoder.keys.bends);
    directory.layout = Layout::Variable { anchors: segments.anchors, width_bits, bends, refines };
    let (shape, mut out) = (HeadShape::new(&directory), BitWriter::default());
    for (s, (parts, [anchors, middles])) in parts.into_iter().zip(&cut).enumerate() {
        let finer = |i: &usize| levels[*i][s] - base(*i);
        let of_numbers = numbers.iter().flat_map(|i| core::iter::repeat_n(finer(i), keyed[*i].components));
        let head = Head { parts, finer: rotations.iter().map(finer).chain(of_numbers).collect(), ..Head::default() };
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
