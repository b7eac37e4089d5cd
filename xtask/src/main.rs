//! Set-up, tests with their peers, samples, benchmarks: what the project does for itself.

fn main() {}
