//! JSON schemas, as far as those of the conformance sets go: a keyword that none of them has is refused, not skipped.

use keyfold::object_model::Pointer;
use serde_json::Value;

/// The only pattern that the schemas have: a JSON pointer.
const POINTER: &str = "^(/([^/~]|~0|~1)*)*$";

/// Whether a value keeps a schema that refers to nothing outside of itself; panics on a keyword that is not known here.
pub fn keeps(schema: &Value, value: &Value) -> bool {
    Schema { root: schema }.holds(schema, value)
}

struct Schema<'s> {
    root: &'s Value,
}

impl Schema<'_> {
    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let keywords = schema.as_object().expect("a schema is an object");
        keywords.iter().all(|(keyword, rule)| self.keyword(keyword, rule, value))
    }

    fn keyword(&self, keyword: &str, rule: &Value, value: &Value) -> bool {
        let array = value.as_array();
        let number = |holds: fn(f64, f64) -> bool| match (value.as_f64(), rule.as_f64()) {
            (Some(value), Some(rule)) => holds(value, rule),
            (None, _) => true,
            (_, None) => panic!("{rule} is no number"),
        };
        match keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => self.holds(self.definition(rule), value),
            "type" => is_of_type(rule, value),
            "required" => names(rule).all(|name| value.as_object().is_none_or(|object| object.contains_key(name))),
            "properties" => {
                let rules = rule.as_object().expect("schemas").iter();
                rules.filter_map(|(name, rule)| Some((rule, value.get(name)?))).all(|(rule, v)| self.holds(rule, v))
            }
            "items" => array.is_none_or(|array| array.iter().all(|element| self.holds(rule, element))),
            "minItems" => array.is_none_or(|array| array.len() as u64 >= rule.as_u64().expect("a number")),
            "uniqueItems" => array.is_none_or(|array| (1..array.len()).all(|i| !array[..i].contains(&array[i]))),
            "minimum" => number(|value, least| value >= least),
            "maximum" => number(|value, most| value <= most),
            "pattern" => {
                assert_eq!(rule.as_str(), Some(POINTER));
                value.as_str().is_none_or(|text| Pointer::parse(text).is_ok())
            }
            other => panic!("{other} is no keyword of these schemas"),
        }
    }

    fn definition(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).expect("a definition of the same schema")
    }
}

fn names(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().expect("names").iter().map(|name| name.as_str().expect("a name"))
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("{other:?} is no type of these schemas"),
    }
}

#[cfg(test)]
mod tests {
    use super::keeps;
    use serde_json::json;

    #[test]
    fn each_keyword_can_fail() {
        let schema = json!({
            "type": "object",
            "required": ["list"],
            "properties": { "list": { "$ref": "#/$defs/list" }, "pointer": { "pattern": super::POINTER } },
            "$defs": { "list": {
                "type": "array", "minItems": 1, "uniqueItems": true,
                "items": { "type": "integer", "minimum": 0, "maximum": 9 },
            } },
        });
        for good in [json!({ "list": [0, 9] }), json!({ "list": [3], "pointer": "/a/0" })] {
            assert!(keeps(&schema, &good), "{good}");
        }
        let lists = [json!([]), json!([1, 1]), json!([-1]), json!([10]), json!([0.5]), json!(["a"]), json!(3)];
        let broken = lists.map(|list| json!({ "list": list }));
        for bad in broken.into_iter().chain([json!({}), json!([]), json!({ "list": [1], "pointer": "a" })]) {
            assert!(!keeps(&schema, &bad), "{bad}");
        }
    }
}
