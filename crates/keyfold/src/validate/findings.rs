//! Where rules write to.

use super::{Code, khronos::UNDEFINED_PROPERTY};
use crate::Finding;

/// The findings so far. Core's rules come first, then those of each extension that the document uses.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    finding: Finding,
    /// The member that is missing, if the finding says that one is.
    missing: Option<String>,
}

impl Findings {
    /// Something was found at a place, a JSON pointer.
    pub(crate) fn add(&mut self, code: &Code, at: impl Into<String>, message: impl Into<String>) {
        self.list.push(Found { finding: code.finding(at, message), missing: None });
    }

    /// An object at a place lacks a member.
    pub(crate) fn add_missing(&mut self, at: impl Into<String>, member: &str) {
        let finding = UNDEFINED_PROPERTY.finding(at, format!("`{member}` is missing"));
        self.list.push(Found { finding, missing: Some(member.to_owned()) });
    }

    /// Takes back that an object lacks a member.
    pub(crate) fn suppress_missing(&mut self, at: &str, member: &str) {
        self.list.retain(|found| found.missing.as_deref() != Some(member) || found.finding.at != at);
    }

    /// Takes back what an extension makes untrue: core's rules do not know extensions.
    pub(crate) fn suppress(&mut self, untrue: impl Fn(&Finding) -> bool) {
        self.list.retain(|found| !untrue(&found.finding));
    }

    /// Takes back what was found at one place.
    pub(crate) fn suppress_at(&mut self, code: &Code, at: &str) {
        self.suppress(|finding| finding.code == code.name && finding.at == at);
    }

    /// What was found so far.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter().map(|found| &found.finding)
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The worst first, each severity in the order in which the rules spoke.
    pub(crate) fn sorted(self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.list.into_iter().map(|found| found.finding).collect();
        findings.sort_by_key(|finding| finding.severity);
        findings
    }
}
