//! A document's JSON: the text, and an outline of it to look at. Values, to change and to write, are made of it only when somebody asks,
//! because they cost several times as much: reading animations never does, and of a document that was changed only the text is kept.

use super::{Bytes, outline::Outline, spelling::Spelled};
use crate::{Error, Result, limits::Account};
use serde_json::Value;
use std::sync::OnceLock;

/// The JSON of a document. Its root is an object.
#[derive(Debug)]
pub(super) struct Content {
    outline: Outline,
    value: OnceLock<Value>,
}

impl Content {
    /// What a file says. Values count as if they were there: they are made where no error can be told any more.
    pub(super) fn of_text(text: Bytes, account: &Account) -> Result<Self> {
        account.hold(Outline::memory_of(&text), String::new)?;
        let outline = Outline::of_text(text)?;
        account.hold(outline.memory_of_values(), String::new)?;
        if !matches!(outline.root(), super::outline::Node::Object(_)) {
            return Err(Error::malformed("", "the JSON is not an object"));
        }
        Ok(Self { outline, value: OnceLock::new() })
    }

    /// What values say that were made of these. Their text has no blanks; what did not change is spelled as it was.
    pub(super) fn changed(&self, value: Value, account: &Account) -> Result<Self> {
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
        serde_json::from_slice(self.outline.text()).expect("it was parsed before")
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
