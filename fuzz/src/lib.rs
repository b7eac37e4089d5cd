//! One function per decoder, fed with hostile bytes.

mod clip;
mod document;
mod draco;
mod mutate;
mod pointer;
mod quantization;
mod stream;
mod validate;

pub use clip::{clip, sealed};
pub use document::{document, play};
pub use draco::draco;
pub use mutate::Mutator;
pub use pointer::pointer;
pub use quantization::quantization;
pub use stream::stream;
pub use validate::validate;
