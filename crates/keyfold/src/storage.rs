//! The forms in which a file may store its animations. This enum is the one place that lists them.

use crate::{Document, Track, extensions};

/// How animations are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Storage {
    /// Core glTF: floats, or normalized integers where core allows them. Plays everywhere.
    Core,
    /// EXT_animation_quantization.
    Quantization,
    /// Draco_animation_compression.
    Draco,
    /// EXT_meshopt_compression or KHR_meshopt_compression.
    Meshopt,
}

impl Storage {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Core, Self::Quantization, Self::Draco, Self::Meshopt];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Quantization => "quantization",
            Self::Draco => "draco",
            Self::Meshopt => "meshopt",
        }
    }

    /// How a track of a document is stored.
    pub fn of(document: &Document, animation: usize, track: &Track) -> Self {
        if extensions::quantization::stores(document, animation, track.source.channel) {
            return Self::Quantization;
        }
        if document.provided(track.source.output).is_some() {
            return Self::Draco;
        }
        let view = document.accessor(track.source.output).ok().and_then(|a| a.view);
        match view.is_some_and(|view| extensions::compresses(document, view)) {
            true => Self::Meshopt,
            false => Self::Core,
        }
    }
}
