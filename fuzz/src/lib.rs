//! One function per decoder, fed with hostile bytes.

mod draco;
mod mutate;

pub use draco::draco;
pub use mutate::Mutator;
