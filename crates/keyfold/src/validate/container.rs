//! The binary container, byte by byte: glTF 2.0 section 4.4. Lenient where reading is not: whatever JSON and data can
//! be made out is looked at too. These findings concern the file as a whole: they have no JSON pointer, and say the
//! byte instead.

use super::{
    Findings,
    khronos::{
        GLB_CHUNK_LENGTH_UNALIGNED, GLB_CHUNK_TOO_BIG, GLB_DUPLICATE_CHUNK, GLB_EMPTY_BIN_CHUNK, GLB_EMPTY_CHUNK,
        GLB_EXTRA_DATA, GLB_INVALID_VERSION, GLB_LENGTH_MISMATCH, GLB_LENGTH_TOO_SMALL, GLB_UNEXPECTED_BIN_CHUNK,
        GLB_UNEXPECTED_END_OF_CHUNK_DATA, GLB_UNEXPECTED_END_OF_CHUNK_HEADER, GLB_UNEXPECTED_END_OF_HEADER,
        GLB_UNEXPECTED_FIRST_CHUNK, GLB_UNKNOWN_CHUNK_TYPE,
    },
};

use crate::document::glb::Fault;

/// What could be made out.
#[derive(Default)]
pub(super) struct Parts<'b> {
    pub(super) json: Option<&'b [u8]>,
    pub(super) bin: Option<&'b [u8]>,
    /// How many chunks there were.
    count: usize,
}

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Takes a GLB apart, and says what is wrong with it.
pub(super) fn check<'b>(bytes: &'b [u8], findings: &mut Findings) -> Parts<'b> {
    let mut parts = Parts::default();
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let (Some(version), Some(total)) = (word(4), word(8)) else {
        findings.add(&GLB_UNEXPECTED_END_OF_HEADER, "", Fault::HeaderCut { there: bytes.len() }.to_string());
        return parts;
    };
    if version != 2 {
        findings.add(&GLB_INVALID_VERSION, "", Fault::Version(version).to_string());
        return parts;
    }
    if total <= HEADER {
        findings.add(&GLB_LENGTH_TOO_SMALL, "", format!("{total} bytes are announced at byte 8"));
    }
    let mut at = HEADER;
    while at < bytes.len() {
        if at == total {
            findings.add(&GLB_EXTRA_DATA, "", format!("{} bytes from byte {at} on", bytes.len() - at));
            return parts;
        }
        let (Some(length), Some(kind)) = (word(at), bytes.get(at + 4..at + CHUNK_HEADER)) else {
            findings.add(&GLB_UNEXPECTED_END_OF_CHUNK_HEADER, "", Fault::ChunkHeaderCut { at }.to_string());
            return parts;
        };
        let data = &bytes[at + CHUNK_HEADER..];
        parts.chunk(Chunk { kind, length, at, total, data: &data[..length.min(data.len())] }, findings);
        if length > data.len() {
            let fault = Fault::ChunkCut { kind, at, length, there: data.len() };
            findings.add(&GLB_UNEXPECTED_END_OF_CHUNK_DATA, "", fault.to_string());
            return parts;
        }
        at += CHUNK_HEADER + length;
    }
    if at != total {
        findings.add(&GLB_LENGTH_MISMATCH, "", Fault::Length { announced: total, there: at }.to_string());
    }
    parts
}

struct Chunk<'b> {
    kind: &'b [u8],
    /// As announced.
    length: usize,
    at: usize,
    /// What the header of the whole announces.
    total: usize,
    data: &'b [u8],
}

impl<'b> Parts<'b> {
    fn chunk(&mut self, chunk: Chunk<'b>, findings: &mut Findings) {
        let Chunk { kind, length, at, total, data } = chunk;
        let place = || format!("the chunk `{}` at byte {at}", kind.escape_ascii());
        if !length.is_multiple_of(4) {
            findings.add(&GLB_CHUNK_LENGTH_UNALIGNED, "", format!("{}: {length} bytes", place()));
        }
        if at + CHUNK_HEADER + length > total {
            findings.add(&GLB_CHUNK_TOO_BIG, "", format!("{}: {length} bytes, where {total} are announced", place()));
        }
        if self.count == 0 && kind != b"JSON" {
            findings.add(&GLB_UNEXPECTED_FIRST_CHUNK, "", Fault::FirstChunk { kind }.to_string());
        }
        let late = self.count > 1;
        self.count += 1;
        match kind {
            b"JSON" => {
                if length == 0 {
                    findings.add(&GLB_EMPTY_CHUNK, "", place());
                }
                keep(&mut self.json, data, place, findings);
            }
            b"BIN\0" => {
                if late && self.bin.is_none() {
                    findings.add(&GLB_UNEXPECTED_BIN_CHUNK, "", place());
                }
                if length == 0 {
                    findings.add(&GLB_EMPTY_BIN_CHUNK, "", place());
                }
                keep(&mut self.bin, data, place, findings);
            }
            _ => findings.add(&GLB_UNKNOWN_CHUNK_TYPE, "", place()),
        }
    }
}

fn keep<'b>(slot: &mut Option<&'b [u8]>, data: &'b [u8], place: impl Fn() -> String, findings: &mut Findings) {
    if slot.is_some() {
        findings.add(&GLB_DUPLICATE_CHUNK, "", place());
    }
    slot.get_or_insert(data);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::glb;

    fn codes(bytes: &[u8]) -> Vec<&'static str> {
        let mut findings = Findings::default();
        check(bytes, &mut findings);
        findings.sorted().into_iter().map(|f| f.code).collect()
    }

    fn sound() -> Vec<u8> {
        glb::write(b"{}".into(), Some(vec![1; 8].into()), &[]).unwrap().to_vec()
    }

    fn with(at: usize, word: u32) -> Vec<u8> {
        let mut bytes = sound();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    }

    #[test]
    fn each_broken_frame_has_its_code() {
        assert_eq!(codes(&sound()), [""; 0]);
        assert_eq!(codes(&sound()[..8]), ["GLB_UNEXPECTED_END_OF_HEADER"]);
        assert_eq!(codes(&sound()[..28]), ["GLB_UNEXPECTED_END_OF_CHUNK_HEADER"]);
        assert_eq!(codes(&sound()[..36]), ["GLB_UNEXPECTED_END_OF_CHUNK_DATA"]);
        assert_eq!(codes(&with(4, 1)), ["GLB_INVALID_VERSION"]);
        assert_eq!(codes(&with(8, 1000)), ["GLB_LENGTH_MISMATCH"]);
        assert_eq!(codes(&[&sound()[..], b"more"].concat()), ["GLB_EXTRA_DATA"]);
        assert_eq!(codes(&with(28, u32::from_le_bytes(*b"XTRA"))), ["GLB_UNKNOWN_CHUNK_TYPE"]);
    }

    #[test]
    fn reading_says_what_validation_says() {
        for length in [8, 14, 28, 36] {
            let mut findings = Findings::default();
            check(&sound()[..length], &mut findings);
            let said = findings.sorted().remove(0).message;
            let refused = glb::parse(&sound()[..length].into()).err().unwrap().to_string();
            assert!(refused.ends_with(&said), "{refused} / {said}");
        }
    }

    #[test]
    fn every_truncation_is_said_and_not_a_panic() {
        let bytes = sound();
        (4..bytes.len()).for_each(|n| assert!(!codes(&bytes[..n]).is_empty(), "{n}"));
    }
}
