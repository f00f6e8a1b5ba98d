//! The unit of a quantity.

/// One unit of a quantity: how it is written and how many base units it holds.
#[derive(Debug, Clone, Copy)]
pub struct Unit<S: Copy> {
    /// As written in a scenario file.
    pub symbol: &'static str,
    /// Other spellings that are read and never written.
    pub aliases: &'static [&'static str],
    /// Base units in one of this unit.
    pub scale: S,
}

impl<S: Copy> Unit<S> {
    /// Whether `text` is one of its spellings.
    pub fn matches(&self, text: &str) -> bool {
        self.symbol == text || self.aliases.contains(&text)
    }
}
