//! Options for every day: folders to write to, patterns to leave out, a quality in a word, completions.

use assert_cmd::{Command, assert::Assert};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

/// A folder with a sample under each of the names.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(sample("machine.glb"), path).unwrap();
    }
    folder
}

fn keyfold(folder: &Path, args: &[&str]) -> Assert {
    Command::cargo_bin("keyfold").unwrap().current_dir(folder).args(args).assert()
}

fn said(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn a_slash_at_the_end_of_an_output_makes_a_folder() {
    let folder = folder(&["a.glb"]);
    keyfold(folder.path(), &["pack", "a.glb", "-o", "new/", "--level", "fast"]).code(0);
    assert!(folder.path().join("new/a.glb").is_file());
}

#[test]
fn many_files_do_not_go_to_one_file() {
    let folder = folder(&["a.glb", "b.glb", "c.glb"]);
    let assert = keyfold(folder.path(), &["pack", "a.glb", "b.glb", "-o", "c.glb"]).code(2);
    assert!(said(&assert).contains("name a folder"), "{}", said(&assert));
    assert_eq!(fs::read(folder.path().join("c.glb")).unwrap(), fs::read(sample("machine.glb")).unwrap());
}

#[test]
fn files_that_fit_a_pattern_are_left_out() {
    let folder = folder(&["in/a.glb", "in/old/b.glb", "in/c.glb"]);
    let arguments = [
        "pack",
        "in",
        "-r",
        "--out-dir",
        "out",
        "--exclude",
        "*/old/*",
        "--exclude",
        "*c.glb",
        "-j",
        "1",
        "--level",
        "fast",
    ];
    keyfold(folder.path(), &arguments).code(0);
    assert!(folder.path().join("out/a.glb").is_file());
    assert!(!folder.path().join("out/old").exists() && !folder.path().join("out/c.glb").exists());
}

#[test]
fn a_quality_is_a_bound() {
    let folder = folder(&["a.glb"]);
    let bound = |arguments: &[&str]| {
        let all = [&["pack", "a.glb", "-o", "b.glb", "--json", "--level", "fast"], arguments].concat();
        let report: Value = serde_json::from_slice(&keyfold(folder.path(), &all).code(0).get_output().stdout).unwrap();
        report["files"][0]["error"]["bound"].as_f64().unwrap()
    };
    assert_eq!(bound(&["--quality", "low"]), bound(&["--max-error", "0.1%"]));
    assert_eq!(bound(&["--quality", "high"]), bound(&[]));
    keyfold(folder.path(), &["pack", "a.glb", "--quality", "low", "--max-error", "1mm"]).code(2);
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let assert = keyfold(Path::new("."), &["completions", shell]).code(0);
        let script = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        assert!(script.contains("keyfold") && script.contains("--max-error"), "{shell}: {script}");
    }
}

#[test]
fn files_with_nothing_in_common_are_not_equal() {
    let folder = folder(&["a.glb"]);
    fs::copy(sample("face.glb"), folder.path().join("face.glb")).unwrap();
    let assert = keyfold(folder.path(), &["diff", "a.glb", "face.glb", "--json"]).code(1);
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((&report["error"], &report["relative"]), (&Value::Null, &Value::Null), "{report}");
    let assert = keyfold(folder.path(), &["diff", "a.glb", "face.glb"]).code(1);
    assert!(String::from_utf8_lossy(&assert.get_output().stdout).contains("nothing in common"));
    keyfold(folder.path(), &["diff", "a.glb", "a.glb"]).code(0);
}
