//! A small file with Draco streams, and what a reader should make of it: the numbers that were compressed, and how far off they may be.
//!
//! The streams are written by the library's codec, whose bytes are held to be libdraco's by other tests.

use base64::{Engine, prelude::BASE64_STANDARD};
use keyfold_core::draco::{self, Animation, Attribute, Coding, Options, Quantize, Quantizer, TIMESTAMPS};
use serde_json::{Map, Value, json};

/// The extension's name.
pub(super) const NAME: &str = "Draco_animation_compression";

/// One track: a channel, and an attribute of a stream.
#[derive(Clone)]
pub(super) struct Track {
    pub(super) animation: usize,
    pub(super) node: usize,
    pub(super) path: &'static str,
    pub(super) interpolation: &'static str,
    pub(super) id: u32,
    pub(super) values: Vec<f32>,
}

impl Track {
    fn shape(&self) -> (&'static str, usize) {
        match self.path {
            "weights" => ("SCALAR", 1),
            "rotation" => ("VEC4", 4),
            _ => ("VEC3", 3),
        }
    }
}

/// Tracks with the same times.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) times: Vec<f32>,
    pub(super) tracks: Vec<Track>,
    pub(super) storage: Storage,
}

/// How a group is stored.
#[derive(Clone, Copy)]
pub(super) enum Storage {
    Plain,
    Stream { time_bits: Option<u8>, bits: Option<u8>, predict: bool, entropy: bool },
}

/// Exact floats in a stream.
pub(super) const LOSSLESS: Storage = Storage::Stream { time_bits: None, bits: None, predict: true, entropy: true };

/// What a file is made of.
#[derive(Clone)]
pub(super) struct File {
    pub(super) name: &'static str,
    pub(super) is_2018: bool,
    /// Whether the floats are there too, in a buffer of their own; then nothing requires the extension.
    pub(super) fallback: bool,
    /// How many morph targets the mesh of node 0 has.
    pub(super) targets: usize,
    pub(super) groups: Vec<Group>,
    /// What is done to the bytes of each stream.
    pub(super) tamper: fn(&mut Vec<u8>),
}

/// A file, written.
pub(super) struct Written {
    pub(super) json: Value,
    /// Buffers that it names.
    pub(super) beside: Vec<(String, Vec<u8>)>,
}

impl File {
    pub(super) fn new(groups: Vec<Group>) -> Self {
        Self { name: NAME, is_2018: false, fallback: false, targets: 0, groups, tamper: |_| {} }
    }

    /// The file with its bytes inside; one with a fallback names three buffers beside it, which begin with `stem`.
    pub(super) fn write(&self, stem: &str) -> Written {
        let mut draft = Draft { separate: self.fallback, ..Draft::default() };
        let mesh = self.mesh(&mut draft);
        let mut animations: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
        let mut streams = Vec::new();
        for group in &self.groups {
            self.group(group, &mut draft, &mut animations, &mut streams);
        }
        let animation = |(channels, samplers)| json!({ "channels": channels, "samplers": samplers });
        let mut root = Map::new();
        let mut set = |key: &str, value: Value| root.insert(key.to_owned(), value);
        set("asset", json!({ "version": "2.0", "generator": "Keyfold samples" }));
        set("extensionsUsed", json!([self.name]));
        if !self.fallback {
            set("extensionsRequired", json!([self.name]));
        }
        let listed = if self.is_2018 { json!(streams) } else { json!({ "compressedAnimations": streams }) };
        set("extensions", json!({ self.name: listed }));
        set("scene", json!(0));
        set("scenes", json!([{ "nodes": [0, 1] }]));
        let mut nodes = json!([{ "name": "first" }, { "name": "second" }]);
        if let Some(mesh) = mesh {
            nodes[0]["mesh"] = json!(0);
            set("meshes", json!([mesh]));
        }
        set("nodes", nodes);
        set("animations", animations.into_iter().map(animation).collect());
        let (buffers, beside) = draft.buffers(stem);
        set("accessors", json!(draft.accessors));
        set("bufferViews", json!(draft.views));
        set("buffers", buffers);
        Written { json: Value::Object(root), beside }
    }

    /// A triangle whose morph targets move all of it by one.
    fn mesh(&self, draft: &mut Draft) -> Option<Value> {
        if self.targets == 0 {
            return None;
        }
        let mut vertices = |positions: &[f32]| {
            let view = draft.view(Buffer::Shared, &bytes(positions));
            draft.views[view]["target"] = json!(34962);
            draft.accessor(Some(view), "VEC3", 3, positions, true)
        };
        let positions = vertices(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let moved = vertices(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let targets = vec![json!({ "POSITION": moved }); self.targets];
        Some(json!({ "primitives": [{ "attributes": { "POSITION": positions }, "targets": targets }] }))
    }

    fn group(
        &self,
        group: &Group,
        draft: &mut Draft,
        animations: &mut Vec<(Vec<Value>, Vec<Value>)>,
        streams: &mut Vec<Value>,
    ) {
        let plain = matches!(group.storage, Storage::Plain);
        let home = if plain { Some(Buffer::Shared) } else { self.fallback.then_some(Buffer::Fallback) };
        let store = |draft: &mut Draft, values: &[f32], (shape, width): (&str, usize), bounds: bool| {
            let view = home.map(|buffer| draft.view(buffer, &bytes(values)));
            draft.accessor(view, shape, width, values, bounds)
        };
        let input = store(draft, &group.times, ("SCALAR", 1), true);
        let mut outputs = Vec::new();
        for track in &group.tracks {
            let output = store(draft, &track.values, track.shape(), false);
            outputs.push(output);
            animations.resize_with(animations.len().max(track.animation + 1), Default::default);
            let (channels, samplers) = &mut animations[track.animation];
            let target = json!({ "node": track.node, "path": track.path });
            channels.push(json!({ "sampler": samplers.len(), "target": target }));
            samplers.push(json!({ "input": input, "interpolation": track.interpolation, "output": output }));
        }
        if let Some(mut stream) = group.stream() {
            (self.tamper)(&mut stream);
            let view = draft.view(Buffer::Compressed, &stream);
            let key = if self.is_2018 { "attributesId" } else { "attributeId" };
            let ids: Vec<u32> = group.tracks.iter().map(|track| track.id).collect();
            streams.push(json!({ "input": input, "outputs": outputs, key: ids, "bufferView": view }));
        }
    }

    /// The tracks that a reader should find, in the order of animations and channels.
    pub(super) fn expected(&self) -> Vec<Value> {
        let mut tracks: Vec<(&Group, &Track)> =
            self.groups.iter().flat_map(|group| group.tracks.iter().map(move |track| (group, track))).collect();
        tracks.sort_by_key(|(_, track)| track.animation);
        tracks.into_iter().map(|(group, track)| group.expected(track)).collect()
    }
}

impl Group {
    fn components(&self, track: &Track) -> usize {
        track.values.len() / self.times.len()
    }

    /// The stream, where there is one.
    fn stream(&self) -> Option<Vec<u8>> {
        let Storage::Stream { time_bits, bits, predict, entropy } = self.storage else { return None };
        let keys = u32::try_from(self.times.len()).expect("samples are small");
        let mut attributes = vec![Attribute::floats(TIMESTAMPS, 1, self.times.clone())];
        for track in &self.tracks {
            let components = u8::try_from(self.components(track)).expect("samples are small");
            attributes.push(Attribute::floats(track.id, components, track.values.clone()));
        }
        let animation = Animation { keys, attributes, ..Animation::default() };
        let coding = |attribute: &Attribute| {
            let bits = if attribute.unique_id == TIMESTAMPS { time_bits } else { bits };
            Coding { quantize: bits.map_or(Quantize::Off, Quantize::Bits), predict }
        };
        let options = Options { entropy, ..Options::default() };
        Some(draco::encode(&animation, coding, &options).expect("samples can be encoded"))
    }

    fn expected(&self, track: &Track) -> Value {
        let (time_bits, bits) = match self.storage {
            Storage::Plain => (None, None),
            Storage::Stream { time_bits, bits, .. } => (time_bits, bits),
        };
        let (_, width) = track.shape();
        let width = if track.path == "weights" { self.components(track) } else { width };
        let rows: Vec<Vec<Value>> =
            track.values.chunks(width).map(|row| row.iter().copied().map(number).collect()).collect();
        json!({
            "animation": track.animation,
            "target": format!("/nodes/{}/{}", track.node, track.path),
            "interpolation": track.interpolation,
            "times": self.times.iter().copied().map(number).collect::<Value>(),
            "timeTolerance": tolerance(&self.times, 1, time_bits),
            "values": rows,
            "tolerance": tolerance(&track.values, self.components(track), bits),
        })
    }
}

/// Half a step of the grid, and what rounding adds to it.
fn tolerance(values: &[f32], components: usize, bits: Option<u8>) -> f64 {
    let Some(bits) = bits else { return 0.0 };
    let grid = Quantizer::fit(values, components, bits).expect("samples have a grid");
    let largest = values.iter().fold(0f32, |most, value| most.max(value.abs()));
    f64::from(grid.step()) * 0.5 + f64::from(largest) * 2e-7
}

/// Where bytes go: three buffers as the draft's implementation note has them, or all into one.
#[derive(Clone, Copy)]
enum Buffer {
    Shared,
    Fallback,
    Compressed,
}

/// Accessors, buffer views and the bytes of the buffers.
#[derive(Default)]
struct Draft {
    separate: bool,
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: [Vec<u8>; 3],
}

impl Draft {
    fn view(&mut self, buffer: Buffer, bytes: &[u8]) -> usize {
        let buffer = if self.separate { buffer as usize } else { 0 };
        let home = &mut self.bytes[buffer];
        home.resize(home.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": buffer, "byteOffset": home.len(), "byteLength": bytes.len() }));
        home.extend(bytes);
        self.views.len() - 1
    }

    fn accessor(&mut self, view: Option<usize>, shape: &str, width: usize, values: &[f32], bounds: bool) -> usize {
        let mut accessor = Map::new();
        accessor.extend(view.map(|view| ("bufferView".to_owned(), json!(view))));
        accessor.insert("componentType".into(), json!(5126));
        accessor.insert("count".into(), json!(values.len() / width));
        accessor.insert("type".into(), json!(shape));
        if bounds {
            let column = |c: usize| values.iter().skip(c).step_by(width).copied();
            let bound = |pick: fn(f32, f32) -> f32| -> Value {
                (0..width).map(|c| number(column(c).reduce(pick).unwrap_or(0.0))).collect()
            };
            accessor.insert("min".into(), bound(f32::min));
            accessor.insert("max".into(), bound(f32::max));
        }
        self.accessors.push(Value::Object(accessor));
        self.accessors.len() - 1
    }

    fn buffers(&self, stem: &str) -> (Value, Vec<(String, Vec<u8>)>) {
        if !self.separate {
            let bytes = &self.bytes[0];
            return (json!([{ "byteLength": bytes.len(), "uri": data_uri(bytes) }]), Vec::new());
        }
        let names = ["bin", "fallback.bin", "draco.bin"].map(|ending| format!("{stem}.{ending}"));
        let object = |(name, bytes): (&String, &Vec<u8>)| json!({ "byteLength": bytes.len(), "uri": name });
        let objects = names.iter().zip(&self.bytes).map(object).collect();
        (objects, names.into_iter().zip(self.bytes.clone()).collect())
    }
}

/// Bytes as a URI that holds them.
pub(super) fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes))
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A float as JSON, a whole number without its point.
fn number(value: f32) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(f64::from(value)) }
}
