//! meshopt's codecs in Rust, which Keyfold uses, against meshoptimizer in C++: random encodings come to the same bytes, and broken streams
//! to the same verdict. `oracle/DIFFERENCES.md` tells what its quaternion filter does otherwise.

use keyfold::{Document, OpenOptions};
use keyfold_oracle::{is_full, note};
use meshoptimizer as pure;
use serde_json::json;

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// Elements as files have them: smooth, noisy, constant, or with runs of either.
    fn elements(&mut self, count: usize, stride: usize) -> Vec<u8> {
        let (kind, mut last) = (self.below(4), vec![0u8; stride]);
        let mut bytes = Vec::with_capacity(count * stride);
        for index in 0..count {
            for byte in &mut last {
                let noise = self.next() as u8;
                *byte = match kind {
                    0 => noise,
                    1 => byte.wrapping_add(noise % 5),
                    2 => *byte,
                    _ if index / 40 % 2 == 0 => noise >> 5,
                    _ => *byte,
                };
            }
            bytes.extend_from_slice(&last);
        }
        bytes
    }
}

#[derive(Clone)]
struct Element<const N: usize>([u8; N]);

impl<const N: usize> Default for Element<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

/// The crate's safe functions take only sizes that are known when compiling.
macro_rules! by_stride {
    ($stride:expr, $name:ident, $($arguments:expr),*) => {
        match $stride {
            4 => $name::<4>($($arguments),*),
            8 => $name::<8>($($arguments),*),
            12 => $name::<12>($($arguments),*),
            16 => $name::<16>($($arguments),*),
            20 => $name::<20>($($arguments),*),
            36 => $name::<36>($($arguments),*),
            64 => $name::<64>($($arguments),*),
            _ => $name::<256>($($arguments),*),
        }
    };
}
const STRIDES: [usize; 8] = [4, 8, 12, 16, 20, 36, 64, 256];

fn encode<const N: usize>(bytes: &[u8], level: i32, version: i32) -> Vec<u8> {
    meshopt::encode_vertex_buffer_level(bytes.as_chunks::<N>().0, level, Some(version)).unwrap()
}

fn decode<const N: usize>(encoded: &[u8], count: usize) -> Option<Vec<u8>> {
    let elements = meshopt::decode_vertex_buffer::<Element<N>>(encoded, count).ok()?;
    Some(elements.iter().flat_map(|element| element.0).collect())
}

fn pure_encode(bytes: &[u8], stride: usize, level: i32, version: i32) -> Vec<u8> {
    let count = bytes.len() / stride;
    let mut encoded = vec![0; pure::encode_vertex_buffer_bound(count, stride).unwrap()];
    let room = encoded.len();
    let length = pure::encode_vertex_buffer_level(&mut encoded, room, bytes, count, stride, level, version).unwrap();
    encoded.truncate(length);
    encoded
}

/// What Keyfold makes of a compressed buffer view.
fn read(encoded: &[u8], count: usize, stride: usize, mode: &str, filter: &str) -> Option<Vec<u8>> {
    let compression = json!({ "buffer": 0, "byteLength": encoded.len(), "byteStride": stride, "count": count,
        "mode": mode, "filter": filter });
    let document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_meshopt_compression"],
        "buffers": [{ "uri": "encoded", "byteLength": encoded.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": count * stride,
            "extensions": { "KHR_meshopt_compression": compression } }],
    });
    let bytes = encoded.to_vec();
    let resolver = move |_: &str, _: u64| Ok(bytes.clone());
    let options = OpenOptions { resolver: Some(std::sync::Arc::new(resolver)), ..OpenOptions::default() };
    let document = Document::from_bytes(document.to_string().as_bytes(), None, &options).unwrap();
    document.view(0).ok().map(|bytes| bytes.to_vec())
}

fn runs() -> usize {
    if is_full() { 20_000 } else { 2_000 }
}

#[test]
fn random_elements_are_encoded_to_the_same_bytes_and_come_back() {
    let mut random = Random(1);
    for run in 0..runs() {
        let (stride, count) = (STRIDES[random.below(8)], 1 + random.below(700));
        let (level, version) = (random.below(4) as i32, random.below(2) as i32);
        let bytes = random.elements(count, stride);
        let encoded = pure_encode(&bytes, stride, level, version);
        assert_eq!(encoded, by_stride!(stride, encode, &bytes, level, version), "run {run}");
        assert_eq!(read(&encoded, count, stride, "ATTRIBUTES", "NONE"), Some(bytes), "run {run}");
    }
}

#[test]
fn broken_elements_get_the_same_verdict() {
    let mut random = Random(2);
    let mut refused = 0;
    for run in 0..runs() {
        let (stride, count) = (STRIDES[random.below(8)], 1 + random.below(300));
        let bytes = random.elements(count, stride);
        let mut encoded = pure_encode(&bytes, stride, 2, random.below(2) as i32);
        for _ in 0..random.below(4) {
            let place = random.below(encoded.len());
            encoded[place] = random.next() as u8;
        }
        encoded.truncate(encoded.len() - random.below(3).min(encoded.len() - 1));
        let count = (count + random.below(3)).saturating_sub(1).max(1);
        let expected = by_stride!(stride, decode, &encoded, count);
        refused += usize::from(expected.is_none());
        assert_eq!(read(&encoded, count, stride, "ATTRIBUTES", "NONE"), expected, "run {run}");
    }
    assert!(refused > runs() / 10 && refused < runs(), "{refused} of {} refused", runs());
}

#[test]
fn indices_get_the_same_verdict_whole_and_broken() {
    let mut random = Random(3);
    let mut refused = 0;
    for run in 0..runs() {
        let vertices = 3 + random.below(500);
        let indices: Vec<u32> = (0..3 * (1 + random.below(200))).map(|_| random.below(vertices) as u32).collect();
        let triangles = random.below(2) == 0;
        let encode = if triangles { meshopt::encode_index_buffer } else { meshopt::encode_index_sequence };
        let mut encoded = encode(&indices, vertices).unwrap();
        for _ in 0..random.below(3) {
            let place = random.below(encoded.len());
            encoded[place] = random.next() as u8;
        }
        let count = indices.len();
        let expected = match triangles {
            true => meshopt::decode_index_buffer::<u32>(&encoded, count),
            false => meshopt::decode_index_sequence::<u32>(&encoded, count),
        };
        let expected = expected.ok().map(|indices| indices.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>());
        refused += usize::from(expected.is_none());
        let mode = if triangles { "TRIANGLES" } else { "INDICES" };
        assert_eq!(read(&encoded, count, 4, mode, "NONE"), expected, "run {run}, {mode}");
    }
    assert!(refused > 0 && refused < runs(), "{refused} of {} refused", runs());
}

/// Elements of the quaternion filter at any scale.
fn quaternions(random: &mut Random, count: usize) -> Vec<[i16; 4]> {
    let element = |random: &mut Random| {
        let scale = 8 + random.below(32_000);
        let code = |random: &mut Random| (random.below(scale) as i32 - scale as i32 / 2) as i16;
        [code(random), code(random), code(random), (scale & !3) as i16 | random.below(4) as i16]
    };
    (0..count).map(|_| element(random)).collect()
}

#[test]
fn quaternions_are_those_of_the_scalar_filter_and_a_digit_from_any_other() {
    let mut random = Random(4);
    let elements = quaternions(&mut random, 100_000);
    let bytes: Vec<u8> = elements.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    let ours = read(&pure_encode(&bytes, 8, 2, 1), elements.len(), 8, "ATTRIBUTES", "QUATERNION").unwrap();

    let mut scalar = bytes.clone();
    pure::decode_filter_quat(&mut scalar, elements.len(), 8).unwrap();
    assert!(ours == scalar, "the scalar filter of the crate has another order of operations");

    let mut theirs = elements.clone();
    meshopt::decode_filter_quat(&mut theirs);
    let mut differing = 0;
    for (bytes, theirs) in ours.as_chunks::<8>().0.iter().zip(&theirs) {
        let ours: [i16; 4] = std::array::from_fn(|i| i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
        assert!(ours.iter().zip(theirs).all(|(a, b)| a.abs_diff(*b) <= 1), "{ours:?} {theirs:?}");
        differing += usize::from(ours != *theirs);
    }
    note(&format!("{differing} of {} quaternions differ from meshoptimizer's on this processor", theirs.len()));
}
