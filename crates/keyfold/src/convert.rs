//! Converts a document to another form: rotations first, then targets, then storage.

use crate::{
    Bound, Document, Finding, Interpolation, Monitor, Part, Result, Retarget, draco, quantization, retarget,
    rotation::{CoreSampler, RotationOptions, RotationReport, convert_rotations_with},
    unpack_storage, unpack_with,
    write::{MeshoptVersion, write_meshopt, write_stream},
};

/// The wanted form of a document. By default everything stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// The interpolation of rotations, and what readers without CUBICSLERP see.
    pub rotation: Option<(Interpolation, CoreSampler)>,
    /// How channels address their targets.
    pub targets: Retarget,
    /// How animations are stored.
    pub storage: Option<StorageForm>,
    /// How far a measured point may move.
    pub max_error: Bound,
}

/// A storage with the options of its writer. The bound is that of the [`Form`], whatever these options say.
#[derive(Clone, Debug)]
pub enum StorageForm {
    /// Plain floats.
    Core,
    /// EXT_animation_quantization.
    Quantization(quantization::Options),
    /// Draco_animation_compression.
    Draco(draco::Options),
    /// EXT_meshopt_compression or KHR_meshopt_compression, lossless.
    Meshopt(MeshoptVersion),
    /// KEYFOLD_animation_stream, lossless.
    Stream {
        /// Whether the plain bytes stay beside it.
        fallback: bool,
    },
}

/// The result of [`convert`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The converted document; `None` if the form asks for nothing.
    pub document: Option<Document>,
    /// A report on rotations, if the form asks for an interpolation.
    pub rotations: Option<RotationReport>,
    /// What could not be converted, and comments on what was.
    pub findings: Vec<Finding>,
}

/// Converts a document to a form. Use [`kept`](crate::kept) to compare what will be written with the original.
///
/// ```
/// use keyfold::{Document, Form, StorageForm, convert, kept, write::MeshoptVersion};
/// # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
/// let original = Document::open(machine)?;
/// let form = Form { storage: Some(StorageForm::Meshopt(MeshoptVersion::default())), ..Form::default() };
/// let converted = convert(&original, &form)?.document.expect("a storage is asked for");
/// let draft = converted.draft(None)?;
/// assert!(kept(&original, draft.document(), form.max_error)?.broken.is_empty());
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn convert(original: &Document, form: &Form) -> Result<Converted> {
    convert_with(original, form, &())
}

/// Like [`convert`], with progress and cancellation.
pub fn convert_with(original: &Document, form: &Form, monitor: &dyn Monitor) -> Result<Converted> {
    let mut done = Converted::default();
    if let Some((interpolation, core)) = form.rotation {
        let options = RotationOptions { interpolation, only: None, bound: form.step_error(), core };
        let part = Part { whole: monitor, from: 0.0, share: 0.3 };
        let (document, report) = convert_rotations_with(original, &options, &part)?;
        done.now(document, report.findings.clone());
        done.rotations = Some(report);
    }
    if form.targets != Retarget::default() {
        monitor.step(0.3, "addresses")?;
        let (document, findings) = retarget(done.document.as_ref().unwrap_or(original), &form.targets)?;
        done.now(document, findings);
    }
    if let Some(storage) = &form.storage {
        monitor.step(0.4, "storage")?;
        let before = done.document.as_ref().unwrap_or(original);
        let (document, findings) = match (storage, form.rotation) {
            // Who asks for spherical splines has them as floats, too.
            (StorageForm::Core, Some((Interpolation::CubicSlerp, _))) => unpack_storage(before)?,
            _ => storage.of(before, form.step_error(), &Part { whole: monitor, from: 0.4, share: 0.6 })?,
        };
        done.now(document, findings);
    }
    Ok(done)
}

impl Form {
    /// Whether the result should play like the original. `false` if the form changes static values.
    pub fn keeps_values(&self) -> bool {
        !self.targets.first_as_static
    }

    /// What a single step may be off: two that fit keys anew share what they may.
    fn step_error(&self) -> Bound {
        use StorageForm::{Core, Draco, Quantization};
        let stores = matches!(self.storage, Some(Core | Quantization(_) | Draco(_)));
        if self.rotation.is_some() && stores { self.max_error.scaled(0.5) } else { self.max_error }
    }
}

impl StorageForm {
    fn of(&self, document: &Document, max_error: Bound, monitor: &dyn Monitor) -> Result<(Document, Vec<Finding>)> {
        match self {
            Self::Core => unpack_with(document, max_error, monitor),
            Self::Quantization(options) => {
                let options = quantization::Options { max_error, ..options.clone() };
                quantization::quantize_with(document, &options, monitor)
            }
            Self::Draco(options) => {
                let options = draco::Options { max_error, ..options.clone() };
                draco::compress_with(document, &options, monitor)
            }
            Self::Meshopt(version) => write_meshopt(document, *version),
            Self::Stream { fallback } => write_stream(document, *fallback),
        }
    }
}

/// A storage whose steps are searched, and what its writer is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Searched<'a> {
    Draco(&'a draco::Options),
    Quantization(&'a quantization::Options),
}

/// A document whose animations the engine brings to a storage within the options' bounds: keys and interpolation stay
/// as they are.
#[cfg(feature = "pack")]
pub(crate) fn with_keys_kept(document: &Document, storage: Searched<'_>, monitor: &dyn Monitor) -> Result<Document> {
    use crate::{
        Storage,
        pack::{Level, Settings, pack_once},
    };
    let kept = Settings { keep_keys: true, level: Level::Fast, ..Settings::default() };
    let settings = match storage {
        Searched::Draco(options) => Settings {
            storage: Storage::Draco,
            bound: options.max_error,
            keep_rest: true,
            draco: options.clone(),
            ..kept
        },
        Searched::Quantization(options) => Settings {
            storage: Storage::Quantization,
            bound: options.max_error,
            keep_rest: options.keep_rest,
            quantization: options.clone(),
            ..kept
        },
    };
    Ok(pack_once(document, &settings, monitor)?.document)
}

/// Without the engine there is nothing to search with.
#[cfg(not(feature = "pack"))]
pub(crate) fn with_keys_kept(_: &Document, storage: Searched<'_>, _: &dyn Monitor) -> Result<Document> {
    let name = match storage {
        Searched::Draco(_) => draco::NAME,
        Searched::Quantization(_) => quantization::NAME,
    };
    Err(crate::Error::Feature { feature: "pack", what: format!("writing {name}") })
}

impl Converted {
    fn now(&mut self, document: Document, findings: Vec<Finding>) {
        self.document = Some(document);
        self.findings.extend(findings);
    }
}
