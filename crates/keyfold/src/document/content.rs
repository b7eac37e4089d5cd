//! A document's JSON: the text, and an outline of it to look at. Values, to change and to write, are made of it only
//! when somebody asks, because they cost several times as much: reading animations never does, and of a document that
//! was changed only the text is kept.

use super::{Bytes, outline::Outline, spelling::Spelled};
use crate::{Error, limits::Account};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::{fmt, sync::OnceLock};

/// The JSON of a document. Its root is an object.
#[derive(Debug)]
pub(super) struct Content {
    outline: Outline,
    value: OnceLock<Value>,
}

impl Content {
    /// What a file says. Values count as if they were there: they are made where no error can be told any more.
    pub(super) fn of_text(text: Bytes, account: &Account) -> crate::Result<Self> {
        account.hold(Outline::memory_of(&text), String::new)?;
        let outline = Outline::of_text(text)?;
        account.hold(outline.memory_of_values(), String::new)?;
        if !matches!(outline.root(), super::outline::Node::Object(_)) {
            return Err(Error::malformed("", "the JSON is not an object"));
        }
        Ok(Self { outline, value: OnceLock::new() })
    }

    /// What values say that were made of these. Their text has no blanks; what did not change is spelled as it was.
    pub(super) fn changed(&self, value: Value, account: &Account) -> crate::Result<Self> {
        let text = serde_json::to_vec(&Spelled::new(&value, self.text()))?;
        drop(value);
        Self::of_text(text.into(), account)
    }

    /// The JSON as read, in order. Stays in memory.
    pub(super) fn value(&self) -> &Value {
        self.value.get_or_init(|| self.parse())
    }

    /// The same, to keep and to change.
    pub(super) fn to_value(&self) -> Value {
        self.value.get().cloned().unwrap_or_else(|| self.parse())
    }

    fn parse(&self) -> Value {
        let mut text = serde_json::Deserializer::from_slice(self.outline.text());
        Compact.deserialize(&mut text).expect("it was parsed before")
    }

    /// The text itself.
    pub(super) fn text(&self) -> &Bytes {
        self.outline.text()
    }

    /// The outline of it.
    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }
}

/// Values in no more memory than they need: serde_json's own grow by doubling, which is a third of it where objects
/// are many and small.
struct Compact;

impl<'de> DeserializeSeed<'de> for Compact {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<Value, D::Error> {
        text.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Compact {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element_seed(Self)? {
            elements.push(element);
        }
        elements.shrink_to_fit();
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = object.next_key::<String>()? {
            members.push((name, object.next_value_seed(Self)?));
        }
        // As long as the iterator says that it is.
        Ok(Value::Object(members.into_iter().collect()))
    }
}
