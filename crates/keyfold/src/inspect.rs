//! What a document's animations are and what they weigh: plain data for people and machines.

use crate::{
    Animation, Animations, Document, Finding, Result, Storage, Track,
    document::{ComponentType, JsonRef, List},
    extensions, read,
};
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// What a document's animations are.
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

/// That, of a file: the shape that `keyfold inspect --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct FileInspection {
    /// The file's name.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// What is in it.
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
    /// When its last key is, in seconds.
    pub duration: f32,
    /// The keys of all its tracks.
    pub keys: usize,
    /// What it takes up in the file's buffers: what its tracks share counts once, of what it shares with other animations in one
    /// compressed stream its part.
    pub animation_bytes: usize,
    /// Its tracks.
    pub tracks: Vec<TrackSummary>,
}

/// One track.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
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
    TrackSummary {
        target: track.target.to_string(),
        interpolation: track.curve.interpolation().name(),
        keys: track.curve.keys(),
        storage: Storage::of(document, animation, track).name(),
        bytes: weights.share(track.source.input) + weights.share(track.source.output),
    }
}

/// What all animations of a document take up in its buffers; nothing where they cannot be read.
pub fn document_bytes(document: &Document) -> u64 {
    let animations = read(document).map(|read| read.animations).unwrap_or_default();
    animation_bytes(document, animations.iter().flat_map(|animation| &animation.tracks)) as u64
}

/// What tracks take up in the document's buffers together, shared data counted once.
pub fn animation_bytes<'t>(document: &Document, tracks: impl Iterator<Item = &'t Track>) -> usize {
    Weights::new(document).together(tracks)
}

/// What each track takes up, by animation; what tracks share is divided among them.
pub(crate) fn bytes_by_track(document: &Document, animations: &[Animation]) -> Vec<Vec<usize>> {
    let weights = Weights::new(document);
    let mut users: BTreeMap<usize, usize> = BTreeMap::new();
    let accessors = |track: &Track| [track.source.input, track.source.output];
    let all = || animations.iter().flat_map(|a| &a.tracks).flat_map(accessors);
    let hosts = hosts(document, all());
    all().for_each(|accessor| *users.entry(hosts[&accessor]).or_insert(0) += 1);
    let bytes = |track: &Track| accessors(track).map(|a| weights.share(hosts[&a]) / users[&hosts[&a]]).iter().sum();
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
        for (accessor, host) in hosts(document, compressed.keys().copied()) {
            *values.entry(compressed[&accessor]).or_insert(0) +=
                if accessor == host { count(document, host) } else { 0 };
        }
        Self { document, compressed, values }
    }

    /// What tracks take up: shared bytes once, and of a compressed view as much as the part of its values that they use.
    fn together<'t>(&self, tracks: impl Iterator<Item = &'t Track>) -> usize {
        let hosts = hosts(self.document, tracks.flat_map(|t| [t.source.input, t.source.output]));
        let accessors: BTreeSet<usize> = hosts.into_values().collect();
        let (mut plain, mut used) = (0, BTreeMap::new());
        for accessor in accessors {
            match self.compressed.get(&accessor) {
                Some(view) => *used.entry(*view).or_insert(0) += count(self.document, accessor),
                None => plain += plain_bytes(self.document, accessor),
            }
        }
        plain + used.into_iter().map(|(view, values)| self.part(view, values)).sum::<usize>()
    }

    /// An accessor's bytes; in a compressed view, its part of them.
    fn share(&self, accessor: usize) -> usize {
        match self.compressed.get(&accessor) {
            Some(view) => self.part(*view, count(self.document, accessor)),
            None => plain_bytes(self.document, accessor),
        }
    }

    /// The part of a compressed view that some of its values stand for.
    fn part(&self, view: usize, values: usize) -> usize {
        let length = extensions::compressed_length(self.document, view);
        length.saturating_mul(values).checked_div(self.values[&view]).unwrap_or(0)
    }
}

/// By accessor, the one that its bytes lie in: one of its kind in a buffer view that has all of its elements. Accessors that have no place, or values beside it, stand for
/// themselves.
pub(crate) fn hosts(document: &Document, accessors: impl IntoIterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut hosts: BTreeMap<usize, usize> = accessors.into_iter().map(|accessor| (accessor, accessor)).collect();
    let placed = hosts.keys().filter_map(|index| document.accessor(*index).ok()).filter(|a| !a.sparse);
    let placed = placed.filter_map(|a| {
        let (size, end) = (a.shape.stored_size(a.component), a.offset.saturating_add(plain_bytes(document, a.index)));
        let kind = (a.view?, a.component, a.shape, a.offset.checked_rem(size));
        Some((kind, a.offset, Reverse(end), a.index))
    });
    let mut placed: Vec<_> = placed.collect();
    placed.sort_unstable();
    let mut before = None;
    for (kind, _, Reverse(end), accessor) in placed {
        match before {
            Some((known, far, host)) if known == kind && end <= far => drop(hosts.insert(accessor, host)),
            _ => before = Some((kind, end, accessor)),
        }
    }
    hosts
}

fn count(document: &Document, accessor: usize) -> usize {
    document.accessor(accessor).map_or(0, |a| a.count.saturating_mul(a.shape.components()))
}

fn plain_bytes(document: &Document, accessor: usize) -> usize {
    let Ok(a) = document.accessor(accessor) else { return 0 };
    let size = a.shape.stored_size(a.component);
    let elements = if a.view.is_some() { a.count.saturating_mul(size) } else { 0 };
    elements.saturating_add(sparse_bytes(document, accessor, size).unwrap_or(0))
}

fn sparse_bytes(document: &Document, accessor: usize, element: usize) -> Option<usize> {
    let sparse = document.element("accessors", accessor).ok()?.object("sparse").ok()??;
    let count = sparse.index("count").ok()??;
    let index = ComponentType::from_code(sparse.object("indices").ok()??.index("componentType").ok()??)?;
    Some(count.saturating_mul(index.size() + element))
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
        assert_eq!(hosts.into_values().collect::<Vec<_>>(), [1, 1, 3, 3, 4, 5]);
    }

    #[test]
    fn animations_in_one_stream_weigh_no_more_than_it_together() {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
        let packed = draco::compress(&Document::open(sample).unwrap(), &draco::Options::default()).unwrap().0;
        let views = extensions::compressed_views(&packed);
        let animations = read(&packed).unwrap().animations;
        let accessors = |a: &Animation| -> BTreeSet<usize> {
            a.tracks.iter().flat_map(|t| [t.source.input, t.source.output]).collect()
        };
        let used: Vec<usize> = animations.iter().flat_map(accessors).collect();
        let each: BTreeSet<usize> = used.iter().copied().collect();
        let plain: usize = each.iter().filter(|a| !views.contains_key(a)).map(|a| plain_bytes(&packed, *a)).sum();
        let streams: BTreeSet<usize> = views.into_values().collect();
        let streams: usize = streams.into_iter().map(|view| extensions::compressed_length(&packed, view)).sum();
        // Times that animations share count in each of them.
        let weights = Weights::new(&packed);
        let share = |accessors: &mut dyn Iterator<Item = &usize>| accessors.map(|a| weights.share(*a)).sum::<usize>();
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
