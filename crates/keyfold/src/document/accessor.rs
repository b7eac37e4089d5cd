//! Elements of accessors: glTF 2.0 sections 3.6.2.2 to 3.6.2.4. Every component type and shape, normalized or not,
//! strided, sparse, or without a buffer view.
//!
//! Counts and offsets are checked before anything is allocated. `byteStride` is taken as it comes, also where the
//! specification forbids it: exported files are full of it.

use super::{
    Bytes, Document, Pieces,
    runs::{Part, Run},
};
use crate::{Error, Result};
use std::{borrow::Cow, ops::RangeInclusive, sync::Arc};

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ComponentType {
    /// BYTE, 5120.
    I8,
    /// UNSIGNED_BYTE, 5121.
    U8,
    /// SHORT, 5122.
    I16,
    /// UNSIGNED_SHORT, 5123.
    U16,
    /// UNSIGNED_INT, 5125.
    U32,
    /// FLOAT, 5126.
    F32,
}

impl ComponentType {
    /// Its code in a glTF file.
    pub const fn code(self) -> usize {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// The type with this code in a glTF file.
    pub fn from_code(code: usize) -> Option<Self> {
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::U32, Self::F32].into_iter().find(|c| c.code() == code)
    }

    /// Bytes of one component.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The integers that it holds; `None` for floats.
    pub const fn integers(self) -> Option<RangeInclusive<i64>> {
        match self {
            Self::I8 => Some(i8::MIN as i64..=i8::MAX as i64),
            Self::U8 => Some(0..=u8::MAX as i64),
            Self::I16 => Some(i16::MIN as i64..=i16::MAX as i64),
            Self::U16 => Some(0..=u16::MAX as i64),
            Self::U32 => Some(0..=u32::MAX as i64),
            Self::F32 => None,
        }
    }

    /// The integer that means 1 if integers are normalized; `None` for types that never are.
    pub fn one(self) -> Option<f64> {
        self.integers().filter(|_| self.size() < 4).map(|integers| *integers.end() as f64)
    }

    /// One component from its bytes: integers as they are or, where normalized, by glTF's equations.
    pub(crate) fn decode(self, b: &[u8], normalized: bool) -> f64 {
        let norm = |value: f64| match self.one() {
            Some(one) if normalized => (value / one).max(-1.0),
            _ => value,
        };
        match self {
            Self::I8 => norm(f64::from(b[0] as i8)),
            Self::U8 => norm(f64::from(b[0])),
            Self::I16 => norm(f64::from(i16::from_le_bytes([b[0], b[1]]))),
            Self::U16 => norm(f64::from(u16::from_le_bytes([b[0], b[1]]))),
            Self::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        }
    }
}

/// The number and arrangement of an element's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// One component.
    Scalar,
    /// Two.
    Vec2,
    /// Three.
    Vec3,
    /// Four.
    Vec4,
    /// Two columns of two.
    Mat2,
    /// Three columns of three.
    Mat3,
    /// Four columns of four.
    Mat4,
}

impl Shape {
    const ALL: [Self; 7] = [Self::Scalar, Self::Vec2, Self::Vec3, Self::Vec4, Self::Mat2, Self::Mat3, Self::Mat4];

    /// Its name in a glTF file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
        }
    }

    /// The shape with this name in a glTF file.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// The vector shape with `n` components.
    pub fn vector(n: usize) -> Option<Self> {
        Self::ALL[..4].get(n.checked_sub(1)?).copied()
    }

    /// Components of one element.
    pub const fn components(self) -> usize {
        let (columns, rows) = self.columns();
        columns * rows
    }

    /// Columns, and components of each.
    const fn columns(self) -> (usize, usize) {
        match self {
            Self::Scalar => (1, 1),
            Self::Vec2 => (1, 2),
            Self::Vec3 => (1, 3),
            Self::Vec4 => (1, 4),
            Self::Mat2 => (2, 2),
            Self::Mat3 => (3, 3),
            Self::Mat4 => (4, 4),
        }
    }

    /// Bytes from one column to the next: columns of matrices start at multiples of four.
    const fn column_stride(self, component: ComponentType) -> usize {
        let (columns, rows) = self.columns();
        let bytes = rows * component.size();
        if columns == 1 { bytes } else { bytes.next_multiple_of(4) }
    }

    /// Bytes of one element as stored, including padding between columns.
    pub const fn stored_size(self, component: ComponentType) -> usize {
        self.columns().0 * self.column_stride(component)
    }
}

/// An accessor's description, taken from the JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Accessor {
    /// Its index in `accessors`.
    pub index: usize,
    /// The type of its components.
    pub component: ComponentType,
    /// The shape of an element.
    pub shape: Shape,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// The number of elements.
    pub count: usize,
    /// The buffer view that holds them; without one, elements are zeros.
    pub view: Option<usize>,
    /// The byte offset in the view.
    pub offset: usize,
    /// Whether some elements are replaced (`sparse`).
    pub sparse: bool,
}

/// An accessor's elements: tightly packed, little endian, with sparse replacements applied and without matrix
/// padding.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    /// The type of the components.
    pub component: ComponentType,
    /// The shape of an element.
    pub shape: Shape,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// The components' bytes.
    pub bytes: Cow<'a, [u8]>,
}

impl Elements<'_> {
    /// Every component as a float: integers as the equal float or, if normalized, by glTF's equations.
    pub fn to_floats(&self) -> Vec<f32> {
        floats(self.component, self.normalized, &self.bytes)
    }

    /// Every component without rounding: integers as they are or, if normalized, by glTF's equations.
    pub fn to_numbers(&self) -> Vec<f64> {
        let components = self.bytes.chunks_exact(self.component.size());
        components.map(|b| self.component.decode(b, self.normalized)).collect()
    }
}

/// Components as floats, in whatever holds them.
fn floats<C: FromIterator<f32>>(component: ComponentType, normalized: bool, bytes: &[u8]) -> C {
    match component {
        ComponentType::F32 => bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        _ => bytes.chunks_exact(component.size()).map(|b| component.decode(b, normalized) as f32).collect(),
    }
}

impl Document {
    /// An accessor's description.
    pub fn accessor(&self, index: usize) -> Result<Accessor> {
        let object = self.element("accessors", index)?;
        let code = object.required_index("componentType")?;
        let name = object.required_text("type")?;
        let unknown = |key: &str, value: &str| Error::malformed(object.place(key), format!("{value} is not known"));
        Ok(Accessor {
            index,
            component: ComponentType::from_code(code).ok_or_else(|| unknown("componentType", &code.to_string()))?,
            shape: Shape::from_name(name).ok_or_else(|| unknown("type", name))?,
            normalized: object.flag("normalized")?,
            count: object.required_index("count")?,
            view: object.index("bufferView")?,
            offset: object.index("byteOffset")?.unwrap_or(0),
            sparse: object.get("sparse").is_some(),
        })
    }

    /// An accessor's values as floats, from its buffer view, sparse replacements, or an extension.
    pub fn floats(&self, index: usize) -> Result<Arc<[f32]>> {
        self.floats_of(&self.accessor(index)?)
    }

    /// As [`Document::floats`], of an accessor whose description is at hand.
    pub(crate) fn floats_of(&self, accessor: &Accessor) -> Result<Arc<[f32]>> {
        match self.provided(accessor.index) {
            Some(values) => values,
            None => {
                let packed = self.packed(accessor)?;
                self.afford(accessor, packed.len() / accessor.component.size())?;
                Ok(floats(accessor.component, accessor.normalized, &packed))
            }
        }
    }

    /// An accessor's elements as stored, including those that extensions provide.
    pub fn elements(&self, index: usize) -> Result<Elements<'static>> {
        let accessor = self.accessor(index)?;
        let bytes = self.packed(&accessor)?;
        self.afford(&accessor, bytes.len() / accessor.component.size())?;
        let bytes = bytes.to_vec();
        let Accessor { component, shape, normalized, .. } = accessor;
        Ok(Elements { component, shape, normalized, bytes: Cow::Owned(bytes) })
    }

    /// The bytes of all elements without gaps: a piece of the buffer, where they lie there like that.
    fn packed(&self, accessor: &Accessor) -> Result<Bytes> {
        let bytes = self.base_elements(accessor)?;
        if !accessor.sparse {
            return Ok(bytes);
        }
        let mut bytes = bytes.to_vec();
        self.replace_sparse(accessor, &mut bytes)?;
        Ok(bytes.into())
    }

    fn base_elements(&self, accessor: &Accessor) -> Result<Bytes> {
        let Some(view) = accessor.view else { return Ok(self.zeros(accessor)?.into()) };
        let stride = self.element("bufferViews", view)?.index("byteStride")?;
        gather(accessor, &self.buffers.view(self, view)?, stride)
    }

    /// The bytes of a run, without gaps; what takes the place of elements has none.
    pub(crate) fn run_bytes(&self, run: Run) -> Result<Bytes> {
        let elements = self.run(run)?;
        let Some(view) = elements.view.filter(|_| run.part != Part::Elements) else {
            return self.base_elements(&elements);
        };
        let part = if run.part == Part::Indices { "indices" } else { "values" };
        let place = || format!("{}/sparse/{part}", elements.at());
        gather(&elements, &self.buffers.view(self, view)?, None).map_err(|error| match error {
            Error::Malformed { .. } => Error::malformed(place(), "reaches past the end of its buffer view"),
            other => other,
        })
    }

    fn zeros(&self, accessor: &Accessor) -> Result<Vec<u8>> {
        let values = accessor.count.saturating_mul(accessor.shape.components());
        // The zeros themselves, and what is made of them.
        self.account().afford(values.saturating_mul(accessor.component.size()), || accessor.at())?;
        self.afford(accessor, values)?;
        Ok(vec![0; values * accessor.component.size()])
    }

    /// Whether an accessor's values, at most eight bytes each for a while, may be decoded once more.
    fn afford(&self, accessor: &Accessor, values: usize) -> Result<()> {
        self.account().afford(values.saturating_mul(8), || accessor.at())?;
        self.account().work(values as u64, || accessor.at())
    }

    fn replace_sparse(&self, accessor: &Accessor, bytes: &mut [u8]) -> Result<()> {
        let part = |part| Run { accessor: accessor.index, part };
        let sparse = || format!("{}/sparse", accessor.at());
        let size = accessor.shape.components() * accessor.component.size();
        let whole = |b: &[u8]| b.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte));
        let width = self.run(part(Part::Indices))?.component.size();
        let indices = self.run_bytes(part(Part::Indices))?;
        let values = self.run_bytes(part(Part::Values))?;
        for (index, value) in indices.chunks_exact(width).map(whole).zip(values.chunks_exact(size)) {
            let target = index.checked_mul(size).and_then(|at| bytes.get_mut(at..at + size));
            let outside = || Error::malformed(sparse(), format!("index {index} is not below the accessor's count"));
            target.ok_or_else(outside)?.copy_from_slice(value);
        }
        Ok(())
    }
}

impl Accessor {
    fn at(&self) -> String {
        format!("/accessors/{}", self.index)
    }
}

/// An accessor's elements from a view, tightly packed. Allocates only where they are not, and only what the view's
/// bytes stand for.
fn gather(accessor: &Accessor, view: &Pieces, stride: Option<usize>) -> Result<Bytes> {
    let Accessor { shape, component, count, offset, .. } = *accessor;
    let size = shape.stored_size(component);
    let stride = stride.filter(|s| *s > 0).unwrap_or(size);
    let at = || accessor.at();
    if stride < size {
        return Err(Error::malformed(at(), format!("the buffer view's byteStride {stride} is less than an element")));
    }
    let reach = || Error::malformed(at(), format!("{count} elements reach past the end of the buffer view"));
    let needed = if count == 0 { Some(0) } else { stride.checked_mul(count - 1).and_then(|n| n.checked_add(size)) };
    let end = needed.and_then(|n| n.checked_add(offset)).filter(|end| *end <= view.len()).ok_or_else(reach)?;
    let data = view.slice(offset.min(end)..end).ok_or_else(reach)?.joined();
    let (columns, rows) = shape.columns();
    if stride == size && columns == 1 {
        return Ok(data);
    }
    let (column, column_stride) = (rows * component.size(), shape.column_stride(component));
    let mut out = Vec::with_capacity(count * columns * column);
    for element in data.chunks(stride).take(count) {
        (0..columns).for_each(|c| out.extend_from_slice(&element[c * column_stride..c * column_stride + column]));
    }
    Ok(out.into())
}
