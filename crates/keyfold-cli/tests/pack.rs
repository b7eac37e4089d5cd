//! `keyfold pack` and `keyfold diff` from the outside: files, exit codes, JSON.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

const KEYS: usize = 120;

/// An arm that swings, as `NAME.gltf` with `NAME.bin` beside it.
fn swing(folder: &Path, name: &str, speed: f32) {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 60.0).collect();
    let turns = times.iter().flat_map(|t| {
        let half = 0.4 * (t * speed).sin();
        [0.0, 0.0, half.sin(), half.cos()]
    });
    let floats: Vec<f32> = times.iter().copied().chain(turns).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let accessor = |offset: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": KEYS, "type": shape });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "shoulder", "children": [1] }, { "name": "hand", "translation": [0, 1, 0] }],
        "buffers": [{ "uri": format!("{name}.bin"), "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [accessor(0, "SCALAR"), accessor(KEYS * 4, "VEC4")],
        "animations": [{ "name": "wave", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
                         "samplers": [{ "input": 0, "output": 1 }] }],
    });
    std::fs::write(folder.join(format!("{name}.bin")), bytes).unwrap();
    std::fs::write(folder.join(format!("{name}.gltf")), json.to_string()).unwrap();
}

fn keyfold(folder: &Path, args: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("keyfold").unwrap().current_dir(folder).args(args).assert()
}

fn json_of(assert: &assert_cmd::assert::Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

#[test]
fn a_file_gets_smaller_and_keeps_to_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let report = json_of(&keyfold(folder.path(), &["pack", "arm.gltf", "--max-error", "0.05%", "--json"]).code(0));
    let file = &report["files"][0];
    assert_eq!(file["output"], "arm.packed.gltf");
    assert_eq!(file["storage"], "core");
    assert!(file["bytes"]["after"].as_u64() < file["bytes"]["before"].as_u64());
    assert!(
        file["animation_bytes"]["after"].as_u64().unwrap() * 2 <= file["animation_bytes"]["before"].as_u64().unwrap()
    );
    assert!(file["error"]["max"].as_f64() <= file["error"]["bound"].as_f64());
    assert_eq!(file["error"]["animation"], "wave");
    let difference = json_of(
        &keyfold(folder.path(), &["diff", "arm.gltf", "arm.packed.gltf", "--max-error", "0.05%", "--json"]).code(0),
    );
    assert_eq!(difference["error"], file["error"]["max"]);
    keyfold(folder.path(), &["diff", "arm.gltf", "arm.packed.gltf", "--max-error", "0.0001%"]).code(1);
    keyfold(folder.path(), &["diff", "arm.gltf", "arm.packed.gltf"]).code(0);
}

#[test]
fn every_storage_keeps_to_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    for storage in ["core", "quantization", "draco", "meshopt", "stream", "smallest"] {
        keyfold(folder.path(), &["pack", "arm.gltf", "-o", "out.glb", "--storage", storage, "--max-error", "0.1mm"])
            .code(0);
        keyfold(folder.path(), &["diff", "arm.gltf", "out.glb", "--max-error", "0.1mm"]).code(0);
    }
}

#[test]
fn what_was_packed_before_does_not_grow() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "one.glb", "--max-error", "1%"]).code(0);
    let report =
        json_of(&keyfold(folder.path(), &["pack", "one.glb", "-o", "two.glb", "--max-error", "0", "--json"]).code(0));
    assert_eq!(report["files"][0]["copied"], true);
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("one.glb"), read("two.glb"));
}

/// Two keys of three floats, which no storage can make smaller, spelled as nobody else does.
fn unpackable(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let floats = [0.0f32, 1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    std::fs::write(folder.join("few.bin"), floats.map(f32::to_le_bytes).concat()).unwrap();
    let json = r#"{"asset":{"version":"2.0","extras":[1.50,1E0]},
	"nodes":[{}],"buffers":[{"uri":"few.bin","byteLength":32}],"images":[{"uri":"few.png"}],
	"bufferViews":[{"buffer":0,"byteLength":8},{"buffer":0,"byteOffset":8,"byteLength":24}],
	"accessors":[{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},
		{"bufferView":1,"componentType":5126,"count":2,"type":"VEC3"}],
	"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],
		"samplers":[{"input":0,"output":1}]}]}"#;
    std::fs::write(folder.join("few.gltf"), json).unwrap();
    std::fs::write(folder.join("few.png"), "an image").unwrap();
    // The same as a .glb whose buffer lies beside it all the same.
    let text = [json.as_bytes(), &b"    "[..(4 - json.len() % 4) % 4]].concat();
    let word = |n: usize| (n as u32).to_le_bytes();
    let head = [*b"glTF", word(2), word(20 + text.len()), word(text.len()), *b"JSON"].concat();
    std::fs::write(folder.join("few.glb"), [head, text].concat()).unwrap();
}

const STORAGES: [&str; 4] = ["core", "quantization", "draco", "meshopt"];

#[test]
fn where_nothing_can_be_saved_the_input_is_copied_with_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    unpackable(&folder.path().join("in"));
    for storage in STORAGES {
        let exact = ["--storage", storage, "--max-error", "0"];
        let output = format!("{storage}/few.gltf");
        let args = [&["pack", "in/few.gltf", "--json", "-o", &output], &exact[..]].concat();
        let report = json_of(&keyfold(folder.path(), &args).code(0));
        let file = &report["files"][0];
        assert_eq!((&file["copied"], &file["bytes"]["after"]), (&json!(true), &file["bytes"]["before"]));
        for name in ["few.gltf", "few.bin", "few.png"] {
            assert_eq!(read(&format!("in/{name}")), read(&format!("{storage}/{name}")), "{storage} {name}");
        }
        let piped = keyfold(folder.path(), &[&["pack", "in/few.gltf", "-o", "-"], &exact[..]].concat()).code(0);
        assert_eq!(piped.get_output().stdout, read("in/few.gltf"), "{storage}");
    }
}

#[test]
fn a_glb_with_files_beside_it_does_not_lose_them() {
    let folder = tempfile::tempdir().unwrap();
    unpackable(&folder.path().join("in"));
    for storage in STORAGES {
        let output = format!("{storage}/few.glb");
        let args = ["pack", "in/few.glb", "-o", &output, "--storage", storage, "--json", "--max-error", "0"];
        let report = json_of(&keyfold(folder.path(), &args).code(0));
        let bytes = &report["files"][0]["bytes"];
        assert!(bytes["after"].as_u64() <= bytes["before"].as_u64(), "{storage} {bytes}");
        keyfold(folder.path(), &["diff", "in/few.glb", &output, "--max-error", "0"]).code(0);
        assert!(folder.path().join(storage).join("few.png").exists());
    }
}

#[test]
fn many_files_go_to_a_folder_and_are_not_done_twice() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("in/deep")).unwrap();
    swing(&folder.path().join("in"), "a", 2.0);
    swing(&folder.path().join("in/deep"), "b", 3.0);
    let run = |more: &[&str]| {
        let args = [&["pack", "in", "--recursive", "--out-dir", "out", "--json"], more].concat();
        json_of(&keyfold(folder.path(), &args).code(0))
    };
    let states = |report: &Value| -> Vec<bool> {
        report["files"].as_array().unwrap().iter().map(|f| f["up_to_date"].as_bool().unwrap()).collect()
    };
    assert_eq!(states(&run(&[])), [false, false]);
    assert!(folder.path().join("out/deep/b.gltf").exists());
    assert_eq!(states(&run(&[])), [true, true]);
    // Another input, another setting, or a lost output is done again.
    swing(&folder.path().join("in"), "a", 2.5);
    assert_eq!(states(&run(&[])), [false, true]);
    std::fs::remove_file(folder.path().join("out/deep/b.gltf")).unwrap();
    assert_eq!(states(&run(&[])), [true, false]);
    assert_eq!(states(&run(&["--max-error", "1%"])), [false, false]);
    assert_eq!(states(&run(&[])), [false, false]);
    // So is one that lost its end, or its buffer's.
    let document: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("out/deep/b.gltf")).unwrap()).unwrap();
    let buffer = format!("out/deep/{}", document["buffers"][0]["uri"].as_str().unwrap());
    for (name, damaged) in [("a", "out/a.gltf"), ("deep/b", &buffer)] {
        let path = folder.path().join(damaged);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(states(&run(&[])), [name != "a", name != "deep/b"]);
        let (input, output) = (format!("in/{name}.gltf"), format!("out/{name}.gltf"));
        keyfold(folder.path(), &["diff", &input, &output, "--max-error", "0.01%"]).code(0);
    }
}

#[test]
fn what_was_left_out_is_told_again_by_a_run_that_has_nothing_to_do() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let path = folder.path().join("arm.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let unreadable = json!({ "sampler": 9, "target": { "node": 1, "path": "rotation" } });
    json["animations"][0]["channels"].as_array_mut().unwrap().push(unreadable);
    std::fs::write(&path, json.to_string()).unwrap();
    let run = || json_of(&keyfold(folder.path(), &["pack", "arm.gltf", "--out-dir", "out", "--json"]).code(1));
    let (first, second) = (run(), run());
    assert_eq!(second["files"][0]["up_to_date"], true);
    assert_eq!(first["files"][0]["left"], second["files"][0]["left"]);
}

#[test]
fn an_original_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("other")).unwrap();
    swing(folder.path(), "arm", 3.0);
    swing(&at("other"), "arm", 2.0);
    swing(folder.path(), "leg", 4.0);
    let originals = ["arm.gltf", "leg.gltf", "other/arm.gltf"];
    let read = || originals.map(|name| std::fs::read(at(name)).unwrap());
    let before = read();
    let refused = |args: &[&str]| {
        keyfold(folder.path(), &[&["pack", "--max-error", "1%"], args].concat()).code(2);
        assert!(before == read(), "{args:?}");
    };
    refused(&["arm.gltf", "-o", "./arm.gltf"]);
    refused(&["other/arm.gltf", "leg.gltf", "--out-dir", "."]);
    refused(&["other/arm.gltf", "arm.gltf", "--out-dir", "other/../other"]);
    refused(&["arm.gltf", "--report", "./arm.gltf"]);
    refused(&["arm.gltf", "--report", "arm.packed.gltf"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("arm.gltf"), at("link.gltf")).unwrap();
        refused(&["arm.gltf", "-o", "link.gltf"]);
        refused(&["link.gltf", "-o", "arm.gltf"]);
    }
    // A hard link becomes a file of its own.
    std::fs::hard_link(at("arm.gltf"), at("hard.gltf")).unwrap();
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "hard.gltf", "--max-error", "1%"]).code(0);
    assert!(before == read() && std::fs::read(at("hard.gltf")).unwrap() != before[0]);
}

#[test]
fn a_buffer_of_an_input_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("out")).unwrap();
    swing(folder.path(), "arm", 3.0);
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "./arm.bin"]).code(2);
    // Another input's buffer lies where the packed buffer would go.
    swing(&at("out"), "arm", 2.0);
    std::fs::rename(at("out/arm.gltf"), at("out/leg.gltf")).unwrap();
    let read = || ["arm.bin", "out/arm.bin"].map(|name| std::fs::read(at(name)).unwrap());
    let before = read();
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "out/arm.gltf"]).code(0);
    keyfold(folder.path(), &["diff", "arm.gltf", "out/arm.gltf", "--max-error", "0.01%"]).code(0);
    assert!(before == read());
}

#[test]
fn bad_input_is_told_by_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    std::fs::write(folder.path().join("broken.glb"), b"glTF nonsense").unwrap();
    keyfold(folder.path(), &["pack", "broken.glb"]).code(2);
    keyfold(folder.path(), &["pack", "missing.glb"]).code(2);
    keyfold(folder.path(), &["pack", "arm.gltf", "--max-error", "much"]).code(2);
    let many = keyfold(folder.path(), &["pack", "arm.gltf", "broken.glb", "--out-dir", "out", "--json"]).code(1);
    assert!(json_of(&many)["files"][1]["failed"].as_str().unwrap().contains("broken.glb"));
    assert!(folder.path().join("out/arm.gltf").exists());
    keyfold(folder.path(), &["diff", "arm.gltf", "missing.glb"]).code(2);
    keyfold(folder.path(), &["pack", "arm.gltf", "--khr"]).code(2);
    keyfold(folder.path(), &["pack", "arm.gltf", "--max-property-error", "-1"]).code(2);
    keyfold(folder.path(), &["pack", "arm.gltf", "--storage", "tar"]).code(2);
}

#[test]
fn extensions_can_be_ignored() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "arm.glb", "--storage", "meshopt", "--khr"]).code(0);
    let run = |name| keyfold(folder.path(), &["pack", "arm.glb", "-o", "again.glb", "--ignore-extension", name]);
    run("KHR_meshopt_compression").code(2);
    run("KHR_animation_pointer").code(0);
}

#[test]
fn a_dry_run_writes_nothing_and_shows_every_storage() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let report = json_of(&keyfold(folder.path(), &["pack", "arm.gltf", "--dry-run", "--json"]).code(0));
    let storages: Vec<&str> =
        report["files"][0]["candidates"].as_array().unwrap().iter().map(|c| c["storage"].as_str().unwrap()).collect();
    assert!(storages.contains(&"core") && storages.contains(&"meshopt"));
    assert!(!folder.path().join("arm.packed.gltf").exists());
}

#[test]
fn a_dry_run_tells_what_would_be_written() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    for storage in ["core", "quantization", "draco", "meshopt", "stream", "smallest"] {
        let run = |more: &[&str]| {
            let args = [&["pack", "arm.gltf", "-o", "out.glb", "--json", "--storage", storage], more].concat();
            json_of(&keyfold(folder.path(), &args).code(0))["files"][0].clone()
        };
        let (told, done) = (run(&["--dry-run"]), run(&[]));
        for what in ["storage", "bytes", "animation_bytes", "error"] {
            assert_eq!(told[what], done[what], "{storage} {what}");
        }
    }
}

#[test]
fn a_report_is_one_page_that_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let path = folder.path().join("arm.gltf");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"wave\"", "\"<script>wave</script>\"")).unwrap();
    keyfold(folder.path(), &["pack", "arm.gltf", "--report", "look/report.html"]).code(0);
    let page = std::fs::read_to_string(folder.path().join("look/report.html")).unwrap();
    for part in ["<svg", "Error over time", "shoulder · rotation", "arm.gltf", "&lt;script&gt;wave", "0.01%", "120"] {
        assert!(page.contains(part), "{part}");
    }
    for foreign in ["<script", "http", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(page.len() < 100_000);
}

#[test]
fn a_report_of_many_files_has_a_part_for_each_also_when_they_were_done_before() {
    let folder = tempfile::tempdir().unwrap();
    ["a", "b"].into_iter().zip([2.0, 3.0]).for_each(|(name, speed)| swing(folder.path(), name, speed));
    let run = || {
        keyfold(folder.path(), &["pack", "a.gltf", "b.gltf", "--out-dir", "out", "--report", "report.html"]).code(0);
        std::fs::read_to_string(folder.path().join("report.html")).unwrap()
    };
    let (first, second) = (run(), run());
    for page in [first, second] {
        assert!(page.contains("2 files") && page.contains("a.gltf") && page.contains("b.gltf"));
        assert_eq!(page.matches("<details class=file>").count(), 2);
        assert_eq!(page.matches("Error over time").count(), 2);
    }
}

#[test]
fn a_dry_run_writes_the_report_alone() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    keyfold(folder.path(), &["pack", "arm.gltf", "--dry-run", "--report", "report.html"]).code(0);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    ["core", "quantization", "draco", "meshopt", "stream"].iter().for_each(|s| assert!(page.contains(s), "{s}"));
    assert!(!folder.path().join("arm.packed.gltf").exists());
}

#[test]
fn a_file_goes_through_standard_input_and_output() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    keyfold(folder.path(), &["convert", "arm.gltf", "-o", "arm.glb"]).code(0);
    let input = std::fs::read(folder.path().join("arm.glb")).unwrap();
    let mut command = Command::cargo_bin("keyfold").unwrap();
    let done =
        command.current_dir(folder.path()).args(["pack", "-", "-o", "-"]).write_stdin(input.clone()).assert().code(0);
    let packed = &done.get_output().stdout;
    assert!(packed.starts_with(b"glTF") && packed.len() < input.len());
    assert!(!folder.path().join("-").exists());
    keyfold(folder.path(), &["pack", "arm.glb", "-o", "-", "--json"]).code(2);
    keyfold(folder.path(), &["pack", "arm.glb", "arm.gltf", "-o", "-"]).code(2);
}

#[test]
fn the_report_says_what_other_storages_would_take() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let candidates = |level: &str| {
        let report = json_of(&keyfold(folder.path(), &["pack", "arm.gltf", "--level", level, "--json"]).code(0));
        let list = report["files"][0]["candidates"].as_array().unwrap().clone();
        list.iter().map(|c| (c["storage"].as_str().unwrap().to_owned(), c["quick"] == true)).collect::<Vec<_>>()
    };
    let others = ["quantization", "draco", "meshopt", "stream"].map(|storage| (storage.to_owned(), true));
    let mut found = candidates("default");
    assert_eq!(found.remove(0), ("core".to_owned(), false));
    assert_eq!(found, others);
    assert_eq!(candidates("fast").len(), 1);
}

/// Changes the JSON of a file.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut json: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    change(&mut json);
    std::fs::write(path, json.to_string()).unwrap();
}

#[test]
fn a_buffer_that_comes_along_keeps_its_bytes_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    swing(&folder.path().join("in"), "arm", 3.0);
    // The animation lies in another file, and the output's own name is taken by a buffer that stays.
    let at = |name: &str| folder.path().join(name);
    std::fs::rename(at("in/arm.bin"), at("in/motion.bin")).unwrap();
    std::fs::write(at("in/arm.bin"), [7u8; 36]).unwrap();
    edit(&at("in/arm.gltf"), |json| {
        json["buffers"][0]["uri"] = json!("motion.bin");
        json["buffers"].as_array_mut().unwrap().push(json!({ "uri": "arm.bin", "byteLength": 36 }));
        json["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 1, "byteLength": 36 }));
    });
    keyfold(folder.path(), &["pack", "in/arm.gltf", "--out-dir", "out"]).code(0);
    keyfold(folder.path(), &["diff", "in/arm.gltf", "out/arm.gltf", "--max-error", "0.01%"]).code(0);
    assert_eq!(std::fs::read(at("out/arm.bin")).unwrap(), [7u8; 36]);
}

#[test]
fn files_of_one_name_from_many_folders_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<String> = (0..12).map(|i| format!("d{i}/m{i}.gltf")).collect();
    for i in 0..12u8 {
        let own = folder.path().join(format!("d{i}"));
        std::fs::create_dir(&own).unwrap();
        swing(&own, &format!("m{i}"), 2.0);
        std::fs::write(own.join("tex.png"), [i; 8]).unwrap();
        edit(&own.join(format!("m{i}.gltf")), |json| json["images"] = json!([{ "uri": "tex.png" }]));
    }
    let args: Vec<&str> = ["pack", "--out-dir", "out"].into_iter().chain(inputs.iter().map(String::as_str)).collect();
    keyfold(folder.path(), &args).code(0);
    for i in 0..12u8 {
        let json: Value =
            serde_json::from_slice(&std::fs::read(folder.path().join(format!("out/m{i}.gltf"))).unwrap()).unwrap();
        let image = folder.path().join("out").join(json["images"][0]["uri"].as_str().unwrap());
        assert_eq!(std::fs::read(image).unwrap(), [i; 8]);
        assert_eq!(json["images"][0]["uri"] == "tex.png", i == 0);
    }
}

#[test]
fn what_was_not_asked_for_stays() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    edit(&folder.path().join("arm.gltf"), |json| {
        // It holds what the hand has at rest.
        let still = json!({ "bufferView": 1, "componentType": 5126, "count": 1, "type": "VEC3" });
        let bytes: Vec<u8> = [0.0f32, 1.0, 0.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        json["accessors"]
            .as_array_mut()
            .unwrap()
            .extend([json!({ "bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR" }), still]);
        json["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 1, "byteLength": 12 }));
        json["buffers"].as_array_mut().unwrap().push(json!({ "uri": "still.bin", "byteLength": 12 }));
        std::fs::write(folder.path().join("still.bin"), bytes).unwrap();
        json["animations"].as_array_mut().unwrap().push(json!({ "name": "other",
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } },
                         { "sampler": 1, "target": { "node": 1, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }, { "input": 2, "output": 3 }] }));
    });
    let channels = |args: &[&str]| {
        keyfold(folder.path(), &[&["pack", "arm.gltf", "-o", "out.gltf"], args].concat()).code(0);
        let json: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out.gltf")).unwrap()).unwrap();
        json["animations"][1]["channels"].as_array().unwrap().len()
    };
    assert_eq!(channels(&["--animation", "wave"]), 2);
    assert_eq!(channels(&[]), 1);
    keyfold(folder.path(), &["pack", "arm.gltf", "-o", "out.gltf", "--animation", "nobody"]).code(2);
}

#[test]
fn what_is_read_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    swing(folder.path(), "arm", 3.0);
    let before = ["arm.gltf", "arm.bin"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    keyfold(folder.path(), &["convert", "arm.gltf", "-o", "./arm.gltf", "--storage", "draco"]).code(2);
    keyfold(folder.path(), &["unpack", "arm.gltf", "-o", "arm.gltf"]).code(2);
    keyfold(folder.path(), &["clip", "build", "arm.gltf", "-o", "arm.gltf"]).code(2);
    keyfold(folder.path(), &["clip", "build", "arm.gltf", "-o", "arm.bin"]).code(2);
    assert_eq!(before, ["arm.gltf", "arm.bin"].map(|name| std::fs::read(folder.path().join(name)).unwrap()));
}

#[test]
fn a_folder_inside_of_its_input_can_take_the_outputs_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let assets = folder.path().join("assets");
    std::fs::create_dir(&assets).unwrap();
    swing(&assets, "arm", 3.0);
    let run =
        || json_of(&keyfold(folder.path(), &["pack", "assets", "-r", "--out-dir", "assets/out", "--json"]).code(0));
    assert_eq!(run()["files"].as_array().unwrap().len(), 1);
    let again = run();
    assert_eq!(again["files"].as_array().unwrap().len(), 1);
    assert_eq!(again["files"][0]["up_to_date"], true);
}
