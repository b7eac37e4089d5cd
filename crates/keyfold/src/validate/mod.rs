//! Whether a file keeps the rules, as far as animation reaches: findings, never errors.
//!
//! | file | what it is |
//! |---|---|
//! | `codes` | what a code is, and the registry of all of them |
//! | `khronos`, `own` | core's codes: those of Khronos' validator, and ours |
//! | `findings` | where rules write to |
//! | `declared` | extensions that are used and not declared, and the other way round |
//!
//! The rules of an extension stand in the extension's file: a function `fn(&Document, &mut Findings)` as `rules` of its row in
//! `crate::extensions::ALL`, its codes as `codes` (declared by the macro of [`codes`]), and in `places` the patterns of the objects that may
//! carry it. They run where the document uses the extension, after core's, and take back what they make untrue with
//! `Findings::waive`: core's rules know no extensions. Each own code needs two files in `tests/codes`, `CODE.bad.gltf` that triggers it and
//! `CODE.good.gltf` that just does not.
//!
//! Places are the JSON pointers that Khronos' validator reports for the same thing.

mod codes;
mod declared;
mod findings;
pub(crate) mod khronos;
mod own;

pub(crate) use codes::codes;
pub use codes::{Code, Origin, explain, registry};
pub(crate) use findings::Findings;

use crate::{Document, Finding, extensions};

/// The rules of core, in the order in which they speak.
const CORE: &[fn(&Document, &mut Findings)] = &[declared::rules];

/// Everything that is to be said about a document, the worst first.
///
/// ```
/// let json = br#"{ "asset": { "version": "2.0" }, "extensions": { "KHR_audio": {} } }"#;
/// let document = keyfold::Document::from_bytes(json, None, &Default::default()).unwrap();
/// let findings = keyfold::validate::validate(&document);
/// assert_eq!(findings[0].code, "UNDECLARED_EXTENSION");
/// assert_eq!(findings[0].at, "/extensions/KHR_audio");
/// ```
pub fn validate(document: &Document) -> Vec<Finding> {
    let mut findings = Findings::default();
    CORE.iter().for_each(|rules| rules(document, &mut findings));
    extensions::used(document).filter_map(|e| e.rules).for_each(|rules| rules(document, &mut findings));
    findings.sorted()
}
