//! JSON pointers: the addresses of values in a document (RFC 6901).
//!
//! A [`Pointer`] is kept as text, checked once, so comparing, hashing and printing are cheap. It knows nothing about
//! glTF; the registry knows what a pointer means.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

/// The address of a value in a JSON document (RFC 6901).
///
/// ```
/// use keyfold::object_model::Pointer;
/// use serde_json::json;
///
/// let pointer: Pointer = "/nodes/0/extras/a~1b".parse()?;
/// let document = json!({ "nodes": [{ "extras": { "a/b": 7 } }] });
/// assert_eq!(pointer.resolve(&document), Some(&json!(7)));
/// assert_eq!(pointer.tokens().last().as_deref(), Some("a/b"));
/// # Ok::<(), keyfold::object_model::PointerError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Pointer(String);

/// Why a text is not a JSON pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointerError {
    /// A pointer is empty or begins with a slash.
    #[error("a JSON pointer begins with a slash")]
    NoSlash,
    /// `~` stands only in `~0` and `~1`.
    #[error("'~' at byte {0} of a JSON pointer is followed by neither 0 nor 1")]
    BadEscape(usize),
}

impl Pointer {
    /// The pointer to the whole document.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Parses `text` as a pointer.
    pub fn parse(text: impl Into<String>) -> Result<Self, PointerError> {
        let text = text.into();
        if !text.is_empty() && !text.starts_with('/') {
            return Err(PointerError::NoSlash);
        }
        let escapes = text.match_indices('~');
        let after = |at: usize| text.as_bytes().get(at + 1);
        match escapes.map(|(at, _)| at).find(|&at| !matches!(after(at), Some(b'0' | b'1'))) {
            Some(at) => Err(PointerError::BadEscape(at)),
            None => Ok(Self(text)),
        }
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The member names and indices on the way, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = Cow<'_, str>> {
        // What stands before the first slash is nothing.
        self.0.split('/').skip(1).map(unescape)
    }

    /// The pointer to a member of this value.
    pub fn join(&self, token: &str) -> Self {
        let mut longer = self.clone();
        longer.push(token);
        longer
    }

    /// The pointer to an element of this value.
    pub fn at(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// Appends a member's token.
    pub fn push(&mut self, token: &str) {
        self.0.push('/');
        self.0.push_str(&escape(token));
    }

    /// Removes the last token and returns it unescaped; `None` at the root.
    pub fn pop(&mut self) -> Option<String> {
        let slash = self.0.rfind('/')?;
        let last = unescape(&self.0[slash + 1..]).into_owned();
        self.0.truncate(slash);
        Some(last)
    }

    /// The pointer to the parent object or array; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rfind('/').map(|slash| Self(self.0[..slash].to_owned()))
    }

    /// Whether this is `ancestor` or lies inside it.
    pub fn is_within(&self, ancestor: &Self) -> bool {
        self.0.strip_prefix(&ancestor.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The value at this address.
    pub fn resolve<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        document.pointer(&self.0)
    }

    /// The value at this address, mutable.
    pub fn resolve_mut<'a>(&self, document: &'a mut Value) -> Option<&'a mut Value> {
        document.pointer_mut(&self.0)
    }

    /// The first token that stands where the document has an array and is no index of one: whatever is behind it,
    /// nothing is there.
    pub(crate) fn no_index(&self, document: &Value) -> Option<Cow<'_, str>> {
        let mut at = document;
        for token in self.tokens() {
            at = match at {
                Value::Array(_) if array_index(&token).is_none() => return Some(token),
                Value::Array(list) => list.get(array_index(&token)?)?,
                other => other.get(&*token)?,
            };
        }
        None
    }
}

/// A token as an array index: digits without a leading zero.
pub(crate) fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = token.len() > 1 && token.starts_with('0');
    if plain && !leading_zero { token.parse().ok() } else { None }
}

fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) { token.replace('~', "~0").replace('/', "~1").into() } else { token.into() }
}

/// `~1` before `~0`: `~01` means the two characters `~1`.
fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        Self::parse(text)
    }
}

impl AsRef<str> for Pointer {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str>> FromIterator<T> for Pointer {
    fn from_iter<I: IntoIterator<Item = T>>(tokens: I) -> Self {
        let mut pointer = Self::root();
        tokens.into_iter().for_each(|token| pointer.push(token.as_ref()));
        pointer
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        Pointer::parse(text).unwrap().tokens().map(Cow::into_owned).collect()
    }

    #[test]
    fn rfc_6901_section_5() {
        let document = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        let at = |text: &str| Pointer::parse(text).unwrap().resolve(&document).cloned();
        assert_eq!(at(""), Some(document.clone()));
        assert_eq!(at("/foo"), Some(json!(["bar", "baz"])));
        assert_eq!(at("/foo/0"), Some(json!("bar")));
        let rest = ["/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n"];
        for (value, text) in rest.into_iter().enumerate() {
            assert_eq!(at(text), Some(json!(value)), "{text}");
        }
        assert_eq!(at("/foo/2"), None);
        assert_eq!(at("/foo/-"), None);
        assert_eq!(at("/foo/00"), None);
        assert_eq!(at("/foo/+1"), None);
    }

    #[test]
    fn tokens_are_what_lies_between_slashes() {
        assert_eq!(tokens(""), Vec::<String>::new());
        assert_eq!(tokens("/"), [""]);
        assert_eq!(tokens("//a/"), ["", "a", ""]);
        assert_eq!(tokens("/~01/~1~0"), ["~1", "/~"]);
    }

    #[test]
    fn rendering_escapes_and_parsing_undoes_it() {
        for token in ["", "~", "/", "~1", "~0~/", "plain", "ü~"] {
            let pointer: Pointer = ["a", token].into_iter().collect();
            assert_eq!(tokens(pointer.as_str()), ["a", token]);
        }
    }

    #[test]
    fn malformed_texts_are_refused() {
        assert_eq!(Pointer::parse("nodes/0"), Err(PointerError::NoSlash));
        assert_eq!(Pointer::parse("/a~2"), Err(PointerError::BadEscape(2)));
        assert_eq!(Pointer::parse("/a~"), Err(PointerError::BadEscape(2)));
    }

    #[test]
    fn steps_in_and_out() {
        let mut pointer = Pointer::root().join("nodes").at(3).join("a/b");
        assert_eq!(pointer.as_str(), "/nodes/3/a~1b");
        assert_eq!(pointer.parent().unwrap().as_str(), "/nodes/3");
        assert!(pointer.is_within(&Pointer::parse("/nodes/3").unwrap()));
        assert!(!Pointer::parse("/nodes/30").unwrap().is_within(&Pointer::parse("/nodes/3").unwrap()));
        assert_eq!(pointer.pop().as_deref(), Some("a/b"));
        assert_eq!(Pointer::root().parent(), None);
        assert_eq!(Pointer::root().pop(), None);
    }

    #[test]
    fn what_is_no_index_of_an_array_is_told() {
        let document = json!({ "nodes": [{ "extras": { "00": [1] } }] });
        let wrong = |text: &str| Pointer::parse(text).unwrap().no_index(&document).map(Cow::into_owned);
        assert_eq!(wrong("/nodes/00/translation").as_deref(), Some("00"));
        assert_eq!(wrong("/nodes/0/extras/00/+0").as_deref(), Some("+0"));
        for fine in ["", "/nodes/0/translation", "/nodes/7/00", "/nodes/0/extras/00/0", "/00"] {
            assert_eq!(wrong(fine), None, "{fine}");
        }
    }

    #[test]
    fn array_indices_have_no_leading_zeros() {
        assert_eq!(array_index("0"), Some(0));
        assert_eq!(array_index("10"), Some(10));
        for wrong in ["", "01", "00", "-", "-1", "+1", "1.0", "a", "99999999999999999999999"] {
            assert_eq!(array_index(wrong), None, "{wrong}");
        }
    }
}
