//! What validation makes of compressed buffer views: a fallback buffer need not be there, and bounds that were taken before a filter
//! rounded the values are no errors.

use super::decompress;
use crate::{
    Document,
    document::{Accessor, Elements, Object, slice_of},
    validate::{
        Findings,
        khronos::{
            ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND, ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND, ACCESSOR_MAX_MISMATCH,
            ACCESSOR_MIN_MISMATCH, BUFFER_MISSING_GLB_DATA,
        },
        own::BUFFER_WITHOUT_DATA,
    },
};
use std::collections::BTreeSet;

crate::validate::codes! { Keyfold;
    MESHOPT_FILTERED_BOUNDS: Info,
        "Bounds of accessors differ from the data by less than the step of the filter that their buffer view was stored with: they were taken before it rounded.",
        "Nothing is wrong. `keyfold validate --fix` computes bounds of keys anew.";
}

/// What core's rules say of bounds.
const BOUNDS: [&str; 4] = [
    ACCESSOR_MIN_MISMATCH.name,
    ACCESSOR_MAX_MISMATCH.name,
    ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND.name,
    ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND.name,
];

pub(super) fn rules(document: &Document, findings: &mut Findings, name: &str) {
    let is_fallback = |at: &str| {
        let object = document.json().pointer(at).and_then(|buffer| buffer.get("extensions")?.get(name));
        object.and_then(|object| object.get("fallback")).and_then(|flag| flag.as_bool()) == Some(true)
    };
    let absent = [BUFFER_MISSING_GLB_DATA.name, BUFFER_WITHOUT_DATA.name];
    findings.suppress(|finding| absent.contains(&finding.code) && is_fallback(&finding.at));
    let told: Vec<String> =
        findings.iter().filter(|finding| BOUNDS.contains(&finding.code)).map(|finding| finding.at.clone()).collect();
    let rounded: BTreeSet<String> =
        told.into_iter().filter(|at| is_rounding(document, at, name) == Some(true)).collect();
    if let Some(first) = rounded.first() {
        let message = format!("{} bounds differ from the data by less than the filter's step", rounded.len());
        findings.add(&MESHOPT_FILTERED_BOUNDS, first.clone(), message);
        findings.suppress(|finding| BOUNDS.contains(&finding.code) && rounded.contains(&finding.at));
    }
}

/// Whether a bound, `/accessors/3/min/0`, is off by no more than a filter's step.
fn is_rounding(document: &Document, at: &str, name: &str) -> Option<bool> {
    let mut steps = at.split('/').skip(2);
    let (index, least, component) = (steps.next()?.parse().ok()?, steps.next()? == "min", steps.next()?.parse().ok()?);
    let declared = document.json().pointer(at)?.as_f64()?;
    let accessor = document.accessor(index).ok()?;
    let object = document.element("bufferViews", accessor.view?).ok()?.extension(name).ok()??;
    let width = accessor.shape.components();
    let stored = Elements { normalized: false, ..document.elements(index).ok()? }.to_numbers();
    let column = stored.iter().skip(component).step_by(width).enumerate();
    let extreme = column.reduce(|a, b| if (b.1 < a.1) == least { b } else { a })?;
    let step = step(document, &object, &accessor, extreme.0, component)?;
    Some((declared - extreme.1).abs() <= step)
}

/// How far apart two neighbouring values are that the filter can tell apart, at one component of an element, in stored units.
fn step(
    document: &Document,
    object: &Object<'_>,
    accessor: &Accessor,
    element: usize,
    component: usize,
) -> Option<f64> {
    let (count, stride) = (object.required_index("count").ok()?, object.required_index("byteStride").ok()?);
    let encoded = slice_of(document, object).ok()?;
    let bytes = decompress(object.required_text("mode").ok()?, count, stride, &encoded).ok()?;
    let at = accessor.offset.checked_add(element.checked_mul(stride)?)?;
    let element = bytes.get(at..at.checked_add(stride)?)?;
    let short = |i: usize| Some(i16::from_le_bytes(element.get(2 * i..2 * i + 2)?.try_into().ok()?));
    match object.text("filter").ok()?? {
        // The upper byte is the exponent of the lower three.
        "EXPONENTIAL" => Some(libm::ldexp(1.0, i32::from(*element.get(4 * component + 3)? as i8))),
        // The last component holds what one, or the square root of a half, was stored as.
        "QUATERNION" => Some(32767.0 / f64::from(short(3)? | 3)),
        "OCTAHEDRAL" if stride == 4 => Some(127.0 / f64::from((*element.get(2)? as i8).max(1))),
        "OCTAHEDRAL" => Some(32767.0 / f64::from(short(2)?.max(1))),
        _ => None,
    }
}
