//! What rules look at: the parts of a document that animation reaches, each member only where it is as the schema
//! wants it.
//!
//! Building the model is checking the structure: whatever is missing, of the wrong type, out of range or not known
//! becomes a finding on the way (`super::members`). Rules then work on values that need no more checking. Materials,
//! textures and images are not looked into.

mod animations;
mod scene;
mod storage;

pub(super) use animations::{Animation, Channel, Sampler};
pub(super) use scene::{Mesh, Node, Primitive, Skin};
pub(super) use storage::{Accessor, Buffer, INDEX_TARGET, Sparse, VERTEX_TARGET, View};

use super::{
    Findings,
    khronos::{
        ASSET_MIN_VERSION_GREATER_THAN_VERSION, PATTERN_MISMATCH, UNKNOWN_ASSET_MAJOR_VERSION,
        UNKNOWN_ASSET_MINOR_VERSION, UNRESOLVED_REFERENCE,
    },
    members::Members,
};
use crate::Document;
use serde_json::Value;

/// A document, its structure checked. An element that is no object is `None`.
pub(super) struct Model<'d> {
    pub(super) document: &'d Document,
    pub(super) buffers: Vec<Option<Buffer<'d>>>,
    pub(super) views: Vec<Option<View>>,
    pub(super) accessors: Vec<Option<Accessor>>,
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) meshes: Vec<Option<Mesh>>,
    pub(super) skins: Vec<Option<Skin>>,
    pub(super) animations: Vec<Option<Animation>>,
    /// Indices of each scene's nodes.
    pub(super) scenes: Vec<Option<Vec<Option<usize>>>>,
    pub(super) scene: Option<usize>,
    pub(super) cameras: usize,
}

const ROOT: &[&str] = &[
    "accessors",
    "animations",
    "asset",
    "bufferViews",
    "buffers",
    "cameras",
    "extensionsRequired",
    "extensionsUsed",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scene",
    "scenes",
    "skins",
    "textures",
];

impl<'d> Model<'d> {
    pub(super) fn new(document: &'d Document, findings: &mut Findings) -> Option<Self> {
        let mut root = Members::new(document.json(), String::new(), findings)?;
        root.only(ROOT);
        root.required(&["asset"]);
        root.object("asset").map(asset);
        root.texts("extensionsUsed");
        root.texts("extensionsRequired");
        // Only that they are lists of objects: what is in them is not ours.
        ["images", "materials", "samplers", "textures"].iter().for_each(|key| drop(root.collection(key, |_| ())));
        let mut accessors = root.collection("accessors", Accessor::read);
        for (i, accessor) in accessors.iter_mut().enumerate() {
            accessor.iter_mut().for_each(|accessor| accessor.provided = document.provided(i).is_some());
        }
        Some(Self {
            document,
            buffers: root.collection("buffers", Buffer::read),
            views: root.collection("bufferViews", View::read),
            accessors,
            cameras: root.collection("cameras", scene::camera).len(),
            meshes: root.collection("meshes", Mesh::read),
            nodes: root.collection("nodes", Node::read),
            skins: root.collection("skins", Skin::read),
            scenes: root.collection("scenes", scene::roots),
            scene: root.index("scene"),
            animations: root.collection("animations", |members| Animation::read(members, document)),
        })
    }

    /// The accessor with an index; `None` for an index that leads nowhere.
    pub(super) fn accessor(&self, index: usize) -> Option<&Accessor> {
        self.accessors.get(index)?.as_ref()
    }

    pub(super) fn view(&self, index: usize) -> Option<&View> {
        self.views.get(index)?.as_ref()
    }

    pub(super) fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)?.as_ref()
    }

    /// The mesh that a node carries.
    pub(super) fn mesh_of(&self, node: &Node) -> Option<&Mesh> {
        self.meshes.get(node.mesh?)?.as_ref()
    }
}

/// Reports a reference that leads nowhere.
pub(super) fn resolve<T>(list: &[Option<T>], index: Option<usize>, at: impl FnOnce() -> String, f: &mut Findings) {
    if let Some(index) = index
        && !list.get(index).is_some_and(Option::is_some)
    {
        f.add(&UNRESOLVED_REFERENCE, at(), unresolved(index, list.len()));
    }
}

/// That an index leads nowhere in a list of so many.
fn unresolved(index: usize, count: usize) -> String {
    match index < count {
        true => format!("index {index} leads to what is no object"),
        false => format!("index {index} is out of range: the list has {count}"),
    }
}

fn asset(mut members: Members<'_, '_>) {
    members.only(&["copyright", "generator", "version", "minVersion"]);
    members.required(&["version"]);
    members.text("copyright");
    members.text("generator");
    let version = version(&mut members, "version");
    let least = self::version(&mut members, "minVersion");
    let at = members.place("version");
    match version {
        Some((2, minor)) if minor > 0 => {
            members.findings().add(&UNKNOWN_ASSET_MINOR_VERSION, at, format!("2.{minor} is not known"));
        }
        Some((major, _)) if major != 2 => {
            members.findings().add(&UNKNOWN_ASSET_MAJOR_VERSION, at, format!("glTF {major} is not known"));
        }
        _ => {}
    }
    if version.is_some() && least.is_some() && least > version {
        let at = members.place("minVersion");
        members.findings().add(&ASSET_MIN_VERSION_GREATER_THAN_VERSION, at, "minVersion is greater than version");
    }
}

fn version(members: &mut Members<'_, '_>, key: &str) -> Option<(u32, u32)> {
    let text = members.text(key)?;
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok()).flatten();
    let version = text.split_once('.').and_then(|(major, minor)| Some((digits(major)?, digits(minor)?)));
    if version.is_none() {
        let at = members.place(key);
        members.findings().add(&PATTERN_MISMATCH, at, format!("`{text}` is not of the form 2.0"));
    }
    version
}

/// Whether a number is a value of a component type.
fn fits(value: &Value, component: crate::document::ComponentType) -> bool {
    let Some(integers) = component.integers() else { return true };
    value.as_f64().is_some_and(|n| (*integers.start() as f64..=*integers.end() as f64).contains(&n))
}
