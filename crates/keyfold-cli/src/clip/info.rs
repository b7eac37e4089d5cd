//! `keyfold clip info`: what is in a clip.

use crate::{Outcome, input, limits::LimitArgs, output};
use anyhow::Result;
use keyfold::ClipInfo;
use std::path::PathBuf;

/// Show the contents of a clip
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  keyfold clip info walk.kfc
  keyfold clip info walk.kfc --json | jq .tracks[].target")]
pub(crate) struct Args {
    /// A .kfc file; - for standard input
    file: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let bytes = super::bytes(&args.file, args.limits)?;
    let clip = super::open(&args.file, &bytes, args.limits)?;
    let info = ClipInfo::new(input::name(&args.file), bytes.len(), &clip);
    if args.json {
        output::json(&info)?
    } else {
        output::print(&readable(&info))?
    }
    Ok(Outcome::Done)
}

fn readable(info: &ClipInfo) -> String {
    let mut rows = vec![
        vec![
            "animation".into(),
            format!("{} {}", info.animation.index, info.animation.name.as_deref().unwrap_or_default()),
        ],
        vec!["bytes".into(), format!("{}, {} of them not keys", info.bytes, info.directory_bytes)],
        vec!["encoding".into(), info.encoding.into()],
        vec!["duration".into(), format!("{} s, {} keys", info.duration, info.keys)],
    ];
    match info.key_stride {
        Some(stride) => rows.push(vec!["key".into(), format!("{stride} bytes")]),
        None => rows.push(vec!["segments".into(), info.segments.to_string()]),
    }
    let tracks = info.tracks.iter().map(|t| vec![t.target.clone(), t.form.into(), t.components.to_string()]);
    output::table(&[], rows, 2) + "\n" + &output::table(&["target", "form", "components"], tracks, 2)
}
