//! Animations, channels, targets and samplers.

use super::Members;
use crate::{Document, Interpolation, Kind, Property, extensions};

/// An animation; without its two lists nothing more can be said about it.
pub(in super::super) struct Animation {
    pub(in super::super) samplers: Option<Vec<Sampler>>,
    pub(in super::super) channels: Option<Vec<Channel>>,
}

/// A sampler.
pub(in super::super) struct Sampler {
    pub(in super::super) input: Option<usize>,
    pub(in super::super) output: Option<usize>,
    /// `None` if the member is no text at all.
    pub(in super::super) interpolation: Option<Interpolation>,
}

/// A channel.
pub(in super::super) struct Channel {
    pub(in super::super) sampler: Option<usize>,
    /// Whether there is a target that is an object.
    pub(in super::super) has_target: bool,
    pub(in super::super) node: Option<usize>,
    /// A property of core; `None` also for paths that extensions define.
    pub(in super::super) property: Option<Property>,
}

impl Animation {
    pub(super) fn read(mut members: Members<'_, '_>, document: &Document) -> Self {
        members.only(&["channels", "samplers", "name"]);
        members.required(&["channels", "samplers"]);
        Self {
            channels: members.objects("channels", |m| Channel::read(m, document)),
            samplers: members.objects("samplers", |m| Sampler::read(m, document)),
        }
    }
}

impl Channel {
    fn read(mut members: Members<'_, '_>, document: &Document) -> Self {
        members.only(&["sampler", "target"]);
        members.required(&["sampler", "target"]);
        let sampler = members.index("sampler");
        let mut channel = Self { sampler, has_target: false, node: None, property: None };
        let Some(mut target) = members.object("target") else { return channel };
        target.only(&["node", "path"]);
        target.required(&["path"]);
        let mut paths = vec!["translation", "rotation", "scale", "weights"];
        paths.extend(document.uses("KHR_animation_pointer").then_some("pointer"));
        channel.has_target = true;
        channel.node = target.index("node");
        channel.property = target.name_of("path", &paths).and_then(Property::from_name);
        channel
    }
}

impl Sampler {
    fn read(mut members: Members<'_, '_>, document: &Document) -> Self {
        members.only(&["input", "interpolation", "output"]);
        members.required(&["input", "output"]);
        Self {
            input: members.index("input"),
            output: members.index("output"),
            interpolation: interpolation(&mut members, document),
        }
    }
}

/// An interpolation that nobody knows counts as LINEAR: its values are still one for each key, as far as anyone can
/// tell.
fn interpolation(members: &mut Members<'_, '_>, document: &Document) -> Option<Interpolation> {
    if !members.has("interpolation") {
        return Some(Interpolation::Linear);
    }
    let name = members.text("interpolation")?;
    // How many elements a key has does not depend on what the values are.
    let extended = || extensions::used(document).filter_map(|e| e.interpolation).find_map(|f| f(name, Kind::Rotation));
    let known = ["LINEAR", "STEP", "CUBICSPLINE"];
    let core = known.contains(&name).then(|| Interpolation::from_name(name)).flatten();
    core.or_else(extended).or_else(|| {
        members.name_of("interpolation", &known);
        Some(Interpolation::Linear)
    })
}
