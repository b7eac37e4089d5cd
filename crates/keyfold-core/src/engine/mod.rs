//! Staying within an error bound: the one engine for every storage.
//!
//! ```text
//! Job: skeleton + tracks + bound ─ clip: parts that no moving node connects, their tracks, times and probes
//!   for each plan:  budgets by reach ─> encode from the root to the tips: compensate, reduce keys, codes on the codec's grid
//!                        ^──────────── measure, raise the price of what is over the bound <──┘
//!   the cheapest:   the whole clip ─> repair ─> measure ─ too far off: tighten, again ─> Encoded tracks
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `search` | the loop: plans, samples, measure and tighten; **where a bound is searched** |
//! | `codec` | what a storage has to say: grids, constants, cost; **a new storage is one [`Codec`]** |
//! | `grid`, `parameters`, `quaternion_filter` | wanted values to integer codes and back |
//! | `clip`, `track`, `window` | an animation taken apart; what a track could hold throughout; a stretch of times |
//! | `reach`, `response` | how far tracks move probes; the same under compensation |
//! | `budgets` | error budgets of tracks: by reach, corrected by measured errors |
//! | `plan` | which keys are kept, by whom |
//! | `encode` | from the root to the tips |
//! | `compensate`, `reduce`, `repair` | compensation; key reduction; other codes where the nearest add up badly |
//! | `thin` | drops keys where measured points stay within the bound |
//! | `between` | raises the weight of keys beside which what was written exceeds the bound |
//!
//! Not here: files and JSON, what is between keys (the caller measures what it has written), tracks that move no points.

mod between;
pub mod budgets;
mod clip;
mod codec;
mod compensate;
mod encode;
mod grid;
mod parameters;
mod plan;
pub mod quaternion_filter;
mod reach;
mod reduce;
mod repair;
mod response;
mod search;
mod thin;
mod track;
mod window;

pub(crate) use between::raise;
pub use clip::Job;
pub use codec::{Codec, Executor, Level};
pub(crate) use compensate::leverage;
pub use grid::{Code, Grid, Layout, Uniform};
pub use parameters::{Counting, Parameters};
pub use reach::Reach;
pub(crate) use reach::farthest;
pub use search::{Before, Choice, Found, repaired, rounded, search};
pub use track::{Encoded, Track};

#[cfg(test)]
mod tests;
