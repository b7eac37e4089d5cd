//! The figure's skin: tubes and rounded solids around the joints, coloured by vertex, bound to one or two joints each.

use glam::DVec3;

use super::rig::{
    CHEST, FINGERS, FOOT, FOREARM, HAND, HEAD, HIPS, NECK, Rig, SHIN, SIDE, SPINE, THIGH, TOES, UPPER_ARM, UPPER_CHEST,
    arm_direction,
};
use crate::samples::shape::{Shape, ellipsoid, ring};

const SKIN: Color = [214, 138, 96];
const HAIR: Color = [46, 24, 14];
const SHIRT: Color = [12, 118, 128];
const TROUSERS: Color = [24, 32, 62];
const SHOES: Color = [186, 52, 22];
const SOLES: Color = [230, 224, 212];
const EYES: Color = [12, 12, 16];

/// Linear red, green and blue.
pub(crate) type Color = [u8; 3];

/// What a vertex of the body carries: its colour, and the joints that it follows, the second by `second / 255`.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Flesh {
    pub(crate) color: Color,
    pub(crate) joints: [usize; 2],
    pub(crate) second: u8,
}

pub(crate) fn body(rig: &Rig) -> Shape<Flesh> {
    let mut body = torso(rig);
    body.add(head(rig));
    for side in 0..2 {
        body.add(arm(rig, side));
        body.add(hand(rig, side));
        body.add(leg(rig, side));
        body.add(shoe(side));
    }
    body
}

/// Joints along a limb: each with the length along the limb at which it takes over.
struct Chain<'a> {
    joints: &'a [(usize, f64)],
    /// Over which length on both sides of a joint the hand-over stretches.
    blend: f64,
}

impl Chain<'_> {
    fn at(&self, along: f64, color: Color) -> Flesh {
        let next = self.joints.partition_point(|&(_, start)| start - self.blend <= along).max(1);
        let (joint, start) = self.joints[next - 1];
        let before = self.joints[next.saturating_sub(2)].0;
        let t = ((along - start + self.blend) / (2.0 * self.blend)).clamp(0.0, 1.0);
        let second = if before == joint { 0.0 } else { t * t * (3.0 - 2.0 * t) };
        match libm::round(second * 255.0) as u8 {
            255 => Flesh { color, joints: [joint, joint], second: 0 },
            second => Flesh { color, joints: [before, joint], second },
        }
    }
}

/// A round limb from `start` along `direction` through (length, radius) points; `binding` follows the length.
fn tube(start: DVec3, direction: DVec3, profile: &[(f64, f64)], binding: impl Fn(f64) -> Flesh) -> Shape<Flesh> {
    let side = DVec3::Z.cross(direction).normalize();
    let front = direction.cross(side);
    let rings: Vec<_> = profile
        .iter()
        .map(|&(length, radius)| ring(start + direction * length, side * radius, front * radius, 12))
        .collect();
    Shape::loft(&rings, |point| binding((point - start).dot(direction)))
}

fn torso(rig: &Rig) -> Shape<Flesh> {
    /// Height, half width, half depth, middle in Z.
    const SECTIONS: [(f64, f64, f64, f64); 17] = [
        (0.83, 0.0, 0.0, 0.0),
        (0.835, 0.08, 0.06, 0.0),
        (0.86, 0.14, 0.095, -0.005),
        (0.91, 0.169, 0.112, -0.008),
        (0.96, 0.163, 0.11, -0.006),
        (1.0, 0.148, 0.1, -0.002),
        (1.0001, 0.153, 0.105, -0.002),
        (1.06, 0.137, 0.097, 0.0),
        (1.12, 0.138, 0.098, 0.002),
        (1.2, 0.155, 0.107, 0.004),
        (1.28, 0.172, 0.113, 0.004),
        (1.35, 0.183, 0.108, 0.0),
        (1.41, 0.176, 0.092, -0.006),
        (1.45, 0.14, 0.074, -0.01),
        (1.475, 0.085, 0.06, -0.012),
        (1.485, 0.06, 0.055, -0.012),
        (1.486, 0.0, 0.0, -0.012),
    ];
    let rings: Vec<_> = SECTIONS
        .iter()
        .map(|&(y, width, depth, z)| ring(DVec3::new(0.0, y, z), DVec3::Z * depth, DVec3::X * width, 18))
        .collect();
    let spine = [HIPS, SPINE, CHEST, UPPER_CHEST].map(|joint| (joint, rig.places[joint].y));
    let chain = Chain { joints: &spine, blend: 0.05 };
    Shape::loft(&rings, |point| chain.at(point.y, if point.y <= 1.0 { TROUSERS } else { SHIRT }))
}

fn head(rig: &Rig) -> Shape<Flesh> {
    let neck = [(UPPER_CHEST, 0.0), (NECK, 0.045), (HEAD, 0.13)];
    let chain = Chain { joints: &neck, blend: 0.03 };
    let start = DVec3::new(0.0, 1.445, -0.014);
    let direction = DVec3::new(0.0, 1.0, 0.12).normalize();
    let profile = [(0.0, 0.062), (0.04, 0.052), (0.08, 0.049), (0.13, 0.05), (0.17, 0.05)];
    let mut head = tube(start, direction, &profile, |along| chain.at(along, SKIN));

    let middle = rig.places[HEAD] + DVec3::new(0.0, 0.105, 0.018);
    let part = |radii: [f64; 3], points, color, offset: [f64; 3]| {
        let flesh = Flesh { color, joints: [HEAD, HEAD], second: 0 };
        let offset = middle + DVec3::from_array(offset);
        ellipsoid(DVec3::from_array(radii), points, flesh).map(|p| p + offset)
    };
    // The skull narrows towards the chin.
    let skull = part([0.086, 0.122, 0.1], 18, SKIN, [0.0; 3]);
    head.add(skull.map(|p| {
        let below = (middle.y - p.y).max(0.0) / 0.122;
        DVec3::new(p.x * (1.0 - 0.28 * below * below), p.y, p.z + 0.012 * below)
    }));
    // Hair sits on the skull from the back; the face looks out below it.
    head.add(part([0.092, 0.108, 0.092], 18, HAIR, [0.0, 0.034, -0.023]));
    head.add(part([0.012, 0.02, 0.018], 8, SKIN, [0.0, -0.022, 0.104]));
    for side in SIDE {
        head.add(part([0.0095, 0.013, 0.008], 8, EYES, [side * 0.033, 0.012, 0.091]));
        head.add(part([0.012, 0.024, 0.016], 8, SKIN, [side * 0.087, -0.012, -0.004]));
    }
    head
}

fn arm(rig: &Rig, side: usize) -> Shape<Flesh> {
    /// A ball around the shoulder joint, a sleeve, an elbow, a wrist.
    const PROFILE: [(f64, f64); 16] = [
        (-0.054, 0.0),
        (-0.0468, 0.027),
        (-0.027, 0.0468),
        (0.0, 0.054),
        (0.04, 0.054),
        (0.1, 0.051),
        (0.15, 0.05),
        (0.18, 0.049),
        (0.1801, 0.044),
        (0.24, 0.039),
        (0.275, 0.038),
        (0.32, 0.041),
        (0.38, 0.039),
        (0.46, 0.031),
        (0.52, 0.026),
        (0.535, 0.026),
    ];
    let joints = [(UPPER_ARM[side], -0.1), (FOREARM[side], 0.275), (HAND[side], 0.52)];
    let chain = Chain { joints: &joints, blend: 0.035 };
    let direction = arm_direction() * DVec3::new(SIDE[side], 1.0, 1.0);
    tube(rig.places[UPPER_ARM[side]], direction, &PROFILE, |along| {
        chain.at(along, if along <= 0.18005 { SHIRT } else { SKIN })
    })
}

fn hand(rig: &Rig, side: usize) -> Shape<Flesh> {
    let joints = [(HAND[side], 0.0), (FINGERS[side], 0.085)];
    let chain = Chain { joints: &joints, blend: 0.02 };
    let wrist = rig.places[HAND[side]];
    let direction = arm_direction() * DVec3::new(SIDE[side], 1.0, 1.0);
    let (thickness, width) = (DVec3::Z.cross(direction).normalize(), DVec3::Z);
    let section = |(along, thick, wide): (f64, f64, f64)| {
        ring(wrist + direction * along, thickness * thick, direction.cross(thickness).dot(width) * width * wide, 12)
    };
    const SECTIONS: [(f64, f64, f64); 8] = [
        (-0.005, 0.0, 0.0),
        (0.0, 0.02, 0.026),
        (0.03, 0.02, 0.038),
        (0.07, 0.019, 0.042),
        (0.1, 0.016, 0.04),
        (0.14, 0.013, 0.035),
        (0.165, 0.009, 0.024),
        (0.172, 0.0, 0.0),
    ];
    let bind = |point: DVec3| chain.at((point - wrist).dot(direction), SKIN);
    let mut hand = Shape::loft(&SECTIONS.map(section), bind);
    let thumb = (direction + DVec3::Z * 0.75).normalize();
    let profile = [(0.0, 0.0), (0.003, 0.012), (0.04, 0.012), (0.068, 0.009), (0.075, 0.0)];
    let root = wrist + direction * 0.03 + DVec3::Z * 0.022;
    hand.add(tube(root, thumb, &profile, |_| Flesh { color: SKIN, joints: [HAND[side]; 2], second: 0 }));
    hand
}

fn leg(rig: &Rig, side: usize) -> Shape<Flesh> {
    const PROFILE: [(f64, f64); 15] = [
        (-0.08, 0.0),
        (-0.04, 0.0693),
        (0.0, 0.08),
        (0.06, 0.081),
        (0.15, 0.077),
        (0.26, 0.07),
        (0.36, 0.06),
        (0.42, 0.056),
        (0.47, 0.055),
        (0.54, 0.057),
        (0.64, 0.051),
        (0.74, 0.045),
        (0.79, 0.046),
        (0.795, 0.04),
        (0.8, 0.0),
    ];
    let joints = [(THIGH[side], -0.1), (SHIN[side], 0.42), (FOOT[side], 0.835)];
    let chain = Chain { joints: &joints, blend: 0.045 };
    tube(rig.places[THIGH[side]], DVec3::NEG_Y, &PROFILE, |along| chain.at(along, TROUSERS))
}

/// A shoe: sections along Z, flat below.
fn shoe(side: usize) -> Shape<Flesh> {
    /// Place along Z, half width, height.
    const SECTIONS: [(f64, f64, f64); 11] = [
        (-0.072, 0.0, 0.03),
        (-0.07, 0.022, 0.06),
        (-0.055, 0.036, 0.098),
        (-0.02, 0.04, 0.118),
        (0.02, 0.041, 0.115),
        (0.05, 0.042, 0.085),
        (0.09, 0.046, 0.066),
        (0.13, 0.048, 0.056),
        (0.165, 0.043, 0.046),
        (0.188, 0.026, 0.034),
        (0.192, 0.0, 0.02),
    ];
    let x = SIDE[side] * 0.09;
    let rings: Vec<Vec<DVec3>> =
        SECTIONS.iter().map(|&(z, width, height)| sole_and_upper(x, z, width, height)).collect();
    let joints = [(FOOT[side], -1.0), (TOES[side], 0.12)];
    let chain = Chain { joints: &joints, blend: 0.03 };
    Shape::loft(&rings, |point| chain.at(point.z, if point.y < 0.016 { SOLES } else { SHOES }))
}

/// A cross-section of a shoe, counter-clockwise about +Z: two points of the sole, its rims, and an arch over them.
fn sole_and_upper(x: f64, z: f64, width: f64, height: f64) -> Vec<DVec3> {
    const OUTLINE: [(f64, f64, f64); 14] = [
        (-0.7, 0.0, 0.0),
        (0.7, 0.0, 0.0),
        (1.05, 0.004, 0.0),
        (1.05, 0.0155, 0.0),
        (1.0, 0.0165, 0.0),
        (0.98, 0.0, 0.5),
        (0.78, 0.0, 0.82),
        (0.42, 0.0, 0.97),
        (0.0, 0.0, 1.0),
        (-0.42, 0.0, 0.97),
        (-0.78, 0.0, 0.82),
        (-0.98, 0.0, 0.5),
        (-1.0, 0.0165, 0.0),
        (-1.05, 0.0155, 0.0),
    ];
    let mut ring: Vec<_> = OUTLINE
        .iter()
        .map(|&(across, rim, arch)| {
            let y = if arch > 0.0 { 0.0165 + (height - 0.0165) * arch } else { rim };
            DVec3::new(x + across * width, y, z)
        })
        .collect();
    ring.push(DVec3::new(x - 1.05 * width, 0.004, z));
    ring
}
