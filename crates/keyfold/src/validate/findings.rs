//! Where rules write to.

use super::Code;
use crate::Finding;

/// The findings so far. Core's rules come first, then those of each extension that the document uses.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Something was found at a place, a JSON pointer.
    pub(crate) fn add(&mut self, code: &Code, at: impl Into<String>, message: impl Into<String>) {
        let Code { name, severity, .. } = *code;
        self.list.push(Finding { severity, code: name, at: at.into(), message: message.into() });
    }

    /// Takes back what an extension makes untrue: core's rules do not know extensions.
    pub(crate) fn suppress(&mut self, untrue: impl Fn(&Finding) -> bool) {
        self.list.retain(|finding| !untrue(finding));
    }

    /// Takes back what was found at one place.
    pub(crate) fn suppress_at(&mut self, code: &Code, at: &str) {
        self.suppress(|finding| finding.code == code.name && finding.at == at);
    }

    /// What was found so far.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The worst first, each severity in the order in which the rules spoke.
    pub(crate) fn sorted(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.severity);
        self.list
    }
}
