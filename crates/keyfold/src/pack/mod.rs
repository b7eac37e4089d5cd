//! Packing: the smallest document whose animations stay within an error bound.
//!
//! ```text
//! read ─> pack each animation (the core's engine) ─> drop tracks that only hold the rest pose
//!      ─> write ─> read back and measure ─> keep, tighten or leave
//! ```
//!
//! Passes that cost nothing of the bound come first. The engine needs all other tracks in their final form.
//! `rest` needs all animations packed. See `docs/pack.md` for details.
//!
//! | file | purpose |
//! |---|---|
//! | `animation` | packs one animation: the passes before the engine, and the engine |
//! | `context` | what the search of a document needs to know |
//! | `exact`, `properties` | drop repeated keys; shrink tracks that move no points within their own bound |
//! | `straight`, `rest` | try splines as straight pieces; drop tracks that hold the rest pose |
//! | `storage/` | storages as the engine's codecs, one per file |
//! | `axes` | splits translation and scale by axis, where the storage allows it |
//! | `poses` | lets animations that hold one pose reuse values of others |
//! | `common` | orders tracks alike in all animations, so that their JSON repeats |
//! | `cost`, `weigh` | the transfer size of a candidate, and of a document's animations |
//! | `estimate` | estimates other storages from samples |
//! | `smallest` | searches a document several times and keeps the smallest result |
//! | `report` | tries several storages, keeps the smallest and reports on the file |

mod animation;
mod axes;
mod common;
mod context;
mod cost;
mod estimate;
mod exact;
mod poses;
mod properties;
mod report;
mod rest;
mod smallest;
mod storage;
mod straight;
pub mod weigh;

use crate::{
    Animation, Bound, Diff, Document, Monitor, Part, PropertyBound, Result, Scene, Severity, Storage, Track,
    diff::{self, called},
    draco, effort, quantization, read_shared,
    write::{MeshoptVersion, Place, place_plain, place_sparse},
};
use animation::{PackedAnimation, pack_again};
use common::common_first;
use context::{Context, Purpose};
pub use estimate::estimates;
pub use keyfold_core::engine::Level;
pub use report::{Candidate, Choice, Chosen, ErrorReport, FileReport, PackedFile, Sizes, choose, choose_with};
use smallest::{SHORT, smallest};
use std::{collections::BTreeSet, sync::atomic::Ordering};
use storage::{Rewritten, entries};
use weigh::Weight;

/// What to stay within and what to leave alone. Default: core storage, 0.01 % of the model's size.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the animations are stored.
    pub storage: Storage,
    /// Which of meshopt's two extensions to write.
    pub meshopt: MeshoptVersion,
    /// The farthest that a measured point may end up from its original place.
    pub max_error: Bound,
    /// The largest error of other properties, as a fraction of their natural range.
    pub max_property_error: PropertyBound,
    /// The distance from each node at which errors are measured; by the rule of [`Scene`] if `None`.
    pub probe_radius: Option<Bound>,
    /// How hard to search.
    pub level: Level,
    /// Whether to minimize gzipped or raw bytes.
    pub optimize: Optimize,
    /// The only animation to pack, by name or index; all if `None`.
    pub animation: Option<String>,
    /// Tracks to leave alone: patterns (`*` is anything) for targets (`/nodes/3/rotation`) and node names.
    pub keep: Vec<String>,
    /// Whether to keep tracks that only hold the rest pose. Motion made for other skeletons
    /// (VRMC_vrm_animation) always keeps them.
    pub keep_rest: bool,
    /// Whether to keep key times and interpolation, as `convert` does.
    pub keep_keys: bool,
    /// How Draco streams are laid out.
    pub draco: draco::StreamOptions,
    /// The layouts of EXT_animation_quantization.
    pub quantization: quantization::LayoutOptions,
}

/// Which size of the animations and their JSON is minimized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Optimize {
    /// After gzip, as most servers send them.
    #[default]
    Gzip,
    /// Uncompressed, for hosts that do not compress.
    Raw,
}

/// A packed document, with its measured error.
#[derive(Debug)]
#[non_exhaustive]
pub struct Packed {
    /// The document to save.
    pub document: Document,
    /// The difference from the original, measured on the output as read back.
    pub diff: Diff,
    /// The bound in scene units.
    pub bound: f64,
    /// What stayed as it was, and why.
    pub left: Vec<String>,
    /// How the animations are stored: as requested or, if that makes splines smaller, in core's form.
    pub storage: Storage,
    /// The size of the animations' bytes and JSON after gzip.
    pub gzip_bytes: usize,
    /// The size of the animations' bytes and JSON before gzip.
    pub raw_bytes: usize,
}

impl Packed {
    fn new(storage: Storage, document: Document, diff: Diff, bound: f64, left: Vec<String>) -> Self {
        let Weight { raw: raw_bytes, gzip: gzip_bytes } = weigh::weight(&document);
        Self { document, diff, bound, left, storage, gzip_bytes, raw_bytes }
    }

    /// The size that is minimized.
    pub fn weight(&self, optimize: Optimize) -> usize {
        self.both().of(optimize)
    }

    fn both(&self) -> Weight {
        Weight { raw: self.raw_bytes, gzip: self.gzip_bytes }
    }
}

/// How often animations over the bound are packed again before they are left as they were.
const ATTEMPTS: usize = 8;

/// Rounded times are suspected of errors from this multiple of the bound.
const FAR: f64 = 1.1;

/// An error above this multiple of the bound that does not change ends the attempts.
const STUCK: f64 = 5.0;

/// Packs a document.
///
/// ```
/// use keyfold::{Document, pack::{Options, pack}};
/// # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
/// let document = Document::open(machine)?;
/// let packed = pack(&document, &Options { max_error: "0.1%".parse()?, ..Options::default() })?;
/// assert!(packed.diff.relative <= 0.001);
/// let bytes = packed.document.to_bytes()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack(document: &Document, options: &Options) -> Result<Packed> {
    pack_with(document, options, &())
}

/// Like [`pack`], with progress and cancellation.
pub fn pack_with(document: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Packed> {
    smallest(document, options, monitor).map(|smallest| smallest.packed)
}

/// The number of floats in the values of animations.
fn floats<'a>(animations: impl IntoIterator<Item = &'a Animation>) -> usize {
    animations.into_iter().flat_map(|animation| &animation.tracks).map(|track| track.curve.values().len()).sum()
}

/// Searches a document once. Animations that measure over the bound are packed again. The document stays as
/// it was if even unchanged animations do not survive rewriting.
pub(crate) fn pack_once(document: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Packed> {
    let mut forms = pack_forms(document, options, monitor)?;
    Ok(forms.swap_remove(0))
}

/// Like [`pack_once`], but returns every form written; at least one.
fn pack_forms(document: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Vec<Packed>> {
    let why =
        "no animation was packed: no smaller form keeps within the error bound; a larger bound or another storage may";
    let forms = pack_below(document, options, None, monitor)?;
    if forms.is_empty() { Ok(vec![leave(document, options, vec![why.to_owned()], monitor)?]) } else { Ok(forms) }
}

/// Searches a document and returns the measured forms whose weight is `wanted`, or none if over the bound.
fn pack_below(
    document: &Document,
    options: &Options,
    wanted: Option<&dyn Fn(&Weight) -> bool>,
    monitor: &dyn Monitor,
) -> Result<Vec<Packed>> {
    let read = read_shared(document)?;
    let scene = Scene::new(document, &read.animations, options.probe_radius)?;
    let context = Context::new(&scene, &read.animations, options, monitor);
    context.check(&read.animations)?;
    effort::pay(document, &scene, read.animations.iter().filter(|a| context.changes(a)), effort::SEARCH)?;
    let (bound, whole) = (context.bound, context.whole(document, &read.animations));
    let mut packed = context.search(&whole)?;
    poses::borrow(&context, &whole, &mut packed);
    let unread = read.findings.iter().filter(|f| f.severity == Severity::Error);
    let mut left: Vec<String> = unread.map(|f| format!("{}: {}", f.at, f.message)).collect();
    left.extend(context.kept(&read.animations));
    let (mut before, mut untouched) = (vec![f64::NAN; packed.len()], BTreeSet::new());
    for attempt in 0.. {
        monitor.step(0.9, "measuring")?;
        let mut written = forms(document, &context, &read.animations, &packed)?;
        written.retain(|written| wanted.is_none_or(|wanted| wanted(&weigh::weight(written))));
        let part = Part { whole: monitor, from: 0.9, share: 0.1 };
        let measured = |written: Document| {
            let diff = diff::diff_with(document, &written.read_back()?, options.probe_radius, &part)?;
            Ok((diff, written))
        };
        let measured: Vec<(Diff, Document)> = written.into_iter().map(measured).collect::<Result<_>>()?;
        let Some((diff, _)) = measured.first() else { return Ok(Vec::new()) };
        let failing: Vec<usize> = (0..packed.len()).filter(|index| context.fails(diff, *index)).collect();
        if failing.is_empty() {
            let holds = |(diff, _): &(Diff, Document)| !(0..packed.len()).any(|index| context.fails(diff, index));
            let packed = |(diff, written)| Packed::new(options.storage, written, diff, bound, left.clone());
            return Ok(measured.into_iter().filter(holds).map(packed).collect());
        }
        if attempt > ATTEMPTS || failing.iter().any(|index| untouched.contains(index)) {
            return Ok(Vec::new());
        }
        let far = |index: usize| diff.animations[index].possible > FAR * bound || attempt + 1 == ATTEMPTS;
        let blames_times =
            context.codec().rounds_times && !context.exact_times() && failing.iter().any(|index| far(*index));
        context.exact_times.fetch_or(blames_times, Ordering::Relaxed);
        for index in failing {
            let (original, possible) = (&whole[index], diff.animations[index].possible);
            // An error that stays exactly the same does not come from packing: a tighter bound does not help.
            let is_stuck = possible > STUCK * bound && core::mem::replace(&mut before[index], possible) == possible;
            if attempt == ATTEMPTS || is_stuck {
                untouched.insert(index);
                packed[index] = PackedAnimation::untouched(original.clone());
                let place = format!("/animations/{index}{}", called(original.name.as_deref()));
                left.push(format!(
                    "{place} stays as it was: no smaller form keeps within the error bound; a larger bound may"
                ));
            } else {
                // Tighten gently at first: each step costs bytes.
                let share = 1.0 - 0.015 * (attempt + 1) as f64;
                let within = match blames_times && far(index) {
                    true => share * bound,
                    false => packed[index].bound * (share * bound / possible).clamp(1.0 / STUCK, share),
                };
                packed[index] = pack_again(&context, original, within, &packed[index]);
            }
        }
    }
    unreachable!("the loop ends after its attempts")
}

/// The document unchanged, with the reasons in `left`.
pub fn leave(document: &Document, options: &Options, left: Vec<String>, monitor: &dyn Monitor) -> Result<Packed> {
    let (copy, part) = (document.edit().finish()?, Part { whole: monitor, from: 0.9, share: 0.1 });
    let diff = diff::diff_with(document, &copy.read_back()?, options.probe_radius, &part)?;
    let bound = options.max_error.in_scene(diff.model_size);
    Ok(Packed::new(options.storage, copy, diff, bound, left))
}

/// Whether a text matches a pattern in which `*` stands for anything.
///
/// ```
/// assert!(keyfold::pack::matches("/nodes/*/rotation", "/nodes/3/rotation"));
/// ```
pub fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            let ends = (0..=rest.len()).filter(|i| rest.is_char_boundary(*i));
            ends.map(|i| &rest[i..]).any(|rest| matches(tail, rest))
        }),
    }
}

/// The document as written and, if short and keys may change, also with sparse accessors where smaller.
fn forms(
    document: &Document,
    context: &Context<'_>,
    original: &[Animation],
    packed: &[PackedAnimation],
) -> Result<Vec<Document>> {
    let plain = write(document, context, original, packed, place_plain)?;
    let is_short = floats(original) <= smallest::MUCH;
    if !(context.codec().has_sparse && is_short) || context.options.keep_keys {
        return Ok(vec![plain]);
    }
    let sparse = write(document, context, original, packed, place_sparse)?;
    let is_smaller = weigh::weight(&sparse).raw < weigh::weight(&plain).raw;
    Ok([plain].into_iter().chain(Some(sparse).filter(|_| is_smaller)).collect())
}

/// Writes packed animations into the document. `place` decides between plain and sparse arrays.
fn write(
    document: &Document,
    context: &Context<'_>,
    original: &[Animation],
    packed: &[PackedAnimation],
    place: Place,
) -> Result<Document> {
    let mut animations: Vec<Animation> = packed.iter().map(|p| p.animation.clone()).collect();
    if context.options.draco.fallback {
        restore(&mut animations, original);
    }
    // Where keys stay, channels stay as well.
    let may_move = |animation: &Animation| !context.options.keep_keys && context.changes(animation);
    let lean = common_first(context.without_rest(document, animations), may_move);
    let animations = original.iter().zip(&lean).zip(packed).map(|((original, lean), packed)| {
        let straight = |t: &Track| packed.animation.tracks.iter().any(|p| p.target == t.target && context.replaces(p));
        let replaced = original.tracks.iter().filter(|t| context.replaces(t) || straight(t));
        let replaces = replaced.map(|t| t.source.channel).collect();
        Rewritten { index: original.index, replaces, entries: entries(context, lean, &packed.encoded) }
    });
    (context.codec().write)(document, &animations.collect::<Vec<_>>(), context, place)
}

/// Restores the original values of tracks whose key times did not change, for Draco's fallback.
fn restore(animations: &mut [Animation], original: &[Animation]) {
    for (animation, original) in animations.iter_mut().zip(original) {
        for track in &mut animation.tracks {
            let before = original.tracks.iter().find(|t| t.target == track.target && t.source == track.source);
            let same = before.filter(|t| t.curve.times() == track.curve.times());
            track.curve = same.map_or_else(|| track.curve.clone(), |t| t.curve.clone());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
