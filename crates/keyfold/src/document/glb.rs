//! The binary container: glTF 2.0 section 4.4. Framing only; what the chunks mean is the document's business.
//!
//! Lenient where loaders are: chunks in unknown kinds are kept, a file longer than its header says is cut there.

use super::Bytes;
use crate::{Error, Result};
use std::{fmt, ops::Range};

const MAGIC: &[u8; 4] = b"glTF";
const JSON: [u8; 4] = *b"JSON";
const BIN: [u8; 4] = *b"BIN\0";

/// A chunk that is neither the JSON nor the first BIN: kept as it is, padding included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) kind: [u8; 4],
    pub(crate) data: Vec<u8>,
}

/// What a GLB holds, and where.
pub(crate) struct Parts {
    pub(crate) length: usize,
    pub(crate) json: Range<usize>,
    pub(crate) bin: Option<Range<usize>>,
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
pub(crate) fn parse(bytes: &[u8]) -> Result<Parts> {
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let (Some(version), Some(announced)) = (word(4), word(8)) else {
        return Err(Fault::HeaderCut { there: bytes.len() }.into());
    };
    if version != 2 {
        return Err(Fault::Version(version).into());
    }
    let mut chunks = chunks(&bytes[..announced.min(bytes.len())])?.into_iter();
    if announced > bytes.len() {
        return Err(Fault::Length { announced, there: bytes.len() }.into());
    }
    let json = match chunks.next() {
        Some((JSON, data)) => data,
        first => return Err(Fault::FirstChunk { kind: first.as_ref().map_or(b"", |(kind, _)| kind) }.into()),
    };
    let mut parts = Parts { length: announced, json, bin: None, others: Vec::new() };
    for (kind, data) in chunks {
        match kind {
            BIN if parts.bin.is_none() && parts.others.is_empty() => parts.bin = Some(data),
            _ => parts.others.push(Chunk { kind, data: bytes[data].to_vec() }),
        }
    }
    Ok(parts)
}

fn chunks(bytes: &[u8]) -> Result<Vec<([u8; 4], Range<usize>)>> {
    let mut found = Vec::new();
    let mut at = 12usize;
    while at < bytes.len() {
        let head = bytes.get(at..at + 8).ok_or(Fault::ChunkHeaderCut { at })?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (kind, there) = (&head[4..8], bytes.len() - at - 8);
        if length > there {
            return Err(Fault::ChunkCut { kind, at, length, there }.into());
        }
        let end = at + 8 + length;
        found.push(([head[4], head[5], head[6], head[7]], at + 8..end));
        at = end;
    }
    Ok(found)
}

/// Puts a GLB together, in pieces that are not copied: JSON padded with spaces, BIN with zeros.
pub(crate) fn write(json: Bytes, bin: Option<Bytes>, others: &[Chunk]) -> Result<Vec<Bytes>> {
    let mut out = vec![Bytes::default()];
    push(&mut out, JSON, json, b' ')?;
    if let Some(bin) = bin {
        push(&mut out, BIN, bin, 0)?;
    }
    for chunk in others {
        push(&mut out, chunk.kind, chunk.data.as_slice().into(), 0)?;
    }
    let length = fit(12 + out.iter().map(|piece| piece.len()).sum::<usize>())?;
    out[0] = [*MAGIC, 2u32.to_le_bytes(), length.to_le_bytes()].concat().into();
    Ok(out)
}

fn push(out: &mut Vec<Bytes>, kind: [u8; 4], data: Bytes, pad: u8) -> Result<()> {
    let padded = data.len().next_multiple_of(4);
    let padding = vec![pad; padded - data.len()];
    out.extend([[fit(padded)?.to_le_bytes(), kind].concat().into(), data, padding.into()]);
    Ok(())
}

fn fit(length: usize) -> Result<u32> {
    u32::try_from(length).map_err(|_| Error::limit("", format!("a GLB of {length} bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bin: Option<&[u8]>, others: &[Chunk]) -> Vec<u8> {
        write(b"{}".into(), bin.map(Bytes::from), others).unwrap().iter().flat_map(|piece| piece.to_vec()).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let extra = Chunk { kind: *b"XTRA", data: vec![1, 2, 3, 4] };
        let bytes = whole(Some(&[9; 5]), std::slice::from_ref(&extra));
        let parts = parse(&bytes).unwrap();
        assert_eq!(&bytes[parts.json], b"{}  ");
        assert_eq!(bytes[parts.bin.unwrap()], [9, 9, 9, 9, 9, 0, 0, 0]);
        assert_eq!(parts.others, [extra]);
    }

    #[test]
    fn every_truncation_is_an_error_and_not_a_panic() {
        let bytes = whole(Some(&[9; 5]), &[]);
        (0..bytes.len()).for_each(|n| assert!(parse(&bytes[..n]).is_err()));
    }

    #[test]
    fn a_chunk_length_near_the_top_of_u32_does_not_wrap() {
        let mut bytes = whole(None, &[]);
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse(&bytes).is_err());
    }
}
