//! The program `keyfold`.

fn main() -> std::process::ExitCode {
    // Where files may not become so large, writing shall fail and tidy up rather than end the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(
        signal_hook::consts::SIGXFSZ,
        std::sync::Arc::<std::sync::atomic::AtomicBool>::default(),
    );
    keyfold_cli::run(std::env::args_os()).into()
}
