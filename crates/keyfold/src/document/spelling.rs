//! Values as text in which whatever stayed the same is spelled as it was: `1e3`, `0.10`, whole numbers with more
//! digits than a double keeps, escapes in texts. Values themselves know what a number is, not how it was written.
//!
//! Members are the same by key, elements by looks or by place: an edit that removes objects moves others to smaller
//! indices.

use serde::{Serialize, Serializer};
use serde_json::{Number, Value, value::RawValue};
use std::collections::{BTreeMap, VecDeque};

/// A value, and how it was spelled where it comes from.
pub(super) struct Spelled<'a> {
    value: &'a Value,
    before: Option<&'a RawValue>,
}

impl<'a> Spelled<'a> {
    /// A value as it is after changes of what a text says.
    pub(super) fn new(value: &'a Value, before: &'a [u8]) -> Self {
        Self { value, before: serde_json::from_slice(before).ok() }
    }
}

impl Serialize for Spelled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.value, self.before) {
            (Value::Object(members), Some(before)) => {
                let before: BTreeMap<String, &RawValue> = serde_json::from_str(before.get()).unwrap_or_default();
                let member = |(key, value)| (key, Spelled { value, before: before.get(key).copied() });
                serializer.collect_map(members.iter().map(member))
            }
            (Value::Array(elements), Some(before)) => {
                let before: Vec<&RawValue> = serde_json::from_str(before.get()).unwrap_or_default();
                let pairs = elements.iter().zip(twins(elements, &before));
                serializer.collect_seq(pairs.map(|(value, before)| Spelled { value, before }))
            }
            (value, Some(before)) if says(before.get(), value) => before.serialize(serializer),
            (value, _) => value.serialize(serializer),
        }
    }
}

/// Whether a text is one of the ways to spell a number or a text.
fn says(text: &str, value: &Value) -> bool {
    let bits = |number: &Number| number.as_f64().map(f64::to_bits);
    match value {
        Value::Number(number) => {
            serde_json::from_str::<Number>(text).is_ok_and(|other| other == *number && bits(&other) == bits(number))
        }
        Value::String(letters) => serde_json::from_str::<String>(text).is_ok_and(|other| other == *letters),
        _ => false,
    }
}

/// What each element was before: of those that look alike the first is the first's, the second the second's; the one
/// at its place for who looks like none.
fn twins<'a>(elements: &[Value], before: &[&'a RawValue]) -> Vec<Option<&'a RawValue>> {
    let at = |place: usize| before.get(place).copied();
    if !elements.iter().any(Value::is_object) {
        return (0..elements.len()).map(at).collect();
    }
    let mut alike: BTreeMap<String, VecDeque<&RawValue>> = BTreeMap::new();
    for &text in before {
        let value = serde_json::from_str(text.get()).unwrap_or_default();
        alike.entry(looks(value)).or_default().push_back(text);
    }
    let mut twin = |value: &Value| alike.get_mut(&looks(value.clone())).and_then(VecDeque::pop_front);
    elements.iter().enumerate().map(|(place, value)| twin(value).or_else(|| at(place))).collect()
}

/// The text of a value without its whole numbers: what it looks like, whatever the objects that it refers to are
/// numbered.
fn looks(mut value: Value) -> String {
    fn blank(value: &mut Value) {
        match value {
            Value::Number(number) if !number.is_f64() => *value = Value::Null,
            Value::Array(elements) => elements.iter_mut().for_each(blank),
            Value::Object(members) => members.values_mut().for_each(blank),
            _ => {}
        }
    }
    blank(&mut value);
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spelled(before: &str, change: impl FnOnce(&mut Value)) -> String {
        let mut value: Value = serde_json::from_str(before).unwrap();
        change(&mut value);
        serde_json::to_string(&Spelled::new(&value, before.as_bytes())).unwrap()
    }

    const ODD: &str = r#"{"z":1.0,"a":[1e3,0.10,-0,-0.0,1E-2,123456789012345678901234567890,0.1000000000000000055511151231257827],"\u0041":"\u00e9\/\ud83d\ude00"}"#;

    #[test]
    fn what_stays_is_spelled_as_it_was() {
        let spaced = ODD.replace(',', " ,\n\t").replace(':', " : ");
        let kept = ODD.replace(r"\u0041", "A");
        assert_eq!(spelled(ODD, |_| {}), kept);
        assert_eq!(spelled(&spaced, |_| {}), kept, "blanks are nobody's");
        assert_eq!(spelled(ODD, |json| json["z"] = json!(2)), kept.replace("1.0", "2"));
        assert_eq!(spelled(ODD, |json| json["a"][0] = json!(1000)), kept.replace("1e3", "1000"));
        assert_eq!(spelled(ODD, |json| json["a"][3] = json!(0.0)), kept.replace("-0.0,", "0.0,"));
        assert_eq!(spelled(ODD, |json| json["b"] = json!([0.1])), kept.replace('}', r#","b":[0.1]}"#));
        let rest = r#"{"a":0.50}"#;
        assert_eq!(spelled(r#"{"a":[1,2],"a":0.50}"#, |_| {}), rest, "of several members of a name the last counts");
    }

    #[test]
    fn objects_that_move_keep_their_spelling() {
        let object = |view: usize, min: &str| format!(r#"{{"bufferView":{view},"min":[{min}]}}"#);
        let before = format!("[{},{},{}]", object(0, "0.10"), object(1, "1e3"), object(2, "1e3"));
        let after = spelled(&before, |json| {
            json.as_array_mut().unwrap().remove(0);
            json[0]["bufferView"] = json!(0);
            json[1]["bufferView"] = json!(1);
            json.as_array_mut().unwrap().push(json!({ "bufferView": 2, "min": [2e3] }));
        });
        assert_eq!(after, format!("[{},{},{}]", object(0, "1e3"), object(1, "1e3"), object(2, "2000.0")));
        let after = spelled(&before, |json| json[0]["min"][0] = json!(0.5));
        assert_eq!(after, before.replace("0.10", "0.5"));
    }
}
