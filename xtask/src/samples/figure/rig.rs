//! The figure's skeleton: 24 joints in metres, Y up, facing +Z, its left at +X. At rest no joint is rotated.

use glam::{DMat3, DQuat, DVec3};

pub(crate) const COUNT: usize = 24;

pub(crate) const HIPS: usize = 0;
pub(crate) const SPINE: usize = 1;
pub(crate) const CHEST: usize = 2;
pub(crate) const UPPER_CHEST: usize = 3;
pub(crate) const NECK: usize = 4;
pub(crate) const HEAD: usize = 5;

/// The joints of a limb, left and right.
pub(crate) const SHOULDER: [usize; 2] = [6, 11];
pub(crate) const UPPER_ARM: [usize; 2] = [7, 12];
pub(crate) const FOREARM: [usize; 2] = [8, 13];
pub(crate) const HAND: [usize; 2] = [9, 14];
pub(crate) const FINGERS: [usize; 2] = [10, 15];
pub(crate) const THIGH: [usize; 2] = [16, 20];
pub(crate) const SHIN: [usize; 2] = [17, 21];
pub(crate) const FOOT: [usize; 2] = [18, 22];
pub(crate) const TOES: [usize; 2] = [19, 23];

/// +1 for the left side, -1 for the right one.
pub(crate) const SIDE: [f64; 2] = [1.0, -1.0];

/// The angle between the arms at rest and the vertical, in degrees.
pub(crate) const ARM_SPREAD: f64 = 40.0;

/// Name, parent and rest position in the scene, of the trunk and then of a left limb's joints.
type Row = (&'static str, usize, DVec3);

const TRUNK: [Row; 6] = [
    ("hips", HIPS, DVec3::new(0.0, 0.95, 0.0)),
    ("spine", HIPS, DVec3::new(0.0, 1.06, -0.005)),
    ("chest", SPINE, DVec3::new(0.0, 1.19, -0.01)),
    ("upper_chest", CHEST, DVec3::new(0.0, 1.32, -0.01)),
    ("neck", UPPER_CHEST, DVec3::new(0.0, 1.47, -0.01)),
    ("head", NECK, DVec3::new(0.0, 1.56, 0.005)),
];

const LEG: [(&str, DVec3); 4] = [
    ("thigh", DVec3::new(0.09, 0.92, 0.0)),
    ("shin", DVec3::new(0.09, 0.5, 0.0)),
    ("foot", DVec3::new(0.09, 0.085, 0.0)),
    ("toes", DVec3::new(0.09, 0.025, 0.125)),
];

/// The skeleton at rest.
pub(crate) struct Rig {
    pub(crate) names: Vec<String>,
    pub(crate) parents: Vec<usize>,
    /// Rest positions in the scene.
    pub(crate) places: Vec<DVec3>,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let mut rig = Rig { names: vec![], parents: vec![], places: vec![] };
        for (name, parent, place) in TRUNK {
            rig.joint(name.into(), parent, place);
        }
        for (joints, top) in [(arm(), UPPER_CHEST), (LEG.to_vec(), HIPS)] {
            for (side, suffix) in SIDE.into_iter().zip(["left", "right"]) {
                let mut parent = top;
                for &(name, place) in &joints {
                    let place = place * DVec3::new(side, 1.0, 1.0);
                    parent = rig.joint(format!("{name}.{suffix}"), parent, place);
                }
            }
        }
        rig
    }

    fn joint(&mut self, name: String, parent: usize, place: DVec3) -> usize {
        self.names.push(name);
        self.parents.push(parent);
        self.places.push(place);
        self.names.len() - 1
    }

    /// A joint's rest position relative to its parent's.
    pub(crate) fn offset(&self, joint: usize) -> DVec3 {
        if joint == HIPS { self.places[HIPS] } else { self.places[joint] - self.places[self.parents[joint]] }
    }
}

/// The direction in which the left arm points at rest.
pub(crate) fn arm_direction() -> DVec3 {
    DQuat::from_rotation_z(ARM_SPREAD.to_radians()) * DVec3::NEG_Y
}

fn arm() -> Vec<(&'static str, DVec3)> {
    let start = DVec3::new(0.172, 1.4, -0.008);
    let along = |length: f64| start + arm_direction() * length;
    vec![
        ("shoulder", DVec3::new(0.035, 1.43, 0.0)),
        ("upper_arm", start),
        ("forearm", along(0.275)),
        ("hand", along(0.52)),
        ("fingers", along(0.605)),
    ]
}

/// How the joints stand at one moment: the place of the hips, and every joint's rotation relative to its parent.
#[derive(Clone)]
pub(crate) struct Pose {
    pub(crate) hips: DVec3,
    pub(crate) rotations: [DQuat; COUNT],
}

impl Pose {
    pub(crate) fn rest(rig: &Rig) -> Self {
        Pose { hips: rig.places[HIPS], rotations: [DQuat::IDENTITY; COUNT] }
    }

    /// A joint's place and rotation in the scene.
    pub(crate) fn global(&self, rig: &Rig, joint: usize) -> (DVec3, DQuat) {
        if joint == HIPS {
            return (self.hips, self.rotations[HIPS]);
        }
        let (place, rotation) = self.global(rig, rig.parents[joint]);
        (place + rotation * rig.offset(joint), rotation * self.rotations[joint])
    }

    /// Rotates a joint so that it stands in the scene as told.
    pub(crate) fn turn_to(&mut self, rig: &Rig, joint: usize, rotation: DQuat) {
        let (_, parent) = self.global(rig, rig.parents[joint]);
        self.rotations[joint] = parent.inverse() * rotation;
    }

    /// Bends hip and knee so that the ankle comes to `ankle`, the knee pointing along `forward`; then turns the foot.
    pub(crate) fn place_foot(&mut self, rig: &Rig, side: usize, ankle: DVec3, foot: DQuat, forward: DVec3) {
        let (hip, _) = self.global(rig, THIGH[side]);
        let thigh = rig.offset(SHIN[side]).length();
        let shin = rig.offset(FOOT[side]).length();
        let reach = (ankle - hip).length().min((thigh + shin) * 0.9999);
        let down = (ankle - hip).normalize();
        let axis = forward.cross(down).normalize();
        let cosine = (thigh * thigh + reach * reach - shin * shin) / (2.0 * thigh * reach);
        let knee = hip + DQuat::from_axis_angle(axis, -libm::acos(cosine)) * down * thigh;
        self.turn_to(rig, THIGH[side], hanging(knee - hip, axis));
        self.turn_to(rig, SHIN[side], hanging(hip + down * reach - knee, axis));
        self.turn_to(rig, FOOT[side], foot);
    }
}

/// The rotation that brings a bone that hangs straight down to `along`, its X axis to `axis`.
fn hanging(along: DVec3, axis: DVec3) -> DQuat {
    let up = -along.normalize();
    DQuat::from_mat3(&DMat3::from_cols(axis, up, axis.cross(up)))
}
