//! The unit of a quantity.

/// One unit of a quantity: how it is written and how many base units it holds.
#[derive(Debug, Clone, Copy)]
pub struct Unit<S: Copy> {
    /// As written in a scenario file.
    pub symbol: &'static str,
    /// Base units in one of this unit.
    pub scale: S,
}
