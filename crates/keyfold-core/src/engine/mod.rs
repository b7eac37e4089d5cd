//! The search within an error bound, the same for every storage.
//!
//! ```text
//! Job: skeleton + tracks + bound ─ clip: parts that no moving node connects; their tracks, times, probes
//!   for each plan:  budgets by reach ─> encode from the root to the tips: compensate, reduce keys, quantize
//!                        ^──────────── measure, raise the price of probes over the bound <──┘
//!   the cheapest:   the whole clip ─> repair ─> measure ─ over: tighten, repeat ─> Encoded tracks
//! ```
//!
//! | file | purpose |
//! |---|---|
//! | `search` | the loop: plans, samples, measure and tighten; **where a bound is searched** |
//! | `codec` | what a search asks of a storage: grids, constants, cost |
//! | `grid`, `parameters`, `quaternion_filter` | values to integer codes and back |
//! | `clip`, `track`, `window` | an animation in parts; a track and its constants; a range of times |
//! | `reach`, `response` | how far tracks move probes; the same under compensation |
//! | `budgets` | error budgets of tracks: by reach, corrected by measured errors |
//! | `plan` | how keys are chosen |
//! | `encode` | encodes tracks from the root to the tips |
//! | `compensate`, `reduce`, `repair` | compensation; key reduction; other codes where rounding adds up |
//! | `thin` | drops keys where measured points stay within the bound |
//! | `between` | raises the weight of keys beside errors over the bound |
//!
//! Not here: files and JSON, errors between keys (measured by the caller), tracks that move no points.

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
pub(crate) use codec::Sequential;
pub use codec::{Codec, Executor, Level};
pub(crate) use compensate::leverage;
pub use grid::{Code, Grid, Layout, Uniform};
pub use parameters::{Counting, Parameters};
pub use reach::Reach;
pub(crate) use reach::farthest;
pub use search::{Before, Choice, Found, nearest, rounded, search};
pub use track::{Encoded, Track};

#[cfg(test)]
mod tests;
