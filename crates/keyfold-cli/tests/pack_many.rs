//! Very many files in one run of `keyfold pack`: killed in the middle and started again, nothing is lost and nothing done twice; memory
//! does not grow with their number. Ten thousand files with `cargo xtask test --full`, some hundred otherwise.

use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

const KEYS: usize = 60;
/// How many files in a folder of the input.
const FOLDER: usize = 500;

fn is_full() -> bool {
    std::env::var_os("KEYFOLD_FULL").is_some()
}

/// A small .glb with a joint that swings; no two are the same.
fn glb(number: usize) -> Vec<u8> {
    let speed = 1.0 + number as f32 * 1e-3;
    let times = (0..KEYS).map(|i| i as f32 / 30.0);
    let turns = times.clone().flat_map(|t| {
        let half = 0.4 * (t * speed).sin();
        [0.0, 0.0, half.sin(), half.cos()]
    });
    let bin: Vec<u8> = times.chain(turns).flat_map(f32::to_le_bytes).collect();
    let accessor = |offset: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": KEYS, "type": shape });
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "translation": [0, 1, 0] }],
        "buffers": [{ "byteLength": bin.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bin.len() }],
        "accessors": [accessor(0, "SCALAR"), accessor(KEYS * 4, "VEC4")],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
                         "samplers": [{ "input": 0, "output": 1 }] }],
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let whole = 12 + 8 + text.len() + 8 + bin.len();
    let (header, end) = ([*b"glTF", word(2), word(whole)].concat(), [word(bin.len()), *b"BIN\0"].concat());
    [header, word(text.len()).to_vec(), b"JSON".to_vec(), text, end, bin].concat()
}

fn make(folder: &Path, count: usize) {
    for number in 0..count {
        let inside = folder.join(format!("{}", number / FOLDER));
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join(format!("{number}.glb")), glb(number)).unwrap();
    }
}

fn keyfold(folder: &Path, input: &str, output: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold"));
    command.current_dir(folder).args(["pack", input, "--recursive", "--out-dir", output, "--json"]);
    command.stdout(Stdio::piped());
    command
}

/// The complete lines of the list of finished files: the outputs that they name.
fn finished(folder: &Path) -> BTreeSet<PathBuf> {
    let text = fs::read_to_string(folder.join("out/.keyfold-pack.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.map(|line| PathBuf::from(line["output"].as_str().unwrap())).collect()
}

fn modified(folder: &Path, output: &Path) -> SystemTime {
    fs::metadata(folder.join(output)).unwrap().modified().unwrap()
}

#[test]
fn a_killed_run_goes_on_where_it_was_stopped() {
    let count = if is_full() { 10_000 } else { 200 };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(&folder.join("in"), count);
    let mut child = keyfold(folder, "in", "out").stdout(Stdio::null()).spawn().unwrap();
    while finished(folder).len() < count / 4 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = finished(folder);
    assert!(before.len() >= count / 4 && before.len() < count, "killed after {} of {count}", before.len());
    let times: Vec<SystemTime> = before.iter().map(|output| modified(folder, output)).collect();

    let output = keyfold(folder, "in", "out").output().unwrap();
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    let outputs = |up_to_date: bool| -> BTreeSet<PathBuf> {
        let some = files.iter().filter(|f| f["up_to_date"] == up_to_date);
        some.map(|f| PathBuf::from(f["output"].as_str().unwrap())).collect()
    };
    assert_eq!(outputs(true), before, "what was finished is not done again, and only that");
    assert_eq!(outputs(false).len(), count - before.len());
    assert!(before.iter().zip(times).all(|(output, time)| modified(folder, output) == time));
    assert_eq!(finished(folder).len(), count);
    let is_whole = |output: &PathBuf| {
        let bytes = fs::read(folder.join(output)).unwrap();
        bytes.starts_with(b"glTF") && bytes[8..12] == (bytes.len() as u32).to_le_bytes()
    };
    assert!(outputs(false).iter().chain(&before).all(is_whole));
    eprintln!("pack: killed after {} of {count} files, went on with the other {}", before.len(), count - before.len());
}

#[test]
fn memory_does_not_grow_with_the_number_of_files() {
    let counts = if is_full() { [1_000, 10_000] } else { [50, 400] };
    let folder = tempfile::tempdir().unwrap();
    let peaks = counts.map(|count| {
        make(&folder.path().join(format!("in{count}")), count);
        peak(folder.path(), count)
    });
    let [Some(few), Some(many)] = peaks else {
        eprintln!("skipped: no GNU time to measure memory with");
        return;
    };
    eprintln!("pack: peak of {} files {few} KiB, of {} files {many} KiB", counts[0], counts[1]);
    assert!(many < few + few / 4, "{few} KiB to {many} KiB");
}

/// The largest resident memory of a run, in KiB.
fn peak(folder: &Path, count: usize) -> Option<u64> {
    let (input, output) = (format!("in{count}"), format!("out{count}"));
    let plain = keyfold(folder, &input, &output);
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(plain.get_program()).args(plain.get_args()).current_dir(folder);
    let run = command.output().ok()?;
    assert!(run.status.success());
    String::from_utf8_lossy(&run.stderr).lines().last()?.trim().parse().ok()
}
