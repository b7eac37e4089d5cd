//! VRMC_vrm_animation: motion that is made to be moved onto other skeletons. What it animates is core's; only this much concerns Keyfold.

use crate::Document;

const NAME: &str = "VRMC_vrm_animation";

/// Whether a document's motion is for skeletons whose rest pose is another one: there, a track that holds this file's rest pose says something.
pub(crate) fn is_for_others(document: &Document) -> bool {
    let objects = document.root().get("extensions");
    document.uses(NAME) || objects.is_some_and(|objects| objects.get(NAME).is_some())
}
