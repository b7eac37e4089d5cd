//! Animations as plain values: tracks of floats with their targets, whatever their storage was.

use crate::{Property, Target, Targets};
use keyfold_core::{
    curve::{Curve, Kind, split_half_turns},
    skeleton::Transform,
};

/// An animation of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Its index in the document.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its tracks, in the order of the file's channels.
    pub tracks: Vec<Track>,
}

impl Animation {
    /// The time at which the last track ends, in seconds.
    pub fn duration(&self) -> f32 {
        self.tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max)
    }

    /// Whether it holds one pose from beginning to end.
    pub(crate) fn is_pose(&self) -> bool {
        !self.tracks.is_empty() && self.tracks.iter().all(|track| track.curve.is_constant())
    }

    /// Writes the local transforms of all animated nodes at time `t`, in seconds, into `nodes`, which is indexed by
    /// node and starts as [`Scene::rest_pose`](crate::Scene::rest_pose). Other transforms stay as they are. Does not
    /// allocate.
    ///
    /// ```
    /// # let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
    /// let document = keyfold::Document::open(figure)?;
    /// let animations = keyfold::read(&document)?.animations;
    /// let scene = keyfold::Scene::new(&document, &animations, None)?;
    /// let mut nodes = scene.rest_pose();
    /// for frame in 0..30 {
    ///     animations[0].sample_nodes(f64::from(frame) / 30.0, &mut nodes);
    /// }
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn sample_nodes(&self, t: f64, nodes: &mut [Transform]) {
        for track in &self.tracks {
            let Target::Node { node, property, axis } = &track.target else { continue };
            let Some(transform) = nodes.get_mut(*node) else { continue };
            let whole = match property {
                Property::Translation => &mut transform.translation[..],
                Property::Rotation => &mut transform.rotation[..],
                Property::Scale => &mut transform.scale[..],
                Property::Weights => continue,
            };
            let place = axis.map_or(0..whole.len(), |axis| axis as usize..axis as usize + 1);
            track.curve.sample(track.target.kind(), t, &mut whole[place]);
        }
    }
}

/// A curve and its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The target that it drives.
    pub target: Target,
    /// The values over time. Offsets, scales and time scales of the file are already applied.
    pub curve: Curve,
    /// Its place in the document.
    pub source: Source,
}

impl Track {
    /// The track with keys in the middle of arcs of nearly half a turn, which rounding could turn round; `None` if
    /// there are none.
    pub(crate) fn without_half_turns(&self) -> Option<Self> {
        let curve = (self.target.kind() == Kind::Rotation).then(|| split_half_turns(&self.curve))??;
        Some(Self { curve, ..self.clone() })
    }

    /// The value at time `t`.
    pub fn sample(&self, t: f64) -> Vec<f64> {
        self.curve.at(self.target.kind(), t)
    }
}

/// The place in a document from which a track was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The channel's index in its animation.
    pub channel: usize,
    /// The sampler's index in its animation.
    pub sampler: usize,
    /// The accessor that holds the times.
    pub input: usize,
    /// The accessor that holds the values.
    pub output: usize,
    /// How the channel addresses its target.
    pub targets: Targets,
}
