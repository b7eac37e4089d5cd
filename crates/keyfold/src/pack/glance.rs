//! About what other storages would take: the quickest search over an excerpt of the animations, weighed and written nowhere.
//!
//! An excerpt is a stretch out of the middle of some animations. Whole animations are taken to need the same in proportion, bytes by
//! their keys and JSON by their tracks; and storages are taken to stand to each other as they do in the excerpt, so that what one of
//! them really took says what the others would.

use super::{
    Context, Level, Packed, Settings,
    cost::{Wire, deflated, plain, wire, wire_with},
    exact::only,
    fold::Folded,
};
use crate::parallel::*;
use crate::{Animation, Curve, Document, Result, Scene, Storage, Track, diff::proof, draco, inspect, read};

/// How many animations are looked at, and about how many floats of each.
const ANIMATIONS: usize = 4;
const FLOATS: usize = 4096;

/// About what a storage would take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glance {
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
pub fn glance(document: &Document, settings: &Settings, packed: &Packed) -> Result<Vec<Glance>> {
    let animations = read(document)?.animations;
    let scene = Scene::new(document, &animations, settings.shell)?;
    let excerpt = Excerpt::of(&animations);
    let look = |storage: Storage| {
        let settings = Settings { storage, level: Level::Fast, ..settings.clone() };
        excerpt.look(document, &Context::new(&scene, &settings))
    };
    let own = look(settings.storage)?;
    let bytes =
        inspect::animation_bytes(&packed.document, read(&packed.document)?.animations.iter().flat_map(|a| &a.tracks));
    let others = Storage::ALL.into_iter().filter(|s| *s != settings.storage);
    let glance = |storage: Storage| {
        let look = look(storage)?;
        Ok(Glance {
            storage,
            animation_bytes: (bytes as f64 * look.bytes / own.bytes.max(1.0)).round() as u64,
            gzip_bytes: (packed.gzip_bytes as f64 * look.gzip_bytes / own.gzip_bytes.max(1.0)).round() as usize,
            error: look.error,
        })
    };
    others.map(glance).collect()
}

/// Stretches of animations that stand for all of them.
struct Excerpt {
    animations: Vec<Animation>,
    /// How many times as many keys, and tracks, all of them have.
    keys: f64,
    tracks: f64,
}

/// What the animations of an excerpt take, made up to all of them.
struct Look {
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

    fn look(&self, document: &Document, context: &Context<'_>) -> Result<Look> {
        let before = context.whole(document, &self.animations);
        let (wire, after) = match context.settings.storage {
            Storage::Draco => drafted(context, &before)?,
            Storage::Core | Storage::Quantization | Storage::Meshopt | Storage::Stream => folded(context, &before)?,
        };
        let json = deflated(wire.json.as_bytes()) as f64 * self.tracks;
        let bytes = wire.bytes.len() as f64 * self.keys;
        let gzip_bytes = json + deflated(&wire.bytes) as f64 * self.keys;
        Ok(Look { bytes, gzip_bytes, error: error(context.scene, &before, &after) })
    }
}

fn folded(context: &Context<'_>, animations: &[Animation]) -> Result<(Wire, Vec<Animation>)> {
    let bound = context.settings.bound.in_scene(context.scene.model_size());
    let folded: Vec<Folded> = animations.par_iter().map(|animation| context.fold(animation, bound)).collect();
    let channels = folded.iter().map(|f| context.forms(&f.animation, &f.grids)).collect::<Result<Vec<_>>>()?.concat();
    Ok((wire(&channels, context), folded.into_iter().map(|f| f.animation).collect()))
}

fn drafted(context: &Context<'_>, animations: &[Animation]) -> Result<(Wire, Vec<Animation>)> {
    let takes = |animation: &Animation, track: &Track| context.takes(animation, track);
    let draft = draco::draft(context.scene, animations, &context.draco_options(), takes)?;
    let wire = wire_with(&draft.channels, |contents| {
        let outside: Vec<_> = contents.iter().copied().filter(|stored| !draft.inside.contains(stored)).collect();
        [draft.bytes, plain(&outside)].concat()
    });
    Ok((wire, draft.animations))
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
