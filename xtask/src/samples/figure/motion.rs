//! How the figure moves: walk, run and idle as functions of time.
//!
//! Feet follow the ground and legs follow the feet: a planted foot travels back with the ground's speed, rolls from heel
//! to ball, and swings forward again; hip and knee are solved for. Spine, arms and head swing against the legs.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::rig::{
    ARM_SPREAD, CHEST, FINGERS, FOOT, FOREARM, HAND, HEAD, HIPS, NECK, Pose, Rig, SHOULDER, SIDE, SPINE, TOES,
    UPPER_ARM, UPPER_CHEST,
};

/// A clip of the figure: how long one cycle takes, and the pose at a moment of it.
pub(crate) struct Motion {
    pub(crate) name: &'static str,
    /// The length in frames of 1/30 second.
    pub(crate) frames: u32,
    /// The pose at a phase from 0 to 1.
    pub(crate) pose: fn(&Rig, f64) -> Pose,
}

pub(crate) const MOTIONS: [Motion; 3] = [
    Motion { name: "walk", frames: 32, pose: |rig, phase| WALK.pose(rig, phase) },
    Motion { name: "run", frames: 21, pose: |rig, phase| RUN.pose(rig, phase) },
    Motion { name: "idle", frames: 120, pose: idle },
];

/// What tells one gait from another. Lengths in metres, angles in degrees, phases in cycles; the left heel strikes at 0.
struct Gait {
    /// The part of a cycle during which a foot stands.
    stance: f64,
    /// Where a foot comes down and where it leaves the ground.
    strike: f64,
    leave: f64,
    /// How high a swinging foot is lifted, and how far it stands from the middle.
    lift: f64,
    width: f64,
    /// How far the toes point up, over the phase of a foot.
    pitch: &'static [(f64, f64)],
    /// The hips: how much lower than at rest, how far up and down, when they are highest, how far to the sides.
    sink: f64,
    bob: f64,
    highest: f64,
    sway: f64,
    /// Turning of the hips and of the shoulders against them, dropping of the swinging side, leaning forward.
    hip_yaw: f64,
    chest_yaw: f64,
    roll: f64,
    lean: f64,
    /// Arms: how far they swing and hang forward, how much elbows are bent and bend more, how far arms are held away.
    arm_swing: f64,
    arm_forward: f64,
    elbow: f64,
    elbow_swing: f64,
    arm_away: f64,
    /// How much fingers are curled.
    curl: f64,
}

const WALK: Gait = Gait {
    stance: 0.61,
    strike: 0.29,
    leave: -0.37,
    lift: 0.035,
    width: 0.075,
    pitch: &[(0.0, 20.0), (0.1, 0.0), (0.36, 0.0), (0.61, -44.0), (0.68, -52.0), (0.84, 4.0), (0.95, 22.0)],
    sink: 0.028,
    bob: 0.019,
    highest: 0.31,
    sway: 0.018,
    hip_yaw: 6.0,
    chest_yaw: 7.0,
    roll: 3.5,
    lean: 2.5,
    arm_swing: 24.0,
    arm_forward: 4.0,
    elbow: 19.0,
    elbow_swing: 12.0,
    arm_away: 7.0,
    curl: 25.0,
};

const RUN: Gait = Gait {
    stance: 0.36,
    strike: 0.2,
    leave: -0.47,
    lift: 0.27,
    width: 0.055,
    pitch: &[(0.0, 8.0), (0.08, 0.0), (0.2, -4.0), (0.36, -52.0), (0.5, -78.0), (0.75, -18.0), (0.93, 12.0)],
    sink: 0.075,
    bob: 0.032,
    highest: 0.43,
    sway: 0.009,
    hip_yaw: 9.0,
    chest_yaw: 14.0,
    roll: 4.0,
    lean: 11.0,
    arm_swing: 40.0,
    arm_forward: -8.0,
    elbow: 88.0,
    elbow_swing: 16.0,
    arm_away: 12.0,
    curl: 70.0,
};

impl Gait {
    fn pose(&self, rig: &Rig, phase: f64) -> Pose {
        let mut pose = Pose::rest(rig);
        self.trunk(&mut pose, phase);
        for (side, lag) in [0.0, 0.5].into_iter().enumerate() {
            self.leg(rig, &mut pose, side, fraction(phase + lag));
            self.arm(&mut pose, side, phase + lag);
        }
        pose
    }

    fn trunk(&self, pose: &mut Pose, phase: f64) {
        let standing = wave(phase - self.stance / 2.0);
        let yaw = -self.hip_yaw * wave(phase);
        let roll = self.roll * standing;
        let bob = self.bob * wave(2.0 * (phase - self.highest)) - self.sink;
        pose.hips += DVec3::new(self.sway * standing, bob, 0.0);
        pose.rotations[HIPS] = turn(self.lean * 0.4, yaw, roll);
        let lean = self.lean * 0.6 / 3.0;
        let late = self.chest_yaw * wave(phase - 0.03);
        for joint in [SPINE, CHEST, UPPER_CHEST] {
            pose.rotations[joint] = turn(lean, (late - yaw) / 3.0, -roll * 0.42);
        }
        let nod = 1.5 * wave(2.0 * (phase - self.highest) - 0.1);
        pose.rotations[NECK] = turn(-self.lean * 0.35, -late * 0.5, roll * 0.1);
        pose.rotations[HEAD] = turn(-self.lean * 0.5 + nod, -late * 0.45, roll * 0.16);
    }

    fn leg(&self, rig: &Rig, pose: &mut Pose, side: usize, phase: f64) {
        let pitch = eased(self.pitch, phase);
        let flat = turn(0.0, SIDE[side] * 5.0, 0.0);
        let foot = flat * turn(-pitch, 0.0, 0.0);
        let mut ankle = DVec3::new(SIDE[side] * self.width, rig.places[FOOT[side]].y, self.ground(phase));
        ankle += rolled(flat, foot, pitch);
        if phase > self.stance {
            let swing = (phase - self.stance) / (1.0 - self.stance);
            ankle.y += self.lift * bump(swing);
        }
        let knee = DVec3::new(SIDE[side] * 0.12, 0.0, 1.0);
        pose.place_foot(rig, side, ankle, foot, knee);
        pose.rotations[TOES[side]] = turn(pitch.min(0.0) * self.toe_hold(phase), 0.0, 0.0);
    }

    /// How much of the foot's pitch the toes take back: all while they stand, little in the air.
    fn toe_hold(&self, phase: f64) -> f64 {
        eased(&[(0.0, 1.0), (self.stance, 0.9), (self.stance + 0.12, 0.15), (0.95, 0.3)], phase)
    }

    /// Where along Z the foot's place on the ground is: back with the ground, then forward again in one smooth swing.
    fn ground(&self, phase: f64) -> f64 {
        let speed = (self.leave - self.strike) / self.stance;
        if phase <= self.stance {
            return self.strike + speed * phase;
        }
        let length = 1.0 - self.stance;
        hermite((phase - self.stance) / length, self.leave, self.strike, speed * length)
    }

    fn arm(&self, pose: &mut Pose, side: usize, phase: f64) {
        let swing = |lag: f64| wave(phase - lag);
        let hang = Hanging::new(side, self.arm_away);
        let raise = self.arm_swing * swing(0.02) - self.arm_forward;
        pose.rotations[SHOULDER[side]] = turn(0.0, SIDE[side] * 3.0 * swing(0.0), 0.0);
        pose.rotations[UPPER_ARM[side]] = turn(raise, 0.0, 0.0) * hang.down;
        pose.rotations[FOREARM[side]] = hang.bend(-self.elbow + self.elbow_swing * swing(0.06));
        pose.rotations[HAND[side]] = hang.bend(-6.0 + 6.0 * swing(0.14));
        pose.rotations[FINGERS[side]] = hang.curl(self.curl + 4.0 * swing(0.18));
    }
}

/// Breathing, a shift of weight, a look around: four seconds that close into a loop.
fn idle(rig: &Rig, phase: f64) -> Pose {
    let mut pose = Pose::rest(rig);
    let breath = wave(2.0 * phase);
    let shift = wave(phase - 0.2);
    pose.hips += DVec3::new(0.022 * shift, -0.022 + 0.003 * breath - 0.004 * shift * shift, 0.004 * wave(phase));
    pose.rotations[HIPS] = turn(0.5, 2.5 * wave(phase - 0.3), 2.2 * shift);
    for joint in [SPINE, CHEST, UPPER_CHEST] {
        pose.rotations[joint] = turn(-0.9 * wave(2.0 * phase - 0.08), -1.2 * wave(phase - 0.35), -0.8 * shift);
    }
    let look = eased(&[(0.0, 0.0), (0.2, 0.0), (0.32, 16.0), (0.5, 14.0), (0.68, -12.0), (0.85, -9.0)], phase);
    pose.rotations[NECK] = turn(1.0 + 0.8 * breath, look * 0.4, 0.3 * shift);
    pose.rotations[HEAD] = turn(-1.5 + 2.0 * wave(phase - 0.6), look * 0.6, 0.8 * shift);
    for side in 0..2 {
        stand(rig, &mut pose, side);
        idle_arm(&mut pose, side, phase);
    }
    pose
}

fn stand(rig: &Rig, pose: &mut Pose, side: usize) {
    let foot = turn(0.0, SIDE[side] * 12.0, 0.0);
    let ankle = DVec3::new(SIDE[side] * 0.105, rig.places[FOOT[side]].y, [0.03, -0.03][side]);
    pose.place_foot(rig, side, ankle, foot, DVec3::new(SIDE[side] * 0.2, 0.0, 1.0));
}

fn idle_arm(pose: &mut Pose, side: usize, phase: f64) {
    let hang = Hanging::new(side, 9.0);
    let lag = 0.06 * side as f64;
    pose.rotations[SHOULDER[side]] = turn(0.0, 0.0, SIDE[side] * 1.2 * wave(2.0 * phase - 0.1));
    pose.rotations[UPPER_ARM[side]] = turn(2.0 * wave(phase - 0.1 - lag), 0.0, 0.0) * hang.down;
    pose.rotations[FOREARM[side]] = hang.bend(-16.0 + 2.5 * wave(phase - 0.2 - lag));
    pose.rotations[HAND[side]] = hang.bend(-4.0 + 2.0 * wave(phase - 0.3 - lag));
    pose.rotations[FINGERS[side]] = hang.curl(22.0 + 3.0 * wave(2.0 * phase - lag));
}

/// An arm brought from its spread at rest to hanging beside the body.
struct Hanging {
    down: DQuat,
    side: f64,
}

impl Hanging {
    fn new(side: usize, away: f64) -> Self {
        Hanging { down: turn(0.0, 0.0, SIDE[side] * (away - ARM_SPREAD)), side: SIDE[side] }
    }

    /// A rotation about the body's X axis, said in the axes of the arm at rest.
    fn bend(&self, degrees: f64) -> DQuat {
        self.down.inverse() * turn(degrees, 0.0, 0.0) * self.down
    }

    /// A rotation of the fingers towards the palm, which faces the body.
    fn curl(&self, degrees: f64) -> DQuat {
        self.down.inverse() * turn(0.0, 0.0, -self.side * degrees) * self.down
    }
}

/// How far the ankle moves when the foot, `flat` on the ground before, rolls over its heel or its ball.
fn rolled(flat: DQuat, foot: DQuat, pitch: f64) -> DVec3 {
    let pivot = if pitch > 0.0 { DVec3::new(0.0, -0.085, -0.06) } else { DVec3::new(0.0, -0.085, 0.125) };
    flat * pivot - foot * pivot
}

/// A rotation by degrees about X, then Z, then Y of the parent.
fn turn(x: f64, y: f64, z: f64) -> DQuat {
    let [x, y, z] = [x, y, z].map(f64::to_radians);
    DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x)
}

/// A cosine with the period 1.
fn wave(phase: f64) -> f64 {
    libm::cos(TAU * phase)
}

/// From 0 up to 1 at two fifths of the way and down to 0, at rest in all three.
fn bump(t: f64) -> f64 {
    let s = 1.0 - t;
    t * t * s * s * s / 0.034_56
}

fn fraction(phase: f64) -> f64 {
    phase - libm::floor(phase)
}

/// A closed curve through (phase, value) points, at rest in each of them.
fn eased(points: &[(f64, f64)], phase: f64) -> f64 {
    let after = points.partition_point(|point| point.0 <= phase);
    let from = points[after.max(1) - 1];
    let to = points.get(after).map_or((points[0].0 + 1.0, points[0].1), |&point| point);
    let t = (phase - from.0) / (to.0 - from.0);
    from.1 + (to.1 - from.1) * t * t * (3.0 - 2.0 * t)
}

/// From `a` to `b` with the same speed at both ends.
fn hermite(t: f64, a: f64, b: f64, speed: f64) -> f64 {
    let s = 1.0 - t;
    a * (1.0 + 2.0 * t) * s * s + b * (1.0 + 2.0 * s) * t * t + speed * (t * s * s - t * t * s)
}
