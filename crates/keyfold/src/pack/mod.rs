//! The smallest file within a bound that holds.
//!
//! ```text
//! read ─> pack each animation (the core's engine) ─> drop what only holds the rest pose ─> write ─> read back, measure ─> keep, tighten or leave
//! ```
//!
//! The order and its reason: first what costs nothing (arcs that rounding could turn round; `exact`: repeated keys; `properties`: tracks that move no
//! points have a bound of their own; splines as they are and as straight pieces, `straight`), then the engine, which needs the other tracks as they will be; then tracks that
//! hold the rest pose in every animation (`rest`), which can only be told when all animations are packed.
//!
//! | file | idea |
//! |---|---|
//! | `animation` | one animation: what comes before the engine, and the engine |
//! | `context` | what a search of a document needs to know |
//! | `exact`, `properties`, `straight`, `rest` | passes: repeated keys, tracks that move no points, splines as lines, tracks at rest |
//! | `storage/` | storages as the engine's codecs: a file each |
//! | `axes` | translation and scale split, where the storage knows single axes |
//! | `poses` | animations that hold one pose have values of others |
//! | `common` | the same order of tracks in all animations, so that their JSON repeats |
//! | `cost`, `weigh` | what a candidate, and what a document's animations, cost on the wire |
//! | `estimate` | about what other storages would take, from samples |
//! | `smallest` | several searches of a document, and the smallest of their results |
//! | `report` | several storages, the smallest kept, and what is told of a file |

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
    Animation, Bound, Diff, Document, Monitor, PROPERTY_BOUND, Result, Scene, Severity, Storage, Track,
    diff::{self, called},
    draco, effort, quantization, read_shared,
    write::{MeshoptVersion, Place, place_plain, place_sparse},
};
use animation::{PackedAnimation, pack_again};
use common::common_first;
use context::{Context, Purpose};
pub use estimate::estimates;
pub use keyfold_core::engine::Level;
pub use report::{Candidate, Choice, Chosen, ErrorReport, FileReport, PackedFile, Sizes, choose};
use smallest::{SHORT, smallest};
use std::{collections::BTreeSet, sync::atomic::Ordering};
use storage::{Rewritten, entries};
use weigh::Weight;

/// What to hold to, and what to leave alone; by default core storage, and 0.01 % of the model's size.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How the animations are stored.
    pub storage: Storage,
    /// Which of meshopt's two extensions to write.
    pub meshopt: MeshoptVersion,
    /// How far a measured point may come to lie from where it was.
    pub bound: Bound,
    /// How far other properties may be off, as a share of their natural range; 0.001 where not given.
    pub property_bound: Option<f64>,
    /// How far from each node errors are looked at; by the rule where not given.
    pub shell: Option<Bound>,
    /// How hard to search.
    pub level: Level,
    /// Whether to minimize gzipped or raw bytes.
    pub optimize: Optimize,
    /// Only this animation, by name or index; all where not given.
    pub animation: Option<String>,
    /// Tracks to leave alone: `*` stands for anything, matched against targets (`/nodes/3/rotation`) and node names.
    pub keep: Vec<String>,
    /// Whether tracks stay that only hold the rest pose. They always do in motion that is made for other skeletons (VRMC_vrm_animation).
    pub keep_rest: bool,
    /// Whether keys stay where they are, and interpolation as it is: what `convert` asks for.
    pub keep_keys: bool,
    /// How Draco's streams are laid out; bounds and bits of values are not theirs to say here.
    pub draco: draco::Options,
    /// The layouts and bits of EXT_animation_quantization; bounds and types by name are not its to say here.
    pub quantization: quantization::Options,
}

impl Settings {
    /// How far properties may be off.
    fn property_bound(&self) -> f64 {
        self.property_bound.unwrap_or(PROPERTY_BOUND)
    }
}

/// Which bytes of animations and their JSON are minimized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Optimize {
    /// After gzip, as most servers send them.
    #[default]
    Gzip,
    /// As they are, for hosts that do not compress.
    Raw,
}

/// A packed document and the proof.
#[derive(Debug)]
#[non_exhaustive]
pub struct Packed {
    /// The document to save.
    pub document: Document,
    /// How far it lies from the original, measured on what was read back.
    pub diff: Diff,
    /// The bound in scene units.
    pub bound: f64,
    /// What had to stay as it was, and why.
    pub left: Vec<String>,
    /// How the animations are stored: as was asked for or, where splines take fewer bytes there, in core's form.
    pub storage: Storage,
    /// What the animations' bytes and JSON take after gzip.
    pub gzip_bytes: usize,
    /// What they take as they are.
    pub raw_bytes: usize,
}

impl Packed {
    fn new(storage: Storage, document: Document, diff: Diff, bound: f64, left: Vec<String>) -> Self {
        let Weight { raw: raw_bytes, gzip: gzip_bytes } = weigh::weight(&document);
        Self { document, diff, bound, left, storage, gzip_bytes, raw_bytes }
    }

    /// The bytes that are minimized.
    pub fn weight(&self, optimize: Optimize) -> usize {
        self.both().of(optimize)
    }

    /// What the animations take, as they are and after gzip.
    fn both(&self) -> Weight {
        Weight { raw: self.raw_bytes, gzip: self.gzip_bytes }
    }
}

/// How often animations that prove to be over the bound are packed again, before they are left as they were.
const ATTEMPTS: usize = 8;

/// The factor over the bound from which rounded times are suspected.
const FAR: f64 = 1.1;

/// The factor over the bound at which an error that stays the same ends the attempts.
const STUCK: f64 = 5.0;

/// Packs a document.
///
/// ```
/// use keyfold::{Document, pack::{Settings, pack}};
/// # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
/// let document = Document::open(machine)?;
/// let packed = pack(&document, &Settings { bound: "0.1%".parse()?, ..Settings::default() })?;
/// assert!(packed.diff.relative <= 0.001);
/// let bytes = packed.document.to_bytes()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack(document: &Document, settings: &Settings) -> Result<Packed> {
    pack_with(document, settings, &())
}

/// As [`pack`], watched.
pub fn pack_with(document: &Document, settings: &Settings, monitor: &dyn Monitor) -> Result<Packed> {
    smallest(document, settings, monitor).map(|smallest| smallest.packed)
}

/// How many numbers the values of animations are.
fn floats<'a>(animations: impl IntoIterator<Item = &'a Animation>) -> usize {
    animations.into_iter().flat_map(|animation| &animation.tracks).map(|track| track.curve.values().len()).sum()
}

/// What a search leaves of a document, measured, and packed again where that is over the bound; the document as it was where even unchanged animations do not survive
/// being written anew.
pub(crate) fn pack_once(document: &Document, settings: &Settings, monitor: &dyn Monitor) -> Result<Packed> {
    let mut forms = pack_forms(document, settings, monitor)?;
    Ok(forms.swap_remove(0))
}

/// As [`pack_once`], in all forms that it is written in, of which there is at least one.
fn pack_forms(document: &Document, settings: &Settings, monitor: &dyn Monitor) -> Result<Vec<Packed>> {
    let why =
        "no animation was packed: no smaller form keeps within the error bound; a larger bound or another storage may";
    let forms = pack_below(document, settings, None, monitor)?;
    if forms.is_empty() { Ok(vec![leave(document, settings, vec![why.to_owned()])?]) } else { Ok(forms) }
}

/// The forms of what a search leaves of a document that weigh what is `wanted`, measured; none where it is over the bound.
fn pack_below(
    document: &Document,
    settings: &Settings,
    wanted: Option<&dyn Fn(&Weight) -> bool>,
    monitor: &dyn Monitor,
) -> Result<Vec<Packed>> {
    let read = read_shared(document)?;
    let scene = Scene::new(document, &read.animations, settings.shell)?;
    let context = Context::new(&scene, &read.animations, settings, monitor);
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
        let measured = |written: Document| Ok((diff::diff(document, &written.read_back()?, settings.shell)?, written));
        let measured: Vec<(Diff, Document)> = written.into_iter().map(measured).collect::<Result<_>>()?;
        let Some((diff, _)) = measured.first() else { return Ok(Vec::new()) };
        let failing: Vec<usize> = (0..packed.len()).filter(|index| context.fails(diff, *index)).collect();
        if failing.is_empty() {
            let holds = |(diff, _): &(Diff, Document)| !(0..packed.len()).any(|index| context.fails(diff, index));
            let packed = |(diff, written)| Packed::new(settings.storage, written, diff, bound, left.clone());
            return Ok(measured.into_iter().filter(holds).map(packed).collect());
        }
        if attempt > ATTEMPTS || failing.iter().any(|index| untouched.contains(index)) {
            return Ok(Vec::new());
        }
        let far = |index: usize| diff.animations[index].possible > FAR * bound || attempt + 1 == ATTEMPTS;
        let blames_times =
            context.form().rounds_times && !context.exact_times() && failing.iter().any(|index| far(*index));
        context.exact_times.fetch_or(blames_times, Ordering::Relaxed);
        for index in failing {
            let (original, possible) = (&whole[index], diff.animations[index].possible);
            // What no bit of an error changes for is not in what was packed: a tighter bound does not help.
            let is_stuck = possible > STUCK * bound && core::mem::replace(&mut before[index], possible) == possible;
            if attempt == ATTEMPTS || is_stuck {
                untouched.insert(index);
                packed[index] = PackedAnimation::untouched(original.clone());
                let place = format!("/animations/{index}{}", called(original.name.as_deref()));
                left.push(format!(
                    "{place} stays as it was: no smaller form keeps within the error bound; a larger bound may"
                ));
            } else {
                // Gently at first: each step costs bytes.
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

/// The document as it was, for these reasons.
pub fn leave(document: &Document, settings: &Settings, left: Vec<String>) -> Result<Packed> {
    let diff = diff::diff(document, document, settings.shell)?;
    let bound = settings.bound.in_scene(diff.model_size);
    Ok(Packed::new(settings.storage, document.edit().finish()?, diff, bound, left))
}

/// Whether a text fits a pattern in which `*` stands for anything.
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

/// The document as it is written and, where it is short and that takes fewer bytes, with sparse accessors. Where keys stay, so do arrays.
fn forms(
    document: &Document,
    context: &Context<'_>,
    original: &[Animation],
    packed: &[PackedAnimation],
) -> Result<Vec<Document>> {
    let plain = write(document, context, original, packed, place_plain)?;
    let is_short = floats(original) <= smallest::MUCH;
    if !(context.form().has_sparse && is_short) || context.settings.keep_keys {
        return Ok(vec![plain]);
    }
    let sparse = write(document, context, original, packed, place_sparse)?;
    let is_smaller = weigh::weight(&sparse).raw < weigh::weight(&plain).raw;
    Ok([plain].into_iter().chain(Some(sparse).filter(|_| is_smaller)).collect())
}

/// The document with what was packed; where arrays stand as they are or sparse, `place` says where.
fn write(
    document: &Document,
    context: &Context<'_>,
    original: &[Animation],
    packed: &[PackedAnimation],
    place: Place,
) -> Result<Document> {
    let mut animations: Vec<Animation> = packed.iter().map(|p| p.animation.clone()).collect();
    if context.settings.draco.fallback {
        restore(&mut animations, original);
    }
    // Where keys stay, so do channels.
    let may_move = |animation: &Animation| !context.settings.keep_keys && context.changes(animation);
    let lean = common_first(context.without_rest(document, animations), may_move);
    let animations = original.iter().zip(&lean).zip(packed).map(|((original, lean), packed)| {
        let straight = |t: &Track| packed.animation.tracks.iter().any(|p| p.target == t.target && context.replaces(p));
        let replaced = original.tracks.iter().filter(|t| context.replaces(t) || straight(t));
        let replaces = replaced.map(|t| t.source.channel).collect();
        Rewritten { index: original.index, replaces, entries: entries(context, lean, &packed.encoded) }
    });
    (context.form().write)(document, &animations.collect::<Vec<_>>(), context, place)
}

/// Gives tracks their original values back where they have the same keys: a fallback holds those.
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
