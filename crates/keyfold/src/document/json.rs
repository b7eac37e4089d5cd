//! Typed access to JSON as read. Errors of every getter name the place.
//!
//! An absent member is `None`, a member of the wrong type is an error. Nothing is copied.

use super::{
    outline::{Node, Outline, Span},
    place::{JsonPointer, Step},
};
use crate::{Error, Result};
use serde_json::Value;
use std::fmt;

/// A value of the document.
#[derive(Clone, Copy)]
pub struct JsonRef<'a> {
    outline: &'a Outline,
    node: Node,
}

impl<'a> JsonRef<'a> {
    pub(super) fn root(outline: &'a Outline) -> Self {
        Self { outline, node: outline.root() }
    }

    /// The member with this key, if the value is an object that has it.
    pub fn get(self, key: &str) -> Option<JsonRef<'a>> {
        let Node::Object(members) = self.node else { return None };
        self.outline.member(members, key).map(|(_, node)| JsonRef { node, ..self })
    }

    /// The members, where it is an object, in an order of their own.
    pub(super) fn members(self) -> impl Iterator<Item = (&'a str, JsonRef<'a>)> {
        let members = if let Node::Object(members) = self.node { Some(members) } else { None };
        let members = members.into_iter().flat_map(move |members| self.outline.members(members));
        members.map(move |(key, node)| (key, JsonRef { node, ..self }))
    }

    /// The elements, if the value is an array.
    pub fn as_array(self) -> Option<List<'a>> {
        let Node::Array(elements) = self.node else { return None };
        Some(List { outline: self.outline, nodes: self.outline.elements(elements) })
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        matches!(self.node, Node::Object(_))
    }

    /// The string, if the value is one.
    pub fn as_str(self) -> Option<&'a str> {
        let Node::Text(text) = self.node else { return None };
        Some(self.outline.str(text))
    }

    /// The boolean, if the value is one.
    pub fn as_bool(self) -> Option<bool> {
        let Node::Bool(value) = self.node else { return None };
        Some(value)
    }

    /// The number, if the value is one.
    pub fn as_f64(self) -> Option<f64> {
        match self.node {
            Node::Whole(n) => Some(n as f64),
            Node::Negative(n) => Some(n as f64),
            Node::Float(n) => Some(n),
            _ => None,
        }
    }

    /// The number, if it is a nonnegative integer. It may be written `3` or `3.0`: some exporters write floats
    /// throughout.
    pub fn as_index(self) -> Option<usize> {
        match self.node {
            Node::Whole(n) => usize::try_from(n).ok(),
            _ => self.as_f64().and_then(whole),
        }
    }
}

/// As the file says it, but for arrays and objects, which are only called so.
impl fmt::Display for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Node::Null => f.write_str("null"),
            Node::Bool(value) => value.fmt(f),
            Node::Whole(n) => n.fmt(f),
            Node::Negative(n) => n.fmt(f),
            Node::Float(n) => write!(f, "{n:?}"),
            Node::Text(text) => write!(f, "{:?}", self.outline.str(text)),
            Node::Array(_) => f.write_str("an array"),
            Node::Object(_) => f.write_str("an object"),
        }
    }
}

/// The elements of an array of the document.
#[derive(Clone, Copy)]
pub struct List<'a> {
    outline: &'a Outline,
    nodes: &'a [Node],
}

impl<'a> List<'a> {
    /// The number of elements.
    pub fn len(self) -> usize {
        self.nodes.len()
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The element at an index.
    pub fn get(self, index: usize) -> Option<JsonRef<'a>> {
        self.nodes.get(index).map(|node| JsonRef { outline: self.outline, node: *node })
    }

    /// Iterates over the elements.
    pub fn iter(self) -> impl ExactSizeIterator<Item = JsonRef<'a>> {
        self.nodes.iter().map(move |node| JsonRef { outline: self.outline, node: *node })
    }
}

/// An object of the document with its place, a JSON pointer.
#[derive(Clone)]
pub struct Object<'a> {
    outline: &'a Outline,
    members: Span,
    place: JsonPointer<'a>,
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({})", self.place)
    }
}

impl<'a> Object<'a> {
    /// The document itself.
    pub(super) fn root(outline: &'a Outline) -> Result<Self> {
        Self::new(JsonRef::root(outline), JsonPointer::ROOT)
    }

    fn new(look: JsonRef<'a>, place: JsonPointer<'a>) -> Result<Self> {
        match look.node {
            Node::Object(members) => Ok(Self { outline: look.outline, members, place }),
            _ => Err(Error::malformed(place.to_string(), "should be an object")),
        }
    }

    /// Its place, as a JSON pointer.
    pub fn at(&self) -> String {
        self.place.to_string()
    }

    /// The place of one of its members.
    pub fn place(&self, key: &str) -> String {
        format!("{}/{}", self.place, escape(key))
    }

    fn member(&self, key: &str) -> Option<(&'a [u8], JsonRef<'a>)> {
        let (key, node) = self.outline.member(self.members, key)?;
        Some((key, JsonRef { outline: self.outline, node }))
    }

    /// A member of any type.
    pub fn get(&self, key: &str) -> Option<JsonRef<'a>> {
        self.member(key).map(|(_, look)| look)
    }

    fn typed<T>(&self, key: &str, read: impl Fn(JsonRef<'a>) -> Option<T>, should: &str) -> Result<Option<T>> {
        match self.get(key) {
            None => Ok(None),
            Some(look) => match read(look) {
                Some(value) => Ok(Some(value)),
                None => Err(Error::malformed(self.place(key), format!("should be {should}"))),
            },
        }
    }

    /// A nonnegative integer: an index, a count, an offset.
    pub fn index(&self, key: &str) -> Result<Option<usize>> {
        self.typed(key, JsonRef::as_index, "a whole number, not negative")
    }

    /// Like [`Object::index`], for a required member.
    pub fn required_index(&self, key: &str) -> Result<usize> {
        self.required(key, self.index(key)?)
    }

    /// A number.
    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        self.typed(key, JsonRef::as_f64, "a number")
    }

    /// An array of numbers.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        self.typed(key, |v| v.as_array()?.iter().map(JsonRef::as_f64).collect(), "an array of numbers")
    }

    /// A string.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.typed(key, JsonRef::as_str, "a string")
    }

    /// Like [`Object::text`], for a required member.
    pub fn required_text(&self, key: &str) -> Result<&'a str> {
        self.required(key, self.text(key)?)
    }

    /// A boolean; `false` if absent.
    pub fn flag(&self, key: &str) -> Result<bool> {
        Ok(self.typed(key, JsonRef::as_bool, "true or false")?.unwrap_or(false))
    }

    /// An object.
    pub fn object(&self, key: &str) -> Result<Option<Object<'a>>> {
        self.member(key).map(|(key, look)| Object::new(look, self.place.then(Step::Key(key)))).transpose()
    }

    /// Like [`Object::object`], for a required member.
    pub fn required_object(&self, key: &str) -> Result<Object<'a>> {
        self.required(key, self.object(key)?)
    }

    /// An array; empty if absent.
    pub fn array(&self, key: &str) -> Result<List<'a>> {
        Ok(self.list(key)?.map_or(List { outline: self.outline, nodes: &[] }, |(_, list)| list))
    }

    fn list(&self, key: &str) -> Result<Option<(&'a [u8], List<'a>)>> {
        let Some((name, look)) = self.member(key) else { return Ok(None) };
        let list = look.as_array().ok_or_else(|| Error::malformed(self.place(key), "should be an array"))?;
        Ok(Some((name, list)))
    }

    /// The objects of an array member, each with its place; empty if absent.
    pub fn objects(&self, key: &str) -> Result<impl ExactSizeIterator<Item = Result<Object<'a>>> + use<'a>> {
        let empty = (&[][..], List { outline: self.outline, nodes: &[] });
        let (name, list) = self.list(key)?.unwrap_or(empty);
        let place = self.place.then(Step::Key(name));
        Ok(list.iter().enumerate().map(move |(i, look)| Object::new(look, place.then(Step::Index(i)))))
    }

    /// One object of an array member; `None` if the array is shorter.
    pub fn element(&self, key: &str, index: usize) -> Result<Option<Object<'a>>> {
        let Some((name, list)) = self.list(key)? else { return Ok(None) };
        let place = || self.place.then(Step::Key(name)).then(Step::Index(index));
        list.get(index).map(|look| Object::new(look, place())).transpose()
    }

    /// The object of an extension on this object.
    pub fn extension(&self, name: &str) -> Result<Option<Object<'a>>> {
        match self.object("extensions")? {
            Some(extensions) => extensions.object(name),
            None => Ok(None),
        }
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| Error::malformed(self.at(), format!("`{key}` is missing")))
    }
}

/// As [`JsonRef::as_index`], of a value.
pub(crate) fn to_index(value: &Value) -> Option<usize> {
    match value.as_u64() {
        Some(n) => usize::try_from(n).ok(),
        None => value.as_f64().and_then(whole),
    }
}

fn whole(number: f64) -> Option<usize> {
    ((0.0..=4_294_967_295.0).contains(&number) && number.trunc() == number).then_some(number as usize)
}

/// One token of a JSON pointer, escaped by RFC 6901.
pub fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}
