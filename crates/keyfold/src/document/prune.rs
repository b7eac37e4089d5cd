//! Finishing an edit: accessors, buffer views and bytes that became unreferenced go, what is left is renumbered.
//!
//! An extension that Keyfold does not know may point at any object by its index. While a document has one, nothing is
//! renumbered: slots that provably nobody means (no such number stands anywhere in the unknown extensions' objects)
//! are used again for new objects or emptied, the others stay with their bytes.

use super::{
    Document, Pieces,
    dead_bytes::DeadBytes,
    edit::{Added, Edit, Patch, Used},
    guard::guard,
    json::to_index,
    mentions::Mentions,
};
use crate::{
    Error, Result,
    object_model::references::{self, Collection},
};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Cuts move data by multiples of this, so that whatever alignment it had, it keeps.
const ALIGNMENT: usize = 8;

/// Up to so many bytes behind the last piece of data only fill it up to a multiple of four.
const PADDING: usize = 3;

pub(super) fn finish(mut edit: Edit<'_>) -> Result<Document> {
    refuse_replaced(&edit)?;
    let gone = remove_unreferenced(&edit.before.accessors, &mut edit.json, &mut [])?;
    let mut dead = DeadBytes::after(edit.document, &edit.json, &gone);
    let before: Vec<Value> = edit.json.get("bufferViews").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut places: Vec<usize> = edit.added.iter().map(|a| a.view).chain(dead.iter().map(|dead| dead.view)).collect();
    let dropped = remove_unreferenced(&edit.before.views, &mut edit.json, &mut places)?;
    dead.iter_mut().rev().for_each(|dead| dead.view = places.pop().unwrap_or(dead.view));
    edit.added.iter_mut().zip(&places).for_each(|(added, view)| added.view = *view);

    let dropped: Vec<&Value> = dropped.iter().map(|i| &before[*i]).collect();
    let mut changed = patched(edit.document, &edit.patches, count(&edit.json, "buffers"));
    cut(edit.document, &mut edit.json, (&dropped, &dead), &places, &mut changed);
    append(edit.document, &mut edit.json, std::mem::take(&mut edit.added), &mut changed)?;
    remove_buffers(edit, changed)
}

/// What is no list cannot be added to: a list in its place would lose what it is.
fn refuse_replaced(edit: &Edit<'_>) -> Result<()> {
    let is_replaced = |name: &&str| {
        let before = edit.document.root().get(name);
        before.is_some_and(|list| list.as_array().is_none()) && edit.json.get(name).is_some_and(Value::is_array)
    };
    match ["accessors", "bufferViews", "buffers"].into_iter().find(is_replaced) {
        Some(name) => Err(not_a_list(name)),
        None => Ok(()),
    }
}

fn not_a_list(name: &str) -> Error {
    Error::malformed(format!("/{name}"), "should be an array: nothing can be added to it")
}

/// Removes what something referred to `before` and nothing does in `json`; `track` follows objects to their new
/// indices. Returns what went.
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

/// New contents of buffers, by index; `None` for those that stay as they are.
type Contents = Vec<Option<Pieces>>;

/// The contents of buffers in which bytes were written over.
fn patched(document: &Document, patches: &[Patch], buffers: usize) -> Contents {
    let mut contents = vec![None; buffers];
    for Patch { buffer, offset, bytes } in patches {
        let Some(slot) = contents.get_mut(*buffer) else { continue };
        let Ok(old) = existing(document, *buffer) else { continue };
        let content = slot.get_or_insert_with(|| old.to_vec());
        let room = content.get_mut(*offset..).unwrap_or_default();
        room.iter_mut().zip(bytes).for_each(|(old, new)| *old = *new);
    }
    contents.into_iter().map(|content: Option<Vec<u8>>| content.map(Pieces::from)).collect()
}

/// Cuts the bytes of removed buffer views, and dead bytes of others, out of their buffers, unless other views use
/// them too. Views in `added` have no bytes yet.
fn cut(
    document: &Document,
    json: &mut Value,
    (dropped, dead): (&[&Value], &[DeadBytes]),
    added: &[usize],
    contents: &mut Contents,
) {
    let unknown = references::unknown_extensions(json, Collection::Buffers);
    let (pinned, meant) = (pinned(json, &unknown), Mentions::of(json, &unknown));
    // A fallback buffer or a file that is not there has no bytes to cut.
    let may_be_cut = |buffer: usize| !pinned.contains(&buffer) && document.is_whole(buffer);
    for (buffer, content) in contents.iter_mut().enumerate().filter(|(buffer, _)| may_be_cut(*buffer)) {
        let dead_in = |view: usize| dead.iter().filter(move |d| d.view == view).flat_map(|d| d.in_buffer(json, buffer));
        let mut lost: Vec<Range<usize>> = dropped.iter().flat_map(|v| ranges(v, buffer)).collect();
        lost.extend(dead.iter().flat_map(|dead| dead.in_buffer(json, buffer)));
        if lost.is_empty() {
            continue;
        }
        let Ok(bytes) = content.clone().map_or_else(|| document.meant(buffer), Ok) else { continue };
        let views = json.get("bufferViews").and_then(Value::as_array).into_iter().flatten().enumerate();
        let kept = views.filter(|(i, _)| !added.contains(i));
        let kept = kept.flat_map(|(i, v)| subtract(ranges(v, buffer), &dead_in(i).collect::<Vec<_>>()));
        let kept: Vec<Range<usize>> = kept.collect();
        let mut starts: Vec<usize> = kept.iter().map(|range| range.start).collect();
        starts.sort_unstable();
        let (kept, lost) = (union(kept), union(lost));
        let covered = union(kept.iter().chain(&lost).cloned().collect());
        let shrunk: Vec<_> = dead.iter().filter_map(|dead| Some((dead, dead.whole(json, buffer)?))).collect();
        let lost = shrunk.iter().fold(subtract(lost, &kept), |lost, (_, whole)| split(lost, whole.start));
        let cuts = cuts(lost, &kept, bytes.len());
        let moved = cuts.first().map_or(bytes.len(), |cut| cut.start)..bytes.len();
        if meant.mean_bytes(moved, &starts, &covered) {
            continue;
        }
        *content = Some(remove(&bytes, &cuts));
        shift_views(json, buffer, &cuts);
        shrunk.iter().for_each(|(dead, whole)| dead.shrink(json, whole, &cuts));
    }
}

/// Ranges of which none goes on over a place.
fn split(ranges: Vec<Range<usize>>, at: usize) -> Vec<Range<usize>> {
    let halves = |r: Range<usize>| match (r.start + 1..r.end).contains(&at) {
        true => vec![r.start..at, at..r.end],
        false => vec![r],
    };
    ranges.into_iter().flat_map(halves).collect()
}

/// The buffers that extensions which Keyfold does not know say that they hold bytes in: those must stay where they are.
fn pinned(json: &Value, unknown: &[String]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    pinned_in(json, unknown, false, &mut found);
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

/// The pieces of a buffer that a view means: its own, and the compressed data that extensions put behind it.
fn ranges(view: &Value, buffer: usize) -> Vec<Range<usize>> {
    let number = |object: &Value, key| object.get(key).and_then(to_index);
    let range = |object: &Value| {
        let start = number(object, "byteOffset").unwrap_or(0);
        let end = start.checked_add(number(object, "byteLength")?)?;
        (number(object, "buffer") == Some(buffer)).then_some(start..end)
    };
    let extensions = view.get("extensions").and_then(Value::as_object);
    std::iter::once(view).chain(extensions.into_iter().flat_map(Map::values)).filter_map(range).collect()
}

pub(super) fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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

/// `from` without `what`, which is sorted and without overlaps.
pub(super) fn subtract(from: Vec<Range<usize>>, what: &[Range<usize>]) -> Vec<Range<usize>> {
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

/// Shortens what may be cut to multiples of the alignment. Only the last piece of all, lost or kept, may go as it is,
/// and with it the padding up to the buffer's end.
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

fn remove(bytes: &Pieces, cuts: &[Range<usize>]) -> Pieces {
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut.end));
    let ends = cuts.iter().map(|cut| cut.start).chain([bytes.len()]);
    starts.zip(ends).filter_map(|(start, end)| bytes.slice(start..end)).flatten().collect()
}

fn shift_views(json: &mut Value, buffer: usize, cuts: &[Range<usize>]) {
    let views = json.get_mut("bufferViews").and_then(Value::as_array_mut).into_iter().flatten();
    for view in views {
        shift(view, buffer, cuts);
        let extensions = view.get_mut("extensions").and_then(Value::as_object_mut);
        extensions.into_iter().flat_map(Map::values_mut).for_each(|object| shift(object, buffer, cuts));
    }
}

fn shift(object: &mut Value, buffer: usize, cuts: &[Range<usize>]) {
    let start = object.get("byteOffset").and_then(to_index).unwrap_or(0);
    let before: usize = cuts.iter().filter(|c| c.end <= start).map(ExactSizeIterator::len).sum();
    if before > 0 && object.get("buffer").and_then(to_index) == Some(buffer) {
        object["byteOffset"] = json!(start - before);
    }
}

/// Appends new bytes to their buffers, each start aligned to four.
fn append(document: &Document, json: &mut Value, added: Vec<Added>, contents: &mut Contents) -> Result<()> {
    if added.is_empty() {
        return Ok(());
    }
    let home = if added.iter().any(|a| a.buffer.is_none()) { home(document, json, contents)? } else { 0 };
    contents.resize(count(json, "buffers"), None);
    let mut new: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for Added { view, buffer, inside, bytes } in added {
        let buffer = buffer.unwrap_or(home);
        let before = match &mut contents[buffer] {
            Some(content) => content.len(),
            slot => slot.insert(existing(document, buffer)?).len(),
        };
        let new = new.entry(buffer).or_default();
        let offset = (before + new.len()).next_multiple_of(4);
        new.resize(offset - before, 0);
        let mut object = &mut json["bufferViews"][view];
        if let Some(extension) = inside {
            object = &mut object["extensions"][extension];
        }
        object["buffer"] = json!(buffer);
        match offset {
            0 => drop(object.as_object_mut().and_then(|o| o.shift_remove("byteOffset"))),
            _ => object["byteOffset"] = json!(offset),
        }
        new.extend_from_slice(&bytes);
    }
    for (buffer, new) in new {
        contents[buffer] = contents[buffer].take().map(|old| old.into_iter().chain([new.into()]).collect());
    }
    Ok(())
}

fn existing(document: &Document, buffer: usize) -> Result<Pieces> {
    if buffer >= document.count("buffers") {
        return Ok(Pieces::default());
    }
    document.meant(buffer)
}

/// The buffer for new bytes: one that was cut, else the first, else a new one. Views that reach past a buffer's end
/// would find new bytes there.
fn home(document: &Document, json: &mut Value, contents: &Contents) -> Result<usize> {
    let whole = || (0..document.count("buffers")).filter(|i| document.is_whole(*i));
    let cut = whole().find(|i| contents.get(*i).is_some_and(Option::is_some));
    if let Some(buffer) = cut.or_else(|| whole().next()) {
        return Ok(buffer);
    }
    let root = json.as_object_mut().expect("the root is an object");
    let list = root.entry("buffers").or_insert_with(|| json!([]));
    let list = list.as_array_mut().ok_or_else(|| not_a_list("buffers"))?;
    list.push(json!({ "byteLength": 0 }));
    Ok(list.len() - 1)
}

/// Sets the lengths of changed buffers, and removes buffers that became empty or that nobody refers to any more.
fn remove_buffers(edit: Edit<'_>, contents: Contents) -> Result<Document> {
    let Edit { document, mut json, before, guarded, .. } = edit;
    let old = document.count("buffers");
    for (buffer, content) in contents.iter().enumerate() {
        if let Some(content) = content {
            json["buffers"][buffer]["byteLength"] = json!(content.len().max(1));
        }
    }
    let (tidy, before, now) = (before.tidy, before.buffers.indices, Used::of(&json, Collection::Buffers).indices);
    // A fallback has no bytes to become empty of: it goes with the last view that refers to it.
    let idle = |i: usize| contents[i].as_ref().is_some_and(Pieces::is_empty) || before.contains(&i);
    let unknown = references::unknown_extensions(&json, Collection::Buffers);
    let fixed = Mentions::of(&json, &unknown).fixed(contents.len());
    let keep: Vec<usize> = (0..contents.len()).filter(|i| *i < fixed || now.contains(i) || !idle(*i)).collect();
    if keep.len() < contents.len() {
        references::retain(&mut json, Collection::Buffers, |i| keep.contains(&i))
            .map_err(|e| Error::malformed(e.0.at.as_str(), e.to_string()))?;
    }
    tidy.iter().for_each(|tidy| tidy(&mut json));
    guard(&mut json, guarded);
    let mut contents = contents;
    let pad = |content: Pieces| if content.is_empty() { vec![0].into() } else { content };
    let bytes = keep.iter().map(|i| contents[*i].take().map(pad)).collect();
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
        assert!(pinned(&json, &["ACME_stuff".into()]).into_iter().eq([1]));
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
