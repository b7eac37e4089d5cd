//! What the nodes of a document carry: bounds of unskinned meshes, and the farthest vertex of each node at rest.
//!
//! A mesh that cannot be read (compressed by an extension that is not undone here, or broken) leaves its nodes
//! without a farthest vertex; its bounds still come from `min` and `max`.

use super::{Affine, Bounds, Skeleton};
use crate::{
    Document, Result,
    document::{JsonRef, Object},
};
use keyfold_core::vector::distance;
use std::{collections::BTreeMap, sync::Arc};

/// The least weight with which a vertex counts as carried by a joint.
const CARRIED: f32 = 0.1;

/// Per node.
#[derive(Debug)]
pub(super) struct Meshes {
    /// Whether it is a joint of a skin.
    pub(super) joints: Vec<bool>,
    /// Whether it carries a mesh.
    pub(super) carries: Vec<bool>,
    /// The box of its unskinned mesh, in its own coordinates.
    pub(super) bounds: Vec<Option<Bounds>>,
    /// The distance at rest, in scene units, of the farthest vertex that it carries.
    pub(super) farthest: Vec<f64>,
}

pub(super) fn measure(document: &Document, skeleton: &Skeleton) -> Result<Meshes> {
    let count = skeleton.len();
    let mut meshes = Meshes {
        joints: vec![false; count],
        carries: vec![false; count],
        bounds: vec![None; count],
        farthest: vec![0.0; count],
    };
    let mut reader = Reader { document, skeleton, skins: BTreeMap::new() };
    for skin in 0..document.count("skins") {
        let joints = reader.skin(skin)?;
        joints.iter().for_each(|joint| meshes.joints[joint.node] = true);
    }
    for (node, object) in document.root().objects("nodes")?.enumerate() {
        let object = object?;
        let Some(mesh) = object.index("mesh")? else { continue };
        meshes.carries[node] = true;
        let Ok(mesh) = document.element("meshes", mesh) else { continue };
        match object.index("skin")? {
            Some(skin) => reader.skinned(&mesh, skin, &mut meshes.farthest)?,
            None => {
                meshes.bounds[node] = reader.bounds(&mesh)?;
                meshes.farthest[node] = reader.rigid(&mesh, skeleton.rest_global(node))?;
            }
        }
    }
    Ok(meshes)
}

/// A joint of a skin, and the matrix that takes a vertex of the skinned mesh to the scene with it, at rest.
#[derive(Clone)]
struct Joint {
    node: usize,
    carry: Affine,
}

/// Joints and weights of a set, four per vertex.
type Influences = (Arc<[f32]>, Arc<[f32]>);

struct Reader<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    skins: BTreeMap<usize, Arc<[Joint]>>,
}

impl<'a> Reader<'a> {
    /// The joints of a skin; none where there is no such skin.
    fn skin(&mut self, index: usize) -> Result<Arc<[Joint]>> {
        if let Some(joints) = self.skins.get(&index) {
            return Ok(joints.clone());
        }
        let Ok(skin) = self.document.element("skins", index) else { return Ok(Arc::from([])) };
        let inverse = match skin.index("inverseBindMatrices")? {
            Some(accessor) => self.document.floats(accessor).unwrap_or_default(),
            None => Arc::from([]),
        };
        let nodes = skin.array("joints")?.iter().map(JsonRef::as_index);
        let joints = nodes.enumerate().filter_map(|(i, node)| {
            let node = node.filter(|n| *n < self.skeleton.len())?;
            let bind = inverse.get(i * 16..i * 16 + 16).map_or(Affine::IDENTITY, to_affine);
            Some(Joint { node, carry: self.skeleton.rest_global(node).then_inner(&bind) })
        });
        let joints: Arc<[Joint]> = joints.collect();
        self.skins.insert(index, joints.clone());
        Ok(joints)
    }

    fn primitives(&self, mesh: &Object<'a>) -> Result<Vec<Object<'a>>> {
        mesh.objects("primitives")?.collect()
    }

    /// The box around all primitives, from their accessors' `min` and `max` or, where those are missing, their
    /// vertices.
    fn bounds(&self, mesh: &Object<'a>) -> Result<Option<Bounds>> {
        let mut bounds = Bounds::EMPTY;
        for primitive in self.primitives(mesh)? {
            let Some(position) = position(&primitive)? else { continue };
            match self.stated_bounds(position) {
                Some(stated) => stated.into_iter().for_each(|corner| bounds.add(corner)),
                None => self.vertices(&primitive).chunks_exact(3).for_each(|v| bounds.add(to_point(v))),
            }
        }
        Ok((bounds.min[0] <= bounds.max[0]).then_some(bounds))
    }

    /// `min` and `max` of an accessor, as values.
    fn stated_bounds(&self, accessor: usize) -> Option<[[f64; 3]; 2]> {
        let (object, accessor) =
            (self.document.element("accessors", accessor).ok()?, self.document.accessor(accessor).ok()?);
        let one = accessor.component.one().filter(|_| accessor.normalized).unwrap_or(1.0);
        let corner = |key: &str| -> Option<[f64; 3]> {
            let numbers = object.numbers(key).ok()??;
            Some(<[f64; 3]>::try_from(numbers).ok()?.map(|n| n / one))
        };
        Some([corner("min")?, corner("max")?])
    }

    /// The vertices of a primitive, three floats each; none where they cannot be read.
    fn vertices(&self, primitive: &Object<'a>) -> Arc<[f32]> {
        self.attribute(primitive, "POSITION", 3).unwrap_or_default()
    }

    fn attribute(&self, primitive: &Object<'a>, name: &str, width: usize) -> Option<Arc<[f32]>> {
        // Its accessors stand for what Draco's mesh decoder would give: they have no data of their own.
        if primitive.extension("KHR_draco_mesh_compression").ok()?.is_some() {
            return None;
        }
        let accessor = primitive.object("attributes").ok()??.index(name).ok()??;
        let shape = self.document.accessor(accessor).ok()?.shape;
        (shape.components() == width).then(|| self.document.floats(accessor).ok()).flatten()
    }

    /// The distance at rest of the farthest vertex of an unskinned mesh.
    fn rigid(&self, mesh: &Object<'a>, global: &Affine) -> Result<f64> {
        let mut farthest = 0.0f64;
        for primitive in self.primitives(mesh)? {
            for vertex in self.vertices(&primitive).chunks_exact(3) {
                farthest = farthest.max(distance(global.point(to_point(vertex)), global.origin));
            }
        }
        Ok(farthest)
    }

    /// Raises the distances of a skin's joints to their farthest vertices.
    fn skinned(&mut self, mesh: &Object<'a>, skin: usize, farthest: &mut [f64]) -> Result<()> {
        let joints = self.skin(skin)?;
        for primitive in self.primitives(mesh)? {
            let vertices = self.vertices(&primitive);
            let sets: Vec<_> = (0..).map_while(|set| self.influences(&primitive, set)).collect();
            for (index, vertex) in vertices.chunks_exact(3).enumerate() {
                self.skinned_vertex(&joints, &sets, index, to_point(vertex), farthest);
            }
        }
        Ok(())
    }

    fn influences(&self, primitive: &Object<'a>, set: usize) -> Option<Influences> {
        Some((
            self.attribute(primitive, &format!("JOINTS_{set}"), 4)?,
            self.attribute(primitive, &format!("WEIGHTS_{set}"), 4)?,
        ))
    }

    fn skinned_vertex(
        &self,
        joints: &[Joint],
        sets: &[Influences],
        index: usize,
        vertex: [f64; 3],
        farthest: &mut [f64],
    ) {
        let influences = || {
            let all = sets.iter().flat_map(move |(joints, weights)| {
                let at = index * 4..index * 4 + 4;
                let pairs = joints.get(at.clone()).unwrap_or_default().iter().zip(weights.get(at).unwrap_or_default());
                pairs.map(|(j, w)| (*j as usize, *w))
            });
            all.filter_map(|(j, w)| Some((joints.get(j)?, w)))
        };
        let (mut sum, mut place) = (0.0, [0.0; 3]);
        for (joint, weight) in influences().filter(|(_, w)| *w > 0.0) {
            let carried = joint.carry.point(vertex);
            (0..3).for_each(|k| place[k] += carried[k] * f64::from(weight));
            sum += f64::from(weight);
        }
        if sum > 0.0 {
            let place = place.map(|c| c / sum);
            for (joint, _) in influences().filter(|(_, w)| *w >= CARRIED) {
                let far = distance(place, self.skeleton.rest_global(joint.node).origin);
                farthest[joint.node] = farthest[joint.node].max(far);
            }
        }
    }
}

fn position(primitive: &Object<'_>) -> Result<Option<usize>> {
    primitive.object("attributes")?.map_or(Ok(None), |a| a.index("POSITION"))
}

fn to_point(v: &[f32]) -> [f64; 3] {
    [0, 1, 2].map(|i| f64::from(v[i]))
}

fn to_affine(m: &[f32]) -> Affine {
    Affine::from_columns(&std::array::from_fn(|i| f64::from(m[i])))
}
