//! Converts older forms of pointers to the current one.
//!
//! Three things are rewritten when reading: a missing first slash (KHR_animation2 of September 2021); the draft's
//! `KHR_lights`, where KHR_lights_punctual holds the lights; and `/meshes/{}/weights`, which the object model dropped
//! in favour of the nodes that instantiate the mesh.

use serde_json::Value;

use super::pointer::{Pointer, PointerError, array_index};

/// A pointer in the object model's current form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// The pointer; one for each node that instantiates the mesh, if it was about a mesh.
    pub pointers: Vec<Pointer>,
    /// The changes, in this order.
    pub rewritten: Vec<Alias>,
}

/// An older form of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Without a slash at the beginning.
    NoSlash,
    /// `KHR_lights` for KHR_lights_punctual.
    DraftLights,
    /// A mesh's weights for those of its nodes.
    MeshWeights,
}

/// Converts a pointer in any older form to the object model's current form.
///
/// ```
/// use keyfold::object_model::current;
/// use serde_json::json;
///
/// let document = json!({ "nodes": [{ "mesh": 1 }, { "mesh": 0 }, { "mesh": 1 }] });
/// let weights = current("meshes/1/weights", &document)?;
/// assert_eq!(weights.pointers, ["/nodes/0/weights".parse()?, "/nodes/2/weights".parse()?]);
/// # Ok::<(), keyfold::object_model::PointerError>(())
/// ```
pub fn current(text: &str, document: &Value) -> Result<Current, PointerError> {
    let mut rewritten = Vec::new();
    let slash = text.starts_with('/') || text.is_empty();
    let mut pointer = if slash { Pointer::parse(text)? } else { Pointer::parse(format!("/{text}"))? };
    if !slash {
        rewritten.push(Alias::NoSlash);
    }
    if let Some(punctual) = punctual_light(&pointer, document) {
        rewritten.push(Alias::DraftLights);
        pointer = punctual;
    }
    let pointers = match node_weights(&pointer, document) {
        Some(pointers) => {
            rewritten.push(Alias::MeshWeights);
            pointers
        }
        None => vec![pointer],
    };
    Ok(Current { pointers, rewritten })
}

/// The draft's name for a light, where the document has KHR_lights_punctual in its place.
fn punctual_light(pointer: &Pointer, document: &Value) -> Option<Pointer> {
    let rest = pointer.as_str().strip_prefix("/extensions/KHR_lights/lights/")?;
    let extensions = document.get("extensions")?;
    if extensions.get("KHR_lights").is_some() || extensions.get("KHR_lights_punctual")?.get("lights").is_none() {
        return None;
    }
    let (light, member) = rest.split_once('/')?;
    let spot = if matches!(member, "innerConeAngle" | "outerConeAngle") { "spot/" } else { "" };
    Pointer::parse(format!("/extensions/KHR_lights_punctual/lights/{light}/{spot}{member}")).ok()
}

/// The weights of every node that instantiates the mesh whose weights are addressed.
fn node_weights(pointer: &Pointer, document: &Value) -> Option<Vec<Pointer>> {
    let (mesh, rest) = pointer.as_str().strip_prefix("/meshes/")?.split_once('/')?;
    let mesh = array_index(mesh)?;
    let element = rest.strip_prefix("weights")?;
    if !element.is_empty() && array_index(element.strip_prefix('/')?).is_none() {
        return None;
    }
    let nodes = document.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let instances = nodes.iter().enumerate().filter(|(_, node)| {
        let index = node.get("mesh").and_then(Value::as_u64);
        index.is_some_and(|index| usize::try_from(index) == Ok(mesh))
    });
    instances.map(|(node, _)| Pointer::parse(format!("/nodes/{node}/weights{element}")).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str, document: &Value) -> (Vec<String>, Vec<Alias>) {
        let current = current(text, document).unwrap();
        (current.pointers.iter().map(Pointer::to_string).collect(), current.rewritten)
    }

    #[test]
    fn todays_pointers_stay() {
        for text in
            ["/nodes/0/weights/1", "/meshes/0/extras/weights", "/extensions/KHR_lights_punctual/lights/0/color", ""]
        {
            assert_eq!(read(text, &json!({})), (vec![text.to_owned()], vec![]));
        }
    }

    #[test]
    fn lights_are_rewritten_only_where_the_ratified_extension_holds_them() {
        let ratified = json!({ "extensions": { "KHR_lights_punctual": { "lights": [{}] } } });
        let draft = json!({ "extensions": { "KHR_lights": { "lights": [{}] } } });
        let color = "/extensions/KHR_lights/lights/0/color";
        let cone = "/extensions/KHR_lights/lights/0/outerConeAngle";
        let rewritten = |text: &str| read(text, &ratified).0[0].clone();
        assert_eq!(rewritten(color), "/extensions/KHR_lights_punctual/lights/0/color");
        assert_eq!(rewritten(cone), "/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle");
        assert_eq!(read(color, &ratified).1, [Alias::DraftLights]);
        assert_eq!(read(cone, &draft), (vec![cone.to_owned()], vec![]));
        assert_eq!(read(cone, &json!({})), (vec![cone.to_owned()], vec![]));
    }

    #[test]
    fn mesh_weights_go_to_the_nodes() {
        let document = json!({ "meshes": [{}, {}], "nodes": [{ "mesh": 0 }, {}, { "mesh": 0 }] });
        let expected = vec!["/nodes/0/weights/1".to_owned(), "/nodes/2/weights/1".to_owned()];
        assert_eq!(read("/meshes/0/weights/1", &document), (expected, vec![Alias::MeshWeights]));
        assert_eq!(read("/meshes/1/weights", &document), (vec![], vec![Alias::MeshWeights]));
        assert_eq!(read("/meshes/0/weights.length", &document).1, []);
    }

    #[test]
    fn a_slash_is_added_and_malformed_texts_are_refused() {
        assert_eq!(read("nodes/0/scale", &json!({})), (vec!["/nodes/0/scale".to_owned()], vec![Alias::NoSlash]));
        assert!(current("/nodes/~7", &json!({})).is_err());
    }
}
