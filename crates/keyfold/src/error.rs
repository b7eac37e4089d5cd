//! What can go wrong, sorted by who is to blame.

use std::{path::PathBuf, sync::Arc};

/// Why something could not be done. `at` is always a JSON pointer into the document.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file system said no.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file that was meant.
        path: PathBuf,
        /// What the system answered. The message says it, so it is no source: those who print both would say it twice.
        cause: Arc<std::io::Error>,
    },
    /// The text is no JSON.
    #[error("the JSON cannot be parsed: {what}")]
    Json {
        /// What is wrong, with line and column.
        what: String,
    },
    /// The container or the document breaks the rules of its format.
    #[error("{}{what}", place(at))]
    Malformed {
        /// Where: a JSON pointer, empty for the file as a whole.
        at: String,
        /// What is wrong there.
        what: String,
    },
    /// The file needs something that Keyfold does not do.
    #[error("{extension}: {what}")]
    Unsupported {
        /// The extension, or the feature.
        extension: String,
        /// What is missing.
        what: String,
    },
    /// The document names something that is not read for it: out of its folder, or no regular file.
    #[error("{}{what}", place(at))]
    Refused {
        /// Where: a JSON pointer.
        at: String,
        /// What it names, and why not.
        what: String,
    },
    /// Whoever watched the work ended it.
    #[error("cancelled")]
    Cancelled,
    /// The file asks for more than the limits allow.
    #[error("{}{what}, which is over the limit", place(at))]
    Limit {
        /// Where: a JSON pointer, empty for the file as a whole.
        at: String,
        /// What is too large.
        what: String,
    },
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!("{at}: ") }
}

impl Error {
    /// A broken rule at a place.
    pub fn malformed(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Malformed { at: at.into(), what: what.into() }
    }

    /// Something at a place that is not read.
    pub fn refused(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Refused { at: at.into(), what: what.into() }
    }

    /// Too much asked for at a place.
    pub fn limit(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Limit { at: at.into(), what: what.into() }
    }

    /// What the file system answered about a path.
    pub fn io(path: impl Into<PathBuf>, cause: std::io::Error) -> Self {
        Self::Io { path: path.into(), cause: Arc::new(cause) }
    }

    /// Where in the document, as a JSON pointer; empty where it concerns the file as a whole.
    pub fn at(&self) -> &str {
        match self {
            Self::Malformed { at, .. } | Self::Refused { at, .. } | Self::Limit { at, .. } => at,
            _ => "",
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { what: error.to_string() }
    }
}
