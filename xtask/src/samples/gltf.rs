//! A tiny glTF writer: JSON arrays that grow, one buffer, one bufferView per accessor as plain exporters do it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// A glTF file in the making.
pub(crate) struct Gltf {
    root: Map<String, Value>,
    bin: Vec<u8>,
}

/// What an accessor's numbers are stored as.
pub(crate) trait Component: Copy + PartialOrd + Into<f64> {
    const TYPE: u32;
    fn write(self, bin: &mut Vec<u8>);
}

impl Component for f32 {
    const TYPE: u32 = 5126;
    fn write(self, bin: &mut Vec<u8>) {
        bin.extend(self.to_le_bytes());
    }
}

impl Component for i16 {
    const TYPE: u32 = 5122;
    fn write(self, bin: &mut Vec<u8>) {
        bin.extend(self.to_le_bytes());
    }
}

impl Component for u16 {
    const TYPE: u32 = 5123;
    fn write(self, bin: &mut Vec<u8>) {
        bin.extend(self.to_le_bytes());
    }
}

impl Component for u8 {
    const TYPE: u32 = 5121;
    fn write(self, bin: &mut Vec<u8>) {
        bin.push(self);
    }
}

/// What an accessor is for, hence which members it has.
#[derive(Clone, Copy)]
pub(crate) enum Usage {
    /// A vertex attribute without bounds.
    Vertex,
    /// A vertex attribute whose integers stand for fractions.
    VertexFraction,
    /// Vertex positions, bounds included.
    Position,
    /// Triangle indices.
    Index,
    /// Key times, bounds included.
    Times,
    /// Key values, inverse bind matrices.
    Values,
    /// Key values whose integers stand for fractions.
    Fractions,
}

impl Usage {
    fn target(self) -> Option<u32> {
        match self {
            Usage::Vertex | Usage::VertexFraction | Usage::Position => Some(34962),
            Usage::Index => Some(34963),
            Usage::Times | Usage::Values | Usage::Fractions => None,
        }
    }

    fn is_normalized(self) -> bool {
        matches!(self, Usage::VertexFraction | Usage::Fractions)
    }

    fn is_bounded(self) -> bool {
        matches!(self, Usage::Position | Usage::Times)
    }
}

impl Gltf {
    pub(crate) fn new(extensions: &[&str]) -> Self {
        let mut root = Map::new();
        root.insert("asset".into(), json!({ "version": "2.0", "generator": "Keyfold samples" }));
        if !extensions.is_empty() {
            root.insert("extensionsUsed".into(), json!(extensions));
        }
        root.insert("scene".into(), json!(0));
        Gltf { root, bin: Vec::new() }
    }

    /// Adds an element to one of the top-level arrays and answers with its index.
    pub(crate) fn push(&mut self, array: &str, element: Value) -> usize {
        let array = self.root.entry(array).or_insert_with(|| json!([]));
        let elements = array.as_array_mut().expect("top-level members that grow are arrays");
        elements.push(element);
        elements.len() - 1
    }

    /// Sets a member of an element of a top-level array.
    pub(crate) fn amend(&mut self, array: &str, element: usize, member: &str, value: Value) {
        self.root[array][element][member] = value;
    }

    /// Takes the last element of a top-level array out again.
    pub(crate) fn take_last(&mut self, array: &str) -> Value {
        let elements = self.root.get_mut(array).and_then(Value::as_array_mut);
        elements.and_then(Vec::pop).expect("an element was pushed before")
    }

    /// Sets a top-level member.
    pub(crate) fn set(&mut self, member: &str, value: Value) {
        self.root.insert(member.into(), value);
    }

    /// Stores elements of `N` components each as an accessor.
    pub(crate) fn accessor<T: Component, const N: usize>(&mut self, elements: &[[T; N]], usage: Usage) -> usize {
        let view = self.view(elements.as_flattened(), usage.target());
        let mut accessor = json!({
            "bufferView": view,
            "componentType": T::TYPE,
            "count": elements.len(),
            "type": shape(N),
        });
        if usage.is_normalized() {
            accessor["normalized"] = json!(true);
        }
        if usage.is_bounded() {
            let [min, max] = bounds(elements);
            accessor["min"] = min;
            accessor["max"] = max;
        }
        self.push("accessors", accessor)
    }

    /// Stores only the elements that are not zero: a sparse accessor without a bufferView of its own.
    pub(crate) fn sparse<const N: usize>(&mut self, elements: &[[f32; N]]) -> usize {
        let moved: Vec<u16> = (0u16..).zip(elements).filter(|(_, e)| **e != [0.0; N]).map(|(i, _)| i).collect();
        let values: Vec<[f32; N]> = moved.iter().map(|&i| elements[usize::from(i)]).collect();
        let indices = self.view(&moved, None);
        let values = self.view(values.as_flattened(), None);
        let [min, max] = bounds(elements);
        self.push(
            "accessors",
            json!({
                "componentType": f32::TYPE,
                "count": elements.len(),
                "type": shape(N),
                "min": min,
                "max": max,
                "sparse": {
                    "count": moved.len(),
                    "indices": { "bufferView": indices, "componentType": u16::TYPE },
                    "values": { "bufferView": values },
                },
            }),
        )
    }

    fn view<T: Component>(&mut self, numbers: &[T], target: Option<u32>) -> usize {
        let start = self.bin.len();
        for &number in numbers {
            number.write(&mut self.bin);
        }
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bin.len() - start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.push("bufferViews", view)
    }

    /// The file as one binary container.
    pub(crate) fn glb(mut self) -> Vec<u8> {
        self.set("buffers", json!([{ "byteLength": self.bin.len() }]));
        let mut text = serde_json::to_vec(&self.root).expect("a JSON value can be written");
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut file = Vec::new();
        file.extend(b"glTF");
        for number in [2, 12 + 8 + text.len() + 8 + self.bin.len()] {
            file.extend(word(number));
        }
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bin)] {
            file.extend(word(chunk.len()));
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    /// The file as JSON and the buffer that it names.
    pub(crate) fn text_and_bin(mut self, bin_name: &str) -> (Vec<u8>, Vec<u8>) {
        self.set("buffers", json!([{ "uri": bin_name, "byteLength": self.bin.len() }]));
        let mut text = serde_json::to_vec_pretty(&self.root).expect("a JSON value can be written");
        text.push(b'\n');
        (text, self.bin)
    }
}

impl Gltf {
    /// The file as JSON that holds its buffer.
    pub(crate) fn embedded(mut self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bin));
        self.set("buffers", json!([{ "uri": uri, "byteLength": self.bin.len() }]));
        let mut text = serde_json::to_vec(&self.root).expect("a JSON value can be written");
        text.push(b'\n');
        text
    }
}

/// An animation in the making.
pub(crate) struct Clip {
    name: String,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Clip {
    pub(crate) fn new(name: &str) -> Self {
        Clip { name: name.into(), samplers: Vec::new(), channels: Vec::new() }
    }

    /// Adds a channel with a sampler of its own.
    pub(crate) fn channel(&mut self, target: Value, interpolation: &str, input: usize, output: usize) {
        let sampler = json!({ "input": input, "interpolation": interpolation, "output": output });
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": target }));
        self.samplers.push(sampler);
    }

    pub(crate) fn finish(self, gltf: &mut Gltf) {
        gltf.push("animations", json!({ "name": self.name, "channels": self.channels, "samplers": self.samplers }));
    }
}

fn shape(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

/// The least and the greatest of each component, as JSON arrays.
fn bounds<T: Component, const N: usize>(elements: &[[T; N]]) -> [Value; 2] {
    let column = |component: usize| elements.iter().map(move |element| element[component].into());
    let least = (0..N).map(|c| column(c).fold(f64::INFINITY, f64::min));
    let greatest = (0..N).map(|c| column(c).fold(f64::NEG_INFINITY, f64::max));
    [least.collect::<Vec<f64>>().into(), greatest.collect::<Vec<f64>>().into()]
}

fn word(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("samples are small").to_le_bytes()
}
