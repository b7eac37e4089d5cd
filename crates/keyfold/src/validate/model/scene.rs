//! Nodes, skins, meshes, cameras and scenes, as far as animations move them.

use super::Members;
use crate::validate::khronos::{
    CAMERA_XMAG_YMAG_NEGATIVE, CAMERA_XMAG_YMAG_ZERO, CAMERA_YFOV_GEQUAL_PI, CAMERA_ZFAR_LEQUAL_ZNEAR, EMPTY_ENTITY,
    INVALID_INDEX, NODE_MATRIX_TRS, ONE_OF_MISMATCH, ROTATION_NON_UNIT, TYPE_MISMATCH, UNSATISFIED_DEPENDENCY,
};
use crate::{document::json::to_index, validate::keys::is_unit};

/// A node.
pub(in super::super) struct Node {
    pub(in super::super) has_matrix: bool,
    pub(in super::super) camera: Option<usize>,
    pub(in super::super) children: Vec<Option<usize>>,
    pub(in super::super) mesh: Option<usize>,
    pub(in super::super) skin: Option<usize>,
    /// How many `weights` there are.
    pub(in super::super) weights: Option<usize>,
}

const NODE: &[&str] =
    &["camera", "children", "skin", "matrix", "mesh", "rotation", "scale", "translation", "weights", "name"];

impl Node {
    pub(super) fn read(mut members: Members<'_, '_>) -> Self {
        members.only(NODE);
        let node = Self {
            has_matrix: members.numbers("matrix", Some(16)).is_some(),
            camera: members.index("camera"),
            children: members.indices("children").unwrap_or_default(),
            mesh: members.index("mesh"),
            skin: members.index("skin"),
            weights: members.numbers("weights", None).map(|weights| weights.len()),
        };
        let moves = ["translation", "scale"].map(|key| members.numbers(key, Some(3)).is_some());
        let turns = rotation(&mut members);
        if node.has_matrix && (turns || moves.contains(&true)) {
            let at = members.place("matrix");
            members.findings().add(&NODE_MATRIX_TRS, at, "a matrix, and translation, rotation or scale beside it");
        }
        for key in ["skin", "weights"].into_iter().filter(|_| node.mesh.is_none()) {
            if members.has(key) {
                let at = members.place(key);
                members.findings().add(&UNSATISFIED_DEPENDENCY, at, format!("{key} means nothing without mesh"));
            }
        }
        node
    }
}

fn rotation(members: &mut Members<'_, '_>) -> bool {
    let Some(rotation) = members.numbers("rotation", Some(4)) else { return false };
    if rotation.iter().any(|n| n.abs() > 1.0) {
        members.elements_within("rotation", -1.0..=1.0);
    } else if !is_unit(&rotation) {
        let at = members.place("rotation");
        members.findings().add(&ROTATION_NON_UNIT, at, "the quaternion is not of unit length");
    }
    true
}

/// A skin.
pub(in super::super) struct Skin {
    pub(in super::super) matrices: Option<usize>,
    pub(in super::super) skeleton: Option<usize>,
    pub(in super::super) joints: Option<Vec<Option<usize>>>,
}

impl Skin {
    pub(super) fn read(mut members: Members<'_, '_>) -> Self {
        members.only(&["inverseBindMatrices", "skeleton", "joints", "name"]);
        members.required(&["joints"]);
        Self {
            matrices: members.index("inverseBindMatrices"),
            skeleton: members.index("skeleton"),
            joints: members.indices("joints"),
        }
    }
}

/// A mesh.
pub(in super::super) struct Mesh {
    /// `None` if they are no list of objects.
    pub(in super::super) primitives: Option<Vec<Primitive>>,
    /// How many `weights` there are.
    pub(in super::super) weights: Option<usize>,
}

/// What is drawn at once.
pub(in super::super) struct Primitive {
    /// Accessors by the step of the place that follows the primitive's: `attributes/POSITION`.
    pub(in super::super) attributes: Vec<(String, usize)>,
    pub(in super::super) indices: Option<usize>,
    /// How many morph targets there are.
    pub(in super::super) targets: Option<usize>,
}

impl Mesh {
    pub(super) fn read(mut members: Members<'_, '_>) -> Self {
        members.only(&["primitives", "weights", "name"]);
        members.required(&["primitives"]);
        Self {
            primitives: members.objects("primitives", Primitive::read),
            weights: members.numbers("weights", None).map(|weights| weights.len()),
        }
    }

    /// How many morph targets there are; `None` for none.
    pub(in super::super) fn targets(&self) -> Option<usize> {
        self.primitives.as_ref()?.first()?.targets
    }
}

impl Primitive {
    fn read(mut members: Members<'_, '_>) -> Self {
        members.only(&["attributes", "indices", "material", "mode", "targets"]);
        members.required(&["attributes"]);
        members.index("material");
        let mut attributes = Vec::new();
        if let Some(inner) = members.object("attributes") {
            semantics(inner, "attributes", &mut attributes);
        }
        let mut count = 0;
        let targets = members.objects("targets", |inner| {
            semantics(inner, &format!("targets/{count}"), &mut attributes);
            count += 1;
        });
        Self { attributes, indices: members.index("indices"), targets: targets.map(|list| list.len()) }
    }
}

fn semantics(mut members: Members<'_, '_>, step: &str, attributes: &mut Vec<(String, usize)>) {
    if members.entries().next().is_none() {
        let at = members.at().to_owned();
        members.findings().add(&EMPTY_ENTITY, at, "no attribute at all");
    }
    for (name, value) in members.entries() {
        let at = members.place(name);
        match to_index(value) {
            Some(index) => attributes.push((format!("{step}/{name}"), index)),
            None if value.is_number() => members.findings().add(&INVALID_INDEX, at, format!("{value} is not an index")),
            None => members.findings().add(&TYPE_MISMATCH, at, "is not an integer"),
        }
    }
}

/// Checks a camera.
pub(super) fn camera(mut members: Members<'_, '_>) {
    members.only(&["orthographic", "perspective", "type", "name"]);
    members.required(&["type"]);
    if members.has("orthographic") && members.has("perspective") {
        let at = members.at().to_owned();
        members.findings().add(&ONE_OF_MISMATCH, at, "both orthographic and perspective");
    }
    let Some(kind) = members.name_of("type", &["orthographic", "perspective"]) else { return };
    members.required(&[kind]);
    let Some(inner) = members.object(kind) else { return };
    if kind == "perspective" { perspective(inner) } else { orthographic(inner) }
}

fn perspective(mut members: Members<'_, '_>) {
    members.only(&["aspectRatio", "yfov", "zfar", "znear"]);
    members.required(&["yfov", "znear"]);
    let positive = |n: f64| n > 0.0;
    members.number("aspectRatio", positive);
    let angle = members.number("yfov", positive);
    let (near, far) = (members.number("znear", positive), members.number("zfar", positive));
    if angle.is_some_and(|angle| angle >= std::f64::consts::PI) {
        let at = members.at().to_owned();
        members.findings().add(&CAMERA_YFOV_GEQUAL_PI, at, "yfov should be less than pi");
    }
    depth(&mut members, near, far);
}

fn orthographic(mut members: Members<'_, '_>) {
    members.only(&["xmag", "ymag", "zfar", "znear"]);
    members.required(&["xmag", "ymag", "zfar", "znear"]);
    for key in ["xmag", "ymag"] {
        let size = members.number(key, |_| true);
        let at = members.place(key);
        if size == Some(0.0) {
            members.findings().add(&CAMERA_XMAG_YMAG_ZERO, at, "must not be zero");
        } else if size.is_some_and(|size| size < 0.0) {
            members.findings().add(&CAMERA_XMAG_YMAG_NEGATIVE, at, "should not be negative");
        }
    }
    let (near, far) = (members.number("znear", |n| n >= 0.0), members.number("zfar", |n| n > 0.0));
    depth(&mut members, near, far);
}

fn depth(members: &mut Members<'_, '_>, near: Option<f64>, far: Option<f64>) {
    if let (Some(near), Some(far)) = (near, far)
        && far <= near
    {
        let at = members.at().to_owned();
        members.findings().add(&CAMERA_ZFAR_LEQUAL_ZNEAR, at, format!("zfar {far} is not beyond znear {near}"));
    }
}

/// The nodes of a scene.
pub(super) fn roots(mut members: Members<'_, '_>) -> Vec<Option<usize>> {
    members.only(&["nodes", "name"]);
    members.indices("nodes").unwrap_or_default()
}
