//! Draco streams: whatever decodes can be encoded again, and comes back the same.

use keyfold_core::draco::{Animation, Choice, Coding, Limits, Options, decode, encode};

/// Few values: a fuzzer finds more in many rounds than in long ones.
const LIMITS: Limits = Limits { points: 1 << 12, values: 1 << 12, values_per_byte: 0, memory: 1 << 20 };

/// Decodes `data`; what succeeds is encoded again, exactly, and decoded once more.
pub fn draco(data: &[u8]) {
    let Ok(animation) = decode(data, &LIMITS) else { return };
    for attribute in &animation.attributes {
        assert_eq!(attribute.values.len(), animation.keys as usize * usize::from(attribute.components));
    }
    for (choice, bits) in [(Choice::Reference, None), (Choice::Smallest, None), (Choice::Smallest, Some(7))] {
        let options = Options { choice, ..Options::default() };
        let coding = |_: &_| bits.map_or(Coding::LOSSLESS, Coding::bits);
        // Values that no grid or wrap can hold are an error, not a panic.
        let Ok(stream) = encode(&animation, coding, &options) else { continue };
        let again = decode(&stream, &LIMITS).expect("what was encoded decodes");
        assert_eq!(again.metadata, animation.metadata);
        if bits.is_none() {
            assert_eq!(bytes(&again), bytes(&animation));
        }
    }
}

/// Values by their bits: NaN is not equal to itself.
fn bytes(animation: &Animation) -> Vec<(u32, Vec<u8>)> {
    animation.attributes.iter().map(|attribute| (attribute.unique_id, attribute.values.to_bytes())).collect()
}
