//! Attribute descriptors: type, data type, components, normalized, unique id; and then the coder of each.

use alloc::vec::Vec;

use super::cursor::{Cursor, write_uleb};
use super::error::{DecodeError, Element, Fault};
use super::values::DataType;

/// What the values of an attribute mean. Animations know only [`AttributeKind::Generic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are Draco's")]
pub enum AttributeKind {
    Position = 0,
    Normal = 1,
    Color = 2,
    TexCoord = 3,
    #[default]
    Generic = 4,
    Tangent = 5,
    Material = 6,
    Joints = 7,
    Weights = 8,
}

impl AttributeKind {
    /// The kind with this number in the bitstream.
    pub fn from_number(number: u8) -> Option<AttributeKind> {
        use AttributeKind::*;
        [Position, Normal, Color, TexCoord, Generic, Tangent, Material, Joints, Weights]
            .get(usize::from(number))
            .copied()
    }
}

/// How the values of an attribute are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Coder {
    Raw = 0,
    Integer = 1,
    Quantized = 2,
}

/// Everything that is known of an attribute before its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) kind: AttributeKind,
    pub(super) data_type: DataType,
    pub(super) components: u8,
    pub(super) normalized: bool,
    pub(super) unique_id: u32,
    pub(super) coder: Coder,
}

/// The shortest descriptor, in bytes; a count that the rest of the stream cannot hold is refused.
const SHORTEST: usize = 5;

/// The descriptors of one attribute decoder: first all attributes, then all their coders.
pub(super) fn read_all(cursor: &mut Cursor<'_>) -> Result<Vec<Descriptor>, DecodeError> {
    let start = cursor.clone();
    let count = cursor.uleb32(Element::AttributeCount)? as usize;
    if count == 0 || count > cursor.rest().len() / SHORTEST {
        return Err(start.error(Fault::Invalid, Element::AttributeCount));
    }
    let mut descriptors = Vec::with_capacity(count);
    for _ in 0..count {
        descriptors.push(read(cursor)?);
    }
    for descriptor in &mut descriptors {
        descriptor.coder = read_coder(cursor, descriptor.data_type)?;
    }
    Ok(descriptors)
}

fn read(cursor: &mut Cursor<'_>) -> Result<Descriptor, DecodeError> {
    let kind = checked(cursor, Element::AttributeType, AttributeKind::from_number)?;
    let data_type = checked(cursor, Element::DataType, DataType::from_number)?;
    let components = checked(cursor, Element::ComponentCount, |count| (count > 0).then_some(count))?;
    let normalized = cursor.u8(Element::Normalized)? != 0;
    let unique_id = cursor.uleb32(Element::UniqueId)?;
    Ok(Descriptor { kind, data_type, components, normalized, unique_id, coder: Coder::Raw })
}

fn read_coder(cursor: &mut Cursor<'_>, data_type: DataType) -> Result<Coder, DecodeError> {
    let start = cursor.clone();
    match cursor.u8(Element::Coder)? {
        0 => Ok(Coder::Raw),
        1 if data_type.is_small_integer() => Ok(Coder::Integer),
        2 if data_type == DataType::F32 => Ok(Coder::Quantized),
        3 => Err(start.error(Fault::Unsupported, Element::Coder)),
        _ => Err(start.error(Fault::Invalid, Element::Coder)),
    }
}

/// A byte that must be one of those which `known` knows.
fn checked<T>(cursor: &mut Cursor<'_>, element: Element, known: impl Fn(u8) -> Option<T>) -> Result<T, DecodeError> {
    let start = cursor.clone();
    known(cursor.u8(element)?).ok_or(start.error(Fault::Invalid, element))
}

/// Writes what [`read_all`] reads.
pub(super) fn write_all(out: &mut Vec<u8>, descriptors: impl ExactSizeIterator<Item = Descriptor> + Clone) {
    write_uleb(out, descriptors.len() as u64);
    for descriptor in descriptors.clone() {
        out.push(descriptor.kind as u8);
        out.push(descriptor.data_type as u8);
        out.push(descriptor.components);
        out.push(descriptor.normalized.into());
        write_uleb(out, descriptor.unique_id.into());
    }
    out.extend(descriptors.map(|descriptor| descriptor.coder as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(data_type: DataType, unique_id: u32, coder: Coder) -> Descriptor {
        let kind = AttributeKind::Generic;
        Descriptor { kind, data_type, components: 3, normalized: unique_id == 1, unique_id, coder }
    }

    #[test]
    fn reads_what_it_writes() {
        let descriptors = [
            sample(DataType::F32, 0, Coder::Quantized),
            sample(DataType::U16, 1, Coder::Integer),
            sample(DataType::F64, 70_000, Coder::Raw),
        ];
        let mut bytes = Vec::new();
        write_all(&mut bytes, descriptors.iter().copied());
        assert_eq!(read_all(&mut Cursor::new(&bytes)).unwrap(), descriptors);
    }

    #[test]
    fn refuses_coders_that_do_not_fit_the_type() {
        for (data_type, coder, fault) in [
            (DataType::F64, 2, Fault::Invalid),
            (DataType::F32, 1, Fault::Invalid),
            (DataType::F32, 3, Fault::Unsupported),
            (DataType::F32, 4, Fault::Invalid),
        ] {
            let mut bytes = Vec::new();
            write_all(&mut bytes, core::iter::once(sample(data_type, 0, Coder::Raw)));
            *bytes.last_mut().unwrap() = coder;
            let error = read_all(&mut Cursor::new(&bytes)).unwrap_err();
            assert_eq!(error, DecodeError { fault, element: Element::Coder, at: 6 });
        }
    }
}
