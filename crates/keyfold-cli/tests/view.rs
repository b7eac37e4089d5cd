//! `keyfold view` over its port: the page for who has the address, 403 for everybody else.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

fn view(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .arg("view")
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether the page was built before the program was.
fn has_page() -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/app/dist/index.html").is_file()
}

/// A request; the answer's status and body.
fn ask(port: &str, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let output = view(&["--no-open", "nobody.glb"]).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    let expected = if has_page() { "nobody.glb is no file" } else { "cargo xtask web" };
    assert!(said.contains(expected), "{said}");
}

#[test]
fn only_its_own_page_may_talk_to_it() {
    if !has_page() {
        let output = view(&["--no-open"]).wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains("cargo xtask web"));
        println!("skipped: the page is not built (cargo xtask web); that it says so was checked");
        return;
    }
    let mut child = view(&["--no-open", "lamp.gltf"]);
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let (port, path) = address.trim().strip_prefix("http://127.0.0.1:").unwrap().split_once('/').unwrap();
    let (path, host) = (format!("/{path}"), format!("Host: 127.0.0.1:{port}\r\n"));
    let (status, page) = ask(port, &path, &host);
    let (foreign, _) = ask(port, &path, &format!("{host}Origin: https://example.org\r\n"));
    let (without, _) = ask(port, "/", &host);
    let (renamed, _) = ask(port, &path, "Host: example.org\r\n");
    let (file, gltf) = ask(port, &format!("{path}files/0"), &host);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((status, foreign, without, renamed, file), (200, 403, 403, 403, 200));
    assert!(page.contains("lamp.gltf") && page.contains("lamp.bin"), "{page}");
    assert!(gltf.contains("Keyfold samples"));
}
