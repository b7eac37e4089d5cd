//! What a stranger's file may not reach: addresses that lead out of its folder, and what is no regular file.
#![cfg(unix)]

use assert_cmd::Command;
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink, path::Path};

const SECRET: &[u8] = b"a secret of 32 bytes, not yours.";

/// A folder `inside` beside a secret, and a link to it and a pipe inside.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(folder.path().join("secret.bin"), SECRET).unwrap();
    symlink("../secret.bin", inside.join("link.bin")).unwrap();
    fs::write(inside.join("own.bin"), SECRET).unwrap();
    symlink("own.bin", inside.join("own-link.bin")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(inside.join("pipe")).status().unwrap().success());
    folder
}

fn keyfold(arguments: &[&str]) -> (i32, String) {
    let output = Command::cargo_bin("keyfold")
        .unwrap()
        .args(arguments)
        .timeout(std::time::Duration::from_secs(60))
        .output()
        .unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn write(folder: &Path, name: &str, json: &Value) -> String {
    let path = folder.join("inside").join(name);
    fs::write(&path, json.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn with_buffer(uri: &str) -> Value {
    json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": uri, "byteLength": SECRET.len() }] })
}

fn contains_secret(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| bytes.windows(SECRET.len()).any(|window| window == SECRET))
}

#[test]
fn buffers_out_of_the_folder_are_refused_unless_allowed() {
    let folder = folder();
    let absolute = folder.path().join("secret.bin").to_str().unwrap().to_owned();
    let out = folder.path().join("out.glb");
    let output = out.to_str().unwrap();
    for uri in ["../secret.bin", "%2e%2e/secret.bin", "..%2fsecret.bin", "sub/../../secret.bin", &absolute, "link.bin"]
    {
        let input = write(folder.path(), "in.gltf", &with_buffer(uri));
        let (code, said) = keyfold(&["convert", &input, "-o", output]);
        assert!(code == 2 && said.contains("/buffers/0/uri") && said.contains("leads out"), "{uri}: {code} {said}");
        assert!(!out.exists(), "{uri}");
        fs::create_dir_all(folder.path().join("inside/sub")).unwrap();
        for arguments in
            [["--allow-outside", "convert", &input, "-o", output], ["convert", &input, "-o", output, "--allow-outside"]]
        {
            let (code, said) = keyfold(&arguments);
            assert!(code == 0 && contains_secret(&out), "{uri}: {code} {said}");
            fs::remove_file(&out).unwrap();
        }
        fs::remove_dir(folder.path().join("inside/sub")).unwrap();
    }
    for uri in ["own.bin", "./own.bin", "own-link.bin"] {
        let input = write(folder.path(), "in.gltf", &with_buffer(uri));
        assert_eq!(keyfold(&["convert", &input, "-o", output]).0, 0, "{uri}");
        assert!(contains_secret(&out), "{uri}");
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn only_regular_files_are_read_whatever_is_allowed() {
    let folder = folder();
    let out = folder.path().join("out.glb");
    for uri in ["pipe", ".", "/dev/zero", "/dev/stdin"] {
        let input = write(folder.path(), "in.gltf", &with_buffer(uri));
        for allowed in [&[][..], &["--allow-outside"]] {
            let (code, said) = keyfold(&[&["convert", &input, "-o", out.to_str().unwrap()], allowed].concat());
            assert!(code == 2 && said.contains("/buffers/0/uri"), "{uri}: {code} {said}");
            assert!(!out.exists(), "{uri}");
        }
    }
}

#[test]
fn images_elsewhere_stay_there_and_nobody_reads_them() {
    let folder = folder();
    for uri in ["../secret.bin", "/dev/zero", "pipe", "link.bin"] {
        let image = json!({ "asset": { "version": "2.0" }, "images": [{ "uri": uri }] });
        fs::remove_file(folder.path().join("inside/in.gltf")).ok();
        write(folder.path(), "in.gltf", &image);
        let inside = folder.path().join("inside");
        let out = folder.path().join("out");
        let (code, said) = keyfold(&["pack", inside.to_str().unwrap(), "--recursive", "-o", out.to_str().unwrap()]);
        let refused = matches!(uri, "pipe" | "link.bin");
        assert!(code == if refused { 2 } else { 0 }, "{uri}: {code} {said}");
        assert!(!refused || said.contains("/images/0/uri"), "{uri}: {said}");
        let files = fs::read_dir(&out).into_iter().flatten().map(|entry| entry.unwrap().path());
        files.for_each(|file| assert!(!contains_secret(&file), "{uri}: {}", file.display()));
        fs::remove_dir_all(&out).ok();
    }
}
