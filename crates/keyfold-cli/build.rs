//! Takes the built page (`cargo xtask web`) along, so that `keyfold view` can serve it from inside the program.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/app");
    let page = app.join("dist");
    // A folder that is not there would count as changed at every build: then the one that it will be in is watched.
    println!("cargo:rerun-if-changed={}", if page.is_dir() { &page } else { &app }.display());
    let out = env::var("OUT_DIR").expect("cargo says where");
    let mut names = Vec::new();
    // The page holds this program as WebAssembly, which cannot hold the page in turn.
    if env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        collect(&page, "", &mut names);
    }
    names.sort();
    let mut code = String::from("&[\n");
    for name in &names {
        // A copy: the page may be built anew while this program is.
        let copy = Path::new(&out).join("page").join(name);
        fs::create_dir_all(copy.parent().expect("it is in a folder"))
            .expect("the build's own folder can be written to");
        fs::copy(page.join(name), &copy).expect("the page can be read");
        let _ = writeln!(
            code,
            "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), {:?}))),",
            format!("/page/{name}")
        );
    }
    code.push_str("]\n");
    fs::write(Path::new(&out).join("page.rs"), code).expect("the build's own folder can be written to");
}

/// All files below a folder, by their addresses in it; none where it is not there.
fn collect(root: &Path, folder: &str, names: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let name = format!("{folder}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(root, &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}
