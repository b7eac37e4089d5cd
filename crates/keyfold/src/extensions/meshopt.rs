//! EXT_meshopt_compression and its ratified successor KHR_meshopt_compression: buffer views in meshoptimizer's codecs, all modes and
//! filters. The codecs are in `codec`; here is what the extension says about them.

pub(crate) mod codec;
mod rules;

use super::Extension;
use crate::{Document, Error, Result, document::slice_of};
use codec::{Filter, Mode};
use keyfold_core::engine::quaternion_filter;

pub(super) const EXT: Extension = Extension {
    view: Some(|document, index| view(document, index, EXT_NAME)),
    tidy: Some(|json| super::tidy_views(json, EXT_NAME)),
    rules: Some(|document, findings| rules::rules(document, findings, EXT_NAME)),
    codes: rules::CODES,
    places: PLACES,
    ..Extension::new(EXT_NAME)
};
pub(super) const KHR: Extension = Extension {
    view: Some(|document, index| view(document, index, KHR_NAME)),
    tidy: Some(|json| super::tidy_views(json, KHR_NAME)),
    rules: Some(|document, findings| rules::rules(document, findings, KHR_NAME)),
    places: PLACES,
    ..Extension::new(KHR_NAME)
};

pub(crate) const EXT_NAME: &str = "EXT_meshopt_compression";
pub(crate) const KHR_NAME: &str = "KHR_meshopt_compression";
const PLACES: &[&str] = &["/buffers/*", "/bufferViews/*"];

/// What the codecs can reach at most: an all-zero block of 256 vertices takes one byte for four columns.
const LARGEST_RATIO: usize = 1024;

fn view(document: &Document, index: usize, name: &str) -> Result<Option<Vec<u8>>> {
    let Some(object) = document.element("bufferViews", index)?.extension(name)? else { return Ok(None) };
    if cfg!(not(feature = "meshopt")) {
        return Err(Error::Feature { feature: "meshopt", what: name.into() });
    }
    let encoded = slice_of(document, &object)?;
    let count = object.required_index("count")?;
    let stride = object.required_index("byteStride")?;
    let length = count.saturating_mul(stride);
    // What no stream of this length can hold is malformed; what one can is paid, as it is stored and once more as it comes from the codec.
    if length / LARGEST_RATIO <= encoded.len() {
        document.account().hold(length, || object.at())?;
        document.account().afford(length, || object.at())?;
        document.account().work(length as u64 / 4, || object.at())?;
    }
    let bytes = decompress(object.required_text("mode")?, count, stride, &encoded);
    let mut bytes = bytes.map_err(|what| Error::malformed(object.at(), what))?;
    unfilter(object.text("filter")?.unwrap_or("NONE"), stride, &mut bytes)
        .map_err(|what| Error::malformed(object.place("filter"), what))?;
    Ok(Some(bytes))
}

/// `count` elements of `stride` bytes, their filter not undone; or what is wrong with them.
pub fn decompress(mode: &str, count: usize, stride: usize, encoded: &[u8]) -> Result<Vec<u8>, &'static str> {
    let paid = count.checked_mul(stride).is_some_and(|length| length / LARGEST_RATIO <= encoded.len());
    if encoded.is_empty() || !paid {
        return Err("is too short for what it should decompress to");
    }
    let mode = match mode {
        "ATTRIBUTES" => Mode::Attributes,
        "TRIANGLES" if count.is_multiple_of(3) => Mode::Triangles,
        "INDICES" => Mode::Indices,
        _ => return Err("mode, count and byteStride do not fit each other"),
    };
    let broken = "the compressed data is broken, or its byteStride is not one that the mode allows";
    codec::decode(mode, encoded, count, stride).ok_or(broken)
}

/// Undoes the filter of elements of `stride` bytes in place; or what is wrong with it.
pub fn unfilter(filter: &str, stride: usize, bytes: &mut [u8]) -> Result<(), &'static str> {
    let undone = match (filter, stride) {
        ("NONE", _) => Some(()),
        ("QUATERNION", 8) => {
            in_shorts(bytes, |elements| elements.iter_mut().for_each(|e| *e = quaternion_filter::decode(*e)));
            Some(())
        }
        ("OCTAHEDRAL", _) => codec::unfilter(Filter::Octahedral, bytes, stride),
        ("EXPONENTIAL", _) => codec::unfilter(Filter::Exponential, bytes, stride),
        ("COLOR", _) => codec::unfilter(Filter::Color, bytes, stride),
        _ => None,
    };
    undone.ok_or("is not known, or not for this byteStride")
}

/// Runs a filter over bytes seen as vectors of shorts.
fn in_shorts(bytes: &mut [u8], filter: impl Fn(&mut [[i16; 4]])) {
    let (chunks, _) = bytes.as_chunks_mut::<8>();
    let get = |chunk: &[u8; 8]| std::array::from_fn(|i| i16::from_le_bytes([chunk[i * 2], chunk[i * 2 + 1]]));
    let mut vectors: Vec<[i16; 4]> = chunks.iter().map(get).collect();
    filter(&mut vectors);
    for (vector, chunk) in vectors.into_iter().zip(chunks) {
        let (components, _) = chunk.as_chunks_mut::<2>();
        components.iter_mut().zip(vector).for_each(|(bytes, component)| *bytes = component.to_le_bytes());
    }
}

#[cfg(all(test, feature = "meshopt"))]
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
        let data: Vec<u8> = (0..100u8).flat_map(|i| [i, 1, 2, 3, i, i, 0, 7]).collect();
        let encoded = codec::encode(&data, 8, 0).unwrap();
        assert_eq!(&*document(&encoded, 100, 8, "ATTRIBUTES", "NONE").view(0).unwrap(), data);

        let mut filtered = vec![0; 32];
        meshoptimizer::encode_filter_quat(&mut filtered, 4, 8, 14, &[[0.5f32, -0.5, 0.5, 0.5]; 4].concat()).unwrap();
        let encoded = codec::encode(&filtered, 8, 0).unwrap();
        let bytes = document(&encoded, 4, 8, "ATTRIBUTES", "QUATERNION").view(0).unwrap();
        let q: Vec<f32> = bytes.chunks(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).collect();
        assert_eq!(q.len(), 16);
        q.iter().for_each(|c| assert!((c.abs() - 0.5).abs() < 1e-3, "{q:?}"));

        let values = [1.5f32, -2.25, 1024.0];
        let (mut filtered, mode) = (vec![0; 12], meshoptimizer::EncodeExpMode::Separate);
        meshoptimizer::encode_filter_exp(&mut filtered, 1, 12, 16, &values, mode).unwrap();
        let encoded = codec::encode(&filtered, 12, 0).unwrap();
        let bytes = document(&encoded, 1, 12, "ATTRIBUTES", "EXPONENTIAL").view(0).unwrap();
        assert_eq!(*bytes, *values.map(f32::to_le_bytes).as_flattened());
    }

    #[test]
    fn index_modes_come_back() {
        let indices = [0u32, 1, 2, 2, 1, 3];
        let mut encoded = vec![0; meshoptimizer::encode_index_sequence_bound(6, 4)];
        let room = encoded.len();
        let length = meshoptimizer::encode_index_sequence(&mut encoded, room, &indices, 6).unwrap();
        let expected: Vec<u8> = indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect();
        assert_eq!(&*document(&encoded[..length], 6, 2, "INDICES", "NONE").view(0).unwrap(), expected);
        let mut encoded = vec![0; meshoptimizer::encode_index_buffer_bound(6, 4).unwrap()];
        let room = encoded.len();
        let length = meshoptimizer::encode_index_buffer(&mut encoded, room, &indices, 6).unwrap();
        assert_eq!(document(&encoded[..length], 6, 4, "TRIANGLES", "NONE").view(0).unwrap().len(), 24);
    }

    #[test]
    fn what_is_not_paid_for_is_refused() {
        let encoded = codec::encode(&[0; 64], 16, 1).unwrap();
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
