//! Rust's errors as Python's exceptions.

use pyo3::{PyErr, exceptions::PyValueError, import_exception};
use std::fmt::Display;

import_exception!(keyfold._error, KeyfoldError);

/// What a file is to blame for: a `KeyfoldError` that knows its place.
pub(crate) fn raised(error: keyfold::Error) -> PyErr {
    KeyfoldError::new_err((error.to_string(), error.at().to_owned()))
}

/// What the caller is to blame for.
pub(crate) fn refused(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}
