//! The same channels with other targets: an edit of the JSON that leaves samplers and their data alone.

use crate::{
    Animation, Document, Finding, Interpolation, Result, Severity, Target, Targets, Track,
    document::{Edit, json::to_index},
    extensions::{self, animation_pointer, animation2, sqlerp},
    object_model::{Pointer, Registry, is_extras},
    read,
    write::merged,
};
use serde_json::{Map, Value, json};

/// The document with the targets of its channels in another way. What that way cannot say stays, in the ratified form
/// where it can.
pub(super) fn readdress(document: &Document, targets: Targets, findings: &mut Vec<Finding>) -> Result<Document> {
    let mut edit = document.edit();
    let animations = read(document)?.animations;
    for animation in animations.iter().filter(|animation| !animation.tracks.is_empty()) {
        let at = format!("/animations/{}/channels", animation.index);
        let object = &mut edit.json()["animations"][animation.index];
        let mut needed = extensions::move_to_core(object);
        let mut channels = Vec::new();
        for (index, channel) in object["channels"].as_array().into_iter().flatten().enumerate() {
            let tracks: Vec<&Track> = animation.tracks.iter().filter(|track| track.source.channel == index).collect();
            if tracks.is_empty() {
                channels.push(channel.clone());
            }
            for track in tracks {
                let (way, doubt) = way(document, track, targets);
                findings.extend(doubt.map(|doubt| doubt.finding(&at, track)));
                needed.extend(extension(way));
                channels.push(addressed(channel, &track.target, way));
            }
        }
        object["channels"] = Value::Array(channels);
        needed.into_iter().for_each(|name| edit.declare(name, false));
    }
    if targets != Targets::Animation2 {
        name_cubic(&mut edit, &animations);
    }
    extensions::tidy(edit.json());
    edit.finish()
}

fn extension(way: Option<Targets>) -> Option<&'static str> {
    match way {
        Some(Targets::Pointer) => Some(animation_pointer::NAME),
        Some(Targets::Animation2) => Some(animation2::NAME),
        _ => None,
    }
}

/// What is to be said about an address.
struct Doubt {
    severity: Severity,
    code: &'static str,
    what: &'static str,
}

impl Doubt {
    fn finding(self, channels: &str, track: &Track) -> Finding {
        let at = format!("{channels}/{}", track.source.channel);
        let message = format!("{} {}", track.target, self.what);
        Finding { severity: self.severity, code: self.code, at, message }
    }
}

fn unsaid(what: &'static str) -> Option<Doubt> {
    Some(Doubt { severity: Severity::Warning, code: "TARGET_NOT_CONVERTED", what })
}

/// The way in which a target will be addressed, `None` for as it is; and what is to be said about that.
fn way(document: &Document, track: &Track, wanted: Targets) -> (Option<Targets>, Option<Doubt>) {
    let target = &track.target;
    let part = target.is_one_axis() || is_component(document.registry(), target);
    match wanted {
        Targets::Animation2 if !may_hold(document, track) && part => {
            (None, unsaid("is stored as integers that the draft's table does not list; it stays as it is"))
        }
        Targets::Animation2 if !may_hold(document, track) => {
            let what =
                "is stored as integers that the draft's table does not list; it is addressed by KHR_animation_pointer";
            (Some(Targets::Pointer), unsaid(what))
        }
        Targets::Animation2 if is_in_draft(document.registry(), target) => (Some(wanted), None),
        Targets::Animation2 => {
            let what = "is not in the draft's table; readers of the draft may not know it";
            (Some(wanted), Some(Doubt { severity: Severity::Hint, code: "POINTER_NOT_IN_DRAFT", what }))
        }
        _ if part => (None, unsaid("is one component alone, which only drafts can address; it stays as it is")),
        Targets::Core => match target {
            Target::Node { node, .. } if has_matrix(document, *node) => {
                (Some(Targets::Pointer), unsaid("cannot be said in core: the node has a matrix; it is a pointer"))
            }
            Target::Node { .. } => (Some(wanted), None),
            Target::Pointer { .. } => (Some(Targets::Pointer), unsaid("cannot be said in core; it is a pointer")),
        },
        Targets::Pointer | Targets::PropertyAnimation => (Some(Targets::Pointer), None),
    }
}

/// Whether the draft's table takes a track's values as they are stored.
fn may_hold(document: &Document, track: &Track) -> bool {
    let Ok(pointer) = Pointer::parse(track.target.pointer()) else { return true };
    let (found, output) = (document.registry().find(&pointer), document.accessor(track.source.output));
    found.zip(output.ok()).is_none_or(|(found, output)| animation2::may_hold(found.row, &output))
}

pub(crate) fn has_matrix(document: &Document, node: usize) -> bool {
    document.element("nodes", node).is_ok_and(|node| node.get("matrix").is_some())
}

/// Whether a pointer means one component of a vector, which only drafts can address. Single weights are properties of
/// their own.
pub(crate) fn is_component(registry: &Registry, target: &Target) -> bool {
    let Target::Pointer { pointer, .. } = target else { return false };
    let found = Pointer::parse(pointer.as_str()).ok();
    found.and_then(|pointer| registry.find(&pointer)?.component).is_some()
}

fn is_in_draft(registry: &Registry, target: &Target) -> bool {
    let Ok(pointer) = Pointer::parse(target.pointer()) else { return false };
    let row = registry.find(&pointer).map(|found| found.row);
    is_extras(&pointer) || row.is_some_and(animation2::lists)
}

/// A channel with a target in another way; members that no way knows stay.
fn addressed(channel: &Value, target: &Target, way: Option<Targets>) -> Value {
    let new = match (way, target) {
        (None, _) => return channel.clone(),
        (Some(Targets::Core), Target::Node { node, property, .. }) => {
            Map::from_iter([("node".into(), json!(node)), ("path".into(), json!(property.name()))])
        }
        (Some(Targets::Animation2), _) => animation2::target(&target.pointer()),
        _ => animation_pointer::target(&target.pointer()),
    };
    let mut channel = channel.clone();
    channel["target"] = Value::Object(merged(channel.get("target"), &["node", "path"], new));
    channel
}

/// `CUBIC` is a name of the KHR_animation2 draft. Elsewhere the same curve of rotations is EXT_animation_sqlerp's,
/// whose channels name their sampler themselves; any other is core's spline.
fn name_cubic(edit: &mut Edit<'_>, animations: &[Animation]) {
    let mut renamed = false;
    for (object, animation) in list(edit.json(), "animations").zip(animations) {
        let named: Vec<Option<Interpolation>> =
            list(object, "samplers").enumerate().map(|(i, s)| cubic(s, i, animation)).collect();
        let of = |index: &Value| to_index(index).and_then(|i| *named.get(i)?);
        for channel in list(object, "channels").filter_map(Value::as_object_mut) {
            if channel.get("sampler").and_then(of) != Some(Interpolation::CubicSlerp) {
                continue;
            }
            // Extensions that are no object have no room for another one: such a channel is broken, and stays so.
            if let Value::Object(extensions) = channel.entry("extensions").or_insert_with(|| json!({})) {
                extensions.insert(sqlerp::NAME.into(), json!({}));
                let sampler = channel.shift_remove("sampler");
                channel["extensions"][sqlerp::NAME] = json!({ "sampler": sampler });
                renamed = true;
            }
        }
        for (sampler, name) in list(object, "samplers").zip(named) {
            if let (Some(sampler), Some(interpolation)) = (sampler.as_object_mut(), name) {
                sampler.insert("interpolation".into(), json!(interpolation.name()));
            }
        }
    }
    if renamed {
        edit.declare(sqlerp::NAME, true);
    }
}

/// What a sampler that is called `CUBIC` was read as.
fn cubic(sampler: &Value, index: usize, animation: &Animation) -> Option<Interpolation> {
    let mut tracks = animation.tracks.iter().filter(|track| track.source.sampler == index);
    let read = tracks.next().map_or(Interpolation::CubicSlerp, |track| track.curve.interpolation());
    (sampler.get("interpolation").and_then(Value::as_str) == Some("CUBIC")).then_some(read)
}

/// The elements of an array member; none where there is no such array.
fn list<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}
