//! EXT_meshopt_compression and its ratified successor KHR_meshopt_compression: buffer views in meshoptimizer's codecs, all modes and
//! filters. The codecs are meshoptimizer's own (crate `meshopt`); here is what the extension says about them.

use super::Extension;
use crate::{
    Document, Error, Result,
    document::{Object, slice_of},
    validate::{Findings, khronos::BUFFER_MISSING_GLB_DATA},
};
use serde_json::Value;

pub(super) const EXT: Extension = Extension {
    view: Some(|document, index| view(document, index, EXT_NAME)),
    tidy: Some(|json| tidy(json, EXT_NAME)),
    rules: Some(|document, findings| rules(document, findings, EXT_NAME)),
    places: PLACES,
    ..Extension::new(EXT_NAME)
};
pub(super) const KHR: Extension = Extension {
    view: Some(|document, index| view(document, index, KHR_NAME)),
    tidy: Some(|json| tidy(json, KHR_NAME)),
    rules: Some(|document, findings| rules(document, findings, KHR_NAME)),
    places: PLACES,
    ..Extension::new(KHR_NAME)
};

pub(crate) const EXT_NAME: &str = "EXT_meshopt_compression";
pub(crate) const KHR_NAME: &str = "KHR_meshopt_compression";
const PLACES: &[&str] = &["/buffers/*", "/bufferViews/*"];

/// Once no buffer view is compressed any more, the extension is not used.
fn tidy(json: &mut Value, name: &str) {
    let views = json.get("bufferViews").and_then(Value::as_array);
    let in_use = views.into_iter().flatten().any(|view| view["extensions"].get(name).is_some());
    if !in_use {
        super::undeclare(json, name);
    }
}

/// What the codecs can reach at most: an all-zero block of 256 vertices takes one byte for four columns.
const LARGEST_RATIO: usize = 1024;

fn view(document: &Document, index: usize, name: &str) -> Result<Option<Vec<u8>>> {
    let Some(object) = document.element("bufferViews", index)?.extension(name)? else { return Ok(None) };
    let encoded = slice_of(document, &object)?;
    let count = object.required_index("count")?;
    let stride = object.required_index("byteStride")?;
    let bad = |what: &str| Error::malformed(object.at(), what);
    if encoded.is_empty() || count.saturating_mul(stride) / LARGEST_RATIO > encoded.len() {
        return Err(bad("is too short for what it should decompress to"));
    }
    let mut bytes = match object.required_text("mode")? {
        "ATTRIBUTES" => attributes(&encoded, count, stride),
        "TRIANGLES" if count.is_multiple_of(3) => match stride {
            2 => meshopt::decode_index_buffer::<u16>(&encoded, count).ok().map(flat),
            4 => meshopt::decode_index_buffer::<u32>(&encoded, count).ok().map(flat),
            _ => None,
        },
        "INDICES" => match stride {
            2 => meshopt::decode_index_sequence::<u16>(&encoded, count).ok().map(flat),
            4 => meshopt::decode_index_sequence::<u32>(&encoded, count).ok().map(flat),
            _ => None,
        },
        _ => return Err(bad("mode, count and byteStride do not fit each other")),
    }
    .ok_or_else(|| bad("the compressed data is broken, or its byteStride is not one that the mode allows"))?;
    unfilter(&object, stride, &mut bytes)?;
    Ok(Some(bytes))
}

fn unfilter(object: &Object<'_>, stride: usize, bytes: &mut [u8]) -> Result<()> {
    match (object.text("filter")?.unwrap_or("NONE"), stride) {
        ("NONE", _) => {}
        ("OCTAHEDRAL", 4) => in_place::<i8, 4>(bytes, meshopt::decode_filter_oct),
        ("OCTAHEDRAL", 8) => in_place::<i16, 4>(bytes, meshopt::decode_filter_oct),
        ("QUATERNION", 8) => in_place::<i16, 4>(bytes, meshopt::decode_filter_quat),
        ("EXPONENTIAL", _) if stride.is_multiple_of(4) => in_place::<u32, 1>(bytes, meshopt::decode_filter_exp),
        ("COLOR", 4) => in_place::<u8, 4>(bytes, meshopt::decode_filter_color),
        ("COLOR", 8) => in_place::<u16, 4>(bytes, meshopt::decode_filter_color),
        (other, _) => {
            let what = format!("{other} with a byteStride of {stride} is not known");
            return Err(Error::malformed(object.place("filter"), what));
        }
    }
    Ok(())
}

/// A fallback buffer need not be there.
fn rules(document: &Document, findings: &mut Findings, name: &str) {
    let is_fallback = |at: &str| {
        let object = document.json().pointer(at).and_then(|buffer| buffer.get("extensions")?.get(name));
        object.and_then(|object| object.get("fallback")).and_then(|flag| flag.as_bool()) == Some(true)
    };
    findings.waive(|finding| finding.code == BUFFER_MISSING_GLB_DATA.name && is_fallback(&finding.at));
}

/// A number as the little-endian bytes that a buffer holds.
trait Component: Copy + Default {
    const SIZE: usize;
    fn get(bytes: &[u8]) -> Self;
    fn put(self, bytes: &mut [u8]);
}

macro_rules! component {
    ($($type:ty),*) => {$(
        impl Component for $type {
            const SIZE: usize = size_of::<$type>();
            fn get(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
component!(i8, u8, i16, u16, u32);

/// Runs a filter of meshoptimizer over bytes seen as vectors of `N` components.
fn in_place<C: Component, const N: usize>(bytes: &mut [u8], filter: impl Fn(&mut [[C; N]])) {
    let get = |chunk: &[u8]| std::array::from_fn(|i| C::get(&chunk[i * C::SIZE..(i + 1) * C::SIZE]));
    let mut vectors: Vec<[C; N]> = bytes.chunks_exact(N * C::SIZE).map(get).collect();
    filter(&mut vectors);
    let components = vectors.iter().flatten();
    components.zip(bytes.chunks_exact_mut(C::SIZE)).for_each(|(c, b)| c.put(b));
}

fn flat<C: Component>(values: Vec<C>) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * C::SIZE];
    values.iter().zip(bytes.chunks_exact_mut(C::SIZE)).for_each(|(v, b)| v.put(b));
    bytes
}

/// One vertex of a size that is known when compiling: the crate's safe functions take no other.
#[derive(Clone)]
struct Vertex<const N: usize>([u8; N]);

impl<const N: usize> Default for Vertex<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

fn vertices<const N: usize>(encoded: &[u8], count: usize) -> Option<Vec<u8>> {
    let vertices = meshopt::decode_vertex_buffer::<Vertex<N>>(encoded, count).ok()?;
    Some(vertices.iter().flat_map(|v| v.0).collect())
}

fn attributes(encoded: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    macro_rules! by_stride {
        ($($n:literal)*) => {
            match stride {
                $($n => vertices::<$n>(encoded, count),)*
                _ => None,
            }
        };
    }
    by_stride!(4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128
        132 136 140 144 148 152 156 160 164 168 172 176 180 184 188 192 196 200 204 208 212 216 220 224 228 232 236
        240 244 248 252 256)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;
    use serde_json::json;

    fn document(encoded: &[u8], count: usize, stride: usize, mode: &str, filter: &str) -> Document {
        let json = json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["EXT_meshopt_compression"],
            "buffers": [
                { "uri": crate::document::uri::data_uri(encoded), "byteLength": encoded.len() },
                { "byteLength": count * stride, "extensions": { "EXT_meshopt_compression": { "fallback": true } } },
            ],
            "bufferViews": [{ "buffer": 1, "byteLength": count * stride, "extensions": { "EXT_meshopt_compression": {
                "buffer": 0, "byteLength": encoded.len(), "byteStride": stride, "count": count, "mode": mode, "filter": filter } } }],
        });
        Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
    }

    #[test]
    fn attributes_of_every_filter_come_back() {
        let data: Vec<[u8; 8]> = (0..100u8).map(|i| [i, 1, 2, 3, i, i, 0, 7]).collect();
        let encoded = meshopt::encode_vertex_buffer(&data).unwrap();
        assert_eq!(&*document(&encoded, 100, 8, "ATTRIBUTES", "NONE").view(0).unwrap(), data.concat());

        let unit = [0.5f32, -0.5, 0.5, 0.5];
        let filtered = meshopt::encode_filter_quat(&[unit; 4], 14);
        let encoded = meshopt::encode_vertex_buffer(&filtered).unwrap();
        let bytes = document(&encoded, 4, 8, "ATTRIBUTES", "QUATERNION").view(0).unwrap();
        let q: Vec<f32> = bytes.chunks(2).take(4).map(|b| f32::from(i16::get(b)) / 32767.0).collect();
        (0..4).for_each(|i| assert!((q[i].abs() - 0.5).abs() < 1e-3, "{q:?}"));

        let values = [[1.5f32, -2.25, 1024.0]];
        let filtered = meshopt::encode_filter_exp(&values, 16, meshopt::EncodeExpMode::Separate);
        let encoded = meshopt::encode_vertex_buffer(&filtered).unwrap();
        let bytes = document(&encoded, 1, 12, "ATTRIBUTES", "EXPONENTIAL").view(0).unwrap();
        let floats: Vec<f32> = bytes.chunks(4).map(|b| f32::from_bits(u32::get(b))).collect();
        assert_eq!(floats, values[0]);
    }

    #[test]
    fn index_modes_come_back() {
        let indices = [0u32, 1, 2, 2, 1, 3];
        let encoded = meshopt::encode_index_sequence(&indices, 4).unwrap();
        let expected: Vec<u8> = indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect();
        assert_eq!(&*document(&encoded, 6, 2, "INDICES", "NONE").view(0).unwrap(), expected);
        let encoded = meshopt::encode_index_buffer(&indices, 4).unwrap();
        assert_eq!(document(&encoded, 6, 4, "TRIANGLES", "NONE").view(0).unwrap().len(), 24);
    }

    #[test]
    fn what_is_not_paid_for_is_refused() {
        let encoded = meshopt::encode_vertex_buffer(&[[0u8; 16]; 4]).unwrap();
        for (count, stride, mode, filter) in [
            (1 << 40, 16, "ATTRIBUTES", "NONE"),
            (4, 15, "ATTRIBUTES", "NONE"),
            (4, 16, "TRIANGLES", "NONE"),
            (4, 16, "ATTRIBUTES", "QUATERNION"),
            (usize::MAX / 2, 16, "INDICES", "NONE"),
        ] {
            let error = document(&encoded, 4, 16, mode, filter);
            let mut json = error.json().clone();
            let object = &mut json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"];
            object["count"] = json!(count);
            object["byteStride"] = json!(stride);
            let text = json.to_string();
            let document = Document::from_bytes(text.as_bytes(), None, &OpenOptions::default()).unwrap();
            assert!(document.view(0).is_err(), "{count} {stride} {mode} {filter}");
        }
    }
}
