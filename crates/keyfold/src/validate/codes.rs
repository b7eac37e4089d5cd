//! Codes of findings and their registry. Names are those of Khronos' validator if it has one, else Keyfold's.
//!
//! A code is a constant with its severity, a sentence that explains it and one that says how to fix it; rules name
//! the constant, so nothing can be found that cannot be explained. Core's codes stand in `khronos` and `own`, an
//! extension's beside its rules:
//!
//! ```text
//! crate::validate::codes! { Keyfold;
//!     QUANT_NOT_REQUIRED: Error,
//!         "EXT_animation_quantization is used, but not listed in extensionsRequired.",
//!         "List it in extensionsRequired: without it the numbers mean something else.";
//! }
//! ```
//!
//! makes the constant `QUANT_NOT_REQUIRED` and the list `CODES`, which the extension's row in
//! `crate::extensions::ALL` names.

use super::{khronos, own};
use crate::{Finding, Severity, extensions};
use serde::Serialize;

/// The origin of a code's name and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Origin {
    /// Khronos' glTF validator.
    Khronos,
    /// Keyfold.
    Keyfold,
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Code {
    /// The fixed name for machines.
    pub name: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its meaning, in a sentence.
    pub about: &'static str,
    /// How to fix the problem.
    pub fix: &'static str,
    /// Its origin.
    pub origin: Origin,
}

impl Code {
    /// A finding with this code.
    pub(crate) fn finding(&self, at: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { severity: self.severity, code: self.name, at: at.into(), message: message.into() }
    }
}

/// All codes, sorted by name.
pub fn registry() -> Vec<&'static Code> {
    let lists = [khronos::CODES, own::CODES].into_iter().chain(extensions::ALL.iter().map(|extension| extension.codes));
    let mut all: Vec<&Code> = lists.flatten().collect();
    all.sort_by_key(|code| code.name);
    // Two names of one extension share a list.
    all.dedup_by_key(|code| code.name);
    all
}

/// The code with a name, in any case.
///
/// ```
/// let code = keyfold::validate::explain("undeclared_extension").unwrap();
/// assert_eq!(code.severity, keyfold::Severity::Error);
/// ```
pub fn explain(name: &str) -> Option<&'static Code> {
    registry().into_iter().find(|code| code.name.eq_ignore_ascii_case(name))
}

/// Declares codes: a constant each, and the list `CODES` of all of them. See the module's header.
macro_rules! codes {
    ($origin:ident; $($name:ident: $severity:ident, $about:expr, $fix:expr;)*) => {
        $(pub(crate) const $name: $crate::validate::Code = $crate::validate::Code {
            name: stringify!($name),
            severity: $crate::Severity::$severity,
            about: $about,
            fix: $fix,
            origin: $crate::validate::Origin::$origin,
        };)*
        /// All codes of this file.
        pub(crate) const CODES: &[$crate::validate::Code] = &[$($name),*];
    };
}
pub(crate) use codes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_code_is_explained() {
        let all = registry();
        for pair in all.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} twice", pair[0].name);
        }
        for code in all {
            assert!(code.about.ends_with('.') && code.fix.ends_with('.'), "{}", code.name);
        }
    }

    #[test]
    fn a_name_that_two_files_declare_means_the_same_in_both() {
        let lists = [khronos::CODES, own::CODES].into_iter().chain(extensions::ALL.iter().map(|e| e.codes));
        for code in lists.flatten() {
            assert_eq!(explain(code.name), Some(code));
        }
    }
}
