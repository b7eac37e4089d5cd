//! The crate `draco-core`, a second implementation: it decodes our streams, and encodes the same bytes.

use draco_core::{
    DecoderBuffer, EncoderBuffer, EncoderOptions, KeyframeAnimation, KeyframeAnimationDecoder,
    KeyframeAnimationEncoder, PointIndex,
};
use keyfold_core::draco::{Animation, Attribute, Choice, Coding, Limits, Options, decode, encode};

use crate::random::random_job;
use keyfold_oracle::Random;

/// The bytes of every attribute, by the crate.
fn decode_there(stream: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut animation = KeyframeAnimation::new();
    KeyframeAnimationDecoder::new().decode(&mut DecoderBuffer::new(stream), &mut animation).unwrap();
    let cloud = animation.point_cloud();
    let attribute = |id| {
        let attribute = cloud.attribute(id);
        let stride = attribute.byte_stride() as usize;
        let mut bytes = vec![0; cloud.num_points() * stride];
        for (point, value) in bytes.chunks_exact_mut(stride).enumerate() {
            let index = attribute.mapped_index(PointIndex(point as u32));
            attribute.buffer().read(index.0 as usize * stride, value);
        }
        (attribute.unique_id(), bytes)
    };
    (0..cloud.num_attributes()).map(attribute).collect()
}

fn decode_here(stream: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let animation = decode(stream, &Limits::default()).unwrap();
    animation.attributes.iter().map(|attribute| (attribute.unique_id, attribute.values.to_bytes())).collect()
}

#[test]
fn draco_core_decodes_our_streams() {
    let mut random = Random(9);
    for round in 0..300 {
        let mut job = random_job(&mut random);
        for choice in [Choice::Reference, Choice::Smallest] {
            job.options.choice = choice;
            let stream = job.encode();
            assert!(decode_there(&stream) == decode_here(&stream), "round {round}, {choice:?}");
        }
    }
}

#[test]
fn draco_core_encodes_the_same_bytes() {
    let mut random = Random(10);
    let mut compared = 0;
    for round in 0..300 {
        let mut animation = random_job(&mut random).animation;
        // It writes integers of any kind in another way; animation tools only write floats.
        animation.attributes.retain(|attribute| attribute.values.as_f32().is_some());
        for (attribute, unique_id) in animation.attributes.iter_mut().zip(0..) {
            attribute.unique_id = unique_id;
        }
        let bits = 4 + random.below(13) as u8;
        let ours = encode(&animation, |_: &Attribute| Coding::bits(bits), &Options::default()).unwrap();
        assert!(encode_there(&animation, bits) == ours, "round {round}");
        compared += animation.attributes.len();
    }
    assert!(compared > 300);
}

fn encode_there(animation: &Animation, bits: u8) -> Vec<u8> {
    let mut there = KeyframeAnimation::new();
    let mut options = EncoderOptions::new();
    for (attribute, id) in animation.attributes.iter().zip(0..) {
        let values = attribute.values.as_f32().unwrap();
        options.set_attribute_quantization(id, bits.into());
        if id == 0 {
            assert!(there.set_timestamps(values));
        } else {
            let data_type = draco_core::DataType::Float32;
            assert!(there.add_keyframes(data_type, attribute.components.into(), values) >= 0);
        }
    }
    let mut buffer = EncoderBuffer::new();
    KeyframeAnimationEncoder::new().encode_keyframe_animation(&there, &options, &mut buffer).unwrap();
    buffer.data().to_vec()
}
