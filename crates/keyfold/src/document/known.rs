//! What was found out about a document, once: its animations, and what its nodes carry. A document never changes, an
//! edit makes another one; so whoever asks again (packing, measuring, estimating, drawing) gets the same without
//! reading it again.

use crate::{Animations, Result, scene::Hierarchy};
use std::sync::{Arc, OnceLock};

#[derive(Debug, Default)]
pub(crate) struct Known {
    animations: OnceLock<Result<Arc<Animations>>>,
    hierarchy: OnceLock<Result<Arc<Hierarchy>>>,
    /// How often either was read.
    #[cfg(test)]
    pub(crate) reads: std::sync::atomic::AtomicUsize,
}

impl Known {
    /// The document's animations; `read` reads them.
    pub(crate) fn animations(&self, read: impl FnOnce() -> Result<Animations>) -> Result<Arc<Animations>> {
        self.once(&self.animations, read)
    }

    /// The document's nodes and what they carry; `read` reads them.
    pub(crate) fn hierarchy(&self, read: impl FnOnce() -> Result<Hierarchy>) -> Result<Arc<Hierarchy>> {
        self.once(&self.hierarchy, read)
    }

    fn once<T>(&self, slot: &OnceLock<Result<Arc<T>>>, read: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let counted = || {
            #[cfg(test)]
            self.reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            read().map(Arc::new)
        };
        slot.get_or_init(counted).clone()
    }
}
