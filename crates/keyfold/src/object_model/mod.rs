//! The object model: what a JSON pointer addresses in a glTF document.
//!
//! - [`Pointer`]: the address itself, RFC 6901.
//! - [`Registry`]: every kind of property that can be addressed, as [`Row`]s: its type, its default, its [`Valid`]
//!   values.
//! - [`Match`]: one property; its [`State`] in a document, and setting it.
//! - [`current`]: pointers in older forms.
//! - [`references`]: every place in a document where an object is referred to, and renumbering.
//!
//! The object model is <https://github.com/KhronosGroup/glTF/blob/main/specification/2.0/ObjectModel.adoc>. Nothing
//! here knows animations: how channels name pointers is the business of the extensions that do.

mod alias;
mod pointer;
pub mod references;
mod registry;
mod row;
mod rows;
mod set;
mod state;
mod valid;

pub use alias::{Alias, Current, current};
pub(crate) use pointer::array_index;
pub use pointer::{Pointer, PointerError};
pub use registry::{Match, Registry, is_extras};
pub use row::{Initial, Relation, Row, Status, ValueType};
pub use set::{SetError, set_extras};
pub use state::{State, weight_count};
pub use valid::Valid;
