//! The outcome of work that changes a document.

use crate::{Document, Finding};

/// A changed document, and what there is to say about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Changed {
    /// The document.
    pub document: Document,
    /// What could not be changed, and comments on what was.
    pub findings: Vec<Finding>,
}
