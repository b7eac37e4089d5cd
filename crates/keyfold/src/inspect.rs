//! A summary of a document's animations and their sizes, as plain data.

use crate::{
    Animation, Animations, Document, Finding, Result, Storage, Track,
    document::{Accessor, JsonRef, List, Part, Run},
    extensions, read,
};
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// A summary of a document's animations.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The extensions that the file declares.
    pub extensions: Extensions,
    /// Its animations.
    pub animations: Vec<AnimationSummary>,
    /// Channels that could not be read.
    pub findings: Vec<Finding>,
}

/// The inspection of a file, in the shape that `keyfold inspect --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct FileInspection {
    /// The file's name.
    pub file: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its contents.
    #[serde(flatten)]
    pub inspection: Inspection,
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
#[non_exhaustive]
pub struct AnimationSummary {
    /// Its index in the file.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// The time of its last key, in seconds.
    pub duration: f32,
    /// The number of keys of all its tracks.
    pub keys: usize,
    /// The bytes that it takes in the file's buffers. Bytes shared by its tracks count once; of a compressed stream
    /// shared with other animations, its part counts.
    pub animation_bytes: usize,
    /// Its tracks.
    pub tracks: Vec<TrackSummary>,
}

/// One track.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TrackSummary {
    /// Its target.
    pub target: String,
    /// The interpolation between keys.
    pub interpolation: &'static str,
    /// The number of keys.
    pub keys: usize,
    /// The storage.
    pub storage: &'static str,
    /// The bytes of its times and values. Bytes shared by tracks count in each of them.
    pub bytes: usize,
}

/// Inspects all animations of a document.
pub fn inspect(document: &Document) -> Result<Inspection> {
    let Animations { animations, findings } = read(document)?;
    let weights = Weights::new(document);
    let animations = animations.iter().map(|animation| AnimationSummary {
        index: animation.index,
        name: animation.name.clone(),
        duration: animation.duration(),
        keys: animation.tracks.iter().map(|t| t.curve.keys()).sum(),
        animation_bytes: weights.together(animation.tracks.iter()),
        tracks: animation.tracks.iter().map(|track| summary(document, animation.index, track, &weights)).collect(),
    });
    let list = |key: &str| {
        let names = document.root().get(key).and_then(JsonRef::as_array);
        names.into_iter().flat_map(List::iter).filter_map(JsonRef::as_str).map(str::to_owned).collect()
    };
    let extensions = Extensions { used: list("extensionsUsed"), required: list("extensionsRequired") };
    Ok(Inspection { extensions, animations: animations.collect(), findings })
}

fn summary(document: &Document, animation: usize, track: &Track, weights: &Weights<'_>) -> TrackSummary {
    let accessors = [track.source.input, track.source.output].into_iter();
    TrackSummary {
        target: track.target.to_string(),
        interpolation: track.curve.interpolation().name(),
        keys: track.curve.keys(),
        storage: Storage::of(document, animation, track).name(),
        bytes: accessors.flat_map(|accessor| document.runs(accessor)).map(|run| weights.share(run)).sum(),
    }
}

/// The bytes that all animations of a document take in its buffers; 0 if they cannot be read.
pub fn document_bytes(document: &Document) -> u64 {
    let animations = read(document).map(|read| read.animations).unwrap_or_default();
    animation_bytes(document, animations.iter().flat_map(|animation| &animation.tracks)) as u64
}

/// The bytes that tracks take in the document's buffers together. Shared data counts once.
pub fn animation_bytes<'t>(document: &Document, tracks: impl Iterator<Item = &'t Track>) -> usize {
    Weights::new(document).together(tracks)
}

/// What each track takes up, by animation; what tracks share is divided among them.
pub(crate) fn bytes_by_track(document: &Document, animations: &[Animation]) -> Vec<Vec<usize>> {
    let weights = Weights::new(document);
    let mut users: BTreeMap<Run, usize> = BTreeMap::new();
    let accessors = |track: &Track| [track.source.input, track.source.output];
    let all = || animations.iter().flat_map(|a| &a.tracks).flat_map(accessors);
    let hosts = hosts(document, all());
    let runs = |accessor: usize| document.runs(accessor).map(|run| hosts[&run]);
    all().flat_map(runs).for_each(|host| *users.entry(host).or_insert(0) += 1);
    let bytes = |track: &Track| accessors(track).into_iter().flat_map(runs).map(|h| weights.share(h) / users[&h]).sum();
    animations.iter().map(|animation| animation.tracks.iter().map(bytes).collect()).collect()
}

/// What accessors take up: their elements, or their part of a compressed buffer view.
struct Weights<'a> {
    document: &'a Document,
    /// By accessor, the compressed view that it is in.
    compressed: BTreeMap<usize, usize>,
    /// By compressed view, the values in it.
    values: BTreeMap<usize, usize>,
}

impl<'a> Weights<'a> {
    fn new(document: &'a Document) -> Self {
        let compressed = extensions::compressed_views(document);
        let mut values = BTreeMap::new();
        for (run, host) in hosts(document, compressed.keys().copied()).into_iter().filter(|(run, _)| is_elements(run)) {
            *values.entry(compressed[&run.accessor]).or_insert(0) +=
                if run == host { count(document, host) } else { 0 };
        }
        Self { document, compressed, values }
    }

    /// What tracks take up: shared bytes once, and of a compressed view as much as the part of its values that they
    /// use.
    fn together<'t>(&self, tracks: impl Iterator<Item = &'t Track>) -> usize {
        let hosts = hosts(self.document, tracks.flat_map(|t| [t.source.input, t.source.output]));
        let runs: BTreeSet<Run> = hosts.into_values().collect();
        let (mut plain, mut used) = (0, BTreeMap::new());
        for run in runs {
            match self.compressed(run) {
                Some(view) => *used.entry(view).or_insert(0) += count(self.document, run),
                None => plain += plain_bytes(self.document, run),
            }
        }
        plain + used.into_iter().map(|(view, values)| self.part(view, values)).sum::<usize>()
    }

    /// A run's bytes; in a compressed view, its part of them.
    fn share(&self, run: Run) -> usize {
        match self.compressed(run) {
            Some(view) => self.part(view, count(self.document, run)),
            None => plain_bytes(self.document, run),
        }
    }

    /// The compressed view that a run is in.
    fn compressed(&self, run: Run) -> Option<usize> {
        self.compressed.get(&run.accessor).copied().filter(|_| is_elements(&run))
    }

    /// The part of a compressed view that some of its values stand for.
    fn part(&self, view: usize, values: usize) -> usize {
        let length = extensions::compressed_length(self.document, view);
        length.saturating_mul(values).checked_div(self.values[&view]).unwrap_or(0)
    }
}

/// By run of elements, the one that its bytes lie in: one of its kind in a buffer view that has all of its elements.
/// Runs that have no place stand for themselves.
pub(crate) fn hosts(document: &Document, accessors: impl IntoIterator<Item = usize>) -> BTreeMap<Run, Run> {
    let runs = accessors.into_iter().flat_map(|accessor| document.runs(accessor));
    let mut hosts: BTreeMap<Run, Run> = runs.map(|run| (run, run)).collect();
    let placed = hosts.keys().filter_map(|run| Some((*run, document.run(*run).ok()?)));
    let placed = placed.filter_map(|(run, a)| {
        let (size, end) = (a.shape.stored_size(a.component), a.offset.saturating_add(plain_bytes(document, run)));
        let kind = (a.view?, a.component, a.shape, a.offset.checked_rem(size));
        Some((kind, a.offset, Reverse(end), run))
    });
    let mut placed: Vec<_> = placed.collect();
    placed.sort_unstable();
    let mut before = None;
    for (kind, _, Reverse(end), run) in placed {
        match before {
            Some((known, far, host)) if known == kind && end <= far => drop(hosts.insert(run, host)),
            _ => before = Some((kind, end, run)),
        }
    }
    hosts
}

fn is_elements(run: &Run) -> bool {
    run.part == Part::Elements
}

fn count(document: &Document, run: Run) -> usize {
    document.run(run).map_or(0, |a| a.count.saturating_mul(a.shape.components()))
}

fn plain_bytes(document: &Document, run: Run) -> usize {
    let bytes = |a: Accessor| a.view.map_or(0, |_| a.count.saturating_mul(a.shape.stored_size(a.component)));
    document.run(run).map_or(0, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{draco, scene::tests::document};
    use serde_json::json;

    #[test]
    fn elements_lie_in_those_of_their_kind() {
        let accessor = |offset: usize, count: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count, "type": shape });
        let of = [(0, 1, "VEC3"), (0, 2, "VEC3"), (12, 1, "VEC3"), (12, 2, "VEC3"), (12, 1, "SCALAR"), (8, 1, "VEC3")];
        let json = json!({ "asset": { "version": "2.0" }, "accessors": of.map(|(offset, count, shape)| accessor(offset, count, shape)) });
        let hosts = hosts(&document(json, &[&[0.0; 9]]), 0..6);
        assert_eq!(hosts.into_values().map(|host| host.accessor).collect::<Vec<_>>(), [1, 1, 3, 3, 4, 5]);
    }

    #[test]
    fn indices_and_values_of_sparse_accessors_count_once() {
        let sparse = |count: usize| {
            json!({ "componentType": 5126, "count": count, "type": "VEC3", "sparse": { "count": 2,
            "indices": { "bufferView": 0, "componentType": 5121 }, "values": { "bufferView": 0, "byteOffset": 4 } } })
        };
        let accessor = |offset: usize, count: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count, "type": shape });
        let channel = |node: usize| json!({ "sampler": node, "target": { "node": node, "path": "translation" } });
        let sampler = |output: usize, interpolation: &str| json!({ "input": 0, "output": output, "interpolation": interpolation });
        let json = json!({ "asset": { "version": "2.0" }, "nodes": [{}, {}, {}],
            "accessors": [accessor(28, 2, "SCALAR"), accessor(4, 2, "VEC3"), sparse(6), sparse(6)],
            "animations": [{ "samplers": [sampler(1, "LINEAR"), sampler(2, "CUBICSPLINE"), sampler(3, "CUBICSPLINE")],
                "channels": [channel(0), channel(1), channel(2)] }] });
        let indices = f32::from_le_bytes([1, 4, 0, 0]);
        let document = document(json, &[&[indices, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 1.0]]);
        let animation = &inspect(&document).unwrap().animations[0];
        assert_eq!(animation.tracks.iter().map(|t| t.bytes).collect::<Vec<_>>(), [8 + 24, 8 + 24 + 2, 8 + 24 + 2]);
        assert_eq!(animation.animation_bytes, 8 + 24 + 2);
        let animations = read(&document).unwrap().animations;
        assert_eq!(bytes_by_track(&document, &animations)[0], [2 + 8, 2 + 8 + 1, 2 + 8 + 1]);
    }

    #[test]
    fn animations_in_one_stream_weigh_no_more_than_it_together() {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
        let packed =
            draco::compress(&Document::open(sample).unwrap(), crate::Bound::default(), &draco::Options::default())
                .unwrap()
                .document;
        let views = extensions::compressed_views(&packed);
        let animations = read(&packed).unwrap().animations;
        let accessors = |a: &Animation| -> BTreeSet<usize> {
            a.tracks.iter().flat_map(|t| [t.source.input, t.source.output]).collect()
        };
        let used: Vec<usize> = animations.iter().flat_map(accessors).collect();
        let elements = |accessor: usize| Run { accessor, part: Part::Elements };
        let each: BTreeSet<usize> = used.iter().copied().collect();
        let plain: usize =
            each.iter().filter(|a| !views.contains_key(a)).map(|a| plain_bytes(&packed, elements(*a))).sum();
        let streams: BTreeSet<usize> = views.into_values().collect();
        let streams: usize = streams.into_iter().map(|view| extensions::compressed_length(&packed, view)).sum();
        // Times that animations share count in each of them.
        let weights = Weights::new(&packed);
        let share =
            |accessors: &mut dyn Iterator<Item = &usize>| accessors.map(|a| weights.share(elements(*a))).sum::<usize>();
        let again = share(&mut used.iter()) - share(&mut each.iter());
        let summaries = inspect(&packed).unwrap().animations;
        assert_eq!(summaries.len(), 3, "counted whole in each, the streams would come out three times as heavy");
        assert!(summaries.iter().all(|a| a.animation_bytes > 0));
        let sum: usize = summaries.iter().map(|a| a.animation_bytes).sum();
        // Parts are rounded down.
        let (least, most) = (streams + plain + again - each.len(), streams + plain + again + used.len());
        assert!((least..=most).contains(&sum), "{sum} of {streams} + {plain} + {again} bytes");
    }
}
