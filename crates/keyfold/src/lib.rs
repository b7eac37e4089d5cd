//! Documents.

pub mod object_model;
