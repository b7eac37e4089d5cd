//! Where an accessor's values come from: runs of elements in buffer views. A sparse accessor has up to three of them:
//! elements, those that take their place, and the indices of these.

use super::{Accessor, ComponentType, Document, Shape};
use crate::{Error, Result};

/// What a run of elements is to its accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Its elements; zeros where it has no buffer view.
    Elements,
    /// The indices of elements that are replaced.
    Indices,
    /// What replaces them.
    Values,
}

/// A run of elements of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) accessor: usize,
    pub(crate) part: Part,
}

impl Document {
    /// The runs of an accessor.
    pub(crate) fn runs(&self, accessor: usize) -> impl Iterator<Item = Run> + use<> {
        let is_sparse = self.accessor(accessor).is_ok_and(|accessor| accessor.sparse);
        let parts = if is_sparse { &[Part::Elements, Part::Indices, Part::Values][..] } else { &[Part::Elements] };
        parts.iter().map(move |part| Run { accessor, part: *part })
    }

    /// A run, as the accessor that it would be on its own.
    pub(crate) fn run(&self, Run { accessor, part }: Run) -> Result<Accessor> {
        let whole = Accessor { sparse: false, ..self.accessor(accessor)? };
        if part == Part::Elements {
            return Ok(whole);
        }
        let sparse = self.element("accessors", accessor)?.required_object("sparse")?;
        let object = sparse.required_object(if part == Part::Indices { "indices" } else { "values" })?;
        let run = Accessor {
            count: sparse.required_index("count")?,
            view: Some(object.required_index("bufferView")?),
            offset: object.index("byteOffset")?.unwrap_or(0),
            ..whole
        };
        if part == Part::Values {
            return Ok(run);
        }
        let component = ComponentType::from_code(object.required_index("componentType")?);
        let unsigned = component.filter(|c| [ComponentType::U8, ComponentType::U16, ComponentType::U32].contains(c));
        let unknown = || Error::malformed(object.place("componentType"), "should be 5121, 5123 or 5125");
        Ok(Accessor { component: unsigned.ok_or_else(unknown)?, shape: Shape::Scalar, normalized: false, ..run })
    }
}
