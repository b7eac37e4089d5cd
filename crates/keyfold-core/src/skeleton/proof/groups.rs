//! Probes in groups that no moving node connects, in neither motion: a group is compared at the times of its own keys.
//! Where many things move on their own (debris, a crowd), all keys times all nodes would be far too much.

use super::super::{Motion, Probe, Skeleton};
use alloc::{collections::BTreeMap, vec::Vec};
use core::iter::successors;

/// The probes of each group, by index.
pub(super) fn groups(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe]) -> Vec<Vec<usize>> {
    let [parts, others] = [a, b].map(|motion| motion.skeleton().parts(|node| motion.animates(node)));
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, probe) in probes.iter().enumerate() {
        groups.entry((parts[probe.a], others[probe.b])).or_default().push(index);
    }
    groups.into_values().collect()
}

/// Nodes with all their ancestors, in a hierarchy of their own.
pub(super) struct Chains {
    pub(super) skeleton: Skeleton,
    /// By node of the hierarchy: its number in the whole one.
    pub(super) nodes: Vec<usize>,
    number: BTreeMap<usize, usize>,
}

impl Chains {
    pub(super) fn new(skeleton: &Skeleton, of: impl Iterator<Item = usize>) -> Self {
        let (mut nodes, mut number) = (Vec::new(), BTreeMap::new());
        for node in of {
            for node in successors(Some(node), |node| skeleton.parent(*node)) {
                if number.contains_key(&node) {
                    break;
                }
                number.insert(node, nodes.len());
                nodes.push(node);
            }
        }
        Self { skeleton: skeleton.part(&nodes), nodes, number }
    }

    /// The number of a node of the whole hierarchy.
    pub(super) fn number(&self, node: usize) -> usize {
        self.number[&node]
    }
}
