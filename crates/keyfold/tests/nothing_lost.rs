//! What was lost or damaged once: from file to file, whatever the containers and the steps between, animations say the same.

use keyfold::{
    Bound, ClipOptions, Document, Interpolation, OpenOptions, RetargetOptions, Severity, Storage, Target, Targets,
    build_clip, diff,
    document::{Edit, Shape},
    draco,
    pack::{Options, pack},
    quantization::{self, LayoutOptions, RotationForm, quantize},
    read, retarget, unpack, validate,
    write::{AnimationForm, MeshoptVersion, Stored, assemble, core_form, place_meshopt, place_plain, write_meshopt},
};
use keyfold_core::clip::Clip;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const KEYS: usize = 40;

/// A document of two nodes, a chain, and a material, whose only animation has the channels that are given: target, interpolation, values.
fn animated(channels: &[(Value, Shape, Vec<f32>)]) -> Document {
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "root", "children": [1] }, { "name": "tip", "translation": [0, 1, 0] }],
        "materials": [{ "pbrMetallicRoughness": {} }],
        "animations": [{}],
    });
    let blank = document(&json);
    let mut edit = blank.edit();
    let times = accessor(&mut edit, &Stored::times(&times()));
    let (mut said, mut samplers) = (Vec::new(), Vec::new());
    for (index, (target, shape, values)) in channels.iter().enumerate() {
        let output = accessor(&mut edit, &Stored::floats(*shape, values));
        samplers.push(json!({ "input": times, "output": output }));
        said.push(json!({ "sampler": index, "target": target }));
    }
    edit.json()["animations"][0] = json!({ "channels": said, "samplers": samplers });
    edit.finish().unwrap()
}

/// The document with other JSON.
fn with(document: &Document, change: impl FnOnce(&mut Value)) -> Document {
    let mut edit = document.edit();
    change(edit.json());
    edit.finish().unwrap()
}

fn accessor(edit: &mut Edit<'_>, content: &Stored) -> usize {
    let view = edit.push_view(content.bytes.clone());
    let mut object = json!({ "bufferView": view });
    object.as_object_mut().unwrap().extend(content.accessor(None));
    edit.push("accessors", object)
}

fn document(json: &Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn times() -> Vec<f32> {
    (0..KEYS).map(|i| i as f32 / 30.0).collect()
}

/// Turns about one axis.
fn turning() -> Vec<f32> {
    times().iter().flat_map(|t| [(0.4 * t).sin(), 0.0, 0.0, (0.4 * t).cos()]).collect()
}

fn gliding() -> Vec<f32> {
    times().iter().flat_map(|t| [t.sin(), 0.3 * t, 0.0]).collect()
}

fn repeated(value: &[f32]) -> Vec<f32> {
    value.repeat(KEYS)
}

fn node(node: usize, path: &str) -> Value {
    json!({ "node": node, "path": path })
}

/// Whether a document keeps the rules.
fn assert_valid(document: &Document, what: &str) {
    let errors: Vec<_> = validate::validate(document).into_iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}");
}

/// Saves a document to a file, and opens that.
fn through(document: &Document, path: &Path) -> Document {
    document.save(path).unwrap();
    Document::open(path).unwrap()
}

fn samples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(folder);
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "gltf")).collect();
    files.sort();
    files
}

#[test]
fn what_is_unpacked_is_on_disk_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for set in ["quantization", "draco", "sqlerp"] {
        for file in samples(&format!("conformance/{set}")) {
            let what = file.display().to_string();
            let before = Document::open(&file).unwrap();
            let plain = unpack(&before, Bound::default()).unwrap().document;
            for name in ["plain.gltf", "plain.glb"] {
                let after = through(&plain, &folder.path().join(name));
                let found = diff(&before, &after, None).unwrap();
                assert!(found.error <= Bound::default().in_scene(found.model_size), "{what}, {name}: {}", found.error);
                let known = diff(&before, &before, None).unwrap().unmatched;
                assert!(
                    found.unmatched.iter().all(|lost| known.contains(lost)),
                    "{what}, {name}: {:?}",
                    found.unmatched
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked} files checked");
}

#[test]
fn an_edit_that_adds_nothing_keeps_what_one_before_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let blank = document(&json!({ "asset": { "version": "2.0" } }));
    for name in ["a.gltf", "a.glb"] {
        let mut edit = blank.edit();
        edit.push_view(vec![1; 8]);
        let first = through(&edit.finish().unwrap(), &folder.path().join(name));
        let mut edit = first.edit();
        edit.push_view(vec![2; 8]);
        let second = edit.finish().unwrap().edit().finish().unwrap();
        for name in ["b.gltf", "b.glb", "a.gltf"] {
            let after = through(&second, &folder.path().join(name));
            assert_eq!(
                (after.view(0).unwrap()[..].to_vec(), after.view(1).unwrap()[..].to_vec()),
                (vec![1; 8], vec![2; 8])
            );
        }
        let text = Document::from_bytes(second.to_bytes().unwrap(), None, &OpenOptions::default()).unwrap();
        assert_eq!(text.view(1).unwrap()[..], [2; 8]);
    }
}

#[test]
fn times_in_a_compressed_view_are_unpacked_too() {
    let before = animated(&[(node(0, "translation"), Shape::Vec3, gliding())]);
    let animation = &read(&before).unwrap().animations[0];
    let forms = [AnimationForm::new(animation, vec![core_form(&animation.tracks[0]).unwrap()])];
    let packed = assemble(&before, &forms, |edit, contents| {
        let (times, values): (Vec<&Stored>, Vec<&Stored>) = contents.iter().partition(|content| content.bounds);
        Ok([place_meshopt(edit, &times, MeshoptVersion::Ext, &|_, _| true)?, place_plain(edit, &values)?].concat())
    })
    .unwrap();
    assert!(packed.requires("EXT_meshopt_compression"));
    let track = &read(&packed).unwrap().animations[0].tracks[0];
    assert_eq!(Storage::of(&packed, 0, track), Storage::Meshopt);
    let plain = unpack(&packed, Bound::default()).unwrap().document;
    assert_eq!(plain.json().get("extensionsUsed"), None);
    assert_eq!(plain.count("buffers"), 1);
    assert_eq!(read(&plain).unwrap().animations[0].tracks[0].curve, animation.tracks[0].curve);
}

#[test]
fn times_of_a_draco_stream_stay_as_long_as_a_sampler_uses_them() {
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let part =
        |component: &str| json!({ "path": format!("{pointer}{component}"), "extensions": { "KHR_animation2": {} } });
    let faded: Vec<f32> = times().iter().map(|t| 0.5 + 0.5 * t.sin()).collect();
    // One component of what another channel drives has no plainer form: it stays where everything else is unpacked.
    let channels = [
        (node(0, "translation"), Shape::Vec3, gliding()),
        (part("/2"), Shape::Scalar, faded),
        (part(""), Shape::Vec4, times().iter().flat_map(|t| [1.0, 0.5 * t.cos(), 0.25, 1.0]).collect()),
    ];
    let before = with(&animated(&channels), |json| json["extensionsUsed"] = json!(["KHR_animation2"]));
    let options = draco::Options { bits: Some(16), ..draco::Options::default() };
    let compressed = draco::compress(&before, Bound::default(), &options).unwrap().document;
    // Equal times are one accessor, in the stream: the channel that is not there uses it, too.
    let shared = with(&compressed, |json| {
        let input = json["extensions"]["Draco_animation_compression"]["compressedAnimations"][0]["input"].clone();
        let samplers = json["animations"][0]["samplers"].as_array_mut().unwrap();
        samplers.iter_mut().for_each(|sampler| sampler["input"] = input.clone());
    });
    let curves = |document: &Document| -> Vec<_> {
        let tracks = &read(document).unwrap().animations[0].tracks;
        tracks.iter().map(|track| (track.target.to_string(), track.curve.clone())).collect()
    };
    let plain = unpack(&shared, Bound::default()).unwrap().document;
    assert_eq!(curves(&shared).len(), 3);
    assert_eq!(curves(&plain), curves(&shared));
}

#[test]
fn rotations_of_coarse_streams_are_of_unit_length() {
    let splines: Vec<f32> =
        turning().as_chunks::<4>().0.iter().flat_map(|q| [[0.0; 4], *q, [0.0; 4]].concat()).collect();
    for (interpolation, values) in
        [(Interpolation::Linear, turning()), (Interpolation::Step, turning()), (Interpolation::CubicSpline, splines)]
    {
        let before = with(&animated(&[(node(1, "rotation"), Shape::Vec4, values)]), |json| {
            json["animations"][0]["samplers"][0]["interpolation"] = json!(interpolation.name());
        });
        // The tip's turns hardly move anything: a coarse grid will do.
        let bound = Bound::Relative(0.02);
        let done = draco::compress(&before, bound, &draco::Options::default()).unwrap().document;
        let kept = keyfold::kept(&before, &done, bound).unwrap();
        assert!(kept.broken.is_empty() && done.requires("Draco_animation_compression"), "{:?}", kept.broken);
        assert_valid(&done, interpolation.name());
        let plain = unpack(&done, Bound::default()).unwrap().document;
        assert_valid(&plain, interpolation.name());
        let curve = &read(&plain).unwrap().animations[0].tracks[0].curve;
        let raw = done.floats(read(&done).unwrap().animations[0].tracks[0].source.output).unwrap();
        let squares = |key: usize| curve.value(key).iter().map(|c| c * c).sum::<f32>();
        let off = (0..curve.keys()).map(|key| (squares(key) - 1.0).abs()).fold(0.0, f32::max);
        match interpolation {
            Interpolation::CubicSpline => assert!(off < 0.016, "{off}"),
            _ => {
                let coarse = raw.as_chunks::<4>().0.iter().map(|q| q.iter().map(|c| c * c).sum::<f32>());
                assert!(
                    coarse.map(|square| (square - 1.0).abs()).fold(0.0, f32::max) > 0.016,
                    "the grid is not coarse"
                );
                assert!(off < 1e-6, "{off}");
            }
        }
    }
}

#[test]
fn one_axis_of_a_rotation_becomes_all_of_it_where_core_is_asked_for() {
    let before = animated(&[(node(0, "rotation"), Shape::Vec4, turning())]);
    let layouts = LayoutOptions { rotation: Some(RotationForm::Scalar), ..LayoutOptions::default() };
    let options = quantization::Options { layouts, ..quantization::Options::default() };
    let quantized = quantize(&before, Bound::default(), &options).unwrap().document;
    assert_eq!(quantized.json()["animations"][0]["channels"][0]["target"]["path"], "rotation.x");
    for targets in [Targets::Core, Targets::Pointer] {
        let wanted = RetargetOptions { targets: Some(targets), ..RetargetOptions::default() };
        let keyfold::Changed { document: after, findings, .. } = retarget(&quantized, &wanted).unwrap();
        assert!(findings.is_empty(), "{findings:?}");
        assert_valid(&after, "retargeted");
        let (before, after) = (read(&quantized).unwrap(), read(&after).unwrap());
        assert_eq!(after.animations[0].tracks.len(), 1, "{:?}", after.findings);
        assert_eq!(after.animations[0].tracks[0].curve, before.animations[0].tracks[0].curve);
    }
}

#[test]
fn one_component_of_a_colour_is_written_in_a_form_that_is_valid() {
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let part =
        |component: &str| json!({ "path": format!("{pointer}{component}"), "extensions": { "KHR_animation2": {} } });
    let faded: Vec<f32> = times().iter().map(|t| 0.5 + 0.5 * t.sin()).collect();
    let alone = vec![(part("/2"), Shape::Scalar, faded.clone())];
    // Where another channel drives all of it, the part has no form but its own.
    let beside = [alone.clone(), vec![(part(""), Shape::Vec4, repeated(&[1.0, 0.5, 0.25, 1.0]))]].concat();
    for (channels, joined) in [(alone, true), (beside, false)] {
        let before = with(&animated(&channels), |json| json["extensionsUsed"] = json!(["KHR_animation2"]));
        let check = |what: &str, after: &Document, told: bool| {
            assert_eq!(told, !joined, "{what}: what could not be joined is told");
            let targets: Vec<String> =
                read(after).unwrap().animations[0].tracks.iter().map(|t| t.target.to_string()).collect();
            assert_eq!(targets.contains(&format!("{pointer}/2")), !joined, "{what}: {targets:?}");
            let spelled = after.json()["animations"][0]["channels"].to_string();
            let invalid = format!("\"KHR_animation_pointer\":{{\"pointer\":\"{pointer}/2\"");
            assert!(!spelled.contains(&invalid), "{what}: {spelled}");
            if joined {
                assert_valid(after, what);
            }
            let found = diff(&before, after, None).unwrap();
            assert!(found.animations[0].properties.max <= 0.001, "{what}: {:?}", found.animations[0].properties);
        };
        let keyfold::Changed { document: after, findings, .. } = write_meshopt(&before, MeshoptVersion::Ext).unwrap();
        check("meshopt", &after, findings.iter().any(|f| f.code == "TARGET_NOT_CONVERTED"));
        let keyfold::Changed { document: after, findings, .. } = unpack(&before, Bound::default()).unwrap();
        check("unpack", &after, findings.iter().any(|f| f.code == "TARGET_NOT_CONVERTED"));
        let options = draco::Options { bits: Some(16), ..draco::Options::default() };
        let keyfold::Changed { document: after, findings, .. } =
            draco::compress(&before, Bound::default(), &options).unwrap();
        check("draco", &after, findings.iter().any(|f| f.code == "TARGET_NOT_CONVERTED"));
    }
}

#[test]
fn motion_for_other_skeletons_keeps_tracks_that_hold_the_rest_pose() {
    let own = animated(&[
        (node(0, "rotation"), Shape::Vec4, turning()),
        (node(0, "translation"), Shape::Vec3, times().iter().flat_map(|t| [t.sin(), 0.0, 0.0]).collect()),
        (node(1, "translation"), Shape::Vec3, repeated(&[0.0, 1.0, 0.0])),
        (node(1, "rotation"), Shape::Vec4, repeated(&[0.0, 0.0, 0.0, 1.0])),
    ]);
    let others = with(&own, |json| {
        json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
        json["extensions"] =
            json!({ "VRMC_vrm_animation": { "humanoid": { "humanBones": { "hips": { "node": 0 } } } } });
    });
    let all = targets(&own);
    for (document, keep_rest, kept) in [(&own, false, false), (&own, true, true), (&others, false, true)] {
        for storage in Storage::ALL {
            let packed = pack(document, &Options { storage, keep_rest, ..Options::default() }).unwrap().document;
            assert_eq!(targets(&packed) == all, kept, "{}", storage.name());
        }
        let quantized = quantize(
            document,
            Bound::default(),
            &quantization::Options { keep_rest, ..quantization::Options::default() },
        )
        .unwrap()
        .document;
        assert_eq!(targets(&quantized) == all, kept, "quantized: {:?}", targets(&quantized));
        let animations = read(document).unwrap().animations;
        let options = ClipOptions { keep_rest, ..ClipOptions::default() };
        let clip = build_clip(document, 0, &options).unwrap();
        let tracks = Clip::open(&clip.bytes).unwrap().tracks().len();
        assert_eq!(tracks == animations[0].tracks.len(), kept, "{tracks} tracks in the clip");
    }
}

/// What the tracks of a document drive, axes with all of their property.
fn targets(document: &Document) -> Vec<String> {
    let tracks = &read(document).unwrap().animations[0].tracks;
    assert!(tracks.iter().all(|t| t.curve.interpolation() == Interpolation::Linear));
    let axes =
        |property: &Target| tracks.iter().filter(|t| t.target.to_string().starts_with(&property.to_string())).count();
    let whole = |target: &Target| match target {
        Target::Node { node, property, axis: Some(_) } if axes(&Target::node(*node, *property)) == 3 => {
            Target::node(*node, *property)
        }
        other => other.clone(),
    };
    let mut targets: Vec<String> = tracks.iter().map(|t| whole(&t.target).to_string()).collect();
    targets.sort();
    targets.dedup();
    targets
}
