//! Metadata: named byte strings on the stream and on its attributes.
//!
//! No animation tool writes any. It is checked and stepped over, and kept as the bytes it was, so that
//! a stream can be written again without losing it.

use super::cursor::Cursor;
use super::error::{DecodeError, Element, Fault};

/// Deeper nesting is refused.
const DEEPEST: u32 = 1000;

/// Steps over the metadata block and returns it as it is stored.
pub(super) fn read<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8], DecodeError> {
    let start = cursor.at();
    let attributes = cursor.uleb32(Element::Metadata)?;
    for _ in 0..attributes {
        let _unique_id = cursor.uleb32(Element::Metadata)?;
        skip_element(cursor)?;
    }
    skip_element(cursor)?;
    Ok(cursor.since(start))
}

/// An element and everything below it. Nesting is followed with a stack of "children still to come".
fn skip_element(cursor: &mut Cursor<'_>) -> Result<(), DecodeError> {
    let mut pending = alloc::vec![skip_entries(cursor)?];
    while let Some(children) = pending.last_mut() {
        let Some(fewer) = children.checked_sub(1) else {
            pending.pop();
            continue;
        };
        *children = fewer;
        skip_name(cursor)?;
        if pending.len() as u32 > DEEPEST {
            return Err(cursor.error(Fault::Invalid, Element::Metadata));
        }
        pending.push(skip_entries(cursor)?);
    }
    Ok(())
}

/// The entries of an element; returns the number of its children.
fn skip_entries(cursor: &mut Cursor<'_>) -> Result<u32, DecodeError> {
    let entries = cursor.uleb32(Element::Metadata)?;
    for _ in 0..entries {
        skip_name(cursor)?;
        let size = cursor.uleb32(Element::Metadata)?;
        if size == 0 {
            return Err(cursor.error(Fault::Invalid, Element::Metadata));
        }
        cursor.take(size as usize, Element::Metadata)?;
    }
    let children = cursor.uleb32(Element::Metadata)?;
    if children as usize > cursor.rest().len() {
        return Err(cursor.error(Fault::Invalid, Element::Metadata));
    }
    Ok(children)
}

fn skip_name(cursor: &mut Cursor<'_>) -> Result<(), DecodeError> {
    let length = cursor.u8(Element::Metadata)?;
    cursor.take(length.into(), Element::Metadata).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn steps_over_entries_and_children() {
        let block = [
            1, 7, // one attribute, id 7
            1, 1, b'a', 2, 8, 9, // entry a = [8, 9]
            0, // no children
            0, // the stream itself: no entries
            1, 1, b'c', 0, 0, // one child c: nothing in it
        ];
        let mut bytes = block.to_vec();
        bytes.extend_from_slice(b"rest");
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(read(&mut cursor), Ok(&block[..]));
        assert_eq!(cursor.rest(), b"rest");
    }

    #[test]
    fn refuses_empty_values_and_endless_nesting() {
        assert!(read(&mut Cursor::new(&[0, 1, 0, 0, 0])).is_err());
        let deep = |levels: usize| -> Vec<u8> {
            let mut bytes = alloc::vec![0];
            (0..levels).for_each(|_| bytes.extend_from_slice(&[0, 1, 0]));
            bytes.extend_from_slice(&[0, 0]);
            bytes
        };
        assert!(read(&mut Cursor::new(&deep(1000))).is_ok());
        assert!(read(&mut Cursor::new(&deep(1001))).is_err());
    }
}
