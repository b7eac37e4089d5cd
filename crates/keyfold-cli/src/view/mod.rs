//! `keyfold view`: the page that shows what a bound does, served from inside this program to this machine's browser.

mod page;
mod served;
#[cfg(not(target_family = "wasm"))]
mod server;

use crate::{Outcome, input::ReadArgs};
use anyhow::{Result, ensure};
use served::Served;
use std::path::PathBuf;

/// Open files in the viewer, in the browser: player, curves, size against bound
#[derive(clap::Args)]
#[command(after_help = "\
The program serves the page itself, on a free port of 127.0.0.1, until it is stopped (Ctrl-C). No file leaves this machine: only the named files are \
served, with the buffers and images that they refer to, and only to whoever has the address.

Examples:
  keyfold view walk.glb
  keyfold view walk.glb run.glb
  keyfold view --no-open                 prints the address without opening a browser")]
pub(crate) struct Args {
    /// .gltf, .glb, .vrm, .vrma or .kfc files; without files, the page asks for one
    files: Vec<PathBuf>,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    ensure!(
        !page::FILES.is_empty(),
        "the page is not inside this build: `cargo xtask web` makes it, then build the program again"
    );
    let files = args.files.iter().map(|path| Served::open(path, &args.read)).collect::<Result<Vec<_>>>()?;
    serve(files, args.no_open)
}

#[cfg(not(target_family = "wasm"))]
fn serve(files: Vec<Served>, no_open: bool) -> Result<Outcome> {
    let server = server::Server::bind(files)?;
    let address = server.address();
    crate::output::print(&format!("{address}\n"))?;
    if !no_open && let Err(error) = open::that_detached(&address) {
        crate::output::note(&format!("no browser could be started ({error}): open the address in one"));
    }
    server.run();
    Ok(Outcome::Done)
}

#[cfg(target_family = "wasm")]
fn serve(_: Vec<Served>, _: bool) -> Result<Outcome> {
    anyhow::bail!("there is no network here: view needs the native program")
}
