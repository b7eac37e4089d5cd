//! Draco_animation_compression: codes on grids of any step, in entropy-coded streams.
//!
//! A stream states a range and a number of bits. A range beyond the data's makes any step possible, so steps
//! follow budgets instead of powers of two.

use super::{Entry, MARGIN, Rewritten, StorageCodec, component_step, core_gltf};
use crate::{
    Curve, Interpolation, Kind, Target, Track,
    draco::{self, Planned},
    pack::{
        Context,
        cost::{plain, wire},
    },
};
use keyfold_core::{
    engine::{self, Encoded, Grid, Layout, Uniform},
    quat,
    skeleton::Property,
};

pub(super) const CODEC: StorageCodec = StorageCodec {
    grid: |track, step, _| grid(track, step),
    takes: &[Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline, Interpolation::CubicSlerp],
    has_property_grids: true,
    lends: false,
    has_sparse: false,
    converts_exactly: false,
    wire: |entries, context| {
        let streamed = draco::streamed(&[planned(0, entries, context)], false, &context.options.draco)?;
        let (inside, bytes) = (streamed.inside(), streamed.bytes()?);
        Ok(wire(&streamed.forms[0].channels, |contents| {
            let outside: Vec<_> = contents.iter().copied().filter(|stored| !inside.contains(stored)).collect();
            [&bytes[..], &plain(&outside, context)].concat()
        }))
    },
    write: |document, animations, context, _| {
        let planned: Vec<Planned> = animations.iter().map(|animation| rewritten(animation, context)).collect();
        draco::write(document, &planned, false, &context.options.draco)
    },
    ..core_gltf::CODEC
};

/// The most bits of a code. With more, floats would be as coarse as the grid.
const BITS: u32 = 20;

fn grid(track: &engine::Track, step: f64) -> Grid {
    let turns = track.property == Property::Rotation && !track.is_spline();
    let step = component_step(track, step);
    let (offsets, extent) = match turns {
        // Neighbouring quaternions are on the same half of the sphere, whose signs may be any.
        true => ([-1.0; 4], 2.0),
        false => {
            let offsets = track.ranges.map(|(low, _)| f64::from((low - MARGIN * step) as f32));
            let highest = track.ranges.iter().zip(offsets).map(|((_, high), low)| high - low).fold(0.0, f64::max);
            (offsets, highest)
        }
    };
    let steps = extent / step + 2.0 * MARGIN;
    if !(step > 0.0 && steps < f64::from(1 << BITS)) {
        return core_gltf::constant(track, step);
    }
    let offsets = offsets.map(|offset| if turns { offset - MARGIN * step } else { offset });
    // Computed as in a decoder: the range over the largest index, both rounded to floats.
    let most = (1i32 << (32 - (steps as u32).leading_zeros())) - 1;
    let scale = f64::from((step * f64::from(most)) as f32 / most as f32);
    Grid::Uniform(Uniform {
        offsets: offsets.map(|o| f64::from(o as f32)),
        scale,
        unit: 1,
        most,
        layout: Layout::Whole,
    })
}

fn rewritten(animation: &Rewritten<'_>, context: &Context<'_>) -> Planned {
    // Values that need exact storage stay where they are.
    let exact = animation.entries.iter().filter(|entry| entry.track.target.is_exact());
    let exact: Vec<usize> = exact.map(|entry| entry.track.source.channel).collect();
    let dropped = animation.replaces.iter().copied().filter(|channel| !exact.contains(channel)).collect();
    Planned { dropped, ..planned(animation.index, &animation.entries, context) }
}

/// Normalizes rotations, as readers do. What is in no stream is read as it is stored.
fn of_unit_length(target: &Target, curve: Curve) -> Curve {
    if target.kind() != Kind::Rotation || curve.interpolation().is_spline() {
        return curve;
    }
    let (rotations, _) = curve.values().as_chunks::<4>();
    let unit = |q: &[f32; 4]| quat::normalize(q.map(f64::from)).map(|c| c as f32);
    let values: Vec<f32> = rotations.iter().flat_map(unit).collect();
    curve.with_values(values).unwrap_or(curve)
}

/// Tracks as the engine encoded them, and tracks that move no points on grids within their own bound.
fn planned(index: usize, entries: &[Entry<'_>], context: &Context<'_>) -> Planned {
    let curve = |entry: &Entry<'_>| {
        let own = &entry.track.curve;
        let Some(decoded) = entry.encoded.and_then(Encoded::curve) else { return own.clone() };
        // If the stream has the original's keys, the fallback holds the original values.
        let original = context.options.draco.fallback && own.times() == entry.times() && *own != decoded;
        if original { own.clone() } else { of_unit_length(&entry.track.target, decoded) }
    };
    let tracks = entries.iter().map(|entry| {
        let track = Track { curve: curve(entry), ..entry.track.clone() };
        let grid = match entry.encoded {
            Some(encoded) => draco::coded(&track, encoded),
            None if track.target.moved_node().is_none() && draco::fits(&track) && !context.keeps(&track.target) => {
                draco::property_grid(&track, context.property_bound)
            }
            None => None,
        };
        (track, grid)
    });
    Planned { index, tracks: tracks.collect(), dropped: Default::default() }
}
