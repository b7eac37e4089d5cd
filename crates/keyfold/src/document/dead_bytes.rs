//! Bytes that went with an accessor, in buffer views that stay because other accessors are in them.
//!
//! A view stays whole where it is strided or compressed, where anything but an accessor refers to it, and in
//! documents with extensions that Keyfold does not know.

use super::{
    ComponentType, Document, Shape,
    json::to_index,
    prune::{subtract, union},
};
use crate::object_model::references::{self, Collection};
use serde_json::{Value, json};
use std::{collections::BTreeMap, ops::Range};

/// The dead bytes of a view.
pub(super) struct DeadBytes {
    /// Its index.
    pub(super) view: usize,
    /// Where in the view they are, ascending.
    ranges: Vec<Range<usize>>,
}

impl DeadBytes {
    /// What is dead where the accessors `gone` of the document are no longer in `json`; views have the indices that
    /// they had.
    pub(super) fn after(document: &Document, json: &Value, gone: &[usize]) -> Vec<Self> {
        let mut lost: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
        let runs = gone.iter().flat_map(|index| document.runs(*index));
        for run in runs.filter_map(|run| document.run(run).ok()) {
            let span = span(run.offset, run.count, run.shape.stored_size(run.component));
            if let Some((view, span)) = run.view.zip(span) {
                lost.entry(view).or_default().push(span);
            }
        }
        lost.retain(|view, _| may_shrink(json, *view));
        let collections = [Collection::Accessors, Collection::BufferViews, Collection::Buffers];
        if lost.is_empty() || collections.iter().any(|c| !references::unknown_extensions(json, *c).is_empty()) {
            return Vec::new();
        }
        let live = live(json);
        let dead = |(view, lost)| {
            let ranges = subtract(union(lost), live.get(&view)?.as_ref()?);
            (!ranges.is_empty()).then_some(Self { view, ranges })
        };
        lost.into_iter().filter_map(dead).collect()
    }

    /// The dead bytes of a buffer.
    pub(super) fn in_buffer(&self, json: &Value, buffer: usize) -> Vec<Range<usize>> {
        let Some(whole) = self.whole(json, buffer) else { return Vec::new() };
        let within = |at: usize| whole.start.saturating_add(at).min(whole.end);
        self.ranges.iter().map(|range| within(range.start)..within(range.end)).collect()
    }

    /// The whole view in a buffer; nothing where it is in another one.
    pub(super) fn whole(&self, json: &Value, buffer: usize) -> Option<Range<usize>> {
        let view = &json["bufferViews"][self.view];
        let start = view.get("byteOffset").and_then(to_index).unwrap_or(0);
        let end = start.checked_add(view.get("byteLength").and_then(to_index)?)?;
        (view.get("buffer").and_then(to_index) == Some(buffer)).then_some(start..end)
    }

    /// Makes the view, which was at `whole`, shorter by what was cut out of it, and moves its accessors.
    pub(super) fn shrink(&self, json: &mut Value, whole: &Range<usize>, cuts: &[Range<usize>]) {
        let cut_before = |end: usize| -> usize {
            cuts.iter().map(|cut| cut.end.min(end).saturating_sub(cut.start.max(whole.start))).sum()
        };
        json["bufferViews"][self.view]["byteLength"] = json!(whole.len() - cut_before(whole.end));
        let moved = |run: &mut Value| {
            let offset = run.get("byteOffset").and_then(to_index).unwrap_or(0);
            let before = cut_before(whole.start.saturating_add(offset));
            if before > 0 && run.get("bufferView").and_then(to_index) == Some(self.view) {
                run["byteOffset"] = json!(offset - before);
            }
        };
        let accessors = json.get_mut("accessors").and_then(Value::as_array_mut).into_iter().flatten();
        for accessor in accessors {
            PLACES.iter().for_each(|place| accessor.pointer_mut(place).into_iter().for_each(&moved));
        }
    }
}

fn may_shrink(json: &Value, view: usize) -> bool {
    let view = json.get("bufferViews").and_then(|views| views.get(view)).and_then(Value::as_object);
    view.is_some_and(|view| !view.contains_key("byteStride") && !view.contains_key("extensions"))
}

/// By view, the bytes that accessors are in; `None` if anything else refers to it.
fn live(json: &Value) -> BTreeMap<usize, Option<Vec<Range<usize>>>> {
    let mut live: BTreeMap<usize, Option<Vec<Range<usize>>>> = BTreeMap::new();
    for reference in references::references(json, Collection::BufferViews) {
        let span = reference.at.as_str().strip_suffix("/bufferView").and_then(|at| span_of(json, at));
        let ranges = live.entry(reference.index).or_insert_with(|| Some(Vec::new()));
        *ranges = ranges.take().zip(span).map(|(mut ranges, span)| {
            ranges.push(span);
            ranges
        });
    }
    live.into_iter().map(|(view, ranges)| (view, ranges.map(union))).collect()
}

/// Where an accessor says which runs of elements it has.
const PLACES: [&str; 3] = ["", "/sparse/indices", "/sparse/values"];

/// The bytes of its view that a run of an accessor means; `None` for what is none.
fn span_of(json: &Value, at: &str) -> Option<Range<usize>> {
    let (index, part) =
        at.strip_prefix("/accessors/").map(|rest| rest.split_at(rest.find('/').unwrap_or(rest.len())))?;
    let accessor = json.pointer(&format!("/accessors/{index}"))?;
    let run = accessor.pointer(PLACES.into_iter().find(|place| *place == part)?)?;
    let number = |object: &Value, key: &str| object.get(key).and_then(to_index);
    let is_whole = part.is_empty();
    let component = |object| ComponentType::from_code(number(object, "componentType")?);
    let size = match part.ends_with("/indices") {
        true => component(run)?.size(),
        false => Shape::from_name(accessor.get("type")?.as_str()?)?.stored_size(component(accessor)?),
    };
    let count = number(if is_whole { accessor } else { accessor.get("sparse")? }, "count")?;
    span(number(run, "byteOffset").unwrap_or(0), count, size)
}

fn span(offset: usize, count: usize, size: usize) -> Option<Range<usize>> {
    let end = offset.checked_add(count.checked_mul(size)?)?;
    (end > offset).then_some(offset..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document whose buffer counts up, two views over it, and accessors of bytes in them: (view, range in the view).
    fn counting(views: &[Range<usize>], accessors: &[(usize, Range<usize>)]) -> Document {
        let bytes: Vec<u8> = (0..48).collect();
        let view = |r: &Range<usize>| json!({ "buffer": 0, "byteOffset": r.start, "byteLength": r.len() });
        let accessor = |(view, r): &(usize, Range<usize>)| json!({ "bufferView": view, "byteOffset": r.start, "componentType": 5121, "count": r.len(), "type": "SCALAR" });
        let json = json!({
            "asset": { "version": "2.0" },
            "buffers": [{ "byteLength": 48, "uri": crate::document::uri::data_uri(&bytes) }],
            "bufferViews": views.iter().map(view).collect::<Vec<_>>(),
            "accessors": accessors.iter().map(accessor).collect::<Vec<_>>(),
            "meshes": [{ "primitives": (0..accessors.len()).map(|i| json!({ "indices": i })).collect::<Vec<_>>() }],
        });
        Document::from_bytes(json.to_string().as_bytes(), None, &Default::default()).unwrap()
    }

    /// The document without the primitives of some accessors.
    fn without(document: &Document, gone: &[usize]) -> Document {
        let mut edit = document.edit();
        let primitives = edit.json()["meshes"][0]["primitives"].as_array_mut().unwrap();
        let mut index = 0..;
        primitives.retain(|_| index.next().is_some_and(|i| !gone.contains(&i)));
        edit.finish().unwrap()
    }

    fn values(document: &Document, accessor: usize) -> Vec<f32> {
        document.floats(accessor).unwrap().to_vec()
    }

    #[test]
    fn dead_bytes_go_and_what_stays_is_read_as_before() {
        let pieces = [(0, 0..8), (0, 8..20), (0, 20..24), (1, 0..16), (1, 16..24)];
        let document = counting(&[0..24, 24..48], &pieces);
        for lost in 1..31usize {
            let (gone, kept): (Vec<usize>, Vec<usize>) = (0..5).partition(|i| lost >> i & 1 == 1);
            let after = without(&document, &gone);
            for (new, old) in kept.iter().enumerate() {
                assert_eq!(values(&after, new), values(&document, *old), "without {gone:?}");
            }
            let left: usize = kept.iter().map(|i| pieces[*i].1.len()).sum();
            let length = after.buffer(0).unwrap().len();
            assert!((length < 48 || left > 40) && length <= left + 3 * 7, "{length} bytes for {left} without {gone:?}");
        }
    }

    #[test]
    fn accessors_that_overlap_keep_their_bytes() {
        let document = counting(&[0..48, 8..40], &[(0, 0..48), (0, 8..16), (1, 24..32)]);
        let after = without(&document, &[0]);
        assert_eq!((values(&after, 0), values(&after, 1)), (values(&document, 1), values(&document, 2)));
    }

    #[test]
    fn what_is_sparse_lives_and_dies_in_parts() {
        let mut json = counting(std::slice::from_ref(&(0..48)), &[(0, 0..16), (0, 16..24), (0, 40..48)]).to_json();
        let sparse = |index: usize, value: usize| json!({ "count": 8, "indices": { "bufferView": 0, "byteOffset": index, "componentType": 5121 }, "values": { "bufferView": 0, "byteOffset": value } });
        for (accessor, index, value) in [(0, 0, 24), (1, 0, 40)] {
            json["accessors"][accessor] =
                json!({ "componentType": 5121, "count": 9, "type": "SCALAR", "sparse": sparse(index, value) });
        }
        let document = Document::from_bytes(json.to_string().as_bytes(), None, &Default::default()).unwrap();
        // Both have their indices in the first eight bytes; the values of the second are the elements of the third, too.
        let after = without(&document, &[0]);
        assert_eq!((values(&after, 0), values(&after, 1)), (values(&document, 1), values(&document, 2)));
        let after = without(&document, &[2]);
        assert_eq!((values(&after, 0), values(&after, 1)), (values(&document, 0), values(&document, 1)));
        let after = without(&document, &[0, 1]);
        assert_eq!((values(&after, 0), after.buffer(0).unwrap().len()), (values(&document, 2), 48 - 16));
    }

    #[test]
    fn views_with_other_users_stay_whole() {
        let mut edit = counting(&[0..48, 0..48], &[(0, 0..24), (0, 24..48)]).edit().finish().unwrap().to_json();
        edit["images"] = json!([{ "bufferView": 0, "mimeType": "image/png" }]);
        let document = Document::from_bytes(edit.to_string().as_bytes(), None, &Default::default()).unwrap();
        assert_eq!(without(&document, &[0]).buffer(0).unwrap().len(), 48);
    }
}
