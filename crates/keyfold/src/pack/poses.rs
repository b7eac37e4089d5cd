//! Lets animations that hold one pose take nearby values of moving animations, which are in the file anyway.

use super::{Context, SHORT, animation::PackedAnimation, floats};
use crate::{Animation, Interpolation, Kind, Target, Track};
use keyfold_core::{
    engine::{Code, Encoded, Grid},
    skeleton::{Moment, compare},
};
use std::mem::replace;

/// The share of the bound that poses may use. In the written file, their error may be a little larger.
const SHARE: f64 = 0.98;

/// A target and its encoded track in a moving animation.
type Lent = (Target, Box<Encoded>);

/// Lets poses borrow values, in short documents only: in others, poses take a negligible part.
pub(super) fn borrow(context: &Context<'_>, original: &[Animation], packed: &mut [PackedAnimation]) {
    let may_stray = context.bound > 0.0 && !context.options.keep_keys;
    if !may_stray || !context.codec().lends || floats(original) > SHORT {
        return;
    }
    let lenders = packed.iter().zip(original).filter(|(_, original)| !original.is_pose());
    let lent: Vec<Lent> = lenders.flat_map(|(lender, _)| lender.encoded.clone()).collect();
    // Other targets may be at rest everywhere; `rest` drops their tracks if they stay as they are.
    let moves = |target: &Target| lent.iter().any(|(other, encoded)| other == target && encoded.times.len() > 1);
    for (pose, original) in packed.iter_mut().zip(original).filter(|(_, o)| o.is_pose() && context.changes(o)) {
        for (index, track) in original.tracks.iter().enumerate() {
            if moves(&track.target)
                && !context.keeps(&track.target)
                && let Some((grid, code)) = nearest(track, &lent)
            {
                take(context, original, pose, index, grid, code);
            }
        }
    }
}

/// The key closest to the track's value, among tracks of the same property of any node.
fn nearest(track: &Track, lent: &[Lent]) -> Option<(Grid, Code)> {
    let is_straight = |encoded: &Encoded| encoded.interpolation == Interpolation::Linear;
    let like = lent.iter().filter(|(target, encoded)| is_like(target, &track.target) && is_straight(encoded));
    let keys = like.flat_map(|(_, encoded)| encoded.codes.iter().map(|code| (encoded.grid, *code)));
    let apart = |(grid, code): &(Grid, Code)| distance(&grid.decode(*code), track.curve.value(0));
    keys.min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

fn is_like(a: &Target, b: &Target) -> bool {
    let whole = |target: &Target| match target {
        Target::Node { property, axis: None, .. } => Some(*property),
        _ => None,
    };
    whole(a).is_some() && whole(a) == whole(b)
}

/// The squared distance of two values; `b` sets the number of components. Opposite quaternions are equal.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let apart = |sign: f32| a.iter().zip(b).map(|(a, b)| f64::from(a - sign * b)).map(|d| d * d).sum::<f64>();
    if b.len() == 4 { apart(1.0).min(apart(-1.0)) } else { apart(1.0) }
}

/// Gives a track of a pose another value, unless its error is too large.
fn take(context: &Context<'_>, original: &Animation, pose: &mut PackedAnimation, index: usize, grid: Grid, code: Code) {
    let Track { target, curve, .. } = &pose.animation.tracks[index];
    let (target, times) = (target.clone(), curve.shared_times().clone());
    let taken = Encoded { interpolation: Interpolation::Linear, times, grid, codes: vec![code], width: curve.width() };
    let Some(curve) = taken.curve() else { return };
    let before = replace(&mut pose.animation.tracks[index].curve, curve);
    if error(context, original, &pose.animation) <= SHARE * context.bound {
        pose.encoded.insert(target, Box::new(taken));
    } else {
        pose.animation.tracks[index].curve = before;
    }
}

/// An upper bound of a pose's error. Players may take rotations as stored, so deviations in length count.
fn error(context: &Context<'_>, original: &Animation, pose: &Animation) -> f64 {
    let rotations = pose.tracks.iter().filter(|track| track.target.kind() == Kind::Rotation);
    let squared = |track: &Track| -> f64 { track.curve.value(0).iter().map(|c| f64::from(*c) * f64::from(*c)).sum() };
    let [was, is] = [original, pose].map(|animation| context.scene.motion(animation));
    let probes = context.scene.probes(&was.moved());
    let turned = compare(&was, &is, &probes, &[Moment::at(0.0)]).error();
    turned + context.scene.model_size() * rotations.map(|track| (squared(track) - 1.0).abs()).sum::<f64>()
}
