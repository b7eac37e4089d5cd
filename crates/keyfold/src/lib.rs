//! Keyfold reads any animated glTF 2.0 file, plays it exactly, and makes its animations as small as an error bound allows.
//!
//! Open a file, look at what it plays, make it smaller, and prove that it still plays the same:
//!
//! ```
//! use keyfold::{Document, diff, pack::{Settings, pack}, read};
//! # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
//! # let folder = std::env::temp_dir();
//! let document = Document::open(machine)?;
//! for animation in read(&document)?.animations {
//!     println!("{:?} lasts {} s and drives {} targets", animation.name, animation.duration(), animation.tracks.len());
//! }
//! let packed = pack(&document, &Settings { bound: "0.1%".parse()?, ..Settings::default() })?;
//! let proof = diff(&document, &packed.document, None)?;
//! assert!(proof.relative <= 0.001);
//! # let output = folder.join(format!("keyfold-doc-{}.glb", std::process::id()));
//! packed.document.save(&output)?;
//! # std::fs::remove_file(&output)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What comes to stay: a [`Document`] is a file in memory and never changes; [`read`](fn@read) gives its [`Animation`]s, whatever storage they were in; a
//! [`Scene`] knows its nodes and how large its model is; a [`Bound`] is how far what is measured of them may move. Every other function takes some of these.
//!
//! ```text
//! bytes -> Document -> read -> Vec<Animation> -> passes -> write -> Document -> bytes
//! ```
//!
//! Features: `fs` (paths), `meshopt`, `pack`, `parallel`, all on by default. Without `fs` documents come [from memory](Document::from_bytes), and a
//! [`Resolver`] answers for the files that they name.
//!
//! | module | what it is |
//! |---|---|
//! | [`document`] | a glTF file in memory: JSON as read, buffers, accessors, edits, saving |
//! | [`object_model`] | what a JSON pointer addresses in a document, and what refers to what |
//! | `extensions` | one file per extension, one list of them |
//! | [`Animation`], [`Track`], [`Target`] | what every storage means once it is undone |
//! | [`read`](fn@read), [`Samples`] | a document's animations; what one plays at given times |
//! | [`apply`](fn@apply), [`freeze`] | a moment of an animation written into the document |
//! | [`retarget`](fn@retarget) | channels that address their targets in another way |
//! | [`inspect`] | what a document's animations are and what they weigh |
//! | [`mod@write`] | planned channels back into a document |
//! | [`Scene`], [`Bound`] | a document's hierarchy and measures; how much error is allowed |
//! | [`build_clip`] | an animation as a runtime clip |
//! | [`diff`](fn@diff), [`report`] | how far two files lie apart; that, spread over time, joints and tracks |
//! | [`convert`](fn@convert), [`kept`](fn@kept) | a document in another form; whether it plays as it did |
//! | [`rotation`] | rotations in another interpolation, within a bound |
//! | [`mod@validate`] | whether a file keeps the rules |
//! | [`pack`] | the smallest file within a bound that holds |

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Where a part of the crate is built, some of the rest has no caller.
#![cfg_attr(not(all(feature = "fs", feature = "meshopt", feature = "pack")), allow(dead_code, unused_imports))]

/// The README's code, so that it keeps compiling.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod animation;
mod apply;
mod bound;
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
pub use bound::{Bound, BoundError, PROPERTY_BOUND};
pub use clip::{BuiltClip, ClipInfo, ClipOptions, ClipReport, ClipTrack, ErrorSize, build_clip, build_clip_with};
pub use convert::{Converted, Form, StorageForm, convert};
pub use diff::{AnimationDiff, Diff, Kept, PropertyDiff, Unmatched, Which, diff, diff_nodes, diff_with, kept, report};
pub use document::{Document, OpenOptions, Resolver};
pub use error::{Error, Result};
pub use extensions::draco;
pub use extensions::meshopt;
pub use extensions::quantization;
pub use finding::{Finding, Severity};
pub(crate) use join_axes::join_axes;
pub use keyfold_core::curve::{Curve, Interpolation, Kind};
pub use keyfold_core::skeleton::Transform;
pub use limits::{Allowance, Limits};
pub use monitor::{Monitor, Part};
pub(crate) use read::read_shared;
pub use read::{Animations, read};
pub use retarget::{Retarget, Weights, retarget};
pub use sample::{AnimationTitle, Samples, TrackSamples, title};
pub use scene::Scene;
pub use storage::Storage;
pub use target::{Axis, Property, Target, Targets, ValueKind};
pub use unpack::unpack;
pub(crate) use unpack::unpack_storage;
