//! KEYFOLD_animation_stream: rotations as three codes of a projection, the rest as in core, entropy-coded.

use super::{Entry, StorageCodec, core_gltf, one_by_one, write_channels};
use crate::{
    Result,
    document::Shape,
    pack::cost::{plain, wire},
    write::{ChannelForm, Stored, core_form, place_stream, stream_bytes},
};
use keyfold_core::engine::{self, Grid};

pub(super) const CODEC: StorageCodec = StorageCodec {
    grid: |track, step, _| grid(track, step),
    // A constant is stored once, so it can be fine.
    constant: |track, budget| match track.projection {
        Some(_) => grid(track, budget / 8.0),
        None => core_gltf::constant(track, budget),
    },
    // Evenly spaced keys cost almost nothing, while times per track cost a lot of JSON.
    shares_times: true,
    lends: false,
    has_sparse: false,
    wire: |entries, context| {
        let channels = one_by_one(channel)(entries)?;
        Ok(wire(&channels, |contents| stream_bytes(contents, &channels).unwrap_or_else(|_| plain(contents, context))))
    },
    write: |document, animations, context, _| {
        write_channels(document, context, animations, one_by_one(channel), |edit, contents, forms| {
            place_stream(edit, contents, forms, false)
        })
    },
    ..core_gltf::CODEC
};

fn grid(track: &engine::Track, step: f64) -> Grid {
    // A quaternion's components hold half angles.
    track.projection.map_or_else(|| core_gltf::grid(track, step), |grid| Grid::projected(step / 2.0, grid))
}

/// A track in core's form, with rotations as floats on their grid. Tracks that were not searched stay floats:
/// a stream stores those in fewer bytes than integers.
fn channel(entry: &Entry<'_>) -> Result<ChannelForm> {
    let Some(encoded) = entry.encoded else { return core_form(entry.track) };
    let mut form = core_gltf::channel(entry)?;
    if let (Some(sampler), Grid::Projected(grid, rotations)) = (&mut form.sampler, encoded.grid) {
        let found = |code: &[i32; 4]| {
            let code = [code[0], code[1], code[2]];
            rotations.codes(rotations.decode(code)) == code
        };
        let floats = Stored::floats(Shape::Vec4, &entry.values());
        // The stream recovers the codes from the floats.
        sampler.output = Stored { grid: encoded.codes.iter().all(found).then_some(grid), ..floats };
    }
    Ok(form)
}
