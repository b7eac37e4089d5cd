//! Every difference that DIFFERENCES.md lists under libdraco is still there, and is what it says.

use keyfold_core::draco::{
    Animation, Attribute, AttributeKind, Choice, Coding, DecodeError, Element, EncodeFault, Fault, Limits, Options,
    Quantize, Values, decode, encode,
};
use keyfold_oracle::draco::{Answer, Libdraco};

/// An animation of timestamps and one track.
fn one_track(components: u8, values: Values) -> Animation {
    let keys = (values.len() / usize::from(components)) as u32;
    let times = Attribute::floats(0, 1, (0..keys).map(|key| key as f32).collect());
    let kind = AttributeKind::Generic;
    let track = Attribute { unique_id: 1, kind, normalized: false, components, values };
    Animation { keys, attributes: vec![times, track], metadata: Vec::new() }
}

const UNPREDICTED: Coding = Coding { quantize: Quantize::Off, predict: false };

/// What both encoders make of an animation.
fn both(
    libdraco: &mut Libdraco,
    animation: &Animation,
    coding: &Coding,
) -> (Result<Vec<u8>, EncodeFault>, Answer<Vec<u8>>) {
    let options = Options::default();
    let ours = encode(animation, |_| coding.clone(), &options).map_err(|error| error.fault);
    (ours, libdraco.encode(animation, |_| coding.clone(), &options).unwrap())
}

fn refused(stream: &[u8]) -> (Fault, Element) {
    let DecodeError { fault, element, .. } = decode(stream, &Limits::default()).unwrap_err();
    (fault, element)
}

#[test]
fn streams_that_libdraco_decodes_and_we_do_not() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let mut decodes = |stream: &[u8]| matches!(libdraco.decode(stream).unwrap(), Answer::Done(_));

    let none = [b"DRACO\x02\x03\0\0\0\0", &(-1i32).to_le_bytes()[..], &[0]].concat();
    assert!(decodes(&none));
    assert_eq!(refused(&none), (Fault::Invalid, Element::PointCount));

    let constant = one_track(1, Values::F32(vec![0.5; 10]));
    let stream = encode(&constant, |_| Coding::bits(8), &Options::default()).unwrap();
    let block = stream.len() - 18 - 8 - 2; // parameters of both, bounds, the rANS block
    assert_eq!(stream[block..block + 2], [1, 0]);
    let beyond = [&stream[..block], &[3, 0, 0, 0xc0], &stream[block + 2..]].concat();
    assert!(decodes(&beyond));
    assert_eq!(refused(&beyond), (Fault::Invalid, Element::RansState));

    let mut many = stream.clone();
    many[11..15].copy_from_slice(&3_000_000i32.to_le_bytes());
    assert_eq!(refused(&many), (Fault::Limit, Element::ComponentCount));
}

/// Every number of 18 bits, sixteen times: often enough for libdraco to want the raw scheme, which cannot count so many.
fn all_of_18_bits() -> Vec<i32> {
    (0..1i64 << 22).map(|i| (i * 7919 % (1 << 18) - (1 << 17)) as i32).collect()
}

#[test]
fn integers_that_libdraco_cannot_encode_and_we_can() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let cases = [
        ("u32 over 2^31", one_track(1, Values::U32(vec![7, u32::MAX, 1 << 31])), UNPREDICTED),
        ("2^18 different symbols", one_track(1, Values::I32(all_of_18_bits())), UNPREDICTED),
        ("symbols over 2^31", one_track(1, Values::I32(vec![i32::MAX, 3, i32::MIN])), UNPREDICTED),
    ];
    for (name, animation, coding) in cases {
        let (ours, theirs) = both(&mut libdraco, &animation, &coding);
        assert!(!matches!(theirs, Answer::Done(_)), "{name}: {theirs:?}");
        let decoded = libdraco.decode(&ours.unwrap()).unwrap();
        assert!(decoded.done().expect(name).0 == animation, "{name}");
    }
}

#[test]
fn tracks_that_libdraco_spoils_and_we_refuse() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let cases = [
        (
            "end of 32 bits",
            one_track(1, Values::I32(vec![i32::MIN, -2, i32::MIN])),
            Coding::LOSSLESS,
            EncodeFault::Span,
        ),
        ("tiny range", one_track(1, Values::F32(vec![0.0, 1e-34])), Coding::bits(16), EncodeFault::Range),
    ];
    for (name, animation, coding, fault) in cases {
        let coding = |attribute: &Attribute| if attribute.unique_id == 0 { Coding::LOSSLESS } else { coding.clone() };
        let ours = encode(&animation, coding, &Options::default());
        assert_eq!(ours.map_err(|error| error.fault), Err(fault), "{name}");
        let theirs = libdraco.encode(&animation, coding, &Options::default()).unwrap().done().expect(name);
        let spoilt = libdraco.decode(&theirs).unwrap().done().expect(name).0;
        assert_ne!(spoilt, animation, "{name}");
    }
    let smallest = Options { choice: Choice::Smallest, ..Options::default() };
    let animation = one_track(1, Values::I32(vec![i32::MIN, -2, i32::MIN]));
    let stream = encode(&animation, |_| Coding::LOSSLESS, &smallest).unwrap();
    assert_eq!(libdraco.decode(&stream).unwrap().done().unwrap().0, animation);
}
