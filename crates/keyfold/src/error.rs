//! Errors, by cause.

use keyfold_core::clip::{ClipError, build::BuildError};
use std::{path::PathBuf, sync::Arc};

/// An error. `at` is always a JSON pointer into the document.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file system reported an error.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file that was meant.
        path: PathBuf,
        /// What the system answered. The message says it, so it is no source: those who print both would say it twice.
        cause: Arc<std::io::Error>,
    },
    /// The text is not JSON.
    #[error("the JSON cannot be parsed: {what}")]
    Json {
        /// What is wrong, with line and column.
        what: String,
    },
    /// The container or the document violates its format.
    #[error("{}{what}", place(at))]
    Malformed {
        /// Where: a JSON pointer, empty for the file as a whole.
        at: String,
        /// What is wrong there.
        what: String,
    },
    /// The file needs something that Keyfold does not support.
    #[error("{extension}: {what}")]
    Unsupported {
        /// The extension, or the feature.
        extension: String,
        /// What is missing.
        what: String,
    },
    /// The document names a file that Keyfold refuses to read: outside of its folder, or not a regular file.
    #[error("{}{what}", place(at))]
    Refused {
        /// Where: a JSON pointer.
        at: String,
        /// What it names, and why not.
        what: String,
    },
    /// The document names an address in a network. Only files and data URIs are read.
    #[error("{}a {scheme} address; only files and data URIs are read", place(at))]
    Network {
        /// Where: a JSON pointer.
        at: String,
        /// The scheme of the address.
        scheme: String,
    },
    /// The caller asked for what does not exist or makes no sense.
    #[error("{}{what}", place(at))]
    Argument {
        /// Where it looked for it in the document: a JSON pointer, empty if nowhere.
        at: String,
        /// What is wrong with it.
        what: String,
    },
    /// The library was built without a cargo feature.
    #[error("{what} needs the cargo feature `{feature}`")]
    Feature {
        /// The feature.
        feature: &'static str,
        /// What needs it.
        what: String,
    },
    /// The result exceeds the error bound.
    #[error("{what}")]
    Bound {
        /// What exceeds it, and by how much.
        what: String,
    },
    /// A clip could not be built.
    #[error("{0}")]
    Build(BuildError),
    /// Bytes could not be opened as a clip.
    #[error("{0}")]
    Clip(ClipError),
    /// The monitor cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// The file needs more than the limits allow.
    #[error("{}{what}", place(at))]
    Limit {
        /// Where: a JSON pointer, empty for the file as a whole.
        at: String,
        /// What it needs, and what the limit is.
        what: String,
    },
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!("{at}: ") }
}

impl Error {
    /// A [`Malformed`](Self::Malformed) error at a place.
    pub fn malformed(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed { at: at.into(), what: what.into() }
    }

    /// A [`Refused`](Self::Refused) error at a place.
    pub fn refused(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Refused { at: at.into(), what: what.into() }
    }

    /// A [`Limit`](Self::Limit) error at a place.
    pub fn limit(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Limit { at: at.into(), what: what.into() }
    }

    /// An [`Argument`](Self::Argument) error at a place.
    pub fn argument(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Argument { at: at.into(), what: what.into() }
    }

    /// An [`Io`](Self::Io) error for a path.
    pub fn io(path: impl Into<PathBuf>, cause: std::io::Error) -> Self {
        Self::Io { path: path.into(), cause: Arc::new(cause) }
    }

    /// The place in the document, as a JSON pointer; empty if the error concerns the whole file.
    pub fn at(&self) -> &str {
        match self {
            Self::Malformed { at, .. } | Self::Refused { at, .. } => at,
            Self::Network { at, .. } | Self::Argument { at, .. } | Self::Limit { at, .. } => at,
            _ => "",
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { what: error.to_string() }
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Cancelled => Self::Cancelled,
            BuildError::Limit(_) => Self::limit("", error.to_string()),
            BuildError::Options(what) => Self::argument("", what),
            error => Self::Build(error),
        }
    }
}

impl From<ClipError> for Error {
    fn from(error: ClipError) -> Self {
        match error {
            ClipError::Limit => Self::limit("", error.to_string()),
            error => Self::Clip(error),
        }
    }
}
