//! One file per extension, one list of them. To add an extension: write its file, add its row to [`ALL`].
//!
//! Reading asks every extension of the list that the document uses, in order; the first that has an answer is heard. An extension says
//! only what it changes; where none has anything to say, core's rules hold (`crate::read`).

pub(crate) mod animation2;
pub(crate) mod animation_pointer;
pub mod draco;
pub mod meshopt;
mod pointer;
mod property_animation;
pub mod quantization;
pub(crate) mod sqlerp;
pub(crate) mod stream;
pub(crate) mod vrm_animation;

use crate::{
    Document, Finding, Interpolation, Kind, Result,
    document::Object,
    read::{Channel, ChannelTarget, KeyArrays, Sampler},
    validate::{Code, Findings},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Values for accessors, by accessor index, in place of the accessors' own bytes.
pub(crate) type Provided = BTreeMap<usize, Result<Arc<[f32]>>>;

type AccessorViewsHook = fn(&Document) -> BTreeMap<usize, usize>;
type ViewHook = fn(&Document, usize) -> Result<Option<Vec<u8>>>;
type ChannelsHook = for<'a> fn(&Object<'a>) -> Result<Vec<Result<Object<'a>>>>;
type TargetHook = fn(&Channel<'_>, &mut Vec<Finding>) -> Result<Option<Vec<ChannelTarget>>>;
type SamplerHook = for<'a> fn(&Channel<'a>) -> Result<Option<Object<'a>>>;
type KeysHook = fn(&Channel<'_>, &ChannelTarget, &Sampler, &mut Vec<Finding>) -> Result<Option<KeyArrays>>;

/// What an extension changes about reading, and what it asks of a file. Everything is optional.
pub(crate) struct Extension {
    /// Its name in `extensionsUsed`.
    pub(crate) name: &'static str,
    /// The bytes of a buffer view that the extension compresses.
    pub(crate) view: Option<ViewHook>,
    /// Values of accessors that come from elsewhere.
    pub(crate) accessors: Option<fn(&Document) -> Provided>,
    /// Channels that an animation keeps beside core's; they count on from those, and [`move_to_core`](Extension::move_to_core) puts them there.
    pub(crate) channels: Option<ChannelsHook>,
    /// Moves the channels that [`channels`](Extension::channels) tells of behind core's, in a form that can be written;
    /// answers with the extension of that form where there were any.
    pub(crate) move_to_core: Option<fn(&mut Value) -> Option<&'static str>>,
    /// What a channel drives, where core's `node` and `path` do not say it; none with a finding where it drives nothing.
    pub(crate) target: Option<TargetHook>,
    /// Whether `target` is asked also where the file forgets to declare the extension: the channel shows that it is meant.
    pub(crate) undeclared: bool,
    /// The object whose `sampler` plays a channel, where it is not the channel itself.
    pub(crate) sampler: Option<SamplerHook>,
    /// The meaning of an interpolation's name that core does not know, for values of a kind.
    pub(crate) interpolation: Option<fn(&str, Kind) -> Option<Interpolation>>,
    /// A channel's keys, where they are not the sampler's accessors taken as they are; with what is to be said about them.
    pub(crate) keys: Option<KeysHook>,
    /// By accessor, the buffer view whose compressed bytes its values come from, where it is not the accessor's own.
    pub(crate) accessor_views: Option<AccessorViewsHook>,
    /// Removes from the JSON what the extension no longer needs after animations were rewritten, its declaration included.
    pub(crate) tidy: Option<fn(&mut Value)>,
    /// Its own rules for validation; they run after core's and may suppress what core found. How to add them: `crate::validate`.
    pub(crate) rules: Option<fn(&Document, &mut Findings)>,
    /// The codes that its rules use, for the registry.
    pub(crate) codes: &'static [Code],
    /// Patterns of the objects that may carry it (`/animations/*/channels/*`); empty: anywhere.
    pub(crate) places: &'static [&'static str],
    /// The members that its objects may have beside `extensions` and `extras`; empty: its own rules look at them.
    pub(crate) members: &'static [&'static str],
}

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Extension {
    /// An extension that changes nothing yet.
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            view: None,
            accessors: None,
            channels: None,
            move_to_core: None,
            target: None,
            undeclared: false,
            sampler: None,
            interpolation: None,
            keys: None,
            accessor_views: None,
            tidy: None,
            rules: None,
            codes: &[],
            places: &[],
            members: &[],
        }
    }
}

/// Every extension that changes how animations are read.
pub(crate) const ALL: &[Extension] = &[
    draco::ROW,
    draco::OTHER,
    meshopt::KHR,
    meshopt::EXT,
    stream::ROW,
    animation_pointer::EXTENSION,
    animation2::EXTENSION,
    property_animation::EXTENSION,
    quantization::EXT,
    sqlerp::ROW,
];

/// The names of those that animations may need whatever they are stored in.
pub(crate) fn beside_storages() -> impl Iterator<Item = &'static str> {
    let stores = |e: &&Extension| e.view.is_some() || e.accessors.is_some() || e.keys.is_some();
    ALL.iter().filter(move |extension| !stores(extension)).map(|extension| extension.name)
}

/// The extensions of the list that a document uses.
pub(crate) fn used(document: &Document) -> impl Iterator<Item = &'static Extension> + '_ {
    document.used().iter().copied()
}

/// The first answer that a used extension has.
pub(crate) fn first<T>(
    document: &Document,
    ask: impl FnMut(&'static Extension) -> Option<Result<Option<T>>>,
) -> Result<Option<T>> {
    used(document).filter_map(ask).find_map(Result::transpose).transpose()
}

/// What a channel drives, as the first extension that has an answer says it.
pub(crate) fn channel_targets(
    channel: &Channel<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Vec<ChannelTarget>>> {
    let document = channel.document;
    let is_heard =
        |e: &&Extension| (e.undeclared && !document.ignores(e.name)) || used(document).any(|used| used.name == e.name);
    let heard = ALL.iter().filter(|e| e.target.is_some()).filter(is_heard);
    heard.filter_map(|extension| extension.target).find_map(|ask| ask(channel, findings).transpose()).transpose()
}

/// The object whose `sampler` plays a channel: the channel itself, or an extension's on it.
pub(crate) fn sampled<'a>(channel: &Channel<'a>) -> Result<Object<'a>> {
    let named = first(channel.document, |extension| extension.sampler.map(|sampler| sampler(channel)))?;
    Ok(named.unwrap_or_else(|| channel.object.clone()))
}

/// All channels of an animation: core's, and behind them those that extensions keep elsewhere.
pub(crate) fn channels<'a>(document: &Document, animation: &Object<'a>) -> Result<Vec<Result<Object<'a>>>> {
    let mut channels: Vec<_> = animation.objects("channels")?.collect();
    for further in used(document).filter_map(|extension| extension.channels) {
        channels.extend(further(animation)?);
    }
    Ok(channels)
}

/// Moves the channels that extensions keep elsewhere to where [`channels`] counts them; the extensions that they then need.
pub(crate) fn move_to_core(animation: &mut Value) -> Vec<&'static str> {
    ALL.iter()
        .filter_map(|extension| extension.move_to_core)
        .filter_map(|move_to_core| move_to_core(animation))
        .collect()
}

/// The bytes of a compressed buffer view; `None` where no extension compresses it.
pub(crate) fn decompress_view(document: &Document, view: usize) -> Result<Option<Vec<u8>>> {
    first(document, |extension| extension.view.map(|decompress| decompress(document, view)))
}

/// Whether the document uses an extension that compresses buffer views.
pub(crate) fn compress_views(document: &Document) -> bool {
    used(document).any(|extension| extension.view.is_some())
}

/// The values of all accessors that extensions provide.
pub(crate) fn provide(document: &Document) -> Provided {
    used(document).filter_map(|extension| extension.accessors).flat_map(|provide| provide(document)).collect()
}

/// Lets every extension remove what it no longer needs.
pub(crate) fn tidy(json: &mut Value) {
    ALL.iter().filter_map(|extension| extension.tidy).for_each(|tidy| tidy(json));
}

/// Once no buffer view is compressed by an extension any more, nobody needs it to read the file; once no buffer that stood in for such
/// views is left either (one stays where an unknown extension may mean it), it is not used.
fn tidy_views(json: &mut Value, name: &str) {
    let occurs_in = |list: &str| {
        let objects = json.get(list).and_then(Value::as_array);
        objects.into_iter().flatten().any(|object| object["extensions"].get(name).is_some())
    };
    match (occurs_in("bufferViews"), occurs_in("buffers")) {
        (true, _) => {}
        (false, true) => unlist(json, "extensionsRequired", name),
        (false, false) => undeclare(json, name),
    }
}

/// How extensions remove what they no longer need in a copy that will be changed; those that had something to remove before leave it
/// alone.
pub(crate) fn tidy_already(json: &Value) -> Vec<fn(&mut Value)> {
    let lists = ["extensionsUsed", "extensionsRequired"];
    let listed = ALL.iter().filter(|e| lists.iter().any(|list| is_listed(json, list, e.name)));
    let already = |tidy: &fn(&mut Value)| {
        let mut tidied = json.clone();
        tidy(&mut tidied);
        tidied == *json
    };
    listed.filter_map(|extension| extension.tidy).filter(already).collect()
}

/// Whether an extension is on one of the two lists.
pub(crate) fn is_listed(json: &Value, list: &str, name: &str) -> bool {
    json.get(list).and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n.as_str() == Some(name)))
}

/// Where an extension is on one of the two lists.
fn place_on_list(document: &Document, list: &str, name: &str) -> String {
    let mut names = document.json().get(list).and_then(Value::as_array).into_iter().flatten();
    format!("/{list}/{}", names.position(|n| n == name).unwrap_or(0))
}

/// The names of all extensions that change how animations are read.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|extension| extension.name)
}

/// Takes an extension off the lists of used and required ones.
pub(crate) fn undeclare(json: &mut Value, name: &str) {
    ["extensionsUsed", "extensionsRequired"].into_iter().for_each(|list| unlist(json, list, name));
}

/// Removes an extension's object from the one that carries it, and `extensions` with the last of them.
fn remove(carrier: &mut Value, name: &str) {
    if let Some(Value::Object(extensions)) = carrier.get_mut("extensions") {
        extensions.shift_remove(name);
    }
    if carrier.get("extensions") == Some(&json!({})) {
        carrier.as_object_mut().map(|members| members.shift_remove("extensions"));
    }
}

/// Puts an extension on one of the two lists, once.
pub(crate) fn list(json: &mut Value, list: &str, name: &str) {
    let Some(root) = json.as_object_mut() else { return };
    if let Value::Array(names) = root.entry(list).or_insert_with(|| Value::Array(Vec::new()))
        && !names.iter().any(|n| n.as_str() == Some(name))
    {
        names.push(name.into());
    }
}

/// Takes an extension off one of the two lists.
pub(crate) fn unlist(json: &mut Value, list: &str, name: &str) {
    let Some(root) = json.as_object_mut() else { return };
    if let Some(Value::Array(names)) = root.get_mut(list) {
        names.retain(|n| n.as_str() != Some(name));
        // glTF allows no empty list.
        if names.is_empty() {
            root.shift_remove(list);
        }
    }
}

/// By accessor, the buffer view whose compressed bytes its values come from; nothing for those that are not compressed.
pub(crate) fn compressed_views(document: &Document) -> BTreeMap<usize, usize> {
    let own = |accessor| document.accessor(accessor).ok()?.view.filter(|view| compresses(document, *view));
    let own = (0..document.count("accessors")).filter_map(|accessor| Some((accessor, own(accessor)?)));
    let elsewhere = used(document)
        .filter_map(|extension| extension.accessor_views)
        .flat_map(|accessor_views| accessor_views(document));
    own.chain(elsewhere).collect()
}

/// Whether an extension compresses a buffer view.
pub(crate) fn compresses(document: &Document, view: usize) -> bool {
    compression(document, view).is_some()
}

/// The bytes that a compressed buffer view takes up.
pub(crate) fn compressed_length(document: &Document, view: usize) -> usize {
    let own = || document.element("bufferViews", view).ok()?.index("byteLength").ok()?;
    let object = compression(document, view);
    object.and_then(|object| object.index("byteLength").ok()?).or_else(own).unwrap_or(0)
}

/// The object by which an extension compresses a buffer view.
pub(crate) fn compression(document: &Document, view: usize) -> Option<Object<'_>> {
    let name = compressing(document, view)?;
    document.element("bufferViews", view).ok()?.extension(name).ok()?
}

/// The name of the extension that compresses a buffer view.
pub(crate) fn compressing(document: &Document, view: usize) -> Option<&'static str> {
    let view = document.element("bufferViews", view).ok()?;
    let names = used(document).filter(|extension| extension.view.is_some()).map(|extension| extension.name);
    names.into_iter().find(|name| matches!(view.extension(name), Ok(Some(_))))
}
