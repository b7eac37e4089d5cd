//! The malformed streams: libdraco's values where it decodes them, an error where it does not, in little memory.

use std::fs;
use std::process::Command;

use keyfold_core::draco::{Limits, decode_prefix};
use keyfold_oracle::draco::Libdraco;
use serde_json::Value;

use crate::content;

#[test]
fn malformed_streams_get_libdracos_answers() {
    let Some(shared) = keyfold_oracle::shared_dir() else { return };
    let folder = shared.join("draco/malformed");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let cases = manifest["cases"].as_array().unwrap();
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let mut libdraco = Libdraco::start();
    for case in cases {
        let name = case["file"].as_str().unwrap();
        let stream = fs::read(folder.join(name)).unwrap();
        let decoded = decode_prefix(&stream, &Limits::default());
        assert_eq!(decoded.is_ok(), case["libdraco_exit"] == 0, "{name}: {decoded:?}");
        let Ok((animation, read)) = decoded else { continue };
        let said = format!("ok consumed {read} of {}", stream.len());
        assert_eq!(case["libdraco_says"], said, "{name}");
        if let Some(libdraco) = &mut libdraco {
            let (theirs, _) = libdraco.decode(&stream).unwrap().done().expect(name);
            assert_eq!(content(&animation), content(&theirs), "{name}");
        }
    }
}

/// All of them, one after the other, in a process that may not have more than 64 MiB of addresses.
#[test]
#[cfg(target_os = "linux")]
fn malformed_streams_decode_in_64_mib() {
    let Some(shared) = keyfold_oracle::shared_dir() else { return };
    let entries = fs::read_dir(shared.join("draco/malformed")).unwrap().map(|entry| entry.unwrap().path());
    let streams: Vec<_> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "drc")).collect();
    assert!(streams.len() >= 60, "only {} streams", streams.len());
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 65536 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_draco-decode")])
        .args(&streams)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), streams.len());
}
