//! What measuring and searching take, paid before they begin: moments times the nodes that move, as often as they are
//! gone through.

use crate::{Animation, Document, Result, Scene};
use keyfold_core::skeleton::BETWEEN;

/// Steps for a node, or a track, at a moment.
const STEPS: u64 = 10;
/// Moments that every comparison has beside those between keys.
const LEAST: u64 = 200;

/// How often a comparison goes through an animation.
pub(crate) const MEASURE: u64 = 2;
/// How often a search does, about: its tries, each measured.
pub(crate) const SEARCH: u64 = 60;

/// Pays for going through `animations` so many times.
pub(crate) fn pay<'a>(
    document: &Document,
    scene: &Scene,
    animations: impl IntoIterator<Item = &'a Animation>,
    times: u64,
) -> Result<()> {
    for animation in animations {
        let motion = scene.motion(animation);
        let others = animation.tracks.iter().filter(|track| track.target.moved_node().is_none());
        let numbers: u64 = others.map(|track| track.curve.values().len() as u64).fold(0, u64::saturating_add);
        let moved = motion.moved().into_iter().filter(|moved| *moved).count() as u64;
        let keys = motion.keys_by_nodes().saturating_mul(BETWEEN as u64 + 1);
        let each = keys.saturating_add(LEAST.saturating_mul(moved)).saturating_add(numbers);
        let steps = each.saturating_mul(STEPS).saturating_mul(times);
        document.pay_work(steps, || format!("/animations/{}", animation.index))?;
    }
    Ok(())
}
