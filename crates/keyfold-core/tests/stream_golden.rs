//! The golden streams decode to the bytes beside them, on every platform.

use keyfold_core::stream::{Limits, Stream};
use std::{fs, path::Path};

#[test]
fn golden_streams_decode_to_their_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/conformance/stream/golden");
    let mut checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "kfs") {
            continue;
        }
        let stream = fs::read(&file).unwrap();
        let decoded = Stream::open(&stream, &Limits::default()).unwrap().decode().unwrap();
        assert!(decoded == fs::read(file.with_extension("bin")).unwrap(), "{}", file.display());
        checked += 1;
    }
    assert!(checked >= 9, "{checked} streams");
}
