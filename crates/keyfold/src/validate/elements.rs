//! The data of every accessor, whether an animation uses it or not: finite floats, bounds that are those of the data,
//! sparse indices in order.
//!
//! Each accessor is decoded once; `super::keys` looks at what animations make of it on the same occasion.

use super::{
    Findings, keys,
    khronos::{
        ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND, ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND, ACCESSOR_INVALID_FLOAT,
        ACCESSOR_MAX_MISMATCH, ACCESSOR_MIN_MISMATCH, ACCESSOR_SPARSE_INDEX_OOB,
        ACCESSOR_SPARSE_INDICES_NON_INCREASING,
    },
    model::{Accessor, Model},
};
use crate::document::{ComponentType, Elements};

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    let uses = keys::uses(model);
    for (i, accessor) in model.accessors.iter().enumerate() {
        let Some(accessor) = accessor else { continue };
        check_sparse(model, i, accessor, findings);
        let stored = stored(model, i, accessor);
        let provided = model.document.provided(i).map(|raw| Values::provided(&raw.ok()?, accessor));
        let values = provided.as_ref().map_or(stored.as_ref(), Option::as_ref);
        if let Some(values) = values {
            check_floats(i, values, findings);
        }
        // Bounds are those of what is stored, also where readers of an extension take their values from elsewhere.
        if let Some(stored) = &stored {
            check_bounds(i, accessor, stored, findings);
        }
        if let Some(values) = values {
            keys::check(&uses[i], accessor, values, findings);
        }
    }
}

/// An accessor's components as they are stored, integers not yet made fractions.
pub(super) struct Values {
    pub(super) raw: Vec<f32>,
    /// Whole numbers above 2^24 are no floats: they are kept apart.
    wide: Option<Vec<u32>>,
    pub(super) width: usize,
    component: ComponentType,
    normalized: bool,
    /// Whether they come from an extension's stream, which may be coarse.
    pub(super) streamed: bool,
}

impl Values {
    /// Floats that an extension provides.
    fn provided(raw: &[f32], accessor: &Accessor) -> Option<Self> {
        let width = accessor.shape?.components();
        let (component, normalized) = (ComponentType::F32, false);
        Some(Self { raw: raw.to_vec(), wide: None, width, component, normalized, streamed: true })
    }

    /// Components as numbers.
    fn numbers(&self) -> impl Iterator<Item = f64> {
        let wide = self.wide.iter().flatten().map(|n| f64::from(*n));
        wide.chain(self.raw.iter().map(|n| f64::from(*n)))
    }

    /// What a stored component stands for.
    pub(super) fn meaning(&self, raw: f32) -> f64 {
        let raw = f64::from(raw);
        match self.component.one() {
            Some(one) if self.normalized => (raw / one).max(-1.0),
            _ => raw,
        }
    }
}

/// The stored values, where the structure is sound enough to have any.
fn stored(model: &Model<'_>, index: usize, accessor: &Accessor) -> Option<Values> {
    let (component, shape) = (accessor.component?, accessor.shape?);
    accessor.count?;
    let aligned = accessor.offset?.is_multiple_of(component.size());
    if !aligned || (accessor.view.is_none() && accessor.sparse.is_none()) {
        return None;
    }
    let elements = model.document.elements(index).ok()?;
    let wide = component == ComponentType::U32;
    Some(Values {
        wide: wide.then(|| words(&elements)),
        raw: if wide { Vec::new() } else { Elements { normalized: false, ..elements }.to_floats() },
        width: shape.components(),
        component,
        normalized: accessor.normalized,
        streamed: false,
    })
}

fn words(elements: &Elements<'_>) -> Vec<u32> {
    elements.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn check_floats(index: usize, values: &Values, findings: &mut Findings) {
    let mut broken = values.raw.iter().enumerate().filter(|(_, value)| !value.is_finite());
    if let Some((i, value)) = broken.next() {
        let message = format!("value {i} is {value}{}", more(broken.count()));
        findings.add(&ACCESSOR_INVALID_FLOAT, format!("/accessors/{index}"), message);
    }
}

/// How many more there are of what was just said.
pub(super) fn more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", and {count} more") }
}

fn check_bounds(index: usize, accessor: &Accessor, values: &Values, findings: &mut Findings) {
    if accessor.min.is_none() && accessor.max.is_none() {
        return;
    }
    for component in 0..values.width {
        let column = || values.numbers().skip(component).step_by(values.width);
        if let Some(declared) = accessor.min.as_ref().and_then(|min| min.get(component)) {
            let at = format!("/accessors/{index}/min/{component}");
            // The first value counts whatever it is: a bound of what begins with NaN is NaN.
            let actual = column().reduce(|a, b| if b < a { b } else { a });
            mismatch(&ACCESSOR_MIN_MISMATCH, &at, *declared, actual, findings);
            let outside = column().filter(|value| value < declared).count();
            out_of_bound(&ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND, at, outside, findings);
        }
        if let Some(declared) = accessor.max.as_ref().and_then(|max| max.get(component)) {
            let at = format!("/accessors/{index}/max/{component}");
            let actual = column().reduce(|a, b| if b > a { b } else { a });
            mismatch(&ACCESSOR_MAX_MISMATCH, &at, *declared, actual, findings);
            let outside = column().filter(|value| value > declared).count();
            out_of_bound(&ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND, at, outside, findings);
        }
    }
}

fn mismatch(code: &super::Code, at: &str, declared: f64, actual: Option<f64>, findings: &mut Findings) {
    if let Some(actual) = actual.filter(|actual| *actual != declared) {
        findings.add(code, at, format!("{declared} is declared, the data says {actual}"));
    }
}

fn out_of_bound(code: &super::Code, at: String, count: usize, findings: &mut Findings) {
    if count > 0 {
        findings.add(code, at, format!("{count} values lie outside"));
    }
}

fn check_sparse(model: &Model<'_>, index: usize, accessor: &Accessor, findings: &mut Findings) {
    let (Some(sparse), Some(count)) = (&accessor.sparse, accessor.count) else { return };
    let (Some(replaced), Some(slot)) = (sparse.count, &sparse.indices) else { return };
    let (Some(view), Some(offset), Some(component)) = (slot.view, slot.offset, slot.component) else { return };
    let Ok(bytes) = model.document.view(view) else { return };
    let Some(bytes) = replaced.checked_mul(component.size()).and_then(|n| bytes.get(offset..offset.checked_add(n)?))
    else {
        return;
    };
    let number = |b: &[u8]| b.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte));
    let indices: Vec<usize> = bytes.chunks_exact(component.size()).map(number).collect();
    let at = format!("/accessors/{index}/sparse");
    if let Some(i) = indices.windows(2).position(|pair| pair[1] <= pair[0]) {
        let message = format!("index {} does not come after {}", indices[i + 1], indices[i]);
        findings.add(&ACCESSOR_SPARSE_INDICES_NON_INCREASING, &at, message);
    }
    if let Some(outside) = indices.iter().find(|i| **i >= count) {
        findings.add(&ACCESSOR_SPARSE_INDEX_OOB, at, format!("index {outside}, where there are {count} elements"));
    }
}
