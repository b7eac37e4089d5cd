//! The object model: what a JSON pointer addresses in a glTF document.
//!
//! - [`Pointer`]: the address itself, RFC 6901.

mod pointer;

pub use pointer::{Pointer, PointerError};
