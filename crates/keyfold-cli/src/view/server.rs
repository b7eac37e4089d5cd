//! A server for one page on one machine: GET over HTTP/1.1, one answer a connection.
//!
//! Pages of other addresses can reach this port, too. So nothing is given to who does not know the token, nothing to a page of another origin,
//! and nothing to a name of a stranger's that was made to lead here (DNS rebinding).

use super::{page, served::Served};
use anyhow::{Context, Result};
use httparse::{EMPTY_HEADER, Request, Status};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

/// A request's head is no longer than this.
const HEAD: usize = 16 << 10;
/// Who says nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the page may do, and what others may do with it.
const POLICY: &str = "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
img-src 'self' blob: data:; connect-src 'self' blob: data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

pub(super) struct Server {
    listener: TcpListener,
    state: Arc<State>,
}

/// What every connection looks at.
struct State {
    port: u16,
    token: String,
    files: Vec<Served>,
}

/// A status, a type and a body.
struct Answer(&'static str, &'static str, Vec<u8>);

impl Answer {
    fn text(status: &'static str, text: &str) -> Self {
        Self(status, "text/plain; charset=utf-8", text.as_bytes().to_vec())
    }

    fn forbidden(why: &str) -> Self {
        Self::text("403 Forbidden", why)
    }
}

impl Server {
    /// Takes a free port, and makes a token that nobody can guess.
    pub(super) fn bind(files: Vec<Served>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port of 127.0.0.1 is free")?;
        let port = listener.local_addr()?.port();
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|e| anyhow::anyhow!("no random numbers can be had: {e}"))?;
        let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { listener, state: Arc::new(State { port, token, files }) })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.state.port, self.state.token)
    }

    /// Serves until the program ends.
    pub(super) fn run(self) {
        for stream in self.listener.incoming().flatten() {
            let state = self.state.clone();
            // Who goes away in the middle is nobody's concern.
            thread::spawn(move || state.serve(stream));
        }
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = head(&mut stream)?;
        let (Answer(status, kind, body), whole) = self.answer(&head);
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{POLICY}\r\n")?;
        stream.write_all(if whole { &body } else { &[] })?;
        stream.flush()
    }

    /// The answer to a request's head, and whether its body is wanted.
    fn answer(&self, head: &[u8]) -> (Answer, bool) {
        let mut headers = [EMPTY_HEADER; 64];
        let mut request = Request::new(&mut headers);
        let (Ok(Status::Complete(_)), Some(method), Some(path)) = (request.parse(head), request.method, request.path)
        else {
            return (Answer::text("400 Bad Request", "that is no request"), true);
        };
        let header = |name: &str| {
            let mut all = request.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
            all.next().map(|h| String::from_utf8_lossy(h.value).into_owned())
        };
        let answer = match method {
            "GET" | "HEAD" => self.refusal(&header).unwrap_or_else(|| self.page(path)),
            _ => Answer::text("405 Method Not Allowed", "only GET and HEAD are known here"),
        };
        (answer, method != "HEAD")
    }

    /// Why a request is not for this page, where it is not.
    fn refusal(&self, header: &dyn Fn(&str) -> Option<String>) -> Option<Answer> {
        let own = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        if !header("host").is_some_and(|host| own.contains(&host)) {
            return Some(Answer::forbidden("the address has another name"));
        }
        let foreign = header("origin").is_some_and(|origin| !own.iter().any(|host| origin == format!("http://{host}")));
        // Images and scripts of other pages come without an origin; browsers say so here.
        let site = header("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
        (foreign || site).then(|| Answer::forbidden("only its own page may talk to this address"))
    }

    /// What is behind an address.
    fn page(&self, path: &str) -> Answer {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        let Some(below) = below.and_then(|path| path.strip_prefix('/')) else {
            return Answer::forbidden("the address lacks its token");
        };
        if let Some(file) = below.strip_prefix("files/") {
            return self.file(file);
        }
        let body = match below {
            "" | "index.html" => serde_json::to_string(&self.files).ok().and_then(|files| page::index(&files)),
            _ => page::file(below).map(<[u8]>::to_vec),
        };
        let missing = || Answer::text("404 Not Found", "there is no such file");
        body.map_or_else(missing, |body| {
            Answer("200 OK", kind(if below.is_empty() { "index.html" } else { below }), body)
        })
    }

    /// `3` is the fourth of the named files, `3/0` what is behind its first address.
    fn file(&self, address: &str) -> Answer {
        let mut numbers = address.split('/').map(|part| part.parse::<usize>().ok());
        let file = numbers.next().flatten().and_then(|index| self.files.get(index));
        let bytes = match (file, numbers.next(), numbers.next()) {
            (Some(file), None, None) => file.bytes(),
            (Some(file), Some(Some(index)), None) => file.beside(index),
            _ => return Answer::text("404 Not Found", "there is no such file"),
        };
        match bytes {
            Ok(bytes) => Answer("200 OK", "application/octet-stream", bytes),
            Err(error) => Answer::text("404 Not Found", &format!("{error:#}")),
        }
    }
}

/// Reads up to the empty line that ends a request's head.
fn head(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    while head.len() < HEAD && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece)? {
            0 => break,
            count => head.extend_from_slice(&piece[..count]),
        }
    }
    Ok(head)
}

/// What a browser takes a file for.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/lamp.gltf");
        let files = vec![Served::open(figure.as_ref(), &Default::default()).unwrap()];
        State { port: 4321, token: "secret".to_owned(), files }
    }

    fn status(state: &State, request: &str) -> (&'static str, Vec<u8>) {
        let (Answer(status, _, body), _) = state.answer(format!("{request}\r\n\r\n").as_bytes());
        (&status[..3], body)
    }

    #[test]
    fn the_named_file_and_what_it_refers_to_are_given() {
        let state = state();
        let host = "HTTP/1.1\r\nHost: 127.0.0.1:4321";
        let sample = |name: &str| {
            std::fs::read(format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/{}"), name)).unwrap()
        };
        assert_eq!(status(&state, &format!("GET /secret/files/0 {host}")), ("200", sample("lamp.gltf")));
        assert_eq!(status(&state, &format!("GET /secret/files/0/0 {host}")), ("200", sample("lamp.bin")));
        let own = "Origin: http://localhost:4321\r\nSec-Fetch-Site: same-origin";
        assert_eq!(status(&state, &format!("GET /secret/files/0 {host}\r\n{own}")).0, "200");
        for missing in ["files/1", "files/0/1", "files/0/0/0", "files/x", "files/../Cargo.toml", "../Cargo.toml"] {
            assert_eq!(status(&state, &format!("GET /secret/{missing} {host}")).0, "404", "{missing}");
        }
    }

    #[test]
    fn strangers_get_nothing() {
        let state = state();
        let (path, host) = ("/secret/files/0", "Host: 127.0.0.1:4321");
        for request in [
            format!("GET / HTTP/1.1\r\n{host}"),
            format!("GET /files/0 HTTP/1.1\r\n{host}"),
            format!("GET /secre/files/0 HTTP/1.1\r\n{host}"),
            format!("GET /secretfiles/0 HTTP/1.1\r\n{host}"),
            format!("GET {path} HTTP/1.1\r\n{host}\r\nOrigin: https://example.org"),
            format!("GET {path} HTTP/1.1\r\n{host}\r\nOrigin: null"),
            format!("GET {path} HTTP/1.1\r\n{host}\r\nOrigin: http://127.0.0.1:4322"),
            format!("GET {path} HTTP/1.1\r\n{host}\r\nSec-Fetch-Site: cross-site"),
            format!("GET {path} HTTP/1.1\r\nHost: example.org:4321"),
            format!("GET {path} HTTP/1.1"),
        ] {
            assert_eq!(status(&state, &request).0, "403", "{request}");
        }
        assert_eq!(status(&state, &format!("POST {path} HTTP/1.1\r\n{host}")).0, "405");
        assert_eq!(status(&state, "nonsense").0, "400");
        assert_eq!(status(&state, "").0, "400");
    }
}
