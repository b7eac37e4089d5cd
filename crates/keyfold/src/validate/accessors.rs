//! Accessors: where their elements lie. glTF 2.0 sections 3.6.2.2 to 3.6.2.4.

use super::{
    Findings,
    khronos::{
        ACCESSOR_OFFSET_ALIGNMENT, ACCESSOR_SMALL_BYTESTRIDE, ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE, ACCESSOR_TOO_LONG,
        ACCESSOR_TOTAL_OFFSET_ALIGNMENT, BUFFER_VIEW_INVALID_BYTE_STRIDE,
    },
    model::{Accessor, Model, Sparse, View, resolve},
};
use crate::document::{ComponentType, Shape};

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    for (i, accessor) in model.accessors.iter().enumerate() {
        if let Some(accessor) = accessor {
            check(model, &format!("/accessors/{i}"), accessor, findings);
        }
    }
}

fn check(model: &Model<'_>, at: &str, accessor: &Accessor, findings: &mut Findings) {
    let (Some(component), Some(shape), Some(count)) = (accessor.component, accessor.shape, accessor.count) else {
        return;
    };
    resolve(&model.views, accessor.view, || format!("{at}/bufferView"), findings);
    if let Some((index, view)) = accessor.view.and_then(|i| Some((i, model.view(i)?))) {
        let size = element_size(shape, component);
        if let Some(stride) = view.stride.filter(|stride| *stride < size) {
            let message = format!("the buffer view's byteStride {stride} is less than an element's {size} bytes");
            findings.add(&ACCESSOR_SMALL_BYTESTRIDE, at, message);
        }
        let stride = view.stride.unwrap_or_else(|| shape.stored_size(component));
        let length = stride.saturating_mul(count - 1).saturating_add(size);
        check_extent(at, accessor.offset, component.size(), length, (index, view), findings);
    }
    if let Some(sparse) = &accessor.sparse {
        check_sparse(model, &format!("{at}/sparse"), (component, shape, count), sparse, findings);
    }
}

/// Bytes of the last element: padding behind its last column need not be there.
fn element_size(shape: Shape, component: ComponentType) -> usize {
    let rows = match shape {
        Shape::Mat2 => 2,
        Shape::Mat3 => 3,
        _ => return shape.components() * component.size(),
    };
    let column = shape.stored_size(component) / rows;
    column * (rows - 1) + rows * component.size()
}

/// Whether bytes at an offset of a view are aligned and inside.
fn check_extent(
    at: &str,
    offset: Option<usize>,
    alignment: usize,
    length: usize,
    (index, view): (usize, &View),
    findings: &mut Findings,
) {
    let Some(offset) = offset else { return };
    if !offset.is_multiple_of(alignment) {
        let message = format!("{offset} is not a multiple of the component's {alignment} bytes");
        findings.add(&ACCESSOR_OFFSET_ALIGNMENT, format!("{at}/byteOffset"), message);
    }
    if let Some(total) = view.offset.map(|n| n.saturating_add(offset)).filter(|n| !n.is_multiple_of(alignment)) {
        let message = format!("the offset in the buffer, {total}, is not a multiple of {alignment}");
        findings.add(&ACCESSOR_TOTAL_OFFSET_ALIGNMENT, at, message);
    }
    let Some(whole) = view.length else { return };
    let message = || format!("{length} bytes from {offset} on do not fit buffer view {index}, which has {whole}");
    if offset > whole {
        findings.add(&ACCESSOR_TOO_LONG, format!("{at}/byteOffset"), message());
    } else if offset.saturating_add(length) > whole {
        findings.add(&ACCESSOR_TOO_LONG, at, message());
    }
}

fn check_sparse(
    model: &Model<'_>,
    at: &str,
    (component, shape, count): (ComponentType, Shape, usize),
    sparse: &Sparse,
    findings: &mut Findings,
) {
    let (Some(replaced), Some(indices), Some(values)) = (sparse.count, &sparse.indices, &sparse.values) else { return };
    if replaced > count {
        let message = format!("replaces {replaced} elements of {count}");
        findings.add(&ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE, format!("{at}/count"), message);
    }
    let size = shape.components() * component.size();
    let of_indices = indices.component.map(|c| (c.size(), c.size()));
    for (name, slot, layout) in [("indices", indices, of_indices), ("values", values, Some((component.size(), size)))] {
        let at = format!("{at}/{name}");
        resolve(&model.views, slot.view, || format!("{at}/bufferView"), findings);
        let Some((index, view)) = slot.view.and_then(|i| Some((i, model.view(i)?))) else { continue };
        if view.stride.is_some() {
            let message = "sparse data is tightly packed: its buffer view has no byteStride";
            findings.add(&BUFFER_VIEW_INVALID_BYTE_STRIDE, format!("{at}/bufferView"), message);
        }
        if let Some((alignment, size)) = layout {
            check_extent(&at, slot.offset, alignment, size.saturating_mul(replaced), (index, view), findings);
        }
    }
}
