//! What the extension asks of a file, and which of core's rules it takes back.

use super::{Encoding, Layout, NAME, Parameters, Path, TypeSupport, UNSIGNED, stored};
use crate::{
    Document, Interpolation, Property, Result,
    document::{Accessor, Shape},
    extensions,
    read::Channel,
    validate::{Code, Findings, khronos},
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

/// The objects that may carry the extension.
pub(super) const PLACES: &[&str] = &["/animations/*/channels/*"];

pub(super) fn rules(document: &Document, findings: &mut Findings) {
    if !document.requires(NAME) {
        let used = document.json()["extensionsUsed"].as_array().into_iter().flatten();
        let index = used.into_iter().position(|n| n == NAME).unwrap_or(0);
        findings.add(&QUANT_NOT_REQUIRED, format!("/extensionsUsed/{index}"), "should be required, too");
    }
    let root = document.root();
    let Ok(animations) = root.objects("animations") else { return };
    for animation in animations.flatten() {
        let (mut driven, mut samplers) = (BTreeMap::new(), BTreeSet::new());
        let Ok(channels) = animation.objects("channels") else { continue };
        for (index, object) in channels.enumerate() {
            let Ok(object) = object else { continue };
            let rule = Rule(Channel { document, animation: animation.clone(), object, index });
            // What is not there to be looked at, core's rules complain about.
            let _ = rule.check(&mut samplers, findings);
            let _ = rule.check_combination(&mut driven, findings);
        }
    }
}

/// One channel under the rules.
struct Rule<'a>(Channel<'a>);

impl Rule<'_> {
    fn check(&self, said: &mut BTreeSet<(String, &'static str)>, findings: &mut Findings) -> Result<()> {
        let Channel { document, animation, object, .. } = &self.0;
        let path = object.required_object("target")?.required_text("path").map(Path::from_name)?;
        let named = extensions::sampled(&self.0)?;
        let at = named.place("sampler");
        let Some(sampler) = animation.element("samplers", named.required_index("sampler")?)? else { return Ok(()) };
        let (input, output) = (sampler.required_index("input")?, sampler.required_index("output")?);
        let (input, output) = (document.accessor(input)?, document.accessor(output)?);
        self.check_parameters(path, &output, findings)?;
        let place = sampler.place("input");
        suppress(findings, &khronos::ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT, &place);
        // Samplers may be shared: what is wrong with one is said once.
        if let Some((code, message)) = self.input_fault(&input)
            && said.insert((place.clone(), code.name))
        {
            findings.add(code, place, message);
        }
        if let Some(path) = path.filter(|p| p.property != Property::Weights) {
            suppress(findings, &khronos::VALUE_NOT_IN_LIST, &format!("{}/target/path", object.at()));
            suppress(findings, &khronos::ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT, &object.place("sampler"));
            let interpolation = sampler.text("interpolation")?.and_then(Interpolation::from_name);
            let cubic = interpolation.is_some_and(|interpolation| interpolation.elements_per_key() == 3);
            check_output(path, &output, cubic, &at, findings);
            self.check_count(path, &input, &output, cubic, &at, findings);
            self.check_length(path, &output, cubic, &at, findings)?;
        }
        Ok(())
    }

    fn check_parameters(&self, path: Option<Path>, output: &Accessor, findings: &mut Findings) -> Result<()> {
        let Some(object) = self.0.object.extension(NAME)? else { return Ok(()) };
        let expected = output.shape.components();
        let weights = path.is_some_and(|path| path.property == Property::Weights);
        for key in ["offset", "scale"].into_iter().filter(|key| object.get(key).is_some()) {
            if weights {
                findings.add(&QUANT_WEIGHTS, object.place(key), "the table does not list weights");
            }
            if object.numbers(key).map_or(true, |n| n.is_some_and(|n| n.len() != expected)) {
                let message = format!("{} elements need an array of {expected} numbers", output.shape.name());
                findings.add(&QUANT_ARRAY_LENGTH, object.place(key), message);
            }
        }
        if object.number("timeScale").map_or(true, |scale| scale.is_some_and(|s| !(s > 0.0 && s.is_finite()))) {
            findings.add(&QUANT_TIME_SCALE, object.place("timeScale"), "should be a number greater than zero");
        }
        Ok(())
    }

    fn input_fault(&self, input: &Accessor) -> Option<(&'static Code, String)> {
        let message = format!("times are stored as {} {}", input.shape.name(), encoding(input));
        match encoding(input).support(&UNSIGNED) {
            TypeSupport::Refused => return Some((&QUANT_INPUT_FORMAT, message)),
            _ if input.shape != Shape::Scalar => return Some((&QUANT_INPUT_FORMAT, message)),
            TypeSupport::Understood => return Some((&QUANT_SIGNED_TYPE, message)),
            TypeSupport::Listed => {}
        }
        let raw = stored(self.0.document, input.index).ok()?;
        let parameters = Parameters::of_channel(&self.0.object).ok()?;
        let increase = |times: &[f64]| times.windows(2).all(|w| w[0] < w[1]);
        let seconds: Vec<f64> = parameters.times(&raw).into_iter().map(f64::from).collect();
        // Floats that do not increase as they are belong to core's rule.
        let core = encoding(input) == Encoding::FLOAT && !increase(&raw);
        let message = "stored times do not make strictly increasing seconds".to_owned();
        (!core && !increase(&seconds)).then_some((&QUANT_TIME_COLLISION, message))
    }

    /// Core's rule counts the values of its own paths only.
    fn check_count(
        &self,
        path: Path,
        input: &Accessor,
        output: &Accessor,
        cubic: bool,
        at: &str,
        findings: &mut Findings,
    ) {
        let expected = input.count.saturating_mul(if cubic { 3 } else { 1 });
        if path.axis.is_some() && output.count != expected {
            let message = format!("the output has {} elements, where {expected} are expected", output.count);
            findings.add(&khronos::ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT, at, message);
        }
    }

    /// Rotations are of unit length once `scale` and `offset` are applied, not before; without W they are not longer than that.
    fn check_length(
        &self,
        path: Path,
        output: &Accessor,
        cubic: bool,
        at: &str,
        findings: &mut Findings,
    ) -> Result<()> {
        let Some(layout) = path.layout(output.shape).filter(|_| path.property == Property::Rotation) else {
            return Ok(());
        };
        let code = &khronos::ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION;
        let parameters = Parameters::of_channel(&self.0.object)?;
        parameters.check(&self.0.object, output.shape)?;
        let listed = encoding(output).support(path.encodings()) == TypeSupport::Listed;
        if parameters == Parameters::default() && layout == Layout::Whole && listed {
            return Ok(());
        }
        suppress(findings, code, &self.0.object.place("sampler"));
        // Of what the table does not list, that is said already.
        if !listed {
            return Ok(());
        }
        // Components as they are stored: W would be rebuilt to fit whatever the others are.
        let values = parameters.values(&stored(self.0.document, output.index)?, output.shape, Layout::Whole);
        let length = |q: &[f32]| q.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
        let sound = |length: f64| if layout.lacks_w() { length <= 1.0 + UNIT } else { (length - 1.0).abs() <= UNIT };
        let elements = values.chunks_exact(output.shape.components()).enumerate();
        let mut keys = elements.filter(|(i, _)| !cubic || i % 3 == 1);
        if let Some((i, q)) = keys.find(|(_, q)| !sound(length(q))) {
            let what = if layout.lacks_w() { "leaves no room for W" } else { "is not of unit length" };
            findings.add(code, at, format!("quaternion {i} {what}: its length is {:.6}", length(q)));
        }
        Ok(())
    }

    fn check_combination(
        &self,
        driven: &mut BTreeMap<(usize, Property), Vec<Path>>,
        findings: &mut Findings,
    ) -> Result<()> {
        let target = self.0.object.required_object("target")?;
        let Some(path) = Path::from_name(target.required_text("path")?) else { return Ok(()) };
        let others = driven.entry((target.required_index("node")?, path.property)).or_default();
        let clashes = |other: &Path| match (path.axis, other.axis) {
            // Core's rule.
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
}

/// How far a quaternion's length may be from 1: what eight bits cannot avoid.
const UNIT: f64 = 0.00769;

fn check_output(path: Path, output: &Accessor, cubic: bool, at: &str, findings: &mut Findings) {
    let Some(layout) = path.layout(output.shape) else {
        let message = format!("`{path}` is not stored as {}", output.shape.name());
        return findings.add(&QUANT_OUTPUT_FORMAT, at, message);
    };
    let encoding = encoding(output);
    let message = format!("`{path}` is stored as {encoding}");
    match encoding.support(path.encodings()) {
        TypeSupport::Listed => {}
        TypeSupport::Understood => findings.add(&QUANT_SIGNED_TYPE, at, message),
        TypeSupport::Refused
            if Encoding { normalized: true, ..encoding }.support(path.encodings()) == TypeSupport::Listed =>
        {
            findings.add(&QUANT_NOT_NORMALIZED, at, message);
        }
        TypeSupport::Refused => findings.add(&QUANT_OUTPUT_FORMAT, at, message),
    }
    if cubic && layout.lacks_w() {
        findings.add(&QUANT_CUBIC_ROTATION, at, format!("{} has no W for tangents", output.shape.name()));
    } else if cubic && matches!(layout, Layout::OneAxisAndW(_)) {
        findings.add(&QUANT_CUBIC_ROTATION_AXIS, at, "a spline about one axis");
    }
}

fn encoding(accessor: &Accessor) -> Encoding {
    Encoding::new(accessor.component, accessor.normalized)
}

fn suppress(findings: &mut Findings, code: &Code, at: &str) {
    findings.suppress(|finding| finding.code == code.name && finding.at == at);
}
