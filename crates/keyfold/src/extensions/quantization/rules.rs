//! The extension's rules, and the rules of core that it suspends.

use super::{
    Encoding, Layout, NAME, Parameters, Path, TypeSupport, UNSIGNED,
    decode::{numbers, time_scale},
    stored,
};
use crate::{
    Document, Interpolation, Property, Result,
    document::{Accessor, Object, Shape},
    extensions,
    read::Channel,
    validate::{Code, Findings, UNIT_TOLERANCE, check_count, khronos},
};
use std::collections::{BTreeMap, BTreeSet};

crate::validate::codes! { Keyfold;
    QUANT_NOT_REQUIRED: Error,
        "EXT_animation_quantization is used, but not listed in extensionsRequired.",
        "List it in extensionsRequired: a reader that does not know it would play something else.";
    QUANT_ARRAY_LENGTH: Error,
        "`offset` or `scale` has not one number for each component of the output accessor.",
        "Write as many numbers as the accessor's type has components, or leave the array out.";
    QUANT_TIME_SCALE: Error,
        "`timeScale` is not a number greater than zero.",
        "Write seconds per unit of stored time.";
    QUANT_FORBIDDEN_COMBINATION: Error,
        "A property is driven as a whole and by axis, twice along one axis, or by two rotations.",
        "Keep the whole property, or one channel for each axis; a rotation is always whole.";
    QUANT_OUTPUT_FORMAT: Error,
        "Values are stored in a format that the extension's table does not list for their path.",
        "Store them as one of the types that the table lists, or as core glTF does.";
    QUANT_NOT_NORMALIZED: Error,
        "Integers of a rotation are not normalized.",
        "Set `normalized` on the accessor.";
    QUANT_SIGNED_TYPE: Error,
        "Signed integers stand where the extension's table lists unsigned ones only.",
        "Store unsigned integers and an offset.";
    QUANT_WEIGHTS: Error,
        "`offset` or `scale` stands on a channel that drives weights, which the extension's table does not list.",
        "Store the weights as core glTF does, normalized where that is enough.";
    QUANT_CUBIC_ROTATION: Error,
        "A rotation's spline is stored without W, which cannot be rebuilt for tangents.",
        "Store all four components, or use LINEAR.";
    QUANT_CUBIC_ROTATION_AXIS: Warning,
        "A rotation's spline is stored as one axis and W.",
        "Store all four components: a spline depends on the signs of its keys, which readers of one axis may change.";
    QUANT_INPUT_FORMAT: Error,
        "Times are stored in a format that the extension's table does not list.",
        "Store them as SCALAR floats or unsigned 8- or 16-bit integers.";
    QUANT_TIME_COLLISION: Error,
        "Times do not increase once they are integers, or once they are scaled to seconds.",
        "Use a finer step, wider integers or floats.";
}

/// The objects that may have the extension.
pub(super) const PLACES: &[&str] = &["/animations/*/channels/*"];

pub(super) fn rules(document: &Document, findings: &mut Findings) {
    if !document.requires(NAME) {
        let at = extensions::place_on_list(document, "extensionsUsed", NAME);
        findings.add(&QUANT_NOT_REQUIRED, at, "should be required, too");
    }
    for animation in document.root().objects("animations").into_iter().flatten().flatten() {
        let (mut driven, mut said) = (BTreeMap::new(), BTreeSet::new());
        for (index, object) in animation.objects("channels").into_iter().flatten().enumerate() {
            let Ok(object) = object else { continue };
            let channel = Channel { document, animation: animation.clone(), object, index };
            // Core's rules report missing members.
            let _ = check(&channel, &mut said, findings);
            let _ = check_combination(&channel, &mut driven, findings);
        }
    }
}

fn check(channel: &Channel<'_>, said: &mut BTreeSet<(String, &'static str)>, findings: &mut Findings) -> Result<()> {
    let Channel { document, animation, object, .. } = channel;
    let path = object.required_object("target")?.required_text("path").map(Path::from_name)?;
    let named = extensions::sampled(channel)?;
    let Some(sampler) = animation.element("samplers", named.required_index("sampler")?)? else { return Ok(()) };
    let (input, output) = (sampler.required_index("input")?, sampler.required_index("output")?);
    let (input, output) = (document.accessor(input)?, document.accessor(output)?);
    check_parameters(object, path, output.shape, findings)?;
    let place = sampler.place("input");
    findings.suppress_at(&khronos::ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT, &place);
    // Samplers may be shared: each fault is reported once.
    if let Some((code, _, message)) = time_fault(&input).or_else(|| collision(channel, &input, output.shape))
        && said.insert((place.clone(), code.name))
    {
        findings.add(code, place, message);
    }
    let Some(path) = path.filter(|p| p.property != Property::Weights) else { return Ok(()) };
    findings.suppress_at(&khronos::VALUE_NOT_IN_LIST, &format!("{}/target/path", object.at()));
    findings.suppress_at(&khronos::ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT, &object.place("sampler"));
    let interpolation = sampler.text("interpolation")?.and_then(Interpolation::from_name);
    let elements = interpolation.map_or(1, Interpolation::elements_per_key);
    let at = named.place("sampler");
    for (code, _, message) in value_faults(path, &output, elements > 1).into_iter().flatten() {
        findings.add(code, &at, message);
    }
    // Core's rule counts only values of core's paths.
    if path.axis.is_some() {
        check_count(&at, output.count, input.count.saturating_mul(elements), findings);
    }
    check_length(channel, path, &output, elements > 1, &at, findings)
}

fn check_parameters(channel: &Object<'_>, path: Option<Path>, shape: Shape, findings: &mut Findings) -> Result<()> {
    let Some(object) = channel.extension(NAME)? else { return Ok(()) };
    for key in ["offset", "scale"].into_iter().filter(|key| object.get(key).is_some()) {
        if path.is_some_and(|path| path.property == Property::Weights) {
            findings.add(&QUANT_WEIGHTS, object.place(key), "the table does not list weights");
        }
        if numbers(&object, key, shape).is_err() {
            let message = format!("{} elements need an array of {} numbers", shape.name(), shape.components());
            findings.add(&QUANT_ARRAY_LENGTH, object.place(key), message);
        }
    }
    if time_scale(&object).is_err() {
        findings.add(&QUANT_TIME_SCALE, object.place("timeScale"), "should be a number greater than zero");
    }
    Ok(())
}

/// A rule that an accessor breaks, the place of the member that shows it, and a message.
type Fault = (&'static Code, String, String);

/// The rule that the form of a sampler's times breaks.
pub(super) fn time_fault(input: &Accessor) -> Option<Fault> {
    let what = format!("times are stored as {} {}", input.shape.name(), Encoding::of(input));
    let message = format!("{what}, which the table does not list");
    match input.shape {
        Shape::Scalar => type_fault(input, &UNSIGNED, &QUANT_INPUT_FORMAT, message),
        _ => Some((&QUANT_INPUT_FORMAT, format!("/accessors/{}/type", input.index), message)),
    }
}

/// The rule that times break if they do not increase as integers or as seconds.
fn collision(channel: &Channel<'_>, input: &Accessor, output: Shape) -> Option<Fault> {
    let raw = stored(channel.document, input.index).ok()?;
    let seconds = Parameters::of_channel(&channel.object, output).ok()?.times(&raw);
    // Core's rule reports floats that do not increase.
    let core = Encoding::of(input) == Encoding::FLOAT && !raw.is_sorted_by(|a, b| a < b);
    let message = "stored times do not make strictly increasing seconds".to_owned();
    (!core && !seconds.is_sorted_by(|a, b| a < b)).then_some((&QUANT_TIME_COLLISION, String::new(), message))
}

/// The rules that the form of a path's values breaks. Weights may have any type that core's reader takes.
pub(super) fn value_faults(path: Path, output: &Accessor, is_spline: bool) -> [Option<Fault>; 2] {
    let (shape, at) = (output.shape.name(), format!("/accessors/{}/type", output.index));
    let Some(layout) = path.layout(output.shape) else {
        return [Some((&QUANT_OUTPUT_FORMAT, at, format!("`{path}` is not stored as {shape}"))), None];
    };
    let message = format!("`{path}` is stored as {}, which the table does not list", Encoding::of(output));
    let of_type = type_fault(output, path.encodings(), &QUANT_OUTPUT_FORMAT, message);
    let of_spline: Option<Fault> = match layout {
        _ if !is_spline => None,
        Layout::OneAxisAndW(_) => Some((&QUANT_CUBIC_ROTATION_AXIS, at, "a spline about one axis".to_owned())),
        _ => layout.lacks_w().then(|| (&QUANT_CUBIC_ROTATION, at, format!("{shape} has no W for tangents"))),
    };
    [of_type.filter(|_| path.property != Property::Weights), of_spline]
}

/// The rule that a component type breaks; `unknown` for types that the table does not list in any form.
fn type_fault(accessor: &Accessor, listed: &[Encoding], unknown: &'static Code, message: String) -> Option<Fault> {
    let encoding = Encoding::of(accessor);
    let code = match encoding.support(listed) {
        TypeSupport::Listed => return None,
        TypeSupport::Understood => &QUANT_SIGNED_TYPE,
        TypeSupport::Refused if listed.contains(&Encoding { normalized: true, ..encoding }) => &QUANT_NOT_NORMALIZED,
        TypeSupport::Refused => unknown,
    };
    Some((code, format!("/accessors/{}/componentType", accessor.index), message))
}

fn check_combination(
    channel: &Channel<'_>,
    driven: &mut BTreeMap<(usize, Property), Vec<Path>>,
    findings: &mut Findings,
) -> Result<()> {
    let target = channel.object.required_object("target")?;
    let Some(path) = Path::from_name(target.required_text("path")?) else { return Ok(()) };
    let others = driven.entry((target.required_index("node")?, path.property)).or_default();
    let clashes = |other: &Path| match (path.axis, other.axis) {
        // Core's rule reports these.
        (None, None) => false,
        (Some(a), Some(b)) => a == b || path.property == Property::Rotation,
        _ => true,
    };
    if let Some(other) = others.iter().find(|other| clashes(other)) {
        let message = format!("`{path}` and `{other}` drive the same node");
        findings.add(&QUANT_FORBIDDEN_COMBINATION, target.at(), message);
    }
    others.push(path);
    Ok(())
}

/// Checks that rotations are of unit length after `scale` and `offset`, or not longer if W is left out.
fn check_length(
    channel: &Channel<'_>,
    path: Path,
    output: &Accessor,
    is_spline: bool,
    at: &str,
    findings: &mut Findings,
) -> Result<()> {
    let is_rotation = path.property == Property::Rotation;
    let Some(layout) = path.layout(output.shape).filter(|_| is_rotation) else { return Ok(()) };
    let code = &khronos::ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION;
    let parameters = Parameters::of_channel(&channel.object, output.shape)?;
    let listed = path.encodings().contains(&Encoding::of(output));
    if parameters == Parameters::default() && layout == Layout::Whole && listed {
        return Ok(());
    }
    findings.suppress_at(code, &channel.object.place("sampler"));
    // Types that the table does not list are already reported.
    if !listed {
        return Ok(());
    }
    // Stored components only: a rebuilt W gives unit length to any others.
    let values = parameters.values(&stored(channel.document, output.index)?, output.shape, Layout::Whole);
    let length = |q: &[f32]| q.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
    let sound = |beyond: f64| beyond <= UNIT_TOLERANCE && (layout.lacks_w() || beyond >= -UNIT_TOLERANCE);
    let elements = values.chunks_exact(output.shape.components()).enumerate();
    let mut keys = elements.filter(|(i, _)| !is_spline || i % 3 == 1);
    if let Some((i, q)) = keys.find(|(_, q)| !sound(length(q) - 1.0)) {
        let what = if layout.lacks_w() { "leaves no room for W" } else { "is not of unit length" };
        findings.add(code, at, format!("quaternion {i} {what}: its length is {:.6}", length(q)));
    }
    Ok(())
}
