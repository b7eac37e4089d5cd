//! Validation and fixing.

use keyfold::{Document, OpenOptions, validate};

/// Everything that validation does with a file: it must come to an end, and what it fixes can be written, read, and has been told of.
pub fn validate(data: &[u8]) {
    let options = OpenOptions::default();
    let Ok(validation) = validate::validate_bytes(data, None, &options) else { return };
    let subjects = validation.document.as_ref().map(validate::Subjects::new);
    for finding in &validation.findings {
        assert!(validate::explain(finding.code).is_some(), "{} is not registered", finding.code);
        let _ = subjects.as_ref().map(|subjects| subjects.of(&finding.at));
    }
    if let Ok(document) = Document::from_bytes(data, None, &options) {
        let _ = validate::advise(&document);
        if let Ok(Some(fixed)) = validate::fix(&document) {
            assert!(!fixed.done.is_empty(), "changed without a word");
            crate::reopened(&document, &fixed.document);
        }
    }
}
