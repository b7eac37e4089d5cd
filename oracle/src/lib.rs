//! Differential tests against real peers.
