//! What could not be compared between two files.

use super::called;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// One of the two compared files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first one.
    First,
    /// The second one.
    Second,
}

/// Something that is missing in one of the files or cannot be read. Reports print it as a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unmatched {
    /// A channel or an animation that cannot be read.
    Unreadable {
        /// The file.
        file: Which,
        /// The JSON pointer to it.
        at: String,
        /// The reason.
        message: String,
    },
    /// An animation that only one of the files has.
    Animation {
        /// The file that has it.
        file: Which,
        /// Its index there.
        index: usize,
        /// Its name there.
        name: Option<String>,
    },
    /// An animation that lasts longer in one of the files.
    Duration {
        /// Its index in the first file.
        index: usize,
        /// Its duration in either file, in seconds.
        seconds: [f32; 2],
    },
    /// A moved node of the first file that the second one lacks.
    Node {
        /// Its index.
        index: usize,
        /// Its name.
        name: Option<String>,
    },
}

impl Unmatched {
    /// The animation of the first file that it concerns, if any.
    pub fn animation(&self) -> Option<usize> {
        match self {
            Self::Animation { file: Which::First, index, .. } | Self::Duration { index, .. } => Some(*index),
            _ => None,
        }
    }
}

impl Display for Unmatched {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, at, message } => write!(f, "{at} of the {file} file: {message}"),
            Self::Animation { file: Which::First, index, name } => {
                write!(f, "/animations/{index}{}: the second file lacks it", called(name.as_deref()))
            }
            Self::Animation { file: Which::Second, index, name } => {
                write!(f, "/animations/{index}{} of the second file: the first file lacks it", called(name.as_deref()))
            }
            Self::Duration { index, seconds: [first, second] } => {
                write!(f, "/animations/{index}: lasts {first} s in the first file, {second} s in the second")
            }
            Self::Node { index, name } => {
                write!(f, "/nodes/{index}{}: the second file has no matching node", called(name.as_deref()))
            }
        }
    }
}

impl Display for Which {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

impl Serialize for Unmatched {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
