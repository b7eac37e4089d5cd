//! The reader and the sampler of runtime clips.

use keyfold_core::clip::{Clip, Pose, Sampler};

/// Opens `data` as it is, and once more with length and checksum put right: what gets past those is read in full.
pub fn clip(data: &[u8]) {
    play(data);
    play(&sealed(data));
}

fn play(data: &[u8]) {
    let Ok(clip) = Clip::open(data) else { return };
    let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
    let end = f64::from(clip.duration());
    for t in [0.0, -1.0, end, end / 2.0, end * 0.999, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        sampler.sample(t, &mut pose);
    }
    for track in clip.tracks() {
        sampler.sample_track(track, end / 3.0, &mut pose);
        assert_eq!(pose.value(track).len(), track.width());
    }
}

/// The same bytes with the length and the checksum that they should have.
pub fn sealed(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if bytes.len() >= 16 {
        let length = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        let crc = !bytes[16..].iter().fold(!0u32, |crc, b| {
            (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { c >> 1 ^ 0xEDB8_8320 } else { c >> 1 })
        });
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
    }
    bytes
}
