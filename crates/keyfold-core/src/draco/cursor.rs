//! The one place that reads bytes of a stream: every bounds check of the decoder is here.

use super::error::{DecodeError, Element, Fault};

/// A position in a stream.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// All bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Everything between an earlier position and this one.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or(&[])
    }

    /// An error about `element`, at this position.
    pub(super) fn error(&self, fault: Fault, element: Element) -> DecodeError {
        DecodeError { fault, element, at: self.at }
    }

    /// Steps over `count` bytes, or to the end of the stream if there are fewer.
    pub(super) fn skip_up_to(&mut self, count: usize) {
        self.at += count.min(self.rest().len());
    }

    pub(super) fn take(&mut self, count: usize, element: Element) -> Result<&'a [u8], DecodeError> {
        let taken = self.rest().get(..count).ok_or(self.error(Fault::Truncated, element))?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, element: Element) -> Result<[u8; N], DecodeError> {
        let array = self.rest().first_chunk().ok_or(self.error(Fault::Truncated, element))?;
        self.at += N;
        Ok(*array)
    }

    pub(super) fn u8(&mut self, element: Element) -> Result<u8, DecodeError> {
        self.array::<1>(element).map(|[byte]| byte)
    }

    pub(super) fn i8(&mut self, element: Element) -> Result<i8, DecodeError> {
        self.array(element).map(i8::from_le_bytes)
    }

    pub(super) fn u16(&mut self, element: Element) -> Result<u16, DecodeError> {
        self.array(element).map(u16::from_le_bytes)
    }

    pub(super) fn i32(&mut self, element: Element) -> Result<i32, DecodeError> {
        self.array(element).map(i32::from_le_bytes)
    }

    pub(super) fn f32(&mut self, element: Element) -> Result<f32, DecodeError> {
        self.array(element).map(f32::from_le_bytes)
    }

    /// An unsigned LEB128 of at most 5 bytes. Padding is legal, bits beyond 32 fall off.
    pub(super) fn uleb32(&mut self, element: Element) -> Result<u32, DecodeError> {
        self.uleb(element, 5).map(|value| value as u32)
    }

    /// An unsigned LEB128 of at most 10 bytes.
    pub(super) fn uleb64(&mut self, element: Element) -> Result<u64, DecodeError> {
        self.uleb(element, 10)
    }

    fn uleb(&mut self, element: Element, longest: u32) -> Result<u64, DecodeError> {
        let start = self.clone();
        let mut value = 0;
        for group in 0..longest {
            let byte = self.u8(element)?;
            value |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(start.error(Fault::Invalid, element))
    }
}

/// Appends an unsigned LEB128.
pub(super) fn write_uleb(out: &mut alloc::vec::Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn uleb_round_trips_and_stops_at_its_width() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write_uleb(&mut bytes, value);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(cursor.uleb64(Element::RansSize), Ok(value));
            assert!(cursor.rest().is_empty());
        }
        let padded = [0x82, 0x80, 0x80, 0x80, 0x00];
        assert_eq!(Cursor::new(&padded).uleb32(Element::UniqueId), Ok(2));
        let endless = [0x80; 6];
        let error = Cursor::new(&endless).uleb32(Element::UniqueId).unwrap_err();
        assert_eq!((error.fault, error.at), (Fault::Invalid, 0));
    }

    #[test]
    fn a_short_stream_is_truncated_where_it_ends() {
        let mut cursor = Cursor::new(&[1, 2, 3]);
        assert_eq!(cursor.u8(Element::Magic), Ok(1));
        let error = cursor.i32(Element::PointCount).unwrap_err();
        assert_eq!((error.fault, error.at), (Fault::Truncated, 1));
    }
}
