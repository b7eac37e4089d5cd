//! Takes the built page (`cargo xtask web`) along, so that `keyfold view` can serve it from inside the program.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/app");
    let page = app.join("dist");
    // A folder that is not there would count as changed at every build: then the one that it will be in is watched.
    println!("cargo:rerun-if-changed={}", if page.is_dir() { &page } else { &app }.display());
    let mut files = Vec::new();
    // The page holds this program as WebAssembly, which cannot hold the page in turn.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        collect(&page, &page, &mut files);
    }
    files.sort();
    let mut code = String::from("&[\n");
    for (name, path) in &files {
        let _ = writeln!(code, "    ({name:?}, include_bytes!({path:?})),");
    }
    code.push_str("]\n");
    let place = Path::new(&env::var_os("OUT_DIR").expect("cargo says where")).join("page.rs");
    fs::write(place, code).expect("the build's own folder can be written to");
}

/// All files below a folder, by their addresses in it; none where it is not there.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if let (Ok(name), Ok(path)) = (path.strip_prefix(root), path.canonicalize()) {
            files.push((name.to_string_lossy().replace('\\', "/"), path.to_string_lossy().into_owned()));
        }
    }
}
