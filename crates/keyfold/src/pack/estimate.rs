//! About what a storage would take, told beside what was packed: the document searched quickly, times what the search that was asked for leaves of a quick
//! one's bytes in an excerpt. Nothing is measured, and which storage was asked for plays no part.
//!
//! An excerpt has some of the animations; of long ones a few stretches, joined so that they follow each other.

use super::{Level, Settings, searched, storage::rewritable, weigh};
use crate::{
    Animation, Curve, Document, Result, Storage, Track,
    inspect::document_bytes,
    read,
    write::{AnimationForm, assemble, core_form, place_plain},
};
use serde_json::Value;

/// How many values of tracks that move an excerpt has at least, and which share of the document's where that is more.
const VALUES: usize = 3_000;
const SHARE: f64 = 0.125;
/// Of how many animations at least, of how many stretches each at most, and how many keys a stretch has where there are several: where two meet, curves jump.
const ANIMATIONS: usize = 4;
const STRETCHES: usize = 4;
const KEYS: usize = 64;

/// The storage that is worth a look beside those that were packed: the smallest that common viewers play, then the smallest.
pub fn worth_a_look(tried: &[Storage]) -> Option<Storage> {
    [Storage::Meshopt, Storage::Stream].into_iter().find(|storage| !tried.contains(storage))
}

/// About what a storage would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The storage.
    pub storage: Storage,
    /// What the animations' data would take up in the file.
    pub animation_bytes: u64,
    /// What the animations' bytes and JSON would take after gzip.
    pub gzip_bytes: usize,
}

/// About what a storage would take for a document; `settings.storage` plays no part.
///
/// ```
/// # let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
/// use keyfold::{Storage, pack};
/// let document = keyfold::Document::open(figure)?;
/// let about = pack::estimate(&document, &Default::default(), Storage::Meshopt)?;
/// let packed = pack::pack(&document, &pack::Settings { storage: Storage::Meshopt, ..Default::default() })?;
/// assert!((about.gzip_bytes as f64 / packed.gzip_bytes as f64 - 1.0).abs() < 0.15);
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn estimate(document: &Document, settings: &Settings, storage: Storage) -> Result<Estimate> {
    let settings = Settings { storage, ..settings.clone() };
    let quick = Settings { level: Level::Fast, ..settings.clone() };
    let [bytes, gzip] = match excerpt(document)? {
        None => taken(document, &settings)?,
        Some(_) if settings.level == Level::Fast => taken(document, &quick)?,
        Some(excerpt) => {
            let of_all = |settings: &Settings| Settings { animation: None, ..settings.clone() };
            let (long, short) = (taken(&excerpt, &of_all(&settings))?, taken(&excerpt, &of_all(&quick))?);
            let whole = taken(document, &quick)?;
            // A longer search keeps what a quick one finds where that is smaller.
            [0, 1].map(|i| whole[i] * (long[i] / short[i].max(1.0)).min(1.0))
        }
    };
    Ok(Estimate { storage, animation_bytes: bytes.round() as u64, gzip_bytes: gzip.round() as usize })
}

/// The bytes that a search leaves: of the animations' data, and with their JSON after gzip.
fn taken(document: &Document, settings: &Settings) -> Result<[f64; 2]> {
    let found = searched(document, settings)?;
    Ok([document_bytes(&found) as f64, weigh::gzip_bytes(&found)? as f64])
}

/// A document with a part of the animations; `None` where the whole is no longer.
fn excerpt(document: &Document) -> Result<Option<Document>> {
    let animations = read(document)?.animations;
    let all: usize = animations.iter().map(values).sum();
    let wanted = VALUES.max((SHARE * all as f64) as usize);
    if all <= wanted + wanted / 2 {
        return Ok(None);
    }
    let chosen = chosen(&animations, wanted);
    let mut edit = document.edit();
    if let Some(list) = edit.json().get_mut("animations").and_then(Value::as_array_mut) {
        let mut index = 0..;
        list.retain(|_| index.next().is_some_and(|index| chosen.contains(&index)));
    }
    some_spliced(&edit.finish()?, wanted / chosen.len().max(1)).map(Some)
}

/// The indices of animations that stand for all, spread over them.
fn chosen(animations: &[Animation], wanted: usize) -> Vec<usize> {
    let moving: Vec<usize> = animations.iter().filter(|a| values(a) > 0).map(|a| a.index).collect();
    let (count, all) = (moving.len(), animations.iter().map(values).sum::<usize>());
    // Short ones are only as good as many of them.
    let few = (wanted * count).div_ceil(all.max(1)).clamp(ANIMATIONS.min(count), count);
    (0..few).map(|i| moving[i * count / few.max(1)]).collect()
}

/// The document with animations of more than so many values cut down to about as many.
fn some_spliced(document: &Document, most: usize) -> Result<Document> {
    let animations = read(document)?.animations;
    let form = |animation: &Animation| {
        let tracks = animation.tracks.iter().filter(|track| rewritable(track));
        let share = most as f64 / values(animation) as f64;
        let keys = animation.tracks.iter().map(|track| track.curve.times().len()).max().unwrap_or(0);
        let stretches = ((share * keys as f64) as usize / KEYS).clamp(1, STRETCHES);
        let channels = tracks.clone().map(|track| core_form(&spliced(track, animation, share, stretches)));
        let replaces = tracks.map(|track| track.source.channel).collect();
        Ok(AnimationForm { index: animation.index, replaces, channels: channels.collect::<Result<_>>()? })
    };
    let long = animations.iter().filter(|animation| values(animation) > most);
    assemble(document, &long.map(form).collect::<Result<Vec<_>>>()?, place_plain)
}

/// The values of tracks that move.
fn values(animation: &Animation) -> usize {
    let moving = animation.tracks.iter().filter(|track| !track.curve.is_constant());
    moving.map(|track| track.curve.values().len()).sum()
}

/// A track with the keys of stretches that take a share of its animation's time, one after the other.
fn spliced(track: &Track, animation: &Animation, share: f64, stretches: usize) -> Track {
    let curve = &track.curve;
    if curve.is_constant() {
        return track.clone();
    }
    let duration = f64::from(animation.duration());
    let length = duration * share / stretches as f64;
    let stride = curve.width() * curve.interpolation().elements_per_key();
    let (mut times, mut values): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    for stretch in 0..stretches {
        let start = (duration - length) * (stretch as f64 + 0.5) / stretches as f64;
        let shift = stretch as f64 * length - start;
        for (key, time) in curve.times().iter().enumerate() {
            let moved = (f64::from(*time) + shift) as f32;
            let inside = (start..start + length).contains(&f64::from(*time));
            if inside && times.last().is_none_or(|last| *last < moved) {
                times.push(moved);
                values.extend_from_slice(&curve.values()[key * stride..(key + 1) * stride]);
            }
        }
    }
    match Curve::new(curve.interpolation(), curve.width(), times, values) {
        Ok(curve) => Track { curve, ..track.clone() },
        // A track with hardly any keys may have none in any stretch.
        Err(_) => track.clone(),
    }
}
