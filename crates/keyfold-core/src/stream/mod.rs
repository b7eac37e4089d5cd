//! KEYFOLD_animation_stream: entropy-coded arrays of keys. `docs/stream.md` describes the format.
//!
//! | file | idea |
//! |---|---|
//! | `range_coder` | bits, with probabilities that are learned |
//! | `number` | integers as bits |
//! | `series` | an array's codes, each predicted from its neighbours |
//! | `rotation` | rotations as three integers |
//! | `head` | what a stream holds |
//! | `decode`, `encode` | a stream's bytes and its segments |

mod decode;
mod encode;
mod error;
mod fitting;
mod head;
mod limits;
mod number;
mod projection;
mod range_coder;
mod rotation;
mod series;

pub use decode::Stream;
pub use encode::{Array, encode};
pub use error::StreamError;
pub use fitting::fitting;
pub use head::{Clock, Coding, Layout};
pub use limits::Limits;
pub use projection::projection;
pub(crate) use rotation::step_within;
pub use rotation::{RotationGrid, Rotations};

#[cfg(test)]
mod tests;
