//! A document's JSON in two forms, each made from the other when first asked for: an outline to look at, and values to change and
//! to write. Reading what core glTF can say makes no values, which cost several times as much: only pointers need them, whose
//! meaning is told from values. Editing makes no outline.

use super::outline::Outline;
use crate::{Error, Result};
use serde_json::Value;
use std::sync::OnceLock;

/// The JSON of a document. At least one of the two forms is there, and its root is an object.
#[derive(Debug, Default)]
pub(super) struct Content {
    outline: OnceLock<Outline>,
    value: OnceLock<Value>,
}

impl Content {
    /// What a file says.
    pub(super) fn of_text(text: super::Bytes) -> Result<Self> {
        let outline = Outline::of_text(text)?;
        if !matches!(outline.root(), super::outline::Node::Object(_)) {
            return Err(Error::malformed("", "the JSON is not an object"));
        }
        Ok(Self { outline: outline.into(), ..Self::default() })
    }

    /// The JSON as read, in order and number by number.
    pub(super) fn value(&self) -> &Value {
        let parse = |outline: &Outline| serde_json::from_slice(outline.text()).expect("it was parsed before");
        self.value.get_or_init(|| self.outline.get().map_or_else(Value::default, parse))
    }

    /// The outline of it.
    pub(super) fn outline(&self) -> &Outline {
        let make = |value: &Value| Outline::of_value(value).expect("values are in memory, and fit an outline");
        self.outline.get_or_init(|| make(self.value.get().unwrap_or(&Value::Null)))
    }
}

impl From<Value> for Content {
    fn from(value: Value) -> Self {
        Self { value: value.into(), ..Self::default() }
    }
}
