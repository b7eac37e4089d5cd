//! The built page, as `build.rs` found it: nothing where it was not built.

/// The page's files by their addresses.
pub(super) const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file of the page.
#[cfg(not(target_family = "wasm"))]
pub(super) fn file(address: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(name, _)| *name == address).map(|(_, bytes)| *bytes)
}

/// Where the page says which files it was started with.
#[cfg(not(target_family = "wasm"))]
pub(super) const PLACE: &str = r#"<meta name="keyfold-files" content="""#;

/// The page itself, told which files it was started with; `files` is JSON.
#[cfg(not(target_family = "wasm"))]
pub(super) fn index(files: &str) -> Option<Vec<u8>> {
    let html = std::str::from_utf8(file("index.html")?).ok()?;
    let quoted = files.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let told = format!("{}{quoted}\"", &PLACE[..PLACE.len() - 1]);
    Some(html.replacen(PLACE, &told, 1).into_bytes())
}
