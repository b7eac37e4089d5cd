//! Pairs the nodes of two files.
//!
//! The second file may have its nodes in another order, more or fewer nodes, repeated names, or no names.
//! gltfpack writes mesh nodes before all others, drops what nothing needs and, by default, all names. Nodes
//! with different names are never paired. The steps, each among the nodes that remain:
//!
//! 1. If all nodes have the same names, parents and rest poses at the same indices, each is its own twin.
//! 2. Names that are unique in both files.
//! 3. From the roots down: children of twins with the same name, or both without one.
//! 4. Names that are repeated, then from the roots down again, now also if one file lost the name.
//!
//! Among several candidates, their looks decide.

use super::{
    animations,
    looks::{Looks, Moments, apart},
    twins::{Twins, groups},
};
use crate::{Animation, diff::Side};

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

/// Whether all nodes have the same names, parents and rest poses at the same indices.
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

    /// Pairs roots, then the children of twins. With `lost`, also nodes of which only one has a name.
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

    /// Pairs the nodes of a group by their looks. With `all`, those that remain are paired as well.
    fn pair_alike(&mut self, group: (Vec<usize>, Vec<usize>), all: bool) {
        self.pair_nearest(&group, |looks, n| looks.digest(n));
        self.pair_nearest(&group, |looks, n| (looks.rest(n), looks.driven(n).0.to_vec(), looks.driven(n).1));
        self.pair_nearest(&group, |looks, n| looks.rest(n));
        if all {
            self.pair_nearest(&group, |_, _| ());
        }
    }

    /// Pairs nodes with equal keys, the closest poses first, if both files have as many of a key.
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
