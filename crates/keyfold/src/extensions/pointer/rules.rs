//! The rules for channels with pointers, the same in every form: whether the pointer leads to a property that may be animated, and whether
//! nothing else drives it. What the property asks of the keys is `super::key_rules`.
//!
//! Core's rules know no pointers; what they say of such channels is taken back.

use super::{
    Address, address,
    codes::{
        ANIMATION2_NODE_IGNORED, KHR_ANIMATION_POINTER_CANNOT_VALIDATE_EXTRAS, POINTER_DUPLICATE, POINTER_LEGACY_FORM,
        POINTER_READ_ONLY, POINTER_UNKNOWN_EXTENSION, POINTER_UNRESOLVED,
    },
    key_rules,
};
use crate::{
    Animation, Document, Finding, Result, Targets,
    document::Object,
    extensions::{self, animation_pointer},
    object_model::{Initial, Match, Pointer, Registry, State, Status, current, is_extras},
    read,
    validate::{
        Findings,
        khronos::{
            ANIMATION_CHANNEL_TARGET_NODE_MATRIX, ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS,
            KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE, KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH,
            PATTERN_MISMATCH, UNDEFINED_PROPERTY,
        },
    },
};

/// The rules for the channels that are addressed in one extension's way.
pub(in crate::extensions) fn rules(document: &Document, findings: &mut Findings, targets: Targets) {
    let Ok(read) = read(document) else { return };
    for (animation, object) in read.animations.iter().zip(document.root().objects("animations").into_iter().flatten()) {
        let channels = object.and_then(|object| extensions::channels(document, &object)).unwrap_or_default();
        for (index, channel) in channels.into_iter().enumerate() {
            let Ok(channel) = channel else { continue };
            Rules { document, animation, channel: &channel, index, findings }.check(targets);
        }
    }
}

/// A channel under the rules.
pub(super) struct Rules<'r> {
    pub(super) document: &'r Document,
    pub(super) animation: &'r Animation,
    pub(super) channel: &'r Object<'r>,
    pub(super) index: usize,
    pub(super) findings: &'r mut Findings,
}

impl Rules<'_> {
    fn check(&mut self, targets: Targets) {
        let address = match address(self.document, self.channel) {
            Ok(Some(address)) if address.targets == targets => address,
            Err(error) if targets == Targets::Pointer => {
                return self.findings.add(&UNDEFINED_PROPERTY, error.at(), "`pointer` is missing, or no text");
            }
            _ => return,
        };
        self.take_back();
        // Nothing more to say of a target that is no object.
        let _ = self.check_target(&address);
        if let Some(became) = address.legacy {
            self.findings.add(&POINTER_LEGACY_FORM, &address.at, became);
        }
        match current(address.text, self.document.json()) {
            Err(error) => self.findings.add(&PATTERN_MISMATCH, &address.at, format!("`{}`: {error}", address.text)),
            Ok(current) => {
                // The ratified form never was without its slash; only the draft of 2021 was.
                if targets == Targets::Pointer && !address.text.starts_with('/') {
                    let message = format!("`{}` does not begin with a slash", address.text);
                    self.findings.add(&PATTERN_MISMATCH, &address.at, message);
                } else if !current.rewritten.is_empty() {
                    let message = format!("`{}` is spelled otherwise today", address.text);
                    self.findings.add(&POINTER_LEGACY_FORM, &address.at, message);
                }
                current.pointers.iter().for_each(|pointer| self.check_pointer(&address, pointer));
            }
        }
    }

    /// Core's rules see an unknown path, or take a dummy for the real one.
    fn take_back(&mut self) {
        let (sampler, target) = (self.channel.place("sampler"), self.channel.place("target"));
        let animation = format!("/animations/{}", self.animation.index);
        let elsewhere = self.channel.at().contains("/extensions/").then(|| format!("{animation}/channels"));
        let samplers = format!("{animation}/samplers/");
        self.findings.suppress(|f: &Finding| {
            let about_channel = f.at == sampler || f.at.starts_with(&target);
            let path = f.code == "VALUE_NOT_IN_LIST" || f.code.starts_with("ANIMATION_");
            // Channels beside core's use samplers too, and core's own may be none.
            let beside = elsewhere.is_some() && f.code == "UNUSED_OBJECT" && f.at.starts_with(&samplers);
            let none = f.code == "EMPTY_ENTITY" && Some(&f.at) == elsewhere.as_ref();
            (about_channel && path) || beside || none
        });
    }

    /// Core's members of a target beside a pointer.
    fn check_target(&mut self, address: &Address<'_>) -> Result<()> {
        let Some(target) = super::target(self.channel)? else { return Ok(()) };
        // Khronos' validator blames the extension's object, not core's members.
        let at = format!("{}/{}", target.place("extensions"), animation_pointer::NAME);
        match (address.targets, target.get("node")) {
            (Targets::Pointer, Some(_)) => {
                let message = "a channel with a pointer has no node";
                self.findings.add(&KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE, &at, message);
            }
            (Targets::Animation2, Some(_)) => {
                self.findings.add(&ANIMATION2_NODE_IGNORED, target.place("node"), "`node` means nothing here")
            }
            _ => {}
        }
        if address.targets == Targets::Pointer && target.text("path")? != Some("pointer") {
            let message = "a channel with a pointer has the path `pointer`";
            self.findings.add(&KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH, at, message);
        }
        Ok(())
    }

    fn check_pointer(&mut self, address: &Address<'_>, pointer: &Pointer) {
        self.check_duplicate(address, pointer);
        let registry = self.document.registry();
        match registry.find(pointer) {
            Some(found) => {
                self.check_property(address, &found);
                self.check_keys(address, &found);
            }
            None if is_extras(pointer) => {
                let message = format!("{pointer} is the application's own");
                self.findings.add(&KHR_ANIMATION_POINTER_CANNOT_VALIDATE_EXTRAS, &address.at, message);
            }
            None => match unknown_extension(registry, pointer) {
                Some(name) => {
                    let message = format!("{pointer}: the properties of {name} are not known");
                    self.findings.add(&POINTER_UNKNOWN_EXTENSION, &address.at, message);
                }
                None => {
                    let message = format!("{pointer} is no property of the object model");
                    self.findings.add(&POINTER_UNRESOLVED, &address.at, message);
                }
            },
        }
    }

    /// Whether the property may be animated, and is there.
    fn check_property(&mut self, address: &Address<'_>, found: &Match<'_>) {
        let (at, name) = (&address.at, &found.property);
        if !found.row.mutable {
            return self.findings.add(&POINTER_READ_ONLY, at, format!("{name} cannot be animated"));
        }
        if found.component.is_some() && address.targets == Targets::Pointer {
            let message = format!("{name} can be addressed only as a whole");
            return self.findings.add(&POINTER_UNRESOLVED, at, message);
        }
        if found.row.status == Status::Draft && address.targets == Targets::Pointer {
            let message = format!("only the KHR_animation2 draft knows {name}");
            self.findings.add(&POINTER_LEGACY_FORM, at, message);
        }
        let is_transform = found.matrix(self.document.json()).is_some();
        match found.state(self.document.json()) {
            State::Undefined if is_transform => {
                let message = format!("the node has a matrix: {name} is undefined");
                self.findings.add(&ANIMATION_CHANNEL_TARGET_NODE_MATRIX, at, message);
            }
            State::Undefined if found.row.initial == Initial::Weights => {
                let message = format!("{name}: the node has no mesh with morph targets");
                self.findings.add(&ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS, at, message);
            }
            State::Undefined => {
                let message = format!("{name} is not written, and has no default");
                self.findings.add(&POINTER_UNRESOLVED, at, message);
            }
            State::Missing(missing) => {
                self.findings.add(&POINTER_UNRESOLVED, at, format!("{name}: {missing} does not exist"));
            }
            State::Malformed(bad) => {
                self.findings.add(&POINTER_UNRESOLVED, at, format!("{name}: {bad} is not of its type"));
            }
            State::Explicit(_) | State::Default(_) | State::Derived => {}
        }
    }

    /// Whether another channel drives the property, a part of it, or what it is a part of. Of two pointers the later one is told of.
    fn check_duplicate(&mut self, address: &Address<'_>, pointer: &Pointer) {
        let overlaps = |text: String| {
            Pointer::parse(text).is_ok_and(|other| other.is_within(pointer) || pointer.is_within(&other))
        };
        let others = self.animation.tracks.iter().filter(|track| track.source.channel != self.index);
        let told = others.filter(|track| track.source.targets == Targets::Core || track.source.channel < self.index);
        if let Some(other) = told.filter(|track| overlaps(track.target.pointer())).min_by_key(|t| t.source.channel) {
            let message = format!("{pointer}: channel {} drives {}", other.source.channel, other.target);
            self.findings.add(&POINTER_DUPLICATE, &address.at, message);
        }
    }

    fn check_keys(&mut self, address: &Address<'_>, found: &Match<'_>) {
        let tracks = self.animation.tracks.iter();
        let pointer = |component: Option<usize>| match component {
            Some(component) => found.property.at(component),
            None => found.property.clone(),
        };
        let text = pointer(found.component);
        let track = tracks.into_iter().find(|t| t.source.channel == self.index && t.target.pointer() == text.as_str());
        key_rules::check(self, address.targets, found, track);
    }
}

/// The extension that a pointer leads into, where no row of the registry speaks of it.
fn unknown_extension(registry: &Registry, pointer: &Pointer) -> Option<String> {
    let tokens: Vec<String> = pointer.tokens().map(|token| token.into_owned()).collect();
    let mut names = tokens.windows(2).filter(|pair| pair[0] == "extensions").map(|pair| pair[1].clone());
    names.find(|name| registry.rows().iter().all(|row| row.extensions().all(|known| known != name)))
}
