//! `keyfold clip info`: what is in a clip.

use crate::{Outcome, input, output, sample::Title};
use anyhow::Result;
use keyfold_core::clip::{Clip, Form};
use serde::Serialize;
use std::path::PathBuf;

/// Tell what is in a clip
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
}

#[derive(Serialize)]
struct Info<'a> {
    file: String,
    bytes: usize,
    animation: Title<'a>,
    encoding: &'static str,
    duration: f32,
    keys: usize,
    /// Bytes of a key, where they are all alike.
    key_stride: Option<usize>,
    segments: usize,
    /// Bytes of everything but the keys.
    directory_bytes: usize,
    tracks: Vec<TrackInfo>,
}

#[derive(Serialize)]
struct TrackInfo {
    target: String,
    form: &'static str,
    components: usize,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let bytes = super::bytes(&args.file)?;
    let clip = super::open(&args.file, &bytes)?;
    let info = Info {
        file: input::name(&args.file),
        bytes: bytes.len(),
        animation: Title { index: clip.index(), name: super::name(&clip) },
        encoding: clip.encoding().name(),
        duration: clip.duration(),
        keys: clip.keys(),
        key_stride: clip.key_stride(),
        segments: clip.segments(),
        directory_bytes: clip.directory_bytes(),
        tracks: tracks(&clip),
    };
    if args.json {
        output::json(&info)?
    } else {
        output::print(&readable(&info))?
    }
    Ok(Outcome::Done)
}

fn tracks(clip: &Clip<'_>) -> Vec<TrackInfo> {
    let form = |form: Form| match form {
        Form::Constant => "constant",
        Form::Step => "step",
        Form::Keyed => "keyed",
    };
    let info = |t: &keyfold_core::clip::Track| TrackInfo {
        target: t.target().to_string(),
        form: form(t.form()),
        components: t.width(),
    };
    clip.tracks().iter().map(info).collect()
}

fn readable(info: &Info<'_>) -> String {
    let mut rows = vec![
        vec!["animation".into(), format!("{} {}", info.animation.index, info.animation.name.unwrap_or_default())],
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
