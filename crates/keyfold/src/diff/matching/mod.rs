//! Pairs the objects of two files. Nodes (`nodes`) come first, animations (`animations`) are told apart by
//! what they drive, and everything else is paired by name or index.

mod animations;
mod looks;
mod nodes;
mod twins;

pub(super) use twins::Twins;

use super::Side;
use crate::{Document, Target, document::JsonRef, object_model::array_index};

/// The lists that pointers lead into, besides nodes.
const LISTS: [&str; 5] = ["materials", "meshes", "cameras", "textures", LIGHTS];
const LIGHTS: &str = "extensions/KHR_lights_punctual/lights";

/// The pairs of corresponding objects in two files.
pub(super) struct Matching {
    pub nodes: Twins,
    pub animations: Twins,
    lists: Vec<(&'static str, Twins)>,
}

impl Matching {
    pub(super) fn new(a: &Side<'_>, b: &Side<'_>) -> Self {
        let lists = LISTS.map(|list| (list, listed(a.document, b.document, list)));
        let mut matching = Self { nodes: nodes::twins(a, b), animations: Twins::none(0, 0), lists: lists.into() };
        let back = |target: &Target| matching.target_back(target);
        matching.animations = animations::twins(&a.read.animations, &b.read.animations, back);
        matching
    }

    /// The second file's target for one of the first file's.
    pub(super) fn target(&self, target: &Target) -> Option<Target> {
        renumbered(target, |list, index| self.twins(list).map_or(Some(index), |twins| twins.of(index)))
    }

    /// The first file's target for one of the second file's.
    pub(super) fn target_back(&self, target: &Target) -> Option<Target> {
        renumbered(target, |list, index| self.twins(list).map_or(Some(index), |twins| twins.whose(index)))
    }

    fn twins(&self, list: &str) -> Option<&Twins> {
        let named = || self.lists.iter().find(|(name, _)| *name == list).map(|(_, twins)| twins);
        if list == "nodes" { Some(&self.nodes) } else { named() }
    }
}

/// The target with its object's index replaced by `twin` of the list and the index.
fn renumbered(target: &Target, twin: impl Fn(&str, usize) -> Option<usize>) -> Option<Target> {
    match target {
        Target::Node { node, property, axis } => {
            twin("nodes", *node).map(|node| Target::Node { node, property: *property, axis: *axis })
        }
        Target::Pointer { pointer, kind } => {
            let Some((list, index, rest)) = taken_apart(pointer) else { return Some(target.clone()) };
            let twin = twin(list, index)?;
            Some(Target::Pointer { pointer: format!("/{list}/{twin}{rest}"), kind: *kind })
        }
    }
}

/// Splits a pointer into the list that it leads into, the index there, and the rest.
fn taken_apart(pointer: &str) -> Option<(&str, usize, &str)> {
    let pointer = pointer.strip_prefix('/')?;
    let list =
        LISTS.iter().chain(&["nodes"]).find(|list| pointer.strip_prefix(**list).is_some_and(|p| p.starts_with('/')))?;
    let inside = &pointer[list.len() + 1..];
    let end = inside.find('/').unwrap_or(inside.len());
    Some((&pointer[..list.len()], array_index(&inside[..end])?, &inside[end..]))
}

/// Pairs the objects of a list by name, else by index.
fn listed(a: &Document, b: &Document, list: &str) -> Twins {
    let names = |document: &Document| -> Vec<Option<String>> {
        let mut steps = list.split('/');
        let first = steps.next().and_then(|step| document.root().get(step));
        let things = steps.fold(first, |look, step| look?.get(step)).and_then(|look| look.as_array());
        let name = |thing: JsonRef<'_>| thing.get("name").and_then(|n| n.as_str()).map(str::to_owned);
        things.into_iter().flat_map(|list| list.iter()).map(name).collect()
    };
    let (a, b) = (names(a), names(b));
    if a == b {
        return Twins::same(a.len());
    }
    let mut twins = Twins::none(a.len(), b.len());
    twins.pair_by_key(usize::MAX, |i| a[i].as_deref(), |i| b[i].as_deref());
    for index in (0..a.len().min(b.len())).filter(|i| a[*i].is_none() || b[*i].is_none()) {
        twins.pair(index, index);
    }
    twins
}
