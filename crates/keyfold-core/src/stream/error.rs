//! What can be wrong with a stream.

use core::fmt;

/// Why a stream was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// It is of no version that is known.
    Version,
    /// It ends before what it holds does.
    Truncated,
    /// Its head says what cannot be.
    Head,
    /// It asks for more than the limits grant.
    Limit,
    /// A block of it does not end where it should: bytes of it were changed.
    Broken,
    /// There is no such segment.
    NoSuchSegment,
    /// What should be encoded does not fit together.
    Unfit,
}

impl StreamError {
    /// What is wrong, in words for a person.
    pub const fn message(&self) -> &'static str {
        match self {
            Self::Version => "the stream is of no version that is known",
            Self::Truncated => "the stream ends before what it holds does",
            Self::Head => "the stream's head says what cannot be",
            Self::Limit => "the stream asks for more than the limits grant",
            Self::Broken => "a block of the stream does not end where it should: its bytes were changed",
            Self::NoSuchSegment => "the stream has no such segment",
            Self::Unfit => "the arrays and their clocks do not fit each other",
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for StreamError {}
