//! Many files in one run: none gets into another's way, and none is told of in another's name.

mod made;

use made::{contents, keyfold, make, moving};
use serde_json::json;
use std::{fs, path::Path};

/// A document in a folder of its own, with a picture that only it has; both are named like others elsewhere.
fn with_picture(folder: &Path, name: &str, picture: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    let (mut json, bin) = moving("data.bin");
    json["images"] = json!([{ "uri": "picture.png" }]);
    json["extras"] = json!({ "of": name });
    // Times without bounds are what `validate --fix` fixes.
    json["accessors"][0].as_object_mut().unwrap().remove("max");
    fs::write(folder.join(format!("{name}.gltf")), json.to_string()).unwrap();
    fs::write(folder.join("data.bin"), bin).unwrap();
    fs::write(folder.join("picture.png"), picture).unwrap();
}

#[test]
fn files_of_equal_names_come_along_beside_each_other() {
    for command in ["validate --fix", "convert --targets pointer", "unpack", "pack"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let names: Vec<String> = (0..12).map(|i| format!("m{i}")).collect();
        for name in &names {
            with_picture(&folder.join(name), name, name.as_bytes());
        }
        let files: Vec<String> = names.iter().map(|name| format!("{name}/{name}.gltf")).collect();
        let words = command.split(' ').chain(files.iter().map(String::as_str)).chain(["-o", "out"]);
        let (code, _, said) = keyfold(folder, &words.collect::<Vec<_>>());
        assert_eq!(code, 0, "{command}: {said}");
        for name in &names {
            let out = folder.join("out");
            let text = fs::read_to_string(out.join(format!("{name}.gltf"))).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            let picture = fs::read(out.join(json["images"][0]["uri"].as_str().unwrap())).unwrap();
            assert_eq!(picture, name.as_bytes(), "{command}: {name}");
        }
    }
}

#[test]
fn no_output_takes_the_place_of_what_is_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    with_picture(&folder.join("a"), "a", b"a picture");
    make(folder, "t");
    // Files may be called anything: this one like a picture of the other.
    fs::create_dir(folder.join("b")).unwrap();
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "b/picture.glb"]).0, 0);
    fs::rename(folder.join("b/picture.glb"), folder.join("b/picture.png")).unwrap();
    fs::write(folder.join("notes.txt"), "kept").unwrap();
    let before = (contents(folder), contents(&folder.join("a")), contents(&folder.join("b")));
    for arguments in [
        "pack t.gltf b/picture.png -o a/",
        "convert b/picture.png -o a/",
        "unpack b/picture.png -o a/picture.png",
        "pack t.gltf -o a/data.bin",
        "sample t.gltf --time 0 --apply -o a/picture.png",
        "validate --fix t.gltf -o a/picture.png",
        "clip build t.gltf -o notes.txt",
    ] {
        let (code, _, said) = keyfold(folder, &arguments.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && said.contains("would be overwritten"), "{arguments}: {code} {said}");
        assert_eq!((contents(folder), contents(&folder.join("a")), contents(&folder.join("b"))), before, "{arguments}");
    }
    // What is empty has nothing to lose.
    fs::write(folder.join("empty"), "").unwrap();
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "empty"]).0, 0);
    assert_eq!(keyfold(folder, &["convert", "t.gltf", "-o", "empty"]).0, 0);
}

#[cfg(unix)]
#[test]
fn a_name_of_two_lines_is_told_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let name = "a\nerror: all is lost";
    let (mut json, bin) = moving("data.bin");
    json["nodes"][0]["name"] = json!("lever\nerror: all is lost");
    json["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "sampler": 7, "target": { "node": 0, "path": "scale" } }));
    fs::write(folder.join(format!("{name}.gltf")), json.to_string()).unwrap();
    fs::write(folder.join("data.bin"), bin).unwrap();
    make(folder, "t");
    let file = format!("{name}.gltf");
    for arguments in [
        &["pack", &file, "t.gltf", "--out-dir", "out"][..],
        &["pack", &file, "t.gltf", "--out-dir", "out"],
        &["convert", &file, "-o", "x.glb", "--storage", "meshopt"],
        &["inspect", &file],
        &["sample", &file, "--time", "0"],
        &["diff", &file, "t.gltf"],
        &["validate", &file, "t.gltf"],
        &["clip", "build", &file, "-o", "x.kfc"],
        &["clip", "info", "x.kfc"],
        &["inspect", "a\nerror: all is lost"],
    ] {
        let (_, told, said) = keyfold(folder, arguments);
        let lines = told.lines().chain(said.lines());
        let fake: Vec<&str> = lines.filter(|line| line.starts_with("error: all is lost")).collect();
        assert!(fake.is_empty(), "{arguments:?}: {told}{said}");
    }
    let journal = fs::read_to_string(folder.join("out/.keyfold-pack.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 2, "{journal}");
}
