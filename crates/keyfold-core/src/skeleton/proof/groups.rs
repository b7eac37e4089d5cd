//! Groups of probes that no moving node connects, in either motion. A group is compared at the times of its
//! own keys. If many things move independently (debris, a crowd), comparing all nodes at all keys would be
//! far too much work.

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
    /// By node of this hierarchy: its index in the whole one.
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

    /// The index in this hierarchy of a node of the whole one.
    pub(super) fn number(&self, node: usize) -> usize {
        self.number[&node]
    }
}
