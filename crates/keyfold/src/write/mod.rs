//! From animations back to a document: planned channels become samplers, accessors and bytes; what they replace is pruned.
//!
//! A storage plans each track as a [`ChannelForm`] (what the accessors hold, what the channel says) and may place accessors in its
//! own way; the assembly here is the same for all of them: equal accessors and samplers are written once, channels that
//! Keyfold does not understand stay as they are with their samplers, and members it does not know survive.

mod core_storage;
mod meshopt;
mod order;
mod stored;
mod stream;

pub use core_storage::{core_form, core_target};
pub(crate) use meshopt::meshopt_bytes;
pub use meshopt::{MeshoptVersion, place_meshopt};
pub(crate) use order::alike;
pub use stored::{Filter, Stored, short};
pub use stream::place_stream;
pub(crate) use stream::stream_bytes;

use crate::{
    Animation, Animations, Document, Finding, Interpolation, Result,
    document::Edit,
    extensions, join_axes, read,
    retarget::{is_component, join_components},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A sampler as it will stand in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SamplerForm {
    /// The times.
    pub input: Stored,
    /// The values.
    pub output: Stored,
    /// How values between keys come about.
    pub interpolation: Interpolation,
}

/// A channel as it will stand in the file.
#[derive(Clone, Debug)]
pub struct ChannelForm {
    /// The channel that it takes the place of: members that Keyfold does not know are kept from there.
    pub source: Option<usize>,
    /// The sampler that core's readers see; `None` writes none.
    pub sampler: Option<SamplerForm>,
    /// A sampler that an extension on the channel refers to as its `sampler`.
    pub extension_sampler: Option<(&'static str, SamplerForm)>,
    /// The channel's `target`.
    pub target: Value,
    /// Objects for the channel's `extensions`.
    pub extensions: Map<String, Value>,
}

/// An animation as it will stand in the file.
#[derive(Clone, Debug, Default)]
pub struct AnimationForm {
    /// Its index in the document.
    pub index: usize,
    /// The channels that are replaced, or dropped where no form has them as its source.
    pub replaces: BTreeSet<usize>,
    /// The channels that take their place, in order.
    pub channels: Vec<ChannelForm>,
}

impl AnimationForm {
    /// An animation whose understood channels are replaced by `channels`.
    pub fn new(animation: &Animation, channels: Vec<ChannelForm>) -> Self {
        let replaces = animation.tracks.iter().map(|t| t.source.channel).collect();
        Self { index: animation.index, replaces, channels }
    }
}

/// Writes animations as plain core glTF: floats, whole properties.
pub fn write_core(document: &Document, animations: &[Animation]) -> Result<Document> {
    let forms = animations.iter().map(|animation| {
        let channels = animation.tracks.iter().map(core_form).collect::<Result<_>>()?;
        Ok(AnimationForm::new(animation, channels))
    });
    assemble(document, &forms.collect::<Result<Vec<_>>>()?, place_plain)
}

/// Writes every animation as floats in buffer views that meshopt compresses, nothing lost; with what reading had to leave out.
pub fn write_meshopt(document: &Document, version: MeshoptVersion) -> Result<(Document, Vec<Finding>)> {
    write_floats(document, |edit, contents, _| place_meshopt(edit, contents, version))
}

/// Writes every animation as floats in streams, nothing lost; with `fallback`, the plain bytes stay beside them. Also what reading had to leave out.
pub fn write_stream(document: &Document, fallback: bool) -> Result<(Document, Vec<Finding>)> {
    write_floats(document, |edit, contents, forms| place_stream(edit, contents, forms, fallback))
}

/// Writes every animation as floats, wherever `place` puts them; with what reading had to leave out.
fn write_floats(
    document: &Document,
    place: impl FnOnce(&mut Edit<'_>, &[&Stored], &[AnimationForm]) -> Result<Vec<usize>>,
) -> Result<(Document, Vec<Finding>)> {
    let mut findings = Vec::new();
    let joined = join_components(document, &mut findings)?;
    let document = joined.as_ref().unwrap_or(document);
    let Animations { mut animations, findings: unread } = read(document)?;
    findings.extend(unread);
    // What could not be joined stays as it is: no form that is ratified can say it.
    animations.iter_mut().for_each(|a| a.tracks.retain(|t| !is_component(document.registry(), &t.target)));
    let forms = animations.iter().map(|animation| {
        let channels = join_axes(document, animation).tracks.iter().map(core_form).collect::<Result<_>>()?;
        Ok(AnimationForm::new(animation, channels))
    });
    let forms = forms.collect::<Result<Vec<_>>>()?;
    let written = assemble(document, &forms, |edit, contents| place(edit, contents, &forms))?;
    Ok((written, findings))
}

/// Puts planned animations into a changed copy of a document; `place` gives accessors a place and answers with their indices.
pub fn assemble(
    document: &Document,
    forms: &[AnimationForm],
    place: impl FnOnce(&mut Edit<'_>, &[&Stored]) -> Result<Vec<usize>>,
) -> Result<Document> {
    let mut edit = document.edit();
    let mut stored = BTreeMap::new();
    for sampler in forms.iter().flat_map(|form| &form.channels).flat_map(samplers_of) {
        for content in [&sampler.input, &sampler.output] {
            let next = stored.len();
            stored.entry(content).or_insert(next);
        }
    }
    let mut contents: Vec<&Stored> = stored.keys().copied().collect();
    contents.sort_by_key(|content| stored[content]);
    let indices = place(&mut edit, &contents)?;
    let accessor = |content: &Stored| indices[stored[content]];
    for form in forms {
        let place = format!("/animations/{}", form.index);
        // What is no object has no channels to write, and stays what it is.
        let Some(animation) = edit.json().pointer_mut(&place).filter(|animation| animation.is_object()) else {
            continue;
        };
        let raised = extensions::raise(animation);
        replace_channels(animation, form, &accessor);
        raised.into_iter().for_each(|name| edit.declare(name, false));
    }
    let occurring: BTreeSet<String> = forms.iter().flat_map(|form| &form.channels).flat_map(extensions_of).collect();
    occurring.iter().for_each(|name| edit.declare(name, false));
    extensions::tidy(edit.json());
    edit.finish()
}

/// The extensions that a channel speaks of.
fn extensions_of(channel: &ChannelForm) -> impl Iterator<Item = String> {
    let on_target = channel.target.get("extensions").and_then(Value::as_object).into_iter().flatten();
    let referring = channel.extension_sampler.iter().map(|(name, _)| (*name).to_owned());
    on_target.chain(&channel.extensions).map(|(name, _)| name.clone()).chain(referring)
}

fn samplers_of(channel: &ChannelForm) -> impl Iterator<Item = &SamplerForm> {
    channel.sampler.iter().chain(channel.extension_sampler.iter().map(|(_, sampler)| sampler))
}

/// All accessors behind each other in one buffer view, alike ones together, each start aligned to four bytes.
pub fn place_plain(edit: &mut Edit<'_>, contents: &[&Stored]) -> Result<Vec<usize>> {
    if contents.is_empty() {
        return Ok(Vec::new());
    }
    let length = contents.iter().map(|content| content.bytes.len().next_multiple_of(4)).sum();
    let (order, mut bytes, mut offsets) = (alike(contents), Vec::with_capacity(length), Vec::new());
    for index in &order {
        bytes.resize(usize::next_multiple_of(bytes.len(), 4), 0);
        offsets.push(bytes.len());
        bytes.extend_from_slice(&contents[*index].bytes);
    }
    let view = edit.push_view(bytes);
    let mut accessors = vec![0; contents.len()];
    for (index, offset) in order.into_iter().zip(offsets) {
        let mut object = Map::from_iter([("bufferView".to_owned(), json!(view))]);
        if offset > 0 {
            object.insert("byteOffset".into(), json!(offset));
        }
        object.extend(contents[index].accessor());
        accessors[index] = edit.push("accessors", Value::Object(object));
    }
    Ok(accessors)
}

/// The samplers of an animation while it is rewritten.
#[derive(Default)]
struct Samplers {
    objects: Vec<Value>,
    by_content: BTreeMap<(usize, usize, Interpolation), usize>,
}

impl Samplers {
    fn add(&mut self, input: usize, output: usize, interpolation: Interpolation) -> usize {
        *self.by_content.entry((input, output, interpolation)).or_insert_with(|| {
            let mut object = json!({ "input": input, "output": output });
            if interpolation != Interpolation::Linear {
                object["interpolation"] = json!(interpolation.name());
            }
            self.objects.push(object);
            self.objects.len() - 1
        })
    }
}

fn replace_channels(animation: &mut Value, form: &AnimationForm, accessor: &impl Fn(&Stored) -> usize) {
    let old: Vec<Value> = animation["channels"].as_array().cloned().unwrap_or_default();
    let (mut samplers, moved) = kept_samplers(animation, &old, form);
    let mut channels = Vec::new();
    let mut write = |form: &ChannelForm, channels: &mut Vec<Value>| {
        channels.push(channel(form, form.source.and_then(|i| old.get(i)), &mut samplers, accessor));
    };
    for (index, object) in old.iter().enumerate() {
        if form.replaces.contains(&index) {
            form.channels.iter().filter(|c| c.source == Some(index)).for_each(|c| write(c, &mut channels));
        } else {
            channels.push(renumbered(object, &moved));
        }
    }
    form.channels.iter().filter(|c| c.source.is_none()).for_each(|c| write(c, &mut channels));
    animation["channels"] = Value::Array(channels);
    animation["samplers"] = Value::Array(samplers.objects);
}

/// The samplers that stay (those of channels that stay, and those that nothing used before), and where they are now.
fn kept_samplers(animation: &Value, old: &[Value], form: &AnimationForm) -> (Samplers, BTreeMap<usize, usize>) {
    let used = |replaced: bool| -> BTreeSet<usize> {
        let channels = old.iter().enumerate().filter(|(i, _)| form.replaces.contains(i) == replaced);
        channels
            .flat_map(|(_, c)| SAMPLER_PLACES.iter().filter_map(|p| c.pointer(p)?.as_u64()))
            .map(|i| i as usize)
            .collect()
    };
    let (gone, stay) = (used(true), used(false));
    let (mut samplers, mut moved) = (Samplers::default(), BTreeMap::new());
    for (index, object) in animation["samplers"].as_array().into_iter().flatten().enumerate() {
        if stay.contains(&index) || !gone.contains(&index) {
            moved.insert(index, samplers.objects.len());
            samplers.objects.push(object.clone());
        }
    }
    (samplers, moved)
}

/// Where a channel refers to a sampler.
const SAMPLER_PLACES: [&str; 2] = ["/sampler", "/extensions/EXT_animation_sqlerp/sampler"];

fn renumbered(channel: &Value, moved: &BTreeMap<usize, usize>) -> Value {
    let mut channel = channel.clone();
    for place in SAMPLER_PLACES {
        if let Some(index) = channel.pointer_mut(place)
            && let Some(new) = index.as_u64().and_then(|i| moved.get(&(i as usize)))
        {
            *index = json!(new);
        }
    }
    channel
}

fn channel(
    form: &ChannelForm,
    source: Option<&Value>,
    samplers: &mut Samplers,
    accessor: &impl Fn(&Stored) -> usize,
) -> Value {
    let mut add = |s: &SamplerForm| samplers.add(accessor(&s.input), accessor(&s.output), s.interpolation);
    let mut object = Map::new();
    if let Some(sampler) = &form.sampler {
        object.insert("sampler".into(), json!(add(sampler)));
    }
    object.insert("target".into(), form.target.clone());
    let mut extensions = form.extensions.clone();
    if let Some((name, sampler)) = &form.extension_sampler {
        extensions.insert((*name).to_owned(), json!({ "sampler": add(sampler) }));
    }
    for (key, value) in source.and_then(Value::as_object).into_iter().flatten() {
        match key.as_str() {
            "sampler" | "target" => {}
            "extensions" => {
                let unknown = |name: &str| !extensions::ALL.iter().any(|e| e.name == name);
                let kept = value.as_object().into_iter().flatten().filter(|(name, _)| unknown(name));
                extensions.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
            }
            _ => drop(object.insert(key.clone(), value.clone())),
        }
    }
    if !extensions.is_empty() {
        object.insert("extensions".into(), Value::Object(extensions));
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests;
