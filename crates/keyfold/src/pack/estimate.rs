//! Estimates of what other storages would take: the quickest search over an excerpt of the animations, weighed and written nowhere.
//!
//! An excerpt is a stretch out of the middle of some animations. Whole animations are taken to need the same in proportion, bytes by
//! their keys and JSON by their tracks; and storages are taken to stand to each other as they do in the excerpt, so that what one of
//! them really took says what the others would.

use super::{
    Context, Level, Packed, Settings,
    animation::PackedAnimation,
    cost::{Wire, deflated},
    exact::only,
    storage::{Entry, entries},
};
use crate::parallel::*;
use crate::{Animation, Curve, Document, Result, Scene, Storage, Track, diff::proof, inspect, read};

/// How many animations are looked at, and about how many floats of each.
const ANIMATIONS: usize = 4;
const FLOATS: usize = 4096;

/// About what a storage would take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The storage.
    pub storage: Storage,
    /// What the animations' data would take up in the file.
    pub animation_bytes: u64,
    /// What the animations' bytes and JSON would take after gzip.
    pub gzip_bytes: usize,
    /// How far off the excerpt came to lie.
    pub error: f64,
}

/// About what the storages other than `settings.storage` would take for a document that became `packed`.
pub fn estimate(document: &Document, settings: &Settings, packed: &Packed) -> Result<Vec<Estimate>> {
    let animations = read(document)?.animations;
    let scene = Scene::new(document, &animations, settings.shell)?;
    let excerpt = Excerpt::of(&animations);
    let measure = |storage: Storage| {
        let settings = Settings { storage, level: Level::Fast, ..settings.clone() };
        excerpt.measure(document, &Context::new(&scene, &settings, &()))
    };
    let own = measure(settings.storage)?;
    let bytes =
        inspect::animation_bytes(&packed.document, read(&packed.document)?.animations.iter().flat_map(|a| &a.tracks));
    let others = Storage::ALL.into_iter().filter(|s| *s != settings.storage);
    let estimate = |storage: Storage| {
        let sizes = measure(storage)?;
        Ok(Estimate {
            storage,
            animation_bytes: (bytes as f64 * sizes.bytes / own.bytes.max(1.0)).round() as u64,
            gzip_bytes: (packed.gzip_bytes as f64 * sizes.gzip_bytes / own.gzip_bytes.max(1.0)).round() as usize,
            error: sizes.error,
        })
    };
    others.map(estimate).collect()
}

/// Stretches of animations that stand for all of them.
struct Excerpt {
    animations: Vec<Animation>,
    /// How many times as many keys, and tracks, all of them have.
    keys: f64,
    tracks: f64,
}

/// What the animations of an excerpt take, made up to all of them.
struct Sizes {
    bytes: f64,
    gzip_bytes: f64,
    error: f64,
}

impl Excerpt {
    fn of(animations: &[Animation]) -> Self {
        let stride = animations.len().div_ceil(ANIMATIONS).max(1);
        let stretches: Vec<Animation> = animations.iter().step_by(stride).map(stretch).collect();
        let times = |count: fn(&Animation) -> usize| {
            let sum = |animations: &[Animation]| animations.iter().map(count).sum::<usize>().max(1) as f64;
            sum(animations) / sum(&stretches)
        };
        let (keys, tracks) = (times(floats), times(|animation| animation.tracks.len()));
        Self { animations: stretches, keys, tracks }
    }

    fn measure(&self, document: &Document, context: &Context<'_>) -> Result<Sizes> {
        let before = context.whole(document, &self.animations);
        let (wire, after) = searched(context, &before)?;
        let json = deflated(wire.json.as_bytes()) as f64 * self.tracks;
        let bytes = wire.bytes.len() as f64 * self.keys;
        let gzip_bytes = json + deflated(&wire.bytes) as f64 * self.keys;
        Ok(Sizes { bytes, gzip_bytes, error: error(context.scene, &before, &after) })
    }
}

fn searched(context: &Context<'_>, animations: &[Animation]) -> Result<(Wire, Vec<Animation>)> {
    let bound = context.settings.bound.in_scene(context.scene.model_size());
    let packed: Vec<PackedAnimation> = animations.par_iter().map(|a| context.packed(a, bound)).collect();
    let entries: Vec<Entry<'_>> = packed.iter().flat_map(|p| entries(context, &p.animation, &p.encoded)).collect();
    let wire = (context.form().wire)(&entries, context)?;
    Ok((wire, packed.into_iter().map(|p| p.animation).collect()))
}

fn error(scene: &Scene, before: &[Animation], after: &[Animation]) -> f64 {
    let error = |(a, b): (&Animation, &Animation)| {
        let (a, b) = (scene.motion(a), scene.motion(b));
        proof(&a, &b, &scene.probes(&a.moved())).possible
    };
    before.iter().zip(after).map(error).fold(0.0, f64::max)
}

fn floats(animation: &Animation) -> usize {
    animation.tracks.iter().map(|track| track.curve.values().len()).sum()
}

/// The middle of an animation.
fn stretch(animation: &Animation) -> Animation {
    let share = (FLOATS as f64 / floats(animation).max(1) as f64).min(1.0);
    let (start, length) = ((1.0 - share) / 2.0, f64::from(animation.duration()));
    let range = (start * length, (start + share) * length);
    let tracks = animation.tracks.iter().map(|track| Track { curve: between(&track.curve, range), ..track.clone() });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}

/// The keys of a curve in a range of times, one at least.
fn between(curve: &Curve, (from, to): (f64, f64)) -> Curve {
    let before = |limit: f64| curve.times().partition_point(|t| f64::from(*t) < limit);
    let first = before(from).min(curve.keys() - 1);
    let end = curve.times().partition_point(|t| f64::from(*t) <= to).max(first + 1);
    only(curve, &(first..end).collect::<Vec<_>>())
}
