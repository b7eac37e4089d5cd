//! Documents: opened, looked at, sampled, written again, undone.

use keyfold::{Allowance, Document, Limits, OpenOptions};

/// Limits tight enough that a fuzzer meets them.
pub fn options() -> OpenOptions {
    let limits = Limits {
        file_bytes: 1 << 26,
        memory: Allowance { base: 16 << 20, per_byte: 8 },
        work: Allowance { base: 100_000_000, per_byte: 1_000 },
    };
    OpenOptions { limits, ..OpenOptions::default() }
}

/// A document whose buffers come from the bytes alone.
pub fn document(data: &[u8]) {
    if let Ok(document) = Document::from_bytes(data, None, &options()) {
        play(&document);
    }
}

/// What was made of a document, written and opened again; `None` where the original has buffers that cannot be read, and so not be written.
pub(crate) fn reopened(original: &Document, made: &Document) -> Option<Document> {
    let whole = (0..original.count("buffers")).all(|index| original.buffer(index).is_ok());
    let bytes = made.to_bytes();
    assert!(!whole || bytes.is_ok(), "what was made can be written: {:?}", bytes.err());
    Some(Document::from_bytes(bytes.ok()?, None, &options()).expect("what was written can be opened"))
}

/// Everything that the program does with a document that it has opened.
pub fn play(document: &Document) {
    let _ = keyfold::inspect::inspect(document);
    if let Ok(found) = keyfold::read(document) {
        for track in found.animations.iter().flat_map(|animation| &animation.tracks) {
            let (start, end) = (f64::from(track.curve.start()), f64::from(track.curve.end()));
            for time in [start - 1.0, start, (start + end) / 2.0, end, end + 1.0] {
                assert!(track.sample(time).iter().all(|v| v.is_finite()), "{} at {time}", track.target);
            }
        }
    }
    let _ = document.to_bytes();
    let _ = keyfold::unpack(document, keyfold::Bound::default()).map(|changed| changed.document.to_bytes());
}
