//! Findings: problems and remarks about a file, from validation and from reading.

use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A rule is broken.
    Error,
    /// Legal or nearly so, but probably not intended.
    Warning,
    /// Worth knowing.
    Info,
    /// A possible improvement.
    Hint,
}

/// A problem or remark about a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A fixed name for machines: that of Khronos' validator if it has one, else Keyfold's.
    pub code: &'static str,
    /// The place, as a JSON pointer.
    pub at: String,
    /// The message for people.
    pub message: String,
}

/// Codes of warnings that tell of something that stayed as it was because nobody knows what it means, or how to say
/// it otherwise.
const LEFT: [&str; 4] =
    ["ANIMATION_INTERPOLATION_UNKNOWN", "ANIMATION_PATH_UNKNOWN", "ROTATION_UNCHANGED", "TARGET_NOT_CONVERTED"];

impl Finding {
    /// Whether something was left out or could not be done. Other findings only comment on what was done.
    pub fn leaves_out(&self) -> bool {
        self.severity == Severity::Error || LEFT.contains(&self.code)
    }
}
