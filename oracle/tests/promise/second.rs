//! Reading and playing, once more: its own accessors, search for keys, slerp, splines and hierarchy, written from glTF's specification and appendix C and
//! from nothing of ours. Only what stands in a storage of its own is decoded by Keyfold.

use keyfold::{Document, Interpolation, Property, Target, read};
use serde_json::Value;

type Vec3 = [f64; 3];
type Quat = [f64; 4];
/// Four columns of three.
type Matrix = [Vec3; 4];

/// Nodes and the first animation, as the file states them.
pub(crate) struct Scene {
    nodes: Vec<Node>,
    /// Parents before children.
    order: Vec<usize>,
    tracks: Vec<Track>,
}

#[derive(Clone)]
struct Node {
    parent: Option<usize>,
    rest: (Vec3, Quat, Vec3),
}

#[derive(Clone, Copy, PartialEq)]
enum Path {
    Translation,
    Rotation,
    Scale,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Step,
    Linear,
    Spline,
}

/// Keys as an accessor has them: a spline's with a tangent before and behind each value.
struct Track {
    node: usize,
    path: Path,
    /// The one axis that is driven, where it is not all.
    axis: Option<usize>,
    form: Form,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Scene {
    /// A `.glb` of plain floats, read from its bytes.
    pub(crate) fn plain(glb: &[u8]) -> Self {
        let (json, bin) = parts(glb);
        let floats = |accessor: &Value| -> Vec<f64> {
            let accessor = &json["accessors"][index(accessor)];
            assert_eq!(accessor["componentType"], 5126);
            let view = &json["bufferViews"][index(&accessor["bufferView"])];
            assert!(view["byteStride"].is_null() && accessor["sparse"].is_null() && index(&view["buffer"]) == 0);
            let width = match accessor["type"].as_str().unwrap() {
                "SCALAR" => 1,
                "VEC3" => 3,
                "VEC4" => 4,
                other => panic!("{other}"),
            };
            let start = index(&view["byteOffset"]) + index(&accessor["byteOffset"]);
            let bytes = &bin[start..start + 4 * width * index(&accessor["count"])];
            bytes.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
        };
        let animation = &json["animations"][0];
        let track = |channel: &Value| {
            let (sampler, target) = (&animation["samplers"][index(&channel["sampler"])], &channel["target"]);
            let path = match target["path"].as_str().unwrap() {
                "translation" => Path::Translation,
                "rotation" => Path::Rotation,
                "scale" => Path::Scale,
                other => panic!("{other}"),
            };
            let form = match sampler["interpolation"].as_str().unwrap_or("LINEAR") {
                "STEP" => Form::Step,
                "LINEAR" => Form::Linear,
                "CUBICSPLINE" => Form::Spline,
                other => panic!("{other}"),
            };
            let (times, values) = (floats(&sampler["input"]), floats(&sampler["output"]));
            Track { node: index(&target["node"]), path, axis: None, form, times, values }
        };
        // A file that holds its rest pose may have lost its animation.
        let channels = animation["channels"].as_array().into_iter().flatten();
        Self::new(&json, channels.map(track).collect())
    }

    /// A document whose keys Keyfold decodes.
    pub(crate) fn decoded(document: &Document) -> Self {
        let animations = read(document).unwrap().animations;
        let tracks = animations.iter().flat_map(|animation| &animation.tracks).map(|track| {
            let Target::Node { node, property, axis } = &track.target else { panic!("{}", track.target) };
            let path = match property {
                Property::Translation => Path::Translation,
                Property::Rotation => Path::Rotation,
                Property::Scale => Path::Scale,
                Property::Weights => panic!("there are no weights"),
            };
            let form = match track.curve.interpolation() {
                Interpolation::Step => Form::Step,
                Interpolation::Linear => Form::Linear,
                Interpolation::CubicSpline => Form::Spline,
                Interpolation::CubicSlerp => panic!("there is no CUBICSLERP"),
            };
            let floats = |list: &[f32]| list.iter().map(|v| f64::from(*v)).collect();
            let (times, values) = (floats(track.curve.times()), floats(track.curve.values()));
            Track { node: *node, path, axis: axis.map(|axis| axis as usize), form, times, values }
        });
        Self::new(document.json(), tracks.collect())
    }

    fn new(json: &Value, tracks: Vec<Track>) -> Self {
        let all = json["nodes"].as_array().unwrap();
        let numbers = |node: &Value, key: &str| -> Option<Vec<f64>> {
            Some(node[key].as_array()?.iter().filter_map(Value::as_f64).collect())
        };
        let vector = |node: &Value, key: &str, or: Vec3| numbers(node, key).map_or(or, |v| [v[0], v[1], v[2]]);
        let rotation = |node: &Value| numbers(node, "rotation").map_or([0.0, 0.0, 0.0, 1.0], |v| unit(&v));
        let rest = |n: &Value| (vector(n, "translation", [0.0; 3]), rotation(n), vector(n, "scale", [1.0; 3]));
        let mut nodes: Vec<Node> = all.iter().map(|n| Node { parent: None, rest: rest(n) }).collect();
        for (i, node) in all.iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                nodes[index(child)].parent = Some(i);
            }
        }
        let depth = |n: usize| std::iter::successors(nodes[n].parent, |p| nodes[*p].parent).count();
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|n| depth(*n));
        Self { nodes, order, tracks }
    }

    /// Gives a track other times.
    pub(crate) fn set_times(&mut self, track: usize, times: Vec<f64>) {
        self.tracks[track].times = times;
    }

    /// How far out on each axis of each node the points lie that are looked at, in its own units.
    pub(crate) fn offsets(&self, shell: f64) -> Vec<Vec3> {
        let rest: Vec<_> = self.nodes.iter().map(|n| n.rest).collect();
        self.globals(&rest).0.iter().map(|m| [0, 1, 2].map(|axis| shell / length(&m[axis]))).collect()
    }

    /// Where everything is at a time.
    pub(crate) fn pose(&self, time: f64) -> Pose {
        let mut locals: Vec<_> = self.nodes.iter().map(|n| n.rest).collect();
        for track in &self.tracks {
            let (value, local) = (track.value(time), &mut locals[track.node]);
            let vector = match track.path {
                Path::Rotation => {
                    local.1 = value;
                    continue;
                }
                Path::Translation => &mut local.0,
                Path::Scale => &mut local.2,
            };
            match track.axis {
                Some(axis) => vector[axis] = value[0],
                None => vector.copy_from_slice(&value[..3]),
            }
        }
        self.globals(&locals)
    }

    fn globals(&self, locals: &[(Vec3, Quat, Vec3)]) -> Pose {
        let mut out = vec![[[0.0; 3]; 4]; locals.len()];
        for &n in &self.order {
            let local = matrix(&locals[n]);
            out[n] = self.nodes[n].parent.map_or(local, |p| product(&out[p], &local));
        }
        Pose(out)
    }
}

/// The two chunks of a `.glb`.
pub(crate) fn parts(glb: &[u8]) -> (Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + word(12);
    (serde_json::from_slice(&glb[20..end]).unwrap(), &glb[end + 8..])
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

/// The matrices of all nodes.
pub(crate) struct Pose(Vec<Matrix>);

impl Pose {
    /// The largest distance between a point and its twin.
    pub(crate) fn distance(a: &Self, b: &Self, offsets: &[Vec3]) -> f64 {
        let mut worst = 0.0f64;
        for (n, offset) in offsets.iter().enumerate() {
            for axis in 0..3 {
                let at = |m: &Matrix| [0, 1, 2].map(|k| m[3][k] + m[axis][k] * offset[axis]);
                let (p, q) = (at(&a.0[n]), at(&b.0[n]));
                let apart = length(&[0, 1, 2].map(|k| p[k] - q[k]));
                assert!(!apart.is_nan());
                worst = worst.max(apart);
            }
        }
        worst
    }
}

/// The times to look at: all keys and just before them, 2,000 a second, and closer and closer around where a spline of quaternions is shortest.
pub(crate) fn looks(scenes: &[&Scene]) -> Vec<f64> {
    let tracks = || scenes.iter().flat_map(|scene| &scene.tracks);
    let mut out: Vec<f64> = tracks().flat_map(|t| &t.times).flat_map(|t| [t.next_down(), *t]).collect();
    let (start, end) = (out.iter().copied().fold(f64::INFINITY, f64::min), out.iter().copied().fold(0.0, f64::max));
    let steps = ((end - start) * 2000.0).ceil().max(1.0) as usize;
    out.extend((0..=steps).map(|i| start + (end - start) * i as f64 / steps as f64));
    for track in tracks().filter(|t| t.path == Path::Rotation && t.form == Form::Spline) {
        out.extend((1..track.times.len()).flat_map(|key| track.around_the_shortest(key - 1)));
    }
    out.sort_by(f64::total_cmp);
    out.dedup();
    out
}

impl Track {
    /// Times ever closer to where the spline behind a key is shortest.
    fn around_the_shortest(&self, key: usize) -> Vec<f64> {
        let span = self.times[key + 1] - self.times[key];
        let size = |s: &f64| self.spline(key, *s, span).iter().map(|c| c * c).sum::<f64>();
        let shortest = |all: &mut dyn Iterator<Item = f64>| all.min_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
        let (mut s, mut step) = (shortest(&mut (0..=64).map(|i| f64::from(i) / 64.0)), 1.0 / 64.0);
        for _ in 0..60 {
            s = shortest(&mut [s - step, s, s + step].into_iter().map(|s| s.clamp(0.0, 1.0)));
            step *= 0.7;
        }
        let around = (0..48).map(|k| 0.75f64.powi(k)).flat_map(|away| [s - away, s + away]).chain([s]);
        around.filter(|s| (0.0..=1.0).contains(s)).map(|s| self.times[key] + s * span).collect()
    }

    fn width(&self) -> usize {
        match (self.path, self.axis) {
            (Path::Rotation, _) => 4,
            (_, Some(_)) => 1,
            _ => 3,
        }
    }

    /// A key's value (1) or, of splines, its tangents (0 and 2).
    fn key(&self, key: usize, part: usize) -> &[f64] {
        let width = self.width();
        let at = if self.form == Form::Spline { 3 * key + part } else { key };
        &self.values[width * at..width * (at + 1)]
    }

    /// As many numbers as the target has, then zeros; rotations of unit length.
    fn value(&self, time: f64) -> Quat {
        let after = self.times.partition_point(|t| *t <= time);
        if after == 0 || after == self.times.len() {
            return self.finish(&filled(self.key(after.saturating_sub(1), 1)));
        }
        let (key, span) = (after - 1, self.times[after] - self.times[after - 1]);
        let s = (time - self.times[key]) / span;
        let (a, b) = (self.key(key, 1), self.key(after, 1));
        match (self.form, self.path) {
            (Form::Step, _) => self.finish(&filled(a)),
            (Form::Spline, _) => self.finish(&self.spline(key, s, span)),
            (Form::Linear, Path::Rotation) => slerp(&unit(a), &unit(b), s),
            (Form::Linear, _) => {
                let (a, b) = (filled(a), filled(b));
                [0, 1, 2, 3].map(|c| a[c] * (1.0 - s) + b[c] * s)
            }
        }
    }

    fn finish(&self, value: &Quat) -> Quat {
        if self.path == Path::Rotation { unit(value) } else { *value }
    }

    /// Appendix C's Hermite spline.
    fn spline(&self, key: usize, s: f64, span: f64) -> Quat {
        let parts = [self.key(key, 1), self.key(key, 2), self.key(key + 1, 1), self.key(key + 1, 0)].map(filled);
        let (s2, s3) = (s * s, s * s * s);
        let by = [2.0 * s3 - 3.0 * s2 + 1.0, span * (s3 - 2.0 * s2 + s), -2.0 * s3 + 3.0 * s2, span * (s3 - s2)];
        [0, 1, 2, 3].map(|c| (0..4).map(|i| by[i] * parts[i][c]).sum())
    }
}

fn filled(value: &[f64]) -> Quat {
    [0, 1, 2, 3].map(|c| value.get(c).copied().unwrap_or(0.0))
}

/// Appendix C's spherical interpolation, the short way.
fn slerp(a: &Quat, b: &Quat, s: f64) -> Quat {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let angle = dot.abs().min(1.0).acos();
    let (p, q) = if angle < 1e-6 {
        (1.0 - s, s)
    } else {
        ((angle * (1.0 - s)).sin() / angle.sin(), (angle * s).sin() / angle.sin())
    };
    unit(&[0, 1, 2, 3].map(|c| p * a[c] + q * sign * b[c]))
}

fn matrix((t, [x, y, z, w], s): &(Vec3, Quat, Vec3)) -> Matrix {
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let [a, b, c] = [0, 1, 2].map(|i| columns[i].map(|v| v * s[i]));
    [a, b, c, *t]
}

fn product(outer: &Matrix, inner: &Matrix) -> Matrix {
    [0, 1, 2, 3].map(|i| {
        [0, 1, 2].map(|k| {
            let moved = if i == 3 { outer[3][k] } else { 0.0 };
            (0..3).map(|j| outer[j][k] * inner[i][j]).sum::<f64>() + moved
        })
    })
}

fn unit(q: &[f64]) -> Quat {
    let length = length(q);
    [0, 1, 2, 3].map(|c| q[c] / length)
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}
