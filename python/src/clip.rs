//! `clip_build`: an animation as a runtime clip.

use crate::{
    error::KeyfoldError,
    source::Source,
    tools::{Made, bound, json, named},
    work::Work,
};
use keyfold::{Animation, ClipOptions, ClipReport, Document, Error, Monitor, Result, build_clip_with, read};
use keyfold_core::clip::Encoding;
use pyo3::{prelude::*, types::PyBytes};

const ENCODINGS: [(&str, Encoding); 2] = [("variable", Encoding::Variable), ("fixed", Encoding::Fixed)];

/// A runtime clip.
#[pyfunction]
#[pyo3(signature = (source, animation, *, fps, encoding, bits, max_error, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn clip_build<'py>(
    py: Python<'py>,
    source: Source,
    animation: Option<&str>,
    fps: Option<f32>,
    encoding: &str,
    bits: Option<u32>,
    max_error: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Made<'py>> {
    let options = ClipOptions {
        rate: fps,
        encoding: named(&ENCODINGS, encoding)?,
        bits,
        max_error: bound(max_error)?,
        ..ClipOptions::default()
    };
    let run = |monitor: &dyn Monitor| clip(&source.open()?, animation, &options, monitor);
    let (bytes, report) = Work { threads, progress }.run(py, run)?;
    if !report.held && bits.is_none() {
        return Err(KeyfoldError::new_err((format!("the bound of {max_error} is not held"), String::new())));
    }
    Ok((PyBytes::new(py, &bytes), json(&report)?))
}

fn clip(
    document: &Document,
    wanted: Option<&str>,
    options: &ClipOptions,
    monitor: &dyn Monitor,
) -> Result<(Vec<u8>, ClipReport)> {
    let animations = read(document)?.animations;
    let is_wanted = |a: &&Animation| match wanted {
        Some(wanted) => a.name.as_deref() == Some(wanted) || wanted.parse() == Ok(a.index),
        None => true,
    };
    let animation = animations.iter().find(is_wanted);
    let animation = animation.ok_or_else(|| Error::malformed("/animations", "there is no such animation"))?;
    // What is wrong is wrong with this animation.
    let placed = |error: Error| match error {
        Error::Cancelled => error,
        error if error.at().is_empty() => {
            Error::malformed(format!("/animations/{}", animation.index), error.to_string())
        }
        error => error,
    };
    let built = build_clip_with(document, animation.index, options, monitor).map_err(placed)?;
    let report = built.report().map_err(placed)?;
    Ok((built.bytes, report))
}
