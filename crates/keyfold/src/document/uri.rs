//! URIs of buffers and images: data URIs, and paths relative to the document with percent-encoding (RFC 3986).
//!
//! Nothing is fetched from a network: other schemes are refused.

use crate::{Error, Result};
use base64::{Engine, alphabet, engine};
use percent_encoding::percent_decode_str;
use std::path::{Component, Path, PathBuf};

/// Exporters differ on padding; both ways are unambiguous.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new().with_decode_padding_mode(engine::DecodePaddingMode::Indifferent),
);

/// The scheme of an absolute URI: letters, digits, `+`, `-` and `.` up to a colon. One letter is a drive's.
pub(crate) fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part))
        .then_some(scheme)
}

/// What a data URI has behind its scheme, whose case means nothing; `None` if it is none.
pub(crate) fn data_of(uri: &str) -> Option<&str> {
    let scheme = scheme(uri).filter(|scheme| scheme.eq_ignore_ascii_case("data"))?;
    uri.get(scheme.len() + 1..)
}

/// The bytes of a data URI; `None` if it is none. `at` is its place in the document.
pub(crate) fn data(uri: &str, at: &str) -> Result<Option<Vec<u8>>> {
    let Some(data) = data_of(uri) else { return Ok(None) };
    decode_data(data).map(Some).map_err(|what| Error::malformed(at, what))
}

/// The file that a URI names, relative to the document; `at` is its place in the document.
pub(crate) fn path(uri: &str, at: &str) -> Result<PathBuf> {
    if let Some(scheme) = scheme(uri) {
        return Err(Error::Network { at: at.into(), scheme: scheme.into() });
    }
    let path = percent_decode_str(uri).decode_utf8().map_err(|_| Error::malformed(at, "the URI is not UTF-8"))?;
    if path.is_empty() || path.contains('\0') {
        return Err(Error::malformed(at, "the URI names no file"));
    }
    Ok(PathBuf::from(path.as_ref()))
}

/// Whether an address may mean something out of the folder that it is relative to: it is absolute, or climbs out of it.
pub(crate) fn leads_out(uri: &str) -> bool {
    let path: Vec<u8> = percent_decode_str(uri).collect();
    // Windows takes both slashes, and a letter before a colon for a drive. Any other colon that is encoded is part of a name.
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    if path.first().is_some_and(is_slash) || has_drive(&path) || scheme(uri).is_some() {
        return true;
    }
    let mut steps = path.split(is_slash);
    let mut depth = 0i64;
    steps.any(|step| {
        depth += match step {
            b"" | b"." => 0,
            b".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Whether a path begins with a letter before a colon.
fn has_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn decode_data(data: &str) -> Result<Vec<u8>, String> {
    let (head, body) = data.split_once(',').ok_or("the data URI has no comma")?;
    let body: Vec<u8> = percent_decode_str(body).collect();
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Ok(body);
    }
    BASE64.decode(body).map_err(|e| format!("the data URI is not base64: {e}"))
}

/// Bytes of a buffer or an image as a data URI.
pub(crate) fn data_uri(bytes: &[u8]) -> String {
    format!("data:{};base64,{}", media_type(bytes), BASE64.encode(bytes))
}

/// What bytes are by how they begin: images have to say it.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => "image/ktx2",
        _ => "application/octet-stream",
    }
}

/// A relative path as a URI: segments percent-encoded, slashes forward. A name that could be taken for a drive's is
/// one in this folder.
pub(crate) fn from_path(path: &Path) -> String {
    const KEEP: percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~')
        .remove(b'+')
        .remove(b'(')
        .remove(b')');
    let encode = |c: Component<'_>| match c {
        Component::Normal(s) => percent_encoding::utf8_percent_encode(&s.to_string_lossy(), &KEEP).to_string(),
        Component::ParentDir => "..".into(),
        Component::CurDir => ".".into(),
        _ => String::new(),
    };
    let here = has_drive(path.as_os_str().as_encoded_bytes()).then(|| ".".to_owned());
    let steps: Vec<_> = here.into_iter().chain(path.components().map(encode)).collect();
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_decode_with_and_without_padding_or_base64() {
        for uri in ["data:application/octet-stream;base64,AQI=", "data:;base64,AQI", "data:,%01%02"] {
            assert_eq!(data(uri, "").unwrap(), Some(vec![1, 2]), "{uri}");
        }
        assert!(data("data:;base64,A*", "/buffers/0/uri").is_err());
        assert!(data("data:nothing", "").is_err());
        assert_eq!(data("a.bin", "").unwrap(), None);
    }

    #[test]
    fn names_are_percent_decoded_and_encoded() {
        assert_eq!(path("a%20b/%C3%A4.bin", "").unwrap(), Path::new("a b/ä.bin"));
        assert_eq!(from_path(Path::new("a b/ä.bin")), "a%20b/%C3%A4.bin");
        assert_eq!(from_path(Path::new("./a.bin")), "./a.bin");
        assert_eq!(from_path(Path::new("out: x.bin")), "out%3A%20x.bin");
        assert!(path("http://x/y.bin", "").is_err());
        assert!(path("%FF", "").is_err());
    }

    /// On Windows there are no such names.
    #[cfg(not(windows))]
    #[test]
    fn a_name_like_a_drive_is_one_in_the_folder() {
        let uri = from_path(Path::new("x:y.bin"));
        assert_eq!(uri, "./x%3Ay.bin");
        assert!(!leads_out(&uri));
        assert_eq!(path(&uri, "").unwrap(), Path::new("./x:y.bin"));
    }

    #[test]
    fn schemes_are_seen_whatever_their_case() {
        for (uri, expected) in [("urn:a:b", Some("urn")), ("HTTP://x", Some("HTTP")), ("a+b-c.1:x", Some("a+b-c.1"))] {
            assert_eq!(scheme(uri), expected, "{uri}");
            assert!(path(uri, "").is_err(), "{uri}");
        }
        for uri in ["a.bin", "C:/a.bin", "./a:b", "a/b:c", "1a:b", "a b:c", ""] {
            assert_eq!(scheme(uri), None, "{uri}");
        }
        assert_eq!(data("DATA:;BASE64,AQI=", "").unwrap(), Some(vec![1, 2]));
    }

    #[test]
    fn climbing_out_is_seen() {
        for inside in [
            "a.bin",
            "a/b.bin",
            "./a.bin",
            "a/../b.bin",
            "a//b.bin",
            "..a.bin",
            "%2e.a/b",
            "out%3A%20x.bin",
            "a b:c",
            "",
        ] {
            assert!(!leads_out(inside), "{inside}");
        }
        for outside in [
            "../a.bin",
            "a/../../b.bin",
            "./../a",
            "%2e%2e/a.bin",
            "..%2Fa.bin",
            "%2e./a",
            "..\\a.bin",
            "a/..%5c..\\b",
            "/etc/hostname",
            "%2fetc/hostname",
            "\\\\host\\a",
            "C:/a.bin",
            "c%3A\\a",
            "file:///a",
            "file:a",
            "http://x/a.bin",
        ] {
            assert!(leads_out(outside), "{outside}");
        }
    }
}
