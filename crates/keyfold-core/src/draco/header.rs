//! The first eleven bytes: "DRACO", version, geometry type, encoding method, flags.

use alloc::vec::Vec;

use super::cursor::Cursor;
use super::error::{DecodeError, Element, Fault};

const MAGIC: &[u8; 5] = b"DRACO";
const POINT_CLOUD: u8 = 0;
const SEQUENTIAL: u8 = 0;
const METADATA_FLAG: u16 = 0x8000;

/// What the header says, once its magic, version and geometry type are found to be ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) has_metadata: bool,
}

impl Header {
    /// The method byte is read and ignored, as every known animation decoder does.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Header, DecodeError> {
        let start = cursor.clone();
        if cursor.take(MAGIC.len(), Element::Magic)? != MAGIC {
            return Err(start.error(Fault::Invalid, Element::Magic));
        }
        let version = cursor.clone();
        match (cursor.u8(Element::Version)?, cursor.u8(Element::Version)?) {
            (2, 0..=3) => {}
            (1, _) => return Err(version.error(Fault::Unsupported, Element::Version)),
            _ => return Err(version.error(Fault::Invalid, Element::Version)),
        }
        let geometry = cursor.clone();
        if cursor.u8(Element::GeometryType)? != POINT_CLOUD {
            return Err(geometry.error(Fault::Unsupported, Element::GeometryType));
        }
        cursor.u8(Element::Method)?;
        let flags = cursor.u16(Element::Flags)?;
        Ok(Header { has_metadata: flags & METADATA_FLAG != 0 })
    }

    /// Writes version 2.3.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&[2, 3, POINT_CLOUD, SEQUENTIAL]);
        let flags = if self.has_metadata { METADATA_FLAG } else { 0 };
        out.extend_from_slice(&flags.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for has_metadata in [false, true] {
            let mut bytes = Vec::new();
            Header { has_metadata }.write(&mut bytes);
            assert_eq!(bytes.len(), 11);
            assert_eq!(Header::read(&mut Cursor::new(&bytes)), Ok(Header { has_metadata }));
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let mut good = Vec::new();
        Header { has_metadata: false }.write(&mut good);
        let cases = [
            (0, b'd', Fault::Invalid, Element::Magic, 0),
            (5, 1, Fault::Unsupported, Element::Version, 5),
            (5, 3, Fault::Invalid, Element::Version, 5),
            (6, 4, Fault::Invalid, Element::Version, 5),
            (7, 1, Fault::Unsupported, Element::GeometryType, 7),
        ];
        for (index, byte, fault, element, at) in cases {
            let mut bytes = good.clone();
            bytes[index] = byte;
            let error = Header::read(&mut Cursor::new(&bytes)).unwrap_err();
            assert_eq!(error, DecodeError { fault, element, at });
        }
    }
}
