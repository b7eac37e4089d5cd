//! The list of storages for animations. This enum is the only place that lists them.

use crate::{Document, Track, extensions};
use serde::{Deserialize, Serialize};

/// How animations are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Storage {
    /// Core glTF: floats, or normalized integers where core allows them. Plays in every viewer.
    #[default]
    Core,
    /// EXT_animation_quantization.
    Quantization,
    /// Draco_animation_compression.
    Draco,
    /// EXT_meshopt_compression or KHR_meshopt_compression.
    Meshopt,
    /// KEYFOLD_animation_stream.
    Stream,
}

impl std::fmt::Display for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Storage {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Core, Self::Quantization, Self::Draco, Self::Meshopt, Self::Stream];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Quantization => "quantization",
            Self::Draco => "draco",
            Self::Meshopt => "meshopt",
            Self::Stream => "stream",
        }
    }

    /// What it is in glTF: the name of its extension.
    pub const fn long_name(self) -> &'static str {
        match self {
            Self::Core => "core glTF",
            Self::Quantization => extensions::quantization::NAME,
            Self::Draco => extensions::draco::NAME,
            Self::Meshopt => extensions::meshopt::EXT_NAME,
            Self::Stream => extensions::stream::NAME,
        }
    }

    /// Where files with this storage play.
    pub const fn plays(self) -> &'static str {
        match self {
            Self::Core => "in every viewer",
            Self::Meshopt => "in three.js, Babylon.js and gltfpack's viewers",
            Self::Quantization | Self::Draco => "in three.js and Babylon.js with Keyfold's plugin (a draft)",
            Self::Stream => "in three.js and Babylon.js with Keyfold's plugin",
        }
    }

    /// The storage of a document's track.
    pub fn of(document: &Document, animation: usize, track: &Track) -> Self {
        if extensions::quantization::stores(document, animation, track.source.channel) {
            return Self::Quantization;
        }
        // Times may be stored in another form than values: a track is plain where both are.
        let accessors = [track.source.output, track.source.input];
        if accessors.iter().any(|accessor| document.provided(*accessor).is_some()) {
            return Self::Draco;
        }
        let view = |accessor: &usize| document.accessor(*accessor).ok().and_then(|a| a.view);
        match accessors.iter().filter_map(view).find_map(|view| extensions::compressing(document, view)) {
            Some(extensions::stream::NAME) => Self::Stream,
            Some(_) => Self::Meshopt,
            None => Self::Core,
        }
    }
}
