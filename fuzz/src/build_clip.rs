//! Building clips of what a document holds.

use keyfold::{ClipOptions, Document, build_clip as build, read};
use keyfold_core::clip::{Clip, Encoding};

/// A clip of each animation, at a rate and with its own keys, in both encodings.
pub fn build_clip(data: &[u8]) {
    let Ok(document) = Document::from_bytes(data, None, &crate::options()) else { return };
    let Ok(found) = read(&document) else { return };
    for animation in found.animations.iter().take(3) {
        for (encoding, rate) in
            [(Encoding::Variable, None), (Encoding::Variable, Some(30.0)), (Encoding::Fixed, Some(10.0))]
        {
            let options = ClipOptions { encoding, rate, ..ClipOptions::default() };
            let Ok(built) = build(&document, animation.index, &options) else { continue };
            if built.holds {
                Clip::open(&built.bytes).expect("what holds its bound can be opened");
                crate::clip(&built.bytes);
            }
        }
    }
}
