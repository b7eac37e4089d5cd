//! Extensions: what is used is declared, what is declared is known, what is required is used, and objects stand where
//! they may.

use super::{
    Findings,
    khronos::{
        INVALID_EXTENSION_NAME_FORMAT, TYPE_MISMATCH, UNDECLARED_EXTENSION, UNEXPECTED_EXTENSION_OBJECT,
        UNEXPECTED_PROPERTY, UNSUPPORTED_EXTENSION, UNUSED_EXTENSION_REQUIRED,
    },
    members::COMMON,
};
use crate::{
    Document,
    document::json::escape,
    extensions::{self, Extension},
    object_model::references,
};
use serde_json::Value;

pub(super) fn rules(document: &Document, findings: &mut Findings) {
    for (i, name) in names(document, "extensionsUsed") {
        let at = format!("/extensionsUsed/{i}");
        if !is_well_formed(name) {
            findings.add(&INVALID_EXTENSION_NAME_FORMAT, &at, format!("`{name}` is not PREFIX_name"));
        }
        if row(name).is_none() && !references::is_known(name) {
            findings.add(&UNSUPPORTED_EXTENSION, at, format!("there are no rules for {name}"));
        }
    }
    for (i, name) in names(document, "extensionsRequired") {
        if !names(document, "extensionsUsed").any(|(_, used)| used == name) {
            let message = format!("{name} is required, but not listed in extensionsUsed");
            findings.add(&UNUSED_EXTENSION_REQUIRED, format!("/extensionsRequired/{i}"), message);
        }
    }
    let declared: Vec<&str> = names(document, "extensionsUsed").map(|(_, name)| name).collect();
    each_object(document.json(), &mut String::new(), &mut |at, name, value| {
        let place = || format!("{at}/extensions/{}", escape(name));
        if !value.is_object() {
            findings.add(&TYPE_MISMATCH, place(), format!("{name} is not an object"));
        }
        for key in unexpected(name, value) {
            let at = format!("{}/{}", place(), escape(key));
            findings.add(&UNEXPECTED_PROPERTY, at, format!("`{key}` is not a member that {name} defines"));
        }
        if !declared.contains(&name) {
            findings.add(&UNDECLARED_EXTENSION, place(), format!("{name} is not listed in extensionsUsed"));
        } else if row(name).is_some_and(|row| !may_stand(row, at)) {
            findings.add(&UNEXPECTED_EXTENSION_OBJECT, place(), format!("{name} does not extend this object"));
        }
    });
}

fn names<'a>(document: &'a Document, list: &str) -> impl Iterator<Item = (usize, &'a str)> {
    let list = document.json().get(list).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().filter_map(|(i, name)| Some((i, name.as_str()?)))
}

fn row(name: &str) -> Option<&'static Extension> {
    extensions::ALL.iter().find(|extension| extension.name == name)
}

/// The members of an extension's object that the extension does not know.
fn unexpected<'v>(name: &str, value: &'v Value) -> impl Iterator<Item = &'v String> + use<'v> {
    let known = row(name).map_or(&[][..], |row| row.members);
    let members = value.as_object().filter(|_| !known.is_empty()).into_iter().flat_map(serde_json::Map::keys);
    members.filter(move |key| !known.contains(&key.as_str()) && !COMMON.contains(&key.as_str()))
}

fn is_well_formed(name: &str) -> bool {
    let Some((prefix, rest)) = name.split_once('_') else { return false };
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !prefix.is_empty() && prefix.chars().all(upper) && !rest.is_empty() && rest.chars().all(word)
}

fn may_stand(row: &Extension, at: &str) -> bool {
    row.places.is_empty() || row.places.iter().any(|pattern| matches(pattern, at))
}

/// Whether a place fits a pattern in which `*` stands for any one step.
fn matches(pattern: &str, at: &str) -> bool {
    let (wanted, steps): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), at.split('/').collect());
    wanted.len() == steps.len() && wanted.iter().zip(&steps).all(|(token, step)| *token == "*" || token == step)
}

/// Every extension object with the place of the object that carries it. What belongs to applications (`extras`) or to
/// extensions that nobody knows is not looked into.
fn each_object<'v>(value: &'v Value, at: &mut String, found: &mut impl FnMut(&str, &'v str, &'v Value)) {
    let members: Vec<(String, &Value)> = match value {
        Value::Array(elements) => elements.iter().enumerate().map(|(i, e)| (i.to_string(), e)).collect(),
        Value::Object(members) => {
            let extensions = members.get("extensions").and_then(Value::as_object).into_iter().flatten();
            extensions.for_each(|(name, value)| found(at, name, value));
            members.iter().filter(|(key, _)| *key != "extras").map(|(key, m)| (escape(key), m)).collect()
        }
        _ => return,
    };
    for (step, member) in members {
        let length = at.len();
        if at.ends_with("/extensions") && !references::is_known(&step) {
            continue;
        }
        at.push('/');
        at.push_str(&step);
        each_object(member, at, found);
        at.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_prefix_in_capitals() {
        assert!(is_well_formed("KHR_animation_pointer") && is_well_formed("K2_x"));
        assert!(
            !is_well_formed("Draco_animation_compression")
                && !is_well_formed("KHRanimation")
                && !is_well_formed("KHR_")
        );
    }

    #[test]
    fn an_extension_is_an_object() {
        let json = br#"{ "extensionsUsed": ["KHR_x"], "nodes": [{ "extensions": { "KHR_x": true } }, { "extensions": { "KHR_x": {} } }] }"#;
        let document = Document::from_bytes(json, None, &Default::default()).unwrap();
        let mut findings = Findings::default();
        rules(&document, &mut findings);
        let errors = findings.sorted().into_iter().filter(|f| f.severity == crate::Severity::Error);
        assert_eq!(
            errors.map(|f| (f.code, f.at)).collect::<Vec<_>>(),
            [("TYPE_MISMATCH", "/nodes/0/extensions/KHR_x".to_owned())]
        );
    }

    #[test]
    fn patterns_fit_step_by_step() {
        assert!(matches("/animations/*/channels/*", "/animations/0/channels/12"));
        assert!(!matches("/animations/*/channels/*", "/animations/0/channels/12/target"));
        assert!(matches("", "") && !matches("", "/nodes/0"));
    }
}
