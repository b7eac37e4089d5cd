//! What is to be said about a file: validation, and what reading had to leave out, are lists of findings.

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A rule is broken.
    Error,
    /// Legal or nearly so, and likely not what was meant.
    Warning,
    /// Worth knowing.
    Info,
    /// Could be better.
    Hint,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A fixed name for machines: Khronos' validator's where it has one, else ours.
    pub code: &'static str,
    /// Where: a JSON pointer.
    pub at: String,
    /// What, for people.
    pub message: String,
}

/// Codes of warnings that tell of something that stayed as it was because nobody knows what it means, or how to say it otherwise.
const LEFT: [&str; 4] =
    ["ANIMATION_INTERPOLATION_UNKNOWN", "ANIMATION_PATH_UNKNOWN", "ROTATION_UNCHANGED", "TARGET_NOT_CONVERTED"];

impl Finding {
    /// Whether it tells that something was left out or could not be done; other findings only comment on what was done.
    pub fn leaves_out(&self) -> bool {
        self.severity == Severity::Error || LEFT.contains(&self.code)
    }
}
