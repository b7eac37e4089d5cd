//! Packing, in every storage: what comes out can be written, opened and is within its bound.

use keyfold::{
    Document, Storage, diff,
    pack::{Level, Options, pack as pack_document},
};

/// A document, packed in one storage after the other; every second one as thoroughly as by default.
pub fn pack(data: &[u8]) {
    let options = crate::options();
    let Ok(document) = Document::from_bytes(data, None, &options) else { return };
    let level = if data.len().is_multiple_of(2) { Level::Fast } else { Level::Default };
    for storage in Storage::ALL {
        let options = Options { storage, level, ..Options::default() };
        let Ok(packed) = pack_document(&document, &options) else { continue };
        let Some(back) = crate::reopened(&document, &packed.document) else { continue };
        // Where the limits end before the comparison, nothing can be said.
        let Ok(found) = diff(&document, &back, None) else { continue };
        assert!(
            found.error <= packed.bound || !found.error.is_finite(),
            "{storage:?}: {} over {}",
            found.error,
            packed.bound
        );
    }
}
