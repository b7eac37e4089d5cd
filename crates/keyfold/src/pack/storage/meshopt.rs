//! EXT_meshopt_compression: a quaternion filter for rotations, an exponential one for vectors, and a codec.

use super::{Entry, StorageCodec, component_step, core_gltf, one_by_one, write_channels};
use crate::{
    Result,
    document::Shape,
    pack::{
        Context, Optimize,
        cost::{deflated, plain, wire},
    },
    write::{ChannelForm, Filter, Pays, Stored, exponential_word, meshopt_bytes, place_meshopt},
};
use keyfold_core::{
    engine::{self, Code, Encoded, Grid},
    skeleton::Property,
};

pub(super) const CODEC: StorageCodec = StorageCodec {
    grid: |track, step, _| grid(track, step),
    constant,
    has_sparse: false,
    wire: |entries, context| {
        let compressed = |contents: &[&Stored]| meshopt_bytes(contents, context.options.meshopt, pays(context));
        Ok(wire(&one_by_one(channel)(entries)?, |contents| match compressed(contents) {
            Ok((bytes, rest)) => [bytes, plain(&rest.iter().collect::<Vec<_>>(), context)].concat(),
            Err(_) => plain(contents, context),
        }))
    },
    write: |document, animations, context, _| {
        write_channels(document, context, animations, one_by_one(channel), |edit, contents, _| {
            place_meshopt(edit, contents, context.options.meshopt, pays(context))
        })
    },
    ..core_gltf::CODEC
};

/// The approximate size of a compressed buffer view's JSON, after gzip and raw.
const VIEW: usize = 40;
const RAW_VIEW: usize = 200;

/// Whether compressed bytes and their JSON are smaller than plain bytes, in the size that is minimized.
fn pays(context: &Context<'_>) -> &'static Pays {
    match context.options.optimize {
        Optimize::Gzip => &|plain, encoded| deflated(encoded) + VIEW < deflated(plain),
        Optimize::Raw => &|plain, encoded| encoded.len() + RAW_VIEW < plain.len(),
    }
}

/// The finest step (radians) that the quaternion filter can hold.
const FINEST: f64 = 1e-4;

fn grid(track: &engine::Track, step: f64) -> Grid {
    match track.property {
        Property::Rotation if !track.is_spline() => {
            // If another component becomes the largest, all codes jump.
            Grid::quaternion_filter(component_step(track, step), track.steady)
        }
        _ => core_gltf::grid(track, step),
    }
}

fn constant(track: &engine::Track, budget: f64) -> Grid {
    match track.property {
        // The filter at its finest step gives unit length, and the constant needs no buffer view of its own.
        Property::Rotation if budget > 16.0 * FINEST => Grid::quaternion_filter(FINEST / 2.0, None),
        _ => core_gltf::constant(track, budget),
    }
}

fn channel(entry: &Entry<'_>) -> Result<ChannelForm> {
    let mut form = core_gltf::channel(entry)?;
    if let (Some(sampler), Some(stored)) = (&mut form.sampler, entry.encoded.and_then(filtered)) {
        sampler.output = stored;
    }
    Ok(form)
}

/// Codes as elements of the filters.
fn filtered(encoded: &Encoded) -> Option<Stored> {
    match encoded.grid {
        Grid::QuaternionFilter { .. } => {
            let stored = core_gltf::shorts(&encoded.codes);
            Some(Stored { filter: Filter::Quaternion, ..stored })
        }
        Grid::Multiples { step, .. } if !encoded.interpolation.is_spline() => {
            exponential(&encoded.codes, step, encoded.width)
        }
        _ => None,
    }
}

fn exponential(codes: &[Code], step: f64, width: usize) -> Option<Stored> {
    let exponent = i32::try_from(step.to_bits() >> 52).ok()? - 1023;
    let shape = Shape::vector(width)?;
    let words = codes.iter().flat_map(|code| code.iter().take(width)).map(|code| exponential_word(exponent, *code));
    let bytes = words.collect::<Option<Vec<_>>>()?.concat();
    Some(Stored { filter: Filter::Exponential, bytes, ..Stored::floats(shape, &[]) })
}
