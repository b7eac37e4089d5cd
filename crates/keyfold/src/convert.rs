//! Converts a document to another form: rotations first, then targets, then storage.

use crate::{
    Bound, Changed, Document, Finding, Interpolation, Monitor, Part, Result, RetargetOptions, Storage, draco,
    quantization, retarget,
    rotation::{ChangedRotations, CoreSampler, RotationOptions, RotationReport, convert_rotations_with},
    unpack_storage, unpack_with,
    write::{MeshoptVersion, write_meshopt, write_stream},
};

/// The wanted form of a document. By default everything stays as it is.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// The interpolation of rotations, and what readers without CUBICSLERP see.
    pub rotation: Option<(Interpolation, CoreSampler)>,
    /// How channels address their targets.
    pub targets: RetargetOptions,
    /// How animations are stored.
    pub storage: Option<StorageForm>,
    /// How far a measured point may move.
    pub max_error: Bound,
}

/// A storage with the options of its writer.
#[derive(Clone, Debug)]
#[non_exhaustive]
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

/// A storage as its writer makes it by default.
impl From<Storage> for StorageForm {
    fn from(storage: Storage) -> Self {
        match storage {
            Storage::Core => Self::Core,
            Storage::Quantization => Self::Quantization(quantization::Options::default()),
            Storage::Draco => Self::Draco(draco::Options::default()),
            Storage::Meshopt => Self::Meshopt(MeshoptVersion::default()),
            Storage::Stream => Self::Stream { fallback: false },
        }
    }
}

/// The result of [`convert`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The converted document; `None` if the options ask for nothing.
    pub document: Option<Document>,
    /// A report on rotations, if the options ask for an interpolation.
    pub rotations: Option<RotationReport>,
    /// What could not be converted, and comments on what was.
    pub findings: Vec<Finding>,
}

/// Converts a document to another form. Use [`kept`](crate::kept) to compare what will be written with the original.
///
/// ```
/// use keyfold::{ConvertOptions, Document, Storage, convert, kept};
/// # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
/// let original = Document::open(machine)?;
/// let options = ConvertOptions { storage: Some(Storage::Meshopt.into()), ..ConvertOptions::default() };
/// let converted = convert(&original, &options)?.document.expect("a storage is asked for");
/// let draft = converted.draft(None)?;
/// assert!(kept(&original, draft.document(), options.max_error)?.broken.is_empty());
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn convert(original: &Document, options: &ConvertOptions) -> Result<Converted> {
    convert_with(original, options, &())
}

/// Like [`convert`], with progress and cancellation.
pub fn convert_with(original: &Document, options: &ConvertOptions, monitor: &dyn Monitor) -> Result<Converted> {
    let mut done = Converted::default();
    if let Some((interpolation, core)) = options.rotation {
        let options = RotationOptions { interpolation, only: None, max_error: options.step_error(), core };
        let part = Part { whole: monitor, from: 0.0, share: 0.3 };
        let ChangedRotations { document, report } = convert_rotations_with(original, &options, &part)?;
        done.now(document, report.findings.clone());
        done.rotations = Some(report);
    }
    if options.targets != RetargetOptions::default() {
        monitor.step(0.3, "addresses")?;
        let Changed { document, findings } = retarget(done.document.as_ref().unwrap_or(original), &options.targets)?;
        done.now(document, findings);
    }
    if let Some(storage) = &options.storage {
        monitor.step(0.4, "storage")?;
        let before = done.document.as_ref().unwrap_or(original);
        let Changed { document, findings } = match (storage, options.rotation) {
            // Who asks for spherical splines has them as floats, too.
            (StorageForm::Core, Some((Interpolation::CubicSlerp, _))) => unpack_storage(before)?,
            _ => storage.of(before, options.step_error(), &Part { whole: monitor, from: 0.4, share: 0.6 })?,
        };
        done.now(document, findings);
    }
    Ok(done)
}

impl ConvertOptions {
    /// Whether the result should play like the original. `false` if the options change static values.
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
    fn of(&self, document: &Document, max_error: Bound, monitor: &dyn Monitor) -> Result<Changed> {
        match self {
            Self::Core => unpack_with(document, max_error, monitor),
            Self::Quantization(options) => quantization::quantize_with(document, max_error, options, monitor),
            Self::Draco(options) => draco::compress_with(document, max_error, options, monitor),
            Self::Meshopt(version) => write_meshopt(document, *version),
            Self::Stream { fallback } => write_stream(document, *fallback),
        }
    }
}

/// A storage whose steps are searched, and what its writer is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Searched<'a> {
    Draco(&'a draco::StreamOptions),
    Quantization(&'a quantization::Options),
}

/// A document whose animations the engine brings to a storage within a bound: keys and interpolation stay
/// as they are.
#[cfg(feature = "pack")]
pub(crate) fn with_keys_kept(
    document: &Document,
    max_error: Bound,
    storage: Searched<'_>,
    monitor: &dyn Monitor,
) -> Result<Document> {
    use crate::pack::{Level, Options, pack_once};
    let kept = Options { max_error, keep_keys: true, level: Level::Fast, ..Options::default() };
    let options = match storage {
        Searched::Draco(streams) => {
            Options { storage: Storage::Draco, keep_rest: true, draco: streams.clone(), ..kept }
        }
        Searched::Quantization(options) => Options {
            storage: Storage::Quantization,
            keep_rest: options.keep_rest,
            quantization: options.layouts.clone(),
            ..kept
        },
    };
    Ok(pack_once(document, &options, monitor)?.document)
}

/// Without the engine there is nothing to search with.
#[cfg(not(feature = "pack"))]
pub(crate) fn with_keys_kept(_: &Document, _: Bound, storage: Searched<'_>, _: &dyn Monitor) -> Result<Document> {
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
