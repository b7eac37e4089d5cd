//! Values among zeros as sparse accessors (glTF 2.0 section 3.6.2.3): zeros that no bytes stand for, and the elements
//! that take the place of some. Splines whose tangents are zero are like that, and their values are often those that
//! another track has as lines or steps.

use super::{Filter, Plain, Stored, alike};
use crate::{
    Result,
    document::{ComponentType, Edit, Shape},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a content that are not zero.
struct Sparse {
    indices: Stored,
    values: Stored,
}

impl Sparse {
    /// Those of a content that has some, and zeros besides. Zero is what has no bits: -0.0 is a value like others.
    fn of(content: &Stored) -> Option<Self> {
        if content.bounds || content.filter != Filter::None {
            return None;
        }
        let elements: Vec<&[u8]> = content.bytes.chunks_exact(content.element_size()).collect();
        let mut places: Vec<usize> =
            (0..elements.len()).filter(|index| elements[*index].iter().any(|byte| *byte != 0)).collect();
        if places.is_empty() {
            return None;
        }
        // Values between tangents of zero: with those that are zero, too, they are what other tracks share.
        if elements.len().is_multiple_of(3) && places.iter().all(|index| index % 3 == 1) {
            places = (1..elements.len()).step_by(3).collect();
        }
        let values = places.iter().flat_map(|index| elements[*index]).copied().collect();
        let is_sparse = places.len() < elements.len();
        is_sparse.then(|| Self { indices: indices(&places), values: Stored { bytes: values, ..*content } })
    }

    /// The accessor of the content that these are of, where its parts lie in a view at those offsets.
    fn accessor(&self, content: &Stored, view: usize, offset: impl Fn(&Stored) -> usize) -> Map<String, Value> {
        let place = |part: &Stored| {
            let mut place = Map::from_iter([("bufferView".to_owned(), json!(view))]);
            place.extend(Some(offset(part)).filter(|offset| *offset > 0).map(|at| ("byteOffset".into(), json!(at))));
            place
        };
        let mut indices = place(&self.indices);
        indices.insert("componentType".into(), json!(self.indices.component.code()));
        let sparse = json!({ "count": self.values.count(), "indices": indices, "values": place(&self.values) });
        let mut accessor = content.accessor(None);
        accessor.insert("sparse".into(), sparse);
        accessor
    }
}

/// Ascending indices in the smallest type that holds them.
fn indices(places: &[usize]) -> Stored {
    let places: Vec<i64> = places.iter().map(|place| *place as i64).collect();
    let holds = |component: &ComponentType| component.integers().is_some_and(|i| places.iter().all(|p| i.contains(p)));
    let component = [ComponentType::U8, ComponentType::U16].into_iter().find(holds).unwrap_or(ComponentType::U32);
    Stored::integers(component, Shape::Scalar, false, &places)
}

/// The contents that take fewer bytes sparse, JSON counted in, by index. Those with the same indices share them.
fn chosen(contents: &[&Stored], view: usize) -> BTreeMap<usize, Sparse> {
    let whole: BTreeSet<&Stored> = contents.iter().copied().collect();
    let farthest: usize = contents.iter().map(|content| padded(content)).sum();
    let saved = |content: &Stored, sparse: &Sparse| {
        let length = |accessor| Value::Object(accessor).to_string().len();
        let values = if whole.contains(&sparse.values) { 0 } else { padded(&sparse.values) };
        let before = padded(content) + length(content.accessor(Some((view, farthest))));
        before.checked_sub(values + length(sparse.accessor(content, view, |_| farthest)))
    };
    let mut groups: BTreeMap<Stored, Vec<(usize, usize, Sparse)>> = BTreeMap::new();
    for (index, content) in contents.iter().enumerate() {
        let Some(sparse) = Sparse::of(content) else { continue };
        let Some(saved) = saved(content, &sparse) else { continue };
        groups.entry(sparse.indices.clone()).or_default().push((index, saved, sparse));
    }
    groups.retain(|indices, group| group.iter().map(|(_, saved, _)| saved).sum::<usize>() > padded(indices));
    groups.into_values().flatten().map(|(index, _, sparse)| (index, sparse)).collect()
}

/// The bytes of a content up to where another may begin.
fn padded(content: &Stored) -> usize {
    content.bytes.len().next_multiple_of(4)
}

/// Places all accessors in one buffer view, similar ones together; sparse where that takes fewer bytes.
pub fn place_sparse(edit: &mut Edit<'_>, contents: &[&Stored]) -> Result<Vec<usize>> {
    let view = edit.next("bufferViews");
    let sparse = chosen(contents, view);
    let whole = (0..contents.len()).filter(|index| !sparse.contains_key(index)).map(|index| contents[index]);
    let mut seen = BTreeSet::new();
    let mut parts: Vec<&Stored> = sparse.values().map(|sparse| &sparse.indices).collect();
    parts.extend(whole);
    parts.extend(sparse.values().map(|sparse| &sparse.values));
    parts.retain(|part| seen.insert(*part));
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let order = alike(&parts);
    let Plain { bytes, offsets } = Plain::new(&parts, &order);
    let offsets: BTreeMap<&Stored, usize> = parts.into_iter().zip(offsets).collect();
    edit.push_view(bytes);
    let accessor = |(index, content): (usize, &&Stored)| match sparse.get(&index) {
        Some(sparse) => sparse.accessor(content, view, |part| offsets[part]),
        None => content.accessor(Some((view, offsets[content]))),
    };
    Ok(contents.iter().enumerate().map(|content| edit.push("accessors", accessor(content).into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::document;

    /// A spline whose tangents are zero, and the values of it.
    fn spline(values: &[f32]) -> [Stored; 2] {
        let keys = values.as_chunks::<3>().0.iter().flat_map(|v| [[0.0; 3], *v, [0.0; 3]]);
        [keys.flatten().collect::<Vec<f32>>(), values.to_vec()].map(|v| Stored::floats(Shape::Vec3, &v))
    }

    fn placed(contents: &[&Stored]) -> crate::Document {
        let empty = document(json!({ "asset": { "version": "2.0" } }), &[&[]]);
        let mut edit = empty.edit();
        place_sparse(&mut edit, contents).unwrap();
        edit.finish().unwrap()
    }

    #[test]
    fn splines_without_tangents_share_their_values_and_indices() {
        let values: Vec<f32> = (0..30).map(|i| i as f32).collect();
        let later: Vec<f32> = values.iter().map(|v| v + 0.5).collect();
        let ([first, line], [second, _]) = (spline(&values), spline(&later));
        let document = placed(&[&first, &line, &second]);
        let [a, b, c] = [0, 1, 2].map(|i| document.json()["accessors"][i].clone());
        assert!(a.get("bufferView").is_none() && b.get("sparse").is_none() && c.get("bufferView").is_none());
        assert_eq!(a["sparse"]["indices"], c["sparse"]["indices"]);
        assert_eq!(a["sparse"]["values"].get("byteOffset"), b.get("byteOffset"));
        assert_eq!((&a["sparse"]["count"], &a["sparse"]["indices"]["componentType"]), (&json!(10), &json!(5121)));
        for (index, content) in [&first, &line, &second].into_iter().enumerate() {
            assert_eq!(document.elements(index).unwrap().bytes[..], content.bytes, "{index}");
        }
        assert_eq!(document.buffer(0).unwrap().len(), 12 + 2 * 120, "ten indices and two times ten values");
    }

    #[test]
    fn zeros_with_a_sign_are_values() {
        let mut values = [0.0f32; 300];
        (values[7], values[120]) = (-0.0, 3.0);
        let content = Stored::floats(Shape::Scalar, &values);
        let sparse = Sparse::of(&content).unwrap();
        assert_eq!((sparse.indices.bytes, sparse.indices.component), (vec![7, 120], ComponentType::U8));
        assert_eq!(placed(&[&content]).elements(0).unwrap().bytes[..], content.bytes);
    }

    #[test]
    fn indices_are_of_the_smallest_type_that_holds_them() {
        let types = [255, 256, 65535, 65536].map(|last| indices(&[0, last]).component.size());
        assert_eq!(types, [1, 2, 2, 4]);
    }

    #[test]
    fn what_saves_less_than_its_json_stays_whole() {
        let [few, _] = spline(&[1.0, 2.0, 3.0]);
        let times = Stored::times(&[0.0; 1]);
        let full = Stored::floats(Shape::Scalar, &[1.0; 90]);
        let document = placed(&[&few, &times, &full, &Stored::floats(Shape::Vec3, &[0.0; 90])]);
        assert!((0..4).all(|i| document.json()["accessors"][i].get("sparse").is_none()));
    }
}
