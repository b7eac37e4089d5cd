//! Draco streams of what a document holds.

use keyfold::{
    Bound, Document,
    draco::{Options, compress as compress_document},
};

/// A document's animations as Draco streams, by the bound and by bits.
pub fn compress(data: &[u8]) {
    let options = crate::options();
    let Ok(document) = Document::from_bytes(data, None, &options) else { return };
    for bits in [None, Some(1), Some(9)] {
        let wanted = Options { bits, ..Options::default() };
        let Ok(done) = compress_document(&document, Bound::default(), &wanted) else { continue };
        crate::reopened(&document, &done.document).iter().for_each(crate::play);
    }
}
