//! Draco streams of what a document holds.

use keyfold::{
    Document,
    draco::{Options, compress as compress_document},
};

/// A document's animations as Draco streams, by the bound and by bits.
pub fn compress(data: &[u8]) {
    let options = crate::options();
    let Ok(document) = Document::from_bytes(data, None, &options) else { return };
    for bits in [None, Some(1), Some(9)] {
        let wanted = Options { bits, ..Options::default() };
        let Ok(done) = compress_document(&document, &wanted) else { continue };
        let bytes = done.document.to_bytes().expect("what was compressed can be written");
        let back = Document::from_bytes(bytes, None, &options).expect("what was compressed can be opened");
        crate::play(&back);
    }
}
