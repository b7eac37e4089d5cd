//! Plays a clip in a loop: `cargo run --example player -- walk.kfc`.

use keyfold_core::clip::{Clip, Pose, Sampler};
use std::{error::Error, thread::sleep, time::Duration};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(std::env::args().nth(1).ok_or("name a .kfc file")?)?;
    let clip = Clip::open(&bytes)?;
    let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
    for frame in 0..180 {
        let t = clip.looped(f64::from(frame) / 60.0);
        sampler.sample(t, &mut pose);
        if let Some(track) = clip.tracks().first() {
            println!("{t:.3} s  {}  {:?}", track.target(), pose.value(track));
        }
        sleep(Duration::from_millis(16));
    }
    Ok(())
}
