//! Members of JSON objects, read as the schema wants them: what is not so is a finding, and the answer is `None`.
//!
//! A rule that works on what these getters answer never meets a wrong type or a value out of its range. Codes and
//! places are those of Khronos' validator, which likes to name the array where an element is wrong, but the element
//! where an index is.

use super::{
    Findings,
    khronos::{
        ARRAY_LENGTH_NOT_IN_LIST, ARRAY_TYPE_MISMATCH, DUPLICATE_ELEMENTS, EMPTY_ENTITY, INVALID_INDEX, TYPE_MISMATCH,
        UNEXPECTED_PROPERTY, VALUE_NOT_IN_LIST, VALUE_NOT_IN_RANGE,
    },
};
use crate::document::json::{escape, to_index};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// An object of the document with its place, and where to report.
pub(crate) struct Members<'d, 'f> {
    map: &'d Map<String, Value>,
    at: String,
    findings: &'f mut Findings,
}

/// What every object may have besides its own members.
pub(super) const COMMON: [&str; 2] = ["extensions", "extras"];

impl<'d, 'f> Members<'d, 'f> {
    /// The members of `value`, which should be an object.
    pub(crate) fn new(value: &'d Value, at: String, findings: &'f mut Findings) -> Option<Self> {
        match value.as_object() {
            Some(map) => Some(Self { map, at, findings }),
            None => {
                findings.add(&TYPE_MISMATCH, at, format!("{} is not an object", short(value)));
                None
            }
        }
    }

    pub(crate) fn at(&self) -> &str {
        &self.at
    }

    pub(crate) fn place(&self, key: &str) -> String {
        format!("{}/{}", self.at, escape(key))
    }

    pub(crate) fn findings(&mut self) -> &mut Findings {
        self.findings
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// Reports members that the object should not have, and `extensions` and `name` of the wrong type.
    pub(crate) fn only(&mut self, known: &[&str]) {
        for key in self.map.keys().filter(|k| !known.contains(&k.as_str()) && !COMMON.contains(&k.as_str())) {
            let at = self.place(key);
            self.findings.add(&UNEXPECTED_PROPERTY, at, format!("`{key}` is not a member that is defined here"));
        }
        self.object("extensions");
        if known.contains(&"name") {
            self.text("name");
        }
    }

    /// Reports members that must be there and are not.
    pub(crate) fn required(&mut self, keys: &[&str]) {
        for key in keys.iter().filter(|key| !self.map.contains_key(**key)) {
            let at = if self.at.is_empty() { "/" } else { &self.at };
            self.findings.add_missing(at, key);
        }
    }

    fn mismatch(&mut self, key: &str, value: &Value, should: &str) {
        let at = self.place(key);
        self.findings.add(&TYPE_MISMATCH, at, format!("{} is not {should}", short(value)));
    }

    fn typed<T>(&mut self, key: &str, read: impl Fn(&'d Value) -> Option<T>, should: &str) -> Option<T> {
        let value = self.map.get(key)?;
        let read = read(value);
        if read.is_none() {
            self.mismatch(key, value, should);
        }
        read
    }

    /// The index of an object elsewhere.
    pub(crate) fn index(&mut self, key: &str) -> Option<usize> {
        let value = self.map.get(key)?;
        let index = to_index(value);
        if index.is_none() && is_integer(value) {
            let at = self.place(key);
            self.findings.add(&INVALID_INDEX, at, format!("{value} is negative"));
        } else if index.is_none() {
            self.mismatch(key, value, "an integer");
        }
        index
    }

    /// A whole number in a range.
    pub(super) fn whole(&mut self, key: &str, range: RangeInclusive<usize>) -> Option<usize> {
        let value = self.typed(key, |v| is_integer(v).then_some(v), "an integer")?;
        let number = to_index(value).filter(|n| range.contains(n));
        if number.is_none() {
            self.out_of_range(self.place(key), value);
        }
        number
    }

    /// One of a list of whole numbers; what is not listed is only a warning.
    pub(super) fn one_of(&mut self, key: &str, list: &[usize]) -> Option<usize> {
        let value = self.typed(key, |v| is_integer(v).then_some(v), "an integer")?;
        let number = to_index(value).filter(|n| list.contains(n));
        if number.is_none() {
            self.not_listed(key, value, &list.iter().map(usize::to_string).collect::<Vec<_>>());
        }
        number
    }

    /// A text.
    pub(super) fn text(&mut self, key: &str) -> Option<&'d str> {
        self.typed(key, Value::as_str, "a string")
    }

    /// One of a list of texts; what is not listed is only a warning.
    pub(super) fn name_of(&mut self, key: &str, list: &[&str]) -> Option<&'d str> {
        let text = self.text(key)?;
        if list.contains(&text) {
            return Some(text);
        }
        self.not_listed(key, &self.map[key], &list.iter().map(ToString::to_string).collect::<Vec<_>>());
        None
    }

    fn not_listed(&mut self, key: &str, value: &Value, list: &[String]) {
        let at = self.place(key);
        self.findings.add(&VALUE_NOT_IN_LIST, at, format!("{} is none of {}", short(value), list.join(", ")));
    }

    fn out_of_range(&mut self, at: String, value: &Value) {
        self.findings.add(&VALUE_NOT_IN_RANGE, at, format!("{value} is out of range"));
    }

    /// A truth value; absent or wrong is false.
    pub(super) fn flag(&mut self, key: &str) -> bool {
        self.typed(key, Value::as_bool, "a boolean").unwrap_or(false)
    }

    /// A number that passes a test.
    pub(super) fn number(&mut self, key: &str, valid: impl Fn(f64) -> bool) -> Option<f64> {
        let number = self.typed(key, Value::as_f64, "a number")?;
        if valid(number) {
            return Some(number);
        }
        self.out_of_range(self.place(key), &self.map[key]);
        None
    }

    /// The elements of an array that may not be empty.
    pub(crate) fn array(&mut self, key: &str) -> Option<&'d [Value]> {
        let array = self.typed(key, Value::as_array, "an array")?;
        if array.is_empty() {
            let at = self.place(key);
            self.findings.add(&EMPTY_ENTITY, at, format!("`{key}` is empty"));
            return None;
        }
        Some(array)
    }

    /// Numbers, as many as `length` says, where it says so.
    pub(super) fn numbers(&mut self, key: &str, length: Option<usize>) -> Option<Vec<f64>> {
        let array = self.array(key)?;
        if let Some(length) = length.filter(|n| *n != array.len()) {
            let (at, found) = (self.place(key), array.len());
            self.findings.add(&ARRAY_LENGTH_NOT_IN_LIST, at, format!("{found} elements, where {length} are expected"));
            return None;
        }
        for element in array.iter().filter(|e| !e.is_number()) {
            self.wrong_element(key, element, "a number");
        }
        array.iter().map(Value::as_f64).collect()
    }

    pub(super) fn wrong_element(&mut self, key: &str, element: &Value, should: &str) {
        let at = self.place(key);
        self.findings.add(&ARRAY_TYPE_MISMATCH, at, format!("the element {} is not {should}", short(element)));
    }

    /// Reports elements of an array of numbers that are not in a range.
    pub(super) fn elements_within(&mut self, key: &str, range: RangeInclusive<f64>) {
        let elements = self.map.get(key).and_then(Value::as_array).into_iter().flatten();
        for (i, element) in elements.enumerate().filter(|(_, e)| e.as_f64().is_some_and(|n| !range.contains(&n))) {
            self.out_of_range(format!("{}/{i}", self.place(key)), element);
        }
    }

    /// Indices of other objects, each once; `None` for those that are none.
    pub(crate) fn indices(&mut self, key: &str) -> Option<Vec<Option<usize>>> {
        let array = self.array(key)?;
        let mut seen = BTreeSet::new();
        for (i, element) in array.iter().enumerate() {
            let at = format!("{}/{i}", self.place(key));
            match to_index(element) {
                None => self.findings.add(&INVALID_INDEX, at, format!("{} is not an index", short(element))),
                Some(index) if !seen.insert(index) => {
                    self.findings.add(&DUPLICATE_ELEMENTS, at, format!("{index} is there twice"));
                }
                Some(_) => {}
            }
        }
        Some(array.iter().map(to_index).collect())
    }

    /// A member that is an object.
    pub(super) fn object(&mut self, key: &str) -> Option<Members<'d, '_>> {
        let value = self.map.get(key)?;
        Members::new(value, self.place(key), self.findings)
    }

    /// An array of objects, each read by `read`. One that is none makes the whole array useless.
    pub(crate) fn objects<T>(&mut self, key: &str, mut read: impl FnMut(Members<'d, '_>) -> T) -> Option<Vec<T>> {
        let array = self.array(key)?;
        let wrong: Vec<&Value> = array.iter().filter(|e| !e.is_object()).collect();
        if !wrong.is_empty() {
            wrong.into_iter().for_each(|element| self.wrong_element(key, element, "an object"));
            return None;
        }
        let place = self.place(key);
        let each = |(i, value)| Members::new(value, format!("{place}/{i}"), self.findings).map(&mut read);
        array.iter().enumerate().map(each).collect()
    }

    /// A collection at the root: an element that is no object is `None`, and the others stand.
    pub(super) fn collection<T>(&mut self, key: &str, mut read: impl FnMut(Members<'d, '_>) -> T) -> Vec<Option<T>> {
        let array = self.array(key).unwrap_or_default();
        let place = self.place(key);
        let each = |(i, value)| Members::new(value, format!("{place}/{i}"), self.findings).map(&mut read);
        array.iter().enumerate().map(each).collect()
    }

    /// Texts, each once.
    pub(super) fn texts(&mut self, key: &str) {
        let mut seen = BTreeSet::new();
        for (i, element) in self.array(key).unwrap_or_default().iter().enumerate() {
            let at = format!("{}/{i}", self.place(key));
            match element.as_str() {
                None => {
                    self.findings.add(&ARRAY_TYPE_MISMATCH, at, format!("{} is not a string", short(element)));
                }
                Some(text) if !seen.insert(text) => {
                    self.findings.add(&DUPLICATE_ELEMENTS, at, format!("`{text}` is there twice"));
                }
                Some(_) => {}
            }
        }
    }

    /// Every member with its value.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'d String, &'d Value)> + use<'d> {
        self.map.iter()
    }
}

/// Whole numbers may be spelled `3` or `3.0`.
pub(super) fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.trunc() == f && f.abs() < 9e15)
}

/// A value as people should see it: not a whole subtree.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
