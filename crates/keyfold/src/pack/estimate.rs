//! About what a storage would take, told beside what was packed: what the quickest search leaves there, times what a longer one is likely to leave of
//! that. Nothing is measured.

use super::{Level, Packed, Settings, floats, pack, searched, weigh};
use crate::{Document, Result, Scene, Storage, inspect::document_bytes, read};

/// What a longer search leaves of the quickest one's bytes where nothing like it was packed: 0.85 to 1 in Draco streams and streams of the corpus.
const USUAL: f64 = 0.92;
/// A document with no more floats than this is packed: that takes no longer than a search.
const TINY: usize = 1 << 10;

/// About what a storage would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The storage.
    pub storage: Storage,
    /// What the animations' data would take up in the file.
    pub animation_bytes: u64,
    /// What the animations' bytes and JSON would take after gzip.
    pub gzip_bytes: usize,
}

/// About what other storages would take for a document that was packed to `settings.storage`.
///
/// ```
/// # let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
/// use keyfold::{Storage, pack::{self, Settings}};
/// let document = keyfold::Document::open(figure)?;
/// let settings = Settings::default();
/// let packed = pack::pack(&document, &settings)?;
/// let about = pack::estimates(&document, &settings, &packed, &[Storage::Meshopt])?;
/// let meshopt = pack::pack(&document, &Settings { storage: Storage::Meshopt, ..settings })?;
/// assert!((about[0].gzip_bytes as f64 / meshopt.gzip_bytes as f64 - 1.0).abs() < 0.15);
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn estimates(
    document: &Document,
    settings: &Settings,
    packed: &Packed,
    storages: &[Storage],
) -> Result<Vec<Estimate>> {
    let animations = read(document)?.animations;
    let scene = Scene::new(document, &animations, settings.shell)?;
    let tiny = animations.iter().map(floats).sum::<usize>() <= TINY;
    let about = |storage: &Storage| {
        let other = Settings { storage: *storage, ..settings.clone() };
        let quickest = Settings { level: Level::Fast, ..other.clone() };
        let (found, share) = match tiny {
            true => (pack(document, &other)?.document, 1.0),
            false => (searched(document, &animations, &scene, &quickest)?, left(settings, packed, *storage)),
        };
        Ok(Estimate {
            storage: *storage,
            animation_bytes: (share * document_bytes(&found) as f64).round() as u64,
            gzip_bytes: (share * weigh::about_gzip_bytes(&found)? as f64).round() as usize,
        })
    };
    // One after the other: each takes as much memory as a search, and searches use all processors.
    storages.iter().map(about).collect()
}

/// What the level is likely to leave of the quickest search's bytes in a storage: what it left of them where the same keys pay, something between that
/// and the usual where it shares them with one of these, as meshopt does.
fn left(settings: &Settings, packed: &Packed, storage: Storage) -> f64 {
    use Storage::{Core, Meshopt, Quantization};
    match (settings.storage, storage) {
        _ if settings.level == Level::Fast => 1.0,
        (Core | Quantization, Core | Quantization) => packed.of_quickest,
        (Core | Quantization, Meshopt) | (Meshopt, Core | Quantization) => (packed.of_quickest * USUAL).sqrt(),
        _ => USUAL,
    }
}
