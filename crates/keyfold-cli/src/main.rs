//! The program `keyfold`.

fn main() -> std::process::ExitCode {
    keyfold_cli::run(std::env::args_os()).into()
}
