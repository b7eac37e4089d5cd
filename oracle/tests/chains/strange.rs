//! What no command understands and all have to keep, letter by letter: numbers in unusual spelling, extras, an extension of nobody's.

use std::{fs, path::Path};

/// Stands for [`EXTRAS`] while a document is made of values.
pub(crate) const MARK: &str = "strange extras";

const EXTRAS: &str = r#"{"kept":[1.0,1e3,0.10,-0,123456789012345678901234567890,"\u00e9\/"]}"#;

/// The name of an extension of nobody's. The whole number in it may mean any object of the file.
pub(crate) const EXTENSION: &str = "VENDOR_strange";
/// Stands for what it says.
pub(crate) const EXTENSION_MARK: &str = "strange extension";

const SAID: &str = r#"{"like":[0.50,3]}"#;

/// Lets a file spell what marks stand for.
pub(crate) fn spell(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let (text, rest) = parts(&bytes);
    let mut text = String::from_utf8(text.to_vec()).unwrap();
    text = text.replace(&format!("\"{MARK}\""), EXTRAS).replace(&format!("\"{EXTENSION_MARK}\""), SAID);
    let written = match bytes.starts_with(b"glTF") {
        false => text.into_bytes(),
        true => {
            text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(4) - text.len()));
            let word = |n: usize| (n as u32).to_le_bytes();
            let head = [&bytes[..8], &word(20 + text.len() + rest.len()), &word(text.len()), b"JSON"].concat();
            [&head, text.as_bytes(), rest].concat()
        }
    };
    fs::write(path, written).unwrap();
}

/// A file's JSON, and what follows it.
fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    if !bytes.starts_with(b"glTF") {
        return (bytes, &[]);
    }
    let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    bytes[20..].split_at(length)
}

/// How often a file has each of the two.
pub(crate) fn counted(path: &Path) -> [usize; 2] {
    let bytes = fs::read(path).unwrap();
    let text = without_blanks(parts(&bytes).0);
    [EXTRAS, SAID].map(|strange| text.matches(strange).count())
}

/// A JSON text without the blanks between its parts.
fn without_blanks(text: &[u8]) -> String {
    let (mut inside, mut escaped) = (false, false);
    let stays = |byte: &&u8| {
        let quote = **byte == b'"' && !escaped;
        escaped = **byte == b'\\' && !escaped;
        inside ^= quote;
        inside || quote || !byte.is_ascii_whitespace()
    };
    String::from_utf8(text.iter().filter(stays).copied().collect()).unwrap()
}
