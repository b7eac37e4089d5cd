//! Writes animations into a document: planned channels become samplers, accessors and bytes; what they replace is
//! pruned.
//!
//! A storage plans each track as a [`ChannelForm`] (what the accessors hold, what the channel says) and may place
//! accessors in its own way; the assembly here is the same for all of them: equal accessors and samplers are written
//! once, channels that Keyfold does not understand stay as they are with their samplers, and members it does not know
//! survive.

mod core_storage;
mod meshopt;
mod order;
mod plain;
mod sparse;
mod stored;
mod stream;

pub use core_storage::{core_form, core_target};
pub use meshopt::{MeshoptVersion, Pays, place_meshopt};
pub(crate) use meshopt::{exponential_word, meshopt_bytes};
pub(crate) use order::alike;
pub(crate) use plain::Plain;
pub use plain::place_plain;
pub use sparse::place_sparse;
pub use stored::{Filter, Stored, short};
pub use stream::place_stream;
pub(crate) use stream::stream_bytes;

use crate::{
    Animation, Animations, Changed, Document, Interpolation, Result,
    document::{Edit, Mentions, json::to_index},
    extensions::{self, animation_pointer},
    join_axes,
    object_model::references,
    read,
    retarget::{has_matrix, is_component, join_components, readdressed},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Places accessors that nothing compresses, and returns their indices.
pub type Place = fn(&mut Edit<'_>, &[&Stored]) -> Result<Vec<usize>>;

/// A sampler as it will be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SamplerForm {
    /// The times.
    pub input: Stored,
    /// The values.
    pub output: Stored,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
}

/// A channel as it will be written.
#[derive(Clone, Debug)]
pub struct ChannelForm {
    /// The channel that it replaces. Members that Keyfold does not know are kept from there.
    pub source: Option<usize>,
    /// The sampler that core readers see; `None` writes none.
    pub sampler: Option<SamplerForm>,
    /// A sampler that an extension on the channel names as its `sampler`.
    pub extension_sampler: Option<(&'static str, SamplerForm)>,
    /// The channel's `target`.
    pub target: Value,
    /// Objects for the channel's `extensions`.
    pub extensions: Map<String, Value>,
}

/// An animation as it will be written.
#[derive(Clone, Debug, Default)]
pub struct AnimationForm {
    /// Its index in the document.
    pub index: usize,
    /// The channels that are replaced, or dropped if no form has them as its source.
    pub replaces: BTreeSet<usize>,
    /// The new channels, in order.
    pub channels: Vec<ChannelForm>,
    /// Whether each channel has its own sampler, even if others are equal: repetition between animations takes less
    /// after gzip.
    pub repeats_samplers: bool,
}

impl AnimationForm {
    /// An animation whose understood channels are replaced by `channels`.
    pub fn new(animation: &Animation, channels: Vec<ChannelForm>) -> Self {
        let replaces = animation.tracks.iter().map(|t| t.source.channel).collect();
        Self { index: animation.index, replaces, channels, repeats_samplers: false }
    }
}

/// Writes every animation as floats in buffer views that meshopt compresses, lossless. Also returns what reading had
/// to leave out.
pub fn write_meshopt(document: &Document, version: MeshoptVersion) -> Result<Changed> {
    write_floats(document, |edit, contents, _| place_meshopt(edit, contents, version, &|_, _| true))
}

/// Writes every animation as floats in streams, lossless. With `fallback`, the plain bytes stay beside them. Also
/// returns what reading had to leave out.
pub fn write_stream(document: &Document, fallback: bool) -> Result<Changed> {
    write_floats(document, |edit, contents, forms| place_stream(edit, contents, forms, fallback))
}

/// Writes every animation as floats, wherever `place` puts them; with what reading had to leave out.
fn write_floats(
    document: &Document,
    place: impl FnOnce(&mut Edit<'_>, &[&Stored], &[AnimationForm]) -> Result<Vec<usize>>,
) -> Result<Changed> {
    let mut findings = Vec::new();
    let joined = join_components(document, &mut findings)?;
    let document = joined.as_ref().unwrap_or(document);
    let Animations { mut animations, findings: unread } = read(document)?;
    findings.extend(unread);
    findings.extend(readdressed(document)?);
    // What could not be joined stays as it is: no form that is ratified can say it.
    animations.iter_mut().for_each(|a| a.tracks.retain(|t| !is_component(document.registry(), &t.target)));
    let forms = animations.iter().map(|animation| {
        let channels = join_axes(document, animation).tracks.iter().map(core_form).collect::<Result<_>>()?;
        Ok(AnimationForm::new(animation, channels))
    });
    let forms = forms.collect::<Result<Vec<_>>>()?;
    let document = assemble(document, &forms, |edit, contents| place(edit, contents, &forms))?;
    Ok(Changed { document, findings })
}

/// Puts planned animations into an edit of a document; `place` places accessors and returns their indices.
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
        let mut needed = extensions::move_to_core(animation);
        needed.extend(replace_channels(document, animation, form, &accessor));
        needed.into_iter().for_each(|name| edit.declare(name, false));
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

/// The samplers that play a channel.
pub(crate) fn samplers_of(channel: &ChannelForm) -> impl Iterator<Item = &SamplerForm> {
    channel.sampler.iter().chain(channel.extension_sampler.iter().map(|(_, sampler)| sampler))
}

/// The samplers of an animation while it is rewritten.
#[derive(Default)]
struct Samplers {
    objects: Vec<Value>,
    /// Places that are free, the first last: what is behind them may not move.
    free: Vec<usize>,
    by_content: BTreeMap<(usize, usize, Interpolation, String), usize>,
    /// Whether equal ones stand there again.
    repeats: bool,
}

impl Samplers {
    /// A sampler, with what else the one had that it takes the place of.
    fn add(&mut self, input: usize, output: usize, interpolation: Interpolation, rest: Map<String, Value>) -> usize {
        let key = (input, output, interpolation, Value::from(rest.clone()).to_string());
        if let Some(place) = self.by_content.get(&key).filter(|_| !self.repeats) {
            return *place;
        }
        let mut object = json!({ "input": input, "output": output });
        if interpolation != Interpolation::Linear {
            object["interpolation"] = json!(interpolation.name());
        }
        object.as_object_mut().expect("just made one").extend(rest);
        let place = self.free.pop().unwrap_or_else(|| {
            self.objects.push(Value::Null);
            self.objects.len() - 1
        });
        self.objects[place] = object;
        self.by_content.insert(key, place);
        place
    }

    /// All of them. Places that are still free go where they are the last, else repeat another sampler.
    fn finish(mut self) -> Vec<Value> {
        while let Some(place) = self.free.first().filter(|place| **place + 1 == self.objects.len()) {
            self.objects.truncate(*place);
            self.free.remove(0);
        }
        let spare =
            (0..self.objects.len()).find(|place| !self.free.contains(place)).map(|place| self.objects[place].clone());
        self.free.iter().zip(spare.iter().cycle()).for_each(|(place, spare)| self.objects[*place] = spare.clone());
        self.objects
    }
}

/// Writes an animation's channels; the extension that their targets then need beside those of their forms.
fn replace_channels(
    document: &Document,
    animation: &mut Value,
    form: &AnimationForm,
    accessor: &impl Fn(&Stored) -> usize,
) -> Option<&'static str> {
    let mut needed = None;
    let old: Vec<Value> = animation["channels"].as_array().cloned().unwrap_or_default();
    let (mut samplers, moved) = kept_samplers(animation, &old, form);
    let before: Vec<Value> = animation["samplers"].as_array().cloned().unwrap_or_default();
    let mut channels = Vec::new();
    let mut write = |form: &ChannelForm, channels: &mut Vec<Value>| {
        let source = Source { channel: form.source.and_then(|i| old.get(i)), samplers: &before };
        let pointer = pointer_for(document, form, &source);
        needed = needed.or(pointer.as_ref().map(|_| animation_pointer::NAME));
        let target = pointer.or_else(|| form.target.as_object().cloned()).unwrap_or_default();
        channels.push(channel(form, target, &source, &mut samplers, accessor));
    };
    let mut forms: Vec<&ChannelForm> = form.channels.iter().collect();
    if !references::unknown_in(animation).is_empty() {
        // What nobody knows may mean channels by their numbers.
        forms.sort_by_key(|channel| channel.source.unwrap_or(usize::MAX));
    }
    // Channels that stay keep their places among as many others as took the place of those before them.
    let mut forms = forms.into_iter();
    for (index, object) in old.iter().enumerate() {
        if form.replaces.contains(&index) {
            let count = form.channels.iter().filter(|c| c.source == Some(index)).count();
            forms.by_ref().take(count).for_each(|c| write(c, &mut channels));
        } else {
            channels.push(renumbered(object, &moved));
        }
    }
    forms.for_each(|c| write(c, &mut channels));
    animation["channels"] = Value::Array(channels);
    animation["samplers"] = Value::Array(samplers.finish());
    needed
}

/// The pointer in place of a core target, where core cannot say it: the node has a matrix. What was said so before
/// stays so.
fn pointer_for(document: &Document, form: &ChannelForm, source: &Source<'_>) -> Option<Map<String, Value>> {
    let [node, path] = ["node", "path"].map(|key| form.target.get(key));
    let is_said = source.channel.is_some_and(|c| [node, path] == ["node", "path"].map(|key| c.get("target")?.get(key)));
    let (node, path) = (to_index(node?)?, path?.as_str()?);
    let moves = ["translation", "rotation", "scale"].contains(&path);
    (moves && !is_said && form.extensions.is_empty() && has_matrix(document, node))
        .then(|| animation_pointer::target(&format!("/nodes/{node}/{path}")))
}

/// The samplers that stay (those of channels that stay, and those that nothing used before), and where they are now.
/// None moves that an extension may mean which Keyfold does not know.
fn kept_samplers(animation: &Value, old: &[Value], form: &AnimationForm) -> (Samplers, BTreeMap<usize, usize>) {
    let used = |replaced: bool| -> BTreeSet<usize> {
        let channels = old.iter().enumerate().filter(|(i, _)| form.replaces.contains(i) == replaced);
        channels.flat_map(|(_, c)| SAMPLER_PLACES.iter().filter_map(|p| to_index(c.pointer(p)?))).collect()
    };
    let (gone, stay) = (used(true), used(false));
    let mut samplers = Samplers { repeats: form.repeats_samplers, ..Samplers::default() };
    let mut moved = BTreeMap::new();
    let list: &[Value] = animation["samplers"].as_array().map_or(&[], Vec::as_slice);
    let meant = Mentions::of(animation, &references::unknown_in(animation));
    let fixed = meant.fixed(list.len());
    for (index, object) in list.iter().enumerate() {
        if stay.contains(&index) || !gone.contains(&index) || meant.contains(index) {
            moved.insert(index, samplers.objects.len());
            samplers.objects.push(object.clone());
        } else if index < fixed {
            samplers.free.insert(0, index);
            samplers.objects.push(Value::Null);
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
            && let Some((old, new)) = to_index(index).and_then(|old| Some((old, moved.get(&old)?)))
            && old != *new
        {
            *index = json!(new);
        }
    }
    channel
}

/// What a channel takes the place of.
struct Source<'s> {
    channel: Option<&'s Value>,
    samplers: &'s [Value],
}

impl Source<'_> {
    /// What else the sampler has that a place of the channel names, or where that names none, the other place.
    fn sampler(&self, place: usize) -> Map<String, Value> {
        let named = |place: &str| self.samplers.get(to_index(self.channel?.pointer(place)?)?);
        let sampler = named(SAMPLER_PLACES[place]).or_else(|| named(SAMPLER_PLACES[1 - place]));
        merged(sampler, &["input", "output", "interpolation"], Map::new())
    }
}

fn channel(
    form: &ChannelForm,
    target: Map<String, Value>,
    source: &Source<'_>,
    samplers: &mut Samplers,
    accessor: &impl Fn(&Stored) -> usize,
) -> Value {
    let mut add = |s: &SamplerForm, place: usize| {
        samplers.add(accessor(&s.input), accessor(&s.output), s.interpolation, source.sampler(place))
    };
    let mut object = Map::new();
    if let Some(sampler) = &form.sampler {
        object.insert("sampler".into(), json!(add(sampler, 0)));
    }
    let target = merged(source.channel.and_then(|channel| channel.get("target")), &["node", "path"], target);
    object.insert("target".into(), Value::Object(target));
    let mut extensions = form.extensions.clone();
    if let Some((name, sampler)) = &form.extension_sampler {
        extensions.insert((*name).to_owned(), json!({ "sampler": add(sampler, 1) }));
    }
    if !extensions.is_empty() {
        object.insert("extensions".into(), Value::Object(extensions));
    }
    Value::Object(merged(source.channel, &["sampler", "target"], object))
}

/// A new object with what else the old one had: all but `known` members and the extensions that Keyfold reads.
/// Extensions come last.
pub(crate) fn merged(old: Option<&Value>, known: &[&str], mut new: Map<String, Value>) -> Map<String, Value> {
    let mut extensions = match new.shift_remove("extensions") {
        Some(Value::Object(extensions)) => extensions,
        _ => Map::new(),
    };
    for (key, value) in old.and_then(Value::as_object).into_iter().flatten() {
        match (key.as_str(), value) {
            (key, _) if known.contains(&key) => {}
            ("extensions", Value::Object(objects)) => {
                let unknown = |name: &str| !extensions::ALL.iter().any(|e| e.name == name);
                let kept = objects.iter().filter(|(name, _)| unknown(name));
                extensions.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
            }
            _ => drop(new.insert(key.clone(), value.clone())),
        }
    }
    if !extensions.is_empty() {
        new.insert("extensions".into(), Value::Object(extensions));
    }
    new
}

#[cfg(test)]
mod tests;
