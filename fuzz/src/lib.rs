//! One function per decoder, fed with hostile bytes.

mod document;
mod draco;
mod mutate;
mod quantization;

pub use document::{document, play};
pub use draco::draco;
pub use mutate::Mutator;
pub use quantization::quantization;
