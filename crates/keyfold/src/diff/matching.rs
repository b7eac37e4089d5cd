//! Which node, animation, material and so on of one file is which of the other's.
//!
//! Files may have their nodes in another order, some more or some fewer, many of one name, or no names at all: gltfpack writes
//! nodes for meshes before all others, drops what nothing needs and, unless told otherwise, all names. Where two nodes' names
//! differ, they are never twins. In this order, each step among what the steps before left:
//!
//! 1. The same names, parents and rest poses in the same places: nothing was moved, and every node is itself.
//! 2. Names that are there once in either file.
//! 3. From the roots down: the children of twins that have the same name, or both none.
//! 4. Names that are there several times, and from the roots down once more, now also where one of the files lost the name.
//!
//! Where several may be each other's twins, `looks` tell them apart.

use super::{
    Side,
    looks::{Looks, Moments, of_curve},
    twins::{Twins, groups},
};
use crate::{Animation, Document, Target, document::Look};

/// Up to so many nodes that look alike are paired by how near their poses are, more in their order.
const NEAREST: usize = 256;
/// Poses whose numbers lie apart by less than this, squared and added up, are the same.
const SAME: f64 = 1e-9;
/// What pointers lead into, besides nodes.
const LISTS: [&str; 5] = ["materials", "meshes", "cameras", "textures", LIGHTS];
const LIGHTS: &str = "extensions/KHR_lights_punctual/lights";

/// What of the second file answers to what of the first.
pub(super) struct Matching {
    pub nodes: Twins,
    pub animations: Twins,
    lists: Vec<(&'static str, Twins)>,
}

impl Matching {
    pub(super) fn new(a: &Side<'_>, b: &Side<'_>) -> Self {
        let lists = LISTS.map(|list| (list, listed(a.document, b.document, list)));
        let mut matching = Self { nodes: nodes(a, b), animations: Twins::none(0, 0), lists: lists.into() };
        let back = |target: &Target| matching.target_back(target);
        matching.animations = animations(&a.read.animations, &b.read.animations, back);
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

/// A target with the index of what it drives replaced by what `twin` says of the list and the index.
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

/// The list that a pointer leads into, the index there, and what follows it.
fn taken_apart(pointer: &str) -> Option<(&str, usize, &str)> {
    let pointer = pointer.strip_prefix('/')?;
    let list =
        LISTS.iter().chain(&["nodes"]).find(|list| pointer.strip_prefix(**list).is_some_and(|p| p.starts_with('/')))?;
    let inside = &pointer[list.len() + 1..];
    let end = inside.find('/').unwrap_or(inside.len());
    Some((&pointer[..list.len()], inside[..end].parse().ok()?, &inside[end..]))
}

/// What of a list answers to what: by name, else by index.
fn listed(a: &Document, b: &Document, list: &str) -> Twins {
    let names = |document: &Document| -> Vec<Option<String>> {
        let mut steps = list.split('/');
        let first = steps.next().and_then(|step| document.root().get(step));
        let things = steps.fold(first, |look, step| look?.get(step)).and_then(|look| look.as_array());
        let name = |thing: Look<'_>| thing.get("name").and_then(|n| n.as_str()).map(str::to_owned);
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

/// The animations that are certainly each other's: of a name or a length that is there once in either file.
fn certain_animations(a: &[Animation], b: &[Animation]) -> Twins {
    let mut twins = Twins::none(a.len(), b.len());
    twins.pair_by_key(1, |i| Some(&a[i].name), |i| Some(&b[i].name));
    let length = |x: &Animation| x.duration().to_bits();
    twins.pair_by_key(1, |i| Some((&a[i].name, length(&a[i]))), |i| Some((&b[i].name, length(&b[i]))));
    twins
}

/// For each animation of `a` its twin in `b`: by name; of several those that drive the same things by the same
/// curves, the same things, or as long. Where a name is in one file only, by place if the files have as many.
fn animations(a: &[Animation], b: &[Animation], back: impl Fn(&Target) -> Option<Target>) -> Twins {
    let mut twins = Twins::none(a.len(), b.len());
    twins.pair_by_key(1, |i| Some(&a[i].name), |i| Some(&b[i].name));
    if twins.alone().is_empty() {
        return twins;
    }
    let all = usize::MAX;
    let mine: Vec<_> = a.iter().map(|x| Content::new(x, |t| Some(t.clone()))).collect();
    let theirs: Vec<_> = b.iter().map(|x| Content::new(x, &back)).collect();
    twins.pair_by_key(all, |i| Some((&a[i].name, &mine[i])), |i| Some((&b[i].name, &theirs[i])));
    let key = |x: &Content| (x.targets.clone(), x.length);
    twins.pair_by_key(all, |i| Some((&a[i].name, key(&mine[i]))), |i| Some((&b[i].name, key(&theirs[i]))));
    twins.pair_by_key(all, |i| Some((&a[i].name, &mine[i].targets)), |i| Some((&b[i].name, &theirs[i].targets)));
    twins.pair_by_key(all, |i| Some((&a[i].name, mine[i].length)), |i| Some((&b[i].name, theirs[i].length)));
    twins.pair_by_key(all, |i| Some(&a[i].name), |i| Some(&b[i].name));
    for index in (0..a.len().min(b.len())).filter(|i| a[*i].name == b[*i].name || a.len() == b.len()) {
        twins.pair(index, index);
    }
    twins
}

/// What an animation drives, by which curves and how long.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    targets: Vec<Option<Target>>,
    curves: Vec<u64>,
    length: u32,
}

impl Content {
    /// That, with what is driven as `name` calls it.
    fn new(animation: &Animation, name: impl Fn(&Target) -> Option<Target>) -> Self {
        let mut tracks: Vec<_> = animation.tracks.iter().map(|t| (name(&t.target), of_curve(&t.curve))).collect();
        tracks.sort_unstable();
        let (targets, curves) = tracks.into_iter().unzip();
        Self { targets, curves, length: animation.duration().to_bits() }
    }
}

/// For each node of `a` its twin in `b`.
fn nodes(a: &Side<'_>, b: &Side<'_>) -> Twins {
    if unmoved(a, b) {
        return Twins::same(a.scene.skeleton().len());
    }
    let animations = certain_animations(&a.read.animations, &b.read.animations);
    let pairs = || animations.all().iter().enumerate().filter_map(|(i, twin)| Some((i, (*twin)?)));
    let mine: Vec<&Animation> = pairs().map(|(i, _)| &a.read.animations[i]).collect();
    let theirs: Vec<&Animation> = pairs().map(|(_, i)| &b.read.animations[i]).collect();
    let size = a.scene.model_size();
    let (a, b) = (Looks::new(a, &mine, size), Looks::new(b, &theirs, size));
    let mut twins = Twins::none(a.skeleton().len(), b.skeleton().len());
    twins.pair_by_key(1, |n| a.name(n), |n| b.name(n));
    let mut search = Search { moments: a.moments(), a, b, twins };
    search.down(false);
    search.repeated_names();
    search.down(true);
    search.twins
}

/// Whether all nodes have the same names, parents and rest poses in the same places.
fn unmoved(a: &Side<'_>, b: &Side<'_>) -> bool {
    let (one, other) = (a.scene.skeleton(), b.scene.skeleton());
    let same = |n: usize| {
        a.scene.name(n) == b.scene.name(n)
            && one.parent(n) == other.parent(n)
            && one.rest_local(n) == other.rest_local(n)
    };
    one.len() == other.len() && (0..one.len()).all(same)
}

struct Search<'a> {
    a: Looks<'a>,
    b: Looks<'a>,
    moments: Vec<Moments>,
    twins: Twins,
}

impl Search<'_> {
    fn repeated_names(&mut self) {
        let (mine, theirs) = (self.twins.alone(), self.twins.left());
        let named: Vec<_> = groups(&mine, |n| self.a.name(n), &theirs, |n| self.b.name(n)).collect();
        named.into_iter().for_each(|group| self.pair_alike(group, true));
    }

    /// Pairs roots, then the children of twins; `lost`: also where only one of the two has a name.
    fn down(&mut self, lost: bool) {
        let roots = |looks: &Looks<'_>| -> Vec<usize> {
            let skeleton = looks.skeleton();
            (0..skeleton.len()).filter(|n| skeleton.parent(*n).is_none()).collect()
        };
        self.siblings(&roots(&self.a), &roots(&self.b), lost);
        for node in self.a.skeleton().order() {
            if let Some(twin) = self.twins.of(*node) {
                self.siblings(self.a.skeleton().children(*node), self.b.skeleton().children(twin), lost);
            }
        }
    }

    fn siblings(&mut self, mine: &[usize], theirs: &[usize], lost: bool) {
        let (mine, theirs) = self.twins.free(mine, theirs);
        let same: Vec<_> = groups(&mine, |n| Some(self.a.name(n)), &theirs, |n| Some(self.b.name(n))).collect();
        same.into_iter().for_each(|group| self.pair_alike(group, true));
        if lost {
            let unnamed = |looks: &Looks<'_>, nodes: &[usize]| -> Vec<usize> {
                nodes.iter().copied().filter(|n| looks.name(*n).is_none()).collect()
            };
            self.pair_alike((mine.clone(), unnamed(&self.b, &theirs)), false);
            self.pair_alike((unnamed(&self.a, &mine), theirs), false);
        }
    }

    /// Pairs nodes that may be each other's twins by how they look; `all`: in the end also those that do not look alike.
    fn pair_alike(&mut self, group: (Vec<usize>, Vec<usize>), all: bool) {
        self.pair_nearest(&group, |looks, n| looks.digest(n));
        self.pair_nearest(&group, |looks, n| (looks.rest(n), looks.driven(n).0.to_vec(), looks.driven(n).1));
        self.pair_nearest(&group, |looks, n| looks.rest(n));
        if all {
            self.pair_nearest(&group, |_, _| ());
        }
    }

    /// Pairs what has the same key, where both sides have as many with it: those first whose poses are nearest.
    fn pair_nearest<K: Ord>(
        &mut self,
        (mine, theirs): &(Vec<usize>, Vec<usize>),
        key: impl Fn(&Looks<'_>, usize) -> K,
    ) {
        let (mine, theirs) = self.twins.free(mine, theirs);
        let alike: Vec<_> = groups(&mine, |n| Some(key(&self.a, n)), &theirs, |n| Some(key(&self.b, n))).collect();
        for (mine, theirs) in alike.into_iter().filter(|(m, t)| m.len() == t.len()) {
            if (2..=NEAREST).contains(&mine.len()) {
                self.nearest_first(&mine, &theirs);
            }
            mine.iter().zip(&theirs).for_each(|(m, t)| self.twins.pair(*m, *t));
        }
    }

    fn nearest_first(&mut self, mine: &[usize], theirs: &[usize]) {
        let a: Vec<_> = mine.iter().map(|n| self.a.poses(*n, &self.moments)).collect();
        let b: Vec<_> = theirs.iter().map(|n| self.b.poses(*n, &self.moments)).collect();
        let distance = |i: usize, j: usize| {
            let sum = a[i].iter().zip(&b[j]).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            if sum < SAME { 0.0 } else { sum }
        };
        let every = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)));
        let mut pairs: Vec<_> = every.map(|(i, j)| (distance(i, j), i.abs_diff(j), i, j)).collect();
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        pairs.into_iter().for_each(|(_, _, i, j)| self.twins.pair(mine[i], theirs[j]));
    }
}
