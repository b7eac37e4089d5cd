//! The border between Python and Keyfold: arguments in, arrays and bytes out, nothing decided here.
//!
//! The package's Python code (`../keyfold`) is what users see; its stub for this module is `_keyfold.pyi`. The interpreter's lock is
//! released around everything that takes time.

mod arrays;
mod clip;
mod convert;
mod document;
mod error;
mod meshes;
mod pack;
mod source;
mod tools;
mod work;

/// What `keyfold` calls; no interface of its own.
#[pyo3::pymodule]
mod _keyfold {
    #[pymodule_export]
    use crate::clip::clip_build;
    #[pymodule_export]
    use crate::convert::{convert, unpack};
    #[pymodule_export]
    use crate::document::Document;
    #[pymodule_export]
    use crate::meshes::Primitive;
    #[pymodule_export]
    use crate::pack::pack;
    #[pymodule_export]
    use crate::tools::{diff, inspect, validate};
    use pyo3::{Python, pyfunction};
    use std::ffi::OsString;

    /// The version, which decides what comes out as much as the settings do.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Runs the program; its exit code.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| keyfold_cli::run(arguments))
    }
}
