//! The storages as the command line names them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use keyfold::Storage;

/// Reads the name of a storage.
pub(crate) fn one() -> impl TypedValueParser<Value = Storage> {
    PossibleValuesParser::new(Storage::ALL.map(value)).map(|name| named(&name).unwrap_or(Storage::Core))
}

/// What `pack` may be asked for: the smallest of some storages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) name: &'static str,
    one: Option<Storage>,
}

impl Wanted {
    pub(crate) fn storages(self) -> Vec<Storage> {
        self.one.map_or_else(|| Storage::ALL.to_vec(), |storage| vec![storage])
    }
}

/// Reads the name of a storage, or `smallest`.
pub(crate) fn wanted() -> impl TypedValueParser<Value = Wanted> {
    let smallest = PossibleValue::new(SMALLEST).help("whichever is smallest");
    let values = Storage::ALL.map(value).into_iter().chain([smallest]);
    PossibleValuesParser::new(values).map(|name| {
        let one = named(&name);
        Wanted { name: one.map_or(SMALLEST, Storage::name), one }
    })
}

const SMALLEST: &str = "smallest";

fn named(name: &str) -> Option<Storage> {
    Storage::ALL.into_iter().find(|storage| storage.name() == name)
}

fn value(storage: Storage) -> PossibleValue {
    PossibleValue::new(storage.name()).help(format!("{}: plays {}", storage.long_name(), storage.plays()))
}
