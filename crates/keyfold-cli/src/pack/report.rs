//! What came of packing a file.

use super::{
    job::{Best, Job},
    journal::Done,
};
use crate::{input, output::title, storage};
use keyfold::{
    Diff, Document, PropertyDiff, Storage, inspect,
    pack::{Glance, Packed},
};
use serde::Serialize;

/// One file.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct FileReport {
    pub(super) input: String,
    pub(super) output: Option<String>,
    pub(super) storage: Option<&'static str>,
    pub(super) bytes: Sizes,
    pub(super) animation_bytes: Sizes,
    pub(super) error: Option<Error>,
    pub(super) candidates: Vec<Candidate>,
    /// Animations that stayed as they were, and channels that could not be read.
    pub(super) left: Vec<String>,
    /// Nothing could be saved: the output is a copy.
    pub(super) copied: bool,
    /// A run before had done it.
    pub(super) up_to_date: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<String>,
    /// Its part of the page that `--report` asks for.
    #[serde(skip)]
    pub(super) part: Option<String>,
}

/// Bytes before and after.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Sizes {
    pub(super) before: u64,
    pub(super) after: u64,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Error {
    pub(super) max: f64,
    pub(super) relative: f64,
    rms: f64,
    pub(super) bound: f64,
    animation: Option<String>,
    pub(super) node: Option<String>,
    time: Option<f64>,
    /// The worst of what moves no points.
    pub(super) properties: PropertyDiff,
}

impl Error {
    fn new(diff: &Diff, bound: f64) -> Self {
        let worst = diff.animations.iter().reduce(|a, b| if b.error > a.error { b } else { a });
        Self {
            max: diff.error,
            relative: diff.relative,
            rms: diff.rms,
            bound,
            animation: worst.map(|a| title(a.name.as_deref(), a.index)),
            node: worst.and_then(|a| a.node.map(|node| title(a.node_name.as_deref(), node))),
            time: worst.and_then(|a| a.time),
            properties: worst_property(diff),
        }
    }

    /// The bound as a share of the model's size.
    pub(super) fn allowed(&self) -> f64 {
        if self.max > 0.0 { self.bound * self.relative / self.max } else { 0.0 }
    }

    /// When it is worst, and in which animation.
    pub(super) fn moment(&self) -> String {
        let time = self.time.map_or_else(String::new, |t| format!("at {t:.2} s"));
        self.animation.as_ref().map_or(time.clone(), |name| format!("{time} of {name}"))
    }

    /// Where and when it is worst.
    pub(super) fn place(&self) -> String {
        self.node.as_ref().map_or_else(String::new, |node| format!("{node} {}", self.moment()))
    }
}

fn worst_property(diff: &Diff) -> PropertyDiff {
    let all = diff.animations.iter().map(|a| &a.properties);
    all.reduce(|a, b| if b.max > a.max { b } else { a }).cloned().unwrap_or_default()
}

/// What a storage would take.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Candidate {
    pub(super) storage: &'static str,
    pub(super) animation_bytes: u64,
    pub(super) gzip_bytes: usize,
    pub(super) error: f64,
    pub(super) plays: &'static str,
    /// Whether this is an estimate from a quick look at a part of the animations.
    pub(super) quick: bool,
}

impl Candidate {
    pub(super) fn new(storage: Storage, packed: &Packed) -> Self {
        Self {
            storage: storage.name(),
            animation_bytes: animation_bytes(&packed.document),
            gzip_bytes: packed.gzip_bytes,
            error: packed.diff.error,
            plays: storage::plays(storage),
            quick: false,
        }
    }

    pub(super) fn glanced(glance: Glance) -> Self {
        let Glance { storage, animation_bytes, gzip_bytes, error } = glance;
        Self {
            storage: storage.name(),
            animation_bytes,
            gzip_bytes,
            error,
            plays: storage::plays(storage),
            quick: true,
        }
    }
}

fn animation_bytes(document: &Document) -> u64 {
    let tracks = keyfold::read(document).map(|r| r.animations.into_iter().flat_map(|a| a.tracks).collect::<Vec<_>>());
    inspect::animation_bytes(document, tracks.unwrap_or_default().iter()) as u64
}

impl FileReport {
    pub(super) fn new(job: &Job) -> Self {
        let (input, output) = (input::name(&job.input), Some(job.output.display().to_string()));
        Self { input, output, ..Self::default() }
    }

    /// Takes what came of packing; the packed document.
    pub(super) fn fill(&mut self, document: &Document, best: Best) -> Document {
        let Best { candidate, packed } = best;
        self.storage = Some(candidate.storage);
        self.animation_bytes = Sizes { before: animation_bytes(document), after: candidate.animation_bytes };
        self.error = Some(Error::new(&packed.diff, packed.bound));
        self.left = packed.left;
        packed.document
    }

    /// Takes what a run before had written down.
    pub(super) fn done_before(&mut self, done: &Done) {
        self.up_to_date = true;
        self.bytes.after = done.bytes;
        self.left.clone_from(&done.left);
    }

    /// Takes the error from a comparison of what a run before had written.
    pub(super) fn measured(&mut self, diff: &Diff, bound: f64) {
        self.error = Some(Error::new(diff, bound));
    }

    /// The input's name without its folder.
    pub(super) fn name(&self) -> String {
        let path = std::path::Path::new(&self.input);
        path.file_name().map_or_else(|| self.input.clone(), |n| n.to_string_lossy().into_owned())
    }

    /// Says that nothing came of it, and why.
    pub(super) fn failed(mut self, why: String) -> Self {
        (self.output, self.failed) = (None, Some(why));
        self
    }

    /// Says that the output is a copy of the input.
    pub(super) fn unchanged(&mut self) {
        self.copied = true;
        self.animation_bytes.after = self.animation_bytes.before;
        if let Some(error) = &mut self.error {
            *error = Error { bound: error.bound, ..Error::default() };
        }
    }

    /// What went wrong.
    pub(super) fn complaints(&self) -> impl Iterator<Item = String> {
        let left = self.left.iter().map(|what| format!("{}: {what}", self.input));
        self.failed.iter().cloned().chain(left)
    }
}
