//! Comparing: a document against itself, and against a broken copy.

use keyfold::{Document, diff as compare};

/// A document against itself, and against the one that its own writer makes of it.
pub fn diff(data: &[u8]) {
    let Ok(document) = Document::from_bytes(data, None, &crate::options()) else { return };
    if let Ok(same) = compare(&document, &document, None) {
        assert!(same.error == 0.0 || !same.error.is_finite(), "{} off from itself", same.error);
    }
    if let Ok(plain) = keyfold::unpack(&document, keyfold::Bound::default()).map(|changed| changed.document) {
        let _ = compare(&document, &plain, None);
        let _ = keyfold::report::report(&document, &plain, None);
    }
}
