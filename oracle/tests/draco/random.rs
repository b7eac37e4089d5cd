//! A thousand random animations: our bytes are libdraco's, and each decodes the other's to the same bits.

use keyfold_core::draco::{
    Animation, Attribute, AttributeKind, Choice, Coding, DataType, Limits, Options, Quantize, Quantizer, Values,
    decode, encode,
};
use keyfold_oracle::draco::Libdraco;

use crate::content;
use keyfold_oracle::Random;

/// An animation and how to encode it.
pub(crate) struct Job {
    pub(crate) animation: Animation,
    pub(crate) codings: Vec<Coding>,
    pub(crate) options: Options,
}

impl Job {
    pub(crate) fn coding(&self, attribute: &Attribute) -> Coding {
        self.codings[attribute.unique_id as usize].clone()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        encode(&self.animation, |attribute| self.coding(attribute), &self.options).unwrap()
    }
}

pub(crate) fn random_job(random: &mut Random) -> Job {
    let keys = match random.below(10) {
        0 => 1,
        1..=3 => 1 + random.below(20),
        4..=8 => 1 + random.below(300),
        _ => 1 + random.below(4000),
    };
    let times = (0..keys).map(|key| key as f32 / 30.0 + random.float() * 0.01).collect();
    let mut attributes = vec![Attribute::floats(0, 1, times)];
    let mut codings = vec![random_coding(random, &attributes[0])];
    for unique_id in 1..=random.below(5) as u32 {
        let attribute = random_attribute(random, unique_id, keys);
        codings.push(random_coding(random, &attribute));
        attributes.push(attribute);
    }
    let speed = if random.chance(50) { 5 } else { random.below(11) as u8 };
    let options = Options { choice: Choice::Reference, speed, entropy: !random.chance(10) };
    Job { animation: Animation { keys: keys as u32, attributes, metadata: Vec::new() }, codings, options }
}

fn random_attribute(random: &mut Random, unique_id: u32, keys: usize) -> Attribute {
    let few = [1, 1, 2, 3, 3, 3, 4, 4, 4, 5, 9, 12, 16];
    let data_type = if random.chance(70) { 9 } else { 1 + random.below(11) as u8 };
    let data_type = DataType::from_number(data_type).unwrap();
    let components = few[random.below(few.len())];
    let floats = random_floats(random, keys, components);
    let scaled = |most: f64| floats.iter().map(move |&value| f64::from(value).clamp(-8.0, 8.0) / 8.0 * most);
    let values = match data_type {
        DataType::I8 => Values::I8(scaled(100.0).map(|value| value as i8).collect()),
        DataType::U8 => Values::U8(scaled(200.0).map(|value| value as u8).collect()),
        DataType::I16 => Values::I16(scaled(30000.0).map(|value| value as i16).collect()),
        DataType::U16 => Values::U16(scaled(60000.0).map(|value| value as u16).collect()),
        DataType::I32 => Values::I32(scaled(1e6).map(|value| value as i32).collect()),
        DataType::U32 => Values::U32(scaled(1e6).map(|value| value as u32).collect()),
        DataType::I64 => Values::I64(scaled(1e18).map(|value| value as i64).collect()),
        DataType::U64 => Values::U64(scaled(1e19).map(|value| value as u64).collect()),
        DataType::F32 => Values::F32(floats),
        DataType::F64 => Values::F64(scaled(1.0).collect()),
        DataType::Bool => Values::Bool(floats.iter().map(|&value| (value > 0.0).into()).collect()),
    };
    Attribute { unique_id, kind: AttributeKind::Generic, normalized: false, components: components as u8, values }
}

/// Curves of several kinds: walks, noise, constants, steps, far from the origin, tiny.
fn random_floats(random: &mut Random, keys: usize, components: usize) -> Vec<f32> {
    let (offset, scale) = match random.below(6) {
        0 => (1e6, 1.0),
        1 => (0.0, 1e-20),
        2 => (-3.0, 100.0),
        _ => (0.0, 1.0),
    };
    let style = random.below(5);
    let mut state: Vec<f32> = (0..components).map(|_| random.float()).collect();
    let speed: Vec<f32> = (0..components).map(|_| random.float() * 0.1).collect();
    let mut floats = Vec::with_capacity(keys * components);
    for key in 0..keys {
        for (value, speed) in state.iter_mut().zip(&speed) {
            *value = match style {
                0 => (key as f32 * speed).sin(),
                1 => *value + random.float() * 0.01,
                2 => random.float(),
                3 if random.chance(95) => *value,
                3 => random.float(),
                _ => *value,
            };
            floats.push(offset + *value * scale);
        }
    }
    floats
}

fn random_coding(random: &mut Random, attribute: &Attribute) -> Coding {
    let bits = match random.below(10) {
        0 => 1 + random.below(24) as u8,
        1..=2 => 16,
        _ => 4 + random.below(13) as u8,
    };
    let quantize = match random.below(20) {
        0..=1 => Quantize::Off,
        // libdraco keeps these numbers as text with six decimals.
        2 if attribute.values.as_f32().is_some_and(|values| values.iter().all(|value| value.abs() < 1e3)) => {
            let minimum = (0..attribute.components).map(|_| random.below(8) as f32 / 4.0 - 1.0).collect();
            Quantize::Grid(Quantizer { minimum, range: (1 + random.below(16)) as f32 / 4.0, bits: bits.min(16) })
        }
        _ => Quantize::Bits(bits),
    };
    Coding { quantize, predict: !random.chance(15) }
}

#[test]
fn a_thousand_random_animations_encode_to_libdracos_bytes() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let mut random = Random(6);
    for round in 0..1000 {
        let job = random_job(&mut random);
        let ours = job.encode();
        let theirs = libdraco.encode(&job.animation, |attribute| job.coding(attribute), &job.options).unwrap();
        let theirs = theirs.done().unwrap_or_else(|| panic!("round {round}: libdraco cannot encode it"));
        assert!(ours == theirs, "round {round}: {} bytes, libdraco has {}", ours.len(), theirs.len());
        both_decode(&mut libdraco, &ours, round);
    }
}

/// What libdraco would not write, it must still read.
#[test]
fn libdraco_decodes_our_smallest_streams() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let mut random = Random(7);
    let (mut smallest, mut reference) = (0, 0);
    for round in 0..300 {
        let mut job = random_job(&mut random);
        let expected = decode(&job.encode(), &Limits::default()).unwrap();
        reference += job.encode().len();
        job.options.choice = Choice::Smallest;
        let ours = job.encode();
        smallest += ours.len();
        both_decode(&mut libdraco, &ours, round);
        let decoded = decode(&ours, &Limits::default()).unwrap();
        assert_eq!(content(&decoded), content(&expected), "round {round}: another value");
    }
    println!("smallest {smallest} bytes, as libdraco {reference} bytes");
    assert!(smallest < reference);
}

fn both_decode(libdraco: &mut Libdraco, stream: &[u8], round: usize) {
    let ours = decode(stream, &Limits::default()).unwrap_or_else(|error| panic!("round {round}: {error}"));
    let (theirs, read) = libdraco.decode(stream).unwrap().done().unwrap_or_else(|| panic!("round {round}"));
    assert_eq!((ours.keys, read), (theirs.keys, stream.len()), "round {round}");
    assert!(content(&ours) == content(&theirs), "round {round}: decoded values differ");
}
