//! A crowd of one actor: copies of its nodes, skin and channels in one document with one animation, side by side, each with values of its own.

use anyhow::{Context, Result};
use keyfold::{Document, document::Edit};
use keyfold_oracle::Random;
use serde_json::{Value, json};

/// From actor to actor, in scene units.
const APART: f64 = 1.0;
/// How far a track is moved at most: components of rotations, and translations as a share of themselves.
const CHANGE: f32 = 0.01;

/// So many of them; the first is the actor itself.
pub(super) fn crowd(actor: &Document, count: usize) -> Result<Document> {
    let (mut edit, mut random) = (actor.edit(), Random(7));
    (1..count).try_for_each(|copy| add(actor, &mut edit, copy, &mut random))?;
    Ok(edit.finish()?)
}

fn add(actor: &Document, edit: &mut Edit<'_>, copy: usize, random: &mut Random) -> Result<()> {
    let (one, animation) = (actor.json(), &actor.json()["animations"][0]);
    let first = copy * actor.count("nodes");
    for node in list(&one["nodes"])? {
        let mut node = node.clone();
        shift(&mut node, "children", first);
        shift(&mut node, "skin", copy * actor.count("skins"));
        edit.push("nodes", node);
    }
    for skin in list(&one["skins"])? {
        let mut skin = skin.clone();
        shift(&mut skin, "joints", first);
        shift(&mut skin, "skeleton", first);
        edit.push("skins", skin);
    }
    for root in list(&one["scenes"][0]["nodes"])? {
        let root = first + number(root)?;
        edit.json()["nodes"][root]["matrix"][12] = json!(APART * copy as f64);
        push(&mut edit.json()["scenes"][0]["nodes"], json!(root));
    }
    for channel in list(&animation["channels"])? {
        let (mut channel, mut sampler) = (channel.clone(), animation["samplers"][number(&channel["sampler"])?].clone());
        sampler["output"] = json!(changed(edit, number(&sampler["output"])?, &channel["target"]["path"], random)?);
        shift(&mut channel["target"], "node", first);
        let animation = &mut edit.json()["animations"][0];
        channel["sampler"] = push(&mut animation["samplers"], sampler);
        push(&mut animation["channels"], channel);
    }
    Ok(())
}

/// An accessor with values beside those of another, all keys moved alike.
fn changed(edit: &mut Edit<'_>, accessor: usize, path: &Value, random: &mut Random) -> Result<usize> {
    let mut values = edit.document().floats(accessor)?.to_vec();
    let by: [f32; 4] = std::array::from_fn(|_| CHANGE * random.float());
    match path.as_str() {
        Some("rotation") => values.as_chunks_mut().0.iter_mut().for_each(|q| *q = turned(*q, by)),
        Some("translation") => values.iter_mut().enumerate().for_each(|(i, v)| *v *= 1.0 + by[i % 3]),
        _ => {}
    }
    let mut members = edit.document().json()["accessors"][accessor].as_object().context("no accessor")?.clone();
    ["byteOffset", "min", "max"].iter().for_each(|name| drop(members.remove(*name)));
    let view = edit.push_view(values.iter().flat_map(|v| v.to_le_bytes()).collect());
    members.insert("bufferView".into(), json!(view));
    Ok(edit.push("accessors", members.into()))
}

fn turned(q: [f32; 4], by: [f32; 4]) -> [f32; 4] {
    let q: [f32; 4] = std::array::from_fn(|i| q[i] + by[i]);
    let length = q.iter().map(|c| c * c).sum::<f32>().sqrt();
    q.map(|c| c / length)
}

/// Adds to the numbers of a member, where it is there.
fn shift(object: &mut Value, member: &str, by: usize) {
    let moved = |v: &Value| v.as_u64().map_or(Value::Null, |n| json!(n + by as u64));
    if let Some(value) = object.get_mut(member) {
        *value = value.as_array().map_or(moved(value), |list| list.iter().map(moved).collect());
    }
}

/// Appends to an array; the place.
fn push(list: &mut Value, value: Value) -> Value {
    let list = list.as_array_mut().expect("an array, as it was read");
    list.push(value);
    json!(list.len() - 1)
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().context("the actor lacks something")
}

fn number(value: &Value) -> Result<usize> {
    value.as_u64().map(|n| n as usize).context("the actor has an odd number")
}
