//! Patterns of places in a JSON document, and the walk that finds what they match.

use serde_json::Value;

use super::collection::Collection;
use crate::object_model::pointer::Pointer;

/// Where references to one collection stand.
///
/// The pattern is a JSON pointer in which `*` is any one member or element, `*Texture` any member whose name ends so,
/// and `**` any number of members and elements, none included, but never `extras`.
#[derive(Clone, Copy)]
pub(super) struct ReferencePattern {
    pub(super) collection: Collection,
    pub(super) pattern: &'static str,
}

/// Short for a row of the table.
pub(super) const fn to(collection: Collection, pattern: &'static str) -> ReferencePattern {
    ReferencePattern { collection, pattern }
}

/// A step on the way to a value. Most ways lead nowhere, so a pointer is made of them only at their end.
#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// Calls `found` with everything in the document that matches the pattern.
pub(super) fn visit(pattern: &str, document: &Value, found: &mut impl FnMut(Pointer, &Value)) {
    descend(pattern, document, &mut Vec::new(), &mut |steps, value| found(pointer(steps), value));
}

fn pointer(steps: &[Step<'_>]) -> Pointer {
    let mut pointer = Pointer::root();
    for step in steps {
        match step {
            Step::Name(name) => pointer.push(name),
            Step::Index(index) => pointer.push(&index.to_string()),
        }
    }
    pointer
}

/// Follows the rest of a pattern, slash first, from a value on.
fn descend<'a>(
    pattern: &'a str,
    value: &'a Value,
    steps: &mut Vec<Step<'a>>,
    found: &mut impl FnMut(&[Step<'a>], &Value),
) {
    let Some(rest) = pattern.strip_prefix('/') else {
        return found(steps, value);
    };
    let (token, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if token == "**" {
        descend(rest, value, steps, found);
    }
    let next = if token == "**" { pattern } else { rest };
    let mut follow = |step: Step<'a>, inner: &'a Value| {
        steps.push(step);
        descend(next, inner, steps, found);
        steps.pop();
    };
    match value {
        Value::Object(members) if !token.starts_with('*') => {
            members.get(token).into_iter().for_each(|member| follow(Step::Name(token), member));
        }
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| matches(token, name));
            members.for_each(|(name, member)| follow(Step::Name(name), member));
        }
        Value::Array(elements) if token.starts_with('*') => {
            elements.iter().enumerate().for_each(|(index, element)| follow(Step::Index(index), element));
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
