//! The hierarchy that animations move: references resolve, nodes form trees, skins fit them.

use super::{
    Findings,
    khronos::{
        INVALID_IBM_ACCESSOR_COUNT, MESH_INVALID_WEIGHTS_COUNT, NODE_LOOP, NODE_PARENT_OVERRIDE,
        NODE_SKIN_WITH_NON_SKINNED_MESH, NODE_WEIGHTS_INVALID, SCENE_NON_ROOT_NODE, SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE,
        SKIN_IBM_INVALID_FORMAT, SKIN_NO_COMMON_ROOT, SKIN_SKELETON_INVALID, UNRESOLVED_REFERENCE, UNUSED_OBJECT,
    },
    model::{Mesh, Model, Node, Skin, resolve},
};
use crate::{
    document::{ComponentType, Shape},
    object_model::references::{Collection, unreferenced},
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    for (i, mesh) in model.meshes.iter().enumerate() {
        if let Some(mesh) = mesh {
            check_mesh(model, i, mesh, findings);
        }
    }
    for (i, node) in model.nodes.iter().enumerate() {
        if let Some(node) = node {
            check_node(model, &format!("/nodes/{i}"), node, findings);
        }
    }
    let parents = parents(model, findings);
    check_loops(&parents, findings);
    for (i, skin) in model.skins.iter().enumerate() {
        if let Some(skin) = skin {
            check_skin(model, &format!("/skins/{i}"), skin, &parents, findings);
        }
    }
    check_scenes(model, &parents, findings);
    for (collection, name) in [(Collection::Accessors, "accessors"), (Collection::BufferViews, "bufferViews")] {
        for i in unreferenced(model.document.json(), collection) {
            findings.add(&UNUSED_OBJECT, format!("/{name}/{i}"), "nothing refers to it");
        }
    }
}

fn check_mesh(model: &Model<'_>, index: usize, mesh: &Mesh, findings: &mut Findings) {
    if let Some((weights, targets)) = mesh.weights.zip(mesh.primitives.as_ref().map(|_| mesh.targets().unwrap_or(0)))
        && weights != targets
    {
        let message = format!("{weights} weights for {targets} morph targets");
        findings.add(&MESH_INVALID_WEIGHTS_COUNT, format!("/meshes/{index}/weights"), message);
    }
    for (j, primitive) in mesh.primitives.iter().flatten().enumerate() {
        let at = |step: &str| format!("/meshes/{index}/primitives/{j}/{step}");
        for (step, accessor) in &primitive.attributes {
            resolve(&model.accessors, Some(*accessor), || at(step), findings);
        }
        resolve(&model.accessors, primitive.indices, || at("indices"), findings);
    }
}

fn check_node(model: &Model<'_>, at: &str, node: &Node, findings: &mut Findings) {
    resolve(&model.meshes, node.mesh, || format!("{at}/mesh"), findings);
    resolve(&model.skins, node.skin, || format!("{at}/skin"), findings);
    if let Some(camera) = node.camera.filter(|camera| *camera >= model.cameras) {
        findings.add(&UNRESOLVED_REFERENCE, format!("{at}/camera"), format!("camera {camera} does not exist"));
    }
    let Some(mesh) = model.mesh_of(node) else { return };
    let Some(primitives) = &mesh.primitives else { return };
    let targets = mesh.targets().unwrap_or(0);
    if let Some(weights) = node.weights.filter(|weights| *weights != targets) {
        let message = format!("{weights} weights for {targets} morph targets");
        findings.add(&NODE_WEIGHTS_INVALID, format!("{at}/weights"), message);
    }
    let skinned = primitives.iter().flat_map(|p| &p.attributes).any(|(step, _)| step.starts_with("attributes/JOINTS_"));
    if !skinned && node.skin.is_some_and(|skin| model.skins.get(skin).is_some_and(Option::is_some)) {
        findings.add(&NODE_SKIN_WITH_NON_SKINNED_MESH, at, "a skin, and a mesh without joints");
    }
}

/// The parent of each node; the last one counts where there are several.
fn parents(model: &Model<'_>, findings: &mut Findings) -> Vec<Option<usize>> {
    let mut parents = vec![None; model.nodes.len()];
    for (i, node) in model.nodes.iter().enumerate() {
        for (j, child) in node.iter().flat_map(|node| &node.children).enumerate() {
            let at = || format!("/nodes/{i}/children/{j}");
            resolve(&model.nodes, *child, at, findings);
            let Some(child) = child.filter(|child| model.node(*child).is_some()) else { continue };
            if parents[child].replace(i).is_some() {
                findings.add(&NODE_PARENT_OVERRIDE, at(), format!("node {child} has another parent already"));
            }
        }
    }
    parents
}

fn check_loops(parents: &[Option<usize>], findings: &mut Findings) {
    // A node is done once its way up is known to end, so that deep chains are walked once.
    let mut done = vec![false; parents.len()];
    let mut looping = BTreeSet::new();
    for start in 0..parents.len() {
        let mut way = Vec::new();
        let mut seen = BTreeSet::new();
        let mut node = Some(start);
        while let Some(n) = node.filter(|n| !done[*n]) {
            if !seen.insert(n) {
                looping.extend(way.iter().copied().skip_while(|other| *other != n));
                break;
            }
            way.push(n);
            node = parents[n];
        }
        way.into_iter().for_each(|n| done[n] = true);
    }
    for node in looping {
        findings.add(&NODE_LOOP, format!("/nodes/{node}"), "the node is its own ancestor");
    }
}

/// The nodes that all of some nodes are, or descend from; every node is passed once, however many joints there are.
fn common_ancestors(parents: &[Option<usize>], mut nodes: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    let Some(first) = nodes.next() else { return BTreeSet::new() };
    // How far up the first node's line each node meets it.
    let mut meets: BTreeMap<usize, usize> = BTreeMap::new();
    let mut line = Vec::new();
    let mut next = Some(first);
    while let Some(node) = next.filter(|node| !meets.contains_key(node)) {
        meets.insert(node, line.len());
        line.push(node);
        next = parents[node];
    }
    let mut highest = 0;
    for start in nodes {
        let mut way = BTreeSet::new();
        let mut next = Some(start);
        while let Some(node) = next.filter(|node| !meets.contains_key(node) && way.insert(*node)) {
            next = parents[node];
        }
        let Some(&met) = next.and_then(|node| meets.get(&node)) else { return BTreeSet::new() };
        meets.extend(way.into_iter().map(|node| (node, met)));
        highest = highest.max(met);
    }
    line.split_off(highest).into_iter().collect()
}

fn check_skin(model: &Model<'_>, at: &str, skin: &Skin, parents: &[Option<usize>], findings: &mut Findings) {
    for (j, joint) in skin.joints.iter().flatten().enumerate() {
        resolve(&model.nodes, *joint, || format!("{at}/joints/{j}"), findings);
    }
    let joints = skin.joints.iter().flatten().filter_map(|joint| joint.filter(|joint| model.node(*joint).is_some()));
    let common = common_ancestors(parents, joints);
    if skin.joints.is_some() && common.is_empty() {
        findings.add(&SKIN_NO_COMMON_ROOT, format!("{at}/joints"), "the joints have no common root");
    }
    resolve(&model.nodes, skin.skeleton, || format!("{at}/skeleton"), findings);
    if let Some(skeleton) = skin.skeleton.filter(|n| model.node(*n).is_some() && !common.contains(n)) {
        findings.add(
            &SKIN_SKELETON_INVALID,
            format!("{at}/skeleton"),
            format!("node {skeleton} is not above all joints"),
        );
    }
    check_matrices(model, &format!("{at}/inverseBindMatrices"), skin, findings);
}

fn check_matrices(model: &Model<'_>, at: &str, skin: &Skin, findings: &mut Findings) {
    resolve(&model.accessors, skin.matrices, || at.to_owned(), findings);
    let Some(matrices) = skin.matrices.and_then(|i| model.accessor(i)) else { return };
    if matrices.view.and_then(|i| model.view(i)).is_some_and(|view| view.stride.is_some()) {
        findings.add(&SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE, at, "bind matrices are tightly packed: no byteStride");
    }
    if (matrices.shape, matrices.component, matrices.normalized) != (Some(Shape::Mat4), Some(ComponentType::F32), false)
    {
        let message = format!("bind matrices are {}, where {{MAT4, FLOAT}} is expected", matrices.format());
        findings.add(&SKIN_IBM_INVALID_FORMAT, at, message);
    }
    if let (Some(joints), Some(count)) = (&skin.joints, matrices.count)
        && count < joints.len()
    {
        let message = format!("{count} bind matrices for {} joints", joints.len());
        findings.add(&INVALID_IBM_ACCESSOR_COUNT, at, message);
    }
}

fn check_scenes(model: &Model<'_>, parents: &[Option<usize>], findings: &mut Findings) {
    resolve(&model.scenes, model.scene, || "/scene".into(), findings);
    for (i, scene) in model.scenes.iter().enumerate() {
        for (j, node) in scene.iter().flatten().enumerate() {
            let at = || format!("/scenes/{i}/nodes/{j}");
            resolve(&model.nodes, *node, at, findings);
            if let Some(node) = node.filter(|node| parents.get(*node).is_some_and(Option::is_some)) {
                findings.add(&SCENE_NON_ROOT_NODE, at(), format!("node {node} has a parent"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ancestors_are_those_of_all() {
        // 0 has the children 1 and 2, 1 has 3 and 4; 5 stands alone, 6 and 7 are each other's parents.
        let parents = [None, Some(0), Some(0), Some(1), Some(1), None, Some(7), Some(6)];
        let of = |nodes: &[usize]| common_ancestors(&parents, nodes.iter().copied()).into_iter().collect::<Vec<_>>();
        assert_eq!(of(&[3]), [0, 1, 3]);
        assert_eq!(of(&[3, 4]), [0, 1]);
        assert_eq!(of(&[3, 1]), [0, 1]);
        assert_eq!(of(&[4, 3, 2]), [0]);
        assert_eq!(of(&[4, 5, 2]), [0usize; 0]);
        assert_eq!(of(&[5, 4]), [0usize; 0]);
        assert!(of(&[6, 6]).contains(&7));
        assert_eq!(of(&[]), [0usize; 0]);
    }
}
