//! Runtime clips on the clips that ACL was measured on: the bound holds at 10,000 random times of each, by a measure of its own,
//! and the clips are smaller than ACL's.

use keyfold_core::clip::Encoding;
use keyfold_oracle::clips::{AclClip, acl_clips};
use keyfold_oracle::{is_full, skip};

const TIMES: usize = 10_000;
/// Clips that ACL needs more bytes for are left to full runs: building takes time.
const SMALL: usize = 4000;

/// All clips in a full run, otherwise the small ones.
fn clips() -> Vec<AclClip> {
    let clips: Vec<AclClip> = acl_clips().unwrap().into_iter().filter(|clip| is_full() || clip.bytes < SMALL).collect();
    if clips.is_empty() {
        skip("there is no table of ACL's clips");
    }
    clips
}

#[test]
fn the_bound_holds_at_random_times_in_fewer_bytes_than_acl_takes() {
    let (mut ours, mut theirs) = (0, 0);
    for clip in clips() {
        let (built, error) = clip.build(Encoding::Variable, TIMES).unwrap();
        let what = format!("{} #{}", clip.file, clip.animation);
        assert!(built.holds, "{what}: not held: {} over {}", built.error, clip.bound);
        assert!(error <= clip.bound, "{what}: {error} over {}", clip.bound);
        (ours, theirs) = (ours + built.bytes.len(), theirs + clip.bytes);
    }
    println!("{ours} bytes against {theirs}");
    assert!(ours * 100 <= theirs * 65, "{ours} bytes against {theirs}");
}

#[test]
fn the_bound_holds_in_the_fixed_encoding() {
    for clip in clips().into_iter().filter(|clip| is_full() || clip.bytes < SMALL / 2) {
        let (built, error) = clip.build(Encoding::Fixed, TIMES).unwrap();
        let what = format!("{} #{}", clip.file, clip.animation);
        assert!(built.holds && error <= clip.bound, "{what}: {error} over {}", clip.bound);
    }
}
