//! How finely each track of an animation is quantized, so that the scene moves no further than a bound.
//!
//! A node's step follows how far it moves what hangs on it; then the steps are scaled together until the bound is met, and where points
//! stay well below it, the tracks above them get coarser. Everything is measured on the curves as a decoder will see them.

use crate::{
    Animation, Curve, Kind, Property, Scene, Target, Track,
    diff::{natural_range, proof},
    validate::UNIT_TOLERANCE,
};
use keyfold_core::draco::Quantizer;
use keyfold_core::{
    engine::{Encoded, Grid},
    skeleton::{Probe, Proof},
    vector::{distance, length},
};

/// A track on its grid.
#[derive(Clone)]
pub(crate) struct Gridded {
    pub(super) quantizer: Quantizer,
    pub(super) indices: Vec<i32>,
    /// The curve as a decoder will see it.
    pub(super) decoded: Curve,
}

/// Lays the tightest grid of `bits` over a track's values.
pub(super) fn uniform(track: &Track, bits: u8) -> Option<Gridded> {
    gridded(track, Quantizer::fit(track.curve.values(), components(&track.curve), bits).ok()?)
}

/// How many values the track has at each key: tangents count.
pub(super) fn components(curve: &Curve) -> usize {
    curve.width() * curve.interpolation().elements_per_key()
}

fn gridded(track: &Track, quantizer: Quantizer) -> Option<Gridded> {
    let indices = quantizer.quantize(track.curve.values()).ok()?;
    let curve = &track.curve;
    let values = quantizer.dequantize(indices.clone());
    let decoded = Curve::new(curve.interpolation(), curve.width(), curve.shared_times().clone(), values).ok()?;
    Some(Gridded { quantizer, indices, decoded })
}

/// A track on the grid that the engine laid; `None` where it laid none.
pub(crate) fn coded(track: &Track, encoded: &Encoded) -> Option<Gridded> {
    let Encoded { grid: Grid::Uniform(uniform), codes, width, .. } = encoded else { return None };
    if codes.len() < 2 {
        return None;
    }
    let quantizer = Quantizer {
        minimum: uniform.offsets[..*width].iter().map(|offset| *offset as f32).collect(),
        range: (uniform.scale * f64::from(uniform.most)) as f32,
        bits: 32 - uniform.most.leading_zeros() as u8,
    };
    let indices: Vec<i32> = codes.iter().flat_map(|code| code.iter().take(*width)).copied().collect();
    let values = quantizer.dequantize(indices.clone());
    let curve = &track.curve;
    let decoded = Curve::new(curve.interpolation(), curve.width(), curve.shared_times().clone(), values).ok()?;
    Some(Gridded { quantizer, indices, decoded })
}

/// A track that moves no points on a grid of its own bound, a share of its natural range.
pub(crate) fn property_grid(track: &Track, bound: f64) -> Option<Gridded> {
    stepped(track, property_step(track, bound))
}

/// Half a step is the largest error; a little less, for rounding.
fn property_step(track: &Track, bound: f64) -> f64 {
    (1.9 * bound * natural_range(track)).max(1e-30)
}

/// The grid whose steps are at most `step`.
fn stepped(track: &Track, step: f64) -> Option<Gridded> {
    let step = if is_spline_of_rotations(track) { step.min(UNIT_STEP) } else { step };
    let fit = Quantizer::fit(track.curve.values(), components(&track.curve), 30).ok()?;
    let steps = (f64::from(fit.range) / step).ceil().clamp(1.0, 1_048_575.0);
    let bits = (u32::BITS - (steps as u32).leading_zeros()) as u8;
    // The stream says a range and bits; a range beyond the data's makes any step possible.
    let range = (step * f64::from((1u32 << bits) - 1)) as f32;
    gridded(track, Quantizer { bits, range: range.max(f32::MIN_POSITIVE), ..fit })
}

/// Half a step in each of four components moves a quaternion's length by no more than a step; a little less, for rounding.
const UNIT_STEP: f64 = 0.99 * UNIT_TOLERANCE;

/// Whether keys must be of unit length as they are. Readers bring all other rotations to it.
fn is_spline_of_rotations(track: &Track) -> bool {
    track.target.kind() == Kind::Rotation && track.curve.interpolation().elements_per_key() > 1
}

/// How often steps are tried before the best so far is taken, and how often where none has held yet.
const ROUNDS: usize = 12;
const LAST_ROUND: usize = 4 * ROUNDS;

/// What becomes of a step whose points use so much of the bound. Small changes only: a rotation by half a turn between two keys may flip
/// its way for the slightest error, and would otherwise ruin everything above it at once.
fn factor(used: f64) -> f64 {
    if used > 1.0 { (0.97 / used).clamp(0.4, 0.97) } else { (0.92 / used.max(1e-9)).clamp(1.0, 1.5) }
}

/// What the steps of one animation are searched against.
pub(super) struct Search<'a> {
    pub(super) scene: &'a Scene,
    pub(super) animation: &'a Animation,
    /// How far a point may move, in scene units.
    pub(super) bound: f64,
    /// How far a property may be off, as a share of its natural range.
    pub(super) property_bound: f64,
}

impl Search<'_> {
    /// A grid for each track that `takes` accepts; `None` for the others, and where none is fine enough.
    pub(super) fn run(&self, takes: impl Fn(usize) -> bool) -> Vec<Option<Gridded>> {
        let tracks = &self.animation.tracks;
        let mut steps: Vec<f64> = tracks.iter().map(|track| self.first_step(track)).collect();
        let before = self.scene.motion(self.animation);
        let probes = self.scene.probes(&before.moved());
        let mut best: Option<(usize, Vec<Option<Gridded>>)> = None;
        for round in 0..LAST_ROUND {
            if round >= ROUNDS && best.is_some() {
                break;
            }
            let grid = |i: usize| takes(i).then(|| stepped(&tracks[i], steps[i]))?;
            let grids: Vec<Option<Gridded>> = (0..tracks.len()).map(grid).collect();
            let proof = proof(&before, &self.scene.motion(&decoded(self.animation, &grids)), &probes);
            let size = weight(&grids);
            if proof.possible <= self.bound && best.as_ref().is_none_or(|(least, _)| size < *least) {
                best = Some((size, grids));
            }
            let used = self.used(&probes, &proof);
            for (step, track) in steps.iter_mut().zip(tracks) {
                if let Some(node) = track.target.moved_node() {
                    *step *= factor(used[node] / self.bound);
                }
            }
        }
        best.map_or_else(|| vec![None; tracks.len()], |(_, grids)| grids)
    }

    /// By node, the largest error of the points that hang on it.
    fn used(&self, probes: &[Probe], proof: &Proof) -> Vec<f64> {
        let skeleton = self.scene.skeleton();
        let mut used = vec![0.0f64; skeleton.len()];
        for (probe, error) in probes.iter().zip(proof.errors()) {
            let mut node = Some(probe.a);
            while let Some(n) = node {
                used[n] = used[n].max(error);
                node = skeleton.parent(n);
            }
        }
        used
    }

    fn first_step(&self, track: &Track) -> f64 {
        let Target::Node { node, property, .. } = track.target else {
            return property_step(track, self.property_bound);
        };
        let skeleton = self.scene.skeleton();
        let stretch = |node: usize| {
            let global = skeleton.rest_global(node);
            global.axes.iter().map(|axis| length(*axis)).fold(1e-30, f64::max)
        };
        let moves = match property {
            Property::Weights => return property_step(track, self.property_bound),
            Property::Translation => skeleton.parent(node).map_or(1.0, stretch),
            Property::Rotation => 2.0 * self.reach(node),
            Property::Scale => self.reach(node),
        };
        self.bound / moves.max(1e-30)
    }

    /// How far the farthest point that hangs on a node is from it, at rest.
    fn reach(&self, node: usize) -> f64 {
        let skeleton = self.scene.skeleton();
        let here = skeleton.rest_global(node).origin;
        let far = |n: &usize| distance(here, skeleton.rest_global(*n).origin) + self.scene.shell(*n);
        skeleton.subtree(node).iter().map(far).fold(0.0, f64::max)
    }
}

/// The animation as a decoder will see it.
pub(super) fn decoded(animation: &Animation, grids: &[Option<Gridded>]) -> Animation {
    let tracks = animation.tracks.iter().zip(grids).map(|(track, grid)| match grid {
        Some(grid) => Track { curve: grid.decoded.clone(), ..track.clone() },
        None => track.clone(),
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}

/// A stand-in for encoded size that is quick to have: bits of the differences from key to key.
fn weight(grids: &[Option<Gridded>]) -> usize {
    let track = |grid: &Gridded| {
        let c = grid.quantizer.minimum.len();
        let difference = |i: usize| grid.indices[i].abs_diff(grid.indices[i - c]);
        (c..grid.indices.len()).map(|i| (33 - difference(i).leading_zeros()) as usize).sum::<usize>()
    };
    grids.iter().flatten().map(track).sum()
}
