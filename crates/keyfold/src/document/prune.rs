//! Finishing an edit: accessors, buffer views and bytes that became unreferenced go, what is left is renumbered.
//!
//! An extension that Keyfold does not know may point at any object by its index. While a document has one, nothing is
//! renumbered: slots that provably nobody means (no such number stands anywhere in the unknown extensions' objects) are used again
//! for new objects or emptied, the others stay with their bytes.

use super::{
    Document,
    buffers::Bytes,
    edit::{Added, Edit, Patch, Used},
    json::to_index,
};
use crate::{
    Error, Result,
    object_model::references::{self, Collection},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, ops::Range};

/// Cuts move data by multiples of this, so that whatever alignment it had, it keeps.
const ALIGNMENT: usize = 8;

/// Up to so many bytes behind the last piece of data only fill it up to a multiple of four.
const PADDING: usize = 3;

pub(super) fn finish(mut edit: Edit<'_>) -> Result<Document> {
    remove_unreferenced(&edit.before.accessors, &mut edit.json, &mut [])?;
    let before: Vec<Value> = edit.json.get("bufferViews").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut places: Vec<usize> = edit.added.iter().map(|a| a.view).collect();
    let dropped = remove_unreferenced(&edit.before.views, &mut edit.json, &mut places)?;
    edit.added.iter_mut().zip(&places).for_each(|(added, view)| added.view = *view);
    edit.before.tidy.iter().for_each(|tidy| tidy(&mut edit.json));

    let dropped: Vec<&Value> = dropped.iter().map(|i| &before[*i]).collect();
    let mut changed = patched(edit.document, &edit.json, &edit.patches);
    cut(edit.document, &mut edit.json, &dropped, &places, &mut changed);
    append(edit.document, &mut edit.json, std::mem::take(&mut edit.added), &mut changed)?;
    remove_buffers(edit, changed)
}

/// Removes what something referred to `before` and nothing does in `json`; `track` follows objects to their new indices. Returns what went.
fn remove_unreferenced(before: &Used, json: &mut Value, track: &mut [usize]) -> Result<Vec<usize>> {
    let collection = before.collection;
    let now = Used::of(json, collection).indices;
    // A reference may dangle: what never was there cannot go.
    let gone: BTreeSet<usize> = before.indices.difference(&now).copied().filter(|i| *i < before.len).collect();
    let unknown = references::unknown_extensions(json, collection);
    let still = |e: references::StillReferenced| Error::malformed(e.0.at.as_str(), e.to_string());
    if unknown.is_empty() {
        let map = references::retain(json, collection, |i| !gone.contains(&i)).map_err(still)?;
        track.iter_mut().for_each(|i| *i = map[*i].expect("new objects stay"));
        return Ok(gone.into_iter().collect());
    }
    let meant = Mentions::of(json, &unknown);
    let free: Vec<usize> = gone.into_iter().filter(|i| !meant.contains(*i)).collect();
    reuse(before, json, &free, track).map_err(still)?;
    Ok(free)
}

/// Moves objects that were added at the end into free slots, and empties the free slots that are left.
fn reuse(
    before: &Used,
    json: &mut Value,
    free: &[usize],
    track: &mut [usize],
) -> Result<(), references::StillReferenced> {
    let collection = before.collection;
    let (first_new, len) = (before.len, collection.len(json));
    let mut map: Vec<Option<usize>> = (0..len).map(Some).collect();
    let moved: Vec<(usize, usize)> = (first_new..len).zip(free.iter().copied()).collect();
    moved.iter().for_each(|(from, to)| map[*from] = Some(*to));
    // What did not fit into free slots moves up behind the old objects.
    (first_new + moved.len()..len).for_each(|i| map[i] = Some(i - moved.len()));
    references::renumber(json, collection, &map)?;
    track.iter_mut().for_each(|i| *i = map[*i].unwrap_or(*i));
    let Some(list) = json.pointer_mut(collection.path()).and_then(Value::as_array_mut) else { return Ok(()) };
    for (from, to) in &moved {
        list[*to] = list[*from].take();
    }
    list.drain(first_new..first_new + moved.len());
    free[moved.len()..].iter().for_each(|i| list[*i] = placeholder(collection));
    Ok(())
}

/// The least that is valid in a slot that must stay.
fn placeholder(collection: Collection) -> Value {
    match collection {
        Collection::Accessors => json!({ "componentType": 5126, "count": 1, "type": "SCALAR" }),
        _ => json!({ "buffer": 0, "byteLength": 1 }),
    }
}

/// The numbers that unknown extensions hold: any of them may be an index.
struct Mentions {
    numbers: BTreeSet<usize>,
    /// A text that speaks of storage may hold a pointer to anything.
    anything: bool,
}

impl Mentions {
    fn of(json: &Value, unknown: &[String]) -> Self {
        let mut found = Self { numbers: BTreeSet::new(), anything: false };
        found.search(json, unknown, false);
        found
    }

    fn search(&mut self, value: &Value, unknown: &[String], inside: bool) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    self.search(member, unknown, inside || unknown.iter().any(|name| name == key));
                }
            }
            Value::Array(elements) => elements.iter().for_each(|e| self.search(e, unknown, inside)),
            Value::Number(_) if inside => self.numbers.extend(to_index(value)),
            Value::String(text) if inside => self.anything |= text.contains("ccessors") || text.contains("ufferViews"),
            _ => {}
        }
    }

    fn contains(&self, index: usize) -> bool {
        self.anything || self.numbers.contains(&index)
    }
}

/// New contents of buffers, by index; `None` for those that stay as they are.
type Contents = Vec<Option<Vec<u8>>>;

/// The contents of buffers in which bytes were written over.
fn patched(document: &Document, json: &Value, patches: &[Patch]) -> Contents {
    let mut contents: Contents = vec![None; count(json, "buffers")];
    for Patch { buffer, offset, bytes } in patches {
        let Some(slot) = contents.get_mut(*buffer) else { continue };
        let Ok(old) = existing(document, json, *buffer) else { continue };
        let content = slot.get_or_insert(old);
        let room = content.get_mut(*offset..).unwrap_or_default();
        room.iter_mut().zip(bytes).for_each(|(old, new)| *old = *new);
    }
    contents
}

/// Cuts the bytes of removed buffer views out of their buffers, unless others use them too. Views in `added` have no bytes yet.
fn cut(document: &Document, json: &mut Value, dropped: &[&Value], added: &[usize], contents: &mut Contents) {
    let pinned = pinned(json);
    for (buffer, content) in contents.iter_mut().enumerate().filter(|(buffer, _)| !pinned.contains(buffer)) {
        let lost: Vec<Range<usize>> = dropped.iter().flat_map(|v| ranges(v, buffer)).collect();
        if lost.is_empty() {
            continue;
        }
        // A fallback buffer or a file that is not there has no bytes to cut.
        let Ok(bytes) = document.buffer(buffer) else { continue };
        let bytes = content.as_deref().unwrap_or(&bytes);
        let views = json.get("bufferViews").and_then(Value::as_array).into_iter().flatten().enumerate();
        let kept = union(views.filter(|(i, _)| !added.contains(i)).flat_map(|(_, v)| ranges(v, buffer)).collect());
        let length = byte_length(json, buffer).min(bytes.len());
        let cuts = cuts(subtract(union(lost), &kept), &kept, length);
        *content = Some(remove(&bytes[..length], &cuts));
        shift_views(json, buffer, &cuts);
    }
}

/// The buffers that extensions which Keyfold does not know hold bytes in: those must stay where they are.
fn pinned(json: &Value) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    pinned_in(json, &references::unknown_extensions(json, Collection::Buffers), false, &mut found);
    found
}

fn pinned_in(value: &Value, unknown: &[String], inside: bool, found: &mut BTreeSet<usize>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("buffer").and_then(to_index).filter(|_| inside));
            for (key, member) in members {
                pinned_in(member, unknown, inside || unknown.iter().any(|name| name == key), found);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|e| pinned_in(e, unknown, inside, found)),
        _ => {}
    }
}

fn count(json: &Value, collection: &str) -> usize {
    json.get(collection).and_then(Value::as_array).map_or(0, Vec::len)
}

/// What a buffer says of its length, if anything: the container may hold more, for padding.
fn byte_length(json: &Value, buffer: usize) -> usize {
    json.pointer(&format!("/buffers/{buffer}/byteLength")).and_then(to_index).unwrap_or(usize::MAX)
}

/// What speaks like a buffer view: the view itself, and the compressed data that extensions put behind it.
const VIEW_LIKE: [&str; 4] = [
    "",
    "/extensions/EXT_meshopt_compression",
    "/extensions/KHR_meshopt_compression",
    "/extensions/KEYFOLD_animation_stream",
];

fn ranges(view: &Value, buffer: usize) -> Vec<Range<usize>> {
    let number = |object: &Value, key| object.get(key).and_then(to_index);
    let range = |object: &Value| {
        let start = number(object, "byteOffset").unwrap_or(0);
        let end = start.checked_add(number(object, "byteLength")?)?;
        (number(object, "buffer") == Some(buffer)).then_some(start..end)
    };
    VIEW_LIKE.iter().filter_map(|p| view.pointer(p)).filter_map(range).collect()
}

fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|r| (r.start, r.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// `from` without `what`, both sorted and without overlaps.
fn subtract(from: Vec<Range<usize>>, what: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for range in from {
        let mut start = range.start;
        for other in what.iter().filter(|o| o.start < range.end && o.end > range.start) {
            if other.start > start {
                out.push(start..other.start);
            }
            start = start.max(other.end);
        }
        if start < range.end {
            out.push(start..range.end);
        }
    }
    out
}

/// Shortens what may be cut to multiples of the alignment. Only the last piece of all, lost or kept, may go as it is, and with it
/// the padding up to the buffer's end.
fn cuts(lost: Vec<Range<usize>>, kept: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let last = lost.iter().chain(kept).map(|r| r.end).max().unwrap_or(0);
    let shorten = |r: Range<usize>| {
        let (start, end) = (r.start.min(length), r.end.min(length));
        let padded = r.end == last && end + PADDING >= length;
        let size = if padded { length - start } else { (end - start) / ALIGNMENT * ALIGNMENT };
        start..start + size
    };
    lost.into_iter().map(shorten).filter(|r| !r.is_empty()).collect()
}

fn remove(bytes: &[u8], cuts: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for cut in cuts {
        out.extend_from_slice(&bytes[at..cut.start]);
        at = cut.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

fn shift_views(json: &mut Value, buffer: usize, cuts: &[Range<usize>]) {
    let views = json.get_mut("bufferViews").and_then(Value::as_array_mut).into_iter().flatten();
    for view in views {
        for path in VIEW_LIKE {
            let Some(object) = view.pointer_mut(path) else { continue };
            if object.get("buffer").and_then(to_index) != Some(buffer) {
                continue;
            }
            let start = object.get("byteOffset").and_then(to_index).unwrap_or(0);
            let before: usize = cuts.iter().filter(|c| c.end <= start).map(ExactSizeIterator::len).sum();
            if before > 0 {
                object["byteOffset"] = json!(start - before);
            }
        }
    }
}

/// Appends new bytes to their buffers, each start aligned to four.
fn append(document: &Document, json: &mut Value, added: Vec<Added>, contents: &mut Contents) -> Result<()> {
    if added.is_empty() {
        return Ok(());
    }
    let home = if added.iter().any(|a| a.buffer.is_none()) { home(document, json, contents) } else { 0 };
    contents.resize(count(json, "buffers"), None);
    for Added { view, buffer, inside, bytes } in added {
        let buffer = buffer.unwrap_or(home);
        let content = match &mut contents[buffer] {
            Some(content) => content,
            slot => slot.insert(existing(document, json, buffer)?),
        };
        content.resize(content.len().next_multiple_of(4), 0);
        let mut object = &mut json["bufferViews"][view];
        if let Some(extension) = inside {
            object = &mut object["extensions"][extension];
        }
        object["buffer"] = json!(buffer);
        match content.len() {
            0 => drop(object.as_object_mut().and_then(|o| o.shift_remove("byteOffset"))),
            offset => object["byteOffset"] = json!(offset),
        }
        content.extend_from_slice(&bytes);
    }
    Ok(())
}

fn existing(document: &Document, json: &Value, buffer: usize) -> Result<Vec<u8>> {
    if buffer >= document.count("buffers") {
        return Ok(Vec::new());
    }
    let bytes = document.buffer(buffer)?;
    Ok(bytes[..byte_length(json, buffer).min(bytes.len())].to_vec())
}

/// The buffer for new bytes: one that was cut, else the first that can be read, else a new one.
fn home(document: &Document, json: &mut Value, contents: &Contents) -> usize {
    let readable = || (0..document.count("buffers")).find(|i| document.buffer(*i).is_ok());
    if let Some(buffer) = contents.iter().position(Option::is_some).or_else(readable) {
        return buffer;
    }
    let root = json.as_object_mut().expect("the root is an object");
    let list = root.entry("buffers").or_insert_with(|| json!([]));
    match list.as_array_mut() {
        Some(list) => list.push(json!({ "byteLength": 0 })),
        None => *list = json!([{ "byteLength": 0 }]),
    }
    count(json, "buffers") - 1
}

/// Sets the lengths of changed buffers, and removes buffers that became empty or that nobody refers to any more.
fn remove_buffers(edit: Edit<'_>, contents: Contents) -> Result<Document> {
    let Edit { document, mut json, before, .. } = edit;
    let old = document.count("buffers");
    for (buffer, content) in contents.iter().enumerate() {
        if let Some(content) = content {
            json["buffers"][buffer]["byteLength"] = json!(content.len().max(1));
        }
    }
    let (before, now) = (before.buffers.indices, Used::of(&json, Collection::Buffers).indices);
    // A fallback has no bytes to become empty of: it goes with the last view that refers to it.
    let idle = |i: usize| contents[i].as_ref().is_some_and(Vec::is_empty) || before.contains(&i);
    let removable = references::unknown_extensions(&json, Collection::Buffers).is_empty();
    let keep: Vec<usize> = (0..contents.len()).filter(|i| !removable || now.contains(i) || !idle(*i)).collect();
    if keep.len() < contents.len() {
        references::retain(&mut json, Collection::Buffers, |i| keep.contains(&i))
            .map_err(|e| Error::malformed(e.0.at.as_str(), e.to_string()))?;
    }
    let mut contents = contents;
    let pad = |mut c: Vec<u8>| {
        if c.is_empty() {
            vec![0]
        } else {
            c.shrink_to_fit();
            c
        }
    };
    let bytes = keep.iter().map(|i| contents[*i].take().map(|c| Bytes::from(pad(c)))).collect();
    let origins: Vec<Option<usize>> = keep.iter().map(|i| (*i < old).then_some(*i)).collect();
    document.rebuilt(json, bytes, &origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document whose buffer counts up, with a view for each range; an accessor of the views in `lost` will go.
    fn after_cutting(length: u8, views: &[Range<usize>], lost: &[usize]) -> Document {
        let bytes: Vec<u8> = (0..length).collect();
        let view = |r: &Range<usize>| json!({ "buffer": 0, "byteOffset": r.start, "byteLength": r.len() });
        let accessor =
            |i: usize| json!({ "bufferView": i, "componentType": 5121, "count": views[i].len(), "type": "SCALAR" });
        let json = json!({
            "asset": { "version": "2.0" },
            "buffers": [{ "byteLength": length, "uri": super::super::uri::data_uri(&bytes) }],
            "bufferViews": views.iter().map(view).collect::<Vec<_>>(),
            "accessors": (0..views.len()).map(accessor).collect::<Vec<_>>(),
            "meshes": [{ "primitives": (0..views.len()).map(|i| json!({ "indices": i })).collect::<Vec<_>>() }],
        });
        let document = Document::from_bytes(json.to_string().as_bytes(), None, &Default::default()).unwrap();
        let mut edit = document.edit();
        let primitives = edit.json()["meshes"][0]["primitives"].as_array_mut().unwrap();
        let mut index = 0..;
        primitives.retain(|_| index.next().is_some_and(|i| !lost.contains(&i)));
        edit.finish().unwrap()
    }

    #[test]
    fn bytes_that_an_unknown_extension_points_at_stay_in_their_place() {
        let json = json!({ "extensions": { "ACME_stuff": { "clips": [{ "buffer": 1, "byteOffset": 4000 }], "seed": 7 } },
            "bufferViews": [{ "buffer": 0, "byteLength": 4, "extensions": { "EXT_meshopt_compression": { "buffer": 2 } } }] });
        assert!(pinned(&json).into_iter().eq([1]));
    }

    #[test]
    fn what_is_kept_behind_a_cut_is_no_padding() {
        let document = after_cutting(15, &[0..12, 12..15], &[0]);
        assert_eq!(*document.view(0).unwrap(), [12, 13, 14]);
    }

    #[test]
    fn two_cuts_near_the_end_do_not_overlap() {
        let document = after_cutting(40, &[0..37, 37..38, 38..40], &[0, 2]);
        assert_eq!(*document.view(0).unwrap(), [37]);
    }

    #[test]
    fn padding_goes_with_the_last_piece() {
        let document = after_cutting(16, &[0..8, 8..13], &[1]);
        assert_eq!(*document.buffer(0).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Whatever goes, what stays can be read as before.
    #[test]
    fn every_way_to_cut_three_pieces_keeps_the_others() {
        for (a, b) in (1..24).flat_map(|b| (1..b).map(move |a| (a, b))) {
            let views = [0..a, a..b, b..24];
            for lost in 1..7usize {
                let gone: Vec<usize> = (0..3).filter(|i| lost >> i & 1 == 1).collect();
                let document = after_cutting(24, &views, &gone);
                let kept = views.iter().enumerate().filter(|(i, _)| !gone.contains(i));
                for (new, (_, range)) in kept.enumerate() {
                    let expected: Vec<u8> = range.clone().map(|i| i as u8).collect();
                    assert_eq!(*document.view(new).unwrap(), expected, "{views:?} without {gone:?}");
                }
            }
        }
    }
}
