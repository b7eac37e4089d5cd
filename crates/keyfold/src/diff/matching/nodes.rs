//! Which node of one file is which of the other's.
//!
//! Files may have their nodes in another order, some more or some fewer, many of one name, or no names at all:
//! gltfpack writes nodes for meshes before all others, drops what nothing needs and, unless told otherwise, all
//! names. Where two nodes' names differ, they are never twins. In this order, each step among what the steps before
//! left:
//!
//! 1. The same names, parents and rest poses in the same places: nothing was moved, and every node is itself.
//! 2. Names that are there once in either file.
//! 3. From the roots down: the children of twins that have the same name, or both none.
//! 4. Names that are there several times, and from the roots down once more, now also where one of the files lost the
//!    name.
//!
//! Where several may be each other's twins, their looks tell them apart.

use super::{
    animations,
    looks::{Looks, Moments, apart},
    twins::{Twins, groups},
};
use crate::{Animation, diff::Side};

/// For each node of `a` its twin in `b`.
pub(super) fn twins(a: &Side<'_>, b: &Side<'_>) -> Twins {
    if unmoved(a, b) {
        return Twins::same(a.scene.skeleton().len());
    }
    let animations = animations::certain_twins(&a.read.animations, &b.read.animations);
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

    /// Pairs nodes that may be each other's twins by how they look; `all`: in the end also those that do not look
    /// alike.
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
            let a: Vec<_> = mine.iter().map(|n| self.a.poses(*n, &self.moments)).collect();
            let b: Vec<_> = theirs.iter().map(|n| self.b.poses(*n, &self.moments)).collect();
            self.twins.pair_nearest(&mine, &theirs, |i, j| apart(&a[i], &b[j]));
        }
    }
}
