//! Documents that are nearly right: their JSON changed by what it says, not by its letters. What parses gets further than what does not.

use super::Mutator;
use serde_json::{Value, json};

/// Numbers that lie at the ends of ranges.
const NUMBERS: [f64; 20] = [
    0.0,
    -1.0,
    1.0,
    2.0,
    3.0,
    0.5,
    255.0,
    256.0,
    65535.0,
    65536.0,
    16777216.0,
    2147483647.0,
    2147483648.0,
    4294967295.0,
    4294967296.0,
    9007199254740992.0,
    1.8e19,
    -1e300,
    1e308,
    1e-300,
];

/// Floats that data should not hold.
const FLOATS: [f32; 12] =
    [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 1e10, 1e30, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

/// Words that have a meaning somewhere.
const WORDS: [&str; 24] = [
    "",
    "x",
    "translation",
    "rotation",
    "scale",
    "weights",
    "pointer",
    "rotation.x",
    "scale.y",
    "LINEAR",
    "STEP",
    "CUBICSPLINE",
    "CUBICSLERP",
    "CUBIC",
    "SCALAR",
    "VEC3",
    "VEC4",
    "MAT4",
    "/nodes/0/rotation",
    "/nodes/0/weights/1",
    "/materials/0/alphaCutoff",
    "EXT_animation_quantization",
    "KHR_animation_pointer",
    "data:;base64,AAAA",
];

impl Mutator {
    /// `good`, a `.gltf` or `.glb`, with one to four changes of its JSON or of floats of its binary part; bytes are changed where it is
    /// neither.
    pub fn restructure(&mut self, good: &[u8]) -> Vec<u8> {
        let Some((text, data)) = parts(good) else { return self.mutate(good) };
        let Ok(mut json) = serde_json::from_slice::<Value>(text) else { return self.mutate(good) };
        let mut data = data.map(<[u8]>::to_vec);
        for _ in 0..=self.below(4) {
            match &mut data {
                Some(data) if !data.is_empty() && self.below(4) == 0 => self.change_float(data),
                _ => self.change_value(&mut json),
            }
        }
        let text = json.to_string().into_bytes();
        if good.starts_with(b"glTF") { binary(text, data.as_deref()) } else { text }
    }

    fn change_float(&mut self, data: &mut [u8]) {
        let at = self.below(data.len()) & !3;
        if let Some(bytes) = data.get_mut(at..at + 4) {
            bytes.copy_from_slice(&FLOATS[self.below(FLOATS.len())].to_le_bytes());
        }
    }

    /// Changes a place that a random way down leads to.
    fn change_value(&mut self, root: &mut Value) {
        let other = self.somewhere(root).clone();
        let mut value = &mut *root;
        loop {
            let size = size(value);
            if size == 0 || self.below(6) == 0 {
                return self.change_here(value, other);
            }
            let child = self.below(size);
            value = match value {
                Value::Array(list) => &mut list[child],
                Value::Object(object) => object.values_mut().nth(child).expect("it is one of so many"),
                _ => return,
            };
        }
    }

    /// A value that a random way down leads to.
    fn somewhere<'v>(&mut self, root: &'v Value) -> &'v Value {
        let mut value = root;
        while size(value) > 0 && self.below(4) != 0 {
            let child = self.below(size(value));
            value = match value {
                Value::Array(list) => &list[child],
                Value::Object(object) => object.values().nth(child).expect("it is one of so many"),
                other => return other,
            };
        }
        value
    }

    fn change_here(&mut self, value: &mut Value, other: Value) {
        match value {
            Value::Array(list) if self.below(3) > 0 => self.change_list(list, other),
            Value::Object(object) if self.below(3) > 0 => self.change_object(object, other),
            Value::Number(number) if self.below(3) > 0 => {
                let nearby = number.as_f64().unwrap_or(0.0) + [-1.0, 1.0, 1000.0, 1e9][self.below(4)];
                *value = number_of(nearby);
            }
            _ => *value = self.any(other),
        }
    }

    fn change_list(&mut self, list: &mut Vec<Value>, other: Value) {
        let at = self.below(list.len());
        match self.below(4) {
            0 if !list.is_empty() => drop(list.remove(at)),
            1 if !list.is_empty() => {
                let again = vec![list[at].clone(); 1 + self.below(40)];
                list.splice(at..at, again);
            }
            2 if !list.is_empty() => {
                let with = self.below(list.len());
                list.swap(at, with);
            }
            _ => list.insert(at.min(list.len()), self.any(other)),
        }
    }

    fn change_object(&mut self, object: &mut serde_json::Map<String, Value>, other: Value) {
        let key = object.keys().nth(self.below(object.len())).cloned().unwrap_or_default();
        match self.below(4) {
            0 | 1 => drop(object.shift_remove(&key)),
            2 => drop(object.insert(WORDS[self.below(WORDS.len())].into(), self.any(other))),
            _ => drop(object.insert(key, self.any(other))),
        }
    }

    /// A value of any kind: what stands elsewhere in the document, or an edge.
    fn any(&mut self, other: Value) -> Value {
        match self.below(8) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 | 3 => number_of(NUMBERS[self.below(NUMBERS.len())]),
            4 => json!(WORDS[self.below(WORDS.len())]),
            5 => [json!([]), json!({}), json!([[]]), json!({ "extensions": "x" })][self.below(4)].clone(),
            _ => other,
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.len(),
        Value::Object(object) => object.len(),
        _ => 0,
    }
}

/// Whole numbers as such.
fn number_of(number: f64) -> Value {
    if number.fract() == 0.0 && (0.0..1.8e19).contains(&number) { json!(number as u64) } else { json!(number) }
}

/// The JSON text, and the binary part of a GLB.
fn parts(file: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    if !file.starts_with(b"glTF") {
        return Some((file, None));
    }
    let word = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?) as usize);
    let text = file.get(20..20 + word(12)?)?;
    let after = 20 + text.len();
    Some((text, word(after).and_then(|length| file.get(after + 8..after + 8 + length))))
}

fn binary(mut text: Vec<u8>, data: Option<&[u8]>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, bytes) in [(b"JSON", Some(text.as_slice())), (b"BIN\0", data)] {
        let Some(bytes) = bytes else { continue };
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(bytes);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_changes_comes_apart_and_together() {
        let text = br#"{"asset":{}} "#.to_vec();
        let file = binary(text, Some(&[1, 2, 3, 4]));
        assert_eq!(parts(&file).unwrap(), (&br#"{"asset":{}}    "#[..], Some(&[1, 2, 3, 4][..])));
    }

    #[test]
    fn changes_are_the_same_for_the_same_seed_and_mostly_parse() {
        let good = br#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0},{"translation":[1,2,3]}],"animations":[{"channels":[]}]}"#;
        let copies = |seed: u64| {
            let mut mutator = Mutator::new(seed);
            (0..100).map(|_| mutator.restructure(good)).collect::<Vec<_>>()
        };
        assert_eq!(copies(1), copies(1));
        assert_ne!(copies(1), copies(2));
        assert!(copies(1).iter().all(|copy| serde_json::from_slice::<Value>(copy).is_ok()));
        assert!(copies(1).iter().filter(|copy| **copy != good).count() > 90);
    }
}
