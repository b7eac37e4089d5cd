//! The golden vectors: decoded bit for bit, encoded byte for byte.

use std::fs;
use std::path::Path;

use keyfold_core::draco::{
    Animation, Attribute, AttributeKind, Coding, DataType, EncodeFault, Limits, Options, TIMESTAMPS, Values,
    decode_prefix, encode,
};
use serde_json::Value;

/// A golden vector, described by its JSON file.
struct Golden {
    name: String,
    input: Vec<Track>,
    keys: u32,
    arguments: Vec<String>,
    stream: Option<Vec<u8>>,
}

/// What went in and came out, as little-endian bytes.
struct Track {
    unique_id: u32,
    data_type: DataType,
    components: u64,
    before: Vec<u8>,
    after: Option<Vec<u8>>,
}

fn load(path: &Path) -> Golden {
    let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let arguments = json["encoder_args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().into());
    Golden {
        name: json["name"].as_str().unwrap().into(),
        input: json["tracks"].as_array().unwrap().iter().map(track).collect(),
        keys: json["frames"].as_u64().unwrap() as u32,
        arguments: arguments.collect(),
        stream: fs::read(path.with_extension("drc")).ok(),
    }
}

fn track(json: &Value) -> Track {
    let data_type = match json["type"].as_str().unwrap() {
        "i8" => DataType::I8,
        "u8" => DataType::U8,
        "i16" => DataType::I16,
        "u16" => DataType::U16,
        "i32" => DataType::I32,
        "u32" => DataType::U32,
        "i64" => DataType::I64,
        "u64" => DataType::U64,
        "f32" => DataType::F32,
        "f64" => DataType::F64,
        "bool" => DataType::Bool,
        other => panic!("type {other}"),
    };
    let bytes = |bits: &Value| -> Option<Vec<u8>> {
        let bits = bits.as_array()?.iter().map(|bits| bits.as_u64().or(bits.as_i64().map(|bits| bits as u64)).unwrap());
        Some(bits.flat_map(|bits| bits.to_le_bytes().into_iter().take(data_type.size())).collect())
    };
    Track {
        unique_id: json["unique_id"].as_u64().unwrap() as u32,
        data_type,
        components: json["components"].as_u64().unwrap(),
        before: bytes(&json["in_bits"]).unwrap(),
        after: bytes(&json["out_bits"]),
    }
}

impl Golden {
    /// The animation; `None` if a track has more components than a stream can say.
    fn animation(&self) -> Option<Animation> {
        let attributes = self.input.iter().map(|track| {
            Some(Attribute {
                unique_id: track.unique_id,
                kind: AttributeKind::Generic,
                normalized: false,
                components: u8::try_from(track.components).ok()?,
                values: Values::from_bytes(track.data_type, &track.before),
            })
        });
        let metadata = metadata(&self.values_of("--meta"), &self.values_of("--attr-meta"));
        Some(Animation { keys: self.keys, attributes: attributes.collect::<Option<_>>()?, metadata })
    }

    fn values_of(&self, name: &str) -> Vec<&str> {
        let named = |pair: &&[String]| pair[0] == name;
        self.arguments.windows(2).filter(named).map(|pair| pair[1].as_str()).collect()
    }

    fn coding(&self, attribute: &Attribute) -> Coding {
        let own = format!("{}=", attribute.unique_id);
        let name = if attribute.unique_id == TIMESTAMPS { "--ts-bits" } else { "--bits" };
        let general = self.values_of(name).first().copied();
        let bits = self.values_of("--attr-bits").iter().find_map(|value| value.strip_prefix(&own)).or(general);
        bits.map_or(Coding::LOSSLESS, |bits| Coding::bits(bits.parse().unwrap()))
    }

    fn options(&self) -> Options {
        let speeds = self
            .values_of("--speed")
            .first()
            .map(|pair| pair.split(',').map(|speed| speed.parse().unwrap()).max().unwrap());
        let entropy = !self.arguments.iter().any(|word| word == "--no-builtin");
        Options { speed: speeds.unwrap_or(5), entropy, ..Options::default() }
    }
}

/// A metadata block of `name=value` for the stream and `id:name=value` for attributes.
fn metadata(stream: &[&str], attributes: &[&str]) -> Vec<u8> {
    if stream.is_empty() && attributes.is_empty() {
        return Vec::new();
    }
    let entries = |pairs: &[&str]| -> Vec<u8> {
        let mut pairs: Vec<_> = pairs.iter().map(|pair| pair.split_once('=').unwrap()).collect();
        pairs.sort();
        let mut out = vec![pairs.len() as u8];
        for (name, value) in pairs {
            out.push(name.len() as u8);
            out.extend(name.bytes());
            out.push(value.len() as u8);
            out.extend(value.bytes());
        }
        out.push(0);
        out
    };
    let mut out = vec![attributes.len() as u8];
    for attribute in attributes {
        let (id, pair) = attribute.split_once(':').unwrap();
        out.push(id.parse().unwrap());
        out.extend(entries(&[pair]));
    }
    out.extend(entries(stream));
    out
}

#[test]
fn golden_vectors_decode_and_encode_to_the_same_bits() {
    let Some(shared) = keyfold_oracle::shared_dir() else { return };
    let folder = shared.join("draco/golden");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    assert!(paths.len() >= 30, "only {} vectors", paths.len());
    for path in paths {
        check(&load(&path));
    }
}

fn check(golden: &Golden) {
    let name = &golden.name;
    let decoded = golden.stream.as_ref().map(|stream| decode_prefix(stream, &Limits::default()));
    let Some(animation) = golden.animation() else {
        // 256 components: libdraco writes a stream that nobody can read. Our type does not hold such a track.
        assert!(decoded.unwrap().is_err(), "{name}");
        return;
    };
    let encoded = encode(&animation, |attribute| golden.coding(attribute), &golden.options());
    let Some(stream) = &golden.stream else {
        let fault = encoded.expect_err(name).fault;
        use EncodeFault::*;
        assert!(matches!(fault, NotFinite | Range | Bits | NoKeys | Span), "{name}: {fault}");
        return;
    };
    assert_eq!(encoded.as_ref(), Ok(stream), "{name}: bytes");
    let (decoded, read) = decoded.unwrap().unwrap();
    assert_eq!((decoded.keys, read), (golden.keys, stream.len()), "{name}");
    assert_eq!(decoded.metadata, animation.metadata, "{name}");
    assert_eq!(decoded.attributes.len(), golden.input.len(), "{name}");
    for (attribute, track) in decoded.attributes.iter().zip(&golden.input) {
        assert_eq!(attribute.unique_id, track.unique_id, "{name}");
        assert_eq!(Some(attribute.values.to_bytes()), track.after, "{name}: attribute {}", track.unique_id);
    }
}
