//! Random documents: small scenes whose animations have every kind of track, in every container.

use crate::strange::{self, EXTENSION, EXTENSION_MARK, MARK};
use keyfold::{
    Document, Interpolation, OpenOptions,
    document::{ComponentType, Edit, Shape},
    write::Stored,
};
use keyfold_core::quat;
use keyfold_oracle::Random;
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How many morph targets the mesh has.
const WEIGHTS: usize = 2;
const COLOUR: &str = "/materials/0/pbrMetallicRoughness/baseColorFactor";

/// Where a document's bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Glb,
    DataUris,
    OneFile,
    SeveralFiles,
    /// One file that two buffers name, and another document of the folder.
    SharedFile,
}

pub(crate) const FORMS: [Form; 5] = [Form::Glb, Form::DataUris, Form::OneFile, Form::SeveralFiles, Form::SharedFile];

/// Writes a random document to a folder; where it is.
pub(crate) fn make(random: &mut Random, folder: &Path) -> (PathBuf, Form) {
    let form = random.pick(&FORMS);
    let images = random.chance(30);
    if images {
        fs::write(folder.join("picture.png"), b"a picture").unwrap();
    }
    let document = Scene::new(random, form == Form::SeveralFiles).document(images, folder);
    let path = folder.join(if form == Form::Glb { "first.glb" } else { "first.gltf" });
    match form {
        Form::DataUris => fs::write(&path, document.to_bytes().unwrap()).unwrap(),
        _ => document.save(&path).unwrap(),
    }
    if form == Form::SharedFile {
        share(&path);
    }
    strange::spell(&path);
    (path, form)
}

/// Lets a second buffer, and a second document, name the file of the first.
fn share(path: &Path) {
    let mut json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let buffers = json["buffers"].as_array_mut().unwrap();
    let Some(last) = buffers.last().cloned() else { return };
    buffers.push(last);
    let index = buffers.len() - 1;
    for view in json["bufferViews"].as_array_mut().into_iter().flatten().step_by(2) {
        if view["buffer"] == json!(index - 1) {
            view["buffer"] = json!(index);
        }
    }
    fs::write(path, json.to_string()).unwrap();
    fs::write(path.with_file_name("neighbour.gltf"), json.to_string()).unwrap();
}

struct Scene<'r> {
    random: &'r mut Random,
    nodes: usize,
    several: bool,
    /// Whether rotations are not of unit length and times lack their bounds: what `validate --fix` fixes.
    faulty: bool,
}

/// A track in the making.
struct Channel {
    target: Value,
    sampler: Value,
    extension: Option<&'static str>,
}

impl<'r> Scene<'r> {
    fn new(random: &'r mut Random, several: bool) -> Self {
        let (nodes, faulty) = (1 + random.below(4), random.chance(20));
        Self { random, nodes, several, faulty }
    }

    fn document(mut self, images: bool, folder: &Path) -> Document {
        let blank = self.blank(images).to_string();
        let folder = Some(folder.to_path_buf());
        let blank = Document::from_bytes(blank.as_bytes(), folder, &OpenOptions::default()).unwrap();
        let mut edit = blank.edit();
        self.mesh(&mut edit);
        if images {
            let view = self.view(&mut edit, b"another picture".to_vec());
            edit.json()["images"].as_array_mut().unwrap().push(json!({ "bufferView": view, "mimeType": "image/png" }));
        }
        let mut extensions: Vec<&str> = Vec::new();
        for index in 0..1 + self.random.below(2) {
            let channels = self.animation(&mut edit);
            extensions.extend(channels.iter().filter_map(|channel| channel.extension));
            let (samplers, channels): (Vec<Value>, Vec<Value>) = channels
                .into_iter()
                .enumerate()
                .map(|(i, c)| (c.sampler, json!({ "sampler": i, "target": c.target })))
                .unzip();
            edit.push(
                "animations",
                json!({ "name": format!("clip {index}"), "samplers": samplers, "channels": channels, "extras": MARK }),
            );
        }
        extensions.into_iter().for_each(|name| edit.declare(name, false));
        edit.finish().unwrap()
    }

    fn blank(&mut self, images: bool) -> Value {
        let mut nodes: Vec<Value> = Vec::new();
        for index in 0..self.nodes {
            let mut node = json!({ "name": format!("joint {index}"), "translation": self.vector(1.0) });
            if self.random.chance(40) {
                node["rotation"] = json!(self.rotation());
            }
            if self.random.chance(20) {
                node["scale"] = json!([1.0, 0.5 + self.random.float().abs(), 2.0]);
            }
            if self.random.chance(50) {
                node["extras"] = json!(MARK);
            }
            nodes.push(node);
        }
        // A tree: each hangs on one before it.
        for index in 1..self.nodes {
            let parent = self.random.below(index);
            let children = nodes[parent].as_object_mut().unwrap().entry("children").or_insert_with(|| json!([]));
            children.as_array_mut().unwrap().push(json!(index));
        }
        nodes[0]["mesh"] = json!(0);
        let mut json = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
            "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.5, 0.5, 1.0] }, "extras": MARK }],
            "extras": MARK,
        });
        if self.random.chance(30) {
            json["nodes"][0]["extensions"] = json!({ EXTENSION: EXTENSION_MARK });
            json["extensionsUsed"] = json!([EXTENSION]);
        }
        if images {
            json["images"] = json!([{ "uri": "picture.png" }]);
        }
        json
    }

    fn mesh(&mut self, edit: &mut Edit<'_>) {
        let corners: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let positions = Stored { bounds: true, ..Stored::floats(Shape::Vec3, corners.as_flattened()) };
        let position = self.accessor(edit, &positions);
        edit.json()["accessors"][position]["extras"] = json!(MARK);
        let targets: Vec<Value> = (0..WEIGHTS).map(|_| json!({ "POSITION": position })).collect();
        let primitive = json!({ "attributes": { "POSITION": position }, "material": 0, "targets": targets });
        edit.push("meshes", json!({ "primitives": [primitive], "extras": MARK }));
    }

    fn animation(&mut self, edit: &mut Edit<'_>) -> Vec<Channel> {
        let keys = 2 + self.random.below(10);
        let times: Vec<f32> = (0..keys).map(|i| i as f32 / 12.0).collect();
        let input = self.times(edit, &times);
        let mut channels = Vec::new();
        for node in 0..self.nodes {
            for path in ["translation", "rotation", "scale"] {
                if self.random.chance(50) {
                    channels.push(self.movement(edit, node, path, input, &times));
                }
            }
        }
        if self.random.chance(40) {
            channels.push(self.weights(edit, input, &times));
        }
        if self.random.chance(40) {
            channels.push(self.colour(edit, input, &times));
        }
        if channels.is_empty() {
            channels.push(self.movement(edit, 0, "rotation", input, &times));
        }
        channels
    }

    fn times(&mut self, edit: &mut Edit<'_>, times: &[f32]) -> usize {
        let bounds = !(self.faulty && self.random.chance(50));
        self.accessor(edit, &Stored { bounds, ..Stored::times(times) })
    }

    fn movement(&mut self, edit: &mut Edit<'_>, node: usize, path: &str, input: usize, times: &[f32]) -> Channel {
        let interpolation = self.interpolation();
        let constant = self.random.chance(15);
        let (speed, phase) = (1.0 + 2.0 * self.random.float().abs(), self.random.float());
        let swing = |t: f32| if constant { phase } else { (t * speed + phase).sin() };
        let output = if path == "rotation" {
            let at = |t: f32| {
                quat::exp([0.9 * swing(t), 0.4 * swing(t + 1.0), 0.2 * phase].map(f64::from)).map(|c| c as f32)
            };
            let length = if self.faulty && interpolation != Interpolation::CubicSpline { 1.5 } else { 1.0 };
            let values = curve(interpolation, times, |t| at(t).map(|c| c * length).to_vec());
            let small = interpolation != Interpolation::CubicSpline && length == 1.0 && self.random.chance(20);
            let stored = if small { shorts(&values) } else { Stored::floats(Shape::Vec4, &values) };
            self.accessor(edit, &stored)
        } else {
            let base = if path == "scale" { 1.5 } else { 0.0 };
            let values = curve(interpolation, times, |t| vec![base + swing(t), base + 0.3 * swing(t + 0.5), base]);
            self.accessor(edit, &Stored::floats(Shape::Vec3, &values))
        };
        let pointer = format!("/nodes/{node}/{path}");
        let (target, extension) = self.target(json!({ "node": node, "path": path }), &pointer);
        Channel { target, sampler: sampler(interpolation, input, output), extension }
    }

    fn weights(&mut self, edit: &mut Edit<'_>, input: usize, times: &[f32]) -> Channel {
        let interpolation = self.interpolation();
        let values = curve(interpolation, times, |t| (0..WEIGHTS).map(|w| 0.5 + 0.4 * (t + w as f32).sin()).collect());
        let output = self.accessor(edit, &Stored::floats(Shape::Scalar, &values));
        let (target, extension) = self.target(json!({ "node": 0, "path": "weights" }), "/nodes/0/weights");
        Channel { target, sampler: sampler(interpolation, input, output), extension }
    }

    fn colour(&mut self, edit: &mut Edit<'_>, input: usize, times: &[f32]) -> Channel {
        let interpolation = self.interpolation();
        let draft = self.random.chance(50);
        let component = draft && self.random.chance(50);
        let width = if component { 1 } else { 4 };
        let values =
            curve(interpolation, times, |t| (0..width).map(|c| 0.5 + 0.4 * (t * 2.0 + c as f32).cos()).collect());
        let shape = if component { Shape::Scalar } else { Shape::Vec4 };
        let output = self.accessor(edit, &Stored::floats(shape, &values));
        let pointer = if component { format!("{COLOUR}/2") } else { COLOUR.to_owned() };
        let (target, extension) = if draft { animation2(&pointer) } else { ratified(&pointer) };
        Channel { target, sampler: sampler(interpolation, input, output), extension: Some(extension) }
    }

    fn interpolation(&mut self) -> Interpolation {
        let common = [Interpolation::Linear, Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline];
        self.random.pick(&common)
    }

    /// A target in one of the ways to say it.
    fn target(&mut self, core: Value, pointer: &str) -> (Value, Option<&'static str>) {
        let said = match self.random.below(10) {
            0 => animation2(pointer),
            1 => ratified(pointer),
            _ => return (core, None),
        };
        (said.0, Some(said.1))
    }

    fn accessor(&mut self, edit: &mut Edit<'_>, content: &Stored) -> usize {
        let view = self.view(edit, content.bytes.clone());
        let mut object = Map::from_iter([("bufferView".to_owned(), json!(view))]);
        object.extend(content.accessor(None));
        edit.push("accessors", Value::Object(object))
    }

    /// A view in some buffer.
    fn view(&mut self, edit: &mut Edit<'_>, bytes: Vec<u8>) -> usize {
        if !self.several {
            return edit.push_view(bytes);
        }
        let buffer = match edit.next("buffers") {
            count if count == 0 || (count < 3 && self.random.chance(40)) => {
                edit.push_buffer(Some(&format!("part{count}")))
            }
            count => self.random.below(count),
        };
        edit.push_view_in(Some(buffer), bytes, Map::new())
    }

    fn vector(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| size * self.random.float())
    }

    fn rotation(&mut self) -> [f64; 4] {
        quat::exp(self.vector(1.0).map(f64::from))
    }
}

fn animation2(pointer: &str) -> (Value, &'static str) {
    (json!({ "path": pointer, "extensions": { "KHR_animation2": {} } }), "KHR_animation2")
}

fn ratified(pointer: &str) -> (Value, &'static str) {
    let extension = json!({ "KHR_animation_pointer": { "pointer": pointer } });
    (json!({ "path": "pointer", "extensions": extension }), "KHR_animation_pointer")
}

fn sampler(interpolation: Interpolation, input: usize, output: usize) -> Value {
    json!({ "input": input, "output": output, "interpolation": interpolation.name() })
}

/// Keys of a movement; tangents where the interpolation has them.
fn curve(interpolation: Interpolation, times: &[f32], value: impl Fn(f32) -> Vec<f32>) -> Vec<f32> {
    let slope =
        |t: f32| -> Vec<f32> { value(t + 1e-2).iter().zip(value(t - 1e-2)).map(|(a, b)| (a - b) / 2e-2).collect() };
    let key = |t: &f32| match interpolation {
        Interpolation::CubicSpline => [slope(*t), value(*t), slope(*t)].concat(),
        _ => value(*t),
    };
    times.iter().flat_map(key).collect()
}

fn shorts(values: &[f32]) -> Stored {
    let codes: Vec<i64> = values.iter().map(|v| (v * 32767.0).round() as i64).collect();
    Stored::integers(ComponentType::I16, Shape::Vec4, true, &codes)
}
