//! Edits of random documents: what is pruned, renumbered or assembled anew leaves everything else as it was.
//!
//! Every object has a name, and what refers to what is known from how the document was made, not from the table that the library works by.

use arbtest::{arbitrary::Unstructured, arbtest};
use keyfold::{
    Animation, Document, OpenOptions, Track,
    object_model::references::{Collection, renumber, retain},
    read,
    write::{AnimationForm, assemble, core_form, place_plain},
};
use serde_json::{Value, json};
use std::{cell::Cell, collections::BTreeSet};

type Random<'a> = Unstructured<'a>;
type Result<T> = arbtest::arbitrary::Result<T>;

const BUDGET_MS: u64 = 2_000;

fn open(json: &Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn below(u: &mut Random<'_>, end: usize) -> Result<usize> {
    u.int_in_range(0..=end - 1)
}

fn some(u: &mut Random<'_>, of: usize, most: usize) -> Result<Vec<usize>> {
    (0..u.int_in_range(0..=most)?).map(|_| below(u, of)).collect()
}

fn named<'v>(list: &'v Value, name: &str) -> Option<&'v Value> {
    list.as_array()?.iter().find(|object| object["name"] == name)
}

fn name(list: &Value, index: &Value) -> String {
    list[index.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_owned()
}

/// A document in which scenes, nodes, skins, channels and pointers refer to nodes; and who refers to whom, by name.
fn hierarchy(u: &mut Random<'_>) -> Result<Value> {
    let count = u.int_in_range(1..=8)?;
    let node = |u: &mut Random<'_>, i: usize| Ok(json!({ "name": format!("node{i}"), "children": some(u, count, 3)? }));
    let nodes = (0..count).map(|i| node(u, i)).collect::<Result<Vec<_>>>()?;
    let channel = |u: &mut Random<'_>| {
        let to = below(u, count)?;
        let pointer = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": format!("/nodes/{to}/scale") } } });
        let plain = json!({ "node": to, "path": "translation" });
        Ok(json!({ "sampler": 0, "target": if u.arbitrary()? { pointer } else { plain } }))
    };
    let channels = (0..u.int_in_range(0..=4)?).map(|_| channel(u)).collect::<Result<Vec<_>>>()?;
    let (roots, joints) = (some(u, count, 3)?, some(u, count, 4)?);
    let skeleton = below(u, count)?;
    Ok(
        json!({ "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_animation_pointer"], "scenes": [{ "nodes": roots }],
        "nodes": nodes, "skins": [{ "joints": joints, "skeleton": skeleton }],
        "animations": [{ "channels": channels, "samplers": [{}] }] }),
    )
}

/// Who refers to which node, by name, in the order of the document.
fn referred(json: &Value) -> Vec<(String, String)> {
    let nodes = &json["nodes"];
    let mut found = Vec::new();
    let list = |from: &str, indices: &Value, found: &mut Vec<(String, String)>| {
        found.extend(indices.as_array().into_iter().flatten().map(|index| (from.to_owned(), name(nodes, index))));
    };
    list("scene", &json["scenes"][0]["nodes"], &mut found);
    list("joints", &json["skins"][0]["joints"], &mut found);
    found.push(("skeleton".into(), name(nodes, &json["skins"][0]["skeleton"])));
    for channel in json["animations"][0]["channels"].as_array().into_iter().flatten() {
        let target = &channel["target"];
        let index = target["extensions"]["KHR_animation_pointer"]["pointer"].as_str().map_or_else(
            || target["node"].clone(),
            |pointer| json!(pointer.split('/').nth(2).unwrap().parse::<usize>().unwrap()),
        );
        found.push((target["path"].to_string(), name(nodes, &index)));
    }
    let mut children: Vec<(String, String)> = Vec::new();
    for node in nodes.as_array().into_iter().flatten() {
        list(node["name"].as_str().unwrap(), &node["children"], &mut children);
    }
    // Nodes may have changed places, their children have not.
    children.sort();
    found.extend(children);
    found
}

#[test]
fn renumbered_references_lead_to_the_same_objects() {
    let checked = Cell::new(0);
    arbtest(|u| {
        let before = hierarchy(u)?;
        let nodes = before["nodes"].as_array().unwrap().clone();
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, u.int_in_range(0..=i)?);
        }
        let mut map = vec![None; nodes.len()];
        order.iter().enumerate().for_each(|(new, old)| map[*old] = Some(new));
        let mut after = before.clone();
        renumber(&mut after, Collection::Nodes, &map).unwrap();
        let renumbered = after["nodes"].as_array().unwrap().clone();
        after["nodes"] = order.iter().map(|old| renumbered[*old].clone()).collect();
        assert_eq!(referred(&after), referred(&before));
        checked.set(checked.get() + 1);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
    assert!(checked.get() > 20, "{} documents", checked.get());
}

#[test]
fn objects_are_removed_only_where_nothing_that_stays_refers_to_them() {
    let (removed, refused) = (Cell::new(0), Cell::new(0));
    arbtest(|u| {
        let before = hierarchy(u)?;
        let goes: BTreeSet<usize> = some(u, before["nodes"].as_array().unwrap().len(), 3)?.into_iter().collect();
        let gone: BTreeSet<String> = goes.iter().map(|i| name(&before["nodes"], &json!(i))).collect();
        // What goes may refer to what goes.
        let stays = |(from, to): &(String, String)| !(gone.contains(to) && gone.contains(from));
        let wanted: Vec<_> = referred(&before).into_iter().filter(stays).collect();
        let possible = wanted.iter().all(|(_, to)| !gone.contains(to));
        let mut after = before.clone();
        match retain(&mut after, Collection::Nodes, |i| !goes.contains(&i)) {
            Ok(_) => {
                assert!(possible, "{gone:?} of {before}");
                let kept: Vec<_> = wanted.into_iter().filter(|(from, _)| !gone.contains(from)).collect();
                assert_eq!(referred(&after), kept);
                removed.set(removed.get() + 1);
            }
            Err(_) => {
                assert!(!possible, "{gone:?} of {before}");
                assert_eq!(after, before, "a refusal changes nothing");
                refused.set(refused.get() + 1);
            }
        }
        Ok(())
    })
    .budget_ms(BUDGET_MS);
    assert!(removed.get() > 5 && refused.get() > 5, "{} removed, {} refused", removed.get(), refused.get());
}

/// A document with data: accessors over views, which overlap or leave gaps, in two buffers; a mesh and an animation use some.
fn with_data(u: &mut Random<'_>) -> Result<Value> {
    let lengths = [u.int_in_range(16..=80usize)? * 4, u.int_in_range(16..=40usize)? * 4];
    let buffer = |seed: usize, length: usize| {
        let floats = (0..length / 4).flat_map(|i| (((i * 7 + seed) % 64) as f32 / 64.0).to_le_bytes());
        use base64::Engine;
        let text = base64::engine::general_purpose::STANDARD.encode(floats.collect::<Vec<u8>>());
        json!({ "byteLength": length, "uri": format!("data:;base64,{text}") })
    };
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    for i in 0..u.int_in_range(2..=8)? {
        let home = below(u, 2)?;
        let start = below(u, lengths[home] / 4 - 3)? * 4;
        let length = u.int_in_range(3..=(lengths[home] - start) / 4)? * 4;
        views.push(json!({ "name": format!("view{i}"), "buffer": home, "byteOffset": start, "byteLength": length }));
        let count = u.int_in_range(1..=length / 12)?;
        accessors.push(json!({ "name": format!("accessor{i}"), "bufferView": i, "componentType": 5126, "count": count, "type": "VEC3" }));
    }
    let used = some(u, accessors.len(), 4)?;
    let primitives: Vec<Value> = used.iter().map(|i| json!({ "attributes": { "POSITION": i } })).collect();
    Ok(
        json!({ "asset": { "version": "2.0" }, "buffers": [buffer(1, lengths[0]), buffer(2, lengths[1])], "bufferViews": views,
        "accessors": accessors, "nodes": [{}], "meshes": [{ "primitives": primitives }] }),
    )
}

fn data_size(document: &Document) -> usize {
    (0..document.count("buffers")).map(|i| document.buffer(i).unwrap().len()).sum()
}

#[test]
fn pruning_keeps_the_data_of_everything_that_is_still_there() {
    let (checked, smaller) = (Cell::new(0), Cell::new(0));
    arbtest(|u| {
        let json = with_data(u)?;
        let before = open(&json);
        let primitives = json["meshes"][0]["primitives"].as_array().unwrap();
        let goes: BTreeSet<usize> =
            if primitives.is_empty() { BTreeSet::new() } else { some(u, primitives.len(), 3)?.into_iter().collect() };
        let used = |keep: bool| -> BTreeSet<u64> {
            let kept = primitives.iter().enumerate().filter(|(i, _)| !keep || !goes.contains(i));
            kept.map(|(_, p)| p["attributes"]["POSITION"].as_u64().unwrap()).collect()
        };
        let orphans: BTreeSet<u64> = &used(false) - &used(true);
        let mut edit = before.edit();
        let mut index = 0..;
        edit.json()["meshes"][0]["primitives"]
            .as_array_mut()
            .unwrap()
            .retain(|_| !goes.contains(&index.next().unwrap()));
        let after = edit.finish().unwrap();
        // What the edit orphaned is gone; everything else, also what was never used, has its name and its data.
        for (i, accessor) in json["accessors"].as_array().unwrap().iter().enumerate() {
            let name = accessor["name"].as_str().unwrap();
            let there = after.json()["accessors"].as_array().into_iter().flatten().position(|a| a["name"] == name);
            assert_eq!(there.is_none(), orphans.contains(&(i as u64)), "{name} of {json}");
            if let Some(there) = there {
                assert_eq!(after.floats(there).unwrap(), before.floats(i).unwrap(), "{name} of {json}");
            }
        }
        let points: Vec<String> = after.json()["meshes"][0]["primitives"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|p| name(&after.json()["accessors"], &p["attributes"]["POSITION"]))
            .collect();
        let kept = primitives.iter().enumerate().filter(|(i, _)| !goes.contains(i));
        assert!(
            points
                .iter()
                .eq(&kept.map(|(_, p)| name(&json["accessors"], &p["attributes"]["POSITION"])).collect::<Vec<_>>())
        );
        assert!(data_size(&after) <= data_size(&before));
        // The same holds for what will be on disk.
        let again = Document::from_bytes(after.to_bytes().unwrap(), None, &OpenOptions::default()).unwrap();
        for i in 0..after.count("accessors") {
            assert_eq!(again.floats(i).unwrap(), after.floats(i).unwrap());
        }
        checked.set(checked.get() + 1);
        smaller.set(smaller.get() + usize::from(data_size(&after) < data_size(&before)));
        Ok(())
    })
    .budget_ms(BUDGET_MS);
    assert!(checked.get() > 20 && smaller.get() > 0, "{} documents, {} of them smaller", checked.get(), smaller.get());
}

/// Animations whose channels share samplers and accessors, some of them of kinds that nobody knows.
fn animated(u: &mut Random<'_>) -> Result<Value> {
    let mut json = with_data(u)?;
    let keys = u.int_in_range(1..=4)?;
    use base64::Engine;
    let floats = (0..keys).map(|k| k as f32).chain((0..keys * 3).map(|v| v as f32 / 7.0));
    let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let (buffer, view) = (2, json["bufferViews"].as_array().unwrap().len());
    json["buffers"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "byteLength": bytes.len(), "uri": format!("data:;base64,{text}") }));
    let views = [
        json!({ "buffer": buffer, "byteLength": keys * 4 }),
        json!({ "buffer": buffer, "byteOffset": keys * 4, "byteLength": keys * 12 }),
    ];
    json["bufferViews"].as_array_mut().unwrap().extend(views);
    let accessors = json["accessors"].as_array_mut().unwrap();
    let first = accessors.len();
    accessors
        .push(json!({ "name": "times", "bufferView": view, "componentType": 5126, "count": keys, "type": "SCALAR" }));
    accessors.push(
        json!({ "name": "values", "bufferView": view + 1, "componentType": 5126, "count": keys, "type": "VEC3" }),
    );
    json["nodes"] = (0..4).map(|i| json!({ "name": format!("node{i}") })).collect();
    let mut animations = Vec::new();
    for a in 0..u.int_in_range(1..=3)? {
        let sampler = json!({ "input": first, "output": first + 1, "interpolation": if u.arbitrary()? { "STEP" } else { "LINEAR" } });
        let samplers: Vec<Value> = vec![sampler; u.int_in_range(1..=3)?];
        let mut channels = Vec::new();
        for c in 0..u.int_in_range(1..=4)? {
            let path = ["translation", "scale", "ACME_glow"][below(u, 3)?];
            let target = json!({ "node": c, "path": path, "extras": c });
            channels
                .push(json!({ "sampler": below(u, samplers.len())?, "target": target, "extras": { "channel": c } }));
        }
        animations
            .push(json!({ "name": format!("animation{a}"), "channels": channels, "samplers": samplers, "extras": a }));
    }
    json["animations"] = Value::Array(animations);
    Ok(json)
}

fn tracks(animation: &Animation) -> Vec<(String, Vec<f32>, Vec<f32>)> {
    let row = |t: &Track| (t.target.to_string(), t.curve.times().to_vec(), t.curve.values().to_vec());
    let mut tracks: Vec<_> = animation.tracks.iter().map(row).collect();
    tracks.sort_by(|a, b| a.0.cmp(&b.0));
    tracks
}

#[test]
fn assembling_changes_what_it_is_told_to_and_nothing_else() {
    let checked = Cell::new(0);
    arbtest(|u| {
        let json = animated(u)?;
        let before = open(&json);
        let animations = read(&before).unwrap().animations;
        let mut forms = Vec::new();
        for animation in &animations {
            let replaced: Vec<&Track> = animation.tracks.iter().filter(|_| u.arbitrary().unwrap_or(false)).collect();
            let channels = replaced.iter().map(|track| core_form(track).unwrap()).collect();
            let replaces = replaced.iter().map(|track| track.source.channel).collect();
            forms.push(AnimationForm { index: animation.index, replaces, channels, repeats_samplers: false });
        }
        let after = assemble(&before, &forms, place_plain).unwrap();
        let after = Document::from_bytes(after.to_bytes().unwrap(), None, &OpenOptions::default()).unwrap();
        let again = read(&after).unwrap().animations;
        assert_eq!(again.len(), animations.len());
        for (one, other) in animations.iter().zip(&again) {
            assert_eq!((&one.name, tracks(one)), (&other.name, tracks(other)), "{json}");
        }
        for (old, new) in
            json["animations"].as_array().unwrap().iter().zip(after.json()["animations"].as_array().unwrap())
        {
            let told = |a: &Value| {
                a["channels"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|c| (c["extras"].clone(), c["target"].clone()))
                    .collect::<Vec<_>>()
            };
            // Targets that are written anew keep who they drive; what nobody knows about them stays with channels that stay.
            assert_eq!(told(old).len(), told(new).len());
            assert!(
                told(old)
                    .iter()
                    .zip(told(new))
                    .all(|(a, b)| a.0 == b.0 && a.1["node"] == b.1["node"] && a.1["path"] == b.1["path"])
            );
            assert_eq!((&old["name"], &old["extras"]), (&new["name"], &new["extras"]));
        }
        // What is not animation's is where it was.
        for accessor in
            json["accessors"].as_array().unwrap().iter().filter(|a| a["name"].as_str().unwrap().starts_with("accessor"))
        {
            let name = accessor["name"].as_str().unwrap();
            assert!(named(&after.json()["accessors"], name).is_some(), "{name} of {json}");
        }
        checked.set(checked.get() + 1);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
    assert!(checked.get() > 20, "{} documents", checked.get());
}
