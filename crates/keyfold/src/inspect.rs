//! What a document's animations are and what they weigh: plain data for people and machines.

use crate::{Animations, Document, Finding, Result, Storage, Track, document::Shape, extensions, read};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `keyfold inspect` tells of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The extensions that the file declares.
    pub extensions: Extensions,
    /// Its animations.
    pub animations: Vec<AnimationSummary>,
    /// Channels that could not be read.
    pub findings: Vec<Finding>,
}

/// The extensions that a file declares.
#[derive(Clone, Debug, Serialize)]
pub struct Extensions {
    /// `extensionsUsed`.
    pub used: Vec<String>,
    /// `extensionsRequired`.
    pub required: Vec<String>,
}

/// One animation.
#[derive(Clone, Debug, Serialize)]
pub struct AnimationSummary {
    /// Its index in the file.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// When its last key is, in seconds.
    pub duration: f32,
    /// The keys of all its tracks.
    pub keys: usize,
    /// What it takes up in the file's buffers, shared data counted once.
    pub animation_bytes: usize,
    /// Its tracks.
    pub tracks: Vec<TrackSummary>,
}

/// One track.
#[derive(Clone, Debug, Serialize)]
pub struct TrackSummary {
    /// What it drives.
    pub target: String,
    /// How values between keys come about.
    pub interpolation: &'static str,
    /// How many keys it has.
    pub keys: usize,
    /// How it is stored.
    pub storage: &'static str,
    /// What its times and values take up; what tracks share counts in each of them.
    pub bytes: usize,
}

/// Looks at all animations of a document.
pub fn inspect(document: &Document) -> Result<Inspection> {
    let Animations { animations, findings } = read(document)?;
    let animations = animations.iter().map(|animation| {
        let tracks = animation.tracks.iter().map(|track| summary(document, animation.index, track));
        AnimationSummary {
            index: animation.index,
            name: animation.name.clone(),
            duration: animation.duration(),
            keys: animation.tracks.iter().map(|t| t.curve.keys()).sum(),
            animation_bytes: animation_bytes(document, animation.tracks.iter()),
            tracks: tracks.collect(),
        }
    });
    let list = |key: &str| {
        let names = document.json().get(key).and_then(|l| l.as_array());
        names.into_iter().flatten().filter_map(|n| n.as_str()).map(str::to_owned).collect()
    };
    let extensions = Extensions { used: list("extensionsUsed"), required: list("extensionsRequired") };
    Ok(Inspection { extensions, animations: animations.collect(), findings })
}

fn summary(document: &Document, animation: usize, track: &Track) -> TrackSummary {
    TrackSummary {
        target: track.target.to_string(),
        interpolation: track.curve.interpolation().name(),
        keys: track.curve.keys(),
        storage: Storage::of(document, animation, track).name(),
        bytes: share(document, track.source.input) + share(document, track.source.output),
    }
}

/// What tracks take up in the document's buffers together, shared data counted once.
pub fn animation_bytes<'t>(document: &Document, tracks: impl Iterator<Item = &'t Track>) -> usize {
    let accessors = tracks.flat_map(|t| [t.source.input, t.source.output]);
    let blocks: BTreeMap<Block, usize> = accessors.map(|a| (block(document, a), block_bytes(document, a))).collect();
    blocks.values().sum()
}

/// A piece of a buffer that stands on its own: an accessor's elements, or a compressed buffer view with all that is in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    Accessor(usize),
    View(usize),
}

fn block(document: &Document, accessor: usize) -> Block {
    match extensions::compressed_view(document, accessor) {
        Some(view) => Block::View(view),
        None => Block::Accessor(accessor),
    }
}

fn block_bytes(document: &Document, accessor: usize) -> usize {
    match extensions::compressed_view(document, accessor) {
        Some(view) => extensions::compressed_length(document, view),
        None => plain_bytes(document, accessor),
    }
}

/// An accessor's part of its block, by the floats that it stands for.
fn share(document: &Document, accessor: usize) -> usize {
    let Some(view) = extensions::compressed_view(document, accessor) else { return plain_bytes(document, accessor) };
    let values = |a: usize| document.accessor(a).map_or(0, |a| a.count * a.shape.components());
    let inside = (0..document.count("accessors")).filter(|a| extensions::compressed_view(document, *a) == Some(view));
    let all: usize = inside.map(values).sum();
    (extensions::compressed_length(document, view) * values(accessor)).checked_div(all).unwrap_or(0)
}

fn plain_bytes(document: &Document, accessor: usize) -> usize {
    let Ok(a) = document.accessor(accessor) else { return 0 };
    let size = |shape: Shape| shape.stored_size(a.component);
    let elements = if a.view.is_some() { a.count * size(a.shape) } else { 0 };
    elements + sparse_bytes(document, accessor, size(a.shape)).unwrap_or(0)
}

fn sparse_bytes(document: &Document, accessor: usize, element: usize) -> Option<usize> {
    let sparse = document.element("accessors", accessor).ok()?.object("sparse").ok()??;
    let count = sparse.index("count").ok()??;
    let index = match sparse.object("indices").ok()??.index("componentType").ok()?? {
        5121 => 1,
        5123 => 2,
        _ => 4,
    };
    Some(count * (index + element))
}
