//! Nodes and tracks by name: `--node`, `--keep`.

use anyhow::{Result, bail};
use keyfold::{Document, pack::matches};

/// Which nodes to look at.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct NodeArgs {
    /// Only nodes with this name or index; * matches anything
    #[arg(long = "node", value_name = "NAME|INDEX")]
    wanted: Vec<String>,
}

impl NodeArgs {
    /// Whether only some nodes are wanted.
    pub(crate) fn some(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The nodes that are wanted: all where none is named. A name that no node has is a mistake.
    pub(crate) fn of(&self, document: &Document) -> Result<Vec<bool>> {
        let mut chosen = vec![!self.some(); document.count("nodes")];
        for wanted in &self.wanted {
            let fits = |node: usize| {
                wanted.parse() == Ok(node) || name(document, node).is_some_and(|name| matches(wanted, &name))
            };
            let mut found = false;
            (0..chosen.len()).filter(|node| fits(*node)).for_each(|node| (chosen[node], found) = (true, true));
            if !found {
                bail!("no node is called {wanted} or has that index{}", near(document, wanted));
            }
        }
        Ok(chosen)
    }
}

/// The node that a target (`/nodes/3/rotation`) is a property of, whether it moves it or not.
pub(crate) fn index_of(target: &str) -> Option<usize> {
    target.strip_prefix("/nodes/")?.split('/').next()?.parse().ok()
}

/// A node's name, where it has one.
pub(crate) fn name(document: &Document, node: usize) -> Option<String> {
    let node = document.element("nodes", node).ok()?;
    node.get("name").and_then(|name| name.as_str()).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// A target for people: with the name of its node, where that has one.
pub(crate) fn titled(document: &Document, target: &str) -> String {
    let name = index_of(target).and_then(|node| name(document, node));
    name.map_or_else(|| target.to_owned(), |name| format!("{target} ({name})"))
}

/// Whether a pattern fits a target or the name of its node.
pub(crate) fn fits(document: &Document, target: &str, pattern: &str) -> bool {
    let name = || index_of(target).and_then(|node| name(document, node));
    matches(pattern, target) || name().is_some_and(|name| matches(pattern, &name))
}

/// What may have been meant: names that have the wanted one in them, whatever the case.
fn near(document: &Document, wanted: &str) -> String {
    let wanted = wanted.to_lowercase();
    let names = (0..document.count("nodes")).filter_map(|node| name(document, node));
    let like: Vec<String> = names.filter(|name| name.to_lowercase().contains(&wanted)).take(5).collect();
    if like.is_empty() { String::new() } else { format!("; there is: {}", like.join(", ")) }
}
