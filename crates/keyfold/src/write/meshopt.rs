//! Accessors in buffer views that EXT_meshopt_compression (or its successor KHR_) compresses: one view for each kind
//! of element, so that JSON stays small, and in it those behind each other between which little changes, because the
//! codec stores differences.
//!
//! Nothing is lost here: what comes as a filter's elements stays that, other floats take the exponential filter where
//! they share a step; everything else goes without a filter.

use super::{
    Filter, Stored,
    order::connected,
    plain::{Place, place_plain, places},
};
use crate::{
    Error, Result,
    document::{ComponentType, Edit},
    extensions::meshopt::{EXT_NAME, KHR_NAME, codec, unfilter},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Which of the two extensions to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshoptVersion {
    /// EXT_meshopt_compression, which most loaders know.
    #[default]
    Ext,
    /// KHR_meshopt_compression, the ratified extension, a little smaller.
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

/// Whether to compress elements, given their plain and their compressed bytes.
pub type Pays = dyn Fn(&[u8], &[u8]) -> bool;

/// Elements of one kind, to be compressed together.
struct Group {
    kind: Kind,
    /// The contents in the order in which they stand, and where each begins.
    places: Vec<(usize, usize)>,
    /// Bytes as the decoder gives them back: those that accessors count in.
    length: usize,
    encoded: Vec<u8>,
}

/// What elements of a group have in common. Times are kept apart from values, because they follow another rule, and
/// come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    is_value: bool,
    filter: Filter,
    stride: usize,
}

/// Contents in groups, and those that are better left plain.
struct Groups {
    groups: Vec<Group>,
    plain: Vec<usize>,
}

/// Places accessors in compressed buffer views if that pays, else in a plain one.
pub fn place_meshopt(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    version: MeshoptVersion,
    pays: &Pays,
) -> Result<Vec<usize>> {
    let Groups { groups, plain } = grouped(contents, version, pays)?;
    let mut accessors = vec![0; contents.len()];
    place_groups(edit, contents, version, groups, &mut accessors);
    let unfiltered = plain.iter().map(|index| unfiltered(contents[*index])).collect::<Result<Vec<_>>>()?;
    let placed = place_plain(edit, &unfiltered.iter().collect::<Vec<_>>())?;
    plain.into_iter().zip(placed).for_each(|(index, accessor)| accessors[index] = accessor);
    Ok(accessors)
}

fn place_groups(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    version: MeshoptVersion,
    groups: Vec<Group>,
    accessors: &mut [usize],
) {
    if groups.is_empty() {
        return;
    }
    edit.declare(version.name(), true);
    let total: usize = groups.iter().map(|group| group.length).sum();
    let fallback =
        edit.push("buffers", json!({ "byteLength": total, "extensions": { version.name(): { "fallback": true } } }));
    let mut begin = 0;
    for mut group in groups {
        let (encoded, length) = (std::mem::take(&mut group.encoded), group.length);
        let view = edit.push_compressed_view(fallback, (begin, length), version.name(), object(&group), encoded);
        begin += length;
        // Accessors stand in the order in which samplers name them, wherever their bytes are: the JSON of samplers repeats itself.
        group.places.sort_unstable();
        for (index, offset) in group.places {
            accessors[index] = edit.push("accessors", contents[index].accessor(Some((view, offset))).into());
        }
    }
}

/// The bytes that contents take in compressed buffer views, and those that are better left plain.
pub(crate) fn meshopt_bytes(
    contents: &[&Stored],
    version: MeshoptVersion,
    pays: &Pays,
) -> Result<(Vec<u8>, Vec<Stored>)> {
    let Groups { groups, plain } = grouped(contents, version, pays)?;
    let plain = plain.into_iter().map(|index| unfiltered(contents[index])).collect::<Result<_>>()?;
    Ok((groups.into_iter().flat_map(|group| group.encoded).collect(), plain))
}

fn object(group: &Group) -> Map<String, Value> {
    let Kind { filter, stride, .. } = group.kind;
    let mut object = Map::from_iter([
        ("byteStride".to_owned(), json!(stride)),
        ("mode".to_owned(), json!("ATTRIBUTES")),
        ("count".to_owned(), json!(group.length / stride)),
    ]);
    if filter != Filter::None {
        object.insert("filter".into(), json!(filter.name()));
    }
    object
}

/// Elements of one kind that take fewer bytes than this have no buffer view of their own: its JSON would take more
/// than they do.
const FEW: usize = 512;
/// More bytes than this are nearly always fewer when they are compressed, and asking takes long.
const MANY: usize = 1 << 15;

fn grouped(contents: &[&Stored], version: MeshoptVersion, pays: &Pays) -> Result<Groups> {
    let mut kinds: BTreeMap<Kind, Vec<(usize, Vec<u8>)>> = BTreeMap::new();
    let places = places(contents);
    for index in (0..contents.len()).filter(|index| places[*index].host == *index) {
        let (kind, bytes) = filtered(contents[index]);
        kinds.entry(kind).or_default().push((index, bytes));
    }
    let mut merged: BTreeMap<Kind, Vec<(usize, Vec<u8>)>> = BTreeMap::new();
    for (kind, members) in kinds {
        let is_few = members.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < FEW;
        merged.entry(if is_few { kind.among_few() } else { kind }).or_default().extend(members);
    }
    let mut out = Groups { groups: Vec::new(), plain: Vec::new() };
    for (kind, members) in merged {
        let group = Group::new(kind, members, version)?;
        match group.length > MANY || pays(&plain_bytes(&group, contents)?, &group.encoded) {
            true => out.groups.push(group.with_guests(&places)),
            false => out.plain.extend(group.with_guests(&places).places.into_iter().map(|(index, _)| index)),
        }
    }
    // In the order in which they came.
    out.plain.sort_unstable();
    Ok(out)
}

impl Kind {
    /// Where elements are few: four bytes at a time, which suits any kind but quaternions, and without a filter
    /// beside the times.
    fn among_few(self) -> Self {
        match self.filter {
            Filter::Quaternion => self,
            Filter::Exponential => Self { stride: 4, ..self },
            Filter::None => Self { is_value: false, stride: 4, ..self },
        }
    }
}

impl Group {
    fn new(kind: Kind, members: Vec<(usize, Vec<u8>)>, version: MeshoptVersion) -> Result<Self> {
        let elements: Vec<&[u8]> = members.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        let order = if kind.is_value { connected(&elements, kind.stride) } else { (0..members.len()).collect() };
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for (index, content) in order.into_iter().map(|member| &members[member]) {
            places.push((*index, bytes.len()));
            bytes.extend_from_slice(content);
        }
        Ok(Self { kind, places, length: bytes.len(), encoded: encoded(&bytes, kind.stride, version)? })
    }

    /// The group with those contents, too, that lie in others of it.
    fn with_guests(mut self, places: &[Place]) -> Self {
        let offsets: BTreeMap<usize, usize> = self.places.iter().copied().collect();
        let guests = places.iter().enumerate().filter(|(index, place)| *index != place.host);
        self.places.extend(guests.filter_map(|(index, place)| Some((index, offsets.get(&place.host)? + place.offset))));
        self
    }
}

fn plain_bytes(group: &Group, contents: &[&Stored]) -> Result<Vec<u8>> {
    let plain = group.places.iter().map(|(index, _)| Ok(unfiltered(contents[*index])?.bytes));
    Ok(plain.collect::<Result<Vec<_>>>()?.concat())
}

/// A content as a reader gets it.
fn unfiltered(content: &Stored) -> Result<Stored> {
    let mut plain = Stored { filter: Filter::None, ..content.clone() };
    let undone = unfilter(content.filter.name(), content.element_size(), &mut plain.bytes);
    undone.map_err(|what| Error::Unsupported { extension: EXT_NAME.into(), what: what.into() })?;
    Ok(plain)
}

/// The kind that suits a content, and its bytes before the codec.
fn filtered(content: &Stored) -> (Kind, Vec<u8>) {
    let kind = |filter, stride| Kind { is_value: !content.bounds, filter, stride };
    if content.filter != Filter::None {
        return (kind(content.filter, content.element_size()), content.bytes.clone());
    }
    let floats = content.component == ComponentType::F32 && !content.bounds;
    if let Some(bytes) = floats.then(|| exponential(&content.bytes, content.shape.components())).flatten() {
        return (kind(Filter::Exponential, content.element_size()), bytes);
    }
    // The codec's strides are multiples of four; shorter elements go four bytes at a time.
    let stride = if content.element_size().is_multiple_of(4) { content.element_size() } else { 4 };
    let mut bytes = content.bytes.clone();
    bytes.resize(bytes.len().next_multiple_of(stride), 0);
    (kind(Filter::None, stride), bytes)
}

/// Floats as 24-bit multiples of a power of two that each component shares; `None` if they are not.
fn exponential(bytes: &[u8], components: usize) -> Option<Vec<u8>> {
    let values: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let exponents: Vec<i32> = (0..components)
        .map(|c| values.iter().skip(c).step_by(components).map(|v| lowest_exponent(*v)).min().unwrap_or(0))
        .collect();
    let mut out = Vec::with_capacity(bytes.len());
    for (i, value) in values.iter().enumerate() {
        let exponent = exponents[i % components].clamp(*EXPONENTS.start(), *EXPONENTS.end());
        let mantissa = f64::from(*value) * f64::from_bits(((1023 - i64::from(exponent)) as u64) << 52);
        let mantissa = Some(mantissa).filter(|m| m.fract() == 0.0)?;
        out.extend_from_slice(&exponential_word(exponent, mantissa as i32)?);
    }
    Some(out)
}

/// The exponents that the exponential filter is asked for: a reader's floats have no others to spare.
const EXPONENTS: RangeInclusive<i32> = -100..=100;

/// An element of the exponential filter: an exponent, and an integer of 24 bits.
pub(crate) fn exponential_word(exponent: i32, mantissa: i32) -> Option<[u8; 4]> {
    let fits = EXPONENTS.contains(&exponent) && mantissa.unsigned_abs() < 1 << 23;
    fits.then(|| ((exponent as u32) << 24 | (mantissa as u32 & 0xFF_FFFF)).to_le_bytes())
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
    let refused = || match cfg!(feature = "meshopt") {
        true => Error::Unsupported { extension: version.name().into(), what: format!("elements of {stride} bytes") },
        false => Error::Feature { feature: "meshopt", what: version.name().into() },
    };
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
