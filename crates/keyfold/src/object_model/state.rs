//! The state of a property in a document: whether it exists, whether it is defined, and its value.
//!
//! The rule is the object model's: a property is defined where it is written, or where it has a default and the object
//! that would hold it is there. Two more: a node's weights are defined by its mesh, and a node with a `matrix` has no
//! rotation and no scale, while its translation is the matrix's last column.

use serde_json::Value;

use super::pointer::{Pointer, array_index};
use super::registry::Match;
use super::row::{Initial, ValueType};

/// Where in a column-major 4x4 matrix the translation stands.
pub(super) const TRANSLATION: std::ops::Range<usize> = 12..15;

/// The state of a property in a document.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Written in the document, with this value; bools are 0 or 1.
    Explicit(Vec<f64>),
    /// Not written; this is its default.
    Default(Vec<f64>),
    /// Not written, and without a default; or meaningless here.
    Undefined,
    /// Read-only, and never written: it follows from the rest of the document.
    Derived,
    /// There is no such object; this is the first pointer on the way that leads nowhere.
    Missing(Pointer),
    /// The present value does not have the property's type.
    Malformed(Pointer),
}

impl State {
    /// The value, if the property is defined.
    pub fn value(&self) -> Option<&[f64]> {
        match self {
            Self::Explicit(value) | Self::Default(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the property may be animated, as far as the document goes.
    pub fn is_defined(&self) -> bool {
        self.value().is_some()
    }

    fn map(self, change: impl FnOnce(Vec<f64>) -> Option<Vec<f64>>) -> Self {
        match self {
            Self::Explicit(value) => change(value).map_or(Self::Undefined, Self::Explicit),
            Self::Default(value) => change(value).map_or(Self::Undefined, Self::Default),
            other => other,
        }
    }
}

impl Match<'_> {
    /// The state of the property, or of its component, in a document.
    ///
    /// ```
    /// use keyfold::object_model::{Pointer, Registry, State};
    /// use serde_json::json;
    ///
    /// let document = json!({ "nodes": [{ "translation": [1, 2, 3] }], "cameras": [{ "perspective": { "yfov": 1 } }] });
    /// let state = |text: &str| Registry::standard().find(&text.parse().unwrap()).unwrap().state(&document);
    /// assert_eq!(state("/nodes/0/translation"), State::Explicit(vec![1.0, 2.0, 3.0]));
    /// assert_eq!(state("/nodes/0/scale"), State::Default(vec![1.0, 1.0, 1.0]));
    /// assert_eq!(state("/cameras/0/perspective/zfar"), State::Undefined);
    /// assert_eq!(state("/nodes/1/scale"), State::Missing("/nodes/1".parse()?));
    /// # Ok::<(), keyfold::object_model::PointerError>(())
    /// ```
    pub fn state(&self, document: &Value) -> State {
        let whole = match self.row.initial {
            Initial::Weights => self.weights(document),
            _ => match self.matrix(document) {
                Some(matrix) => self.of_matrix(matrix),
                None => self.member(document),
            },
        };
        match self.component {
            Some(component) => whole.map(|value| value.get(component).map(|&one| vec![one])),
            None => whole,
        }
    }

    /// The number of components of a value in a document; `None` for an array that is not there, or for weights
    /// without morph targets.
    pub fn width(&self, document: &Value) -> Option<usize> {
        if self.component.is_some() {
            return Some(1);
        }
        self.row.value_type.width().or_else(|| match self.row.initial {
            Initial::Weights => morph_targets(mesh_of(self.weights_owner().0.resolve(document)?, document)?),
            _ => self.state(document).value().map(<[f64]>::len),
        })
    }

    /// A plain member of an object, or an element of an array.
    fn member(&self, document: &Value) -> State {
        if let Some(value) = self.property.resolve(document) {
            let typed = typed_numbers(value, self.row.value_type);
            return typed.map_or_else(|| State::Malformed(self.property.clone()), State::Explicit);
        }
        let parent = self.property.parent().unwrap_or_default();
        match (parent.resolve(document), &self.row.initial) {
            (None, _) => State::Missing(first_missing(&parent, document)),
            (Some(Value::Object(_)), Initial::Value(value)) => State::Default(value.to_vec()),
            (Some(Value::Object(_)), Initial::Derived) => State::Derived,
            (Some(Value::Object(_)), _) => State::Undefined,
            (Some(Value::Array(_)), _) => State::Missing(self.property.clone()),
            (Some(_), _) => State::Malformed(parent),
        }
    }

    /// The `matrix` that stands in for a node's translation, rotation and scale.
    pub(crate) fn matrix<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        let transform =
            matches!(&*self.row.template, "/nodes/{}/translation" | "/nodes/{}/rotation" | "/nodes/{}/scale");
        if transform { self.property.parent()?.resolve(document)?.get("matrix") } else { None }
    }

    fn of_matrix(&self, matrix: &Value) -> State {
        if !self.property.as_str().ends_with("/translation") {
            return State::Undefined;
        }
        match numbers(matrix).and_then(|numbers| Some(numbers.get(TRANSLATION)?.to_vec())) {
            Some(translation) => State::Explicit(translation),
            None => State::Malformed(self.property.parent().unwrap_or_default().join("matrix")),
        }
    }

    /// All weights of a node or a mesh, or one of them.
    fn weights(&self, document: &Value) -> State {
        let (owner, element) = self.weights_owner();
        let all = weights_of(&owner, document);
        let Some(element) = element else {
            return all;
        };
        if all.value().is_some_and(|weights| element >= weights.len()) {
            return State::Missing(self.property.clone());
        }
        all.map(|weights| weights.get(element).map(|&one| vec![one]))
    }

    /// The node or mesh whose weights are addressed, and which one of them.
    pub(super) fn weights_owner(&self) -> (Pointer, Option<usize>) {
        let mut owner = self.property.clone();
        let element = if self.row.template.ends_with("/{}") { owner.pop() } else { None };
        owner.pop();
        (owner, element.and_then(|token| token.parse().ok()))
    }
}

/// All weights of a node or a mesh: its own, else those of its mesh, else zeros.
pub(super) fn weights_of(owner: &Pointer, document: &Value) -> State {
    let Some(object) = owner.resolve(document) else {
        return State::Missing(first_missing(owner, document));
    };
    let Some((mesh, targets)) = mesh_of(object, document).and_then(|mesh| Some((mesh, morph_targets(mesh)?))) else {
        return State::Undefined;
    };
    let fitting = |holder: &Value| numbers(holder.get("weights")?).filter(|weights| weights.len() == targets);
    match fitting(object) {
        Some(weights) => State::Explicit(weights),
        None if object.get("weights").is_some() => State::Malformed(owner.join("weights")),
        None => State::Default(fitting(mesh).unwrap_or_else(|| vec![0.0; targets])),
    }
}

/// The mesh that a node instantiates; a mesh is its own.
fn mesh_of<'a>(object: &'a Value, document: &'a Value) -> Option<&'a Value> {
    if object.get("primitives").is_some() {
        return Some(object);
    }
    let index = usize::try_from(object.get("mesh")?.as_u64()?).ok()?;
    document.get("meshes")?.get(index)
}

fn morph_targets(mesh: &Value) -> Option<usize> {
    let primitives = mesh.get("primitives")?.as_array()?;
    let targets = primitives.iter().find_map(|primitive| primitive.get("targets")?.as_array())?;
    (!targets.is_empty()).then_some(targets.len())
}

/// The number of morph targets of a node; `None` without a mesh that has targets.
pub fn weight_count(document: &Value, node: usize) -> Option<usize> {
    morph_targets(mesh_of(document.get("nodes")?.get(node)?, document)?)
}

/// The numbers of a value that is of a type.
fn typed_numbers(value: &Value, value_type: ValueType) -> Option<Vec<f64>> {
    let shaped = match value_type {
        ValueType::Bool => value.is_boolean(),
        ValueType::Int | ValueType::Float => value.is_number(),
        _ => value.is_array(),
    };
    let fits = |numbers: &Vec<f64>| value_type.width().is_none_or(|width| width == numbers.len());
    numbers(value).filter(fits).filter(|_| shaped)
}

/// A number, a bool, or an array of numbers, as numbers.
fn numbers(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Bool(truth) => Some(vec![f64::from(u8::from(*truth))]),
        Value::Number(number) => number.as_f64().map(|number| vec![number]),
        Value::Array(elements) => elements.iter().map(Value::as_f64).collect(),
        _ => None,
    }
}

/// The first step of a pointer that leads nowhere.
pub(super) fn first_missing(pointer: &Pointer, document: &Value) -> Pointer {
    let mut at = Pointer::root();
    let mut value = Some(document);
    let mut tokens = pointer.tokens();
    while let (Some(here), Some(token)) = (value, tokens.next()) {
        at.push(&token);
        value = step(here, &token);
    }
    at
}

fn step<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(token),
        Value::Array(elements) => elements.get(array_index(token)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::registry::Registry;
    use super::*;

    fn state(document: &Value, text: &str) -> State {
        Registry::standard().find(&text.parse().unwrap()).unwrap_or_else(|| panic!("{text}")).state(document)
    }

    fn missing(text: &str) -> State {
        State::Missing(text.parse().unwrap())
    }

    fn morphs() -> Value {
        json!({
            "meshes": [
                { "primitives": [{ "targets": [{}, {}, {}] }], "weights": [0.1, 0.2, 0.3] },
                { "primitives": [{ "targets": [{}, {}] }] },
                { "primitives": [{}] }
            ],
            "nodes": [{ "mesh": 0 }, { "mesh": 0, "weights": [1, 0, 0.5] }, { "mesh": 1 }, { "mesh": 2 }, {}, { "mesh": 9 }]
        })
    }

    #[test]
    fn a_default_needs_the_object_that_would_hold_it() {
        let document = json!({ "materials": [
            { "pbrMetallicRoughness": {}, "normalTexture": { "index": 0, "extensions": { "KHR_texture_transform": {} } } },
            { "normalTexture": { "index": 0 } }
        ] });
        let factor = "pbrMetallicRoughness/baseColorFactor";
        assert_eq!(state(&document, &format!("/materials/0/{factor}")), State::Default(vec![1.0; 4]));
        assert_eq!(state(&document, &format!("/materials/1/{factor}")), missing("/materials/1/pbrMetallicRoughness"));
        assert_eq!(state(&document, &format!("/materials/2/{factor}")), missing("/materials/2"));
        let transform = "normalTexture/extensions/KHR_texture_transform/scale";
        assert_eq!(state(&document, &format!("/materials/0/{transform}")), State::Default(vec![1.0; 2]));
        assert_eq!(
            state(&document, &format!("/materials/1/{transform}")),
            missing("/materials/1/normalTexture/extensions")
        );
    }

    #[test]
    fn bools_and_components() {
        let document = json!({ "nodes": [{
            "scale": [1, 2, 3],
            "extensions": { "KHR_node_visibility": { "visible": false }, "KHR_node_selectability": {} }
        }] });
        let extension = "/nodes/0/extensions";
        assert_eq!(state(&document, &format!("{extension}/KHR_node_visibility/visible")), State::Explicit(vec![0.0]));
        assert_eq!(
            state(&document, &format!("{extension}/KHR_node_selectability/selectable")),
            State::Default(vec![1.0])
        );
        assert_eq!(state(&document, "/nodes/0/scale/2"), State::Explicit(vec![3.0]));
        assert_eq!(state(&document, "/nodes/0/rotation/3"), State::Default(vec![1.0]));
    }

    #[test]
    fn a_matrix_replaces_rotation_and_scale_and_holds_the_translation() {
        let document = json!({ "nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 7,8,9,1] }, { "matrix": [1, 2] }] });
        assert_eq!(state(&document, "/nodes/0/rotation"), State::Undefined);
        assert_eq!(state(&document, "/nodes/0/scale"), State::Undefined);
        assert_eq!(state(&document, "/nodes/0/translation"), State::Explicit(vec![7.0, 8.0, 9.0]));
        assert_eq!(state(&document, "/nodes/0/translation/2"), State::Explicit(vec![9.0]));
        assert_eq!(state(&document, "/nodes/1/translation"), State::Malformed("/nodes/1/matrix".parse().unwrap()));
    }

    #[test]
    fn weights_come_from_the_node_else_from_its_mesh_else_are_zero() {
        let document = morphs();
        assert_eq!(state(&document, "/nodes/0/weights"), State::Default(vec![0.1, 0.2, 0.3]));
        assert_eq!(state(&document, "/nodes/1/weights"), State::Explicit(vec![1.0, 0.0, 0.5]));
        assert_eq!(state(&document, "/nodes/2/weights"), State::Default(vec![0.0, 0.0]));
        assert_eq!(state(&document, "/nodes/0/weights/1"), State::Default(vec![0.2]));
        assert_eq!(state(&document, "/nodes/1/weights/2"), State::Explicit(vec![0.5]));
        assert_eq!(state(&document, "/nodes/2/weights/2"), missing("/nodes/2/weights/2"));
        for node in [3, 4, 5] {
            assert_eq!(state(&document, &format!("/nodes/{node}/weights")), State::Undefined);
            assert_eq!(weight_count(&document, node), None);
        }
        assert_eq!(state(&document, "/nodes/6/weights"), missing("/nodes/6"));
        assert_eq!(state(&document, "/meshes/0/weights"), State::Explicit(vec![0.1, 0.2, 0.3]));
        assert_eq!(state(&document, "/meshes/1/weights/0"), State::Default(vec![0.0]));
        assert_eq!(weight_count(&document, 1), Some(3));
    }

    #[test]
    fn widths() {
        let document = morphs();
        let width = |text: &str| Registry::standard().find(&text.parse().unwrap()).unwrap().width(&document);
        assert_eq!(width("/nodes/0/weights"), Some(3));
        assert_eq!(width("/nodes/0/weights/0"), Some(1));
        assert_eq!(width("/nodes/4/weights"), None);
        assert_eq!(width("/nodes/0/rotation"), Some(4));
        assert_eq!(width("/nodes/0/rotation/0"), Some(1));
    }

    #[test]
    fn what_is_not_of_the_type_is_malformed() {
        let document = json!({
            "nodes": [{ "translation": [1, 2], "scale": "x", "rotation": null }],
            "materials": [{ "alphaCutoff": true, "doubleSided": 1, "normalTexture": { "scale": [1] } }], "cameras": [7]
        });
        let material = ["/materials/0/alphaCutoff", "/materials/0/doubleSided", "/materials/0/normalTexture/scale"];
        for text in ["/nodes/0/translation", "/nodes/0/scale", "/nodes/0/rotation"].into_iter().chain(material) {
            assert_eq!(state(&document, text), State::Malformed(text.parse().unwrap()));
        }
        let camera = state(&document, "/cameras/0/perspective/yfov");
        assert_eq!(camera, missing("/cameras/0/perspective"));
    }

    #[test]
    fn read_only_properties() {
        let document = json!({ "scene": 0, "nodes": [{ "children": [1] }, {}], "skins": [{}] });
        assert_eq!(state(&document, "/scene"), State::Explicit(vec![0.0]));
        assert_eq!(state(&document, "/nodes/0/children/0"), State::Explicit(vec![1.0]));
        assert_eq!(state(&document, "/nodes/0/children/1"), missing("/nodes/0/children/1"));
        assert_eq!(state(&document, "/nodes.length"), State::Derived);
        assert_eq!(state(&document, "/nodes/1/parent"), State::Derived);
        assert_eq!(state(&document, "/nodes/5/globalMatrix"), missing("/nodes/5"));
        assert_eq!(state(&document, "/skins/0/skeleton"), State::Undefined);
    }
}
