//! Codes to bytes.

use super::code::{NumberCodes, RotationCodes, Steps, segments};
use super::keys::KeyTimes;
use super::walk::{Tries, Walk};
use crate::clip::bits::BitWriter;
use crate::clip::directory::{Directory, Layout};
use crate::clip::head::{Head, HeadShape, Part, signed_bits};
use crate::clip::{Track, lanes::LANES};
use alloc::vec::Vec;

/// A clip of some tracks with their codes.
pub(super) fn packed(walk: &Walk<'_>, Tries { grid, codes, .. }: &Tries, wanted: impl Fn(&Track) -> bool) -> Vec<u8> {
    let all = &walk.plan.directory;
    let tracks = (0..all.tracks.len()).filter(|i| wanted(&all.tracks[*i]));
    let rotations: Vec<&RotationCodes> = tracks.clone().filter_map(|i| codes.rotations[i].as_ref()).collect();
    let numbers: Vec<&NumberCodes> = tracks.flat_map(|i| &codes.numbers[i]).collect();
    let mut directory = all.only(&wanted);
    directory.rotations = rotations.iter().map(|r| r.code).collect();
    directory.scalars = numbers.iter().map(|n| n.code).collect();
    match grid.steps {
        Steps::Fixed { bits } => {
            directory.layout = Layout::Fixed { bits };
            directory.write(&fixed(walk.keys.len(), &rotations, &numbers, bits))
        }
        Steps::Variable { anchors } => variable(directory, walk.keys, &rotations, &numbers, anchors),
    }
}

/// The `fixed` encoding: key by key, four rotations' x, y and z together, then the other components.
fn fixed(keys: usize, rotations: &[&RotationCodes], numbers: &[&NumberCodes], bits: u32) -> Vec<u8> {
    let mut out = BitWriter::default();
    for k in 0..keys {
        for group in rotations.chunks(LANES) {
            for c in 0..3 {
                group.iter().for_each(|r| out.put(r.keys[k][c] as u64, bits));
            }
        }
        numbers.iter().for_each(|n| out.put(n.keys[k] as u64, bits));
        out.align();
    }
    out.into_bytes()
}

/// A clip in the `variable` encoding: segment after segment.
fn variable(
    mut directory: Directory,
    keys: &KeyTimes,
    rotations: &[&RotationCodes],
    numbers: &[&NumberCodes],
    anchors: usize,
) -> Vec<u8> {
    let turned = rotations.iter().flat_map(|r| (0..3).map(|c| r.keys.iter().map(|key| key[c]).collect()));
    let columns: Vec<Vec<i32>> = turned.chain(numbers.iter().map(|n| n.keys.clone())).collect();
    let min_bits = HeadShape::new(&directory).min_bits;
    let segments = segments(if columns.is_empty() { 0 } else { keys.len() }, anchors);
    let parts = |[anchors, middles]: &[Vec<usize>; 2]| {
        let part = |(codes, min_bits): (&Vec<i32>, &u8)| {
            let [anchors, middles] = [anchors, middles].map(|keys| keys.iter().map(|k| codes[*k]));
            let (low, high) = (anchors.clone().min().unwrap_or(0), anchors.max().unwrap_or(0));
            Part::holding(low, high, signed_bits(middles) as u8, (*min_bits).into())
        };
        columns.iter().zip(&min_bits).map(part).collect()
    };
    let parts: Vec<Vec<Part>> = segments.iter().map(parts).collect();
    let of_rotations = parts.iter().flat_map(|parts| &parts[..3 * rotations.len()]);
    let widest = of_rotations.map(|part| part.anchor.max(part.middle)).fold(1, u8::max);
    directory.layout = Layout::Variable { anchors, width_bits: 8 - widest.leading_zeros(), bends: keys.bends };
    let (shape, mut out) = (HeadShape::new(&directory), BitWriter::default());
    for (s, (parts, [anchors, middles])) in parts.into_iter().zip(&segments).enumerate() {
        let head = Head { parts, finer: rotations.iter().map(|r| r.finer[s]).collect(), ..Head::default() };
        shape.write(&head, &mut out);
        let each = || head.parts.iter().zip(&columns);
        for k in anchors {
            each().for_each(|(p, codes)| out.put(codes[*k].wrapping_sub(p.min) as u64, p.anchor.into()));
        }
        for k in middles {
            each().for_each(|(p, codes)| out.put(codes[*k].wrapping_sub(p.least_middle()) as u64, p.middle.into()));
        }
        out.align();
    }
    directory.write(&out.into_bytes())
}
