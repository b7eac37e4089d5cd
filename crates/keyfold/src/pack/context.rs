//! What a search of a document needs to know: its settings in scene units, what stays as it is, and how far the work has come.

use super::{
    Level, Settings,
    animation::{PackedAnimation, pack_animation},
    matches, rest,
    storage::{self, Form},
};
use crate::parallel::*;
use crate::{
    Animation, Diff, Document, Error, Interpolation, Monitor, Result, Scene, Target, Targets, Track,
    diff::{self, called},
    draco,
    extensions::vrm_animation::is_for_others,
    join_axes,
};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A document that is measured.
    Document,
    /// About what a storage would take.
    Estimate {
        /// Whether the animations are slices of longer ones, next to whose bytes JSON is nothing.
        sliced: bool,
    },
}

/// What a search needs to know.
pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene,
    /// In scene units.
    pub(super) bound: f64,
    pub(crate) property_bound: f64,
    pub(crate) settings: &'a Settings,
    pub(crate) monitor: &'a dyn Monitor,
    /// What two channels of one animation drive: nobody knows which of them is played.
    doubled: BTreeSet<Target>,
    /// How many animations are searched, how many of them are begun, and how many forms were tried.
    animations: usize,
    begun: AtomicUsize,
    tries: AtomicUsize,
    pub(super) purpose: Purpose,
    /// When the shortest animation ends that holds one pose: it has a key there, whose time all that others hold may share.
    pub(super) pose_end: Option<f32>,
    /// Whether no time may lose its last bit: where something moves fast, that alone is over a tight bound, whatever values have.
    pub(super) exact_times: AtomicBool,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        animations: &[Animation],
        settings: &'a Settings,
        monitor: &'a dyn Monitor,
    ) -> Self {
        let bound = settings.bound.in_scene(scene.model_size());
        let poses = animations.iter().filter(|animation| animation.is_pose());
        Self {
            scene,
            bound,
            property_bound: settings.property_bound(),
            settings,
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

    /// For an estimate, of animations that are slices of longer ones or not.
    pub(super) fn for_estimate(self, sliced: bool) -> Self {
        Self { purpose: Purpose::Estimate { sliced }, ..self }
    }

    /// Tells that a form of an animation was tried: the search in a single one may be long.
    pub(crate) fn tried(&self) {
        let tries = 1 + self.tries.fetch_add(1, Ordering::Relaxed);
        self.monitor.progress(self.share(), &format!("searching, {tries} forms tried"));
    }

    /// Whether no time may lose its last bit.
    pub(crate) fn exact_times(&self) -> bool {
        self.exact_times.load(Ordering::Relaxed)
    }

    /// How much of the work is done where all animations that were begun before the last one are.
    pub(super) fn share(&self) -> f64 {
        let before = self.begun.load(Ordering::Relaxed).saturating_sub(1);
        0.9 * before as f64 / self.animations.max(1) as f64
    }

    /// What stays as it is because it is not defined everywhere, or more than once.
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

    pub(crate) fn draco_options(&self) -> draco::Options {
        draco::Options { bits: None, ..self.settings.draco.clone() }
    }

    pub(crate) fn form(&self) -> &'static Form {
        storage::of(self.settings.storage)
    }

    /// Animations whose targets the storage can say.
    pub(super) fn whole<'d>(&self, document: &Document, animations: &'d [Animation]) -> Cow<'d, [Animation]> {
        let mut tracks = animations.iter().flat_map(|animation| &animation.tracks);
        match !self.form().has_single_axes && tracks.any(|track| track.target.is_one_axis()) {
            true => animations.iter().map(|animation| join_axes(document, animation)).collect(),
            false => Cow::Borrowed(animations),
        }
    }

    /// Whether the engine searches tracks of an interpolation.
    pub(crate) fn takes(&self, interpolation: Interpolation) -> bool {
        self.form().takes.contains(&interpolation)
    }

    /// Whether a track of the original is written anew: single axes, too, which most storages join. Where keys stay, so do addresses that the storage cannot say.
    pub(crate) fn replaces(&self, track: &Track) -> bool {
        let readdressed = !self.form().has_pointers && track.source.targets != Targets::Core;
        if self.settings.keep_keys && readdressed {
            return false;
        }
        let interpolation = track.curve.interpolation();
        match (track.target.is_one_axis(), track.source.targets) {
            (true, targets) => targets == Targets::Core,
            // What core cannot say stays where it is, unless the storage knows it.
            (false, Targets::Core | Targets::Pointer) => {
                self.takes(interpolation) || interpolation != Interpolation::CubicSlerp
            }
            (false, _) => false,
        }
    }

    /// Whether tracks are tried split by axis. A fast run has no time for it, unless keys stay and there is little else to try; an estimate changes little by it.
    pub(crate) fn splits(&self) -> bool {
        self.purpose == Purpose::Document && (self.settings.keep_keys || self.settings.level != Level::Fast)
    }

    /// Whether a track is to be left alone.
    pub(crate) fn keeps(&self, target: &Target) -> bool {
        if self.doubled.contains(target) {
            return true;
        }
        let name = target.moved_node().and_then(|n| self.scene.name(n));
        let text = target.to_string();
        self.settings.keep.iter().any(|p| matches(p, &text) || name.is_some_and(|n| matches(p, n)))
    }

    /// Whether a track stays though it only holds the rest pose: where keys stay, all but single axes.
    pub(super) fn keeps_resting(&self, target: &Target) -> bool {
        self.keeps(target) || self.settings.keep_keys && !target.is_one_axis()
    }

    /// Whether there is the animation that is asked for.
    pub(super) fn check(&self, animations: &[Animation]) -> Result<()> {
        match &self.settings.animation {
            Some(wanted) if !animations.iter().any(|animation| self.changes(animation)) => {
                Err(Error::malformed("/animations", format!("none is called {wanted:?} or has that index")))
            }
            _ => Ok(()),
        }
    }

    /// Whether an animation is one of those that are asked for.
    pub(super) fn changes(&self, animation: &Animation) -> bool {
        let wanted = self.settings.animation.as_deref();
        wanted.is_none_or(|w| animation.name.as_deref() == Some(w) || w.parse() == Ok(animation.index))
    }

    /// All animations, packed as far as they are asked for, unless work is to stop.
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

    /// Animations without the tracks that only hold the rest pose, where those may go.
    pub(super) fn without_rest(&self, document: &Document, animations: Vec<Animation>) -> Vec<Animation> {
        match self.settings.keep_rest || is_for_others(document) {
            true => animations,
            false => rest::without_rest(self, animations),
        }
    }

    pub(super) fn fails(&self, diff: &Diff, index: usize) -> bool {
        let Some(animation) = diff.animations.get(index) else { return false };
        // It lasts as long as it did, and it is still there.
        let lost = diff.unmatched.iter().any(|what| what.animation() == Some(index));
        lost || !(animation.possible <= self.bound && animation.properties.max <= self.property_bound)
    }
}

/// What more than one track of an animation drives.
fn doubled(animation: &Animation) -> impl Iterator<Item = &Target> {
    let mut seen = BTreeSet::new();
    let again = animation.tracks.iter().map(|track| &track.target).filter(|target| !seen.insert(*target));
    again.collect::<BTreeSet<_>>().into_iter()
}
