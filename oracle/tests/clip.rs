//! Runtime clips on the clips that ACL was measured on: the bound holds at 10,000 random times of each, by a measure of its own,
//! and the clips are smaller than ACL's.

use keyfold::{ClipOptions, Document, Scene, build_clip, read};
use keyfold_core::clip::{Clip, Encoding};
use keyfold_oracle::clips::{AclClip, acl_clips, error};
use keyfold_oracle::{is_full, root, skip};

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
    if theirs == 0 {
        return;
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

/// Our own samples are there wherever the tests run.
#[test]
fn the_bound_holds_at_random_times_in_clips_of_our_own_samples() {
    let mut checked = 0;
    for name in ["figure.glb", "machine.glb"] {
        let document = Document::open(root().join("samples").join(name)).unwrap();
        let animations = read(&document).unwrap().animations;
        let scene = Scene::new(&document, &animations, None).unwrap();
        for (animation, encoding) in
            animations.iter().take(2).flat_map(|a| [Encoding::Variable, Encoding::Fixed].map(|e| (a, e)))
        {
            let options = ClipOptions { rate: Some(30.0), encoding, ..ClipOptions::default() };
            let built = build_clip(&document, animation.index, &options).unwrap();
            let found = error(&scene, animation, &Clip::open(&built.bytes).unwrap(), TIMES);
            assert!(built.holds && found <= built.bound, "{name} #{}: {found} over {}", animation.index, built.bound);
            checked += 1;
        }
    }
    assert!(checked >= 4, "{checked} clips");
}
