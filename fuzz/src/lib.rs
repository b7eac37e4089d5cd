//! One function per decoder and per job, fed with hostile bytes.

mod build_clip;
mod clip;
mod compress;
mod diff;
mod document;
mod draco;
mod mutate;
mod pack;
mod pointer;
mod quantization;
mod rotation;
mod stream;
mod structure;
mod validate;

pub use build_clip::build_clip;
pub use clip::{clip, sealed};
pub use compress::compress;
pub use diff::diff;
pub(crate) use document::reopened;
pub use document::{document, options, play};
pub use draco::draco;
pub use mutate::Mutator;
pub use pack::pack;
pub use pointer::pointer;
pub use quantization::quantization;
pub use rotation::rotation;
pub use stream::stream;
pub use validate::validate;
