//! gltf-validator, Khronos' own.

use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use crate::peers::script;

/// What gltf-validator says of a file.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// The file.
    pub file: PathBuf,
    /// What was found, in its order; empty where `failure` is set.
    pub issues: Vec<Issue>,
    /// Why the validator refused the file as a whole.
    pub failure: Option<String>,
}

/// A finding of gltf-validator.
#[derive(Clone, Debug, Deserialize)]
pub struct Issue {
    /// Its code, for example `ACCESSOR_INVALID_FLOAT`.
    pub code: String,
    /// 0 error, 1 warning, 2 info, 3 hint.
    pub severity: u8,
    /// Where it is, as a JSON pointer.
    pub pointer: Option<String>,
    /// What is the matter.
    pub message: String,
}

impl Report {
    /// The errors, a refusal included.
    pub fn errors(&self) -> Vec<String> {
        let errors = self.issues.iter().filter(|issue| issue.severity == 0);
        let said = errors.map(|issue| format!("{} {}", issue.code, issue.pointer.as_deref().unwrap_or_default()));
        self.failure.iter().cloned().chain(said).collect()
    }
}

/// Validates files, all in one process.
pub fn validate(files: &[PathBuf]) -> Result<Vec<Report>> {
    script("validate.mjs", &files)
}
