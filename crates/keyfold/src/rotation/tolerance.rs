//! How far each rotation may stray, so that no point moves farther than a bound.
//!
//! Errors add up along a chain of nodes, but hardly ever all in one direction: no formula says how much each node may take. So a
//! guess (the bound over the reach of the node and the root of the length of its chain) is tried and measured, and each node's
//! tolerance follows what its subtree shows, until the bound holds with little to spare. Of the tries that hold, the one with the
//! fewest keys is taken.

use crate::parallel::*;
use crate::{
    Animation, Finding, Interpolation, Kind, PROPERTY_BOUND, Scene, Severity, Track, diff::proof, scene::core_track,
};
use keyfold_core::{
    curve::Curve,
    fit,
    skeleton::{self, Moment, Motion, Poses, Probe},
};

/// The code of the finding about rotations that had to stay as they were.
pub(crate) const UNCHANGED: &str = "ROTATION_UNCHANGED";
/// Tries at most; after so many of them, the first that holds is taken.
const TRIES: (usize, usize) = (16, 5);
/// What is aimed for: between the moments that are measured an error may be up to a twenty-fifth larger.
const AIM: f64 = 0.95;
/// A try that comes this near the aim is good enough.
const NEAR: f64 = 0.85;
/// No rotation strays farther than this, in radians, however little hangs on it.
const MOST: f64 = 0.1;
/// At how many moments a node's reach is looked at.
const POSES: usize = 48;

/// An animation with the rotations that `choose` picks in another form, no point farther than `bound` scene units from where
/// it was; and what could not be brought there.
///
/// `Step` curves and single keys have no other form and stay. `choose` sees every track.
pub fn refit_rotations(
    scene: &Scene,
    animation: &Animation,
    choose: &dyn Fn(&Track) -> bool,
    form: Interpolation,
    bound: f64,
) -> (Animation, Vec<Finding>) {
    let chosen = |track: &&Track| track.target.kind() == Kind::Rotation && choose(track);
    let tracks: Vec<&Track> = animation.tracks.iter().filter(chosen).collect();
    let mut changed = animation.clone();
    if tracks.is_empty() {
        return (changed, Vec::new());
    }
    let search = Search::new(scene, animation, tracks, form, bound * AIM);
    let Some(curves) = search.run() else {
        return (changed, vec![search.finding(None)]);
    };
    let mut findings = Vec::new();
    for (track, curve) in search.tracks.iter().zip(curves) {
        match curve {
            Some(curve) => place(&mut changed, track, curve),
            None => findings.push(search.finding(Some(track))),
        }
    }
    (changed, findings)
}

fn place(animation: &mut Animation, track: &Track, curve: Curve) {
    if let Some(slot) = animation.tracks.iter_mut().find(|t| t.source.channel == track.source.channel) {
        slot.curve = curve;
    }
}

/// Curves for the chosen tracks; `None` where a track stays as it is.
type Curves = Vec<Option<Curve>>;

struct Search<'a> {
    scene: &'a Scene,
    animation: &'a Animation,
    tracks: Vec<&'a Track>,
    form: Interpolation,
    aim: f64,
    probes: Vec<Probe>,
    /// Scene units per radian of each track's node; `None` where it moves no node.
    reach: Vec<Option<f64>>,
}

impl<'a> Search<'a> {
    fn new(scene: &'a Scene, animation: &'a Animation, tracks: Vec<&'a Track>, form: Interpolation, aim: f64) -> Self {
        let motion = scene.motion(animation);
        let probes = scene.probes(&motion.moved());
        let (start, end) = motion.span();
        let moments: Vec<Moment> =
            (0..POSES).map(|i| Moment::at(start + (end - start) * i as f64 / (POSES - 1) as f64)).collect();
        let all = skeleton::sensitivity(scene.skeleton(), &Poses::new(&motion, &moments), &probes);
        let reach = tracks.iter().map(|t| t.target.moved_node().map(|node| all[node].rotation)).collect();
        Self { scene, animation, tracks, form, aim, probes, reach }
    }

    fn run(&self) -> Option<Curves> {
        let mut tolerances = self.first_guess();
        let mut best: Option<(usize, Curves)> = None;
        for round in 0..TRIES.0 {
            let curves = self.fit(&tolerances);
            let shares = self.shares(&curves);
            let worst = shares.iter().copied().fold(0.0, f64::max);
            if worst <= 1.0 {
                let keys = curves.iter().flatten().map(Curve::keys).sum();
                if best.as_ref().is_none_or(|(fewest, _)| keys < *fewest) {
                    best = Some((keys, curves));
                }
            }
            if best.is_some() && (round >= TRIES.1 || (NEAR..=1.0).contains(&worst)) {
                break;
            }
            // Nodes of a chain that take turns in loosening and tightening never meet: after a while nobody loosens any more.
            let most = if round <= TRIES.1 { 1.6 } else { 1.0 };
            for (tolerance, share) in tolerances.iter_mut().zip(shares) {
                *tolerance = (*tolerance * (0.95 / share).clamp(0.25, most)).min(MOST);
            }
        }
        best.map(|(_, curves)| curves)
    }

    fn first_guess(&self) -> Vec<f64> {
        let chains = self.chains();
        let guess = |(reach, chain): (&Option<f64>, f64)| match reach {
            Some(reach) => (self.aim / (reach * chain.sqrt())).min(MOST),
            None => PROPERTY_BOUND,
        };
        self.reach.iter().zip(chains).map(guess).collect()
    }

    /// For each track the most chosen nodes on one way from the root to a tip through its node.
    fn chains(&self) -> Vec<f64> {
        let skeleton = self.scene.skeleton();
        let mut above = vec![0usize; skeleton.len()];
        self.tracks.iter().filter_map(|t| t.target.moved_node()).for_each(|node| above[node] = 1);
        for &node in skeleton.order() {
            above[node] += skeleton.parent(node).map_or(0, |p| above[p]);
        }
        let longest = |node: usize| skeleton.subtree(node).iter().map(|n| above[*n]).max().unwrap_or(1);
        self.tracks.iter().map(|t| t.target.moved_node().map_or(1, longest).max(1) as f64).collect()
    }

    fn fit(&self, tolerances: &[f64]) -> Curves {
        let pairs: Vec<(&&Track, &f64)> = self.tracks.iter().zip(tolerances).collect();
        pairs
            .par_iter()
            .map(|(t, tolerance)| fit::refit(&t.curve, Kind::Rotation, self.form, **tolerance).ok())
            .collect()
    }

    /// For each track the largest error among the points that hang on its node, as a share of the aim.
    fn shares(&self, curves: &Curves) -> Vec<f64> {
        let before = self.scene.motion(self.animation);
        let mut after: Motion<'_> = before.clone();
        for (track, curve) in self.tracks.iter().zip(curves) {
            if let Some(track) = curve.as_ref().and_then(|curve| core_track(&track.target, curve)) {
                after.set(track);
            }
        }
        let measured = proof(&before, &after, &self.probes);
        let mut errors = vec![0.0f64; self.scene.skeleton().len()];
        for (probe, error) in self.probes.iter().zip(measured.errors()) {
            errors[probe.a] = error;
        }
        let share = |node: usize| {
            let subtree = self.scene.skeleton().subtree(node).iter();
            subtree.map(|n| errors[*n]).fold(0.0, f64::max) / self.aim
        };
        self.tracks.iter().map(|t| t.target.moved_node().map_or(0.95, share)).collect()
    }

    fn finding(&self, track: Option<&Track>) -> Finding {
        let animation = format!("/animations/{}", self.animation.index);
        let (at, what) = match track {
            Some(track) => (format!("{animation}/channels/{}", track.source.channel), "the rotation stayed as it was"),
            None => (animation, "its rotations stayed as they were"),
        };
        let message = format!("{what}: no {} keys come within the bound; a looser one may help", self.form.name());
        Finding { severity: Severity::Warning, code: UNCHANGED, at, message }
    }
}
