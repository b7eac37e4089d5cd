//! The program `keyfold`.

fn main() {}
