//! `docs/stream.md` is enough to decode every golden stream: a second decoder, in Python, was written from it alone.

use keyfold_oracle::{note, root};
use std::{fs, path::PathBuf, process::Command};

#[test]
fn a_decoder_written_from_the_document_decodes_every_golden_stream() {
    let folder = root().join("samples/conformance/stream/golden");
    let mut streams: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    streams.retain(|path| path.extension().is_some_and(|extension| extension == "kfs"));
    streams.sort();
    assert!(streams.len() >= 8, "golden streams: {streams:?}");
    let program = root().join("oracle/stream/decode.py");
    let Ok(output) = Command::new("python3").arg(program).args(&streams).output() else {
        return note("skipped: there is no python3");
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().filter(|line| line.ends_with(": same")).count(), streams.len(), "{said}");
}
