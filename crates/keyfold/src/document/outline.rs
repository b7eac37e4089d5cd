//! The JSON of a document as an outline, which is what reading looks at: members of all objects in one list, elements
//! of all arrays in another, texts left where they stand in the file. A handful of allocations, however large the
//! document.
//!
//! serde_json does the parsing. The outline does not keep the order of members nor the spelling of numbers: whoever
//! changes or writes a document works on values ([`super::content`]).

use super::Bytes;
use crate::{Error, Result};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::{fmt, ops::Range};

/// Objects with more members than this have them sorted by key, so that no file can make looking for one slow.
const FEW: usize = 16;

/// A document's JSON, to be looked at.
#[derive(Debug)]
pub(super) struct Outline {
    /// The JSON text; texts inside of it are borrowed from here.
    text: Bytes,
    /// Texts that do not stand in `text` letter by letter, because of escapes. Their places count on from its end.
    copied: String,
    members: Vec<Member>,
    items: Vec<Node>,
    root: Node,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    key: Span,
    value: Node,
}

/// One value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Whole(u64),
    Negative(i64),
    Float(f64),
    Text(Span),
    /// A part of `items`.
    Array(Span),
    /// A part of `members`.
    Object(Span),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: u32,
    len: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl Outline {
    /// The outline of a JSON text.
    pub(super) fn of_text(text: Bytes) -> Result<Self> {
        // The most that a place can be, with as much again for texts that are copied.
        let most = u32::MAX as usize / 2;
        if text.len() > most {
            return Err(Error::limit("", format!("the JSON has {} bytes; {most} are allowed", text.len())));
        }
        // Checked as a whole, which is quicker than text by text.
        let letters = str::from_utf8(&text).map_err(|error| Error::Json { what: error.to_string() })?;
        let mut builder = Builder::for_text(letters.as_bytes());
        let mut parser = serde_json::Deserializer::from_str(letters);
        let root = One(&mut builder).deserialize(&mut parser)?;
        parser.end()?;
        let Builder { copied, members, items, .. } = builder;
        Ok(Self { copied, members, items, root, text })
    }

    /// How many bytes the outline of a text takes.
    pub(super) fn memory_of(text: &[u8]) -> usize {
        let (members, items) = room(text);
        members * size_of::<Member>() + items * size_of::<Node>()
    }

    /// How many bytes the same takes as values: members have keys of their own and a table to find them by.
    pub(super) fn memory_of_values(&self) -> usize {
        const MEMBER: usize = 2 * size_of::<String>() + size_of::<Value>() + 2 * size_of::<usize>();
        self.members.len() * MEMBER + self.items.len() * size_of::<Value>() + self.text.len()
    }

    /// The JSON text.
    pub(super) fn text(&self) -> &Bytes {
        &self.text
    }

    pub(super) fn root(&self) -> Node {
        self.root
    }

    /// The members of an object, with their keys.
    pub(super) fn members(&self, object: Span) -> impl Iterator<Item = (&str, Node)> {
        self.members[object.range()].iter().map(|member| (self.str(member.key), member.value))
    }

    /// The elements of an array.
    pub(super) fn elements(&self, array: Span) -> &[Node] {
        &self.items[array.range()]
    }

    /// The member of an object, with its key; of several with one key the last.
    pub(super) fn member(&self, object: Span, key: &str) -> Option<(&[u8], Node)> {
        let (members, key) = (&self.members[object.range()], key.as_bytes());
        let is_it = |member: &&Member| member.key.len as usize == key.len() && self.bytes(member.key) == key;
        let found = if members.len() > FEW {
            members[..members.partition_point(|member| self.bytes(member.key) <= key)].last().filter(is_it)
        } else {
            members.iter().rev().find(is_it)
        };
        found.map(|member| (self.bytes(member.key), member.value))
    }

    /// A text.
    pub(super) fn str(&self, text: Span) -> &str {
        str::from_utf8(self.bytes(text)).expect("the parser saw to it")
    }

    fn bytes(&self, text: Span) -> &[u8] {
        bytes(&self.text, &self.copied, text)
    }
}

fn bytes<'t>(text: &'t [u8], copied: &'t str, span: Span) -> &'t [u8] {
    let Range { start, end } = span.range();
    match start.checked_sub(text.len()) {
        Some(start) => &copied.as_bytes()[start..end - text.len()],
        None => &text[start..end],
    }
}

/// How often a letter occurs. Sums of few bytes fit a byte, which lets the compiler compare many at once.
fn count(text: &[u8], letter: u8) -> usize {
    let few = |bytes: &[u8]| bytes.iter().map(|byte| u8::from(*byte == letter)).sum::<u8>();
    text.chunks(255).map(|bytes| usize::from(few(bytes))).sum()
}

/// At least how many members and elements a text has: each member has its colon, and members and elements are one
/// more than the commas between them. Texts may hold such letters too, but no more is taken than the shortest members
/// and elements would need.
fn room(text: &[u8]) -> (usize, usize) {
    let members = count(text, b':').min(text.len() / 5);
    let entries = count(text, b',') + count(text, b'[') + count(text, b'{');
    (members, entries.saturating_sub(members).min(text.len() / 2))
}

/// An outline under way. What belongs to containers that are still open waits in `open_members` and `open_items`:
/// each container's part moves to its list when it ends, so that it lies there in one piece.
#[derive(Default)]
struct Builder<'t> {
    text: &'t [u8],
    copied: String,
    members: Vec<Member>,
    items: Vec<Node>,
    open_members: Vec<Member>,
    open_items: Vec<Node>,
}

impl<'t> Builder<'t> {
    /// Room for all of a text.
    fn for_text(text: &'t [u8]) -> Self {
        let (members, items) = room(text);
        Self { text, members: Vec::with_capacity(members), items: Vec::with_capacity(items), ..Self::default() }
    }

    fn span<E: de::Error>(start: usize, len: usize) -> Result<Span, E> {
        match (u32::try_from(start), u32::try_from(len)) {
            (Ok(start), Ok(len)) if start.checked_add(len).is_some() => Ok(Span { start, len }),
            _ => Err(E::custom("more than an outline can hold")),
        }
    }

    fn borrowed<E: de::Error>(&mut self, text: &str) -> Result<Span, E> {
        // Whether it is a piece of the whole text is told by its address.
        let start = (text.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        match start.filter(|start| start + text.len() < self.text.len()) {
            Some(start) => Self::span(start, text.len()),
            None => self.copied(text),
        }
    }

    fn copied<E: de::Error>(&mut self, text: &str) -> Result<Span, E> {
        let start = self.text.len() + self.copied.len();
        self.copied.push_str(text);
        Self::span(start, text.len())
    }

    fn end_array<E: de::Error>(&mut self, from: usize) -> Result<Node, E> {
        let start = self.items.len();
        self.items.extend(self.open_items.drain(from..));
        Ok(Node::Array(Self::span(start, self.items.len() - start)?))
    }

    fn end_object<E: de::Error>(&mut self, from: usize) -> Result<Node, E> {
        let start = self.members.len();
        self.members.extend(self.open_members.drain(from..));
        let (text, copied) = (self.text, &self.copied);
        if self.members.len() - start > FEW {
            self.members[start..].sort_by_key(|member| bytes(text, copied, member.key));
        }
        Ok(Node::Object(Self::span(start, self.members.len() - start)?))
    }
}

/// Reads one value into an outline.
struct One<'b, 't>(&'b mut Builder<'t>);

impl<'de> DeserializeSeed<'de> for One<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for One<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(u64::try_from(value).map_or(Node::Negative(value), Node::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Node, E> {
        Ok(Node::Text(self.0.borrowed(text)?))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(self.0.copied(text)?))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Node, A::Error> {
        let from = self.0.open_items.len();
        while let Some(node) = elements.next_element_seed(One(self.0))? {
            self.0.open_items.push(node);
        }
        self.0.end_array(from)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let from = self.0.open_members.len();
        while let Some(key) = members.next_key_seed(One(self.0))? {
            let Node::Text(key) = key else { return Err(de::Error::custom("a key is no text")) };
            let value = members.next_value_seed(One(self.0))?;
            self.0.open_members.push(Member { key, value });
        }
        self.0.end_object(from)
    }
}

#[cfg(test)]
mod tests;
