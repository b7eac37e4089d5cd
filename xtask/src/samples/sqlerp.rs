//! `samples/conformance/sqlerp/`: CUBICSLERP in every form that files have it, with what they should play as, and a file per
//! broken rule. `manifest.json` says what to expect of each.
//!
//! What is expected comes from closed forms: where the keys and controls of a segment lie on one great circle of quaternions at
//! the angles a, b, c, d, the curve stays on it, at (1 - h) (a + (d - a) t) + h (b + (c - b) t) with h = 2 t (1 - t). Node 0 turns about
//! one axis, which is a great circle through the identity; node 1 goes along another one.

use serde_json::{Value, json};

use super::Sample;
use super::gltf::{Component, Gltf, Usage};

/// A file and what it shows.
struct Case {
    name: &'static str,
    about: &'static str,
    gltf: Gltf,
    expects: Expects,
}

enum Expects {
    /// The values of the closed forms.
    Motion { tolerance: f64 },
    /// A finding: its code and its place.
    Finding(&'static str, &'static str),
}

/// When, and the angles of the control that leads in, of the key, and of the control that leads out.
type Key = (f32, [f64; 3]);
const KEYS: [Key; 3] = [(0.5, [0.0, 0.2, 0.9]), (1.5, [1.9, 1.4, 1.0]), (3.0, [-0.3, 0.5, 0.0])];
const TIMES: [f64; 11] = [0.0, 0.5, 0.6, 0.75, 1.0, 1.3, 1.5, 2.0, 2.7, 3.0, 5.0];

/// Two quaternions at right angles that span a great circle.
type Circle = [[f64; 4]; 2];
const ABOUT_Y: Circle = [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]];
const ANOTHER: Circle = [[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]];

fn on(circle: Circle, angle: f64) -> [f64; 4] {
    let (cos, sin) = (libm::cos(angle / 2.0), libm::sin(angle / 2.0));
    [0, 1, 2, 3].map(|i| cos * circle[0][i] + sin * circle[1][i])
}

/// The angle at a time, from the closed form.
fn angle(time: f64) -> f64 {
    let at = |k: usize| f64::from(KEYS[k].0);
    let Some(k) = (0..KEYS.len() - 1).find(|k| time < at(k + 1)) else { return KEYS[KEYS.len() - 1].1[1] };
    let t = ((time - at(k)) / (at(k + 1) - at(k))).max(0.0);
    let (h, [_, a, b], [c, d, _]) = (2.0 * t * (1.0 - t), KEYS[k].1, KEYS[k + 1].1);
    (1.0 - h) * (a + (d - a) * t) + h * (b + (c - b) * t)
}

/// What a CUBICSLERP accessor holds; unused controls are zeros.
fn output(circle: Circle) -> Vec<[f64; 4]> {
    let mut elements: Vec<[f64; 4]> = KEYS.iter().flat_map(|(_, angles)| angles.map(|a| on(circle, a))).collect();
    let last = elements.len() - 1;
    (elements[0], elements[last]) = ([0.0; 4], [0.0; 4]);
    elements
}

/// A file in the making: samplers 0 and 1 are CUBICSLERP for both nodes, 2 and 3 are LINEAR.
struct Draft {
    gltf: Gltf,
    samplers: Vec<Value>,
}

impl Draft {
    fn new(used: &[&str], required: &[&str]) -> Self {
        let mut gltf = Gltf::new(used);
        if !required.is_empty() {
            gltf.set("extensionsRequired", json!(required));
        }
        for name in ["about one axis", "along a great circle"] {
            gltf.push("nodes", json!({ "name": name }));
        }
        gltf.push("scenes", json!({ "nodes": [0, 1] }));
        Self { gltf, samplers: Vec::new() }
    }

    /// With values as floats, changed by `change`.
    fn floats(used: &[&str], required: &[&str], change: impl Fn(usize, [f64; 4]) -> [f64; 4]) -> Self {
        Self::stored(used, required, Usage::Values, |i, q| change(i, q).map(|c| c as f32))
    }

    fn stored<T: Component>(
        used: &[&str],
        required: &[&str],
        usage: Usage,
        store: impl Fn(usize, [f64; 4]) -> [T; 4],
    ) -> Self {
        let mut draft = Self::new(used, required);
        let input = draft.gltf.accessor(&KEYS.map(|(time, _)| [time]), Usage::Times);
        for circle in [ABOUT_Y, ANOTHER] {
            let elements: Vec<[T; 4]> = output(circle).into_iter().enumerate().map(|(i, q)| store(i, q)).collect();
            let output = draft.gltf.accessor(&elements, usage);
            draft.sampler(input, output, "CUBICSLERP");
        }
        for circle in [ABOUT_Y, ANOTHER] {
            let keys: Vec<[f32; 4]> = KEYS.iter().map(|(_, angles)| on(circle, angles[1]).map(|c| c as f32)).collect();
            let output = draft.gltf.accessor(&keys, Usage::Values);
            draft.sampler(input, output, "LINEAR");
        }
        draft
    }

    fn sampler(&mut self, input: usize, output: usize, interpolation: &str) {
        self.samplers.push(json!({ "input": input, "interpolation": interpolation, "output": output }));
    }

    /// One animation whose channel for each node `channel` makes.
    fn finish(mut self, channel: impl Fn(usize) -> Value) -> Gltf {
        let channels: Vec<Value> = (0..2).map(channel).collect();
        self.gltf.push("animations", json!({ "channels": channels, "samplers": self.samplers }));
        self.gltf
    }
}

const SQLERP: &str = "EXT_animation_sqlerp";
const POINTER: &str = "KHR_animation_pointer";
const ANIMATION2: &str = "KHR_animation2";

fn rotation(node: usize) -> Value {
    json!({ "node": node, "path": "rotation" })
}

fn extended(sampler: usize) -> Value {
    json!({ SQLERP: { "sampler": sampler } })
}

/// The draft's form with a fallback.
fn fallback_file() -> Gltf {
    let channel = |n: usize| json!({ "sampler": 2 + n, "target": rotation(n), "extensions": extended(n) });
    Draft::floats(&[SQLERP], &[], as_is).finish(channel)
}

/// The draft's form without a fallback.
fn required_file() -> Gltf {
    Draft::floats(&[SQLERP], &[SQLERP], as_is).finish(required)
}

fn required(node: usize) -> Value {
    json!({ "target": rotation(node), "extensions": extended(node) })
}

fn as_is(_: usize, q: [f64; 4]) -> [f64; 4] {
    q
}

fn forms() -> Vec<Case> {
    let plain = |used: &[&str], needed: &[&str]| Draft::floats(used, needed, as_is);
    let exact = || Expects::Motion { tolerance: 1e-6 };
    let mut cases = Vec::new();
    let mut add = |name, about, gltf, expects| cases.push(Case { name, about, gltf, expects });
    add(
        "fallback",
        "With a fallback: the channel's own sampler is LINEAR, the extension names the CUBICSLERP one.",
        fallback_file(),
        exact(),
    );
    add("required", "Without a fallback: the channel has no sampler.", required_file(), exact());
    add(
        "same_sampler",
        "Without a fallback, for readers that insist on a sampler: both are the same.",
        plain(&[SQLERP], &[SQLERP])
            .finish(|n| json!({ "sampler": n, "target": rotation(n), "extensions": extended(n) })),
        exact(),
    );
    add(
        "no_object",
        "CUBICSLERP without the extension object on the channel.",
        plain(&[SQLERP], &[SQLERP]).finish(|n| json!({ "sampler": n, "target": rotation(n) })),
        exact(),
    );
    add(
        "pointer",
        "On pointers to rotations.",
        plain(&[SQLERP, POINTER], &[SQLERP]).finish(|n| {
            let pointer = json!({ POINTER: { "pointer": format!("/nodes/{n}/rotation") } });
            json!({ "target": { "path": "pointer", "extensions": pointer }, "extensions": extended(n) })
        }),
        exact(),
    );
    let mut cubic = plain(&[ANIMATION2], &[ANIMATION2]);
    cubic.samplers[..2].iter_mut().for_each(|s| s["interpolation"] = json!("CUBIC"));
    add(
        "animation2_cubic",
        "CUBIC under KHR_animation2 is the same curve.",
        cubic.finish(|n| {
            let path = format!("/nodes/{n}/rotation");
            json!({ "sampler": n, "target": { "path": path, "extensions": { ANIMATION2: {} } } })
        }),
        exact(),
    );
    cases
}

fn values() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, about, draft: Draft, tolerance| {
        cases.push(Case { name, about, gltf: draft.finish(required), expects: Expects::Motion { tolerance } });
    };
    let both: (&[&str], &[&str]) = (&[SQLERP], &[SQLERP]);
    add(
        "mixed_signs",
        "Every other quaternion negated: signs are aligned before anything is blended.",
        Draft::floats(both.0, both.1, |i, q| if i % 2 == 0 { q.map(|c| -c) } else { q }),
        1e-6,
    );
    add(
        "unused_controls",
        "The two unused controls hold any numbers and change nothing.",
        Draft::floats(both.0, both.1, |i, q| if i == 0 || i == 8 { [3.0, -2.0, 0.5, 7.0] } else { q }),
        1e-6,
    );
    add(
        "normalized",
        "Values as normalized 16-bit integers.",
        Draft::stored(both.0, both.1, Usage::Fractions, |_, q| q.map(|c| (c * 32767.0).round() as i16)),
        2e-4,
    );
    cases
}

fn broken() -> Vec<Case> {
    let plain = |needed: &[&str]| Draft::floats(&[SQLERP], needed, as_is);
    let mut cases = Vec::new();
    let mut add = |name, about, gltf, code, at| {
        cases.push(Case { name, about, gltf, expects: Expects::Finding(code, at) });
    };
    add(
        "bad_target",
        "CUBICSLERP drives a translation.",
        plain(&[SQLERP]).finish(|n| match n {
            0 => json!({ "target": { "node": 0, "path": "translation" }, "extensions": extended(0) }),
            _ => required(n),
        }),
        "SQLERP_TARGET",
        "/animations/0/channels/0/target",
    );
    add(
        "bad_sampler_type",
        "The extension names a LINEAR sampler.",
        plain(&[]).finish(|n| {
            let named = if n == 0 { 2 } else { 1 };
            json!({ "sampler": 2 + n, "target": rotation(n), "extensions": extended(named) })
        }),
        "SQLERP_SAMPLER_TYPE",
        "/animations/0/channels/0/extensions/EXT_animation_sqlerp/sampler",
    );
    add(
        "bad_not_required",
        "A channel without a sampler in a file that does not require the extension.",
        plain(&[]).finish(required),
        "SQLERP_NOT_REQUIRED",
        "/animations/0/channels/0",
    );
    add(
        "bad_control",
        "A control quaternion that is used and is no unit quaternion.",
        Draft::floats(&[SQLERP], &[SQLERP], |i, q| if i == 2 { q.map(|c| c * 1.2) } else { q }).finish(required),
        "SQLERP_CONTROL_NON_UNIT",
        "/animations/0/channels/0/extensions/EXT_animation_sqlerp/sampler",
    );
    add(
        "bad_one_key",
        "A single key.",
        one_key().finish(required),
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
        "/animations/0/samplers/0/input",
    );
    add(
        "bad_count",
        "As many values as keys, not three times as many.",
        few_values().finish(required),
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        "/animations/0/channels/0/extensions/EXT_animation_sqlerp/sampler",
    );
    cases
}

/// Samplers 0 and 1 have one key each.
fn one_key() -> Draft {
    let mut draft = Draft::new(&[SQLERP], &[SQLERP]);
    let input = draft.gltf.accessor(&[[0.5f32]], Usage::Times);
    for circle in [ABOUT_Y, ANOTHER] {
        let key = on(circle, KEYS[0].1[1]).map(|c| c as f32);
        let output = draft.gltf.accessor(&[[0.0; 4], key, [0.0; 4]], Usage::Values);
        draft.sampler(input, output, "CUBICSLERP");
    }
    draft
}

/// Sampler 0 has no controls.
fn few_values() -> Draft {
    let mut draft = Draft::new(&[SQLERP], &[SQLERP]);
    let input = draft.gltf.accessor(&KEYS.map(|(time, _)| [time]), Usage::Times);
    let keys: Vec<[f32; 4]> = KEYS.iter().map(|(_, angles)| on(ABOUT_Y, angles[1]).map(|c| c as f32)).collect();
    let whole: Vec<[f32; 4]> = output(ANOTHER).into_iter().map(|q| q.map(|c| c as f32)).collect();
    for elements in [keys, whole] {
        let output = draft.gltf.accessor(&elements, Usage::Values);
        draft.sampler(input, output, "CUBICSLERP");
    }
    draft
}

const FOLDER: &str = "samples/conformance/sqlerp";

/// Where the validator's tests look for a file that breaks a rule, and one that just does not.
const CODES: &str = "crates/keyfold/tests/codes";

/// The set, and the files of the validator's tests.
pub(super) fn all() -> Vec<Sample> {
    let (mut files, mut valid, mut wrong, mut twins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut twin = |code: &str, bad: Vec<u8>| {
        twins.push((format!("{CODES}/{code}.bad.gltf"), bad));
        twins.push((format!("{CODES}/{code}.good.gltf"), required_file().embedded()));
    };
    twin("SQLERP_FALLBACK_REFUSED", fallback_file().embedded());
    for Case { name, about, gltf, expects } in forms().into_iter().chain(values()).chain(broken()) {
        let (file, bytes) = (format!("{name}.gltf"), gltf.embedded());
        match expects {
            Expects::Motion { tolerance } => valid.push(motion(&file, about, tolerance)),
            Expects::Finding(code, at) => {
                wrong.push(json!({ "file": file, "about": about, "code": code, "at": at }));
                if code.starts_with("SQLERP") {
                    twin(code, bytes.clone());
                }
            }
        }
        files.push((file, bytes));
    }
    let mut manifest = serde_json::to_vec_pretty(&json!({ "valid": valid, "broken": wrong })).expect("JSON");
    manifest.push(b'\n');
    files.push(("manifest.json".into(), manifest));
    let files = files.into_iter().map(|(file, bytes)| (format!("{FOLDER}/{file}"), bytes)).chain(twins);
    files.map(|(path, bytes)| Sample { path, bytes }).collect()
}

fn motion(file: &str, about: &str, tolerance: f64) -> Value {
    let track = |node: usize, circle: Circle| {
        let values = TIMES.map(|time| on(circle, angle(time)));
        json!({ "target": format!("/nodes/{node}/rotation"), "values": values })
    };
    let tracks = [track(0, ABOUT_Y), track(1, ANOTHER)];
    json!({ "file": file, "about": about, "tolerance": tolerance, "times": TIMES, "tracks": tracks })
}
