//! The program `keyfold`.

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    end_in_order();
    keyfold_cli::run(std::env::args_os()).into()
}

/// Some signals are no way to end. Where no handler can be set, they are.
#[cfg(unix)]
fn end_in_order() {
    use signal_hook::{
        consts::{SIGABRT, SIGXFSZ},
        flag,
    };
    // Where files may not become so large, writing shall fail and tidy up rather than end the program.
    let _ = flag::register(SIGXFSZ, std::sync::Arc::default());
    // Where memory runs out in spite of all limits, the standard library says so and aborts: that, too, is exit code 2.
    let _ = flag::register_conditional_shutdown(SIGABRT, 2, std::sync::Arc::new(true.into()));
}
