//! Estimates of what storages would take: an excerpt of the document is packed to each of them as the whole would be, and made up to the whole. What is no
//! longer than an excerpt is packed itself: then the figures are no estimates.
//!
//! An excerpt has some of the animations; of long ones stretches from begin to end, joined so that they follow each other. Bytes are taken to grow with the values of tracks that
//! move, JSON with the tracks. Which storage was asked for plays no part.

use super::{Optimize, Packed, Settings, pack_with, storage::rewritable, weigh};
use crate::{
    Animation, Curve, Document, Result, Storage, Track,
    inspect::document_bytes,
    read,
    write::{AnimationForm, assemble, core_form, place_plain},
};
use serde_json::Value;

/// About how many values an excerpt has, of how many animations, and of how many stretches each.
const VALUES: usize = 16_000;
const ANIMATIONS: usize = 4;
const STRETCHES: usize = 4;

/// About what a storage would take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The storage.
    pub storage: Storage,
    /// What the animations' data would take up in the file.
    pub animation_bytes: u64,
    /// What the animations' bytes and JSON would take after gzip.
    pub gzip_bytes: usize,
    /// How far off what was packed came to lie.
    pub error: f64,
    /// Whether all of it was packed.
    pub is_measured: bool,
}

/// About what storages would take for a document; `settings.storage` plays no part.
pub fn estimate(document: &Document, settings: &Settings, storages: &[Storage]) -> Result<Vec<Estimate>> {
    let excerpt = Excerpt::of(document)?;
    let packed = |storage: Storage| {
        let settings = Settings { storage, animation: None, ..settings.clone() };
        pack_with(excerpt.as_ref().map_or(document, |excerpt| &excerpt.document), &settings, &())
    };
    let estimate = |storage: &Storage| {
        let packed = packed(*storage)?;
        let is_measured = excerpt.is_none();
        let (animation_bytes, gzip_bytes) = match &excerpt {
            Some(excerpt) => excerpt.made_up(&packed)?,
            None => (document_bytes(&packed.document), packed.weight(Optimize::Gzip)),
        };
        Ok(Estimate { storage: *storage, animation_bytes, gzip_bytes, error: packed.diff.error, is_measured })
    };
    storages.iter().map(estimate).collect()
}

/// A document with a part of the animations.
struct Excerpt {
    document: Document,
    /// How many times as many values of tracks that move, and tracks, the whole has.
    values: f64,
    tracks: f64,
}

impl Excerpt {
    /// An excerpt; `None` where the whole is no longer.
    fn of(document: &Document) -> Result<Option<Self>> {
        let animations = read(document)?.animations;
        let moving = |animations: &[Animation]| animations.iter().map(values).sum::<usize>();
        let tracks = |animations: &[Animation]| animations.iter().map(|a| a.tracks.len()).sum::<usize>();
        if moving(&animations) <= VALUES + VALUES / 2 {
            return Ok(None);
        }
        let chosen = chosen(&animations);
        let mut edit = document.edit();
        if let Some(list) = edit.json().get_mut("animations").and_then(Value::as_array_mut) {
            let mut index = 0..;
            list.retain(|_| index.next().is_some_and(|index| chosen.contains(&index)));
        }
        let some = edit.finish()?;
        let spliced = some_spliced(&some, VALUES / chosen.len().max(1))?;
        let part = read(&spliced)?.animations;
        let times = |count: &dyn Fn(&[Animation]) -> usize| count(&animations) as f64 / count(&part).max(1) as f64;
        Ok(Some(Self { values: times(&moving), tracks: times(&tracks), document: spliced }))
    }

    /// What an excerpt took, made up to the whole: bytes of the animations, and with their JSON after gzip.
    fn made_up(&self, packed: &Packed) -> Result<(u64, usize)> {
        let json = weigh::json_gzip_bytes(&packed.document)? as f64;
        let bytes = document_bytes(&packed.document) as f64 * self.values;
        let gzip = json * self.tracks + (packed.weight(Optimize::Gzip) as f64 - json).max(0.0) * self.values;
        Ok((bytes.round() as u64, gzip.round() as usize))
    }
}

/// The indices of animations that stand for all, spread over them.
fn chosen(animations: &[Animation]) -> Vec<usize> {
    let moving: Vec<usize> = animations.iter().filter(|a| values(a) > 0).map(|a| a.index).collect();
    let (count, most) = (moving.len(), animations.iter().map(values).sum::<usize>());
    // Short ones are only as good as many of them.
    let wanted = (VALUES * count).div_ceil(most.max(1)).clamp(ANIMATIONS.min(count), count);
    (0..wanted).map(|i| moving[i * count / wanted.max(1)]).collect()
}

/// The document with animations of more than so many values cut down to about as many.
fn some_spliced(document: &Document, most: usize) -> Result<Document> {
    let animations = read(document)?.animations;
    let form = |animation: &Animation| {
        let tracks = animation.tracks.iter().filter(|track| rewritable(track));
        let share = most as f64 / values(animation) as f64;
        let channels = tracks.clone().map(|track| core_form(&spliced(track, animation, share)));
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
fn spliced(track: &Track, animation: &Animation, share: f64) -> Track {
    let curve = &track.curve;
    if curve.is_constant() {
        return track.clone();
    }
    let duration = f64::from(animation.duration());
    let length = duration * share / STRETCHES as f64;
    let stride = curve.width() * curve.interpolation().elements_per_key();
    let (mut times, mut values): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    for stretch in 0..STRETCHES {
        let start = (duration - length) * stretch as f64 / (STRETCHES - 1) as f64;
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
