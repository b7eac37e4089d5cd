//! Random animated files, as `.glb`.

use keyfold_oracle::Random;
use serde_json::{Value, json};

fn vector<const N: usize>(random: &mut Random, by: f64) -> [f64; N] {
    [0.0; N].map(|_| by * f64::from(random.float()))
}

fn unit(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 1e-3 { q.map(|c| c / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// A file in the making.
#[derive(Default)]
pub(crate) struct File {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl File {
    fn accessor(&mut self, shape: &str, width: usize, values: &[f32]) -> usize {
        let start = self.bin.len();
        values.iter().for_each(|v| self.bin.extend(v.to_le_bytes()));
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": 4 * values.len() }));
        let mut accessor = json!({ "bufferView": self.views.len() - 1, "componentType": 5126, "count": values.len() / width, "type": shape });
        if width == 1 {
            accessor["min"] = json!([values[0]]);
            accessor["max"] = json!([values[values.len() - 1]]);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    pub(crate) fn track(&mut self, node: usize, path: &str, form: &str, times: &[f32], values: &[f64]) {
        let (shape, width) = if path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
        let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
        let (input, output) = (self.accessor("SCALAR", 1, times), self.accessor(shape, width, &values));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": form }));
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    pub(crate) fn glb(self, nodes: &[Value]) -> Vec<u8> {
        let json = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
            "animations": [{ "name": "random", "channels": self.channels, "samplers": self.samplers }],
            "accessors": self.accessors, "bufferViews": self.views, "buffers": [{ "byteLength": self.bin.len() }],
        });
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let head = [*b"glTF", word(2), word(28 + text.len() + self.bin.len()), word(text.len()), *b"JSON"].concat();
        [&head, &text, &word(self.bin.len())[..], b"BIN\0", &self.bin].concat()
    }
}

/// A skeleton of up to seven nodes and an animation of it.
pub(crate) fn made(random: &mut Random) -> Vec<u8> {
    let count = 1 + random.below(7);
    // Metres, millimetres, kilometres or less than a hair's breadth; a root that makes others of them.
    let size = random.pick(&[1.0, 1.0, 1e-3, 1e3, 1e-5]);
    let root_scale = random.pick(&[1.0, 1.0, 1e3, 1e-3]);
    let mut nodes: Vec<Value> = (0..count).map(|n| node(random, n, size, root_scale)).collect();
    for child in 1..count {
        let parent = if random.below(3) == 0 { random.below(child) } else { child - 1 };
        let children = nodes[parent].as_object_mut().unwrap().entry("children").or_insert_with(|| json!([]));
        children.as_array_mut().unwrap().push(json!(child));
    }
    let mut file = File::default();
    let shared = times(random);
    for n in 0..count {
        if n == 0 || random.below(5) > 0 {
            let times = if random.chance(50) { shared.clone() } else { times(random) };
            let (form, values) = rotations(random, times.len());
            file.track(n, "rotation", form, &times, &values);
        }
        if random.below(3) == 0 {
            let (form, values) = vectors(random, shared.len(), 0.0, size);
            file.track(n, "translation", form, &shared, &values);
        }
        if random.below(5) == 0 {
            let rest = if n == 0 { root_scale } else { 1.0 };
            let (form, values) = vectors(random, shared.len(), rest, 0.3 * rest);
            file.track(n, "scale", form, &shared, &values);
        }
    }
    file.glb(&nodes)
}

fn node(random: &mut Random, n: usize, size: f64, root_scale: f64) -> Value {
    let mut node = json!({ "name": format!("n{n}"), "translation": vector::<3>(random, size) });
    if random.chance(50) {
        node["rotation"] = json!(unit(vector(random, 1.0)).map(|c| c as f32));
    }
    if n == 0 && root_scale != 1.0 {
        node["scale"] = json!(vec![root_scale; 3]);
    } else if random.below(6) == 0 {
        node["scale"] = json!([1.0, 0.5, 2.0]);
    }
    node
}

/// Frames of a rate, or times of any kind.
fn times(random: &mut Random) -> Vec<f32> {
    let keys = 2 + random.below(24);
    let rate = random.pick(&[2.0f32, 10.0, 30.0, 60.0]);
    if random.chance(50) {
        return (0..keys).map(|i| i as f32 / rate).collect();
    }
    let mut time = random.below(3) as f32 * 0.1;
    let mut out = Vec::new();
    for _ in 0..keys {
        out.push(time);
        time += (1.1 + random.float()) / rate;
    }
    out
}

fn rotations(random: &mut Random, keys: usize) -> (&'static str, Vec<f64>) {
    let turn = random.pick(&[0.02, 0.3, 1.0, 3.0]);
    let form = random.pick(&["LINEAR", "LINEAR", "STEP", "CUBICSPLINE", "CUBICSPLINE", "CUBICSPLINE"]);
    // Signs that flip never, at every key, or sometimes; tangents of nothing, of the way to go, or of any kind.
    let (flips, tangents) = (random.pick(&[0, 0, 100, 25]), random.pick(&[0.0, 1.0, 4.0]));
    let (mut q, mut sign, mut values) = (unit(vector(random, 1.0)), 1.0, Vec::new());
    for _ in 0..keys {
        let step: [f64; 4] = vector(random, turn / 2.0);
        q = unit([0, 1, 2, 3].map(|i| q[i] + step[i]));
        if random.chance(flips) {
            sign = -sign;
        }
        keyed(random, form, q.map(|c| c * sign), tangents * turn, &mut values);
    }
    (form, values)
}

fn vectors(random: &mut Random, keys: usize, about: f64, by: f64) -> (&'static str, Vec<f64>) {
    let form = random.pick(&["LINEAR", "LINEAR", "STEP", "CUBICSPLINE"]);
    let (mut at, mut values) = ([about; 3], Vec::new());
    for _ in 0..keys {
        let step: [f64; 3] = vector(random, by / 2.0);
        at = [0, 1, 2].map(|i| about + 0.8 * (at[i] - about) + step[i]);
        keyed(random, form, at, by, &mut values);
    }
    (form, values)
}

/// A key, between tangents of any kind where the form has them.
fn keyed<const N: usize>(random: &mut Random, form: &str, value: [f64; N], tangents: f64, values: &mut Vec<f64>) {
    if form == "CUBICSPLINE" {
        let (arrive, leave): ([f64; N], [f64; N]) = (vector(random, tangents), vector(random, tangents));
        values.extend([arrive, value, leave].concat());
    } else {
        values.extend(value);
    }
}
