//! Keyfold's validator against Khronos', on the corpus and on copies that are broken at random: one change each, of the JSON, of the keys or
//! of the container. Both must come to the same verdict on what concerns animation; where they do not, `JUSTIFIED` says why.

use keyfold::{OpenOptions, Severity, validate};
use keyfold_oracle::{corpus_files, is_full, node_available, note, sample_files, shared_dir, validator};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// How many broken copies there are of each seed.
const COPIES: usize = 500;
/// The seed of every run, and those of the long tests.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const MORE_SEEDS: [u64; 7] = [1, 2, 3, 5, 8, 13, 21];
/// Larger files take long and say nothing new.
const LARGEST: u64 = 600_000;

/// What was done to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Nothing,
    Json,
    Data,
    Frame,
}

/// Who alone reports an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Keyfold,
    Khronos,
}

/// An error that decides the verdict of only one of the two, and why that is right: whose, the code, the pattern of the place (`*` is any one
/// step), what the file went through, and what the words for that contain.
struct Justified {
    who: Who,
    code: &'static str,
    at: &'static str,
    after: Change,
    of: &'static str,
    why: &'static str,
}

const JUSTIFIED: &[Justified] = &[
    Justified {
        who: Who::Keyfold,
        code: "SKIN_NO_COMMON_ROOT",
        at: "/skins/*/joints",
        after: Change::Json,
        of: "/nodes/",
        why: "Khronos forgets that joints had no common root as soon as another joint follows",
    },
    Justified {
        who: Who::Keyfold,
        code: "SKIN_NO_COMMON_ROOT",
        at: "/skins/*/joints",
        after: Change::Json,
        of: "/joints/",
        why: "as above, where a joint is another node",
    },
    Justified {
        who: Who::Keyfold,
        code: "SKIN_SKELETON_INVALID",
        at: "/skins/*/skeleton",
        after: Change::Json,
        of: "/nodes/",
        why: "as above: joints without a common root have no skeleton either",
    },
    Justified {
        who: Who::Keyfold,
        code: "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        at: "/animations/*/channels/*/sampler",
        after: Change::Json,
        of: "/interpolation = \"CUBICSPLINE\"",
        why: "Khronos does not count the values of pointers",
    },
    Justified {
        who: Who::Khronos,
        code: "NODE_MATRIX_NON_TRS",
        at: "/nodes/*/matrix",
        after: Change::Json,
        of: "/matrix/",
        why: "whether a matrix is TRS is no matter of animation: a node with a matrix cannot be animated",
    },
];

/// Errors by code and place.
type Errors = BTreeSet<(String, String)>;

/// A small deterministic source of numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n.max(1)
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// A GLB in pieces.
#[derive(Clone)]
struct Glb {
    json: Value,
    bin: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
        bytes.starts_with(b"glTF").then_some(())?;
        let end = 20 + word(12)?;
        let bin = word(end).and_then(|length| bytes.get(end + 8..end + 8 + length)).unwrap_or_default();
        Some(Self { json: serde_json::from_slice(bytes.get(20..end)?).ok()?, bin: bin.to_vec() })
    }

    fn write(&self) -> Vec<u8> {
        let mut json = self.json.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut out = [&b"glTF"[..], &2u32.to_le_bytes(), &[0; 4]].concat();
        for (kind, data) in [(b"JSON", &json), (b"BIN\0", &self.bin)] {
            out.extend_from_slice(&(data.len() as u32).to_le_bytes());
            out.extend_from_slice(kind);
            out.extend_from_slice(data);
        }
        let length = out.len() as u32;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        out
    }
}

/// Every place of a value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(k, v)| places(v, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), found));
        }
        Value::Array(elements) => elements.iter().enumerate().for_each(|(i, v)| places(v, &format!("{at}/{i}"), found)),
        _ => {}
    }
}

/// One change of the JSON; what was done.
fn break_json(json: &mut Value, dice: &mut Dice) -> String {
    let part = dice.pick(&["animations", "animations", "accessors", "bufferViews", "buffers", "nodes", "skins"]);
    let mut found = Vec::new();
    if let Some(value) = json.get(part) {
        places(value, &format!("/{part}"), &mut found);
    }
    if found.is_empty() {
        found.push("/asset".into());
    }
    let at = dice.pick(&found);
    let (parent, key) = at.rsplit_once('/').unwrap();
    let kind = dice.below(6);
    if kind == 0 {
        match json.pointer_mut(parent) {
            Some(Value::Object(members)) => drop(members.shift_remove(key)),
            Some(Value::Array(elements)) => drop(elements.remove(key.parse().unwrap())),
            _ => {}
        }
        return format!("remove {at}");
    }
    let value = json.pointer_mut(&at).unwrap();
    let new = match (kind, &*value) {
        (1, Value::Number(n)) => json!(n.as_f64().unwrap() + 1.0),
        (2, Value::Number(n)) => json!(-n.as_f64().unwrap() - 1.0),
        (3, Value::Number(n)) => json!(n.as_f64().unwrap() * 2.0),
        (1, Value::Array(elements)) => json!([&elements[..], &elements[..elements.len().min(1)]].concat()),
        (2, Value::Array(_)) => json!([]),
        (1, Value::Object(members)) => {
            let mut members = members.clone();
            members.insert("unheardOf".into(), json!(1));
            Value::Object(members)
        }
        (1, Value::String(_)) => json!("CUBICSPLINE"),
        (2, Value::String(_)) => json!("weights"),
        (3, Value::String(_)) => json!("unheardOf"),
        _ => dice.pick(&[
            json!(null),
            json!("text"),
            json!(7),
            json!(1.5),
            json!(true),
            json!([1]),
            json!({}),
            json!(-1),
        ]),
    };
    let said = format!("{at} = {new}");
    *value = new;
    said
}

/// One change of a key's float; what was done.
fn break_data(glb: &mut Glb, dice: &mut Dice) -> Option<String> {
    let animation = dice.below(glb.json["animations"].as_array()?.len());
    let samplers = glb.json["animations"][animation]["samplers"].as_array()?;
    let sampler = dice.below(samplers.len());
    let key = dice.pick(&["input", "output"]);
    let accessor = &glb.json["accessors"][samplers[sampler][key].as_u64()? as usize];
    let view = &glb.json["bufferViews"][accessor["bufferView"].as_u64()? as usize];
    let offset = |object: &Value| object.get("byteOffset").and_then(Value::as_u64).unwrap_or(0) as usize;
    let width = ["SCALAR", "VEC2", "VEC3", "VEC4"].iter().position(|name| accessor["type"] == **name)? + 1;
    let place = dice.below(accessor["count"].as_u64()? as usize * width);
    let at = offset(view) + offset(accessor) + 4 * place;
    let value = dice.pick(&[f32::NAN, f32::INFINITY, -1.0, 0.0, 1.0, 2.5, 1e30, 0.5]);
    glb.bin.get_mut(at..at + 4)?.copy_from_slice(&value.to_le_bytes());
    Some(format!("/animations/{animation}/samplers/{sampler}/{key}: value {place} = {value}"))
}

/// One change of the container; what was done.
fn break_frame(bytes: &mut Vec<u8>, dice: &mut Dice) -> String {
    if dice.below(2) == 0 {
        let length = 4 + dice.below(bytes.len() - 4);
        bytes.truncate(length);
        return format!("cut after byte {length}");
    }
    let at = dice.pick(&[4, 8, 12, 16]);
    let value = dice.pick(&[0u32, 1, 7, 100, 0xFFFF_FFFF]);
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    format!("word {at} = {value}")
}

/// A file, what was done to it, and that in words.
type Copy = (PathBuf, Change, String);

fn broken_copies(sources: &[Glb], folder: &Path, seed: u64) -> Vec<Copy> {
    let mut dice = Dice(seed);
    let mut copies = Vec::new();
    while copies.len() < COPIES {
        let mut glb = dice.pick(sources);
        let (bytes, change, said) = match dice.below(10) {
            0 => {
                let mut bytes = glb.write();
                let said = break_frame(&mut bytes, &mut dice);
                (bytes, Change::Frame, said)
            }
            1..=4 => match break_data(&mut glb, &mut dice) {
                Some(said) => (glb.write(), Change::Data, said),
                None => continue,
            },
            _ => {
                let said = break_json(&mut glb.json, &mut dice);
                (glb.write(), Change::Json, said)
            }
        };
        let path = folder.join(format!("{seed}-{}.glb", copies.len()));
        fs::write(&path, bytes).unwrap();
        copies.push((path, change, said));
    }
    copies
}

/// What Keyfold looks at and shares a code for. Meshes and materials are not animation, but for the joints and weights of skins.
fn in_scope(code: &str, at: &str) -> bool {
    let shared = validate::explain(code).is_some_and(|code| code.origin == validate::Origin::Khronos);
    let others = ["/meshes", "/materials", "/images", "/textures", "/samplers", "/extensions/"];
    // What an extension that is not about animation holds is its own matter, wherever it stands.
    let skinned = code.starts_with("ACCESSOR_JOINTS_") || code.starts_with("ACCESSOR_WEIGHTS_");
    let own = skinned || !others.iter().any(|other| at.starts_with(other));
    shared && own && !at.contains("/extensions/KHR_lights_punctual")
}

/// What stands for all errors of a file that cannot be read.
const UNREADABLE: &str = "UNREADABLE";

fn unreadable() -> Errors {
    Errors::from([(UNREADABLE.to_owned(), String::new())])
}

fn ours(file: &Path) -> Errors {
    let bytes = fs::read(file).unwrap();
    let folder = file.parent().map(PathBuf::from);
    let Ok(validation) = validate::validate_bytes(&bytes, folder, &OpenOptions::default()) else { return unreadable() };
    let errors = validation.findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|f| (f.code.to_owned(), f.at)).filter(|(code, at)| in_scope(code, at)).collect()
}

fn theirs(report: &validator::Report) -> Errors {
    if report.failure.is_some() || report.issues.iter().any(|issue| issue.code == "INVALID_JSON") {
        return unreadable();
    }
    let errors = report.issues.iter().filter(|issue| issue.severity == 0);
    let errors = errors.map(|issue| (issue.code.clone(), issue.pointer.clone().unwrap_or_default()));
    errors.filter(|(code, at)| in_scope(code, at) || is_animation(at)).collect()
}

/// Whether a place is animation's, whatever the code: an error there that Keyfold has no code for is one that it misses.
fn is_animation(at: &str) -> bool {
    ["/animations", "/accessors", "/bufferViews", "/buffers", "/nodes", "/skins"]
        .iter()
        .any(|place| at.starts_with(place))
        && !at.contains("/extensions/")
}

fn fits(pattern: &str, at: &str) -> bool {
    let (wanted, steps): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), at.split('/').collect());
    wanted.len() == steps.len() && wanted.iter().zip(steps).all(|(token, step)| *token == "*" || *token == step)
}

/// What justifies an error that only one has.
fn justification(who: Who, (code, at): &(String, String), change: Change, said: &str) -> Option<usize> {
    let fits =
        |j: &Justified| j.who == who && j.code == code && fits(j.at, at) && j.after == change && said.contains(j.of);
    JUSTIFIED.iter().position(fits)
}

/// The verdicts on all files.
#[derive(Default)]
struct Tally {
    files: usize,
    invalid: usize,
    identical: usize,
    wrong: Vec<String>,
    /// How often each justification decides.
    fired: Vec<usize>,
    /// Errors that only one has, whether they decide or not.
    differences: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, (file, change, said): &Copy, ours: &Errors, theirs: &Errors) {
        self.fired.resize(JUSTIFIED.len(), 0);
        self.files += 1;
        self.invalid += usize::from(!theirs.is_empty());
        self.identical += usize::from(ours == theirs);
        let lonely = ours.difference(theirs).map(|e| (Who::Keyfold, e));
        let lonely: Vec<_> = lonely.chain(theirs.difference(ours).map(|e| (Who::Khronos, e))).collect();
        for (who, (code, _)) in &lonely {
            *self.differences.entry(format!("{code} only by {who:?}")).or_default() += 1;
        }
        if ours.is_empty() == theirs.is_empty() {
            return;
        }
        let reasons: Vec<Option<usize>> =
            lonely.iter().map(|(who, error)| justification(*who, error, *change, said)).collect();
        if reasons.contains(&None) {
            return self.wrong.push(format!("{} ({said}): ours {ours:?}, theirs {theirs:?}", file.display()));
        }
        reasons.into_iter().flatten().for_each(|reason| self.fired[reason] += 1);
    }

    fn tell(&self) {
        let Self { files, invalid, identical, .. } = self;
        note(&format!("{files} files, {invalid} invalid: {identical} with the same errors at the same places"));
        self.differences.iter().for_each(|(what, count)| note(&format!("{count:>5}  {what}")));
        for (Justified { who, code, at, after, why, .. }, count) in JUSTIFIED.iter().zip(&self.fired) {
            note(&format!("{count:>5}  justified: {code} at {at} after {after:?}, only by {who:?}: {why}"));
        }
    }
}

#[test]
fn both_validators_come_to_the_same_verdict() {
    if !node_available() {
        return;
    }
    let files: Vec<PathBuf> = corpus_files().into_iter().chain(sample_files()).collect();
    let small = |file: &&PathBuf| fs::metadata(file).is_ok_and(|meta| meta.len() <= LARGEST);
    let sources: Vec<Glb> = files.iter().filter(small).filter_map(|file| Glb::read(file)).collect();
    let seeds = [SEED].into_iter().chain(MORE_SEEDS.into_iter().filter(|_| is_full()));
    let mut tally = Tally::default();
    let whole = files.iter().map(|file| (file.clone(), Change::Nothing, "as it is".to_owned())).collect();
    judge(&mut tally, whole);
    for seed in seeds {
        let folder = tempfile::tempdir().unwrap();
        judge(&mut tally, broken_copies(&sources, folder.path(), seed));
    }
    tally.tell();
    assert!(!sources.is_empty() && files.len() >= 4, "{} files", files.len());
    assert!(tally.wrong.is_empty(), "{} different verdicts:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
    // Some show only among the copies of the long tests, and without the corpus there is little to break.
    let idle = JUSTIFIED.iter().zip(&tally.fired).filter(|(_, count)| **count == 0).map(|(j, _)| j.code);
    let idle: Vec<&str> = idle.filter(|_| is_full() && shared_dir().is_some()).collect();
    assert!(idle.is_empty(), "justifications that justify nothing: {idle:?}");
}

fn judge(tally: &mut Tally, all: Vec<Copy>) {
    let reports = validator::validate(&all.iter().map(|(file, ..)| file.clone()).collect::<Vec<_>>()).unwrap();
    all.iter().zip(&reports).for_each(|(copy, report)| tally.add(copy, &ours(&copy.0), &theirs(report)));
}
