//! Builds runtime clips from a document's animations: the glTF side of the core's encoder.
//!
//! The core ([`keyfold_core::clip`]) has the format and the search; this module adds the scene, the rest values and
//! the tolerances.

mod report;

pub use report::{ClipInfo, ClipReport, ClipTrack, ErrorSize};

use crate::{
    Axis, Bound, Document, Error, Monitor, Property, PropertyBound, Result, Scene, Target, Track, ValueKind,
    diff::natural_range, extensions::vrm_animation::is_for_others, read_shared,
};
use keyfold_core::clip::{
    Encoding, NodeProperty, Target as ClipTarget,
    build::{self, Source, SourceTrack},
};

/// How to build a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipOptions {
    /// Keys per second. `None` keeps the animation's own keys.
    pub rate: Option<f32>,
    /// How to store the keys.
    pub encoding: Encoding,
    /// `fixed`: bits per component. `None` takes the fewest that hold the bound.
    pub bits: Option<u32>,
    /// The largest error of tracks that move points.
    pub max_error: Bound,
    /// The largest error of other tracks, as a fraction of the property's natural range.
    pub max_property_error: PropertyBound,
    /// The distance from each node at which errors are measured; by the rule of [`Scene`] if `None`.
    pub probe_radius: Option<Bound>,
    /// Whether to keep tracks that only hold the rest pose. They are always kept in motion made for other skeletons
    /// (VRMC_vrm_animation).
    pub keep_rest: bool,
}

/// A clip that was built and measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltClip {
    /// The file's bytes, for [`keyfold_core::clip::Clip::open`].
    pub bytes: Vec<u8>,
    /// The largest error found relative to the resampled animation (without a rate: to the animation itself), in
    /// scene units.
    pub error: f64,
    /// The proven upper limit of the error at any time, in scene units. The bound is compared with it.
    pub possible: f64,
    /// The bound in scene units.
    pub bound: f64,
    /// The length that relative errors refer to, in scene units.
    pub model_size: f64,
    /// Whether the clip holds the bound, and that of tracks that move no points.
    pub holds: bool,
    /// The largest error of the resampling alone, in scene units.
    pub resampling: f64,
    /// The largest error relative to the original animation, resampling included, in scene units.
    pub total: f64,
}

/// Builds a clip from the animation of a document with this index.
///
/// ```
/// use keyfold::{ClipOptions, Document, build_clip, core::clip::{Clip, Playback, Pose}};
/// # let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
/// let document = Document::open(machine)?;
/// let options = ClipOptions { rate: Some(30.0), ..ClipOptions::default() };
/// let built = build_clip(&document, 0, &options)?;
/// let clip: Clip<'static> = Clip::open(built.bytes)?;
/// let (mut playback, mut pose) = (Playback::default(), Pose::new(&clip));
/// playback.sample(&clip, 0.5, &mut pose);
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn build_clip(document: &Document, animation: usize, options: &ClipOptions) -> Result<BuiltClip> {
    build_clip_with(document, animation, options, &())
}

/// Like [`build_clip`], with progress and cancellation.
pub fn build_clip_with(
    document: &Document,
    animation: usize,
    options: &ClipOptions,
    monitor: &dyn Monitor,
) -> Result<BuiltClip> {
    let animations = &read_shared(document)?.animations;
    let animation = animations
        .iter()
        .find(|known| known.index == animation)
        .ok_or_else(|| Error::argument("/animations", format!("there is no animation {animation}")))?;
    let scene = &Scene::new(document, animations, options.probe_radius)?;
    let (model_size, keep_rest) = (scene.model_size(), options.keep_rest || is_for_others(document));
    let bound = options.max_error.in_scene(model_size);
    let tracks: Vec<SourceTrack<'_>> = animation
        .tracks
        .iter()
        .map(|track| SourceTrack {
            target: target(&track.target),
            curve: &track.curve,
            // What never leaves a rest that is not known stays.
            rest: if keep_rest { None } else { rest(document, scene, track) },
            tolerance: tolerance(track, options.max_property_error.0),
        })
        .collect();
    let source = Source {
        name: animation.name.as_deref().unwrap_or_default(),
        index: animation.index,
        skeleton: scene.skeleton(),
        probe_radii: scene.probe_radii(),
        tracks: &tracks,
    };
    let core = build::Options {
        rate: options.rate,
        encoding: options.encoding,
        bits: options.bits,
        max_error: bound,
        limits: document.account().left(),
    };
    let watch = |done| monitor.step(done, "building the clip").is_ok();
    let built = build::build(&source, &core, &watch)?;
    let build::Built { bytes, error, possible, holds, resampling, total, .. } = built;
    Ok(BuiltClip { bytes, error, possible, bound, model_size, holds, resampling, total })
}

/// A target as clips name it.
fn target(target: &Target) -> ClipTarget {
    let (node, property, axis) = match target {
        Target::Pointer { pointer, kind } => {
            return ClipTarget::Pointer(pointer.clone(), *kind == ValueKind::Quaternion);
        }
        Target::Node { node, property, axis } => (*node as u32, *property, axis.map(|a: Axis| a as u8)),
    };
    let property = match (property, axis) {
        (Property::Translation, None) => NodeProperty::Translation,
        (Property::Translation, Some(axis)) => NodeProperty::TranslationAxis(axis),
        (Property::Scale, None) => NodeProperty::Scale,
        (Property::Scale, Some(axis)) => NodeProperty::ScaleAxis(axis),
        (Property::Rotation, _) => NodeProperty::Rotation,
        (Property::Weights, _) => NodeProperty::Weights,
    };
    ClipTarget::Node(node, property)
}

/// The value that a track's target has without animation.
fn rest(document: &Document, scene: &Scene, track: &Track) -> Option<Vec<f32>> {
    let value = match track.target.moved_node() {
        Some(_) => scene.rest_value(&track.target),
        None => track.target.stated(document),
    };
    value.map(|value| value.iter().map(|c| *c as f32).collect())
}

/// How far a component of what moves no points may be off. Truth values and whole numbers stay what they are.
fn tolerance(track: &Track, share: f64) -> f64 {
    let share = if track.target.is_exact() { 1e-6 } else { share };
    share * natural_range(track)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_spelled_alike() {
        let node = |property, axis| Target::Node { node: 7, property, axis };
        let pointer = Target::Pointer { pointer: "/materials/0/emissiveFactor".into(), kind: ValueKind::Float };
        for ours in [
            node(Property::Translation, None),
            node(Property::Rotation, None),
            node(Property::Scale, None),
            node(Property::Weights, None),
            node(Property::Translation, Some(Axis::X)),
            node(Property::Scale, Some(Axis::Z)),
            pointer,
        ] {
            assert_eq!(target(&ours).to_string(), ours.to_string());
        }
    }
}
