//! Keyfold compresses the animations of glTF 2.0 files within an error bound. It reads any animated glTF file, plays it
//! exactly, and makes its animations as small as the bound allows.
//!
//! Open a file, read its animations, compress them, and verify the error:
//!
//! ```
//! use keyfold::{Document, diff, pack::{Options, pack}, read};
//! # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
//! # let folder = std::env::temp_dir();
//! let document = Document::open(machine)?;
//! for animation in read(&document)?.animations {
//!     println!("{:?} lasts {} s and drives {} targets", animation.name, animation.duration(), animation.tracks.len());
//! }
//! let packed = pack(&document, &Options { max_error: "0.1%".parse()?, ..Options::default() })?;
//! let proof = diff(&document, &packed.document, None)?;
//! assert!(proof.relative <= 0.001);
//! # let output = folder.join(format!("keyfold-doc-{}.glb", std::process::id()));
//! packed.document.save(&output)?;
//! # std::fs::remove_file(&output)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Main types
//!
//! - A [`Document`] is a file in memory. It never changes.
//! - [`read`](fn@read) returns its [`Animation`]s, whatever their storage.
//! - A [`Scene`] has the hierarchy of its nodes and the size of its model.
//! - A [`Bound`] limits how far the measured points of nodes may move.
//!
//! Most other functions take some of these:
//!
//! ```text
//! bytes -> Document -> read -> Vec<Animation> -> passes -> write -> Document -> bytes
//! ```
//!
//! # Features
//!
//! All are on by default. Without them, the crate reads, samples, validates and compares documents in memory, and builds
//! runtime clips: no files, no threads, in WebAssembly too.
//!
//! | feature | adds | without it |
//! |---|---|---|
//! | `fs` | paths | documents come [from memory](Document::from_bytes); a [`Resolver`] provides what they name |
//! | `meshopt` | both meshopt extensions | files that need them give [`Error::Feature`] |
//! | `pack` | [`pack`], and what is searched: `convert` to quantization and Draco | the same error |
//! | `parallel` | threads | one thread, the same bytes |
//!
//! To play a runtime clip, `keyfold-core` alone is enough: [`core::clip`].
//!
//! # Modules and functions
//!
//! | item | purpose |
//! |---|---|
//! | [`document`] | a glTF file in memory: JSON as read, buffers, accessors, edits, saving |
//! | [`object_model`] | what a JSON pointer addresses in a document, and which objects refer to which |
//! | [`quantization`], [`draco`], [`meshopt`] | these storages: options, writers, codecs |
//! | [`Animation`], [`Track`], [`Target`] | animations as plain values, whatever their storage |
//! | [`read`](fn@read), [`Samples`] | reading a document's animations; their values at given times |
//! | [`apply`](fn@apply), [`freeze`] | writing an animation at one time into the document |
//! | [`retarget`](fn@retarget) | changing how channels address their targets |
//! | [`inspect`] | a summary of a document's animations and their sizes |
//! | [`mod@write`] | writing planned channels into a document |
//! | [`Scene`], [`Bound`] | a document's hierarchy and size; the allowed error |
//! | [`build_clip`] | building runtime clips from animations |
//! | [`Changed`], [`Finding`], [`Error`] | what changes of documents return; why something failed |
//! | [`Monitor`] | progress and cancellation: every long job `f` has an `f_with` that takes one |
//! | [`diff`](fn@diff), [`report`] | how far two files differ, in total and over time |
//! | [`convert`](fn@convert), [`kept`](fn@kept) | converting a document to another form; checking that it plays the same |
//! | [`rotation`] | converting rotations to another interpolation, within a bound |
//! | [`mod@validate`] | validation |
//! | [`pack`] | compressing animations within a bound |
//! | [`core`] | the bytes and floats beneath: curves, skeletons, runtime clips, codecs |

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Where a part of the crate is built, some of the rest has no caller.
#![cfg_attr(not(all(feature = "fs", feature = "meshopt", feature = "pack")), allow(dead_code, unused_imports))]

/// Compiles the README's code.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod animation;
mod apply;
mod bound;
mod changed;
mod clip;
mod convert;
mod diff;
pub mod document;
mod effort;
mod error;
mod extensions;
mod finding;
pub mod inspect;
mod join_axes;
mod limits;
mod monitor;
pub mod object_model;
#[cfg(feature = "pack")]
pub mod pack;
mod parallel;
mod read;
mod retarget;
pub mod rotation;
mod sample;
mod scene;
mod storage;
mod target;
mod unpack;
pub mod validate;
mod validity;
pub mod write;

pub use animation::{Animation, Source, Track};
pub use apply::{apply, freeze, set_target};
pub use bound::{Bound, BoundError, PROPERTY_BOUND, PropertyBound};
pub use changed::Changed;
pub use clip::{BuiltClip, ClipInfo, ClipOptions, ClipReport, ClipTrack, ErrorSize, build_clip, build_clip_with};
pub use convert::{ConvertOptions, Converted, StorageForm, convert, convert_with};
pub use diff::{
    AnimationDiff, Diff, Kept, PropertyDiff, Unmatched, Which, diff, diff_nodes, diff_nodes_with, diff_with, kept,
    kept_with, report,
};
pub use document::{Document, OpenOptions, Resolver};
pub use error::{Error, Result};
pub use extensions::draco;
pub use extensions::meshopt;
pub use extensions::quantization;
pub use finding::{Finding, Severity};
pub(crate) use join_axes::join_axes;
/// The bytes and floats beneath: curves, skeletons, runtime clips, codecs.
pub use keyfold_core as core;
pub use keyfold_core::curve::{Curve, Interpolation, Kind};
pub use keyfold_core::skeleton::Transform;
pub use limits::{Allowance, Limits};
pub use monitor::{Monitor, Part};
pub(crate) use read::read_shared;
pub use read::{Animations, read};
pub use retarget::{RetargetOptions, Weights, retarget};
pub use sample::{AnimationTitle, Samples, TrackSamples, title};
pub use scene::Scene;
pub use storage::Storage;
pub use target::{Axis, Property, Target, Targets, ValueKind};
pub(crate) use unpack::unpack_storage;
pub use unpack::{unpack, unpack_with};
