use super::*;
use serde_json::json;

fn document(json: Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

/// A document whose only buffer holds `bytes`, with one view over all of it and the given accessors.
fn with_accessors(bytes: &[u8], accessors: Value) -> Document {
    document(json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors,
    }))
}

#[test]
fn every_component_type_decodes_by_gltfs_equations() {
    let bytes = [0x81u8, 0x80, 0x00, 0x7f];
    let read = |code: usize, normalized: bool, count: usize| {
        let accessor = json!({ "bufferView": 0, "componentType": code, "normalized": normalized, "count": count, "type": "SCALAR" });
        with_accessors(&bytes, json!([accessor])).floats(0).unwrap().to_vec()
    };
    assert_eq!(read(5120, true, 4), [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(read(5120, false, 4), [-127.0, -128.0, 0.0, 127.0]);
    assert_eq!(read(5121, true, 2), [129.0 / 255.0, 128.0 / 255.0]);
    assert_eq!(read(5122, true, 2), [(-32639.0f32) / 32767.0, 32512.0 / 32767.0]);
    assert_eq!(read(5123, false, 2), [32897.0, 32512.0]);
    assert_eq!(read(5125, false, 1), [2_130_739_329.0]);
    assert_eq!(read(5126, false, 1), [f32::from_bits(0x7f00_8081)]);
}

#[test]
fn strides_offsets_and_matrix_columns_are_followed() {
    let bytes: Vec<u8> = (0..24).collect();
    let mut json = with_accessors(
        &bytes,
        json!([
            { "bufferView": 0, "byteOffset": 2, "componentType": 5121, "count": 3, "type": "VEC2" },
            { "bufferView": 1, "componentType": 5121, "count": 2, "type": "MAT3" },
            { "bufferView": 1, "componentType": 5121, "count": 2, "type": "MAT2" },
        ]),
    )
    .json()
    .clone();
    json["bufferViews"][0]["byteStride"] = json!(8);
    json["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 0, "byteLength": 24 }));
    let document = document(json);
    assert_eq!(document.elements(0).unwrap().bytes[..], [2, 3, 10, 11, 18, 19]);
    assert_eq!(document.elements(1).unwrap().bytes[..9], [0, 1, 2, 4, 5, 6, 8, 9, 10]);
    assert_eq!(document.elements(2).unwrap().bytes[..], [0, 1, 4, 5, 8, 9, 12, 13]);
}

#[test]
fn sparse_replaces_elements_of_a_view_or_of_zeros() {
    let bytes = [1u8, 2, 3, 4, 1, 3, 50, 70];
    let sparse = json!({ "count": 2, "indices": { "bufferView": 0, "byteOffset": 4, "componentType": 5121 },
        "values": { "bufferView": 0, "byteOffset": 6 } });
    let accessor = |view: Option<usize>| {
        let mut a = json!({ "componentType": 5121, "count": 4, "type": "SCALAR", "sparse": sparse });
        if let Some(view) = view {
            a["bufferView"] = json!(view);
        }
        a
    };
    let document = with_accessors(&bytes, json!([accessor(Some(0)), accessor(None)]));
    assert_eq!(*document.floats(0).unwrap(), [1.0, 50.0, 3.0, 70.0]);
    assert_eq!(*document.floats(1).unwrap(), [0.0, 50.0, 0.0, 70.0]);
}

#[test]
fn what_a_file_has_not_paid_for_is_refused() {
    let accessors = json!([
        { "bufferView": 0, "componentType": 5126, "count": usize::MAX, "type": "MAT4" },
        { "componentType": 5126, "count": 1usize << 40, "type": "SCALAR" },
        { "bufferView": 0, "byteOffset": usize::MAX, "componentType": 5126, "count": 1, "type": "SCALAR" },
        { "bufferView": 9, "componentType": 5126, "count": 1, "type": "SCALAR" },
        { "bufferView": 0, "componentType": 5126, "count": -1, "type": "SCALAR" },
        { "bufferView": 0, "componentType": 1, "count": 1, "type": "SCALAR" },
        { "bufferView": 0, "componentType": 5126, "count": 1, "type": 7 },
        { "componentType": 5121, "count": 1, "type": "SCALAR", "sparse": { "count": 1,
            "indices": { "bufferView": 0, "componentType": 5121 }, "values": { "bufferView": 0 } } },
    ]);
    let document = with_accessors(&[9; 8], accessors);
    for i in 0..document.count("accessors") {
        let error = document.floats(i).unwrap_err();
        assert!(error.at().starts_with("/accessors/") || error.at().starts_with("/bufferViews/"), "{error}");
    }
}

#[test]
fn an_edit_removes_what_became_unreferenced_and_renumbers() {
    let bytes: Vec<u8> = (0..64).collect();
    let accessor = |view: usize| json!({ "bufferView": view, "componentType": 5121, "count": 4, "type": "SCALAR" });
    let mut json = with_accessors(&bytes, json!([accessor(0), accessor(1), accessor(2), accessor(1)])).json().clone();
    json["bufferViews"] = json!([
        { "buffer": 0, "byteLength": 16 },
        { "buffer": 0, "byteOffset": 16, "byteLength": 24 },
        { "buffer": 0, "byteOffset": 40, "byteLength": 24 },
    ]);
    json["animations"] = json!([{ "samplers": [{ "input": 1, "output": 3 }], "channels": [] }]);
    json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": 2 }, "indices": 0 }] }]);
    let before = document(json.clone());
    let mut edit = before.edit();
    let view = edit.push_view(vec![1, 2, 3, 4]);
    let new = edit.push("accessors", accessor(view));
    edit.json()["animations"][0]["samplers"][0] = json!({ "input": new, "output": new });
    let after = edit.finish().unwrap();
    assert_eq!(after.json()["meshes"][0]["primitives"][0]["attributes"]["POSITION"], 1);
    assert_eq!(after.json()["animations"][0]["samplers"][0], json!({ "input": 2, "output": 2 }));
    assert_eq!(after.count("accessors"), 3);
    assert_eq!(after.count("bufferViews"), 3);
    assert_eq!(after.view(0).unwrap()[..], bytes[..16]);
    assert_eq!(after.view(1).unwrap()[..], bytes[40..64]);
    assert_eq!(after.view(2).unwrap()[..], [1, 2, 3, 4]);
    assert_eq!(after.json()["buffers"][0]["byteLength"], 44);

    // With an extension that nobody knows, slots stay: only those that it cannot mean are used again.
    json["extensionsUsed"] = json!(["ACME_unheard_of"]);
    json["extensions"] = json!({ "ACME_unheard_of": { "accessor": 3, "view": 2 } });
    let before = document(json);
    let mut edit = before.edit();
    let view = edit.push_view(vec![1, 2, 3, 4]);
    let new = edit.push("accessors", accessor(view));
    edit.json()["animations"][0]["samplers"][0] = json!({ "input": new, "output": new });
    let after = edit.finish().unwrap();
    assert_eq!(after.json()["meshes"], before.json()["meshes"]);
    assert_eq!(after.json()["accessors"][3], before.json()["accessors"][3]);
    assert_eq!(after.json()["animations"][0]["samplers"][0], json!({ "input": 1, "output": 1 }));
    assert_eq!(after.view(1).unwrap()[..], bytes[16..40]);
    assert_eq!(*after.elements(1).unwrap().bytes, [1, 2, 3, 4][..]);
}

#[test]
fn saving_keeps_values_order_and_bytes_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    let json = json!({ "zeta": 1.0, "asset": { "version": "2.0", "extras": [0.1, 1e-7, 5] }, "buffers": [
        { "byteLength": 5, "uri": uri::data_uri(&[1, 2, 3, 4, 5]) }], "alpha": {} });
    let original = document(json.clone());
    let (glb, gltf) = (folder.path().join("a.glb"), folder.path().join("b.gltf"));
    original.save(&glb).unwrap();
    Document::open(&glb).unwrap().save(&gltf).unwrap();
    let back = Document::open(&gltf).unwrap();
    assert_eq!(back.buffer(0).unwrap()[..5], [1, 2, 3, 4, 5]);
    assert_eq!(back.json()["buffers"][0]["uri"], "b.bin");
    let mut values = back.json().clone();
    values["buffers"] = json["buffers"].clone();
    assert_eq!(values.to_string(), json.to_string());
}

#[test]
fn what_did_not_change_is_written_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{ \"asset\" :\t{\"version\":\"2.0\", \"extras\": 1.50}}";
    let before = Document::from_bytes(text.as_bytes(), None, &OpenOptions::default()).unwrap();
    assert_eq!(before.to_bytes().unwrap(), text.as_bytes());
    before.save(folder.path().join("a.gltf")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("a.gltf")).unwrap(), text);
    assert_ne!(before.edit().finish().unwrap().to_bytes().unwrap(), text.as_bytes());
    let marked = Document::from_bytes([b"\xEF\xBB\xBF", text.as_bytes()].concat(), None, &OpenOptions::default());
    assert_eq!(marked.unwrap().to_bytes().unwrap(), text.as_bytes());
}

#[test]
fn a_draft_knows_what_will_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let before = document(json!({ "asset": { "version": "2.0" } }));
    let mut edit = before.edit();
    edit.push_view(vec![1; 10]);
    let after = edit.finish().unwrap();
    for (name, apart) in [("a.gltf", 10), ("a.glb", 0)] {
        let path = folder.path().join(name);
        let draft = after.draft(Some(&path)).unwrap();
        assert!(!path.exists());
        draft.write().unwrap();
        let own = std::fs::metadata(&path).unwrap().len();
        assert_eq!((draft.contents().len() as u64, draft.bytes()), (own, own + apart));
        assert_eq!(draft.files().map(|(_, bytes)| bytes.len() as u64).sum::<u64>(), apart);
        assert_eq!(Document::open(&path).unwrap().bytes_apart(), apart);
    }
}

#[test]
fn a_file_that_two_buffers_name_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.bin"), [7; 4]).unwrap();
    let buffer = json!({ "byteLength": 4, "uri": "a.bin" });
    let json = json!({ "asset": { "version": "2.0" }, "buffers": [buffer, buffer] });
    let document =
        Document::from_bytes(json.to_string().as_bytes(), Some(folder.path().into()), &OpenOptions::default()).unwrap();
    assert_eq!(document.bytes_apart(), 4);
    let draft = document.draft(Some(&folder.path().join("b.gltf"))).unwrap();
    assert_eq!(draft.bytes(), draft.contents().len() as u64 + 4);
}

#[test]
fn files_beside_the_document_come_along_or_stay_reachable() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    std::fs::create_dir_all(from.join("tex")).unwrap();
    std::fs::write(from.join("a b.bin"), [7; 4]).unwrap();
    std::fs::write(from.join("tex/i.png"), [8; 4]).unwrap();
    std::fs::write(folder.path().join("up.png"), [9; 4]).unwrap();
    let json = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": "a%20b.bin", "byteLength": 4 }],
        "images": [{ "uri": "tex/i.png" }, { "uri": "../up.png" }, { "uri": "missing.png" }] });
    std::fs::write(from.join("m.gltf"), json.to_string()).unwrap();
    let document = Document::open(from.join("m.gltf")).unwrap();
    document.save(to.join("deep/m.gltf")).unwrap();
    let moved = Document::open(to.join("deep/m.gltf")).unwrap();
    assert_eq!(moved.buffer(0).unwrap()[..], [7; 4]);
    assert_eq!(std::fs::read(to.join("deep/tex/i.png")).unwrap(), [8; 4]);
    let up = moved.json()["images"][1]["uri"].as_str().unwrap();
    assert_eq!(std::fs::read(to.join("deep").join(up)).unwrap(), [9; 4]);
    assert_eq!(moved.json()["images"][2]["uri"], "missing.png");
}

#[test]
fn an_edited_document_never_overwrites_the_buffer_it_was_read_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gltf");
    std::fs::write(folder.path().join("m.bin"), [7; 4]).unwrap();
    let json = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": "m.bin", "byteLength": 4 }] });
    std::fs::write(&path, json.to_string()).unwrap();
    let document = Document::open(&path).unwrap();
    let mut edit = document.edit();
    edit.push_view(vec![1; 8]);
    edit.finish().unwrap().save(&path).unwrap();
    // Nothing refers to the old bytes any more: they went when the document was in its place, not before.
    assert!(!folder.path().join("m.bin").exists());
    assert_eq!(Document::open(&path).unwrap().view(0).unwrap()[..], [1; 8]);
}

#[test]
fn a_buffer_of_another_document_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (own, others) = (folder.path().join("m.gltf"), folder.path().join("m.bin"));
    std::fs::write(&others, [7; 4]).unwrap();
    let fresh = |byte: u8| {
        let before = document(json!({ "asset": { "version": "2.0" } }));
        let mut edit = before.edit();
        edit.push_view(vec![byte; 8]);
        edit.finish().unwrap()
    };
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    for byte in [1, 2] {
        fresh(byte).save(&own).unwrap();
        assert_eq!(std::fs::read(&others).unwrap(), [7; 4]);
        assert_eq!(Document::open(&own).unwrap().view(0).unwrap()[..], [byte; 8]);
        // What it wrote for itself, it writes over.
        assert_eq!(files(), 3);
    }
}

#[test]
fn a_document_does_not_become_one_of_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let (path, buffer) = (folder.path().join("m.gltf"), folder.path().join("m.bin"));
    std::fs::write(&buffer, [7; 4]).unwrap();
    let json = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": "m.bin", "byteLength": 4 }] });
    std::fs::write(&path, json.to_string()).unwrap();
    let document = Document::open(&path).unwrap();
    assert!(matches!(document.save(folder.path().join("./m.bin")), Err(Error::Io { .. })));
    assert_eq!(std::fs::read(&buffer).unwrap(), [7; 4]);
}

#[test]
fn an_ignored_extension_is_refused_where_required() {
    let json = json!({ "extensionsUsed": ["A", "B"], "extensionsRequired": ["A"] });
    let open = |name: &str| {
        let options = OpenOptions { ignore: vec![name.into()], ..OpenOptions::default() };
        Document::from_bytes(json.to_string().as_bytes(), None, &options)
    };
    assert!(matches!(open("A"), Err(Error::Unsupported { .. })));
    assert!(!open("B").unwrap().uses("B"));
}

#[test]
fn what_is_no_document_is_an_error() {
    for bytes in [&b""[..], b"[]", b"{", b"glTF", b"\xff\xfe", b"nonsense"] {
        assert!(Document::from_bytes(bytes, None, &OpenOptions::default()).is_err());
    }
    let deep = "[".repeat(100_000);
    assert!(Document::from_bytes(deep.as_bytes(), None, &OpenOptions::default()).is_err());
}
