//! Accessors in buffer views that EXT_meshopt_compression (or its successor KHR_) compresses: one view for each kind of element, so that
//! JSON stays small.
//!
//! Nothing is lost here: what comes as a filter's elements stays that, other floats take the exponential filter where they share a step;
//! everything else goes without a filter.

use super::{Filter, Stored};
use crate::{
    Error, Result,
    document::{ComponentType, Edit},
    extensions::meshopt::{EXT_NAME, KHR_NAME, codec},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Which of the two extensions to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshoptVersion {
    /// EXT_meshopt_compression: what loaders know today.
    #[default]
    Ext,
    /// KHR_meshopt_compression: the ratified one, a little smaller.
    Khr,
}

impl MeshoptVersion {
    /// The extension's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ext => EXT_NAME,
            Self::Khr => KHR_NAME,
        }
    }

    const fn codec(self) -> i32 {
        match self {
            Self::Ext => 0,
            Self::Khr => 1,
        }
    }
}

/// Elements of one kind, to be compressed together.
struct Group {
    stride: usize,
    filter: Filter,
    bytes: Vec<u8>,
    /// Bytes as the decoder gives them back: those that accessors count in.
    count: usize,
    encoded: Vec<u8>,
}

/// Contents in groups, and each content's group and its byte offset there.
struct Groups {
    groups: Vec<Group>,
    places: Vec<(usize, usize)>,
}

/// Places accessors in compressed buffer views.
pub fn place_meshopt(edit: &mut Edit<'_>, contents: &[&Stored], version: MeshoptVersion) -> Result<Vec<usize>> {
    let Groups { groups, places } = grouped(contents, version)?;
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    edit.declare(version.name(), true);
    let total: usize = groups.iter().map(|g| g.count * g.stride).sum();
    let fallback =
        edit.push("buffers", json!({ "byteLength": total, "extensions": { version.name(): { "fallback": true } } }));
    let (mut views, mut offset) = (Vec::new(), 0);
    for mut group in groups {
        let encoded = std::mem::take(&mut group.encoded);
        let length = group.count * group.stride;
        views.push(edit.push_compressed_view(fallback, (offset, length), version.name(), object(&group), encoded));
        offset += length;
    }
    let accessor = |(content, (group, offset)): (&&Stored, (usize, usize))| {
        let mut object = Map::from_iter([("bufferView".to_owned(), json!(views[group]))]);
        if offset > 0 {
            object.insert("byteOffset".into(), json!(offset));
        }
        object.extend(content.accessor());
        edit.push("accessors", Value::Object(object))
    };
    Ok(contents.iter().zip(places).map(accessor).collect())
}

/// The bytes that contents take in compressed buffer views.
pub(crate) fn meshopt_bytes(contents: &[&Stored], version: MeshoptVersion) -> Result<Vec<u8>> {
    Ok(grouped(contents, version)?.groups.into_iter().flat_map(|g| g.encoded).collect())
}

fn object(group: &Group) -> Map<String, Value> {
    let mut object = Map::from_iter([
        ("byteStride".to_owned(), json!(group.stride)),
        ("mode".to_owned(), json!("ATTRIBUTES")),
        ("count".to_owned(), json!(group.count)),
    ]);
    match group.filter {
        Filter::None => {}
        Filter::Quaternion => drop(object.insert("filter".into(), json!("QUATERNION"))),
        Filter::Exponential => drop(object.insert("filter".into(), json!("EXPONENTIAL"))),
    }
    object
}

fn grouped(contents: &[&Stored], version: MeshoptVersion) -> Result<Groups> {
    let mut kinds: BTreeMap<(bool, usize, Filter), usize> = BTreeMap::new();
    let mut out = Groups { groups: Vec::new(), places: Vec::new() };
    for content in contents {
        let (filter, stride, bytes) = filtered(content);
        // Times are kept apart from values: they follow another rule.
        let group = *kinds.entry((content.bounds, stride, filter)).or_insert_with(|| {
            out.groups.push(Group { stride, filter, bytes: Vec::new(), count: 0, encoded: Vec::new() });
            out.groups.len() - 1
        });
        let group_bytes = &mut out.groups[group].bytes;
        out.places.push((group, group_bytes.len()));
        group_bytes.extend_from_slice(&bytes);
    }
    for group in &mut out.groups {
        group.count = group.bytes.len() / group.stride;
        group.encoded = encoded(&std::mem::take(&mut group.bytes), group.stride, version)?;
    }
    Ok(out)
}

/// The filter that suits a content, the bytes of one of its elements, and its bytes before the codec.
fn filtered(content: &Stored) -> (Filter, usize, Vec<u8>) {
    if content.filter != Filter::None {
        return (content.filter, content.element_size(), content.bytes.clone());
    }
    let floats = content.component == ComponentType::F32 && !content.bounds;
    if let Some(bytes) = floats.then(|| exponential(&content.bytes, content.shape.components())).flatten() {
        return (Filter::Exponential, content.element_size(), bytes);
    }
    // The codec's strides are multiples of four; shorter elements go four bytes at a time.
    let stride = if content.element_size().is_multiple_of(4) { content.element_size() } else { 4 };
    let mut bytes = content.bytes.clone();
    bytes.resize(bytes.len().next_multiple_of(stride), 0);
    (Filter::None, stride, bytes)
}

/// Floats as 24-bit multiples of a power of two that each component shares; `None` where they are not.
fn exponential(bytes: &[u8], components: usize) -> Option<Vec<u8>> {
    let values: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let exponents: Vec<i32> = (0..components)
        .map(|c| values.iter().skip(c).step_by(components).map(|v| lowest_exponent(*v)).min().unwrap_or(0))
        .collect();
    let mut out = Vec::with_capacity(bytes.len());
    for (i, value) in values.iter().enumerate() {
        let exponent = exponents[i % components].clamp(-100, 100);
        let mantissa = f64::from(*value) * f64::from_bits(((1023 - i64::from(exponent)) as u64) << 52);
        if mantissa.fract() != 0.0 || mantissa.abs() > 8_388_607.0 {
            return None;
        }
        let packed = (exponent as u32) << 24 | (mantissa as i32 as u32 & 0xFF_FFFF);
        out.extend_from_slice(&packed.to_le_bytes());
    }
    Some(out)
}

/// The exponent of a float's lowest set bit.
fn lowest_exponent(value: f32) -> i32 {
    if value == 0.0 {
        return 100;
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xFF) as i32, bits & 0x7F_FFFF);
    if exponent == 0 {
        return -149;
    }
    exponent - 150 + (fraction | 0x80_0000).trailing_zeros() as i32
}

fn encoded(bytes: &[u8], stride: usize, version: MeshoptVersion) -> Result<Vec<u8>> {
    let what = match cfg!(feature = "meshopt") {
        true => format!("elements of {stride} bytes"),
        false => "is not built in (feature `meshopt`)".into(),
    };
    let refused = || Error::Unsupported { extension: version.name().into(), what };
    codec::encode(bytes, stride, version.codec()).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "meshopt")]
    #[test]
    fn floats_on_a_grid_take_the_exponential_filter_and_come_back() {
        let values = [0.25f32, -3.5, 1000.0, 0.0, 0.75, -0.25];
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let mut filtered = exponential(&bytes, 3).unwrap();
        codec::unfilter(codec::Filter::Exponential, &mut filtered, 12).unwrap();
        assert_eq!(filtered, bytes);
        let wild: Vec<u8> = [1.0f32 / 3.0, 1e20, 1e-20].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(exponential(&wild, 1).is_none());
    }

    #[test]
    fn the_lowest_bit_of_a_float_is_found() {
        assert_eq!([1.0f32, 0.75, 6.0, f32::MIN_POSITIVE].map(lowest_exponent), [0, -2, 1, -126]);
    }
}
