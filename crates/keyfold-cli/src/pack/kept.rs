//! Which patterns of `--keep` fit anything: one that fits no track of any file is a slip of the pen.

use crate::nodes;
use anyhow::Result;
use keyfold::{Document, read};
use std::sync::atomic::{AtomicBool, Ordering};

/// The patterns, and whether each fitted a track yet.
pub(super) struct Kept(Vec<(String, AtomicBool)>);

impl Kept {
    pub(super) fn new(patterns: &[String]) -> Self {
        Self(patterns.iter().map(|pattern| (pattern.clone(), AtomicBool::new(false))).collect())
    }

    /// Holds the patterns against a file's tracks.
    pub(super) fn look(&self, document: &Document) -> Result<()> {
        for (pattern, fits) in self.0.iter().filter(|(_, fits)| !fits.load(Ordering::Relaxed)) {
            let read = read(document)?;
            let mut tracks = read.animations.iter().flat_map(|animation| &animation.tracks);
            if tracks.any(|track| nodes::fits(document, &track.target.to_string(), pattern)) {
                fits.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Those that fitted none.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, fits)| !fits.load(Ordering::Relaxed)).map(|(pattern, _)| pattern.as_str())
    }
}
