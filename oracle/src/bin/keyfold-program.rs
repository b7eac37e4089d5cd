//! The program `keyfold`, where tests of this crate find it built.

fn main() -> std::process::ExitCode {
    keyfold_cli::run(std::env::args_os()).into()
}
