//! Validation of everything that concerns animation. Results are findings, never errors.
//!
//! | file | what it is |
//! |---|---|
//! | `codes` | what a code is, and the registry of all of them |
//! | `khronos`, `own` | core's codes: those of Khronos' validator, and ours |
//! | `findings` | where rules write to |
//! | `container` | the framing of GLB files |
//! | `members`, `model` | the structure of the JSON: what rules look at, each member only where it is as it should be |
//! | `buffers`, `accessors`, `usage` | where data lies, and what it is used for |
//! | `animations`, `nodes`, `skins` | channels and samplers; the hierarchy that they move; joints and weights of skinned vertices |
//! | `elements`, `keys` | the data of every accessor, and what animations ask of it |
//! | `declared` | extensions that are used and not declared, and the other way round |
//! | `advice` | what is legal and could be better |
//! | `fix` | a changed copy in which what has one obvious cure is fixed |
//! | `subject`, `report` | the name of what a place is about; what is told of a file |
//!
//! The rules of an extension are in the extension's file: a function `fn(&Document, &mut Findings)` as `rules` of its
//! row in `crate::extensions::ALL`, its codes as `codes` (declared by the macro of `codes`), and in `places` the
//! patterns of the objects that may carry it. They run after core's rules if the document uses the extension, and
//! remove findings that the extension makes untrue with `Findings::suppress`: core's rules know no extensions. Each
//! of Keyfold's own codes needs two files in `tests/codes`: `CODE.bad.gltf` that triggers it, and `CODE.good.gltf`
//! that just does not.
//!
//! Places are the JSON pointers that Khronos' validator reports for the same problem. A rule that many elements of an
//! accessor break gives one finding with their number.

mod accessors;
mod advice;
mod animations;
mod buffers;
mod codes;
mod container;
mod declared;
mod elements;
mod findings;
mod fix;
mod keys;
pub(crate) mod khronos;
mod members;
mod model;
mod nodes;
pub(crate) mod own;
mod report;
mod skins;
mod subject;
mod usage;

pub use advice::advise;
pub(crate) use animations::check_count;
pub(crate) use codes::codes;
pub use codes::{Code, Origin, explain, registry};
pub(crate) use findings::Findings;
pub use fix::{Fixed, fix};
pub(crate) use keys::{UNIT_TOLERANCE, is_unit};
pub(crate) use members::Members;
pub use report::{NamedFinding, ValidationReport};
pub use subject::Subjects;

use crate::{
    Document, Error, Finding, OpenOptions, Result,
    document::{Bytes, Container, Pieces, glb},
    extensions,
    limits::Account,
};
use model::Model;
use std::path::PathBuf;

/// The rules of core that work on the model, in the order in which they speak.
const CORE: &[fn(&Model<'_>, &mut Findings)] =
    &[buffers::rules, accessors::rules, nodes::rules, skins::rules, animations::rules, usage::rules, elements::rules];

/// Validates a document; returns findings, the worst first.
///
/// ```
/// let json = br#"{ "asset": { "version": "2.0" }, "animations": [{ "channels": [], "samplers": [] }] }"#;
/// let document = keyfold::Document::from_bytes(json, None, &Default::default()).unwrap();
/// let findings = keyfold::validate::validate(&document);
/// assert_eq!(findings[0].code, "EMPTY_ENTITY");
/// assert_eq!(findings[0].at, "/animations/0/channels");
/// ```
pub fn validate(document: &Document) -> Vec<Finding> {
    let mut findings = Findings::default();
    run(document, &mut findings);
    findings.sorted()
}

fn run(document: &Document, findings: &mut Findings) {
    if let Some(model) = Model::new(document, findings) {
        CORE.iter().for_each(|rules| rules(&model, findings));
    }
    declared::rules(document, findings);
    extensions::used(document).filter_map(|e| e.rules).for_each(|rules| rules(document, findings));
}

/// The result of validating a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Validation {
    /// The findings, the worst first.
    pub findings: Vec<Finding>,
    /// The document, unless its container cannot be read.
    pub document: Option<Document>,
}

/// Validates a whole file: the container, and the document as far as it can be read. Relative URIs start at `folder`.
///
/// Returns an error only for what cannot be validated: text that is not JSON, or more than the limits allow.
pub fn validate_bytes(bytes: &[u8], folder: Option<PathBuf>, options: &OpenOptions) -> Result<Validation> {
    let mut findings = Findings::default();
    let document = if glb::is_glb(bytes) {
        let parts = container::check(bytes, &mut findings);
        let make = |json: &[u8]| {
            let (json, bin) = (Bytes::from(json), parts.bin.map(Pieces::from));
            let account = Account::new(options.limits, bytes.len());
            Document::from_parts(json, bin, Vec::new(), Container::Glb, folder, options, account)
        };
        parts.json.map(make).transpose()?
    } else {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            findings.add(&khronos::INVALID_JSON, "", "the file begins with a byte-order mark");
        }
        Some(Document::from_bytes(bytes, folder, options)?)
    };
    match &document {
        Some(document) => {
            run(document, &mut findings);
            document.account().check()?;
        }
        None if findings.is_empty() => return Err(Error::malformed("", "GLB: there is no JSON in it")),
        None => {}
    }
    Ok(Validation { findings: findings.sorted(), document })
}
