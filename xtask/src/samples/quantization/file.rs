//! A small file with one animation, and what a reader should make of it: computed here, from the draft's text alone, so that the library's
//! reader is checked against something else than itself.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};

/// The extension's name.
pub(super) const NAME: &str = "EXT_animation_quantization";

/// What an accessor stores.
#[derive(Clone)]
pub(super) struct Data {
    pub(super) component: u32,
    pub(super) normalized: bool,
    pub(super) shape: &'static str,
    pub(super) numbers: Vec<f64>,
}

impl Data {
    pub(super) fn new(component: u32, normalized: bool, shape: &'static str, numbers: &[f64]) -> Self {
        Self { component, normalized, shape, numbers: numbers.to_vec() }
    }

    /// Times in seconds.
    pub(super) fn seconds(times: &[f64]) -> Self {
        Self::new(5126, false, "SCALAR", times)
    }

    pub(super) fn components(&self) -> usize {
        match self.shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 4,
        }
    }

    /// The greatest integer of the type; 1 for floats.
    pub(super) fn greatest(&self) -> f64 {
        match self.component {
            5120 => 127.0,
            5121 => 255.0,
            5122 => 32767.0,
            5123 => 65535.0,
            _ => 1.0,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let bytes = |n: f64| match self.component {
            5120 => (n as i8).to_le_bytes().to_vec(),
            5121 => (n as u8).to_le_bytes().to_vec(),
            5122 => (n as i16).to_le_bytes().to_vec(),
            5123 => (n as u16).to_le_bytes().to_vec(),
            5125 => (n as u32).to_le_bytes().to_vec(),
            _ => (n as f32).to_le_bytes().to_vec(),
        };
        self.numbers.iter().flat_map(|n| bytes(*n)).collect()
    }

    /// The numbers as the draft's equations read them, before `scale` and `offset`.
    fn read(&self) -> Vec<f64> {
        let read = |n: &f64| match (self.component, self.normalized) {
            (5126, _) => f64::from(*n as f32),
            (_, true) => (n / self.greatest()).max(-1.0),
            (_, false) => *n,
        };
        self.numbers.iter().map(read).collect()
    }

    fn accessor(&self, view: usize, bounds: bool) -> Value {
        let count = self.numbers.len() / self.components();
        let mut object =
            json!({ "bufferView": view, "componentType": self.component, "count": count, "type": self.shape });
        if self.normalized {
            object["normalized"] = json!(true);
        }
        if bounds {
            let of = |pick: fn(f64, f64) -> f64, from: f64| number(self.numbers.iter().copied().fold(from, pick));
            object["min"] = json!([of(f64::min, f64::INFINITY)]);
            object["max"] = json!([of(f64::max, f64::NEG_INFINITY)]);
        }
        object
    }
}

fn number(n: f64) -> Value {
    if n.fract() == 0.0 { json!(n as i64) } else { json!(n) }
}

/// One channel.
#[derive(Clone)]
pub(super) struct Channel {
    pub(super) node: usize,
    pub(super) path: &'static str,
    pub(super) interpolation: &'static str,
    pub(super) times: Data,
    pub(super) values: Data,
    pub(super) offset: Option<Vec<f64>>,
    pub(super) scale: Option<Vec<f64>>,
    pub(super) time_scale: Option<f64>,
}

impl Channel {
    pub(super) fn new(path: &'static str, times: Data, values: Data) -> Self {
        let (offset, scale, time_scale) = (None, None, None);
        Self { node: 0, path, interpolation: "LINEAR", times, values, offset, scale, time_scale }
    }

    fn parameters(&self) -> Option<Value> {
        let mut object = Map::new();
        for (key, numbers) in [("offset", &self.offset), ("scale", &self.scale)] {
            if let Some(numbers) = numbers {
                object.insert(key.into(), numbers.iter().copied().map(number).collect());
            }
        }
        if let Some(scale) = self.time_scale {
            object.insert("timeScale".into(), number(scale));
        }
        (!object.is_empty()).then_some(Value::Object(object))
    }

    /// The track that a reader should make of the channel: times, and every stored element with its layout undone.
    pub(super) fn expected(&self) -> Value {
        let times = self.times.read().into_iter().map(|t| float(t * self.time_scale.unwrap_or(1.0)));
        let width = self.values.components();
        let at = |list: &Option<Vec<f64>>, i: usize, default: f64| list.as_ref().map_or(default, |l| l[i]);
        let scaled: Vec<f64> = (self.values.read().into_iter().enumerate())
            .map(|(i, n)| n * at(&self.scale, i % width, 1.0) + at(&self.offset, i % width, 0.0))
            .collect();
        let values = scaled.chunks(width).map(|element| self.expand(element).into_iter().map(float).collect::<Value>());
        json!({
            "target": self.target(),
            "interpolation": self.interpolation,
            "times": times.collect::<Value>(),
            "values": values.collect::<Value>(),
        })
    }

    fn target(&self) -> String {
        let path = if self.path.starts_with("rotation") { "rotation" } else { self.path };
        format!("/nodes/{}/{path}", self.node)
    }

    fn expand(&self, element: &[f64]) -> Vec<f64> {
        let place = |axis: &str, value: f64| ["x", "y", "z"].map(|a| if a == axis { value } else { 0.0 });
        let with_w = |[x, y, z]: [f64; 3]| {
            let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
            let length = (x * x + y * y + z * z + w * w).sqrt();
            vec![x / length, y / length, z / length, w / length]
        };
        match (self.path.split_once('.'), element) {
            (Some(("rotation", axis)), [value]) => with_w(place(axis, *value)),
            (Some(("rotation", axis)), [value, w]) => [&place(axis, *value)[..], &[*w]].concat(),
            (None, [x, y, z]) if self.path == "rotation" => with_w([*x, *y, *z]),
            (None, [factor]) if self.path == "scale" => vec![*factor; 3],
            _ => element.to_vec(),
        }
    }
}

fn float(n: f64) -> Value {
    // The shortest digits that tell a 32-bit float from its neighbours.
    (n as f32).to_string().parse::<f64>().map_or(Value::Null, number)
}

/// A file with one animation of these channels; equal samplers are written once.
pub(super) fn document(channels: &[Channel]) -> Value {
    let (mut bytes, mut views, mut accessors) = (Vec::<u8>::new(), Vec::new(), Vec::new());
    let mut store = |data: &Data, bounds: bool| {
        let start = bytes.len();
        bytes.extend(data.bytes());
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start }));
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        accessors.push(data.accessor(views.len() - 1, bounds));
        accessors.len() - 1
    };
    let mut samplers: Vec<Value> = Vec::new();
    let mut known: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut objects = Vec::new();
    for channel in channels {
        let key = [channel.times.bytes(), channel.values.bytes(), channel.interpolation.as_bytes().to_vec()].concat();
        let sampler = known.iter().find(|(k, _)| *k == key).map(|(_, index)| *index).unwrap_or_else(|| {
            let (input, output) = (store(&channel.times, true), store(&channel.values, false));
            samplers.push(json!({ "input": input, "interpolation": channel.interpolation, "output": output }));
            known.push((key, samplers.len() - 1));
            samplers.len() - 1
        });
        let mut object = json!({ "sampler": sampler, "target": { "node": channel.node, "path": channel.path } });
        if let Some(parameters) = channel.parameters() {
            object["extensions"] = json!({ NAME: parameters });
        }
        objects.push(object);
    }
    let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes));
    json!({
        "asset": { "version": "2.0", "generator": "Keyfold samples" },
        "extensionsUsed": [NAME],
        "extensionsRequired": [NAME],
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "name": "first", "translation": [1, 2, 3], "scale": [1, 2, 1] }, { "name": "second" }],
        "animations": [{ "channels": objects, "samplers": samplers }],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{ "byteLength": bytes.len(), "uri": uri }],
    })
}
