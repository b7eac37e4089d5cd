//! Writes a property's value into a document in place.
//!
//! Nothing else in the document changes: members keep their order, and a number that already is the value keeps its
//! spelling. A missing member is made where the object that holds it is there; objects are never made.

use serde_json::{Number, Value};

use super::pointer::Pointer;
use super::registry::Match;
use super::row::{Initial, ValueType};
use super::state::{State, TRANSLATION, first_missing, weights_of};

/// Why a value could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The property is immutable.
    #[error("{0} is read-only")]
    ReadOnly(Pointer),
    /// There is no such object.
    #[error("{0} does not exist")]
    Missing(Pointer),
    /// The property has no meaning here, like the rotation of a node with a matrix.
    #[error("{0} is not defined here")]
    Undefined(Pointer),
    /// The present value does not have the property's type.
    #[error("{0} is not of its type")]
    Malformed(Pointer),
    /// The wrong number of components.
    #[error("{at} takes {expected} numbers, not {given}")]
    Count {
        /// The property.
        at: Pointer,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// JSON has no infinity and no NaN.
    #[error("the value for {0} is not finite")]
    NotFinite(Pointer),
}

impl Match<'_> {
    /// Sets the property, or its component, to a value; bools are 0 or not 0.
    ///
    /// ```
    /// use keyfold::object_model::Registry;
    /// use serde_json::json;
    ///
    /// let mut document = json!({ "nodes": [{ "name": "a" }] });
    /// let height = Registry::standard().find(&"/nodes/0/translation/1".parse()?).unwrap();
    /// height.set(&mut document, &[2.5]).unwrap();
    /// assert_eq!(document["nodes"][0], json!({ "name": "a", "translation": [0.0, 2.5, 0.0] }));
    /// # Ok::<(), keyfold::object_model::PointerError>(())
    /// ```
    pub fn set(&self, document: &mut Value, value: &[f64]) -> Result<(), SetError> {
        if !self.row.mutable {
            return Err(SetError::ReadOnly(self.property.clone()));
        }
        let expected = self.width(document).unwrap_or(value.len());
        if value.len() != expected {
            return Err(SetError::Count { at: self.property.clone(), expected, given: value.len() });
        }
        if value.iter().any(|component| !component.is_finite()) {
            return Err(SetError::NotFinite(self.property.clone()));
        }
        if self.row.initial == Initial::Weights {
            return self.set_weights(document, value);
        }
        if self.matrix(document).is_some() {
            return self.set_in_matrix(document, value);
        }
        let at = &self.property;
        let Some(component) = self.component else {
            return write(document, at, self.shape(), value);
        };
        let mut whole = known(self.whole().state(document), &self.property)?;
        whole[component] = value[0];
        write(document, at, Shape::Array, &whole)
    }

    fn shape(&self) -> Shape {
        match self.row.value_type {
            ValueType::Bool => Shape::Bool,
            ValueType::Int => Shape::Integer,
            ValueType::Float => Shape::Number,
            _ => Shape::Array,
        }
    }

    /// The same property without a component.
    fn whole(&self) -> Self {
        Self { component: None, ..self.clone() }
    }

    fn set_weights(&self, document: &mut Value, value: &[f64]) -> Result<(), SetError> {
        let (owner, element) = self.weights_owner();
        let at = owner.join("weights");
        match (element, weights_of(&owner, document)) {
            (None, State::Malformed(_)) => write(document, &at, Shape::Array, value),
            (None, state) => known(state, &at).and_then(|_| write(document, &at, Shape::Array, value)),
            (Some(element), state) => {
                let mut all = known(state, &at)?;
                *all.get_mut(element).ok_or_else(|| SetError::Missing(self.property.clone()))? = value[0];
                write(document, &at, Shape::Array, &all)
            }
        }
    }

    fn set_in_matrix(&self, document: &mut Value, value: &[f64]) -> Result<(), SetError> {
        let mut translation = known(self.whole().state(document), &self.property)?;
        match self.component {
            Some(component) => translation[component] = value[0],
            None => translation.copy_from_slice(value),
        }
        let matrix = self.property.parent().unwrap_or_default().join("matrix");
        for (element, component) in TRANSLATION.zip(translation) {
            write(document, &matrix.at(element), Shape::Number, &[component])?;
        }
        Ok(())
    }
}

/// The value of a property now, or why there is none to change a part of.
fn known(state: State, at: &Pointer) -> Result<Vec<f64>, SetError> {
    match state {
        State::Explicit(value) | State::Default(value) => Ok(value),
        State::Missing(at) => Err(SetError::Missing(at)),
        State::Malformed(at) => Err(SetError::Malformed(at)),
        State::Undefined | State::Derived => Err(SetError::Undefined(at.clone())),
    }
}

/// Sets what an `extras` target addresses, in its present shape. Without a present value, one number becomes a
/// number, several become an array.
pub fn set_extras(document: &mut Value, pointer: &Pointer, value: &[f64]) -> Result<(), SetError> {
    let shape = match pointer.resolve(document) {
        Some(Value::Bool(_)) if value.len() == 1 => Shape::Bool,
        Some(Value::Array(_)) => Shape::Array,
        _ if value.len() == 1 => Shape::Number,
        _ => Shape::Array,
    };
    write(document, pointer, shape, value)
}

#[derive(Clone, Copy)]
enum Shape {
    Bool,
    Integer,
    Number,
    Array,
}

/// Writes the value as the member or element that the pointer names.
fn write(document: &mut Value, at: &Pointer, shape: Shape, value: &[f64]) -> Result<(), SetError> {
    let old = at.resolve(document);
    let new = json(shape, value, old).ok_or_else(|| SetError::NotFinite(at.clone()))?;
    if let Some(place) = at.resolve_mut(document) {
        *place = new;
        return Ok(());
    }
    let mut parent = at.clone();
    let name = parent.pop().unwrap_or_default();
    match parent.resolve_mut(document) {
        Some(Value::Object(members)) => {
            members.insert(name, new);
            Ok(())
        }
        Some(_) => Err(SetError::Missing(at.clone())),
        None => Err(SetError::Missing(first_missing(&parent, document))),
    }
}

fn json(shape: Shape, value: &[f64], old: Option<&Value>) -> Option<Value> {
    match shape {
        Shape::Bool => Some(Value::Bool(value.first()? != &0.0)),
        Shape::Integer => value.first().filter(|value| value.is_finite()).map(|&value| Value::from(value as i64)),
        Shape::Number => number(*value.first()?, old),
        Shape::Array => {
            let elements = value.iter().enumerate();
            elements.map(|(index, &component)| number(component, old.and_then(|old| old.get(index)))).collect()
        }
    }
}

/// A number as JSON: the old one where it is the same in single precision, and the shortest text for a value that is an
/// `f32`, since most have been.
fn number(value: f64, old: Option<&Value>) -> Option<Value> {
    let single = f64::from(value as f32) == value;
    let same = |old: f64| old == value || (single && old as f32 == value as f32);
    if let Some(old) = old.filter(|old| old.as_f64().is_some_and(same)) {
        return Some(old.clone());
    }
    let shortest = if single { (value as f32).to_string().parse().ok()? } else { value };
    Number::from_f64(shortest).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::registry::Registry;
    use super::super::row::Row;
    use super::*;

    fn set(document: &mut Value, text: &str, value: &[f64]) -> Result<(), SetError> {
        let found = Registry::standard().find(&text.parse().unwrap()).unwrap();
        found.set(document, value)?;
        let single = |numbers: &[f64]| numbers.iter().map(|&number| number as f32).collect::<Vec<_>>();
        assert_eq!(found.state(document).value().map(single), Some(single(value)), "{text} reads back");
        Ok(())
    }

    #[test]
    fn every_mutable_row_can_be_set_and_read_back() {
        let mut document = json!({
            "nodes": [{ "mesh": 0, "extensions": {
                "EXT_lights_ies": {}, "KHR_node_visibility": {}, "KHR_node_hoverability": {}, "KHR_node_selectability": {},
                "AVR_lights_static": {}
            } }],
            "meshes": [{ "primitives": [{ "targets": [{}, {}] }] }],
            "cameras": [{ "perspective": {}, "orthographic": {} }],
            "materials": [{
                "pbrMetallicRoughness": {}, "occlusionTexture": {},
                "normalTexture": { "extensions": { "KHR_texture_transform": {} } }, "extensions": {}
            }],
            "extensions": {
                "KHR_lights_punctual": { "lights": [{ "spot": {} }] }, "KHR_lights": { "lights": [{}] },
                "EXT_lights_image_based": { "lights": [{}] }
            }
        });
        let rows: Vec<_> = Registry::standard().rows().iter().filter(|row| row.mutable).collect();
        for row in &rows {
            let text = row.template.replace("{}", "0").replace("/**/*Texture", "/normalTexture");
            make_extension(&mut document, &text);
            let found = Registry::standard().find(&text.parse().unwrap()).unwrap();
            let value: Vec<f64> = (1..=found.width(&document).unwrap()).map(|index| index as f64).collect();
            set(&mut document, &text, &value).unwrap_or_else(|error| panic!("{error}"));
        }
        assert_eq!(rows.len(), 70, "mutable rows, texture transforms counted once");
    }

    /// Material extensions are many: makes the object that holds a property.
    fn make_extension(document: &mut Value, text: &str) {
        if text.starts_with("/materials/0/extensions/") {
            let tokens: Vec<_> = text.split('/').collect();
            let inner = if tokens.len() > 6 { json!({ tokens[5]: {} }) } else { json!({}) };
            let extensions = document["materials"][0]["extensions"].as_object_mut().unwrap();
            extensions
                .entry(tokens[4])
                .or_insert(json!({}))
                .as_object_mut()
                .unwrap()
                .extend(inner.as_object().unwrap().clone());
        }
    }

    #[test]
    fn order_and_spelling_survive() {
        let text = r#"{"nodes":[{"translation":[0.10000000149,2,3.50],"name":"n","mesh":0}]}"#;
        let mut document: Value = serde_json::from_str(text).unwrap();
        set(&mut document, "/nodes/0/translation", &[f64::from(0.1_f32), 2.0, f64::from(0.3_f32)]).unwrap();
        assert_eq!(document.to_string(), r#"{"nodes":[{"translation":[0.10000000149,2,0.3],"name":"n","mesh":0}]}"#);
        set(&mut document, "/nodes/0/scale/2", &[4.0]).unwrap();
        let end = r#""name":"n","mesh":0,"scale":[1.0,1.0,4.0]}]}"#;
        assert!(document.to_string().ends_with(end), "{document}");
    }

    #[test]
    fn a_translation_beside_a_matrix_is_set_in_it() {
        let mut document = json!({ "nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 7,8,9,1] }] });
        set(&mut document, "/nodes/0/translation", &[1.5, 8.0, -1.0]).unwrap();
        set(&mut document, "/nodes/0/translation/1", &[0.25]).unwrap();
        let expected = r#"{"nodes":[{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,1.5,0.25,-1.0,1]}]}"#;
        assert_eq!(document.to_string(), expected);
        let at = "/nodes/0/scale".parse().unwrap();
        assert_eq!(set(&mut document, "/nodes/0/scale", &[1.0; 3]), Err(SetError::Undefined(at)));
    }

    #[test]
    fn one_weight_brings_the_others_along() {
        let mut document = json!({
            "meshes": [{ "primitives": [{ "targets": [{}, {}, {}] }], "weights": [0.5, 0, 0.25] }],
            "nodes": [{ "mesh": 0 }, { "mesh": 0, "weights": [1] }, {}]
        });
        set(&mut document, "/nodes/0/weights/1", &[1.0]).unwrap();
        assert_eq!(document["nodes"][0]["weights"], json!([0.5, 1.0, 0.25]));
        set(&mut document, "/nodes/1/weights", &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(document["nodes"][1]["weights"], json!([1, 2.0, 3.0]));
        assert!(matches!(set(&mut document, "/nodes/0/weights", &[1.0]), Err(SetError::Count { expected: 3, .. })));
        assert!(matches!(set(&mut document, "/nodes/2/weights", &[]), Err(SetError::Undefined(_))));
        assert!(matches!(set(&mut document, "/nodes/0/weights/3", &[1.0]), Err(SetError::Missing(_))));
    }

    #[test]
    fn objects_are_never_made() {
        let mut document = json!({ "materials": [{}] });
        let error = set(&mut document, "/materials/0/pbrMetallicRoughness/metallicFactor", &[0.5]).unwrap_err();
        assert_eq!(error.to_string(), "/materials/0/pbrMetallicRoughness does not exist");
        assert!(matches!(set(&mut document, "/materials/0/doubleSided", &[1.0]), Err(SetError::ReadOnly(_))));
        assert!(matches!(set(&mut document, "/materials/0/alphaCutoff", &[f64::NAN]), Err(SetError::NotFinite(_))));
        assert_eq!(document, json!({ "materials": [{}] }));
    }

    #[test]
    fn own_rows_with_integers_and_arrays() {
        let rows =
            [Row::new("/extensions/A/count", ValueType::Int), Row::new("/extensions/A/list", ValueType::FloatArray)];
        let registry = Registry::standard().with(rows);
        let mut document = json!({ "extensions": { "A": { "list": [1, 2, 3, 4, 5] } } });
        let find = |text: &str| registry.find(&text.parse().unwrap()).unwrap();
        assert_eq!(find("/extensions/A/list").width(&document), Some(5));
        find("/extensions/A/list").set(&mut document, &[1.0, 2.0, 3.0, 4.0, 0.5]).unwrap();
        assert!(find("/extensions/A/list").set(&mut document, &[1.0]).is_err());
        find("/extensions/A/count").set(&mut document, &[7.0]).unwrap();
        assert_eq!(document.to_string(), r#"{"extensions":{"A":{"list":[1,2,3,4,0.5],"count":7}}}"#);
    }

    #[test]
    fn extras_keep_their_shape() {
        let mut document = json!({ "nodes": [{ "extras": { "on": true, "one": [1], "n": 2 } }] });
        let mut set = |name: &str, value: &[f64]| {
            let pointer: Pointer = ["nodes", "0", "extras", name].into_iter().collect();
            set_extras(&mut document, &pointer, value).map(|()| pointer.resolve(&document).cloned().unwrap())
        };
        assert_eq!(set("on", &[0.0]), Ok(json!(false)));
        assert_eq!(set("one", &[5.0]), Ok(json!([5.0])));
        assert_eq!(set("n", &[5.0]), Ok(json!(5.0)));
        assert_eq!(set("a/b~", &[1.0, 2.0]), Ok(json!([1.0, 2.0])));
        assert!(set_extras(&mut json!({}), &"/nodes/0/extras/x".parse().unwrap(), &[1.0]).is_err());
    }
}
