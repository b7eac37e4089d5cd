//! Small documents to break: a builder, and the cases.

use keyfold::{
    Document, OpenOptions,
    document::{ComponentType, Shape},
    write::{MeshoptVersion, Stored, place_meshopt},
};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A document under construction, its data in one buffer.
pub(crate) struct Made {
    pub(crate) json: Value,
    bin: Vec<u8>,
}

pub(crate) fn le(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

impl Made {
    /// A scene of nodes that can be told apart, with something in it that is nobody's business.
    pub(crate) fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0, 1, 2] }],
            "nodes": [{ "name": "a" }, { "name": "b" }, { "name": "c" }],
            "buffers": [{ "byteLength": 0, "name": "all" }],
            "bufferViews": [],
            "accessors": [],
            "animations": [],
            "extras": { "kept": [0.1, 1e-7, 12345678901234567u64] }
        });
        let mut made = Self { json, bin: Vec::new() };
        // Data that nobody uses stays where it is.
        made.view(&[0xAB; 12]);
        made
    }

    pub(crate) fn push(&mut self, list: &str, object: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(object);
        list.len() - 1
    }

    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    /// An accessor over a view, without bounds.
    pub(crate) fn accessor_in(&mut self, view: usize, component: u32, kind: &str, count: usize) -> usize {
        let normalized = component != 5126;
        let mut object = json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        if normalized {
            object["normalized"] = json!(true);
        }
        self.push("accessors", object)
    }

    pub(crate) fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let width = [("SCALAR", 1), ("VEC3", 3), ("VEC4", 4), ("MAT4", 16)].iter().find(|k| k.0 == kind).unwrap().1;
        let view = self.view(&le(values));
        self.accessor_in(view, 5126, kind, values.len() / width)
    }

    /// An input with true bounds.
    pub(crate) fn times(&mut self, times: &[f32]) -> usize {
        let input = self.floats("SCALAR", times);
        self.bound(input, times);
        input
    }

    pub(crate) fn bound(&mut self, accessor: usize, times: &[f32]) {
        let pick = |f: fn(f32, f32) -> f32| times.iter().copied().reduce(f).unwrap();
        self.json["accessors"][accessor]["min"] = json!([pick(f32::min)]);
        self.json["accessors"][accessor]["max"] = json!([pick(f32::max)]);
    }

    /// A channel with a sampler of its own, in the first animation or a given one.
    pub(crate) fn animate(
        &mut self,
        animation: usize,
        target: (usize, &str),
        keys: (usize, usize),
        interpolation: &str,
    ) {
        while self.json["animations"].as_array().unwrap().len() <= animation {
            self.push("animations", json!({ "channels": [], "samplers": [] }));
        }
        let object = &mut self.json["animations"][animation];
        let samplers = object["samplers"].as_array_mut().unwrap();
        samplers.push(json!({ "input": keys.0, "output": keys.1, "interpolation": interpolation }));
        let sampler = samplers.len() - 1;
        let channel = json!({ "sampler": sampler, "target": { "node": target.0, "path": target.1 } });
        object["channels"].as_array_mut().unwrap().push(channel);
    }

    /// A mesh with a triangle whose positions are in an accessor.
    pub(crate) fn mesh(&mut self, positions: usize) {
        self.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]);
        self.json["nodes"][2]["mesh"] = json!(0);
    }

    fn finished(&self) -> Value {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = json!(self.bin.len());
        if json["animations"] == json!([]) {
            json.as_object_mut().unwrap().remove("animations");
        }
        json
    }

    /// Writes it as GLB (`name.glb`), or as a text with its data in a file beside it.
    pub(crate) fn write(&self, path: &Path) {
        let mut json = self.finished();
        if path.extension().is_some_and(|e| e == "gltf") {
            let data = path.with_extension("data");
            fs::write(&data, &self.bin).unwrap();
            json["buffers"][0]["uri"] = json!(data.file_name().unwrap().to_str());
            return fs::write(path, serde_json::to_vec_pretty(&json).unwrap()).unwrap();
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut out = [&b"glTF"[..], &2u32.to_le_bytes(), &[0; 4]].concat();
        for (kind, data) in [(b"JSON", &text), (b"BIN\0", &self.bin)] {
            out.extend_from_slice(&(data.len() as u32).to_le_bytes());
            out.extend_from_slice(kind);
            out.extend_from_slice(data);
        }
        let length = out.len() as u32;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        fs::write(path, out).unwrap();
    }

    /// The document with its input in a buffer view that meshopt compresses.
    pub(crate) fn write_compressed(&self, path: &Path, times: &[f32]) {
        let plain = path.with_extension("plain.glb");
        self.write(&plain);
        let document = Document::from_bytes(fs::read(plain).unwrap(), None, &OpenOptions::default()).unwrap();
        let mut edit = document.edit();
        let stored = Stored { bounds: true, ..Stored::floats(Shape::Scalar, times) };
        assert_eq!(stored.component, ComponentType::F32);
        let placed = place_meshopt(&mut edit, &[&stored], MeshoptVersion::Ext, &|_, _| true).unwrap();
        edit.json()["animations"][0]["samplers"][0]["input"] = json!(placed[0]);
        edit.finish().unwrap().save(path).unwrap();
    }
}
