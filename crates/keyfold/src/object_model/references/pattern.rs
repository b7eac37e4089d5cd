//! Patterns of places in a JSON document, and the walk that finds what they match.

use serde_json::Value;

use super::collection::Collection;
use crate::object_model::pointer::Pointer;

/// Where references to one collection stand.
///
/// The pattern is a JSON pointer in which `*` is any one member or element, `*Texture` any member whose name ends so,
/// and `**` any number of members and elements, none included, but never `extras`.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) collection: Collection,
    pub(super) pattern: &'static str,
}

/// Short for a row of the table.
pub(super) const fn to(collection: Collection, pattern: &'static str) -> Place {
    Place { collection, pattern }
}

/// Calls `found` with everything in the document that matches the pattern.
pub(super) fn visit(pattern: &str, document: &Value, found: &mut impl FnMut(Pointer, &Value)) {
    descend(pattern, document, &mut Pointer::root(), found);
}

/// Follows the rest of a pattern, slash first, from a value on.
fn descend(pattern: &str, value: &Value, at: &mut Pointer, found: &mut impl FnMut(Pointer, &Value)) {
    let Some(rest) = pattern.strip_prefix('/') else {
        return found(at.clone(), value);
    };
    let (token, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if token == "**" {
        descend(rest, value, at, found);
    }
    match value {
        Value::Object(members) if !token.starts_with('*') => {
            if let Some(member) = members.get(token) {
                step(token, at, |at| descend(rest, member, at, found));
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| matches(token, name)) {
                let next = if token == "**" { pattern } else { rest };
                step(name, at, |at| descend(next, member, at, found));
            }
        }
        Value::Array(elements) if token.starts_with('*') => {
            for (index, element) in elements.iter().enumerate() {
                let next = if token == "**" { pattern } else { rest };
                step(&index.to_string(), at, |at| descend(next, element, at, found));
            }
        }
        _ => {}
    }
}

fn matches(token: &str, name: &str) -> bool {
    match token {
        "*" => true,
        "**" => name != "extras",
        _ => token.strip_prefix('*').is_some_and(|suffix| name.ends_with(suffix)),
    }
}

fn step(token: &str, at: &mut Pointer, inside: impl FnOnce(&mut Pointer)) {
    at.push(token);
    inside(at);
    at.pop();
}
