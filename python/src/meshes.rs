//! What `vertices` needs of a document's meshes: positions, morph targets, joints and weights of each primitive, and the skins.
//! The arithmetic is numpy's.

use crate::arrays::array;
use keyfold::{
    Document, Error, Result,
    document::{JsonRef, Object},
};
use numpy::{PyArray2, PyArray3};
use pyo3::prelude::*;
use std::sync::Arc;

/// Joints of vertices and their weights, four of each for a vertex.
type Influences = (Arc<[f32]>, Arc<[f32]>);
/// Joints and weights, a row for each vertex.
type Columns<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

/// A primitive of the mesh that a node carries.
#[pyclass(frozen, module = "keyfold._keyfold")]
pub(crate) struct Primitive {
    /// The node.
    #[pyo3(get)]
    node: usize,
    /// The node's skin.
    #[pyo3(get)]
    skin: Option<usize>,
    /// What the weights may be animated under, the last one counting: `/meshes/0` where the node has none of its own, `/nodes/3`.
    #[pyo3(get)]
    weighted_by: Vec<String>,
    positions: Arc<[f32]>,
    /// Displacements: one list for each morph target, empty where it leaves positions alone.
    targets: Vec<Arc<[f32]>>,
    /// Joints and weights, set after set, four to a vertex.
    influences: Vec<Influences>,
    /// The morph targets' weights at rest.
    #[pyo3(get)]
    weights: Vec<f64>,
    /// The corners of its triangles; empty where it is none.
    triangles: Vec<u32>,
}

#[pymethods]
impl Primitive {
    /// How many vertices it has.
    #[getter]
    fn count(&self) -> usize {
        self.positions.len() / 3
    }

    /// Whether its vertices hang on joints.
    #[getter]
    fn influenced(&self) -> bool {
        !self.influences.is_empty()
    }

    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        rows(py, &self.positions, 3)
    }

    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        array(py, self.triangles.clone(), [self.triangles.len() / 3, 3])
    }

    /// Displacements by morph target.
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let (count, length) = (self.targets.len(), self.positions.len());
        let zeros = vec![0.0; length];
        let flat = self.targets.iter().flat_map(|t| if t.is_empty() { &zeros[..] } else { &t[..] }).copied().collect();
        array(py, flat, [count, length / 3, 3])
    }

    /// Joints and weights, as many to each vertex as all sets have.
    fn influences<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let (vertices, sets) = (self.positions.len() / 3, self.influences.len());
        let gather = |pick: fn(&Influences) -> &Arc<[f32]>| {
            let vertex = |v: usize| self.influences.iter().flat_map(move |set| &pick(set)[v * 4..v * 4 + 4]);
            array(py, (0..vertices).flat_map(vertex).copied().collect(), [vertices, sets * 4])
        };
        Ok((gather(|set| &set.0)?, gather(|set| &set.1)?))
    }
}

fn rows<'py>(py: Python<'py>, flat: &[f32], width: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
    array(py, flat.to_vec(), [flat.len() / width, width])
}

/// The primitives that nodes carry, node by node.
pub(crate) fn primitives(document: &Document) -> Result<Vec<Primitive>> {
    let mut found = Vec::new();
    for (node, object) in document.root().objects("nodes")?.enumerate() {
        let object = object?;
        let Some(mesh) = object.index("mesh")? else { continue };
        let mesh = document.element("meshes", mesh)?;
        let (weights, weighted_by) = match object.numbers("weights")? {
            Some(weights) => (weights, vec![object.at()]),
            None => (mesh.numbers("weights")?.unwrap_or_default(), vec![mesh.at(), object.at()]),
        };
        let carried = Carried { node, skin: object.index("skin")?, weights, weighted_by };
        for primitive in mesh.objects("primitives")? {
            found.extend(Reader { document, object: primitive? }.read(carried.clone())?);
        }
    }
    Ok(found)
}

/// What a primitive has from its node.
#[derive(Clone)]
struct Carried {
    node: usize,
    skin: Option<usize>,
    weights: Vec<f64>,
    weighted_by: Vec<String>,
}

struct Reader<'a> {
    document: &'a Document,
    object: Object<'a>,
}

impl<'a> Reader<'a> {
    /// `None` where there are no positions.
    fn read(&self, Carried { node, skin, mut weights, weighted_by }: Carried) -> Result<Option<Primitive>> {
        if self.object.extension("KHR_draco_mesh_compression")?.is_some() {
            let extension = "KHR_draco_mesh_compression".to_owned();
            return Err(Error::Unsupported { extension, what: "meshes compressed by it are not read".to_owned() });
        }
        let attributes = self.object.required_object("attributes")?;
        let Some(positions) = self.attribute(&attributes, "POSITION", 3, None)? else { return Ok(None) };
        let vertices = positions.len() / 3;
        let mut targets = Vec::new();
        for target in self.object.objects("targets")? {
            targets.push(self.attribute(&target?, "POSITION", 3, Some(vertices))?.unwrap_or_default());
        }
        weights.resize(targets.len(), 0.0);
        let mut influences = Vec::new();
        for set in 0.. {
            let four = |name: &str| self.attribute(&attributes, &format!("{name}_{set}"), 4, Some(vertices));
            let (Some(joints), Some(weights)) = (four("JOINTS")?, four("WEIGHTS")?) else { break };
            influences.push((joints, weights));
        }
        let triangles = self.triangles(vertices)?;
        Ok(Some(Primitive { node, skin, weighted_by, positions, targets, influences, weights, triangles }))
    }

    fn attribute(
        &self,
        attributes: &Object<'a>,
        name: &str,
        width: usize,
        count: Option<usize>,
    ) -> Result<Option<Arc<[f32]>>> {
        let Some(accessor) = attributes.index(name)? else { return Ok(None) };
        let shape = self.document.accessor(accessor)?.shape;
        let floats = self.document.floats(accessor)?;
        let fits = shape.components() == width && count.is_none_or(|count| floats.len() == count * width);
        match fits {
            true => Ok(Some(floats)),
            false => Err(Error::malformed(attributes.place(name), "does not fit the primitive's vertices")),
        }
    }

    /// Corners of triangles; strips, fans, lines and points have none here.
    fn triangles(&self, vertices: usize) -> Result<Vec<u32>> {
        if self.object.index("mode")?.unwrap_or(4) != 4 {
            return Ok(Vec::new());
        }
        let mut corners: Vec<u32> = match self.object.index("indices")? {
            Some(accessor) => self.document.elements(accessor)?.to_numbers().into_iter().map(|n| n as u32).collect(),
            None => (0..vertices as u32).collect(),
        };
        if corners.iter().any(|corner| *corner as usize >= vertices) {
            return Err(Error::malformed(self.object.place("indices"), "a corner is no vertex"));
        }
        corners.truncate(corners.len() / 3 * 3);
        Ok(corners)
    }
}

/// Each skin's joints, and their inverse bind matrices by rows.
pub(crate) fn skins(document: &Document) -> Result<Vec<(Vec<usize>, Vec<f32>)>> {
    document.root().objects("skins")?.map(|object| skin(document, &object?)).collect()
}

fn skin(document: &Document, object: &Object<'_>) -> Result<(Vec<usize>, Vec<f32>)> {
    let nodes = document.count("nodes");
    let joint = |look: JsonRef<'_>| look.as_index().filter(|node| *node < nodes);
    let joints: Option<Vec<usize>> = object.array("joints")?.iter().map(joint).collect();
    let joints = joints.ok_or_else(|| Error::malformed(object.place("joints"), "a joint is no node"))?;
    let identity = || (0..joints.len() * 16).map(|i| if i % 16 % 5 == 0 { 1.0 } else { 0.0 }).collect();
    let Some(accessor) = object.index("inverseBindMatrices")? else { return Ok((joints.clone(), identity())) };
    let columns = document.floats(accessor)?;
    if columns.len() < joints.len() * 16 {
        return Err(Error::malformed(object.place("inverseBindMatrices"), "are fewer than the joints"));
    }
    let by_rows = |m: &[f32]| -> [f32; 16] { std::array::from_fn(|i| m[i % 4 * 4 + i / 4]) };
    let rows = columns.chunks_exact(16).take(joints.len()).flat_map(by_rows).collect();
    Ok((joints, rows))
}
