//! Packing a file: tries storages, keeps one, and reports in the shape that `keyfold pack --json` prints.

use super::{
    Optimize, Options, Packed,
    estimate::estimates,
    smallest::{Smallest, smaller_core, smallest},
    weigh::{self, WHOLE, Weight},
};
use crate::{
    Diff, Document, Error, Monitor, Part, PropertyDiff, Result, Storage, document::Draft, extensions,
    inspect::document_bytes, read_shared, sample::title,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::Path};

/// The result of packing a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileReport {
    /// The name of the input.
    pub input: String,
    /// The name of the output, if one was written.
    pub output: Option<String>,
    /// The storage that was written.
    pub storage: Option<Storage>,
    /// The size of the file, including buffers in other files.
    pub bytes: Sizes,
    /// The size of the animation data.
    pub animation_bytes: Sizes,
    /// The error of the output.
    pub error: Option<ErrorReport>,
    /// The size in each storage that was considered.
    #[serde(skip_deserializing)]
    pub candidates: Vec<Candidate>,
    /// Animations that stayed as they were, and channels that could not be read.
    pub left: Vec<String>,
    /// Whether nothing could be saved and the output is a copy.
    pub copied: bool,
    /// Whether an earlier run had packed it already.
    pub up_to_date: bool,
    /// Why packing failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl FileReport {
    /// The report on a file that could not be packed.
    pub fn failure(input: String, why: String) -> Self {
        Self { input, failed: Some(why), ..Self::default() }
    }

    /// Everything that went wrong.
    pub fn complaints(&self) -> impl Iterator<Item = String> {
        let left = self.left.iter().map(|what| format!("{}: {what}", self.input));
        self.failed.iter().cloned().chain(left)
    }
}

/// Bytes before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Bytes before.
    pub before: u64,
    /// Bytes after.
    pub after: u64,
}

/// The error of a file, and where it is largest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// The largest distance between corresponding points, in scene units.
    pub max: f64,
    /// [`max`](Self::max) as a share of the model's size.
    pub relative: f64,
    /// The proven upper bound of that distance at any time, in scene units, which must be within `bound`.
    pub possible: f64,
    /// The root mean square of the distances, in scene units.
    pub rms: f64,
    /// The error bound, in scene units.
    pub bound: f64,
    /// The animation with the largest error.
    pub animation: Option<String>,
    /// The node with the largest error in that animation.
    pub node: Option<String>,
    /// The time of the largest error, in seconds.
    pub time: Option<f64>,
    /// The largest error of properties that move no points.
    pub properties: PropertyDiff,
}

impl ErrorReport {
    /// The report of a comparison, against the bound.
    pub fn new(diff: &Diff, bound: f64) -> Self {
        let worst = diff.animations.iter().reduce(|a, b| if b.error > a.error { b } else { a });
        let properties = diff.animations.iter().map(|animation| &animation.properties);
        Self {
            max: diff.error,
            relative: diff.relative,
            possible: diff.possible,
            rms: diff.rms,
            bound,
            animation: worst.map(|a| title(a.name.as_deref(), a.index)),
            node: worst.and_then(|a| a.node.map(|node| title(a.node_name.as_deref(), node))),
            time: worst.and_then(|a| a.time),
            properties: properties.reduce(|a, b| if b.max > a.max { b } else { a }).cloned().unwrap_or_default(),
        }
    }

    /// The time and animation of the largest error, for people.
    pub fn moment(&self) -> String {
        let time = self.time.map_or_else(String::new, |t| format!("at {t:.2} s"));
        self.animation.as_ref().map_or(time.clone(), |name| format!("{time} of {name}"))
    }
}

/// The node, time and animation of the largest error, for people.
impl std::fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.node {
            Some(node) => write!(f, "{node} {}", self.moment()),
            None => Ok(()),
        }
    }
}

/// The size in one storage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The storage.
    pub storage: Storage,
    /// The size of the animation data in the file.
    pub animation_bytes: u64,
    /// The size of the animations' bytes and JSON after gzip.
    pub gzip_bytes: usize,
    /// The error in scene units; `None` for an estimate.
    pub error: Option<f64>,
    /// Where such a file plays.
    pub plays: String,
    /// Whether the figures are an estimate from a quick search.
    pub quick: bool,
}

impl Candidate {
    fn new(packed: &Packed) -> Self {
        let weight = Weight { raw: document_bytes(&packed.document) as usize, gzip: packed.gzip_bytes };
        let about = Self::estimated(packed.storage, &packed.document, weight);
        Self { error: Some(packed.diff.error), quick: false, ..about }
    }

    /// An estimate, for a document that needs the same extensions as `document`.
    pub(super) fn estimated(storage: Storage, document: &Document, Weight { raw, gzip }: Weight) -> Self {
        let (animation_bytes, plays) = (raw as u64, plays(storage, document));
        Self { storage, animation_bytes, gzip_bytes: gzip, error: None, plays, quick: true }
    }
}

/// Where a document plays if its animations are in a storage. Other extensions that it needs count as well.
fn plays(storage: Storage, document: &Document) -> String {
    let needed = extensions::beside_storages().filter(|name| document.uses(name)).collect::<Vec<_>>();
    match (storage, needed.as_slice()) {
        (_, []) => storage.plays().to_owned(),
        (Storage::Core, needed) => format!("where {} is known", needed.join(" and ")),
        (_, needed) => format!("{}; needs {}", storage.plays(), needed.join(" and ")),
    }
}

/// Which storages are considered.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The storages of which the smallest is kept.
    pub among: Vec<Storage>,
    /// Storages that are also packed, for the report only.
    pub beside: Vec<Storage>,
    /// Whether all others are estimated.
    pub estimate: bool,
}

impl Choice {
    /// The default: core, which plays everywhere, or, if smaller, the storage that the animations are in.
    pub fn usual(document: &Document) -> Result<Self> {
        let animations = &read_shared(document)?.animations;
        let tracks = animations.iter().flat_map(|a| a.tracks.iter().map(move |track| (a.index, track)));
        let own = tracks.map(|(index, track)| Storage::of(document, index, track));
        let among: BTreeSet<Storage> = own.chain([Storage::Core]).collect();
        Ok(Self { among: among.into_iter().collect(), beside: Vec::new(), estimate: false })
    }
}

/// A single storage.
impl From<Storage> for Choice {
    fn from(storage: Storage) -> Self {
        Self { among: vec![storage], beside: Vec::new(), estimate: false }
    }
}

/// The smallest of the storages considered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Chosen {
    /// The storage.
    pub storage: Storage,
    /// The packed document and its measured error.
    pub packed: Packed,
    /// The size in each storage, in the order in which they were considered.
    pub candidates: Vec<Candidate>,
    /// Whether gzipped or raw bytes were minimized.
    pub optimize: Optimize,
    /// Whether the original is no answer: `convert` to a storage other than core makes it smaller on disk.
    convert_saves: bool,
}

/// Packs a document to several storages and keeps the smallest. `options.storage` is ignored.
pub fn choose(document: &Document, options: &Options, choice: &Choice) -> Result<Chosen> {
    choose_with(document, options, choice, &())
}

/// Like [`choose`], with progress and cancellation. What is packed is kept if only estimates are cancelled.
pub fn choose_with(document: &Document, options: &Options, choice: &Choice, monitor: &dyn Monitor) -> Result<Chosen> {
    let tried: Vec<Storage> =
        Storage::ALL.into_iter().filter(|s| choice.among.contains(s) || choice.beside.contains(s)).collect();
    let is_alone = choice.among.len() == 1;
    let (mut candidates, mut best) = (Vec::new(), None::<Smallest>);
    let packing = if choice.estimate { 0.8 } else { 1.0 };
    for (index, storage) in tried.iter().enumerate() {
        let share = packing / tried.len() as f64;
        let part = Part { whole: monitor, from: index as f64 * share, share };
        let own = Options { storage: *storage, ..options.clone() };
        let is_candidate = choice.among.contains(storage);
        let before = document.account().left().work;
        let mut found = smallest(document, &own, &part)?;
        // The original is an answer for core, where most files are, and among several storages.
        found.convert_saves &= is_alone && *storage != Storage::Core;
        candidates.push(Candidate::new(&found.packed));
        if is_candidate && is_alone {
            let took = before.saturating_sub(document.account().left().work);
            let part = Part { whole: &part, from: 0.99, share: 0.01 };
            if let Some(core) = smaller_core(document, &own, &found.packed, took, &part)? {
                if !tried.contains(&Storage::Core) {
                    candidates.insert(0, Candidate::new(&core));
                }
                found.packed = core;
            }
        }
        let weight = |found: &Smallest| found.packed.weight(options.optimize);
        if is_candidate && best.as_ref().is_none_or(|best| weight(&found) < weight(best)) {
            best = Some(found);
        }
    }
    let best = best.ok_or_else(|| Error::argument("", "no storage is given"))?;
    let Smallest { packed, convert_saves } = best;
    let storage = packed.storage;
    if choice.estimate {
        let is_known = |other: &Storage| tried.contains(other) || *other == storage;
        let others: Vec<Storage> = Storage::ALL.into_iter().filter(|other| !is_known(other)).collect();
        let chosen = Options { storage, ..options.clone() };
        let part = Part { whole: monitor, from: packing, share: 1.0 - packing };
        match estimates(document, &chosen, &packed, &others, &part) {
            Err(Error::Cancelled) => {}
            found => candidates.extend(found?),
        }
    }
    Ok(Chosen { storage, packed, candidates, optimize: options.optimize, convert_saves })
}

/// A packed file: what to write and what to report.
#[derive(Debug)]
#[non_exhaustive]
pub struct PackedFile {
    /// The file to write.
    pub draft: Draft,
    /// The packed document; `None` if the file stays as it was.
    pub document: Option<Document>,
    /// The report on the file.
    pub report: FileReport,
}

impl Chosen {
    /// A document packed to one storage only.
    pub fn alone(storage: Storage, packed: Packed, optimize: Optimize) -> Self {
        Self { storage, packed, candidates: Vec::new(), optimize, convert_saves: false }
    }

    /// The file to write to `output` or a stream: the packed document, or the original if that is no larger,
    /// also after gzip if that is minimized and the file is small, unless `convert` makes it smaller on disk.
    /// `before` is the size of the original with the buffers beside it.
    pub fn finish(self, original: &Document, before: u64, input: String, output: Option<&Path>) -> Result<PackedFile> {
        let Self { storage, packed, candidates, optimize, convert_saves } = self;
        let weighs = optimize == Optimize::Gzip && before <= WHOLE && !convert_saves;
        let (mut draft, mut copied) = (packed.document.draft(output)?, false);
        if draft.bytes() >= before || weighs {
            // In another container, the same document may be longer.
            let same = original.draft(output)?;
            let gzip = |draft: &Draft| weigh::whole(draft).gzip;
            if draft.bytes() >= same.bytes() || weighs && gzip(&draft) > gzip(&same) {
                (draft, copied) = (same, true);
            }
        }
        let animation_bytes = document_bytes(original);
        let after = if copied { animation_bytes } else { document_bytes(&packed.document) };
        let error = match copied {
            true => ErrorReport { bound: packed.bound, ..ErrorReport::default() },
            false => ErrorReport::new(&packed.diff, packed.bound),
        };
        let report = FileReport {
            input,
            output: output.map(|path| path.display().to_string()),
            storage: Some(storage),
            bytes: Sizes { before, after: draft.bytes() },
            animation_bytes: Sizes { before: animation_bytes, after },
            error: Some(error),
            candidates,
            left: packed.left,
            copied,
            ..FileReport::default()
        };
        Ok(PackedFile { draft, document: (!copied).then_some(packed.document), report })
    }
}
