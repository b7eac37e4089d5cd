//! `convert` and `unpack`: files in another form, and what could not be brought there.

use crate::{
    error::refused,
    source::Source,
    tools::{Made, bound, json, named, storages},
    work::Work,
};
use keyfold::{
    Bound, Document, Finding, Interpolation, Result, Retarget, Severity, Storage, Targets, draco, quantization,
    retarget,
    rotation::{CoreSampler, RotationOptions, convert_rotations},
    unpack as undo,
    write::{MeshoptVersion, write_meshopt, write_stream},
};
use pyo3::{prelude::*, types::PyBytes};

/// Every storage undone.
#[pyfunction]
#[pyo3(signature = (source, *, max_error, threads))]
pub(crate) fn unpack<'py>(
    py: Python<'py>,
    source: Source,
    max_error: &str,
    threads: Option<usize>,
) -> PyResult<Made<'py>> {
    let bound = bound(max_error)?;
    made(py, Work { threads, progress: None }.run(py, |_| done(undo(&source.open()?, bound)?))?)
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
#[pyo3(signature = (source, *, storage, targets, rotation, max_error, fallback, threads))]
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
) -> PyResult<Made<'py>> {
    let storage = storage.map(|name| named(&storages(), name)).transpose()?;
    let falls_back = matches!(storage, Some(Storage::Draco | Storage::Stream)) || rotation.is_some();
    if fallback && !falls_back {
        return Err(refused("fallback goes with rotation, or with storage draco or stream"));
    }
    let form = Form {
        storage,
        targets: targets.map(|name| named(&TARGETS, name)).transpose()?,
        rotation: rotation.map(|name| named(&ROTATIONS, name)).transpose()?,
        max_error: bound(max_error)?,
        fallback,
    };
    made(py, Work { threads, progress: None }.run(py, |_| form.of(source.open()?))?)
}

/// What `convert` is to bring about.
struct Form {
    storage: Option<Storage>,
    targets: Option<Targets>,
    rotation: Option<Interpolation>,
    max_error: Bound,
    fallback: bool,
}

/// A document's bytes, and what is not as it was asked for.
type Done = (Vec<u8>, Vec<Finding>);

impl Form {
    /// The same order as the program's: rotations, addresses, storage.
    fn of(&self, document: Document) -> Result<Done> {
        let mut all = Vec::new();
        let mut document = document;
        if let Some(interpolation) = self.rotation {
            let core = if self.fallback { CoreSampler::Linear } else { CoreSampler::None };
            let options = RotationOptions { interpolation, only: None, bound: self.max_error, shell: None, core };
            let (turned, report) = convert_rotations(&document, &options)?;
            all.extend(report.findings);
            document = turned;
        }
        if self.targets.is_some() {
            let (addressed, findings) =
                retarget(&document, &Retarget { targets: self.targets, ..Retarget::default() })?;
            all.extend(findings);
            document = addressed;
        }
        let (document, findings) = self.stored(document)?;
        all.extend(findings);
        done((document, all))
    }

    fn stored(&self, document: Document) -> Result<(Document, Vec<Finding>)> {
        let max_error = self.max_error;
        match self.storage {
            None => Ok((document, Vec::new())),
            Some(Storage::Core) => undo(&document, max_error),
            Some(Storage::Meshopt) => write_meshopt(&document, MeshoptVersion::default()),
            Some(Storage::Stream) => write_stream(&document, self.fallback),
            Some(Storage::Quantization) => {
                let options = quantization::Options { max_error, ..quantization::Options::default() };
                let done = quantization::quantize(&document, &options)?;
                Ok((done.document, told(done.findings, done.within, max_error)))
            }
            Some(Storage::Draco) => {
                let options = draco::Options { max_error, fallback: self.fallback, ..draco::Options::default() };
                let done = draco::compress(&document, &options)?;
                Ok((done.document, told(done.findings, done.within, max_error)))
            }
        }
    }
}

/// What was found, and that the bound does not hold where it does not.
fn told(mut findings: Vec<Finding>, within: bool, bound: Bound) -> Vec<Finding> {
    let over = || Finding {
        severity: Severity::Error,
        code: "BOUND_EXCEEDED",
        at: String::new(),
        message: format!("the largest error is more than {bound}"),
    };
    findings.extend((!within).then(over));
    findings
}

/// The bytes of what was made, and those findings that tell of something left out.
fn done((document, findings): (Document, Vec<Finding>)) -> Result<Done> {
    Ok((document.to_bytes()?, findings.into_iter().filter(Finding::leaves_out).collect()))
}

fn made<'py>(py: Python<'py>, (bytes, findings): Done) -> PyResult<Made<'py>> {
    Ok((PyBytes::new(py, &bytes), json(&findings)?))
}
