//! The border between Python and Keyfold: arguments in, arrays and bytes out, nothing decided here.
//!
//! The package's Python code (`../keyfold`) is what users see; its stub for this module is `_keyfold.pyi`. The interpreter's lock is
//! released around everything that takes time.

mod arrays;
mod document;
mod error;
mod meshes;
mod source;

/// What `keyfold` calls; no interface of its own.
#[pyo3::pymodule]
mod _keyfold {
    #[pymodule_export]
    use crate::document::Document;
    #[pymodule_export]
    use crate::meshes::Primitive;
}
