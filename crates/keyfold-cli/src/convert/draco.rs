//! `convert --storage draco`: the options of the writer.

use clap::ValueEnum;
use keyfold::draco::{Dialect, Options, StreamOptions};

#[derive(clap::Args)]
#[command(next_help_heading = "Options of --storage draco (default: as few bits as the error bound allows)")]
pub(crate) struct DracoArgs {
    /// Bits per time, where times stay strictly increasing [default: exact, or nearly so]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=30))]
    time_bits: Option<u8>,
    /// The layout of the extension: the draft's (the default), or the one that loaders of 2018 read
    #[arg(long, value_name = "D", value_enum)]
    draco_dialect: Option<Layout>,
}

impl DracoArgs {
    /// The first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let time_bits = self.time_bits.map(|_| "--time-bits");
        time_bits.or(self.draco_dialect.map(|_| "--draco-dialect"))
    }

    /// What they ask the writer for.
    pub(super) fn options(&self, bits: Option<u8>, fallback: bool) -> Options {
        let dialect = match self.draco_dialect {
            None | Some(Layout::Draft) => Dialect::Draft,
            Some(Layout::Year2018) => Dialect::Year2018,
        };
        Options { bits, streams: StreamOptions { time_bits: self.time_bits, dialect, fallback } }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Layout {
    Draft,
    #[value(name = "2018")]
    Year2018,
}
