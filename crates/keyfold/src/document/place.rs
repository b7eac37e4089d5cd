//! A place in a document: a JSON pointer (RFC 6901) that is spelled out only when somebody asks. Reading passes
//! thousands of places, and almost none of them is ever named.

use super::json::escape;
use std::fmt;

/// Steps that are kept as they are, enough for `/animations/0/channels/0/target/extensions/NAME`; a longer way is
/// spelled out so far, and goes on.
const STEPS: usize = 8;

/// One step of a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// As it stands in the document: UTF-8.
    Key(&'a [u8]),
    Index(usize),
}

/// A way through a document from its root.
#[derive(Clone, Debug)]
pub(super) struct JsonPointer<'a> {
    start: String,
    steps: [Step<'a>; STEPS],
    count: usize,
}

impl<'a> JsonPointer<'a> {
    pub(super) const ROOT: Self = Self { start: String::new(), steps: [Step::Index(0); STEPS], count: 0 };

    /// The place one step further.
    pub(super) fn then(&self, step: Step<'a>) -> Self {
        let mut place = self.clone();
        if place.count == STEPS {
            place = Self { start: self.to_string(), ..Self::ROOT };
        }
        place.steps[place.count] = step;
        place.count += 1;
        place
    }
}

impl fmt::Display for JsonPointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.start)?;
        self.steps[..self.count].iter().try_for_each(|step| match step {
            Step::Key(key) => write!(f, "/{}", escape(&String::from_utf8_lossy(key))),
            Step::Index(index) => write!(f, "/{index}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_any_length_is_spelled_as_a_pointer() {
        let steps =
            [Step::Key(b"a/b"), Step::Index(3), Step::Key(b"c~"), Step::Index(0), Step::Key(b"d"), Step::Index(7)]
                .repeat(2);
        let place = steps.into_iter().fold(JsonPointer::ROOT, |place, step| place.then(step));
        assert_eq!(place.to_string(), "/a~1b/3/c~0/0/d/7/a~1b/3/c~0/0/d/7");
        assert_eq!(JsonPointer::ROOT.to_string(), "");
    }
}
