//! Our Draco codec against libdraco 1.5.5, both ways, and against the crate `draco-core`; the conformance set of the extension.
//!
//! What may differ, and why, is listed in `oracle/DIFFERENCES.md`.

mod conformance;
mod differences;
mod golden;
mod malformed;
mod mutated;
mod random;
mod second;

use keyfold_core::draco::Animation;

/// Everything of an animation that a decoder reports, floats by their bits.
fn content(animation: &Animation) -> Vec<(u32, u8, u8, u8, bool, Vec<u8>)> {
    animation
        .attributes
        .iter()
        .map(|attribute| {
            let values = &attribute.values;
            let [kind, data_type] = [attribute.kind as u8, values.data_type() as u8];
            (attribute.unique_id, kind, data_type, attribute.components, attribute.normalized, values.to_bytes())
        })
        .collect()
}
