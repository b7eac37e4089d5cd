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

/// A small generator of random numbers (SplitMix64), the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From -1 to 1.
    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
