//! The object model: what a JSON pointer addresses in a glTF document.
//!
//! - [`Pointer`]: the address itself, RFC 6901.
//! - [`references`]: every place in a document where an object is referred to, and renumbering.

mod pointer;
pub mod references;

pub use pointer::{Pointer, PointerError};
