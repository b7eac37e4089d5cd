//! Writing as people and systems do it: pipes, links, names of all kinds, disks that fill up. No command writes over what it reads.
#![cfg(unix)]

mod made;

use assert_cmd::Command;
use made::{contents, keyfold, make, moving};
use serde_json::{Value, json};
use std::{
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, symlink},
    },
    path::Path,
    time::Duration,
};

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "t");
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "a.glb"]).0, 0);
    symlink("a.glb", folder.join("link.glb")).unwrap();
    let before = contents(folder);
    for arguments in [
        "sample a.glb --time 0 --apply -o a.glb",
        "sample a.glb --time 0 --apply -o ./link.glb",
        "sample t.gltf --time 0 --apply -o t.bin",
        "pack t.gltf -o u.gltf --report t.bin",
        "pack t.gltf -o u.gltf --report a.glb",
        "pack t.gltf -o u.gltf --report t.gltf",
        "pack t.gltf -o t.bin",
        "convert t.gltf -o t.gltf",
        "convert t.gltf -o t.bin",
        "unpack t.gltf -o ./t.gltf",
        "unpack t.gltf -o t.bin",
        "validate t.gltf --fix -o t.bin",
        "validate t.gltf --fix -o t.gltf",
        "clip build t.gltf -o t.bin",
        "clip build t.gltf -o t.gltf",
    ] {
        let (code, _, said) = keyfold(folder, &arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 2, "{arguments}: {said}");
        assert_eq!(contents(folder), before, "{arguments}");
    }
    // A report may take the place of one.
    for _ in 0..2 {
        assert_eq!(keyfold(folder, &["pack", "t.gltf", "-o", "u.glb", "--report", "r.html"]).0, 0);
    }
}

#[test]
fn a_pipe_is_written_to_and_never_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "t");
    for (name, magic) in [("pipe.glb", &b"glTF"[..]), ("pipe.gltf", b"{")] {
        assert!(std::process::Command::new("mkfifo").arg(folder.join(name)).status().unwrap().success());
        let (sender, received) = std::sync::mpsc::channel();
        let pipe = folder.join(name);
        std::thread::spawn(move || sender.send(fs::read(pipe).unwrap()));
        let (code, _, said) = keyfold(folder, &["convert", "t.gltf", "-o", name, "--storage", "meshopt"]);
        assert_eq!(code, 0, "{said}");
        let bytes = received.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        fs::write(folder.join("copy"), bytes).unwrap();
        let (code, _, said) = keyfold(folder, &["diff", "t.gltf", "copy", "--max-error", "0"]);
        assert_eq!(code, 0, "{name}: {said}");
        fs::remove_file(folder.join("copy")).unwrap();
    }
}

#[test]
fn a_link_to_another_file_system_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let device = |path: &Path| fs::metadata(path).map(|m| m.dev()).ok();
    let elsewhere =
        [Path::new("/dev/shm"), Path::new("/tmp"), Path::new("/var/tmp"), Path::new(env!("CARGO_TARGET_TMPDIR"))];
    let other = elsewhere.into_iter().find(|path| device(path).is_some_and(|d| Some(d) != device(folder.path())));
    let Some(other) = other.and_then(|path| tempfile::tempdir_in(path).ok()) else {
        eprintln!("skipped: there is only one file system");
        return;
    };
    make(folder.path(), "t");
    let (link, real) = (folder.path().join("out.glb"), other.path().join("real.glb"));
    symlink(&real, &link).unwrap();
    for _ in 0..2 {
        let (code, _, said) = keyfold(folder.path(), &["convert", "t.gltf", "-o", "out.glb"]);
        assert_eq!(code, 0, "{said}");
        assert!(link.symlink_metadata().unwrap().is_symlink() && fs::read(&real).unwrap().starts_with(b"glTF"));
    }
}

#[test]
fn a_name_that_is_no_text_is_one_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "t");
    let name = OsStr::from_bytes(b"a\xff.gltf");
    if fs::rename(folder.join("t.gltf"), folder.join(name)).is_err() {
        eprintln!("skipped: the file system has no such names");
        return;
    }
    for up_to_date in [false, true] {
        let arguments = [OsStr::new("pack"), name, "--out-dir".as_ref(), "out".as_ref(), "--json".as_ref()];
        let (code, told, said) = keyfold(folder, &arguments);
        assert_eq!(code, 0, "{said}");
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["files"][0]["up_to_date"], up_to_date);
        assert!(folder.join("out").join(name).is_file());
    }
    let (code, _, said) = keyfold(folder, &[OsStr::new("unpack"), name]);
    assert_eq!(code, 0, "{said}");
    assert!(folder.join(OsStr::from_bytes(b"a\xff.unpacked.gltf")).is_file());
}

#[test]
fn names_that_addresses_have_to_spell_otherwise_are_ones_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "t");
    for name in ["walk: take 2", "x:y", "100% #1?", "a&b=c;d", "http:", "{[ä]}"] {
        let (out, again) = (format!("{name}.gltf"), format!("{name} again.gltf"));
        for arguments in [["convert", "t.gltf", "-o", &out], ["unpack", &out, "-o", &again]] {
            let (code, _, said) = keyfold(folder, &[&arguments[..], &["--max-error", "0.01%"]].concat());
            assert_eq!(code, 0, "{arguments:?}: {said}");
        }
        let (code, _, said) = keyfold(folder, &["convert", &out, "--in-place", "--storage", "meshopt"]);
        assert_eq!(code, 0, "{name}: {said}");
        let (code, _, said) = keyfold(folder, &["diff", &again, &out, "--max-error", "0.01%"]);
        assert_eq!(code, 0, "{name}: {said}");
    }
}

#[test]
fn names_cannot_command_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut json, bin) = moving("t.bin");
    let evil = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    json["animations"][0]["name"] = json!(evil);
    json["nodes"][0]["name"] = json!(evil);
    json["extensionsUsed"] = json!([evil]);
    json["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "sampler": 0, "target": { "node": 0, "path": evil } }));
    fs::write(folder.join("t.gltf"), json.to_string()).unwrap();
    fs::write(folder.join("t.bin"), bin).unwrap();
    for arguments in [
        "inspect t.gltf",
        "sample t.gltf --time 0",
        "diff t.gltf t.gltf",
        "validate t.gltf",
        "validate t.gltf --fix -o -",
        "pack t.gltf -o packed.gltf",
        "unpack t.gltf -o plain.gltf",
        "clip build t.gltf -o t.kfc",
        "clip info t.kfc",
        "sample t.gltf --animation none --time 0",
    ] {
        let mut command = Command::cargo_bin("keyfold").unwrap();
        // As if it were a terminal.
        let output =
            command.current_dir(folder).env("CLICOLOR_FORCE", "1").args(arguments.split(' ')).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let file = arguments.ends_with("-o -");
        for text in [Some(said), (!file).then_some(told)].into_iter().flatten() {
            for sign in ["\u{1b}]", "\u{7}", "\u{9b}", "\u{202e}"] {
                assert!(!text.contains(sign), "{arguments}: {text:?}");
            }
        }
    }
}

#[test]
fn clips_of_very_long_names_are_all_built() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut json, bin) = moving("t.bin");
    let animation = json["animations"][0].clone();
    let named = |name: String| {
        let mut animation = animation.clone();
        animation["name"] = json!(name);
        animation
    };
    json["animations"] = json!([named("ä".repeat(1000)), named("ä".repeat(1000)), named("short".into())]);
    fs::write(folder.join("t.gltf"), json.to_string()).unwrap();
    fs::write(folder.join("t.bin"), bin).unwrap();
    let (code, _, said) = keyfold(folder, &["clip", "build", "t.gltf", "--all", "-o", "clips"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(contents(&folder.join("clips")).len(), 3);
}

#[test]
fn a_buffer_that_cannot_be_read_is_an_unreadable_input() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "t");
    fs::remove_file(folder.join("t.bin")).unwrap();
    for arguments in ["convert t.gltf -o out.glb", "convert t.gltf -o out.gltf", "unpack t.gltf -o out.glb"] {
        let (code, _, said) = keyfold(folder, &arguments.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && said.contains("t.bin"), "{arguments}: {code} {said}");
        assert!(!folder.join("out.glb").exists() && !folder.join("out.gltf").exists());
    }
}

/// Runs the program where no file may be longer than so many blocks of 512 bytes.
fn limited(folder: &Path, blocks: usize, arguments: &str) -> (i32, String) {
    let program = assert_cmd::cargo::cargo_bin("keyfold");
    let script = format!("ulimit -f {blocks}; exec \"$0\" {arguments}");
    let output = Command::new("sh").current_dir(folder).args(["-c", &script]).arg(program).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn where_there_is_no_room_everything_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut json, bin) = moving("t.bin");
    json["extras"] = json!("long ".repeat(4000));
    fs::write(folder.join("t.gltf"), json.to_string()).unwrap();
    fs::write(folder.join("t.bin"), bin).unwrap();
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "out/o.gltf", "--storage", "quantization"]).0, 0);
    let before = (contents(folder), contents(&folder.join("out")));
    // The buffers fit, the document does not; then the other way round.
    let unlike = "convert t.gltf -o out/o.gltf --storage meshopt";
    for (blocks, arguments) in
        [(8, unlike), (0, unlike), (8, "pack t.gltf -o out/o.glb"), (8, "unpack t.gltf -o out/p.glb")]
    {
        let (code, said) = limited(folder, blocks, arguments);
        assert!(code == 2 && said.contains("cannot write"), "{arguments}: {code} {said}");
        assert_eq!((contents(folder), contents(&folder.join("out"))), before, "{arguments}");
    }
    // What a run left that was ended by force goes with the next.
    fs::write(folder.join("out/.keyfold-dead.tmp"), "half").unwrap();
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "out/o.gltf", "--storage", "meshopt"]).0, 0);
    let names: Vec<String> = contents(&folder.join("out"))
        .keys()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["o.1.bin", "o.gltf"]);
}

#[test]
fn a_resumed_batch_looks_at_bytes_and_tells_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("in")).unwrap();
    ["a", "b", "c"].iter().for_each(|name| make(&folder.join("in"), name));
    let run = || {
        let (code, told, said) =
            keyfold(folder, &["pack", "in", "-r", "--out-dir", "out", "--json", "--max-error", "0.1%"]);
        assert_eq!(code, 0, "{said}");
        let mut told: Value = serde_json::from_str(&told).unwrap();
        told["files"].as_array_mut().unwrap().iter_mut().for_each(|row| {
            row.as_object_mut().unwrap().remove("candidates");
        });
        told
    };
    let first = run();
    assert!(first["files"][0]["error"]["max"].as_f64().unwrap() > 0.0, "{first}");
    // Of the same length, and not the same.
    let damaged = |name: &str| {
        let mut bytes = fs::read(folder.join("out").join(name)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(folder.join("out").join(name), bytes).unwrap();
    };
    damaged("a.gltf");
    damaged("b.bin");
    let second = run();
    let rows = first["files"].as_array().unwrap().iter().zip(second["files"].as_array().unwrap());
    for ((before, after), up_to_date) in rows.zip([false, false, true]) {
        assert_eq!(after["up_to_date"], up_to_date, "{after}");
        assert!(after["bytes"].is_object() && (!up_to_date || after["bytes"] == before["bytes"]), "{after}");
        for key in ["storage", "animation_bytes", "error", "left", "copied"] {
            assert_eq!(before[key], after[key], "{key}");
        }
    }
    for name in ["a", "b", "c"] {
        let (code, _, said) =
            keyfold(folder, &["diff", &format!("in/{name}.gltf"), &format!("out/{name}.gltf"), "--max-error", "0.1%"]);
        assert_eq!(code, 0, "{said}");
    }
}

#[test]
fn a_file_that_is_standard_input_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "m");
    let before = contents(folder);
    symlink("m.gltf", folder.join("link.gltf")).unwrap();
    for arguments in [
        &["pack", "-", "-o", "m.gltf"][..],
        &["unpack", "-", "-o", "link.gltf"],
        &["sample", "-", "--time", "0", "--apply", "-o", "./m.gltf"],
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("keyfold"));
        let input = fs::File::open(folder.join("m.gltf")).unwrap();
        let output = command.current_dir(folder).args(arguments).stdin(input).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("standard input"), "{arguments:?}: {said}");
        assert_eq!(fs::read(folder.join("m.gltf")).unwrap(), before[&folder.join("m.gltf")], "{arguments:?}");
    }
}

#[test]
fn a_report_takes_the_place_of_nothing_that_was_just_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, "m");
    let (code, _, said) = keyfold(folder, &["pack", "m.gltf", "-o", "out.gltf", "--report", "out.bin"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("no report"), "{said}");
    let (code, _, said) = keyfold(folder, &["diff", "m.gltf", "out.gltf"]);
    assert_eq!(code, 0, "{said}");
}
