//! Compensation: where a joint should point, given its parents as a reader will have them.
//!
//! A joint aims at the original's rotation in the scene and tilts a little so that its children come to lie where they were: errors
//! do not add up along a chain. No reader knows about it.

use super::{
    clip::Clip,
    window::{Window, at},
};
use keyfold_core::{
    quat::{self, Quat},
    vector::{cross, solve},
};

/// The rotation that gives a joint its original turn in the scene, tilted so that its children hit their places. `above` is how its
/// parent is turned, `origin` where its own origin lies, both as decoded.
pub(crate) fn aimed(
    clip: &Clip<'_>,
    window: &Window,
    node: usize,
    moment: usize,
    above: Quat,
    origin: [f64; 3],
) -> Quat {
    let original = window.poses.global(node, moment).origin;
    let miss = [0, 1, 2].map(|k| original[k] - origin[k]);
    let tilt = tilt(clip, window, node, moment, miss);
    let aim = quat::mul(quat::exp(tilt.map(|c| c / 2.0)), at(&window.turns[node], moment));
    quat::normalize(quat::mul(quat::conjugate(above), aim))
}

/// The small turn (a rotation vector) that brings a joint's children nearest to their places, where its own origin lies off by
/// `miss`, without turning the joint's own points more than that is worth: least squares.
fn tilt(clip: &Clip<'_>, window: &Window, node: usize, moment: usize, miss: [f64; 3]) -> [f64; 3] {
    let origin = window.poses.global(node, moment).origin;
    let shell = clip.scene.shell(node);
    let mut m = [[shell * shell, 0.0, 0.0], [0.0, shell * shell, 0.0], [0.0, 0.0, shell * shell]];
    let mut b = [0.0; 3];
    for &child in clip.scene.skeleton().children(node) {
        let end = window.poses.global(child, moment).origin;
        let r = [0, 1, 2].map(|k| end[k] - origin[k]);
        let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += if i == j { square } else { 0.0 } - r[i] * r[j];
            }
        }
        let c = cross(r, miss);
        (0..3).for_each(|k| b[k] += c[k]);
    }
    solve(m, b)
}
