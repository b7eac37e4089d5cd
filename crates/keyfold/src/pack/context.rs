//! What the search of a document needs to know: options in scene units, what stays as it is, and progress.

use super::{
    Level, Options,
    animation::{PackedAnimation, pack_animation},
    matches, rest,
    storage::{self, StorageCodec},
};
use crate::parallel::*;
use crate::{
    Animation, Diff, Document, Error, Interpolation, Monitor, Result, Scene, Target, Targets, Track,
    diff::{self, called},
    extensions::vrm_animation::is_for_others,
    join_axes,
    sample::title,
};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To write and measure a document.
    Document,
    /// To estimate the size in a storage.
    Estimate {
        /// Whether the animations are slices of longer ones, beside whose bytes JSON is negligible.
        sliced: bool,
    },
}

pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene,
    /// In scene units.
    pub(super) bound: f64,
    pub(crate) property_bound: f64,
    pub(crate) options: &'a Options,
    pub(crate) monitor: &'a dyn Monitor,
    /// Targets that two channels of one animation drive. Which of them is played is undefined.
    doubled: BTreeSet<Target>,
    /// How many animations there are, how many searches have begun, and how many forms were tried.
    animations: usize,
    begun: AtomicUsize,
    tries: AtomicUsize,
    pub(super) purpose: Purpose,
    /// The earliest end of an animation that holds one pose. Other constants may share the time of its key.
    pub(super) pose_end: Option<f32>,
    /// Whether times must stay exact: with fast motion, a rounded time alone can exceed a tight bound.
    pub(super) exact_times: AtomicBool,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        animations: &[Animation],
        options: &'a Options,
        monitor: &'a dyn Monitor,
    ) -> Self {
        let bound = options.max_error.in_scene(scene.model_size());
        let poses = animations.iter().filter(|animation| animation.is_pose());
        Self {
            scene,
            bound,
            property_bound: options.max_property_error.0,
            options,
            monitor,
            doubled: animations.iter().flat_map(|animation| doubled(animation).cloned()).collect(),
            animations: animations.len(),
            begun: AtomicUsize::new(0),
            tries: AtomicUsize::new(0),
            purpose: Purpose::Document,
            pose_end: poses.map(Animation::duration).min_by(f32::total_cmp),
            exact_times: AtomicBool::new(bound == 0.0),
        }
    }

    /// The context of an estimate. `sliced`: the animations are slices of longer ones.
    pub(super) fn for_estimate(self, sliced: bool) -> Self {
        Self { purpose: Purpose::Estimate { sliced }, ..self }
    }

    /// Reports that a form of an animation was tried: the search of a single animation may take long.
    pub(crate) fn tried(&self) {
        let tries = 1 + self.tries.fetch_add(1, Ordering::Relaxed);
        self.monitor.progress(self.share(), &format!("searching, {tries} forms tried"));
    }

    pub(crate) fn exact_times(&self) -> bool {
        self.exact_times.load(Ordering::Relaxed)
    }

    /// The share of the work that is done, assuming that only the animation begun last is unfinished.
    pub(super) fn share(&self) -> f64 {
        let before = self.begun.load(Ordering::Relaxed).saturating_sub(1);
        0.9 * before as f64 / self.animations.max(1) as f64
    }

    /// The tracks that stay because they are undefined at some times or driven twice, for the report.
    pub(super) fn kept(&self, animations: &[Animation]) -> Vec<String> {
        let undefined = animations.iter().flat_map(|animation| diff::told_undefined(self.scene, animation));
        let twice = animations.iter().flat_map(|animation| {
            let place = format!("/animations/{}{}", animation.index, called(animation.name.as_deref()));
            doubled(animation).map(move |target| {
                let target = self.scene.titled(target);
                format!(
                    "{place}: {target} is driven by more than one channel, and which of them is played is not defined"
                )
            })
        });
        undefined.chain(twice).map(|what| format!("{what}; it stays as it was")).collect()
    }

    pub(crate) fn codec(&self) -> &'static StorageCodec {
        storage::of(self.options.storage)
    }

    /// The animations with single axes joined if the storage cannot address them.
    pub(super) fn whole<'d>(&self, document: &Document, animations: &'d [Animation]) -> Cow<'d, [Animation]> {
        let mut tracks = animations.iter().flat_map(|animation| &animation.tracks);
        match !self.codec().has_single_axes && tracks.any(|track| track.target.is_one_axis()) {
            true => animations.iter().map(|animation| join_axes(document, animation)).collect(),
            false => Cow::Borrowed(animations),
        }
    }

    /// Whether the engine searches tracks of an interpolation in this storage.
    pub(crate) fn takes(&self, interpolation: Interpolation) -> bool {
        self.codec().takes.contains(&interpolation)
    }

    /// Whether a track of the original is rewritten. Single axes are, because most storages join them. If
    /// keys stay, so do addresses that the storage cannot express.
    pub(crate) fn replaces(&self, track: &Track) -> bool {
        let readdressed = !self.codec().has_pointers && track.source.targets != Targets::Core;
        if self.options.keep_keys && readdressed {
            return false;
        }
        let interpolation = track.curve.interpolation();
        match (track.target.is_one_axis(), track.source.targets) {
            (true, targets) => targets == Targets::Core,
            // What core cannot express stays where it is, unless the storage can.
            (false, Targets::Core | Targets::Pointer) => {
                let holds_any = self.codec().converts_exactly;
                interpolation != Interpolation::CubicSlerp || self.takes(interpolation) || holds_any
            }
            (false, _) => false,
        }
    }

    /// Whether tracks are also tried split by axis. Fast runs have no time for that, unless keys stay and
    /// little else is tried. Estimates change little by it.
    pub(crate) fn splits(&self) -> bool {
        self.purpose == Purpose::Document && (self.options.keep_keys || self.options.level != Level::Fast)
    }

    pub(crate) fn keeps(&self, target: &Target) -> bool {
        if self.doubled.contains(target) {
            return true;
        }
        let name = target.moved_node().and_then(|n| self.scene.name(n));
        let text = target.to_string();
        self.options.keep.iter().any(|p| matches(p, &text) || name.is_some_and(|n| matches(p, n)))
    }

    /// Whether a track stays even if it only holds the rest pose. Where keys stay, all do except single axes.
    pub(super) fn keeps_resting(&self, target: &Target) -> bool {
        self.keeps(target) || self.options.keep_keys && !target.is_one_axis()
    }

    /// Checks that the requested animation exists.
    pub(super) fn check(&self, animations: &[Animation]) -> Result<()> {
        match &self.options.animation {
            Some(wanted) if !animations.iter().any(|animation| self.changes(animation)) => {
                let titles: Vec<String> = animations.iter().map(|a| title(a.name.as_deref(), a.index)).collect();
                Err(Error::argument(
                    "/animations",
                    format!("there is no animation {wanted}; there is: {}", titles.join(", ")),
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn changes(&self, animation: &Animation) -> bool {
        let wanted = self.options.animation.as_deref();
        wanted.is_none_or(|w| animation.name.as_deref() == Some(w) || w.parse() == Ok(animation.index))
    }

    /// Packs the requested animations and leaves the others untouched; an error on cancellation.
    pub(super) fn search(&self, animations: &[Animation]) -> Result<Vec<PackedAnimation>> {
        let search = |animation: &Animation| {
            self.begun.fetch_add(1, Ordering::Relaxed);
            self.monitor.step(self.share(), "searching")?;
            Ok(match self.changes(animation) {
                true => pack_animation(self, animation, self.bound),
                false => PackedAnimation::untouched(animation.clone()),
            })
        };
        animations.par_iter().map(search).collect()
    }

    pub(super) fn without_rest(&self, document: &Document, animations: Vec<Animation>) -> Vec<Animation> {
        match self.options.keep_rest || is_for_others(document) {
            true => animations,
            false => rest::without_rest(self, animations),
        }
    }

    pub(super) fn fails(&self, diff: &Diff, index: usize) -> bool {
        let Some(animation) = diff.animations.get(index) else { return false };
        // It fails if it lasts shorter or longer, or is gone.
        let lost = diff.unmatched.iter().any(|what| what.animation() == Some(index));
        lost || !(animation.possible <= self.bound && animation.properties.max <= self.property_bound)
    }
}

/// The targets that more than one track of an animation drives.
fn doubled(animation: &Animation) -> impl Iterator<Item = &Target> {
    let mut seen = BTreeSet::new();
    let again = animation.tracks.iter().map(|track| &track.target).filter(|target| !seen.insert(*target));
    again.collect::<BTreeSet<_>>().into_iter()
}
