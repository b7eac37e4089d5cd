//! The arrays of objects that others refer to by index.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::object_model::pointer::array_index;

/// An array of objects in a glTF document that others refer to by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)] // The names are glTF's own.
pub enum Collection {
    Accessors,
    Animations,
    BufferViews,
    Buffers,
    Cameras,
    Images,
    Materials,
    Meshes,
    Nodes,
    Samplers,
    Scenes,
    Skins,
    Textures,
    PunctualLights,
    ImageBasedLights,
    IesLights,
}

/// An object that a pointer's text names: its index, and where in the text the index stands.
pub(super) struct Named {
    pub(super) index: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Collection {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Accessors,
        Self::Animations,
        Self::BufferViews,
        Self::Buffers,
        Self::Cameras,
        Self::Images,
        Self::Materials,
        Self::Meshes,
        Self::Nodes,
        Self::Samplers,
        Self::Scenes,
        Self::Skins,
        Self::Textures,
        Self::PunctualLights,
        Self::ImageBasedLights,
        Self::IesLights,
    ];

    /// The JSON pointer of the array.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Accessors => "/accessors",
            Self::Animations => "/animations",
            Self::BufferViews => "/bufferViews",
            Self::Buffers => "/buffers",
            Self::Cameras => "/cameras",
            Self::Images => "/images",
            Self::Materials => "/materials",
            Self::Meshes => "/meshes",
            Self::Nodes => "/nodes",
            Self::Samplers => "/samplers",
            Self::Scenes => "/scenes",
            Self::Skins => "/skins",
            Self::Textures => "/textures",
            Self::PunctualLights => "/extensions/KHR_lights_punctual/lights",
            Self::ImageBasedLights => "/extensions/EXT_lights_image_based/lights",
            Self::IesLights => "/extensions/EXT_lights_ies/lights",
        }
    }

    /// How many objects the document has of it.
    pub fn len(self, document: &Value) -> usize {
        document.pointer(self.path()).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// The object of this collection that a pointer's text leads through. KHR_animation2 of September 2021 wrote
    /// pointers without the first slash, and its draft calls the punctual lights `KHR_lights`.
    pub(super) fn named_in(self, text: &str) -> Option<Named> {
        let draft = (self == Self::PunctualLights).then_some("/extensions/KHR_lights/lights");
        std::iter::once(self.path()).chain(draft).find_map(|path| {
            let path = if text.starts_with('/') { path } else { &path[1..] };
            let rest = text.strip_prefix(path)?.strip_prefix('/')?;
            let token = rest.split('/').next().unwrap_or_default();
            let from = text.len() - rest.len();
            Some(Named { index: array_index(token)?, from, to: from + token.len() })
        })
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}
