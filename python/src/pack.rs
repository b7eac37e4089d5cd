//! `pack`: the smallest of the storages that are asked for, within a bound; the input as it was where nothing can be saved.

use crate::{
    source::Source,
    tools::{Made, bound, json, named, storages},
    work::Work,
};
use keyfold::{
    Monitor, PropertyBound, Result, Storage,
    pack::{Choice, FileReport, Level, Options, choose_with},
};
use pyo3::{prelude::*, types::PyBytes};
use serde::Serialize;
use std::path::{Path, PathBuf};

const LEVELS: [(&str, Level); 3] = [("fast", Level::Fast), ("default", Level::Default), ("max", Level::Max)];

/// The shape of `keyfold pack --json`.
#[derive(Serialize)]
struct Report {
    files: [FileReport; 1],
}

/// Packs a file, writes it where a place is given, and reports.
#[pyfunction]
#[pyo3(signature = (source, max_error, storage, *, level, max_property_error, shell, animation, keep, output, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn pack<'py>(
    py: Python<'py>,
    source: Source,
    max_error: &str,
    storage: &str,
    level: &str,
    max_property_error: f64,
    shell: Option<&str>,
    animation: Option<String>,
    keep: Vec<String>,
    output: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Made<'py>> {
    let options = Options {
        max_error: bound(max_error)?,
        max_property_error: PropertyBound(max_property_error),
        probe_radius: shell.map(bound).transpose()?,
        level: named(&LEVELS, level)?,
        animation,
        keep,
        ..Options::default()
    };
    let among = match storage {
        "smallest" => Storage::ALL.to_vec(),
        _ => vec![named(&storages(), storage)?],
    };
    let job = Job { source: &source, options, choice: Choice { among, beside: Vec::new(), estimate: false } };
    let work = Work { threads, progress };
    let (bytes, report) = work.run(py, |monitor| job.run(output.as_deref(), monitor))?;
    Ok((PyBytes::new(py, &bytes), json(&Report { files: [report] })?))
}

struct Job<'a> {
    source: &'a Source,
    options: Options,
    choice: Choice,
}

impl Job<'_> {
    fn run(&self, output: Option<&Path>, monitor: &dyn Monitor) -> Result<(Vec<u8>, FileReport)> {
        let document = self.source.open()?;
        let before = self.source.length(&document)?;
        let chosen = choose_with(&document, &self.options, &self.choice, monitor)?;
        let file = chosen.finish(&document, before, self.source.name(), output)?;
        file.draft.write()?;
        Ok((file.draft.contents().to_vec(), file.report))
    }
}
