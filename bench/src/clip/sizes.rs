//! Bytes against ACL's, and the error at 10,000 random times of every clip.

use anyhow::Result;
use keyfold_core::clip::{Clip, Encoding};
use keyfold_oracle::clips::acl_clips;

const TIMES: usize = 10_000;

pub(super) fn run() -> Result<()> {
    let clips = acl_clips()?;
    if clips.is_empty() {
        println!("no table of ACL's bytes here: sizes are not compared\n");
        return Ok(());
    }
    println!(
        "Keyfold (`variable`) and ACL 2.1 at 30 keys a second, 0.1 mm, points 3 cm from each joint. The error is the largest at"
    );
    println!(
        "{TIMES} random times, over the bound; resampling is what 30 keys a second cost by themselves, in scene units.\n"
    );
    println!("| clip | keys | bytes | ACL | ratio | error / bound | resampling |\n|---|--:|--:|--:|--:|--:|--:|");
    let (mut ours, mut theirs, mut held) = (0, 0, 0);
    for clip in &clips {
        let (built, error) = clip.build(Encoding::Variable, TIMES)?;
        let (bytes, keys) = (built.bytes.len(), Clip::open(&built.bytes)?.keys());
        let (ratio, share) = (bytes as f64 / clip.bytes as f64, error / clip.bound);
        println!(
            "| {} #{} | {keys} | {bytes} | {} | {ratio:.3} | {share:.3} | {:.4} |",
            clip.file, clip.animation, clip.bytes, built.resampling
        );
        (ours, theirs, held) = (ours + bytes, theirs + clip.bytes, held + usize::from(built.holds && share <= 1.0));
    }
    let ratio = ours as f64 / theirs as f64;
    println!("\n{} clips: {ours} bytes, ACL {theirs}: {ratio:.3}; the bound is held on {held}\n", clips.len());
    Ok(())
}
