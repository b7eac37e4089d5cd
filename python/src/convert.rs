//! `convert` and `unpack`: files in another form, and what could not be brought there.

use crate::{
    error::refused,
    source::Source,
    tools::{bound, named, storages},
    work::Work,
};
use keyfold::{
    Bound, ConvertOptions, Document, Finding, Interpolation, Monitor, Part, Result, RetargetOptions, Storage,
    StorageForm, Targets, convert_with, kept_with, rotation::CoreSampler, unpack_with,
};
use pyo3::{prelude::*, types::PyBytes};

/// A file's bytes, and what is not as it was asked for.
type Made<'py> = (pyo3::Bound<'py, PyBytes>, Vec<String>);

/// Every storage undone.
#[pyfunction]
#[pyo3(signature = (source, *, max_error, threads, progress))]
pub(crate) fn unpack<'py>(
    py: Python<'py>,
    source: Source,
    max_error: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Made<'py>> {
    let bound = bound(max_error)?;
    let run = |monitor: &dyn Monitor| {
        let original = source.open()?;
        let half = |from| Part { whole: monitor, from, share: 0.5 };
        let keyfold::Changed { document, findings, .. } = unpack_with(&original, bound, &half(0.0))?;
        checked(&original, &document, bound, &half(0.5)).map(|(bytes, broken)| (bytes, told(findings, broken)))
    };
    let (bytes, told) = Work { threads, progress }.run(py, run)?;
    Ok((PyBytes::new(py, &bytes), told))
}

const TARGETS: [(&str, Targets); 3] =
    [("core", Targets::Core), ("pointer", Targets::Pointer), ("animation2", Targets::Animation2)];
const ROTATIONS: [(&str, Interpolation); 3] = [
    ("linear", Interpolation::Linear),
    ("cubicspline", Interpolation::CubicSpline),
    ("cubicslerp", Interpolation::CubicSlerp),
];

/// Another form.
#[pyfunction]
#[pyo3(signature = (source, *, storage, targets, rotation, max_error, fallback, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    source: Source,
    storage: Option<&str>,
    targets: Option<&str>,
    rotation: Option<&str>,
    max_error: &str,
    fallback: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Made<'py>> {
    let storage = storage.map(|name| named(&storages(), name)).transpose()?;
    let falls_back = matches!(storage, Some(Storage::Draco | Storage::Stream)) || rotation.is_some();
    if fallback && !falls_back {
        return Err(refused("fallback goes with rotation, or with storage draco or stream"));
    }
    let rotation = rotation.map(|name| named(&ROTATIONS, name)).transpose()?;
    let core = if fallback { CoreSampler::Linear } else { CoreSampler::None };
    let targets = targets.map(|name| named(&TARGETS, name)).transpose()?;
    let options = ConvertOptions {
        rotation: rotation.map(|rotation| (rotation, core)),
        targets: RetargetOptions { targets, ..RetargetOptions::default() },
        storage: storage.map(|storage| stored(storage, fallback)),
        max_error: bound(max_error)?,
    };
    let run = |monitor: &dyn Monitor| of_form(&source.open()?, &options, monitor);
    let (bytes, told) = Work { threads, progress }.run(py, run)?;
    Ok((PyBytes::new(py, &bytes), told))
}

/// A storage as its writer makes it by default, with plain data beside it where that is asked for.
fn stored(storage: Storage, with_fallback: bool) -> StorageForm {
    let mut form = StorageForm::from(storage);
    match &mut form {
        StorageForm::Draco(options) => options.streams.fallback = with_fallback,
        StorageForm::Stream { fallback } => *fallback = with_fallback,
        _ => {}
    }
    form
}

/// The same before Python has it.
type Done = (Vec<u8>, Vec<String>);

fn of_form(original: &Document, options: &ConvertOptions, monitor: &dyn Monitor) -> Result<Done> {
    let converted = convert_with(original, options, &Part { whole: monitor, from: 0.0, share: 0.5 })?;
    let Some(document) = converted.document else { return Ok((original.to_bytes()?, Vec::new())) };
    let rest = Part { whole: monitor, from: 0.5, share: 0.5 };
    let (bytes, broken) = checked(original, &document, options.max_error, &rest)?;
    Ok((bytes, told(converted.findings, broken)))
}

/// The bytes of a document, and what they do not keep of the original.
fn checked(original: &Document, document: &Document, bound: Bound, monitor: &dyn Monitor) -> Result<Done> {
    let draft = document.draft(None)?;
    let broken = kept_with(original, draft.document(), bound, monitor)?.broken;
    Ok((draft.contents().to_vec(), broken))
}

/// What was left out, and then what is broken.
fn told(findings: Vec<Finding>, broken: Vec<String>) -> Vec<String> {
    let left = findings.into_iter().filter(Finding::leaves_out);
    left.map(|f| format!("{}: {} ({})", f.at, f.message, f.code)).chain(broken).collect()
}
