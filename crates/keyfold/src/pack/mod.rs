//! The smallest file within a bound that holds.
//!
//! ```text
//! read ─> fold each animation (search) ─> drop what only holds the rest pose ─> write ─> read back, measure ─> keep, repair or leave
//! ```
//!
//! The order and its reason: first what costs nothing (`crate::halves`: arcs that rounding could turn round; `exact`: repeated keys; `properties`: tracks that move no points have a
//! bound of their own; `cubic`: splines give up digits), then the search over lanes (`fold`), which needs the other tracks as they will be; then tracks that
//! hold the rest pose in every animation (`rest`), which can only be told when all animations are folded; then the smallest
//! form of each track (`forms`, `quantized`).
//!
//! | file | idea |
//! |---|---|
//! | `axes` | translation and scale split, where the storage knows single axes |
//! | `clip`, `window` | an animation taken apart into lanes; a stretch of it with the original's poses |
//! | `lattice`, `grid`, `projection` | the values that a storage can hold at a given step |
//! | `reduce` | which keys are needed |
//! | `encode` | from the root to the tips: wanted values, keys, steps |
//! | `aim`, `repair` | compensation for decoded parents; other codes where the nearest ones add up badly |
//! | `steps` | how coarse each lane may be |
//! | `cost`, `weigh` | what a candidate, and what a document's animations, cost on the wire |
//! | `glance` | about what other storages would take, from an excerpt |
//! | `report` | several storages, the smallest kept, and what is told of a file |

mod aim;
mod axes;
mod clip;
mod cost;
mod cubic;
mod encode;
mod exact;
mod fold;
mod forms;
mod glance;
mod grid;
mod lattice;
mod projection;
mod properties;
mod quantized;
mod reduce;
mod repair;
mod report;
mod rest;
mod steps;
pub mod weigh;
mod window;

use crate::parallel::*;
use crate::{
    Animation, Bound, Diff, Document, Error, Monitor, Result, Scene, Severity, Storage, Target, Targets, Track, diff,
    draco, effort,
    extensions::vrm_animation::is_for_others,
    join_axes, read,
    write::{AnimationForm, ChannelForm, MeshoptVersion, assemble, place_meshopt, place_plain, place_stream},
};
use cost::cost;
use encode::Plan;
use fold::{Folded, Grids};
pub use glance::{Glance, glance};
use quantized::{Clock, quantized};
pub use report::{Candidate, Choice, Chosen, ErrorReport, FileReport, PackedFile, Sizes, choose};
use std::{
    borrow::Cow,
    sync::atomic::{AtomicUsize, Ordering},
};

/// How hard to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// One plan, few rounds.
    Fast,
    /// All plans.
    #[default]
    Default,
    /// All plans, many rounds; what the default finds where that is smaller.
    Max,
}

/// What to hold to, and what to leave alone.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the animations are stored.
    pub storage: Storage,
    /// Which of meshopt's two extensions to write.
    pub meshopt: MeshoptVersion,
    /// How far any point may come to lie from where it was.
    pub bound: Bound,
    /// How far other properties may be off, as a share of their natural range; 0.001 where not given.
    pub property_bound: Option<f64>,
    /// How far from each node errors are looked at; by the rule where not given.
    pub shell: Option<Bound>,
    /// How hard to search.
    pub level: Level,
    /// Only this animation, by name or index; all where not given.
    pub animation: Option<String>,
    /// Tracks to leave alone: `*` stands for anything, matched against targets (`/nodes/3/rotation`) and node names.
    pub keep: Vec<String>,
    /// Whether tracks stay that only hold the rest pose. They always do in motion that is made for other skeletons (VRMC_vrm_animation).
    pub keep_rest: bool,
}

/// Core storage, 0.01 % of the model's size.
impl Default for Settings {
    fn default() -> Self {
        Self {
            storage: Storage::Core,
            meshopt: MeshoptVersion::default(),
            bound: Bound::default(),
            property_bound: None,
            shell: None,
            level: Level::default(),
            animation: None,
            keep: Vec::new(),
            keep_rest: false,
        }
    }
}

/// A packed document and the proof.
#[derive(Debug)]
pub struct Packed {
    /// The document to save.
    pub document: Document,
    /// How far it lies from the original, measured on what was read back.
    pub diff: Diff,
    /// The bound in scene units.
    pub bound: f64,
    /// What had to stay as it was, and why.
    pub left: Vec<String>,
    /// What the animations' bytes and JSON take after gzip.
    pub gzip_bytes: usize,
}

/// What tracks that move no points may be off by default.
const PROPERTY_BOUND: f64 = 0.001;
/// How often animations that prove to be over the bound are folded again with a smaller one, before they are left as they were.
const ATTEMPTS: usize = 4;

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
    match (settings.storage, settings.level) {
        (Storage::Draco, _) => pack_draco(document, settings, monitor),
        (_, Level::Fast | Level::Default) => pack_once(document, settings, monitor),
        // A longer search for steps mostly finds smaller files, but not always.
        (_, Level::Max) => {
            let longer = pack_once(document, settings, monitor)?;
            let usual = pack_once(document, &Settings { level: Level::Default, ..settings.clone() }, monitor)?;
            Ok(if longer.gzip_bytes <= usual.gzip_bytes { longer } else { usual })
        }
    }
}

fn pack_once(document: &Document, settings: &Settings, monitor: &dyn Monitor) -> Result<Packed> {
    let read = read(document)?;
    let scene = Scene::new(document, &read.animations, settings.shell)?;
    let context = Context::new(&scene, settings);
    context.check(&read.animations)?;
    effort::pay(document, &scene, read.animations.iter().filter(|a| context.folds(a)), effort::SEARCH)?;
    let bound = settings.bound.in_scene(scene.model_size());
    let whole = context.whole(document, &read.animations);
    let done = AtomicUsize::new(0);
    let fold = |animation: &Animation| {
        monitor.step(0.9 * done.fetch_add(1, Ordering::Relaxed) as f64 / whole.len() as f64, "searching")?;
        Ok(context.fold(animation, bound))
    };
    let mut folded: Vec<Folded> = whole.par_iter().map(fold).collect::<Result<_>>()?;
    let mut bounds = vec![bound; folded.len()];
    let unread = read.findings.iter().filter(|f| f.severity == Severity::Error);
    let mut left: Vec<String> = unread.map(|f| format!("{}: {}", f.at, f.message)).collect();
    left.extend(kept(&read.animations));
    for attempt in 0.. {
        monitor.step(0.9, "measuring")?;
        let written = write(document, &context, &read.animations, &folded)?;
        let diff = diff::diff(document, written.draft(None)?.document(), settings.shell)?;
        let failing: Vec<usize> = (0..folded.len()).filter(|i| context.fails(&diff, *i, bound)).collect();
        if !failing.is_empty() && attempt > ATTEMPTS {
            return untouched(document, settings, bound);
        }
        if failing.is_empty() {
            let gzip_bytes = weigh::gzip_bytes(&written)?;
            return Ok(Packed { document: written, diff, bound, left, gzip_bytes });
        }
        for index in failing {
            let original = &whole[index];
            if attempt == ATTEMPTS {
                folded[index] = Folded::untouched(original.clone());
                left.push(format!("/animations/{index}: stays as it was, nothing smaller keeps to the bound"));
            } else {
                // Gently at first: each step costs bytes.
                let share = 1.0 - 0.015 * (attempt + 1) as f64;
                bounds[index] *= (share * bound / diff.animations[index].possible).clamp(0.2, share);
                folded[index] = fold::fold(&context, original, bounds[index]);
            }
        }
    }
    unreachable!("the loop ends after its attempts")
}

/// Draco's entropy coder likes all keys on one shared time better than few: its own writer lays the grids.
fn pack_draco(document: &Document, settings: &Settings, monitor: &dyn Monitor) -> Result<Packed> {
    monitor.step(0.0, "searching")?;
    let read = read(document)?;
    let scene = Scene::new(document, &read.animations, settings.shell)?;
    let context = Context::new(&scene, settings);
    context.check(&read.animations)?;
    effort::pay(document, &scene, read.animations.iter().filter(|a| context.folds(a)), effort::SEARCH)?;
    let bound = settings.bound.in_scene(scene.model_size());
    let takes = |animation: &Animation, track: &Track| context.takes(animation, track);
    let done = draco::compress_some(document, &context.draco_options(), settings.shell, takes)?;
    if !done.within {
        return untouched(document, settings, bound);
    }
    let unread = done.findings.iter().filter(|f| f.severity == Severity::Error);
    let left = unread.map(|f| format!("{}: {}", f.at, f.message)).chain(kept(&read.animations)).collect();
    let gzip_bytes = weigh::gzip_bytes(&done.document)?;
    Ok(Packed { document: done.document, diff: done.diff, bound, left, gzip_bytes })
}

/// What stays as it is because it is not defined everywhere.
fn kept(animations: &[Animation]) -> impl Iterator<Item = String> {
    animations.iter().flat_map(diff::undefined).map(|(_, what)| format!("{what}; it stays as it was"))
}

/// The document as it was: what is left where even unchanged animations did not survive being written anew.
fn untouched(document: &Document, settings: &Settings, bound: f64) -> Result<Packed> {
    let left = vec!["/animations: stay as they were, nothing else keeps to the bound".to_owned()];
    let diff = diff::diff(document, document, settings.shell)?;
    Ok(Packed { document: document.edit().finish()?, diff, bound, left, gzip_bytes: weigh::gzip_bytes(document)? })
}

/// What a search needs to know.
pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) property_bound: f64,
    pub(crate) settings: &'a Settings,
}

impl<'a> Context<'a> {
    fn new(scene: &'a Scene, settings: &'a Settings) -> Self {
        Self { scene, property_bound: settings.property_bound.unwrap_or(PROPERTY_BOUND), settings }
    }

    fn draco_options(&self) -> draco::Options {
        draco::Options {
            max_error: self.settings.bound,
            max_property_error: self.property_bound,
            ..draco::Options::default()
        }
    }

    /// Whether Draco's writer may take a track into a stream.
    fn takes(&self, animation: &Animation, track: &Track) -> bool {
        self.folds(animation) && !self.keeps(&track.target)
    }

    pub(crate) fn plans(&self) -> &'static [Plan] {
        match self.settings.level {
            Level::Fast => &fold::PLANS[..1],
            Level::Default | Level::Max => &fold::PLANS,
        }
    }

    /// Animations whose targets the storage can say: only quantization knows single axes.
    fn whole<'d>(&self, document: &Document, animations: &'d [Animation]) -> Cow<'d, [Animation]> {
        let mut tracks = animations.iter().flat_map(|animation| &animation.tracks);
        let axes = tracks.any(|track| matches!(track.target, Target::Node { axis: Some(_), .. }));
        match self.settings.storage {
            Storage::Core | Storage::Draco | Storage::Meshopt | Storage::Stream if axes => {
                animations.iter().map(|animation| join_axes(document, animation)).collect()
            }
            _ => Cow::Borrowed(animations),
        }
    }

    /// Whether a track of the original is written anew: single axes, too, which other storages have joined.
    fn replaces(&self, track: &Track) -> bool {
        let axis = matches!(track.target, Target::Node { axis: Some(_), .. });
        forms::rewritable(track) || (axis && track.source.targets == Targets::Core)
    }

    /// Whether tracks may be split by axis. A fast run has no time to try.
    pub(crate) fn splits(&self) -> bool {
        self.settings.storage == Storage::Quantization && self.settings.level != Level::Fast
    }

    /// Whether steps are coarser than what holds by itself, and repaired.
    pub(crate) fn repairs(&self) -> bool {
        self.settings.level != Level::Fast
    }

    /// An animation's tracks in the storage's smallest form.
    pub(crate) fn forms(&self, animation: &Animation, grids: &Grids) -> Result<Vec<ChannelForm>> {
        let tracks = || animation.tracks.iter().filter(|t| self.replaces(t));
        if self.settings.storage == Storage::Stream {
            return tracks().map(|track| forms::streamed(track, grids)).collect();
        }
        if self.settings.storage != Storage::Quantization {
            return tracks().map(forms::compact).collect();
        }
        let exact = self.settings.bound.in_scene(self.scene.model_size()) == 0.0;
        let with =
            |clock: Option<&Clock>| tracks().map(|t| quantized(t, grids, clock, exact)).collect::<Result<Vec<_>>>();
        let plain = with(None)?;
        let Some(clock) = Clock::of(animation) else { return Ok(plain) };
        let frames = with(Some(&clock))?;
        Ok(if cost(&frames, self) < cost(&plain, self) { frames } else { plain })
    }

    pub(crate) fn rounds(&self) -> usize {
        match self.settings.level {
            Level::Fast => 4,
            Level::Default => 7,
            Level::Max => 16,
        }
    }

    /// Whether a track is to be left alone.
    pub(crate) fn keeps(&self, target: &Target) -> bool {
        let name = target.moved_node().and_then(|n| self.scene.name(n));
        let text = target.to_string();
        self.settings.keep.iter().any(|p| matches(p, &text) || name.is_some_and(|n| matches(p, n)))
    }

    /// Whether there is the animation that is asked for.
    fn check(&self, animations: &[Animation]) -> Result<()> {
        match &self.settings.animation {
            Some(wanted) if !animations.iter().any(|animation| self.folds(animation)) => {
                Err(Error::malformed("/animations", format!("none is called {wanted:?} or has that index")))
            }
            _ => Ok(()),
        }
    }

    fn folds(&self, animation: &Animation) -> bool {
        let wanted = self.settings.animation.as_deref();
        wanted.is_none_or(|w| animation.name.as_deref() == Some(w) || w.parse() == Ok(animation.index))
    }

    /// An animation, folded if it is one of those that are asked for.
    fn fold(&self, animation: &Animation, bound: f64) -> Folded {
        match self.folds(animation) {
            true => fold::fold(self, animation, bound),
            false => Folded::untouched(animation.clone()),
        }
    }

    fn fails(&self, diff: &Diff, index: usize, bound: f64) -> bool {
        let Some(animation) = diff.animations.get(index) else { return false };
        // It lasts as long as it did, and it is still there.
        let lost = diff.unmatched.iter().any(|what| what.animation() == Some(index));
        lost || !(animation.possible <= bound && animation.properties.max <= self.property_bound)
    }
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

fn write(document: &Document, context: &Context<'_>, original: &[Animation], folded: &[Folded]) -> Result<Document> {
    let animations = folded.iter().map(|f| f.animation.clone()).collect();
    let lean = match context.settings.keep_rest || is_for_others(document) {
        true => animations,
        false => rest::without_rest(context.scene, animations, |t| context.keeps(t), |a| context.folds(a)),
    };
    let forms = original.iter().zip(&lean).zip(folded).map(|((original, lean), folded)| {
        let channels = context.forms(lean, &folded.grids)?;
        let replaces = original.tracks.iter().filter(|t| context.replaces(t)).map(|t| t.source.channel).collect();
        Ok(AnimationForm { index: original.index, replaces, channels })
    });
    let forms = forms.collect::<Result<Vec<_>>>()?;
    drop(lean);
    match context.settings.storage {
        Storage::Meshopt => {
            assemble(document, &forms, |edit, contents| place_meshopt(edit, contents, context.settings.meshopt))
        }
        Storage::Quantization => assemble(document, &forms, |edit, contents| {
            edit.declare(crate::quantization::NAME, true);
            place_plain(edit, contents)
        }),
        Storage::Stream => assemble(document, &forms, |edit, contents| place_stream(edit, contents, &forms, false)),
        Storage::Core | Storage::Draco => assemble(document, &forms, place_plain),
    }
}

#[cfg(test)]
pub(crate) mod tests;
