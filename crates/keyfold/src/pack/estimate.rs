//! Estimates of other storages, reported beside the packed one. Nothing is measured.
//!
//! Large documents are sampled: some of many animations, stretches of long ones. The size of the same samples
//! in the packed storage gives the scale to the whole.

use super::{
    Candidate, Context, Options, Packed,
    animation::unwritten,
    cost::{Wire, deflated},
    exact::only,
    floats, pack_with,
    storage::entries,
    weigh::{self, Weight},
    write,
};
use crate::{
    Animation, Document, Monitor, Part, Result, Scene, Storage, Track, inspect::document_bytes, read_shared,
    write::place_plain,
};

/// Documents of up to this many floats are packed, which takes little longer. JSON decides their size.
const TINY: usize = 1 << 10;
/// Larger documents are sampled: at least this many floats, and at least this share of all.
const LEAST: usize = 1 << 15;
const SHARE: f64 = 0.1;
/// How many keys are sampled of a longer animation, and in how many stretches.
const LONG: usize = 512;
const STRETCHES: f64 = 5.0;

/// Estimates what storages would take for a document that was packed with `options`.
///
/// ```
/// # let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
/// use keyfold::{Storage, pack::{self, Options}};
/// let document = keyfold::Document::open(figure)?;
/// let options = Options::default();
/// let core = pack::pack(&document, &options)?;
/// let about = pack::estimates(&document, &options, &core, &[Storage::Meshopt], &())?;
/// let meshopt = pack::pack(&document, &Options { storage: Storage::Meshopt, ..options })?;
/// assert!((about[0].gzip_bytes as f64 / meshopt.gzip_bytes as f64 - 1.0).abs() < 0.15);
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn estimates(
    document: &Document,
    options: &Options,
    packed: &Packed,
    storages: &[Storage],
    monitor: &dyn Monitor,
) -> Result<Vec<Candidate>> {
    let animations = &read_shared(document)?.animations;
    let scene = Scene::new(document, animations, options.probe_radius)?;
    let (count, (samples, sliced)) = (floats(animations), samples(animations));
    let searched = |options: &Options, part: &Part<'_>| {
        let context = Context::new(&scene, &samples, options, part).for_estimate(sliced);
        searched(document, &context, &samples, sliced)
    };
    let share = 1.0 / (1 + storages.len()) as f64;
    let part = |index: usize| Part { whole: monitor, from: index as f64 * share, share };
    let whole = Weight { raw: document_bytes(&packed.document) as usize, gzip: packed.gzip_bytes };
    // Samples that cover everything need no scale.
    let is_part = count > LEAST && floats(&samples) < count;
    let sampled = is_part.then(|| searched(options, &part(0))).transpose()?;
    let about = |options: &Options, part: &Part<'_>| -> Result<Weight> {
        Ok(match sampled {
            _ if count <= TINY => weight_of(&pack_with(document, options, part)?.document),
            None => {
                let context = Context::new(&scene, animations, options, part).for_estimate(false);
                let packed = context.search(&context.whole(document, animations))?;
                weight_of(&write(document, &context, animations, &packed, place_plain)?)
            }
            Some(sampled) => searched(options, part)?.scaled(whole, sampled),
        })
    };
    let estimate = |(index, storage): (usize, &Storage)| {
        let weight = about(&Options { storage: *storage, ..options.clone() }, &part(1 + index))?;
        Ok(Candidate::estimated(*storage, document, weight))
    };
    // Sequentially: each takes as much memory as a search, and searches use all processors.
    storages.iter().enumerate().map(estimate).collect()
}

fn weight_of(document: &Document) -> Weight {
    Weight { raw: document_bytes(document) as usize, ..weigh::weight(document) }
}

impl Weight {
    /// Scales by the ratio of the whole to its samples.
    fn scaled(self, whole: Self, sampled: Self) -> Self {
        let scaled = |own: usize, whole: usize, sampled: usize| {
            (own as f64 * whole as f64 / sampled.max(1) as f64).round() as usize
        };
        Self { raw: scaled(self.raw, whole.raw, sampled.raw), gzip: scaled(self.gzip, whole.gzip, sampled.gzip) }
    }
}

/// The size of samples after a search, without a document around them. JSON does not count beside slices.
fn searched(document: &Document, context: &Context<'_>, samples: &[Animation], sliced: bool) -> Result<Weight> {
    let packed = context.search(&context.whole(document, samples))?;
    let lean = context.without_rest(document, packed.iter().map(|packed| packed.animation.clone()).collect());
    let written = lean.iter().zip(&packed).flat_map(|(lean, packed)| entries(context, lean, &packed.encoded));
    let Wire { mut bytes, json } = (context.codec().wire)(&written.collect::<Vec<_>>(), context)?;
    let stay: usize = lean.iter().map(|animation| unwritten(context, animation)).sum();
    let raw = bytes.len() + stay;
    if !sliced {
        bytes.extend_from_slice(json.as_bytes());
    }
    Ok(Weight { raw, gzip: deflated(&bytes) + stay })
}

/// Parts that represent all animations: animations at even distances by floats, and stretches of the long
/// ones. Also returns whether some were sliced.
fn samples(animations: &[Animation]) -> (Vec<Animation>, bool) {
    let chosen = chosen(animations);
    let sliced = chosen.iter().any(|animation| keys(animation) > LONG);
    (chosen.into_iter().map(abridged).collect(), sliced)
}

fn chosen(animations: &[Animation]) -> Vec<&Animation> {
    let all = floats(animations) as f64;
    let wanted = (SHARE * all).max(LEAST as f64);
    if wanted >= all {
        return animations.iter().collect();
    }
    // The distance that gives the wanted number of floats if all animations have the same length.
    let step = (all / animations.len() as f64 * all / wanted).min(all);
    let mut at = step / 2.0;
    let is_at_step = |animation: &&Animation| {
        let before = at;
        at += floats([*animation]) as f64;
        (at / step).floor() > (before / step).floor()
    };
    animations.iter().filter(is_at_step).collect()
}

fn keys(animation: &Animation) -> usize {
    animation.tracks.iter().map(|track| track.curve.keys()).max().unwrap_or(0)
}

/// A short animation as it is, a long one as some stretches in sequence.
fn abridged(animation: &Animation) -> Animation {
    let (keys, end) = (keys(animation), f64::from(animation.duration()));
    let share = (LONG as f64 / keys.max(1) as f64).min(1.0);
    let is_within = |time: f32| (STRETCHES * f64::from(time) / end).fract() <= share;
    let cut = |track: &Track| {
        let times = track.curve.times();
        let kept: Vec<usize> = (0..times.len()).filter(|k| *k == 0 || is_within(times[*k])).collect();
        Track { curve: only(&track.curve, &kept), ..track.clone() }
    };
    match keys <= LONG {
        true => animation.clone(),
        false => Animation { tracks: animation.tracks.iter().map(cut).collect(), ..animation.clone() },
    }
}
