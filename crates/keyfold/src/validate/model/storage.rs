//! Buffers, buffer views and accessors.

use super::{Members, fits};
use crate::{
    document::{ComponentType, Shape},
    validate::{
        khronos::{
            ACCESSOR_MATRIX_ALIGNMENT, ACCESSOR_NORMALIZED_INVALID, BUFFER_VIEW_INVALID_BYTE_STRIDE,
            BUFFER_VIEW_TOO_BIG_BYTE_STRIDE, INVALID_GL_VALUE, UNSATISFIED_DEPENDENCY, VALUE_MULTIPLE_OF,
        },
        members::is_integer,
    },
};

/// A buffer.
pub(in super::super) struct Buffer<'d> {
    pub(in super::super) uri: Option<&'d str>,
    /// Whether there is a `uri` at all, be it a text or not.
    pub(in super::super) has_uri: bool,
    pub(in super::super) length: Option<usize>,
}

impl<'d> Buffer<'d> {
    pub(super) fn read(mut members: Members<'d, '_>) -> Self {
        members.only(&["uri", "byteLength", "name"]);
        members.required(&["byteLength"]);
        let has_uri = members.has("uri");
        Self { uri: members.text("uri"), has_uri, length: members.whole("byteLength", 1..=usize::MAX) }
    }
}

/// A buffer view.
pub(in super::super) struct View {
    pub(in super::super) buffer: Option<usize>,
    pub(in super::super) offset: Option<usize>,
    pub(in super::super) length: Option<usize>,
    pub(in super::super) stride: Option<usize>,
    pub(in super::super) target: Option<usize>,
}

/// ELEMENT_ARRAY_BUFFER: indices of triangles.
pub(in super::super) const INDEX_TARGET: usize = 34963;
/// ARRAY_BUFFER: vertices.
pub(in super::super) const VERTEX_TARGET: usize = 34962;

impl View {
    pub(super) fn read(mut members: Members<'_, '_>) -> Self {
        members.only(&["buffer", "byteOffset", "byteLength", "byteStride", "target", "name"]);
        members.required(&["buffer", "byteLength"]);
        let view = Self {
            buffer: members.index("buffer"),
            offset: offset(&mut members),
            length: members.whole("byteLength", 1..=usize::MAX),
            stride: members.whole("byteStride", 4..=252),
            target: members.one_of("target", &[VERTEX_TARGET, INDEX_TARGET]),
        };
        if let Some(stride) = view.stride {
            view.check_stride(stride, &mut members);
        }
        view
    }

    fn check_stride(&self, stride: usize, members: &mut Members<'_, '_>) {
        let at = members.place("byteStride");
        let findings = members.findings();
        if !stride.is_multiple_of(4) {
            findings.add(&VALUE_MULTIPLE_OF, &at, format!("{stride} is not a multiple of 4"));
        }
        if let Some(length) = self.length.filter(|length| stride > *length) {
            findings.add(&BUFFER_VIEW_TOO_BIG_BYTE_STRIDE, &at, format!("{stride} is more than byteLength {length}"));
        }
        if self.target == Some(INDEX_TARGET) {
            findings.add(&BUFFER_VIEW_INVALID_BYTE_STRIDE, at, "indices of triangles have no byteStride");
        }
    }
}

/// `byteOffset`: zero where absent, `None` if wrong.
fn offset(members: &mut Members<'_, '_>) -> Option<usize> {
    if members.has("byteOffset") { members.whole("byteOffset", 0..=usize::MAX) } else { Some(0) }
}

/// An accessor.
pub(in super::super) struct Accessor {
    pub(in super::super) view: Option<usize>,
    pub(in super::super) offset: Option<usize>,
    pub(in super::super) component: Option<ComponentType>,
    pub(in super::super) shape: Option<Shape>,
    pub(in super::super) count: Option<usize>,
    pub(in super::super) normalized: bool,
    pub(in super::super) min: Option<Vec<f64>>,
    pub(in super::super) max: Option<Vec<f64>>,
    pub(in super::super) sparse: Option<Sparse>,
    /// Whether an extension provides its values, which are floats, in place of its own bytes.
    pub(in super::super) provided: bool,
}

/// The elements that a sparse accessor replaces.
pub(in super::super) struct Sparse {
    pub(in super::super) count: Option<usize>,
    pub(in super::super) indices: Option<Slot>,
    pub(in super::super) values: Option<Slot>,
}

/// A place in a buffer view, with what it holds where that is said.
pub(in super::super) struct Slot {
    pub(in super::super) view: Option<usize>,
    pub(in super::super) offset: Option<usize>,
    pub(in super::super) component: Option<ComponentType>,
}

const COMPONENTS: &[usize] = &[5120, 5121, 5122, 5123, 5125, 5126];
const INDEX_COMPONENTS: &[usize] = &[5121, 5123, 5125];
const SHAPES: &[&str] = &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
const ACCESSOR: &[&str] =
    &["bufferView", "byteOffset", "componentType", "normalized", "count", "type", "max", "min", "sparse", "name"];

impl Accessor {
    pub(super) fn read(mut members: Members<'_, '_>) -> Self {
        members.only(ACCESSOR);
        members.required(&["componentType", "count", "type"]);
        let component = component(&mut members, COMPONENTS);
        let shape = members.name_of("type", SHAPES).and_then(Shape::from_name);
        let accessor = Self {
            view: members.index("bufferView"),
            offset: if members.has("bufferView") { offset(&mut members) } else { Some(0) },
            component,
            shape,
            count: members.whole("count", 1..=usize::MAX),
            normalized: members.flag("normalized"),
            min: bounds(&mut members, "min", component, shape),
            max: bounds(&mut members, "max", component, shape),
            sparse: members.object("sparse").map(Sparse::read),
            provided: false,
        };
        accessor.check(&mut members);
        accessor
    }

    fn check(&self, members: &mut Members<'_, '_>) {
        let offset = members.place("byteOffset");
        if members.has("byteOffset") && !members.has("bufferView") {
            members.findings().add(&UNSATISFIED_DEPENDENCY, &offset, "byteOffset means nothing without bufferView");
        }
        if self.normalized && matches!(self.component, Some(ComponentType::F32 | ComponentType::U32)) {
            let at = members.place("normalized");
            members.findings().add(&ACCESSOR_NORMALIZED_INVALID, at, "only 8- and 16-bit integers can be normalized");
        }
        let is_matrix = matches!(self.shape, Some(Shape::Mat2 | Shape::Mat3 | Shape::Mat4));
        if is_matrix && self.offset.is_some_and(|n| !n.is_multiple_of(4)) {
            members.findings().add(&ACCESSOR_MATRIX_ALIGNMENT, offset, "matrices start at multiples of four bytes");
        }
    }

    /// What a reader gets: a component type, and whether integers stand for fractions. Draco's draft prints shorts
    /// for floats that are only in a stream: nothing else that core does not allow is excused.
    pub(in super::super) fn meant(&self) -> (Option<ComponentType>, bool) {
        match (self.component, self.normalized) {
            (Some(ComponentType::U16), false) if self.provided && self.view.is_none() => {
                (Some(ComponentType::F32), false)
            }
            says => says,
        }
    }

    /// What the elements are, as people write it: `{VEC3, FLOAT}`.
    pub(in super::super) fn format(&self) -> String {
        let shape = self.shape.map_or("?", Shape::name);
        let component = self.component.map_or("?", component_name);
        format!("{{{shape}, {component}{}}}", if self.normalized { " normalized" } else { "" })
    }
}

/// A component type's name in the specification.
fn component_name(component: ComponentType) -> &'static str {
    match component {
        ComponentType::I8 => "BYTE",
        ComponentType::U8 => "UNSIGNED_BYTE",
        ComponentType::I16 => "SHORT",
        ComponentType::U16 => "UNSIGNED_SHORT",
        ComponentType::U32 => "UNSIGNED_INT",
        ComponentType::F32 => "FLOAT",
    }
}

fn component(members: &mut Members<'_, '_>, list: &[usize]) -> Option<ComponentType> {
    members.one_of("componentType", list).and_then(ComponentType::from_code)
}

impl Sparse {
    fn read(mut members: Members<'_, '_>) -> Self {
        members.only(&["count", "indices", "values"]);
        members.required(&["count", "indices", "values"]);
        Self {
            count: members.whole("count", 1..=usize::MAX),
            indices: members.object("indices").map(|m| Slot::read(m, true)),
            values: members.object("values").map(|m| Slot::read(m, false)),
        }
    }
}

impl Slot {
    fn read(mut members: Members<'_, '_>, typed: bool) -> Self {
        let known: &[&str] =
            if typed { &["bufferView", "byteOffset", "componentType"] } else { &["bufferView", "byteOffset"] };
        members.only(known);
        members.required(if typed { &["bufferView", "componentType"] } else { &["bufferView"] });
        Self {
            view: members.index("bufferView"),
            offset: offset(&mut members),
            component: if typed { component(&mut members, INDEX_COMPONENTS) } else { None },
        }
    }
}

/// `min` or `max`, where type and component are known. Floats are compared as f32: so they are rounded here.
fn bounds(
    members: &mut Members<'_, '_>,
    key: &str,
    component: Option<ComponentType>,
    shape: Option<Shape>,
) -> Option<Vec<f64>> {
    let (component, shape) = (component?, shape?);
    let numbers = members.numbers(key, Some(shape.components()))?;
    if component == ComponentType::F32 {
        return Some(numbers.into_iter().map(|n| f64::from(n as f32)).collect());
    }
    let mut sound = true;
    for value in members.array(key)? {
        if !is_integer(value) {
            members.wrong_element(key, value, "an integer");
            sound = false;
        } else if !fits(value, component) {
            let at = members.place(key);
            let message = format!("{value} is not a value of {}", component_name(component));
            members.findings().add(&INVALID_GL_VALUE, at, message);
            sound = false;
        }
    }
    sound.then_some(numbers)
}
