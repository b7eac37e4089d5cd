//! What is to be said about a file, in the shape that `keyfold validate --json` prints.

use super::Subjects;
use crate::{Document, Finding, Severity};
use serde::Serialize;

/// What is to be said about one file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ValidationReport {
    /// The file's name.
    pub file: String,
    /// How many findings are errors,
    pub errors: usize,
    /// warnings,
    pub warnings: usize,
    /// information,
    pub infos: usize,
    /// advice.
    pub hints: usize,
    /// How many findings were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Where the fixed file went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What was fixed.
    #[serde(rename = "mended", skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<NamedFinding>,
    /// The findings, the worst first.
    pub findings: Vec<NamedFinding>,
}

/// A finding, and the name of what it is about.
#[derive(Clone, Debug, Serialize)]
pub struct NamedFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The name of the node, animation or other object at its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ValidationReport {
    /// A file's findings, `most` of them; all are counted. Names come from the document, where it could be read.
    pub fn new(file: String, document: Option<&Document>, mut findings: Vec<Finding>, most: Option<usize>) -> Self {
        findings.sort_by_key(|finding| finding.severity);
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let shown = most.unwrap_or(usize::MAX).min(findings.len());
        Self {
            file,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            hints: count(Severity::Hint),
            omitted: findings.len() - shown,
            findings: NamedFinding::all(document, findings.into_iter().take(shown)),
            ..Self::default()
        }
    }
}

impl NamedFinding {
    /// Findings with the names of what they are about.
    pub fn all(document: Option<&Document>, findings: impl IntoIterator<Item = Finding>) -> Vec<Self> {
        let subjects = document.map(Subjects::new);
        let subject = |at: &str| subjects.as_ref().and_then(|subjects| subjects.of(at));
        findings.into_iter().map(|finding| Self { subject: subject(&finding.at), finding }).collect()
    }
}
