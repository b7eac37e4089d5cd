//! Keyfold's validator against Khronos', on the corpus and on copies that are broken at random: one change each, of the JSON, of the keys or
//! of the container. Both must come to the same verdict on what concerns animation; where they do not, `JUSTIFIED` says why.

use keyfold::{OpenOptions, Severity, validate};
use keyfold_oracle::{corpus_files, node_available, note, sample_files, validator};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// How many broken copies there are.
const COPIES: usize = 500;
/// Larger files take long and say nothing new.
const LARGEST: u64 = 600_000;

/// Errors that only one of the two reports, and why that is right.
const JUSTIFIED: &[(&str, &str)] = &[
    (
        "NODE_MATRIX_NON_TRS",
        "a matrix that is not TRS is no matter of animation: a node with a matrix cannot be animated",
    ),
    ("NODE_SKIN_NO_SCENE", "which scene a skin's joints are in is no matter of animation"),
    ("GLB_INVALID_MAGIC", "not a GLB, and no JSON: Keyfold says that it cannot be read"),
    ("INVALID_JSON", "Keyfold says that the file cannot be read"),
    ("SKIN_NO_COMMON_ROOT", "Khronos forgets that joints had no common root as soon as another joint follows"),
    ("SKIN_SKELETON_INVALID", "as above: without a common root, no skeleton is one"),
    ("IO_ERROR", "Khronos gives up on a document whose asset is broken before it loads buffers"),
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

fn broken_copies(sources: &[Glb], folder: &Path) -> Vec<(PathBuf, String)> {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut copies = Vec::new();
    while copies.len() < COPIES {
        let mut glb = dice.pick(sources);
        let (bytes, said) = match dice.below(10) {
            0 => {
                let mut bytes = glb.write();
                let said = break_frame(&mut bytes, &mut dice);
                (bytes, said)
            }
            1..=4 => match break_data(&mut glb, &mut dice) {
                Some(said) => (glb.write(), said),
                None => continue,
            },
            _ => {
                let said = break_json(&mut glb.json, &mut dice);
                (glb.write(), said)
            }
        };
        let path = folder.join(format!("{}.glb", copies.len()));
        fs::write(&path, bytes).unwrap();
        copies.push((path, said));
    }
    copies
}

/// What Keyfold looks at and shares a code for. Meshes and materials are not animation.
fn in_scope(code: &str, at: &str) -> bool {
    let shared = validate::explain(code).is_some_and(|code| code.origin == validate::Origin::Khronos);
    let others = ["/meshes", "/materials", "/images", "/textures", "/samplers", "/extensions/"];
    // What an extension that is not about animation holds is its own matter, wherever it stands.
    shared && !others.iter().any(|other| at.starts_with(other)) && !at.contains("/extensions/KHR_lights_punctual")
}

/// Keyfold's errors; `None` where it cannot read the file.
fn ours(file: &Path) -> Option<Errors> {
    let bytes = fs::read(file).unwrap();
    let folder = file.parent().map(PathBuf::from);
    let findings = validate::validate_bytes(&bytes, folder, &OpenOptions::default()).ok()?.findings;
    let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    Some(errors.map(|f| (f.code.to_owned(), f.at)).filter(|(code, at)| in_scope(code, at)).collect())
}

/// Khronos' errors; `None` where it cannot read the file.
fn theirs(report: &validator::Report) -> Option<Errors> {
    if report.failure.is_some() || report.issues.iter().any(|issue| issue.code == "INVALID_JSON") {
        return None;
    }
    let errors = report.issues.iter().filter(|issue| issue.severity == 0);
    let errors = errors.map(|issue| (issue.code.clone(), issue.pointer.clone().unwrap_or_default()));
    Some(errors.filter(|(code, at)| in_scope(code, at) || is_justified(code)).collect())
}

fn is_justified(code: &str) -> bool {
    JUSTIFIED.iter().any(|(justified, _)| *justified == code)
}

/// Whether both say the same about a file, leaving out what is justified.
fn same_verdict(ours: Option<&Errors>, theirs: Option<&Errors>) -> bool {
    let bad = |errors: Option<&Errors>| errors.is_none_or(|errors| errors.iter().any(|(code, _)| !is_justified(code)));
    bad(ours) == bad(theirs)
}

#[test]
fn both_validators_come_to_the_same_verdict() {
    if !node_available() {
        return;
    }
    let files: Vec<PathBuf> = corpus_files().into_iter().chain(sample_files()).collect();
    let small = |file: &&PathBuf| fs::metadata(file).is_ok_and(|meta| meta.len() <= LARGEST);
    let sources: Vec<Glb> = files.iter().filter(small).filter_map(|file| Glb::read(file)).collect();
    let folder = tempfile::tempdir().unwrap();
    let copies = broken_copies(&sources, folder.path());
    let whole = files.iter().map(|file| (file.clone(), "as it is".to_owned()));
    let all: Vec<(PathBuf, String)> = whole.chain(copies).collect();
    let reports = validator::validate(&all.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>()).unwrap();

    let (mut identical, mut wrong, mut invalid) = (0, Vec::new(), 0);
    let mut differences: BTreeMap<String, usize> = BTreeMap::new();
    for ((file, said), report) in all.iter().zip(&reports) {
        let (ours, theirs) = (ours(file), theirs(report));
        invalid += usize::from(theirs.as_ref().is_none_or(|errors| !errors.is_empty()));
        identical += usize::from(ours == theirs);
        if !same_verdict(ours.as_ref(), theirs.as_ref()) {
            wrong.push(format!("{} ({said}): ours {ours:?}, theirs {theirs:?}", file.display()));
        }
        let (ours, theirs) = (ours.unwrap_or_default(), theirs.unwrap_or_default());
        for (who, code) in ours
            .difference(&theirs)
            .map(|e| ("Keyfold", &e.0))
            .chain(theirs.difference(&ours).map(|e| ("Khronos", &e.0)))
        {
            *differences.entry(format!("{code} only by {who}")).or_default() += 1;
        }
    }
    note(&format!("{} files, {invalid} invalid: {identical} with the same errors at the same places", all.len()));
    differences.iter().for_each(|(what, count)| note(&format!("{count:>5}  {what}")));
    JUSTIFIED.iter().for_each(|(code, why)| note(&format!("justified: {code}: {why}")));
    assert!(wrong.is_empty(), "{} different verdicts:\n{}", wrong.len(), wrong.join("\n"));
}
