//! The commands that only look, and what all commands share: settings in, reports (as JSON text, in the program's shapes) out.

use crate::{
    error::{raised, refused},
    source::Source,
    work::Work,
};
use keyfold::{
    Bound, OpenOptions, Result, Storage, diff_with, inspect as look,
    validate::{ValidationReport, advise, validate_bytes},
};
use pyo3::{prelude::*, types::PyBytes};
use serde::Serialize;

/// A file's bytes, and JSON about it.
pub(crate) type Made<'py> = (pyo3::Bound<'py, PyBytes>, String);

pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(refused)
}

pub(crate) fn bound(text: &str) -> PyResult<Bound> {
    text.parse().map_err(refused)
}

/// What a name stands for; one that is not known is refused with those that are.
pub(crate) fn named<T: Copy>(known: &[(&str, T)], name: &str) -> PyResult<T> {
    let found = known.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
        refused(format!("{name:?} is none of {}", names.join(", ")))
    })
}

/// The storages by their names.
pub(crate) fn storages() -> [(&'static str, Storage); Storage::ALL.len()] {
    Storage::ALL.map(|storage| (storage.name(), storage))
}

/// How far two files' animations lie apart.
#[pyfunction]
#[pyo3(signature = (a, b, *, shell, threads, progress))]
pub(crate) fn diff(
    py: Python<'_>,
    a: Source,
    b: Source,
    shell: Option<&str>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let shell = shell.map(bound).transpose()?;
    json(&Work { threads, progress }.run(py, |monitor| diff_with(&a.open()?, &b.open()?, shell, monitor))?)
}

/// What a file's animations are and what they weigh.
#[pyfunction]
pub(crate) fn inspect(py: Python<'_>, source: Source) -> PyResult<String> {
    let run = || {
        let document = source.open()?;
        let (bytes, inspection) = (source.length(&document)?, look::inspect(&document)?);
        Ok(look::FileInspection { file: source.name(), bytes, inspection })
    };
    json(&py.detach(run).map_err(raised)?)
}

/// Whether a file keeps the rules.
#[pyfunction]
pub(crate) fn validate(py: Python<'_>, source: Source) -> PyResult<String> {
    let run = || -> Result<ValidationReport> {
        let (bytes, folder) = source.read()?;
        let found = validate_bytes(&bytes, folder, &OpenOptions::default())?;
        let advice = found.document.as_ref().map(advise).unwrap_or_default();
        let findings = found.findings.into_iter().chain(advice).collect();
        Ok(ValidationReport::new(source.name(), found.document.as_ref(), findings, None))
    };
    json(&py.detach(run).map_err(raised)?)
}
