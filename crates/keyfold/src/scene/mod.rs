//! A document's hierarchy as the core's skeleton, the size of its model, and the distance from each node at which
//! errors are measured.
//!
//! The model size is the diagonal of a box in rest pose. The box encloses the origins of all joints and of all nodes
//! that carry a mesh or are moved by an animation, and the bounds of unskinned meshes among them. If the diagonal is
//! zero, the model size is the longest way that an animated node travels, else 1. The probe radius of a node is
//! 3 % of the model's size or, if that is farther, the distance at rest of the farthest vertex that the node carries. `mesh`
//! reads meshes; one that cannot be read counts as none.

mod mesh;

use crate::{Animation, Bound, Document, Error, Property, Result, Target, diff::called, document::Object};
use keyfold_core::{
    quat,
    skeleton::{self, Affine, Bounds, Motion, Probe, Rest, Skeleton, Transform},
};
use mesh::Meshes;

/// The least probe radius, as a fraction of the model's size.
const LEAST: f64 = 0.03;

/// A document's hierarchy, model size and probe radii.
#[derive(Clone, Debug)]
pub struct Scene {
    skeleton: Skeleton,
    names: Vec<Option<String>>,
    model_size: f64,
    probe_radii: Vec<f64>,
}

/// A document's nodes and what they carry, whatever moves them.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    skeleton: Skeleton,
    names: Vec<Option<String>>,
    meshes: Meshes,
}

impl Hierarchy {
    fn read(document: &Document) -> Result<Self> {
        let skeleton = skeleton(document)?;
        let meshes = mesh::measure(document, &skeleton)?;
        Ok(Self { names: names(document)?, skeleton, meshes })
    }
}

impl Scene {
    /// The scene of a document that `animations` move, with probe radii by the rules above or, if given, one for all.
    pub fn new(document: &Document, animations: &[Animation], probe_radius: Option<Bound>) -> Result<Self> {
        let Hierarchy { skeleton, names, meshes } = &*document.known.hierarchy(|| Hierarchy::read(document))?;
        let animated = moved_by(skeleton, animations);
        // A mesh that is too much is not taken for one that cannot be read: the error would be measured elsewhere.
        document.account().check()?;
        let counts = |node: usize| meshes.joints[node] || meshes.carries[node] || animated[node];
        let model_size = skeleton::model_size(skeleton, counts, |node| meshes.bounds[node]);
        let (skeleton, names) = (skeleton.clone(), names.clone());
        let mut scene = Self { skeleton, names, model_size, probe_radii: meshes.farthest.clone() };
        scene.model_size = scene.size_or_travel(animations);
        scene.set_probe_radii(probe_radius);
        Ok(scene)
    }

    fn size_or_travel(&self, animations: &[Animation]) -> f64 {
        if self.model_size > 0.0 {
            return self.model_size;
        }
        let travel = animations.iter().map(|a| skeleton::travel(&self.motion(a))).fold(0.0, f64::max);
        if travel > 0.0 && travel.is_finite() { travel } else { 1.0 }
    }

    fn set_probe_radii(&mut self, probe_radius: Option<Bound>) {
        let least = LEAST * self.model_size;
        for farthest in &mut self.probe_radii {
            *farthest = probe_radius.map_or(farthest.max(least), |radius| radius.in_scene(self.model_size));
        }
    }

    /// The hierarchy with its rest pose.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Every node's local transform at rest, by index. A matrix that cannot be decomposed gets the nearest transform.
    pub fn rest_pose(&self) -> Vec<Transform> {
        (0..self.skeleton.len()).map(|node| *self.skeleton.rest(node)).collect()
    }

    /// A node's name, if it has one.
    pub fn name(&self, node: usize) -> Option<&str> {
        self.names[node].as_deref()
    }

    /// A target for people: with the name of its node, if that has one.
    pub(crate) fn titled(&self, target: &Target) -> String {
        let name = target.owner().and_then(|node| self.names.get(node)?.as_deref());
        format!("{target}{}", called(name))
    }

    /// The length that relative errors refer to.
    pub fn model_size(&self) -> f64 {
        self.model_size
    }

    /// The distance from a node's origin at which its error is measured, in scene units.
    pub fn probe_radius(&self, node: usize) -> f64 {
        self.probe_radii[node]
    }

    /// How far from each node's origin its error is looked at.
    pub(crate) fn probe_radii(&self) -> &[f64] {
        &self.probe_radii
    }

    /// An animation of this scene.
    pub fn motion<'a>(&'a self, animation: &'a Animation) -> Motion<'a> {
        Motion::new(&self.skeleton, animation.tracks.iter().filter_map(|t| core_track(&t.target, &t.curve)))
    }

    /// Probes on the nodes that `moved` marks.
    pub fn probes(&self, moved: &[bool]) -> Vec<Probe> {
        skeleton::probes(&self.skeleton, moved, |node| self.probe_radii[node])
    }

    /// What a target has at rest; nothing where it moves no node.
    pub(crate) fn rest_value(&self, target: &Target) -> Option<Vec<f64>> {
        let Target::Node { node, property, axis } = target else { return None };
        let rest = (*node < self.skeleton.len()).then(|| self.skeleton.rest(*node))?;
        let value = match property {
            Property::Translation => &rest.translation[..],
            Property::Rotation => &rest.rotation[..],
            Property::Scale => &rest.scale[..],
            Property::Weights => return None,
        };
        Some(axis.map_or_else(|| value.to_vec(), |axis| vec![value[axis as usize]]))
    }
}

/// A track as the core's skeleton takes it; `None` if it moves no node.
pub(crate) fn core_track<'a>(target: &Target, curve: &'a crate::Curve) -> Option<skeleton::Track<'a>> {
    let Target::Node { node, property, axis } = target else { return None };
    let property = match property {
        Property::Translation => skeleton::Property::Translation,
        Property::Rotation => skeleton::Property::Rotation,
        Property::Scale => skeleton::Property::Scale,
        Property::Weights => return None,
    };
    Some(skeleton::Track { node: *node, property, axis: axis.map(|a| a as usize), curve })
}

fn moved_by(skeleton: &Skeleton, animations: &[Animation]) -> Vec<bool> {
    let mut animated = vec![false; skeleton.len()];
    for node in animations.iter().flat_map(|a| &a.tracks).filter_map(|t| t.target.moved_node()) {
        if let Some(flag) = animated.get_mut(node) {
            *flag = true;
        }
    }
    skeleton.moved(|node| animated[node])
}

fn skeleton(document: &Document) -> Result<Skeleton> {
    let count = document.count("nodes");
    let (mut parents, mut rest) = (vec![None; count], Vec::with_capacity(count));
    for (index, node) in document.root().objects("nodes")?.enumerate() {
        let node = node?;
        for child in node.array("children")?.iter() {
            let Some(parent) = child.as_index().and_then(|c| parents.get_mut(c)) else {
                let what = format!("child {child} does not exist; there are {count} nodes");
                return Err(Error::malformed(node.place("children"), what));
            };
            // Of two parents, which glTF forbids, the first counts.
            parent.get_or_insert(index);
        }
        rest.push(rest_pose(&node)?);
    }
    Skeleton::new(parents, &rest).map_err(|e| Error::malformed("/nodes", e.to_string()))
}

fn names(document: &Document) -> Result<Vec<Option<String>>> {
    let root = document.root();
    let nodes = root.objects("nodes")?;
    nodes.map(|node| Ok(node?.get("name").and_then(|n| n.as_str()).map(str::to_owned))).collect()
}

fn rest_pose(node: &Object<'_>) -> Result<Rest> {
    if let Some(matrix) = fixed::<16>(node, "matrix")? {
        return Ok(Rest::Matrix(Affine::from_columns(&matrix)));
    }
    Ok(Rest::Transform(Transform {
        translation: fixed(node, "translation")?.unwrap_or([0.0; 3]),
        rotation: fixed(node, "rotation")?.map_or(quat::IDENTITY, quat::normalize),
        scale: fixed(node, "scale")?.unwrap_or([1.0; 3]),
    }))
}

fn fixed<const N: usize>(object: &Object<'_>, key: &str) -> Result<Option<[f64; N]>> {
    let Some(numbers) = object.numbers(key)? else { return Ok(None) };
    let wrong = |_| Error::malformed(object.place(key), format!("should have {N} numbers"));
    numbers.try_into().map(Some).map_err(wrong)
}

#[cfg(test)]
pub(crate) mod tests;
