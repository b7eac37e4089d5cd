//! A document and the files beside it, replaced as one: whatever happens on the way, the old one or the new one is whole.

use keyfold::{Document, OpenOptions};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// A document with nothing but so many bytes.
fn holding(byte: u8) -> Document {
    let blank = json!({ "asset": { "version": "2.0" } }).to_string();
    let blank = Document::from_bytes(blank.as_bytes(), None, &OpenOptions::default()).unwrap();
    let mut edit = blank.edit();
    edit.push_view(vec![byte; 16]);
    edit.finish().unwrap()
}

/// A document of a folder whose only buffer is a file there.
fn naming(folder: &Path, name: &str, buffer: &str) -> PathBuf {
    let json = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": buffer, "byteLength": 16 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 16 }] });
    fs::write(folder.join(name), json.to_string()).unwrap();
    folder.join(name)
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What a document's first view has.
fn held(path: &Path) -> u8 {
    let document = Document::open(path).unwrap();
    let view = document.view(0).unwrap();
    assert!(view.iter().all(|byte| *byte == view[0]));
    view[0]
}

fn uri(path: &Path) -> Value {
    Document::open(path).unwrap().json()["buffers"][0]["uri"].clone()
}

#[test]
fn between_any_two_steps_the_old_document_or_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gltf");
    holding(1).save(&path).unwrap();
    assert_eq!(uri(&path), "m.bin");
    let draft = holding(2).draft(Some(&path)).unwrap();
    for (file, bytes) in draft.files() {
        assert!(!file.exists(), "{} is something else's", file.display());
        // The run ends here.
        fs::write(file, bytes.to_vec()).unwrap();
        assert_eq!(held(&path), 1);
    }
    // The next one finds its own data, and goes on.
    draft.write().unwrap();
    assert_eq!(held(&path), 2);
    assert_eq!(names(folder.path()), set(&["m.gltf", "m.1.bin"]));
    holding(3).save(&path).unwrap();
    assert_eq!((held(&path), uri(&path)), (3, json!("m.bin")));
    assert_eq!(names(folder.path()), set(&["m.gltf", "m.bin"]));
}

#[test]
fn what_was_written_for_a_document_that_could_not_be_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gltf");
    let draft = holding(1).draft(Some(&path)).unwrap();
    // Nothing can take the place of a folder.
    fs::create_dir_all(path.join("in the way")).unwrap();
    assert!(draft.write().is_err());
    assert_eq!(names(folder.path()), set(&["m.gltf"]));
}

#[test]
fn a_file_that_another_document_refers_to_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("m.bin"), [1; 16]).unwrap();
    let own = naming(folder, "m.gltf", "m.bin");
    let other = naming(folder, "other.scene", "./m.bin");
    let mut edit = Document::open(&own).unwrap().edit().finish().unwrap();
    edit = {
        let mut again = edit.edit();
        again.push_view(vec![9; 4]);
        again.finish().unwrap()
    };
    edit.save(&own).unwrap();
    assert_eq!((held(&own), held(&other)), (1, 1));
    assert_eq!(uri(&own), "m.1.bin");
    fs::remove_file(&other).unwrap();
    holding(2).save(&own).unwrap();
    // What the document before did not refer to is none of its business.
    assert_eq!(names(folder), set(&["m.gltf", "m.bin", "m.2.bin"]));
    let strange = naming(folder, "m.gltf", "shared.bin");
    fs::write(folder.join("shared.bin"), [5; 16]).unwrap();
    holding(3).save(&strange).unwrap();
    assert!(folder.join("shared.bin").exists(), "it has no name of the document's");
}

#[test]
fn a_document_elsewhere_that_is_read_from_a_folder_keeps_its_files_there() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("m.bin"), [1; 16]).unwrap();
    let above = naming(folder.path(), "above.gltf", "sub/m.bin");
    let own = naming(&sub, "m.gltf", "m.bin");
    let before = Document::open(&above).unwrap();
    let mut edit = before.edit();
    edit.push_view(vec![9; 4]);
    edit.finish().unwrap().save(&own).unwrap();
    assert_eq!((held(&own), held(&above)), (1, 1));
}

#[test]
fn what_comes_along_takes_a_number_where_its_name_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir_all(from.join("tex")).unwrap();
    fs::create_dir_all(to.join("tex")).unwrap();
    fs::write(from.join("data.bin"), [1; 16]).unwrap();
    fs::write(from.join("tex/i.png"), [2; 4]).unwrap();
    fs::write(to.join("data.bin"), [7; 16]).unwrap();
    fs::write(to.join("tex/i.png"), [7; 4]).unwrap();
    let path = naming(&from, "m.gltf", "data.bin");
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    json["images"] = json!([{ "uri": "tex/i.png" }]);
    fs::write(&path, json.to_string()).unwrap();
    for _ in 0..2 {
        Document::open(&path).unwrap().save(to.join("m.gltf")).unwrap();
        let moved = Document::open(to.join("m.gltf")).unwrap();
        assert_eq!(moved.json()["images"][0]["uri"], "tex/i.1.png");
        assert_eq!((held(&to.join("m.gltf")), uri(&to.join("m.gltf"))), (1, json!("data.1.bin")));
        assert_eq!(fs::read(to.join("tex/i.1.png")).unwrap(), [2; 4]);
        assert_eq!((fs::read(to.join("data.bin")).unwrap()[0], fs::read(to.join("tex/i.png")).unwrap()[0]), (7, 7));
    }
    // A document that takes the name of one of its own files lets the file go aside.
    Document::open(&path).unwrap().save(to.join("fresh/data.bin")).unwrap();
    assert_eq!(held(&to.join("fresh/data.bin")), 1);
}

#[test]
fn a_buffer_that_is_needed_and_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = naming(folder.path(), "m.gltf", "missing.bin");
    for name in ["out.gltf", "out.glb"] {
        let error = Document::open(&path).unwrap().save(folder.path().join(name)).unwrap_err();
        assert!(error.to_string().contains("missing.bin"), "{error}");
        assert!(!folder.path().join(name).exists());
    }
    // What only stands in for compressed data need not be there.
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    json["extensionsUsed"] = json!(["EXT_meshopt_compression"]);
    json["buffers"].as_array_mut().unwrap().push(json!({ "uri": "data:,0123", "byteLength": 4 }));
    json["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression":
        { "buffer": 1, "byteLength": 4, "byteStride": 4, "count": 4, "mode": "ATTRIBUTES" } });
    fs::write(&path, json.to_string()).unwrap();
    Document::open(&path).unwrap().save(folder.path().join("out.gltf")).unwrap();
}

/// A document that names a file of its folder, replaced by one with other bytes; whether the file is still there.
fn stays(folder: &Path) -> bool {
    fs::write(folder.join("m.bin"), [1; 16]).unwrap();
    let own = naming(folder, "m.gltf", "m.bin");
    let before = Document::open(&own).unwrap();
    let mut edit = before.edit();
    edit.push_view(vec![9; 4]);
    edit.finish().unwrap().save(&own).unwrap();
    assert_eq!(held(&own), 1);
    folder.join("m.bin").exists()
}

#[test]
fn a_file_stays_that_any_document_near_may_refer_to() {
    let text = r#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "m.bin", "byteLength": 16 }], "name": "X" }"#;
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let escaped = text.replace("m.bin", "\\u006d.bin");
    let neighbours: [(&str, &str, Vec<u8>); 9] = [
        ("below", "deep/er/other.gltf", text.replace("m.bin", "../../m.bin").into()),
        ("above", "../other.gltf", text.replace("m.bin", "in/m.bin").into()),
        ("Latin-1", "other.gltf", text.bytes().map(|byte| if byte == b'X' { 0xe9 } else { byte }).collect()),
        ("not a number", "other.scene", text.replace("\"X\"", "NaN").into()),
        ("a comma too many", "other.gltf", text.replace("\"X\"", "\"X\",").into()),
        ("a comment", "other.gltf", format!("// by hand\n{text}").into()),
        ("UTF-16", "other.gltf", utf16),
        ("percent-encoded", "other.gltf", text.replace("m.bin", "%6d.bin").replace("\"X\"", "NaN").into()),
        ("escaped", "other.gltf", escaped.into()),
    ];
    for (what, name, bytes) in neighbours {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("in");
        fs::create_dir_all(folder.join("deep/er")).unwrap();
        assert!(!stays(&folder), "nobody else refers to it");
        fs::remove_file(folder.join("m.gltf")).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        assert!(stays(&folder), "{what}");
    }
}

#[test]
fn what_a_document_from_memory_is_read_from_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("m.bin"), [1; 16]).unwrap();
    let own = naming(folder, "m.gltf", "m.bin");
    let options = OpenOptions::default();
    let streamed = Document::from_bytes(fs::read(&own).unwrap(), Some(folder.to_path_buf()), &options).unwrap();
    let mut edit = streamed.edit();
    edit.push_view(vec![9; 4]);
    edit.finish().unwrap().save(&own).unwrap();
    assert_eq!((held(&own), uri(&own)), (1, json!("m.1.bin")));
    assert!(folder.join("m.bin").exists(), "whatever the stream came from refers to it");
}

#[cfg(unix)]
#[test]
fn files_lie_beside_what_a_link_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let (real, links) = (folder.path().join("real"), folder.path().join("links"));
    fs::create_dir_all(&real).unwrap();
    fs::create_dir_all(&links).unwrap();
    holding(1).save(real.join("walk.gltf")).unwrap();
    std::os::unix::fs::symlink("../real/walk.gltf", links.join("link.gltf")).unwrap();
    holding(2).save(links.join("link.gltf")).unwrap();
    assert_eq!(names(&links), set(&["link.gltf"]));
    assert_eq!(names(&real), set(&["walk.gltf", "walk.1.bin"]));
    assert_eq!((held(&real.join("walk.gltf")), uri(&real.join("walk.gltf"))), (2, json!("walk.1.bin")));
}

#[test]
fn a_write_that_fails_takes_no_file_from_who_was_first() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir_all(&from).unwrap();
    fs::write(from.join("shared.bin"), [1; 16]).unwrap();
    let source = Document::open(naming(&from, "m.gltf", "shared.bin")).unwrap();
    // Both see that nothing is there; the second is done while the first has not begun, and the first fails.
    let first = source.draft(Some(&to.join("first.gltf"))).unwrap();
    let second = source.draft(Some(&to.join("second.gltf"))).unwrap();
    second.write().unwrap();
    fs::create_dir_all(to.join("first.gltf")).unwrap();
    assert!(first.write().is_err());
    assert_eq!(held(&to.join("second.gltf")), 1);
    assert_eq!(names(&to), set(&["first.gltf", "second.gltf", "shared.bin"]));
}

#[test]
fn addresses_keep_their_spelling_and_their_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir_all(&from).unwrap();
    fs::create_dir_all(&to).unwrap();
    fs::write(from.join("m.bin"), [1; 16]).unwrap();
    fs::write(from.join("i.png"), [2; 4]).unwrap();
    fs::write(to.join("i.png"), [7; 4]).unwrap();
    let path = naming(&from, "m.gltf", "m.bin");
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let absolute = ["urn:x:y", "mailto:a@b", "blob:c/d", "tag:e", "HTTP://f/g.png", "DATA:image/png;base64,AQI="];
    json["images"] = json!([{ "uri": "./i.png" }]);
    json["images"].as_array_mut().unwrap().extend(absolute.iter().map(|uri| json!({ "uri": uri })));
    fs::write(&path, json.to_string()).unwrap();
    Document::open(&path).unwrap().save(to.join("m.gltf")).unwrap();
    let images = Document::open(to.join("m.gltf")).unwrap().json()["images"].clone();
    assert_eq!(images[0]["uri"], "./i.1.png");
    assert_eq!(fs::read(to.join("i.1.png")).unwrap(), [2; 4]);
    for (image, uri) in images.as_array().unwrap().iter().skip(1).zip(absolute) {
        assert_eq!(image["uri"], uri);
    }
}
