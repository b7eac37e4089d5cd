//! What lies beside a document's animations is in memory once: no form that is tried, written or opened again copies it.

use keyfold::{
    Bound, ConvertOptions, Document, OpenOptions, Storage, StorageForm, convert, document::Draft, kept, pack, unpack,
    write::MeshoptVersion,
};
use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// How many bytes an image takes that nobody changes.
const IMAGE: usize = 64 << 20;

/// The most that work may take beside what is loaded: a third of the image, and a search takes some of it.
const MOST: usize = IMAGE / 3;

/// A sample whose first buffer has an image in front of everything, and the buffer.
fn with_image() -> (Value, Vec<u8>) {
    let sample = Document::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb")).unwrap();
    let mut json = sample.json().clone();
    let views = json["bufferViews"].as_array_mut().unwrap();
    for view in views.iter_mut() {
        view["byteOffset"] = json!(view["byteOffset"].as_u64().unwrap_or(0) + IMAGE as u64);
    }
    views.push(json!({ "buffer": 0, "byteLength": IMAGE }));
    json["images"] = json!([{ "bufferView": views.len() - 1, "mimeType": "image/png" }]);
    let bytes = [vec![7; IMAGE], sample.buffer(0).unwrap().to_vec()].concat();
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    (json, bytes)
}

/// The same as a text whose buffer is a file, and as a binary file.
fn documents() -> [Document; 2] {
    let (mut json, bytes) = with_image();
    json["buffers"][0]["uri"] = json!("machine.bin");
    let files = move |_: &str, _: u64| -> keyfold::Result<Vec<u8>> { Ok(bytes.clone()) };
    let options = OpenOptions { resolver: Some(Arc::new(files)), ..OpenOptions::default() };
    let text = Document::from_bytes(json.to_string().as_bytes(), None, &options).unwrap();
    let binary = text.draft(Some("machine.glb".as_ref())).unwrap().contents().to_vec();
    [text, Document::from_bytes(binary, None, &OpenOptions::default()).unwrap()]
}

/// What work takes at its worst moment beside what was there before, with the draft that comes of it.
fn measured(name: &str, work: impl FnOnce() -> Draft) -> Draft {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let draft = work();
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(peak < MOST, "{name}: {peak} bytes beside a document of {IMAGE}");
    assert!(draft.bytes() > IMAGE as u64, "{name}: the image is gone");
    draft
}

#[test]
fn what_lies_beside_animations_is_in_memory_once() {
    for (document, name) in documents().iter().zip(["machine.gltf", "machine.glb"]) {
        document.buffer(0).unwrap();
        let draft = |made: &Document| made.draft(Some(name.as_ref())).unwrap();
        for storage in Storage::ALL {
            let options = pack::Options { storage, ..pack::Options::default() };
            measured(&format!("pack {name} {storage:?}"), || draft(&pack::pack(document, &options).unwrap().document));
        }
        let options =
            ConvertOptions { storage: Some(StorageForm::Meshopt(MeshoptVersion::Ext)), ..ConvertOptions::default() };
        let converted = measured(&format!("convert {name}"), || {
            let draft = draft(&convert(document, &options).unwrap().document.unwrap());
            assert!(kept(document, draft.document(), options.max_error).unwrap().broken.is_empty());
            draft
        });
        measured(&format!("unpack {name}"), || {
            draft(&unpack(converted.document(), Bound::default()).unwrap().document)
        });
    }
}
