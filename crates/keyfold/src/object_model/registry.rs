//! The registry: finds the row that describes what a pointer addresses.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::pointer::{Pointer, array_index};
use super::row::Row;
use super::rows;
use super::valid::Valid;

/// The properties that can be addressed in a document, and what is known about them.
///
/// ```
/// use keyfold::object_model::{Pointer, Registry, ValueType};
///
/// let pointer = Pointer::parse("/materials/2/pbrMetallicRoughness/baseColorFactor")?;
/// let found = Registry::standard().find(&pointer).expect("a property of the object model");
/// assert_eq!(found.row.value_type, ValueType::Float4);
/// assert!(found.row.mutable && !found.row.quaternion);
/// assert_eq!(found.indices(), [2]);
/// # Ok::<(), keyfold::object_model::PointerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    rows: Vec<Row>,
    /// Rows by their template, where it has no wildcards.
    exact: HashMap<String, usize>,
    /// The others, tried one after the other.
    rules: Vec<usize>,
}

/// A pointer and its row in the registry.
#[derive(Clone, Debug, PartialEq)]
pub struct Match<'r> {
    /// The row that describes it.
    pub row: &'r Row,
    /// The pointer to the whole property.
    pub property: Pointer,
    /// The one component of a vector that is addressed, as only the KHR_animation2 draft allows.
    pub component: Option<usize>,
}

impl Registry {
    /// The object model of glTF 2.0 with its extensions, and the rows of the KHR_animation2 draft.
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<Registry> = LazyLock::new(|| Registry::of(rows::standard()));
        &STANDARD
    }

    fn of(rows: Vec<Row>) -> Self {
        let mut registry = Self { rows: Vec::new(), exact: HashMap::new(), rules: Vec::new() };
        rows.into_iter().for_each(|row| registry.add(row));
        registry
    }

    fn add(&mut self, row: Row) {
        let place = self.rows.len();
        if row.template.contains('*') {
            self.rules.push(place);
        } else {
            self.exact.insert(row.template.clone().into_owned(), place);
        }
        self.rows.push(row);
    }

    /// The same registry with more rows. A row replaces an earlier one with the same template.
    pub fn with(&self, rows: impl IntoIterator<Item = Row>) -> Self {
        let added: Vec<Row> = rows.into_iter().collect();
        let kept = self.rows.iter().filter(|row| added.iter().all(|new| new.template != row.template));
        Self::of(kept.cloned().chain(added.iter().cloned()).collect())
    }

    /// All rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row for a pointer; `None` if it addresses no known property. A pointer with one more index, into a vector,
    /// addresses a component of it.
    pub fn find(&self, pointer: &Pointer) -> Option<Match<'_>> {
        if let Some(row) = self.row(pointer) {
            return Some(Match { row, property: pointer.clone(), component: None });
        }
        let mut property = pointer.clone();
        let component = array_index(&property.pop()?)?;
        let row = self.row(&property)?;
        let in_vector = row.value_type.width().is_some_and(|width| (2..=4).contains(&width) && component < width);
        in_vector.then_some(Match { row, property, component: Some(component) })
    }

    fn row(&self, pointer: &Pointer) -> Option<&Row> {
        let exact = self.exact.get(&template_of(pointer.as_str())).copied();
        let rule = || self.rules.iter().copied().find(|&rule| fits(&self.rows[rule].template, pointer.as_str()));
        exact.or_else(rule).map(|place| &self.rows[place])
    }
}

impl Match<'_> {
    /// The allowed values of the property or component: a single component of a quaternion has no unit length.
    pub fn valid(&self) -> Valid {
        if self.component.is_some() && self.row.quaternion { Valid::Any } else { self.row.valid }
    }

    /// The array indices on the way to the property.
    pub fn indices(&self) -> Vec<usize> {
        self.property.tokens().filter_map(|token| array_index(&token)).collect()
    }
}

/// Whether a pointer leads into `extras`, whose values have the type that the application gives them.
pub fn is_extras(pointer: &Pointer) -> bool {
    pointer.tokens().any(|token| token == "extras")
}

/// The pointer's text with `{}` for each array index.
fn template_of(pointer: &str) -> String {
    let mut template = String::with_capacity(pointer.len() + 8);
    for token in pointer.split('/').skip(1) {
        template.push('/');
        template.push_str(if array_index(token).is_some() { "{}" } else { token });
    }
    template
}

/// Whether a pointer, or what is left of it, fits a template with wildcards, or what is left of that. Recurses as deep
/// as the template, which is ours, not as the pointer, which is the file's.
fn fits(template: &str, pointer: &str) -> bool {
    let Some((token, template_rest)) = split_first(template) else {
        return pointer.is_empty();
    };
    if token == "**" {
        return tails(pointer).any(|tail| fits(template_rest, tail));
    }
    let Some((step, rest)) = split_first(pointer) else {
        return false;
    };
    let named = match token.strip_prefix('*') {
        Some(suffix) => step.ends_with(suffix),
        None if token == "{}" => array_index(step).is_some(),
        None => token == step,
    };
    named && fits(template_rest, rest)
}

/// What is left of a pointer after none, one, two and more steps; never past `extras`.
fn tails(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |&tail| match split_first(tail) {
        Some((step, rest)) if step != "extras" => Some(rest),
        _ => None,
    })
}

/// The first token of a pointer's text, and the text after it.
fn split_first(pointer: &str) -> Option<(&str, &str)> {
    let inner = pointer.strip_prefix('/')?;
    Some(inner.split_at(inner.find('/').unwrap_or(inner.len())))
}

#[cfg(test)]
mod tests {
    use super::super::row::{Initial, Status, ValueType};
    use super::*;

    fn find(text: &str) -> Option<Match<'static>> {
        Registry::standard().find(&Pointer::parse(text).unwrap())
    }

    /// A pointer that falls under the row.
    fn instance(row: &Row) -> String {
        row.template.replace("{}", "3").replace("/**/*Texture", "/extensions/ACME_paint/glitterTexture")
    }

    #[test]
    fn every_row_is_found_by_its_own_pointers() {
        for row in Registry::standard().rows() {
            let found = find(&instance(row)).unwrap_or_else(|| panic!("{}", row.template));
            assert_eq!(found.row.template, row.template);
            assert_eq!(found.component, None);
        }
    }

    #[test]
    fn texture_transforms_are_found_in_every_slot() {
        for slot in [
            "normalTexture",
            "pbrMetallicRoughness/metallicRoughnessTexture",
            "extensions/KHR_materials_clearcoat/clearcoatNormalTexture",
            "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture",
        ] {
            let pointer = format!("/materials/10/{slot}/extensions/KHR_texture_transform/offset");
            let found = find(&pointer).unwrap_or_else(|| panic!("{pointer}"));
            assert_eq!((found.row.value_type, found.indices()), (ValueType::Float2, vec![10]));
        }
        assert!(find("/materials/0/extensions/KHR_texture_transform/offset").is_none());
        assert!(find("/materials/0/normalTexture/extensions/KHR_texture_transform/texCoord").is_none());
        assert!(find("/nodes/0/fooTexture/extensions/KHR_texture_transform/offset").is_none());
        assert!(find("/materials/0/extras/aTexture/extensions/KHR_texture_transform/offset").is_none());
    }

    #[test]
    fn a_pointer_may_be_very_long() {
        let long = format!("/materials/0{}/aTexture/extensions/KHR_texture_transform/scale", "/x".repeat(100_000));
        assert!(find(&long).is_some());
        assert!(find(&format!("{long}/no")).is_none());
    }

    #[test]
    fn what_is_no_property_is_not_found() {
        for wrong in ["", "/", "/nodes/0", "/nodes/01/scale", "/nodes/x/scale", "/nodes/0/scale/", "/nodes/0/extras/a"]
        {
            assert!(find(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn components_of_vectors_are_found_and_weights_are_properties_of_their_own() {
        let found = find("/nodes/4/translation/1").unwrap();
        assert_eq!((found.component, found.property.as_str()), (Some(1), "/nodes/4/translation"));
        assert!(find("/nodes/4/translation/3").is_none());
        assert!(find("/nodes/4/rotation/3").is_some_and(|found| found.component == Some(3)));
        assert!(find("/materials/0/alphaCutoff/0").is_none());
        let weight = find("/nodes/4/weights/7").unwrap();
        assert_eq!((weight.component, weight.row.value_type), (None, ValueType::Float));
        assert_eq!(weight.indices(), [4, 7]);
    }

    #[test]
    fn extras_are_known_by_their_name_at_any_depth() {
        let extras = |text: &str| is_extras(&Pointer::parse(text).unwrap());
        assert!(extras("/nodes/0/extras/a~1b"));
        assert!(extras("/extras"));
        assert!(!extras("/nodes/0/extrasish"));
    }

    #[test]
    fn own_rows_are_added_and_replace() {
        let own = Registry::standard().with([
            Row::new("/nodes/{}/extensions/ACME/x", ValueType::Int),
            Row::new("/nodes/{}/scale", ValueType::Float3).valid(Valid::above(0.0)),
        ]);
        assert_eq!(own.rows().len(), Registry::standard().rows().len() + 1);
        let find = |text: &str| own.find(&Pointer::parse(text).unwrap()).unwrap().row.clone();
        assert_eq!(find("/nodes/0/extensions/ACME/x").status, Status::User);
        assert_eq!(find("/nodes/0/scale").valid, Valid::above(0.0));
        assert_eq!(find("/nodes/0/rotation").status, Status::Ratified);
    }

    #[test]
    fn rows_are_consistent() {
        for row in Registry::standard().rows() {
            if let (Initial::Value(value), Some(width)) = (&row.initial, row.value_type.width()) {
                assert_eq!(value.len(), width, "{}", row.template);
                let infinite = value.iter().any(|component| component.is_infinite());
                assert!(infinite || row.valid.allows(value), "{}: its default is not valid", row.template);
            }
            assert_eq!(row.quaternion, row.template.ends_with("/rotation") && row.value_type == ValueType::Float4);
        }
    }

    #[test]
    fn natural_ranges() {
        let range = |text: &str| find(text).unwrap().row.natural_range();
        assert_eq!(range("/materials/0/emissiveFactor"), Some(1.0));
        assert_eq!(range("/materials/0/extensions/KHR_materials_specular/specularColorFactor"), Some(1.0));
        assert_eq!(range("/nodes/0/weights"), Some(1.0));
        assert_eq!(range("/nodes/0/weights/1"), Some(1.0));
        assert_eq!(range("/extensions/KHR_lights_punctual/lights/0/intensity"), None);
        assert_eq!(range("/nodes/0/extensions/KHR_node_visibility/visible"), None);
    }

    #[test]
    fn extensions_are_read_off_the_template() {
        let extensions = |text: &str| find(text).unwrap().row.extensions().map(str::to_owned).collect::<Vec<_>>();
        assert!(extensions("/nodes/0/scale").is_empty());
        assert_eq!(extensions("/extensions/EXT_lights_ies/lights.length"), ["EXT_lights_ies"]);
        assert_eq!(
            extensions("/materials/0/normalTexture/extensions/KHR_texture_transform/scale"),
            ["KHR_texture_transform"]
        );
    }
}
