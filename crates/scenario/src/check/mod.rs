//! Everything that can be wrong with a file whose syntax is right.

pub(crate) mod card;
pub(crate) mod delay;
pub(crate) mod load;
pub(crate) mod meaning;
pub(crate) mod media;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod pairs;
pub(crate) mod quantity;
pub(crate) mod shape;
pub(crate) mod variation;
pub(crate) mod walk;
