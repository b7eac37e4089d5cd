//! URIs of buffers and images: data URIs, and paths relative to the document with percent-encoding (RFC 3986).
//!
//! Nothing is fetched from a network: other schemes are refused.

use crate::{Error, Result};
use base64::{Engine, alphabet, engine};
use percent_encoding::percent_decode_str;
use std::path::{Component, Path, PathBuf};

/// What a URI stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Uri {
    /// The bytes are in the URI itself.
    Data(Vec<u8>),
    /// A file relative to the document.
    File(PathBuf),
}

/// Exporters differ on padding; both ways are unambiguous.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new().with_decode_padding_mode(engine::DecodePaddingMode::Indifferent),
);

/// Takes a URI apart; `at` is its place in the document.
pub(crate) fn parse(uri: &str, at: &str) -> Result<Uri> {
    if let Some(data) = uri.strip_prefix("data:") {
        return decode_data(data).map(Uri::Data).map_err(|what| Error::malformed(at, what));
    }
    if let Some((scheme, _)) = uri.split_once("://") {
        let what = format!("{at} is a {scheme} address; only files and data URIs are read");
        return Err(Error::Unsupported { extension: "network access".into(), what });
    }
    let path = percent_decode_str(uri).decode_utf8().map_err(|_| Error::malformed(at, "the URI is not UTF-8"))?;
    if path.is_empty() || path.contains('\0') {
        return Err(Error::malformed(at, "the URI names no file"));
    }
    Ok(Uri::File(PathBuf::from(path.as_ref())))
}

fn decode_data(data: &str) -> Result<Vec<u8>, String> {
    let (head, body) = data.split_once(',').ok_or("the data URI has no comma")?;
    let body: Vec<u8> = percent_decode_str(body).collect();
    if !head.ends_with(";base64") {
        return Ok(body);
    }
    BASE64.decode(body).map_err(|e| format!("the data URI is not base64: {e}"))
}

/// Bytes of a buffer as a data URI.
pub(crate) fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", BASE64.encode(bytes))
}

/// A relative path as a URI: segments percent-encoded, slashes forward.
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
        _ => String::new(),
    };
    let steps: Vec<_> = path.components().map(encode).collect();
    steps.join("/")
}

/// Whether a relative path stays inside the folder it starts from.
pub(crate) fn stays_inside(path: &Path) -> bool {
    path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_decode_with_and_without_padding_or_base64() {
        for uri in ["data:application/octet-stream;base64,AQI=", "data:;base64,AQI", "data:,%01%02"] {
            assert_eq!(parse(uri, "").unwrap(), Uri::Data(vec![1, 2]), "{uri}");
        }
        assert!(parse("data:;base64,A*", "/buffers/0/uri").is_err());
        assert!(parse("data:nothing", "").is_err());
    }

    #[test]
    fn names_are_percent_decoded_and_encoded() {
        assert_eq!(parse("a%20b/%C3%A4.bin", "").unwrap(), Uri::File("a b/ä.bin".into()));
        assert_eq!(from_path(Path::new("a b/ä.bin")), "a%20b/%C3%A4.bin");
        assert!(parse("http://x/y.bin", "").is_err());
        assert!(parse("%FF", "").is_err());
    }

    #[test]
    fn climbing_out_is_seen() {
        assert!(stays_inside(Path::new("a/b.bin")));
        assert!(!stays_inside(Path::new("../b.bin")));
        assert!(!stays_inside(Path::new("/b.bin")));
    }
}
