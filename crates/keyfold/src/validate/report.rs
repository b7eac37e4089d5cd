//! Validation reports, in the shape that `keyfold validate --json` prints.

use super::Subjects;
use crate::{Document, Finding, Severity};
use serde::Serialize;

/// The findings about one file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ValidationReport {
    /// The file's name.
    pub file: String,
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of infos.
    pub infos: usize,
    /// The number of hints.
    pub hints: usize,
    /// The number of findings that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// The path of the fixed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What was fixed.
    #[serde(rename = "mended", skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<NamedFinding>,
    /// The findings, the worst first.
    pub findings: Vec<NamedFinding>,
}

/// A finding with the name of its subject.
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
    /// The first `most` findings of a file; all are counted. Names come from the document, if it could be read.
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
    /// Findings with the names of their subjects.
    pub fn all(document: Option<&Document>, findings: impl IntoIterator<Item = Finding>) -> Vec<Self> {
        let subjects = document.map(Subjects::new);
        let subject = |at: &str| subjects.as_ref().and_then(|subjects| subjects.of(at));
        findings.into_iter().map(|finding| Self { subject: subject(&finding.at), finding }).collect()
    }
}
