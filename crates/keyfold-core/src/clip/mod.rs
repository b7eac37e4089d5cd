//! Runtime clips: small, immutable, decoded one pose at a time.
//!
//! The format `.kfc` is Keyfold's own; `docs/kfc.md` describes it byte by byte. A [`Clip`] is opened from
//! bytes, which are checked once. A [`Sampler`] (or a [`Playback`], which borrows nothing) plays it, one for
//! each playing instance. A [`Pose`] receives the values and belongs to the caller. Sampling does not
//! allocate. Building ([`build`]) is separate from playing.
//!
//! ```text
//! curves + skeleton ─ build ─> bytes ─ Clip::open ─> Clip ─ Sampler::sample(t) ─> Pose
//! ```
//!
//! ```
//! use keyfold_core::clip::{Clip, Encoding, NodeProperty, Pose, Sampler, Target, build};
//! use keyfold_core::curve::{Curve, Interpolation};
//! use keyfold_core::skeleton::{Rest, Skeleton, Transform};
//!
//! let door = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)])?;
//! let slide = Curve::new(Interpolation::Linear, 3, [0.0, 1.0], [0.0, 0.0, 0.0, 4.0, 0.0, 0.0])?;
//! let target = Target::Node(0, NodeProperty::Translation);
//! let tracks = [build::SourceTrack { target, curve: &slide, rest: None, tolerance: 0.0 }];
//! let source = build::Source { name: "open", index: 0, skeleton: &door, probe_radii: &[1.0], tracks: &tracks };
//! let options = build::Options {
//!     rate: Some(30.0),
//!     encoding: Encoding::Variable,
//!     bits: None,
//!     max_error: 1e-3,
//!     limits: build::Limits::NONE,
//! };
//! let built = build::build(&source, &options, &|_progress| true)?;
//! assert!(built.holds);
//!
//! let clip = Clip::open(&built.bytes)?;
//! let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
//! sampler.sample(0.5, &mut pose);
//! assert!((pose.value(&clip.tracks()[0])[0] - 2.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `bits`, `checksum` | bits in bytes; CRC-32 |
//! | `track`, `timing`, `small_quat` | targets; times of keys; quaternions in few bits |
//! | `constant`, `step`, `coding` | the directory's data of each form of track |
//! | `directory` | everything of a file except its keys |
//! | `head` | the widths and minima at the head of a segment of the `variable` encoding |
//! | `lanes`, `blend`, `bend` | four numbers or rotations at a time, along lines or parabolas |
//! | `keys` | from neighbouring keys of either encoding to the values between them |
//! | `fixed`, `variable` | the keys of either encoding |
//! | `open`, `player` | the clip; sampler and pose |
//! | `build` | the encoder |
//!
//! Not here: glTF, files, blending of clips, root motion.

mod bend;
mod bits;
mod blend;
pub mod build;
mod checksum;
mod coding;
mod constant;
mod directory;
mod fixed;
mod head;
mod keys;
mod lanes;
mod memory;
mod open;
mod player;
mod small_quat;
mod step;
mod timing;
mod track;
mod variable;

use core::fmt;

pub use directory::MAGIC;
pub use open::Clip;
pub use player::{Playback, Pose, Sampler};
pub use track::{Form, NodeProperty, Target, Track};

/// How the keys are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// The same number of bits for every component of every key: the fastest.
    Fixed,
    /// Bits per component and segment, chosen for the error bound: the smallest.
    #[default]
    Variable,
}

impl Encoding {
    /// The name that the program uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Variable => "variable",
        }
    }
}

/// The reason why bytes could not be opened as a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClipError {
    /// The bytes do not start like a clip.
    NotAClip,
    /// The version of the clip is unknown.
    Version(u8),
    /// The bytes end too early, or do not have the declared length.
    Truncated,
    /// The checksum does not match the bytes.
    Checksum,
    /// The contents are invalid.
    Malformed(&'static str),
    /// Opening it takes more memory than the limit.
    Limit,
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotAClip => f.write_str("this is not a Keyfold clip"),
            Self::Version(version) => write!(f, "clips of version {version} are not known to this program"),
            Self::Truncated => f.write_str("the clip is cut short"),
            Self::Checksum => f.write_str("the clip is damaged: its checksum is wrong"),
            Self::Malformed(what) => write!(f, "the clip is malformed: {what}"),
            Self::Limit => f.write_str("opening the clip takes more memory than the limit"),
        }
    }
}

impl core::error::Error for ClipError {}

#[cfg(test)]
mod tests;
