//! Every component type that a property's values may be stored as.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use keyfold::{Document, OpenOptions, read, validate::validate};
use serde_json::{Value, json};

use crate::{Valid, manifest, said, to};

/// Code, bytes, whether it may be normalized, and what a stored number then stands for.
struct Component {
    code: u32,
    size: usize,
    signed: bool,
}

const COMPONENTS: [Component; 6] = [
    Component { code: 5120, size: 1, signed: true },
    Component { code: 5121, size: 1, signed: false },
    Component { code: 5122, size: 2, signed: true },
    Component { code: 5123, size: 2, signed: false },
    Component { code: 5125, size: 4, signed: false },
    Component { code: 5126, size: 4, signed: true },
];

impl Component {
    fn can_be_normalized(&self) -> bool {
        self.size <= 2
    }

    fn bytes(&self, number: i32) -> Vec<u8> {
        if self.code == 5126 {
            (number as f32).to_le_bytes().to_vec()
        } else {
            number.to_le_bytes()[..self.size].to_vec()
        }
    }

    /// glTF's equations.
    fn value(&self, number: i32, normalized: bool) -> f32 {
        let bits = self.size * 8 - usize::from(self.signed);
        let most = ((1u64 << bits) - 1) as f32;
        if normalized { (number as f32 / most).max(-1.0) } else { number as f32 }
    }
}

/// The file with its values stored otherwise: small whole numbers, some of them negative where the type allows.
fn stored(file: &Valid, component: &Component, normalized: bool) -> (Document, Vec<f32>) {
    let mut json = file.open().json().clone();
    let output = json["animations"][0]["samplers"][0]["output"].as_u64().expect("an index") as usize;
    let shape = json["accessors"][output]["type"].as_str().expect("a type").to_owned();
    let width = if shape == "SCALAR" { 1 } else { shape.as_bytes()[3] as usize - usize::from(b'0') };
    let count = json["accessors"][output]["count"].as_u64().expect("a count") as usize;
    let number = |i: usize| if component.signed && i % 3 == 1 { -(i as i32) - 1 } else { i as i32 + 1 };
    let numbers: Vec<i32> = (0..count * width).map(number).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| component.bytes(*n)).collect();
    let push = |json: &mut Value, list: &str, object: Value| {
        let list = json[list].as_array_mut().expect("an array");
        list.push(object);
        list.len() - 1
    };
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
    let buffer = push(&mut json, "buffers", json!({ "byteLength": bytes.len(), "uri": uri }));
    let view = push(&mut json, "bufferViews", json!({ "buffer": buffer, "byteLength": bytes.len() }));
    json["accessors"][output] = json!({ "bufferView": view, "componentType": component.code, "normalized": normalized, "count": count, "type": shape });
    let document =
        Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).expect("a document");
    (document, numbers.iter().map(|n| component.value(*n, normalized)).collect())
}

#[test]
fn every_component_type_means_what_gltf_says() {
    let (mut read_count, mut refused) = (0, 0);
    for file in manifest().valid.iter().filter(|file| file.is_ratified()) {
        let is_bool = file.open().json()["animations"][0]["samplers"][0]["interpolation"] == "STEP";
        for component in &COMPONENTS {
            for normalized in [false, true].into_iter().filter(|n| !n || component.can_be_normalized()) {
                let (document, expected) = stored(file, component, normalized);
                let place = format!("{} as {} {normalized}", file.file.display(), component.code);
                let tracks = read(&document).expect("readable").animations.remove(0).tracks;
                let expected: Vec<f32> = if is_bool { vec![1.0; expected.len()] } else { expected };
                assert_eq!(tracks[0].curve.values(), expected, "{place}");
                for targets in file.ways() {
                    assert_eq!(said(&to(&document, *targets)), said(&document), "{place}");
                }
                let code = "KHR_ANIMATION_POINTER_COMPONENT_TYPE_MISMATCH";
                let is_refused = validate(&document).iter().any(|finding| finding.code == code);
                assert_eq!(is_refused, is_bool && (component.code != 5121 || normalized), "{place}");
                refused += usize::from(is_refused);
                read_count += 1;
            }
        }
    }
    println!("{read_count} combinations of property and component type read and converted; {refused} found wrong");
    assert_eq!(read_count, 120 * 10);
}
