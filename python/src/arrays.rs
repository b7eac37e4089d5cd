//! Flat numbers as numpy's arrays, without a copy.

use numpy::{Element, IntoPyArray, PyArray, PyArrayMethods, PyReadonlyArray1, ndarray::IntoDimension};
use pyo3::prelude::*;

/// A flat list as an array of a shape.
pub(crate) fn array<'py, T: Element, S: IntoDimension>(
    py: Python<'py>,
    flat: Vec<T>,
    shape: S,
) -> PyResult<Bound<'py, PyArray<T, S::Dim>>> {
    flat.into_pyarray(py).reshape(shape)
}

/// The times that a caller asks for. A copy: the work goes on while Python may change its array.
pub(crate) fn times(array: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    let times = array.as_array().to_vec();
    match times.iter().all(|time| time.is_finite()) {
        true => Ok(times),
        false => Err(crate::error::refused("a time is not a finite number")),
    }
}
