//! A stream, decoded: header, metadata, counts, descriptors, then value and parameter blocks in turn.

use alloc::vec::Vec;

use super::animation::{Animation, Attribute};
use super::cursor::Cursor;
use super::descriptor::{self, Coder, Descriptor};
use super::error::{DecodeError, Element, Fault};
use super::header::Header;
use super::limits::Limits;
use super::quantizer::Quantizer;
use super::symbol_decoder::SymbolDecoder;
use super::values::Values;
use super::{integer_decoder, metadata};

/// Decodes a stream. Bytes after its end are ignored.
///
/// ```
/// use keyfold_core::draco::{self, Limits};
/// let error = draco::decode(b"DRACO\x02\x09", &Limits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "Draco stream: version is not valid (at byte 5)");
/// ```
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Animation, DecodeError> {
    decode_prefix(bytes, limits).map(|(animation, _)| animation)
}

/// Like [`decode`], and also returns the number of bytes of the stream, which cannot be known otherwise.
pub fn decode_prefix(bytes: &[u8], limits: &Limits) -> Result<(Animation, usize), DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let header = Header::read(&mut cursor)?;
    let metadata = if header.has_metadata { metadata::read(&mut cursor)? } else { &[] };
    let keys = read_keys(&mut cursor, limits)?;
    let decoders = read_decoders(&mut cursor)?;
    check_limits(&cursor, keys, decoders.iter().flatten(), limits, bytes.len())?;

    let mut symbols = SymbolDecoder::default();
    let mut attributes = Vec::new();
    for descriptors in decoders {
        read_attributes(&mut cursor, &mut symbols, keys, &descriptors, &mut attributes)?;
    }
    Ok((Animation { keys, attributes, metadata: metadata.to_vec() }, cursor.at()))
}

/// The number of values (keyframes times components, of all attributes together) that a stream declares: the amount
/// to charge before decoding it.
pub fn count_values(bytes: &[u8], limits: &Limits) -> Result<u64, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    if Header::read(&mut cursor)?.has_metadata {
        metadata::read(&mut cursor)?;
    }
    let keys = read_keys(&mut cursor, limits)?;
    let decoders = read_decoders(&mut cursor)?;
    check_limits(&cursor, keys, decoders.iter().flatten(), limits, bytes.len())
}

fn read_keys(cursor: &mut Cursor<'_>, limits: &Limits) -> Result<u32, DecodeError> {
    let start = cursor.clone();
    let keys = u32::try_from(cursor.i32(Element::PointCount)?)
        .map_err(|_| start.error(Fault::Invalid, Element::PointCount))?;
    if keys > limits.points {
        return Err(start.error(Fault::Limit, Element::PointCount));
    }
    Ok(keys)
}

/// The descriptors of all decoders. Our encoder, like every other, makes one decoder.
fn read_decoders(cursor: &mut Cursor<'_>) -> Result<Vec<Vec<Descriptor>>, DecodeError> {
    let count = cursor.u8(Element::DecoderCount)?;
    (0..count).map(|_| descriptor::read_all(cursor)).collect()
}

/// Adds up what all attributes together will take, before the first of them is allocated; the number of their values.
fn check_limits<'d>(
    cursor: &Cursor<'_>,
    keys: u32,
    descriptors: impl Iterator<Item = &'d Descriptor>,
    limits: &Limits,
    length: usize,
) -> Result<u64, DecodeError> {
    let (mut values, mut memory) = (0u64, 0u64);
    for descriptor in descriptors {
        let count = u64::from(keys) * u64::from(descriptor.components);
        values = values.saturating_add(count);
        memory = memory.saturating_add(count * descriptor.data_type.size().max(4) as u64);
    }
    if values > limits.values_for(length) || memory > limits.memory {
        return Err(cursor.error(Fault::Limit, Element::ComponentCount));
    }
    Ok(values)
}

/// The value blocks of one decoder, then its parameter blocks.
fn read_attributes(
    cursor: &mut Cursor<'_>,
    symbols: &mut SymbolDecoder,
    keys: u32,
    descriptors: &[Descriptor],
    attributes: &mut Vec<Attribute>,
) -> Result<(), DecodeError> {
    let mut blocks = Vec::with_capacity(descriptors.len());
    for descriptor in descriptors {
        blocks.push(Block::read(cursor, symbols, keys, descriptor)?);
    }
    for (descriptor, block) in descriptors.iter().zip(blocks) {
        attributes.push(Attribute {
            unique_id: descriptor.unique_id,
            kind: descriptor.kind,
            normalized: descriptor.normalized,
            components: descriptor.components,
            values: block.finish(cursor, descriptor)?,
        });
    }
    Ok(())
}

/// A value block whose parameter block, if it needs one, has not been read.
enum Block {
    Done(Values),
    Indices(Vec<i32>),
}

impl Block {
    fn read(
        cursor: &mut Cursor<'_>,
        symbols: &mut SymbolDecoder,
        keys: u32,
        descriptor: &Descriptor,
    ) -> Result<Block, DecodeError> {
        let components = usize::from(descriptor.components);
        let count = (keys as usize).saturating_mul(components);
        if descriptor.coder == Coder::Raw {
            let size = count.saturating_mul(descriptor.data_type.size());
            let bytes = cursor.take(size, Element::RawValues)?;
            return Ok(Block::Done(Values::from_bytes(descriptor.data_type, bytes)));
        }
        let integers = integer_decoder::read(cursor, symbols, count, components)?;
        Ok(match descriptor.coder {
            Coder::Integer => Block::Done(Values::from_integers(descriptor.data_type, integers)),
            _ => Block::Indices(integers),
        })
    }

    fn finish(self, cursor: &mut Cursor<'_>, descriptor: &Descriptor) -> Result<Values, DecodeError> {
        match self {
            Block::Done(values) => Ok(values),
            Block::Indices(indices) => {
                let quantizer = Quantizer::read(cursor, descriptor.components)?;
                Ok(Values::F32(quantizer.dequantize(indices)))
            }
        }
    }
}
