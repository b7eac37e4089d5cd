//! Options for every day: where files go, which nodes are looked at, how much is said.

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
    // Nor does a folder get a file's name.
    keyfold(folder.path(), &["pack", "a.glb", "b.glb", "-o", "d.glb"]).code(2);
    assert!(!folder.path().join("d.glb").exists());
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

fn told(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

#[test]
fn files_are_packed_in_place_and_with_a_journal_only_once() {
    let folder = folder(&["a.glb", "b/a.glb"]);
    let read = || fs::read(folder.path().join("a.glb")).unwrap();
    let arguments = ["pack", ".", "-r", "--in-place", "--journal", "done.jsonl", "--level", "fast"];
    keyfold(folder.path(), &arguments).code(0);
    let packed = read();
    assert!(packed.len() < fs::read(sample("machine.glb")).unwrap().len());
    let again = keyfold(folder.path(), &arguments).code(0);
    assert_eq!(told(&again).matches("up to date").count(), 2, "{}", told(&again));
    assert_eq!(read(), packed);
    keyfold(folder.path(), &["pack", "a.glb", "./a.glb", "--in-place"]).code(2);
    keyfold(folder.path(), &["pack", "a.glb", "-o", "c.glb", "--journal", "a.glb"]).code(2);
    fs::write(folder.path().join("mine.txt"), "a text of mine").unwrap();
    keyfold(folder.path(), &["pack", "a.glb", "-o", "c.glb", "--journal", "mine.txt"]).code(2);
    assert_eq!(fs::read(folder.path().join("mine.txt")).unwrap(), b"a text of mine");
}

#[test]
fn convert_and_unpack_take_many_files_and_print_sizes() {
    let folder = folder(&["in/a.glb", "in/b/a.glb"]);
    fs::write(folder.path().join("in/broken.glb"), "nonsense").unwrap();
    for command in [&["convert", "--storage", "meshopt"][..], &["unpack"][..]] {
        let assert = keyfold(folder.path(), &[command, &["in", "-r", "--out-dir", "out"]].concat()).code(1);
        let lines = told(&assert);
        assert!(lines.contains("in/b/a.glb") && lines.contains("2 files, 1 failed"), "{lines}");
        assert!(said(&assert).contains("cannot read in/broken.glb"), "{}", said(&assert));
        assert!(folder.path().join("out/b/a.glb").is_file());
        fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
    let length = fs::metadata(sample("machine.glb")).unwrap().len().to_string();
    let assert = keyfold(folder.path(), &["convert", "in/a.glb", "-o", "b.glb", "--storage", "meshopt"]).code(0);
    assert!(told(&assert).contains(&length), "{}", told(&assert));
    keyfold(folder.path(), &["convert", "in/a.glb"]).code(2);
    keyfold(folder.path(), &["unpack", "in/a.glb"]).code(0);
    assert!(folder.path().join("in/a.unpacked.glb").is_file());
}

#[test]
fn quiet_says_nothing_and_verbose_more() {
    let folder = folder(&["a.glb"]);
    let quiet = keyfold(folder.path(), &["pack", "a.glb", "-q", "--level", "fast"]).code(0);
    assert_eq!((told(&quiet), said(&quiet)), (String::new(), String::new()));
    let verbose = keyfold(folder.path(), &["-v", "pack", "a.glb", "--level", "fast"]).code(0);
    assert!(said(&verbose).contains("a.glb took"), "{}", said(&verbose));
    keyfold(folder.path(), &["pack", "a.glb", "-q", "-v"]).code(2);
}

#[test]
fn some_nodes_are_looked_at_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (figure, path) = (sample("figure.glb"), folder.path());
    let figure = figure.to_str().unwrap();
    let run = |arguments: &[&str]| keyfold(path, arguments).code(0);
    let json = |assert: &Assert| serde_json::from_slice::<Value>(&assert.get_output().stdout).unwrap();
    let targets = |tracks: &Value| -> Vec<String> {
        tracks.as_array().unwrap().iter().map(|t| t["target"].as_str().unwrap().to_owned()).collect()
    };
    let all = json(&run(&["sample", figure, "--time", "0", "--json", "-q"]));
    let foot = json(&run(&["sample", figure, "--time", "0", "--json", "-q", "--node", "foot.left"]));
    let feet = json(&run(&["sample", figure, "--time", "0", "--json", "-q", "--node", "foot.*"]));
    let counts = [&foot, &feet, &all].map(|report| targets(&report["tracks"]).len());
    assert!(0 < counts[0] && counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
    let inspected = json(&run(&["inspect", figure, "--json", "--node", "foot.left"]));
    assert_eq!(targets(&inspected["animations"][0]["tracks"]), targets(&foot["tracks"]));
    assert!(told(&run(&["inspect", figure, "--node", "foot.left"])).contains("(foot.left)"));
    run(&["pack", figure, "-o", "small.glb", "-q", "--max-error", "1%"]);
    let error = |arguments: &[&str]| {
        json(&run(&[&["diff", figure, "small.glb", "--json"], arguments].concat()))["error"].as_f64().unwrap()
    };
    let (whole, root) = (error(&[]), error(&["--node", "hips"]));
    assert!(root < whole, "{root} {whole}");
    assert_eq!(error(&["--node", "*"]), whole);
    let assert = keyfold(path, &["inspect", figure, "--node", "Foot"]).code(2);
    assert!(said(&assert).contains("there is: foot.left"), "{}", said(&assert));
}

#[test]
fn buffers_and_images_are_embedded() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lamp.gltf", "lamp.bin"] {
        fs::copy(sample(name), folder.path().join(name)).unwrap();
    }
    let image = [&[0x89][..], b"PNG\r\n\x1a\n a picture"].concat();
    fs::write(folder.path().join("a.png"), &image).unwrap();
    let mut json: Value = serde_json::from_slice(&fs::read(folder.path().join("lamp.gltf")).unwrap()).unwrap();
    json["images"] = serde_json::json!([{ "uri": "a.png" }]);
    fs::write(folder.path().join("lamp.gltf"), json.to_string()).unwrap();
    for output in ["whole/lamp.gltf", "whole/lamp.glb"] {
        keyfold(folder.path(), &["convert", "lamp.gltf", "-o", output, "--embed"]).code(0);
        let inside = |name: &str| fs::read_dir(folder.path().join(name)).unwrap().count();
        assert_eq!(inside("whole"), 1, "{output}");
        let sampled = |file: &str| keyfold(folder.path(), &["sample", file, "--time", "0.3", "--json"]).code(0);
        assert_eq!(told(&sampled(output)), told(&sampled("lamp.gltf")));
        let whole = String::from_utf8_lossy(&fs::read(folder.path().join(output)).unwrap()).into_owned();
        assert!(whole.contains("data:image/png;base64,iVBORw0K"), "{output}");
        fs::remove_dir_all(folder.path().join("whole")).unwrap();
    }
}

#[test]
fn a_pattern_that_keeps_nothing_is_told() {
    let folder = folder(&["a.glb"]);
    let run =
        |pattern: &str| said(&keyfold(folder.path(), &["pack", "a.glb", "--keep", pattern, "--level", "fast"]).code(0));
    assert!(run("/nodes/*/tint").contains("--keep /nodes/*/tint fits no track"));
    assert!(!run("*").contains("fits no track"));
}

#[test]
fn a_file_without_its_buffer_equals_nothing() {
    let folder = folder(&["a.glb"]);
    keyfold(folder.path(), &["convert", "a.glb", "-o", "b.gltf"]).code(0);
    fs::remove_file(folder.path().join("b.bin")).unwrap();
    for pair in [["a.glb", "b.gltf"], ["b.gltf", "a.glb"], ["b.gltf", "b.gltf"]] {
        let assert = keyfold(folder.path(), &["diff", pair[0], pair[1]]).code(1);
        let said = said(&assert);
        assert!(said.contains("error: b.gltf: /animations/0/channels/0"), "{pair:?}: {said}");
        assert!(said.contains("b.bin") && said.contains("more like it"), "{pair:?}: {said}");
    }
}

#[test]
fn a_single_file_tells_how_far_it_is() {
    let folder = folder(&["a.glb"]);
    let mut command = Command::cargo_bin("keyfold").unwrap();
    let command = command.current_dir(folder.path()).env("KEYFOLD_PROGRESS", "lines");
    let assert = command.args(["pack", "a.glb", "-o", "b.glb", "-q"]).assert().code(0);
    let said = said(&assert);
    let steps: Vec<(f64, &str)> = said
        .lines()
        .filter_map(|line| line.strip_prefix("progress ")?.split_once(' '))
        .map(|(done, what)| (done.parse().unwrap(), what))
        .collect();
    assert!(steps.is_sorted_by(|a, b| a.0 <= b.0) && steps.last().is_some_and(|last| last.0 <= 1.0), "{said}");
    // A long search in one animation is told of form by form.
    assert!(steps.iter().filter(|(_, what)| what.contains("forms tried")).count() > 2, "{said}");
    assert!(steps.iter().any(|(_, what)| *what == "measuring"), "{said}");
}
