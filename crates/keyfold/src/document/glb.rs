//! The binary container: glTF 2.0 section 4.4. Framing only; what the chunks mean is the document's business.
//!
//! Lenient where loaders are: chunks in unknown kinds are kept, a file longer than its header says is cut there.

use super::{Bytes, Pieces};
use crate::{Error, Result};
use std::fmt;

const MAGIC: &[u8; 4] = b"glTF";
const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// A chunk that is neither the JSON nor the first BIN: kept as it is, padding included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) kind: [u8; 4],
    pub(crate) data: Pieces,
}

/// What a GLB holds.
pub(crate) struct Parts {
    pub(crate) length: usize,
    pub(crate) json: Pieces,
    pub(crate) bin: Option<Pieces>,
    pub(crate) others: Vec<Chunk>,
}

/// Whether the bytes begin as a GLB does.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// What is wrong with a frame, in the words of whoever says it: reading, and validation.
pub(crate) enum Fault<'a> {
    /// The file ends inside its header.
    HeaderCut { there: usize },
    /// Not version 2.
    Version(usize),
    /// The header announces another length than the file has.
    Length { announced: usize, there: usize },
    /// The file ends inside a chunk's header.
    ChunkHeaderCut { at: usize },
    /// The file ends inside a chunk's data.
    ChunkCut { kind: &'a [u8], at: usize, length: usize, there: usize },
    /// The first chunk is not the JSON.
    FirstChunk { kind: &'a [u8] },
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeaderCut { there } => write!(f, "the file ends after {there} bytes, inside its header"),
            Self::Version(version) => write!(f, "version {version} at byte 4; only 2 is known"),
            Self::Length { announced, there } => write!(f, "{announced} bytes are announced, {there} are there"),
            Self::ChunkHeaderCut { at } => write!(f, "the file ends inside the header of the chunk at byte {at}"),
            Self::ChunkCut { kind, at, length, there } => {
                let kind = kind.escape_ascii();
                write!(
                    f,
                    "the file ends inside the chunk `{kind}` at byte {at}: {there} of its {length} bytes are there"
                )
            }
            Self::FirstChunk { kind } => write!(f, "the first chunk is `{}`, not JSON", kind.escape_ascii()),
        }
    }
}

impl From<Fault<'_>> for Error {
    fn from(fault: Fault<'_>) -> Self {
        Self::malformed("", format!("GLB: {fault}"))
    }
}

/// Takes a GLB apart.
pub(crate) fn parse(file: &Pieces) -> Result<Parts> {
    let (Some(version), Some(announced)) = (word(file, 4), word(file, 8)) else {
        return Err(Fault::HeaderCut { there: file.len() }.into());
    };
    if version != 2 {
        return Err(Fault::Version(version).into());
    }
    let there = file.len();
    let mut chunks = chunks(&file.slice(0..announced.min(there)).unwrap_or_default())?.into_iter();
    if announced > there {
        return Err(Fault::Length { announced, there }.into());
    }
    let json = match chunks.next() {
        Some(Chunk { kind: JSON, data }) => data,
        first => return Err(Fault::FirstChunk { kind: first.as_ref().map_or(b"", |chunk| &chunk.kind) }.into()),
    };
    let mut parts = Parts { length: announced, json, bin: None, others: Vec::new() };
    for chunk in chunks {
        match chunk.kind {
            BIN if parts.bin.is_none() && parts.others.is_empty() => parts.bin = Some(chunk.data),
            _ => parts.others.push(chunk),
        }
    }
    Ok(parts)
}

fn chunks(file: &Pieces) -> Result<Vec<Chunk>> {
    let (mut found, whole) = (Vec::new(), file.len());
    let mut at = 12usize;
    while at < whole {
        let (Some(length), Some(kind)) = (word(file, at), four(file, at + 4)) else {
            return Err(Fault::ChunkHeaderCut { at }.into());
        };
        let (start, there) = (at + 8, whole - at - 8);
        let cut = || Fault::ChunkCut { kind: &kind, at, length, there };
        let data = file.slice(start..start.saturating_add(length)).ok_or_else(cut)?;
        found.push(Chunk { kind, data });
        at = start + length;
    }
    Ok(found)
}

/// A number in a header.
fn word(file: &Pieces, at: usize) -> Option<usize> {
    four(file, at).map(|bytes| u32::from_le_bytes(bytes) as usize)
}

fn four(file: &Pieces, at: usize) -> Option<[u8; 4]> {
    file.slice(at..at + 4)?.joined()[..].try_into().ok()
}

/// Puts a GLB together: JSON padded with spaces, BIN with zeros.
pub(crate) fn write(json: Bytes, bin: Option<Pieces>, others: &[Chunk]) -> Result<Pieces> {
    let mut out = vec![Bytes::default()];
    push(&mut out, JSON, json.into(), b' ')?;
    if let Some(bin) = bin {
        push(&mut out, BIN, bin, 0)?;
    }
    for chunk in others {
        push(&mut out, chunk.kind, chunk.data.clone(), 0)?;
    }
    let length = fit(12 + out.iter().map(|piece| piece.len()).sum::<usize>())?;
    out[0] = [*MAGIC, 2u32.to_le_bytes(), length.to_le_bytes()].concat().into();
    Ok(out.into_iter().collect())
}

fn push(out: &mut Vec<Bytes>, kind: [u8; 4], data: Pieces, pad: u8) -> Result<()> {
    let padded = data.len().next_multiple_of(4);
    let padding = vec![pad; padded - data.len()];
    out.push([fit(padded)?.to_le_bytes(), kind].concat().into());
    out.extend(data);
    out.push(padding.into());
    Ok(())
}

fn fit(length: usize) -> Result<u32> {
    u32::try_from(length)
        .map_err(|_| Error::limit("", format!("a GLB of {length} bytes is longer than its header can say")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bin: Option<&[u8]>, others: &[Chunk]) -> Vec<u8> {
        write(b"{}".into(), bin.map(Pieces::from), others).unwrap().to_vec()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let extra = Chunk { kind: *b"XTRA", data: b"\x01\x02\x03\x04".into() };
        let bytes = whole(Some(&[9; 5]), std::slice::from_ref(&extra));
        let parts = parse(&bytes.into()).unwrap();
        assert_eq!(parts.json.to_vec(), b"{}  ");
        assert_eq!(parts.bin.unwrap().to_vec(), [9, 9, 9, 9, 9, 0, 0, 0]);
        assert_eq!(parts.others, [extra]);
    }

    #[test]
    fn every_truncation_is_an_error_and_not_a_panic() {
        let bytes = whole(Some(&[9; 5]), &[]);
        (0..bytes.len()).for_each(|n| assert!(parse(&bytes[..n].into()).is_err()));
    }

    #[test]
    fn a_chunk_length_near_the_top_of_u32_does_not_wrap() {
        let mut bytes = whole(None, &[]);
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse(&bytes.into()).is_err());
    }
}
