//! A clip's keys as an ozz animation: what ozz's offline builder would make, for keys that all tracks share.

use keyfold_core::clip::{Clip, NodeProperty, Pose, Sampler, Target, Track};
use ozz_animation_rs::{Animation, SoaTransform};
use serde_json::{Value, json};

/// Keys between two snapshots of ozz's cache: what makes random access possible for it.
const SNAPSHOT: usize = 8;

/// How many joints a clip has.
pub fn joints(clip: &Clip<'_>) -> usize {
    let node = |track: &Track| if let Target::Node(node, _) = track.target() { *node as usize + 1 } else { 0 };
    clip.tracks().iter().map(node).max().unwrap_or(0)
}

fn track<'c>(clip: &'c Clip<'_>, joint: usize, property: NodeProperty) -> Option<&'c Track> {
    clip.tracks().iter().find(|t| *t.target() == Target::Node(joint as u32, property))
}

/// The animation that ozz plays.
pub fn animation(clip: &Clip<'_>, joints: usize) -> Result<Animation, serde_json::Error> {
    let keys = clip.keys();
    let poses: Vec<Pose> = (0..keys)
        .map(|k| {
            let mut pose = Pose::new(clip);
            Sampler::new(clip).sample(clip.key_time(k), &mut pose);
            pose
        })
        .collect();
    let ratio = |k: usize| (clip.key_time(k) / f64::from(clip.duration())) as f32;
    let mut raw = json!({
        "duration": clip.duration(), "num_tracks": joints, "name": "",
        "timepoints": (0..keys).map(ratio).collect::<Vec<f32>>(),
    });
    let sorts = [
        ("t", "translations", NodeProperty::Translation, [0.0; 4]),
        ("r", "rotations", NodeProperty::Rotation, [0.0, 0.0, 0.0, 1.0]),
        ("s", "scales", NodeProperty::Scale, [1.0; 4]),
    ];
    for (letter, plural, property, rest) in sorts {
        let moving = (0..joints).any(|j| track(clip, j, property).is_some());
        // What nothing moves has a key at either end.
        let order = Order { joints, keys: if moving { keys } else { 2 } };
        let place = |key: Key| if key.number == 1 && (!moving || key.track >= joints) { keys - 1 } else { key.number };
        let value = |key: Key| {
            let moved = track(clip, key.track, property);
            let value = moved.map_or(rest.to_vec(), |t| poses[place(key)].value(t).to_vec());
            if property == NodeProperty::Rotation { quaternion(&value) } else { [0, 1, 2].map(|i| half(value[i])) }
        };
        let (entries, desc) = order.snapshots();
        let all = order.all();
        raw[plural] = all.iter().map(|key| json!(value(*key))).collect();
        raw[format!("{letter}_ratios")] = all.iter().map(|key| json!(place(*key))).collect();
        raw[format!("{letter}_previouses")] = all.iter().map(|key| json!(order.back(*key))).collect();
        raw[format!("{letter}_iframe_interval")] = if desc.is_empty() { json!(1.0) } else { json!(ratio(SNAPSHOT)) };
        raw[format!("{letter}_iframe_entries")] = json!(entries);
        raw[format!("{letter}_iframe_desc")] = json!(desc);
    }
    serde_json::from_value::<Animation>(Value::take(&mut raw))
}

/// The order in which ozz has keys: by the time of the key before, then by track. Tracks fill up to fours; those that only fill
/// have two keys.
#[derive(Clone, Copy)]
struct Order {
    joints: usize,
    keys: usize,
}

/// Key `number` of a track.
#[derive(Clone, Copy)]
struct Key {
    number: usize,
    track: usize,
}

impl Order {
    fn tracks(self) -> usize {
        self.joints.div_ceil(4) * 4
    }

    fn all(self) -> Vec<Key> {
        let tracks = |number: usize| if number < 2 { self.tracks() } else { self.joints };
        (0..self.keys).flat_map(|number| (0..tracks(number)).map(move |track| Key { number, track })).collect()
    }

    /// Where a key stands.
    fn index(self, Key { number, track }: Key) -> usize {
        number.min(2) * self.tracks() + number.saturating_sub(2) * self.joints + track
    }

    /// How far back the key before stands.
    fn back(self, key: Key) -> usize {
        if key.number == 0 { 0 } else { self.index(key) - self.index(Key { number: key.number - 1, ..key }) }
    }

    /// The state of ozz's cache at every eighth key: for each track the number of the key after, and the last key read.
    fn snapshots(self) -> (Vec<u8>, Vec<usize>) {
        let (mut entries, mut desc) = (Vec::new(), Vec::new());
        for i in 1..=((self.keys - 1) as f64 / SNAPSHOT as f64).round() as usize {
            let after = (i * SNAPSHOT + 1).min(self.keys - 1);
            desc.extend([entries.len(), self.index(Key { number: after, track: self.joints - 1 })]);
            let entry = |track| self.index(Key { number: if track < self.joints { after } else { 1 }, track }) as u32;
            (0..self.tracks()).step_by(4).for_each(|t| four([0, 1, 2, 3].map(|i| entry(t + i)), &mut entries));
        }
        (entries, desc)
    }
}

/// Four numbers after a byte that says how long each is.
fn four(numbers: [u32; 4], out: &mut Vec<u8>) {
    let length = |n: u32| (4 - n.leading_zeros() as usize / 8).max(1);
    out.push(numbers.iter().enumerate().fold(0, |b, (i, n)| b | ((length(*n) - 1) as u8) << (2 * i)));
    numbers.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()[..length(*n)]));
}

/// A quaternion as ozz packs it: which component is the largest, its sign, and the others in 15 bits.
fn quaternion(q: &[f32]) -> [u16; 3] {
    let largest = (0..4).fold(0, |best, i| if q[i].abs() > q[best].abs() { i } else { best });
    let code = |v: f32| ((v * std::f32::consts::FRAC_1_SQRT_2 + 0.5) * 32767.0).round().clamp(0.0, 32767.0) as u64;
    let others: Vec<u64> = (0..4).filter(|i| *i != largest).map(|i| code(q[i])).collect();
    let packed = largest as u64 | u64::from(q[largest] < 0.0) << 2 | others[0] << 3 | others[1] << 18 | others[2] << 33;
    [packed as u16, (packed >> 16) as u16, (packed >> 32) as u16]
}

/// A float of 16 bits, rounded; small ones become zero.
fn half(v: f32) -> u16 {
    let bits = v.to_bits();
    let exponent = (bits >> 23 & 0xFF) as i32 - 112;
    let rounded = (bits & 0x7F_FFFF) + 0x1000;
    let sign = (bits >> 16 & 0x8000) as u16;
    if exponent <= 0 { sign } else { sign | (((exponent as u32) << 10) + (rounded >> 13)) as u16 }
}

/// How far apart a joint's transforms are, by component. Quaternions of either sign are the same rotation.
pub fn difference(clip: &Clip<'_>, pose: &Pose, joint: usize, theirs: &SoaTransform, lane: usize) -> f32 {
    let (t, r, s) = (&theirs.translation, &theirs.rotation, &theirs.scale);
    let sorts = [
        (NodeProperty::Translation, vec![t.x[lane], t.y[lane], t.z[lane]]),
        (NodeProperty::Rotation, vec![r.x[lane], r.y[lane], r.z[lane], r.w[lane]]),
        (NodeProperty::Scale, vec![s.x[lane], s.y[lane], s.z[lane]]),
    ];
    let mut worst = 0.0f32;
    for (property, theirs) in sorts {
        let Some(track) = track(clip, joint, property) else { continue };
        let far =
            |sign: f32| pose.value(track).iter().zip(&theirs).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
        worst = worst.max(if property == NodeProperty::Rotation { far(1.0).min(far(-1.0)) } else { far(1.0) });
    }
    worst
}
