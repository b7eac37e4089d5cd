use super::*;
use crate::document::{JsonRef, Object};
use arbtest::arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

fn outline(text: &str) -> Outline {
    Outline::of_text(text.as_bytes().into()).unwrap()
}

/// Holds an outline against the values of the same JSON, all the way down.
fn compare(look: JsonRef<'_>, value: &Value) {
    assert_eq!(look.as_bool(), value.as_bool());
    assert_eq!(look.as_f64(), value.as_f64());
    assert_eq!(look.as_index(), crate::document::json::to_index(value));
    assert_eq!(look.as_str(), value.as_str());
    assert_eq!(look.is_object(), value.is_object());
    assert_eq!(look.as_array().map(|list| list.len()), value.as_array().map(Vec::len));
    for (look, value) in
        look.as_array().into_iter().flat_map(|list| list.iter()).zip(value.as_array().into_iter().flatten())
    {
        compare(look, value);
    }
    assert!(look.members().all(|(key, _)| value.get(key).is_some()));
    for (key, value) in value.as_object().into_iter().flatten() {
        compare(look.get(key).unwrap(), value);
    }
    assert!(look.get("a key that nobody writes").is_none());
}

fn any(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=if depth == 0 { 5 } else { 7 })? {
        0 => Value::Null,
        1 => json!(bool::arbitrary(u)?),
        2 => json!(u64::arbitrary(u)?),
        3 => json!(i64::arbitrary(u)?),
        4 => json!(f64::arbitrary(u)?),
        5 => json!(String::arbitrary(u)?),
        6 => Value::Array((0..u.int_in_range(0..=4)?).map(|_| any(u, depth - 1)).collect::<Result<_>>()?),
        _ => {
            let count = u.int_in_range(0..=2 * FEW)?;
            let member = |i| Ok((format!("{i}{}", String::arbitrary(u)?), any(u, depth - 1)?));
            Value::Object((0..count).map(member).collect::<Result<Map<_, _>>>()?)
        }
    })
}

use arbtest::arbitrary::Arbitrary;

#[test]
fn an_outline_says_what_the_values_say() {
    arbtest::arbtest(|u| {
        let value = any(u, 3)?;
        let texts = [value.to_string(), serde_json::to_string_pretty(&value).unwrap()];
        texts.iter().for_each(|text| compare(JsonRef::root(&outline(text)), &value));
        Ok(())
    });
}

#[test]
fn of_two_members_with_one_key_the_last_counts() {
    let few = r#"{"a": 1, "a": 2}"#.to_owned();
    let many: String = (0..FEW).map(|i| format!(r#""{i}": 0, "#)).collect();
    for text in [few, format!(r#"{{"a": 1, {many} "a": 2}}"#)] {
        assert_eq!(JsonRef::root(&outline(&text)).get("a").unwrap().as_index(), Some(2));
        compare(JsonRef::root(&outline(&text)), &serde_json::from_str(&text).unwrap());
    }
}

#[test]
fn what_is_no_json_is_refused_as_serde_json_does() {
    let deep = "[".repeat(200);
    for text in ["", "{", "{} x", "[1,]", r#""\ud800""#, "1e999", "nul", r#"{"a" 1}"#, &deep] {
        let ours = Outline::of_text(text.as_bytes().into()).unwrap_err().to_string();
        let theirs = crate::Error::from(serde_json::from_str::<Value>(text).unwrap_err()).to_string();
        assert_eq!(ours, theirs, "{text}");
    }
    assert!(Outline::of_text(b"\"\xFF\""[..].into()).is_err());
}

#[test]
fn room_is_made_for_all_that_a_text_says_and_for_no_more_than_it_can() {
    let text = r#"{"a": [1, 2, {"b": []}], "c": {}}"#;
    let builder = Builder::for_text(text.as_bytes());
    assert!(builder.members.capacity() >= 3 && builder.items.capacity() >= 3);
    let colons = format!("\"{}\"", ":,[".repeat(1000));
    let builder = Builder::for_text(colons.as_bytes());
    assert!(builder.members.capacity() <= 601 && builder.items.capacity() <= 1501);
}

#[test]
fn members_are_found_with_their_place() {
    let outline = outline(r#"{"no\u0064es": [{}, {"a/b": {"c": 3}}]}"#);
    let root = Object::root(&outline).unwrap();
    let node = root.element("nodes", 1).unwrap().unwrap();
    assert_eq!(node.at(), "/nodes/1");
    let inner = node.required_object("a/b").unwrap();
    assert_eq!((inner.at().as_str(), inner.required_index("c").unwrap()), ("/nodes/1/a~1b", 3));
    assert_eq!(inner.required_text("c").unwrap_err().at(), "/nodes/1/a~1b/c");
    assert!(root.element("nodes", 2).unwrap().is_none());
}
