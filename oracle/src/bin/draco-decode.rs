//! Decodes the Draco streams named as arguments and says for each what it holds: a process whose memory can be limited.

use std::env;

use keyfold_core::draco::{Limits, decode};

fn main() -> anyhow::Result<()> {
    for path in env::args_os().skip(1) {
        let stream = std::fs::read(&path)?;
        match decode(&stream, &Limits::default()) {
            Ok(animation) => println!("{} keys, {} attributes", animation.keys, animation.attributes.len()),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
