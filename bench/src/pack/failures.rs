//! Where peers fail: files whose animations they lose or bend, and what Keyfold makes of the same files.

use std::path::Path;

use anyhow::Result;
use keyfold::pack::{Options, pack};
use keyfold::{Diff, Document, Interpolation, Property, Target, Unmatched, diff, read};
use keyfold_oracle::{corpus_files, packers};

use crate::measure::stem;

/// More than this share of the model's size, or of a property's range, is a failure.
const FAILURE: f64 = 0.01;

/// Prints a row for each file with more than plain tracks on which a peer fails. Others stay out: where glTF-Transform quantizes a mesh
/// without a skin it moves the mesh's node and the mesh back, which looks like an error and is none, and gltfpack goes by names of files.
pub(super) fn table(folder: &Path) -> Result<()> {
    println!("\n| file | has | gltfpack -cz -af 0 | gltf-transform meshopt | keyfold, core, 0.01 % |");
    println!("|---|---|---|---|---|");
    for file in corpus_files() {
        let (document, output) = (Document::open(&file)?, folder.join("peer.glb"));
        let traits = traits(&document)?;
        if traits.is_empty() {
            continue;
        }
        let judge = |ran: Result<()>| match ran.and_then(|()| Ok(diff(&document, &Document::open(&output)?, None)?)) {
            Ok(found) => verdict(&found),
            Err(_) => Some("fails".to_owned()),
        };
        let gltfpack = judge(packers::gltfpack(&file, &output, &super::GLTFPACK));
        let transform = judge(packers::gltf_transform("meshopt", &file, &output, &[]));
        if gltfpack.is_none() && transform.is_none() {
            continue;
        }
        let ours = pack(&document, &Options::default())?.diff;
        let ours = verdict(&ours).unwrap_or_else(|| format!("{:.4} % off", ours.relative * 100.0));
        let cell = |verdict: Option<String>| verdict.unwrap_or_else(|| "ok".into());
        println!("| {} | {} | {} | {} | {ours} |", stem(&file), traits, cell(gltfpack), cell(transform));
    }
    Ok(())
}

/// What is wrong, if anything is.
fn verdict(found: &Diff) -> Option<String> {
    let properties = found.animations.iter().map(|a| a.properties.max).fold(0.0, f64::max);
    let lost = found.unmatched.iter().filter(|what| matches!(what, Unmatched::Animation { .. })).count();
    if lost > 0 {
        Some(format!("loses {lost} of {} animations", found.animations.len()))
    } else if found.relative > FAILURE {
        Some(format!("{:.1} % off", found.relative * 100.0))
    } else if properties > FAILURE {
        Some(format!("properties {:.0} % off", properties * 100.0))
    } else {
        None
    }
}

/// What a file's tracks have that is not a LINEAR track of a joint.
fn traits(document: &Document) -> Result<String> {
    let animations = read(document)?.animations;
    let tracks = || animations.iter().flat_map(|a| &a.tracks);
    let has = |interpolation: Interpolation| tracks().any(|t| t.curve.interpolation() == interpolation);
    let weights = |target: &Target| matches!(target, Target::Node { property: Property::Weights, .. });
    let found = [
        ("pointers", tracks().any(|t| t.source.targets != keyfold::Targets::Core)),
        ("STEP", has(Interpolation::Step)),
        ("CUBICSPLINE", has(Interpolation::CubicSpline)),
        ("weights", tracks().any(|t| weights(&t.target))),
    ];
    Ok(found.into_iter().filter(|f| f.1).map(|f| f.0).collect::<Vec<_>>().join(", "))
}
