//! Storages undone: Draco streams, meshopt views, quantized elements. The codecs are the library's; what the JSON says about them
//! comes as numbers.

use crate::wire::{Failure, Wire, put_floats};
use keyfold::{
    document::{ComponentType, Elements, Shape},
    meshopt,
    quantization::{Encoding, Layout, Parameters, Path, TypeSupport, UNSIGNED},
};
use keyfold_core::draco;

/// A Draco stream; decoding may take up `memory` bytes.
pub fn draco_stream(memory: u64, bytes: &[u8]) -> Result<draco::Animation, Failure> {
    let limits = draco::Limits { memory, ..draco::Limits::default() };
    draco::decode(bytes, &limits).map_err(|e| e.to_string())
}

/// The floats of one attribute of a stream.
pub fn draco_attribute(stream: &draco::Animation, id: u32, normalized: bool) -> Result<Vec<u8>, Failure> {
    let attribute = stream.attribute(id).ok_or_else(|| format!("the stream has no attribute with id {id}"))?;
    Ok(put_floats(&attribute.to_floats(normalized)))
}

/// The bytes of a buffer view that meshoptimizer's codecs compressed. Before them stand the names of the mode and of the filter.
pub fn meshopt_view(names: [usize; 2], count: usize, stride: usize, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut wire = Wire::new(bytes);
    let mode = text(wire.bytes(names[0])?)?;
    let filter = text(wire.bytes(names[1])?)?;
    let mut view = meshopt::decompress(mode, count, stride, wire.rest())?;
    meshopt::unfilter(filter, stride, &mut view).map_err(|what| format!("the filter {what}"))?;
    Ok(view)
}

/// Times in seconds from an accessor's elements under EXT_animation_quantization.
pub fn quantized_times(component: u32, normalized: bool, scale: f64, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let encoding = encoding(component, normalized)?;
    allowed(encoding, &UNSIGNED)?;
    let parameters = Parameters { time_scale: Some(scale), ..Parameters::default() };
    Ok(put_floats(&parameters.times(&numbers(encoding, Shape::Scalar, bytes))))
}

/// Values from an accessor's elements under EXT_animation_quantization: the channel's path (nothing for a pointer), then offsets and
/// scales for each component, then the elements.
pub fn quantized_values(
    path_length: usize,
    components: usize,
    component: u32,
    normalized: bool,
    cubic: bool,
    bytes: &[u8],
) -> Result<Vec<u8>, Failure> {
    let mut wire = Wire::new(bytes);
    let path = Path::from_name(text(wire.bytes(path_length)?)?);
    let shape = Shape::vector(components).ok_or("values have one to four components")?;
    let encoding = encoding(component, normalized)?;
    let layout = match path {
        None => Layout::Whole,
        Some(path) => path.layout(shape).ok_or_else(|| format!("`{path}` is not stored as {}", shape.name()))?,
    };
    if cubic && layout.lacks_w() {
        return Err(format!("{} of a rotation has no room for all of its tangents", shape.name()));
    }
    if let Some(path) = path.filter(|path| path.property != keyfold::Property::Weights) {
        allowed(encoding, path.encodings())?;
    }
    let (offset, scale) = (Some(wire.f64s(components)?), Some(wire.f64s(components)?));
    let parameters = Parameters { offset, scale, time_scale: None };
    Ok(put_floats(&parameters.values(&numbers(encoding, shape, wire.rest()), shape, layout)))
}

fn encoding(component: u32, normalized: bool) -> Result<Encoding, Failure> {
    let component = ComponentType::from_code(component as usize).ok_or("the componentType is not known")?;
    Ok(Encoding::new(component, normalized))
}

fn allowed(encoding: Encoding, listed: &[Encoding]) -> Result<(), Failure> {
    match encoding.support(listed) {
        TypeSupport::Refused => Err(format!("{encoding} is not among the types that the extension lists here")),
        TypeSupport::Listed | TypeSupport::Understood => Ok(()),
    }
}

fn numbers(Encoding { component, normalized }: Encoding, shape: Shape, bytes: &[u8]) -> Vec<f64> {
    Elements { component, shape, normalized, bytes: bytes.into() }.to_numbers()
}

fn text(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|e| e.to_string())
}
