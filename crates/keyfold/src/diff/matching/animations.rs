//! Pairs the animations of two files by name or, if that is not unique, by what they drive, how long and how.

use super::{
    looks::{SHARES, apart, of_curve},
    twins::{Twins, groups},
};
use crate::{Animation, Kind, Target};
use std::collections::BTreeMap;

/// The certain pairs, by unique names, or by names with unique durations.
pub(super) fn certain_twins(a: &[Animation], b: &[Animation]) -> Twins {
    let mut twins = Twins::none(a.len(), b.len());
    twins.pair_by_key(1, |i| Some(&a[i].name), |i| Some(&b[i].name));
    let length = |x: &Animation| x.duration().to_bits();
    twins.pair_by_key(1, |i| Some((&a[i].name, length(&a[i]))), |i| Some((&b[i].name, length(&b[i]))));
    twins
}

/// For each animation of `a`, its twin in `b`. `back` maps the second file's targets to the first's.
pub(super) fn twins(a: &[Animation], b: &[Animation], back: impl Fn(&Target) -> Option<Target>) -> Twins {
    let mut twins = Twins::none(a.len(), b.len());
    twins.pair_by_key(1, |i| Some(&a[i].name), |i| Some(&b[i].name));
    if twins.alone().is_empty() {
        return twins;
    }
    let mine: Vec<_> = a.iter().map(|x| Content::new(x, |t| Some(t.clone()))).collect();
    let theirs: Vec<_> = b.iter().map(|x| Content::new(x, &back)).collect();
    let keys: [for<'x> fn(&'x Content<'_>) -> Key<'x>; 5] = [
        |c| (c.name, &c.targets, &c.curves, c.length),
        |c| (c.name, &c.targets, &[], c.length),
        |c| (c.name, &c.targets, &[], 0),
        |c| (c.name, &[], &[], c.length),
        |c| (c.name, &[], &[], 0),
    ];
    for key in keys {
        let (alone, left) = (twins.alone(), twins.left());
        let alike: Vec<_> = groups(&alone, |i| Some(key(&mine[i])), &left, |i| Some(key(&theirs[i]))).collect();
        for (some, others) in alike.into_iter().filter(|(some, others)| some.len() == others.len()) {
            let a: Vec<_> = some.iter().map(|i| mine[*i].values()).collect();
            let b: Vec<_> = others.iter().map(|i| theirs[*i].values()).collect();
            twins.pair_nearest(&some, &others, |i, j| distance(&a[i], &b[j]));
        }
    }
    // If only one file has a name, pairs by index, provided that the files have as many animations.
    for index in (0..a.len().min(b.len())).filter(|i| a[*i].name == b[*i].name || a.len() == b.len()) {
        twins.pair(index, index);
    }
    twins
}

/// What distinguishes animations.
type Key<'a> = (Option<&'a str>, &'a [Option<Target>], &'a [u64], u32);

/// The targets of an animation, their curves and its duration.
struct Content<'a> {
    animation: &'a Animation,
    name: Option<&'a str>,
    /// The first file's targets, sorted.
    targets: Vec<Option<Target>>,
    /// In the order of the targets.
    curves: Vec<u64>,
    /// For each target, the index of its track.
    tracks: Vec<usize>,
    length: u32,
}

impl<'a> Content<'a> {
    fn new(animation: &'a Animation, name: impl Fn(&Target) -> Option<Target>) -> Self {
        let tracks = animation.tracks.iter().enumerate();
        let mut tracks: Vec<_> = tracks.map(|(i, t)| (name(&t.target), of_curve(&t.curve), i)).collect();
        tracks.sort_unstable();
        Self {
            animation,
            name: animation.name.as_deref(),
            targets: tracks.iter().map(|t| t.0.clone()).collect(),
            curves: tracks.iter().map(|t| t.1).collect(),
            tracks: tracks.iter().map(|t| t.2).collect(),
            length: animation.duration().to_bits(),
        }
    }

    /// Some values of each target.
    fn values(&self) -> BTreeMap<&Target, Vec<f64>> {
        let end = f64::from(self.animation.duration());
        let values = |track: usize| {
            let track = &self.animation.tracks[track];
            let all = SHARES.iter().flat_map(|share| track.sample(end * share));
            // A quaternion and its opposite are the same rotation.
            if track.target.kind() == Kind::Rotation { all.map(f64::abs).collect() } else { all.collect() }
        };
        self.targets.iter().zip(&self.tracks).filter_map(|(t, track)| Some((t.as_ref()?, values(*track)))).collect()
    }
}

/// The distance of values for the targets that both drive; infinite if there are none.
fn distance(a: &BTreeMap<&Target, Vec<f64>>, b: &BTreeMap<&Target, Vec<f64>>) -> f64 {
    let both = a.iter().filter_map(|(target, values)| Some(apart(values, b.get(target)?)));
    both.reduce(|sum, one| sum + one).unwrap_or(f64::INFINITY)
}
