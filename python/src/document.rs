//! An open document: its hierarchy, its animations, their values at given times.

use crate::{
    arrays::{array, times},
    error::{raised, refused},
    meshes::{self, Primitive},
    source::Source,
};
use keyfold::{Animation, Animations, Scene, Track, read};
use keyfold_core::skeleton::{Affine, Moment, Poses, Transform};
use numpy::{PyArray1, PyArray2, PyArray3, PyArray4, PyReadonlyArray1};
use pyo3::prelude::*;

/// Translation, rotation XYZW, scale.
const LOCAL: usize = 10;

/// A skin: the nodes that are its joints, and their inverse bind matrices.
type Skin<'py> = (Vec<usize>, Bound<'py, PyArray3<f32>>);

/// A document with what is read of it.
#[pyclass(frozen, module = "keyfold._keyfold")]
pub(crate) struct Document {
    document: keyfold::Document,
    read: Animations,
    scene: Scene,
}

/// What there is to tell about a track: target, interpolation, times, values.
type TrackParts<'py> = (String, &'static str, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>);

#[pymethods]
impl Document {
    #[new]
    fn new(py: Python<'_>, source: Source) -> PyResult<Self> {
        py.detach(|| Self::open(source)).map_err(raised)
    }

    /// The JSON as text.
    fn json(&self) -> String {
        self.document.json().to_string()
    }

    /// What could not be read of the animations: severity, code, place, message.
    fn findings(&self) -> Vec<(String, &'static str, String, String)> {
        let row = |f: &keyfold::Finding| {
            (format!("{:?}", f.severity).to_lowercase(), f.code, f.at.clone(), f.message.clone())
        };
        self.read.findings.iter().map(row).collect()
    }

    /// The nodes' names.
    fn names(&self) -> Vec<Option<&str>> {
        (0..self.scene.skeleton().len()).map(|node| self.scene.name(node)).collect()
    }

    /// Each node's parent; -1 for roots.
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let skeleton = self.scene.skeleton();
        let parents = (0..skeleton.len()).map(|node| skeleton.parent(node).map_or(-1, |parent| parent as i64));
        PyArray1::from_iter(py, parents)
    }

    /// Each node's own transform at rest.
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let skeleton = self.scene.skeleton();
        let flat = (0..skeleton.len()).flat_map(|node| components(skeleton.rest(node))).collect();
        array(py, flat, [skeleton.len(), LOCAL])
    }

    /// Each animation's name and duration in seconds.
    fn animations(&self) -> Vec<(Option<&str>, f32)> {
        self.read.animations.iter().map(|a| (a.name.as_deref(), a.duration())).collect()
    }

    /// An animation's tracks.
    fn tracks<'py>(&self, py: Python<'py>, animation: usize) -> PyResult<Vec<TrackParts<'py>>> {
        self.animation(animation)?.tracks.iter().map(|track| parts(py, track)).collect()
    }

    /// A track's values at times.
    fn track<'py>(
        &self,
        py: Python<'py>,
        animation: usize,
        track: usize,
        at: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let times = times(&at)?;
        let track = self.animation(animation)?.tracks.get(track).ok_or_else(|| refused("there is no such track"))?;
        let width = track.curve.width();
        let flat = py.detach(|| {
            let mut values = vec![0.0; times.len() * width];
            track.curve.sample_many(track.target.kind(), &times, &mut values);
            values.into_iter().map(|v| v as f32).collect()
        });
        array(py, flat, [times.len(), width])
    }

    /// All nodes' own transforms at times.
    fn local<'py>(
        &self,
        py: Python<'py>,
        animation: usize,
        at: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let times = times(&at)?;
        let animation = self.animation(animation)?;
        let flat = py.detach(|| self.transforms(animation, &times));
        array(py, flat, [times.len(), self.scene.skeleton().len(), LOCAL])
    }

    /// All nodes' matrices to the scene at times, rows of columns' components: they multiply points written as columns.
    fn world<'py>(
        &self,
        py: Python<'py>,
        animation: usize,
        at: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let times = times(&at)?;
        let animation = self.animation(animation)?;
        let flat = py.detach(|| self.matrices(animation, &times));
        array(py, flat, [times.len(), self.scene.skeleton().len(), 4, 4])
    }

    /// The primitives that nodes carry, node by node.
    fn primitives(&self, py: Python<'_>) -> PyResult<Vec<Primitive>> {
        py.detach(|| meshes::primitives(&self.document)).map_err(raised)
    }

    /// Each skin's joints and inverse bind matrices.
    fn skins<'py>(&self, py: Python<'py>) -> PyResult<Vec<Skin<'py>>> {
        let skins = py.detach(|| meshes::skins(&self.document)).map_err(raised)?;
        skins
            .into_iter()
            .map(|(joints, inverse)| Ok((joints.clone(), array(py, inverse, [joints.len(), 4, 4])?)))
            .collect()
    }
}

impl Document {
    fn open(source: Source) -> keyfold::Result<Self> {
        let document = source.open()?;
        let read = read(&document)?;
        let scene = Scene::new(&document, &read.animations, None)?;
        Ok(Self { document, read, scene })
    }

    fn animation(&self, index: usize) -> PyResult<&Animation> {
        self.read.animations.get(index).ok_or_else(|| refused("there is no such animation"))
    }

    fn transforms(&self, animation: &Animation, times: &[f64]) -> Vec<f32> {
        let nodes = self.scene.skeleton().len();
        let motion = self.scene.motion(animation);
        let moments: Vec<Moment> = times.iter().copied().map(Moment::at).collect();
        let mut flat = vec![0.0; times.len() * nodes * LOCAL];
        for node in 0..nodes {
            for (time, transform) in motion.transforms(node, &moments).iter().enumerate() {
                let at = (time * nodes + node) * LOCAL;
                flat[at..at + LOCAL].copy_from_slice(&components(transform));
            }
        }
        flat
    }

    fn matrices(&self, animation: &Animation, times: &[f64]) -> Vec<f64> {
        let nodes = self.scene.skeleton().len();
        let moments: Vec<Moment> = times.iter().copied().map(Moment::at).collect();
        let poses = Poses::new(&self.scene.motion(animation), &moments);
        let all = (0..times.len()).flat_map(|time| (0..nodes).map(move |node| (node, time)));
        all.flat_map(|(node, time)| rows(poses.global(node, time))).collect()
    }
}

fn components(t: &Transform) -> [f32; LOCAL] {
    let ([x, y, z], [i, j, k, w], [a, b, c]) = (t.translation, t.rotation, t.scale);
    [x, y, z, i, j, k, w, a, b, c].map(|v| v as f32)
}

fn rows(m: &Affine) -> [f64; 16] {
    let [x, y, z] = m.axes;
    let row = |i: usize| [x[i], y[i], z[i], m.origin[i]];
    let [a, b, c] = [row(0), row(1), row(2)];
    [a, b, c, [0.0, 0.0, 0.0, 1.0]].concat().try_into().expect("four rows of four")
}

fn parts<'py>(py: Python<'py>, track: &Track) -> PyResult<TrackParts<'py>> {
    let curve = &track.curve;
    let values = array(py, curve.values().to_vec(), [curve.values().len() / curve.width(), curve.width()])?;
    let times = PyArray1::from_slice(py, curve.times());
    Ok((track.target.to_string(), curve.interpolation().name(), times, values))
}
