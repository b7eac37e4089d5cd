//! Typed looks into JSON as it was read: every getter answers with the place where something is wrong.
//!
//! A member that is absent is `None`; a member of the wrong type is an error. Nothing is copied.

use crate::{Error, Result};
use serde_json::{Map, Value};

/// An object of the document together with its place, the JSON pointer `at`.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    map: &'a Map<String, Value>,
    at: String,
}

impl<'a> Object<'a> {
    /// `value` seen as an object.
    pub fn new(value: &'a Value, at: impl Into<String>) -> Result<Self> {
        let at = at.into();
        match value.as_object() {
            Some(map) => Ok(Self { map, at }),
            None => Err(Error::malformed(at, "should be an object")),
        }
    }

    /// Its place: a JSON pointer.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// The place of one of its members.
    pub fn place(&self, key: &str) -> String {
        format!("{}/{}", self.at, escape(key))
    }

    /// The members as they were read.
    pub fn map(&self) -> &'a Map<String, Value> {
        self.map
    }

    /// A member, whatever it is.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    fn typed<T>(&self, key: &str, read: impl Fn(&'a Value) -> Option<T>, should: &str) -> Result<Option<T>> {
        match self.map.get(key) {
            None => Ok(None),
            Some(value) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => Err(Error::malformed(self.place(key), format!("should be {should}"))),
            },
        }
    }

    /// A whole number that is not negative: an index, a count, an offset.
    pub fn index(&self, key: &str) -> Result<Option<usize>> {
        self.typed(key, to_index, "a whole number, not negative")
    }

    /// As [`Object::index`], where the member must be there.
    pub fn required_index(&self, key: &str) -> Result<usize> {
        self.required(key, self.index(key)?)
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        self.typed(key, Value::as_f64, "a number")
    }

    /// An array of numbers.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        self.typed(key, |v| v.as_array()?.iter().map(Value::as_f64).collect(), "an array of numbers")
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.typed(key, Value::as_str, "a string")
    }

    /// As [`Object::text`], where the member must be there.
    pub fn required_text(&self, key: &str) -> Result<&'a str> {
        self.required(key, self.text(key)?)
    }

    /// A truth value; absent is false.
    pub fn flag(&self, key: &str) -> Result<bool> {
        Ok(self.typed(key, Value::as_bool, "true or false")?.unwrap_or(false))
    }

    /// An object.
    pub fn object(&self, key: &str) -> Result<Option<Object<'a>>> {
        self.get(key).map(|v| Object::new(v, self.place(key))).transpose()
    }

    /// As [`Object::object`], where the member must be there.
    pub fn required_object(&self, key: &str) -> Result<Object<'a>> {
        self.required(key, self.object(key)?)
    }

    /// An array; absent is empty.
    pub fn array(&self, key: &str) -> Result<&'a [Value]> {
        Ok(self.typed(key, |v| v.as_array().map(Vec::as_slice), "an array")?.unwrap_or(&[]))
    }

    /// The objects of an array member, each with its place; absent is empty.
    pub fn objects(&self, key: &str) -> Result<impl Iterator<Item = Result<Object<'a>>>> {
        let place = self.place(key);
        Ok(self.array(key)?.iter().enumerate().map(move |(i, v)| Object::new(v, format!("{place}/{i}"))))
    }

    /// The object of an extension on this object.
    pub fn extension(&self, name: &str) -> Result<Option<Object<'a>>> {
        match self.object("extensions")? {
            Some(extensions) => extensions.object(name),
            None => Ok(None),
        }
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| Error::malformed(&self.at, format!("`{key}` is missing")))
    }
}

/// Whole numbers may be spelled `3` or `3.0`: some exporters write floats throughout.
pub(crate) fn to_index(value: &Value) -> Option<usize> {
    match value.as_u64() {
        Some(n) => usize::try_from(n).ok(),
        None => value.as_f64().filter(|f| *f >= 0.0 && *f <= 4_294_967_295.0 && f.trunc() == *f).map(|f| f as usize),
    }
}

/// One step of a JSON pointer, escaped as RFC 6901 says.
pub fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}
