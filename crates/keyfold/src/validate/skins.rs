//! Joints and weights of skinned vertices: joints that the skin has, each once for a vertex, and weights that add up
//! to one.
//!
//! As Khronos' validator does it: only where a node brings mesh and skin together, and what is wrong with a joint
//! keeps its weight out of the sum.

use super::{
    Code, Findings,
    elements::more,
    khronos::{
        ACCESSOR_JOINTS_INDEX_DUPLICATE, ACCESSOR_JOINTS_INDEX_OOB, ACCESSOR_JOINTS_USED_ZERO_WEIGHT,
        ACCESSOR_WEIGHTS_NEGATIVE, ACCESSOR_WEIGHTS_NON_NORMALIZED,
    },
    model::{Model, Primitive},
};
use std::{collections::BTreeMap, sync::Arc};

/// How far the sum of weights may be from one, for each weight that is not zero: what floats cannot avoid.
const TOLERANCE: f64 = 2e-7;

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    for (mesh, joints) in joints_of_meshes(model) {
        let primitives = model.meshes.get(mesh).and_then(Option::as_ref).and_then(|mesh| mesh.primitives.as_ref());
        for (i, primitive) in primitives.into_iter().flatten().enumerate() {
            check(model, primitive, joints, &format!("/meshes/{mesh}/primitives/{i}/attributes"), findings);
        }
    }
}

/// By mesh, how many joints its skin has; of several skins, the one with the fewest.
fn joints_of_meshes(model: &Model<'_>) -> BTreeMap<usize, usize> {
    let mut joints = BTreeMap::new();
    for node in model.nodes.iter().flatten() {
        let skin = node.skin.and_then(|skin| model.skins.get(skin)?.as_ref()?.joints.as_ref());
        if let (Some(mesh), Some(skin)) = (node.mesh, skin) {
            let least = joints.entry(mesh).or_insert(skin.len());
            *least = skin.len().min(*least);
        }
    }
    joints
}

/// Four joints of each vertex and their weights.
struct Set {
    joints: Arc<[f32]>,
    weights: Arc<[f32]>,
}

/// The sets of a primitive, in their order: `JOINTS_0` with `WEIGHTS_0` and so on.
fn sets(model: &Model<'_>, primitive: &Primitive) -> Vec<Set> {
    let values = |name: String| {
        let (_, accessor) = primitive.attributes.iter().find(|(step, _)| *step == name)?;
        model.document.floats(*accessor).ok()
    };
    let set = |n| {
        Some(Set {
            joints: values(format!("attributes/JOINTS_{n}"))?,
            weights: values(format!("attributes/WEIGHTS_{n}"))?,
        })
    };
    (0..).map_while(set).take_while(|set| set.joints.len() == set.weights.len()).collect()
}

/// What was found so far, each kind once for an attribute: what it was first, and how often it was found again.
#[derive(Default)]
struct Faults(BTreeMap<(String, &'static str), (&'static Code, String, usize)>);

impl Faults {
    fn add(&mut self, code: &'static Code, attribute: &str, set: usize, message: impl FnOnce() -> String) {
        let fault = self.0.entry((format!("{attribute}_{set}"), code.name));
        fault.and_modify(|(_, _, again)| *again += 1).or_insert_with(|| (code, message(), 0));
    }

    fn tell(self, at: &str, findings: &mut Findings) {
        for ((attribute, _), (code, message, again)) in self.0 {
            findings.add(code, format!("{at}/{attribute}"), format!("{message}{}", more(again)));
        }
    }
}

fn check(model: &Model<'_>, primitive: &Primitive, joints: usize, at: &str, findings: &mut Findings) {
    let sets = sets(model, primitive);
    let vertices = sets.iter().map(|set| set.joints.len() / 4).min().unwrap_or(0);
    let mut faults = Faults::default();
    for vertex in 0..vertices {
        check_vertex(&sets, vertex, joints, &mut faults);
    }
    faults.tell(at, findings);
}

fn check_vertex(sets: &[Set], vertex: usize, joints: usize, faults: &mut Faults) {
    let (mut used, mut sum, mut count) = (Vec::new(), 0.0, 0);
    for (n, set) in sets.iter().enumerate() {
        for i in 4 * vertex..4 * vertex + 4 {
            let (joint, weight) = (set.joints[i] as usize, f64::from(set.weights[i]));
            if joint >= joints {
                let message = || format!("vertex {vertex} has joint {joint}, the skin has {joints}");
                faults.add(&ACCESSOR_JOINTS_INDEX_OOB, "JOINTS", n, message);
                continue;
            }
            if weight == 0.0 {
                if joint != 0 {
                    let message = || format!("vertex {vertex} has joint {joint} with a weight of zero");
                    faults.add(&ACCESSOR_JOINTS_USED_ZERO_WEIGHT, "JOINTS", n, message);
                }
                continue;
            }
            let twice = used.contains(&joint);
            used.push(joint);
            if twice {
                let message = || format!("vertex {vertex} has joint {joint} twice");
                faults.add(&ACCESSOR_JOINTS_INDEX_DUPLICATE, "JOINTS", n, message);
            }
            if weight < 0.0 {
                let message = || format!("vertex {vertex} has the weight {weight}");
                faults.add(&ACCESSOR_WEIGHTS_NEGATIVE, "WEIGHTS", n, message);
            } else if !twice {
                sum += weight;
                count += 1;
            }
        }
    }
    if (sum - 1.0).abs() > TOLERANCE * f64::from(count) {
        let message = || format!("the weights of vertex {vertex} add up to {sum}");
        faults.add(&ACCESSOR_WEIGHTS_NON_NORMALIZED, "WEIGHTS", 0, message);
    }
}
