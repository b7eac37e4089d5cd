//! The value block of the integer and the quantized coder, decoded: prediction, symbols or plain integers, bounds.

use alloc::vec::Vec;

use super::cursor::Cursor;
use super::error::{DecodeError, Element, Fault};
use super::prediction::{Wrap, unzigzag};
use super::symbol_decoder::SymbolDecoder;

/// The prediction byte for "none". Every other value means the difference to the keyframe before: mesh
/// predictors fall back to it where there is no mesh.
pub(super) const NO_PREDICTION: i8 = -2;
pub(super) const DIFFERENCE: i8 = 0;
/// The only transform that animations use. With any other of [`TRANSFORMS`] there is no prediction either.
pub(super) const WRAP: i8 = 1;
const TRANSFORMS: core::ops::RangeInclusive<i8> = -1..=3;

/// Reads `count` integers, rows of `components`. There is no block for none: libdraco's encoder writes nothing then,
/// and its decoder refuses whatever comes.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    decoder: &mut SymbolDecoder,
    count: usize,
    components: usize,
) -> Result<Vec<i32>, DecodeError> {
    if count == 0 {
        return Err(cursor.error(Fault::Invalid, Element::PointCount));
    }
    let predicted = read_prediction(cursor)?;
    let mut integers = alloc::vec![0; count];
    if cursor.u8(Element::CompressedFlag)? != 0 {
        decoder.read(cursor, &mut integers, components)?;
    } else {
        read_plain(cursor, &mut integers)?;
    }
    if predicted {
        read_bounds(cursor)?.undo(&mut integers, components);
    } else {
        integers.iter_mut().for_each(|integer| *integer = unzigzag(*integer as u32));
    }
    Ok(integers)
}

fn read_prediction(cursor: &mut Cursor<'_>) -> Result<bool, DecodeError> {
    if cursor.i8(Element::Prediction)? == NO_PREDICTION {
        return Ok(false);
    }
    let start = cursor.clone();
    let transform = cursor.i8(Element::Transform)?;
    if !TRANSFORMS.contains(&transform) {
        return Err(start.error(Fault::Invalid, Element::Transform));
    }
    Ok(transform == WRAP)
}

fn read_bounds(cursor: &mut Cursor<'_>) -> Result<Wrap, DecodeError> {
    let start = cursor.clone();
    let (low, high) = (cursor.i32(Element::Bounds)?, cursor.i32(Element::Bounds)?);
    Wrap::new(low, high).ok_or(start.error(Fault::Invalid, Element::Bounds))
}

/// Plain symbols of 0 to 4 bytes each.
fn read_plain(cursor: &mut Cursor<'_>, out: &mut [i32]) -> Result<(), DecodeError> {
    let start = cursor.clone();
    let width = usize::from(cursor.u8(Element::PlainWidth)?);
    if width == 0 {
        return Ok(());
    }
    if width > 4 {
        return Err(start.error(Fault::Invalid, Element::PlainWidth));
    }
    let bytes = cursor.take(out.len().saturating_mul(width), Element::PlainValues)?;
    for (symbol, bytes) in out.iter_mut().zip(bytes.chunks_exact(width)) {
        let mut word = [0; 4];
        word[..width].copy_from_slice(bytes);
        *symbol = i32::from_le_bytes(word);
    }
    Ok(())
}
