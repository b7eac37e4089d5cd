//! The object model: what a JSON pointer addresses in a glTF document.
//!
//! - [`Pointer`]: the address itself, RFC 6901.
//! - [`Registry`]: every kind of property that can be addressed, as [`Row`]s: its type, its default, its [`Valid`] values.
//! - [`references`]: every place in a document where an object is referred to, and renumbering.
//!
//! The object model is <https://github.com/KhronosGroup/glTF/blob/main/specification/2.0/ObjectModel.adoc>. Nothing here
//! knows animations: how channels name pointers is the business of the extensions that do.

mod pointer;
pub mod references;
mod registry;
mod row;
mod rows;
mod valid;

pub use pointer::{Pointer, PointerError};
pub use registry::{Match, Registry, is_extras};
pub use row::{Initial, Relation, Row, Standing, ValueType};
pub use valid::Valid;
