//! Reach: how far a small change of a track moves the probes below its node.

use super::{
    clip::{Clip, probe_of},
    response::Response,
    track::Track,
    window::Window,
};
use crate::{
    skeleton::{Affine, Moment, Motion, Poses, Probe, Property, Skeleton, Track as Driven, moments},
    vector::{distance, length},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// The number of moments per window at which reach is measured; four times as many for a motion, by probe.
const MOMENTS: usize = 12;

/// By how much budgets are assumed too coarse when it is decided which tracks become constant.
const OVERLOADED: f64 = 2.0;

/// The moments of a window at which reach is measured.
pub(super) fn samples(window: &Window) -> impl Iterator<Item = usize> {
    (0..window.len()).step_by((window.len() / MOMENTS).max(1))
}

/// For each track and probe: the square of how far the probe moves, in scene units, per unit of the track.
#[derive(Clone, Debug)]
pub struct Reach {
    tracks: Vec<Moved>,
    /// Probes in the order of the hierarchy, in which those of a subtree are a run.
    ordered: Vec<usize>,
}

/// A run of probes that a track moves, with a squared distance for each.
#[derive(Clone, Debug)]
struct Moved {
    first: usize,
    squares: Vec<f64>,
}

impl Moved {
    fn probes<'a>(&'a self, ordered: &'a [usize]) -> impl Iterator<Item = (usize, f64)> + 'a {
        ordered[self.first..].iter().copied().zip(self.squares.iter().copied())
    }
}

impl Reach {
    /// Measures at some moments of windows.
    pub(super) fn new(clip: &Clip<'_>, windows: &[Window]) -> Self {
        let some = |window| samples(window).map(|sample| Moment::at(window.times[sample]));
        let moments: Vec<Moment> = windows.iter().flat_map(some).collect();
        let tracks: Vec<Driven<'_>> = clip.tracks.iter().map(|track| track.driven(&track.curve)).collect();
        Self::at(&clip.motion, &tracks, &clip.probes, &moments)
    }

    /// The reach with compensation by the joints below, for approximately a bound.
    pub(super) fn compensated(&self, clip: &Clip<'_>, windows: &[Window], bound: f64) -> Self {
        let response = Response::new(clip, windows, &self.even(OVERLOADED * bound));
        let moved = |(track, rigid): (&Track, &Moved)| Moved {
            first: rigid.first,
            squares: response.squares(track, &rigid.squares),
        };
        Self { tracks: clip.tracks.iter().zip(&self.tracks).map(moved).collect(), ordered: self.ordered.clone() }
    }

    /// How far `tracks` of a motion move its probes, measured at some of its keys.
    pub fn of(motion: &Motion<'_>, tracks: &[Driven<'_>], probes: &[Probe]) -> Self {
        Self::at(motion, tracks, probes, &some_keys(motion, 4 * MOMENTS))
    }

    fn at(motion: &Motion<'_>, tracks: &[Driven<'_>], probes: &[Probe], moments: &[Moment]) -> Self {
        let carried = Carried::new(motion.skeleton(), tracks, probes);
        let moved = |run: &Range<usize>| Moved { first: run.start, squares: vec![0.0; run.len()] };
        let mut moved: Vec<Moved> = carried.runs.iter().map(moved).collect();
        carried.each_movement(motion, tracks, moments, |track, probe, far| {
            let square = &mut moved[track].squares[probe];
            *square = square.max(far * far);
        });
        Self { tracks: moved, ordered: carried.ordered }
    }

    pub(super) fn tracks(&self) -> usize {
        self.tracks.len()
    }

    pub(super) fn probes(&self) -> usize {
        self.ordered.len()
    }

    /// Whether a track moves any probe.
    pub fn moves(&self, track: usize) -> bool {
        self.tracks[track].squares.iter().any(|square| *square > 0.0)
    }

    /// Shrinks the budgets of tracks that move probes over the bound, by their worst excess but at most to
    /// the share `least`.
    pub fn tighten(&self, budgets: &mut [f64], errors: &[f64], bound: f64, least: f64) {
        for (budget, track) in budgets.iter_mut().zip(&self.tracks) {
            let moved = track.probes(&self.ordered).filter(|(_, square)| *square > 0.0);
            let worst = moved.map(|(probe, _)| errors[probe]).fold(0.0, f64::max);
            if worst > bound {
                *budget *= (0.99 * bound / worst).clamp(least, 0.97);
            }
        }
    }

    /// Budgets that make the worst probe about `error` off, all alike; zero for tracks that move none.
    pub fn even(&self, error: f64) -> Vec<f64> {
        let prices = vec![1.0; self.ordered.len()];
        self.budgets(&prices, error / self.modelled(&prices).max(f64::MIN_POSITIVE))
    }

    pub(super) fn budgets(&self, prices: &[f64], scale: f64) -> Vec<f64> {
        let of = |track: &Moved| {
            let sum: f64 = track.probes(&self.ordered).map(|(probe, square)| square * prices[probe]).sum();
            if sum > 0.0 { scale / libm::sqrt(sum) } else { 0.0 }
        };
        self.tracks.iter().map(of).collect()
    }

    /// The modelled error of the worst probe, with these prices and a scale of 1.
    pub(super) fn modelled(&self, prices: &[f64]) -> f64 {
        let budgets = self.budgets(prices, 1.0);
        let mut errors = vec![0.0f64; prices.len()];
        for (track, budget) in self.tracks.iter().zip(&budgets) {
            track.probes(&self.ordered).for_each(|(probe, square)| errors[probe] += square * budget * budget);
        }
        libm::sqrt(errors.into_iter().fold(0.0, f64::max))
    }
}

/// How far each track of a motion moves the farthest probe below its node per unit, measured at some keys.
pub(crate) fn farthest(motion: &Motion<'_>, tracks: &[Driven<'_>], probes: &[Probe]) -> Vec<f64> {
    let mut farthest = vec![0.0f64; tracks.len()];
    let carried = Carried::new(motion.skeleton(), tracks, probes);
    carried.each_movement(motion, tracks, &some_keys(motion, MOMENTS), |track, _, far| {
        farthest[track] = farthest[track].max(far);
    });
    farthest
}

/// At most `count` of a motion's keys, spread evenly.
fn some_keys(motion: &Motion<'_>, count: usize) -> Vec<Moment> {
    let keys = moments(&[motion], 0);
    keys.iter().step_by(keys.len().div_ceil(count).max(1)).copied().collect()
}

/// The probes below the nodes of tracks.
struct Carried<'a> {
    probes: &'a [Probe],
    /// Probes in the order of the hierarchy.
    ordered: Vec<usize>,
    /// By track, the run of those below its node.
    runs: Vec<Range<usize>>,
}

impl<'a> Carried<'a> {
    fn new(skeleton: &Skeleton, tracks: &[Driven<'_>], probes: &'a [Probe]) -> Self {
        let probe_of = probe_of(skeleton, probes);
        let ordered: Vec<usize> = skeleton.order().iter().filter_map(|node| probe_of[*node]).collect();
        let mut place = vec![0; probes.len()];
        ordered.iter().enumerate().for_each(|(at, probe)| place[*probe] = at);
        let run = |track: &Driven<'_>| {
            let mut below = skeleton.subtree(track.node).iter().filter_map(|node| probe_of[*node]);
            below.next().map_or(0..0, |first| place[first]..place[first] + 1 + below.count())
        };
        Self { probes, ordered, runs: tracks.iter().map(run).collect() }
    }

    /// Calls `tell` for each moment with each track, each probe of its run and how far it moves per unit.
    fn each_movement(
        &self,
        motion: &Motion<'_>,
        tracks: &[Driven<'_>],
        moments: &[Moment],
        mut tell: impl FnMut(usize, usize, f64),
    ) {
        let (skeleton, poses) = (motion.skeleton(), Poses::new(motion, moments));
        let transforms: Vec<_> = tracks.iter().map(|track| motion.transforms(track.node, moments)).collect();
        for moment in 0..moments.len() {
            let probes = self.ordered.iter().map(|probe| &self.probes[*probe]);
            let points: Vec<_> = probes.map(|probe| probe.points(poses.global(probe.a, moment))).collect();
            for (index, (track, own)) in tracks.iter().zip(&transforms).enumerate() {
                let above = skeleton.parent(track.node).map_or(Affine::IDENTITY, |p| *poses.global(p, moment));
                let lever = Lever::new(poses.global(track.node, moment), own[moment].scale, &above);
                let run = points[self.runs[index].clone()].iter().enumerate();
                run.for_each(|(probe, points)| tell(index, probe, lever.moves(track, points)));
            }
        }
    }
}

/// A node at a moment, as a lever that moves the points below it.
struct Lever {
    /// Scene units per unit of translation: the length of the parent's longest axis.
    translation: f64,
    origin: [f64; 3],
    axes: [[f64; 3]; 3],
    /// By axis: 1 / (its scaled length x its scale factor); zero if undefined.
    per_square: [f64; 3],
}

impl Lever {
    /// From a node's global matrix, its own scale, and its parent's global matrix.
    fn new(global: &Affine, factors: [f64; 3], above: &Affine) -> Self {
        let per_square = |axis: usize| {
            let (length, factor) = (length(global.axes[axis]), libm::fabs(factors[axis]));
            if length * factor > 0.0 { 1.0 / (length * factor) } else { 0.0 }
        };
        Self {
            translation: above.axes.iter().fold(0.0, |m, a| length(*a).max(m)),
            origin: global.origin,
            axes: global.axes,
            per_square: [0, 1, 2].map(per_square),
        }
    }

    /// How far a point moves per radian of rotation, in scene units.
    fn rotation(&self, point: [f64; 3]) -> f64 {
        distance(point, self.origin)
    }

    /// How far a point moves per unit of a scale factor, in scene units.
    fn scale(&self, axis: usize, point: [f64; 3]) -> f64 {
        let along: f64 = (0..3).map(|k| (point[k] - self.origin[k]) * self.axes[axis][k]).sum();
        libm::fabs(along) * self.per_square[axis]
    }

    /// How far the farthest of some points moves per unit of a track of the node, in scene units.
    fn moves(&self, track: &Driven<'_>, points: &[[f64; 3]]) -> f64 {
        let most = |of: &dyn Fn([f64; 3]) -> f64| points.iter().map(|p| of(*p)).fold(0.0, f64::max);
        match (track.property, track.axis) {
            (Property::Rotation, _) => most(&|p| self.rotation(p)),
            (Property::Translation, _) => self.translation,
            (Property::Scale, Some(axis)) => most(&|p| self.scale(axis, p)),
            (Property::Scale, None) => most(&|p| (0..3).map(|axis| self.scale(axis, p)).fold(0.0, f64::max)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        curve::Curve,
        quat,
        skeleton::{Deviation, Rest, Transform, probes},
    };

    /// An arm whose root squeezes everything below it.
    fn arm() -> Skeleton {
        let at = |x: f64| Rest::Transform(Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY });
        let squeezed = Rest::Transform(Transform { scale: [0.5, 2.0, 1.0], ..Transform::IDENTITY });
        Skeleton::new(vec![Some(1), Some(2), None, Some(2)], &[at(3.0), at(2.0), squeezed, at(-1.0)]).unwrap()
    }

    #[test]
    fn reach_bounds_what_a_small_movement_does() {
        let (skeleton, times, step) = (arm(), [Moment::at(0.0)], 1e-6);
        let probes = probes(&skeleton, &[true; 4], |_| 0.2);
        let still = Poses::new(&Motion::new(&skeleton, []), &times);
        let moved_by = |node: usize, change: &dyn Fn(&mut Transform)| {
            let (mut own, mut moved, mut off) = (*skeleton.rest(node), still.clone(), Deviation::none(probes.len()));
            change(&mut own);
            moved.set_locals(&skeleton, node, vec![Affine::from_transform(&own)]);
            off.add(&still, &moved, &probes, &times);
            off.error() / step
        };
        let reach = |node: usize, property: Property, axis: Option<usize>, value: &[f64]| {
            let value: Vec<f32> = value.iter().map(|c| *c as f32).collect();
            let curve = Curve::constant(0.0, &value[axis.map_or(0..value.len(), |a| a..a + 1)]).unwrap();
            let track = Driven { node, property, axis, curve: &curve };
            farthest(&Motion::new(&skeleton, [track]), &[track], &probes)[0]
        };
        for node in 0..4 {
            let rest = skeleton.rest(node);
            let turns = reach(node, Property::Rotation, None, &rest.rotation);
            let turned = moved_by(node, &|t| t.rotation = quat::exp([0.0, 0.0, step / 2.0]));
            // Rotating a child about Z moves squeezed points by up to 2 / 0.5 of the distance.
            assert!(turned <= 4.0 * turns + 1e-6 && turned > 0.2 * turns, "{node} {turned} {turns}");
            let shifts = reach(node, Property::Translation, None, &rest.translation);
            let shifted = moved_by(node, &|t| t.translation[1] += step);
            assert!(shifted <= shifts + 1e-6, "{node} {shifted} {shifts}");
            let grows = reach(node, Property::Scale, Some(0), &rest.scale);
            let grown = moved_by(node, &|t| t.scale[0] += step);
            assert!((grown - grows).abs() < 1e-6, "{node} {grown} {grows}");
        }
    }
}
