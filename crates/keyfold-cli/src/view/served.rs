//! A file that the page may have: one that was named, with the buffers and images that it refers to. Nothing else is read.

use crate::input::{self, ReadArgs};
use anyhow::{Context, Result, ensure};
use keyfold::Document;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A named file.
#[derive(Serialize)]
pub(super) struct Served {
    /// Its name, without the folder that it is in.
    name: String,
    /// The addresses that it refers to, as it spells them, where there is something behind them.
    beside: Vec<String>,
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    read: ReadArgs,
}

impl Served {
    /// Looks at a file. One that is no glTF document refers to nothing: what is wrong with it, the page tells.
    pub(super) fn open(path: &Path, read: &ReadArgs) -> Result<Self> {
        ensure!(!input::is_stream(path), "view needs the name of a file");
        ensure!(path.is_file(), "{} is no file", path.display());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = read.open(path).map(|(document, _)| readable(&document)).unwrap_or_default();
        Ok(Self { name, beside, path: path.to_owned(), read: read.clone() })
    }

    /// The file as it is now.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        Ok(self.read.bytes(&self.path)?.0)
    }

    /// What is behind one of its addresses, by the document's own rules: it stays in the document's folder.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub(super) fn beside(&self, index: usize) -> Result<Vec<u8>> {
        let uri = self.beside.get(index).context("the file refers to nothing of that number")?;
        let (document, _) = self.read.open(&self.path)?;
        let (at, uri) = document.addresses().into_iter().find(|(_, there)| there == uri).context("it is gone")?;
        Ok(document.resolve(uri, &at)?.to_vec())
    }
}

fn readable(document: &Document) -> Vec<String> {
    let addresses = document.addresses().into_iter();
    addresses.filter(|(at, uri)| document.resolve(uri, at).is_ok()).map(|(_, uri)| uri.to_owned()).collect()
}
