//! What the schema cannot check: names, and relations between values that are each valid.

pub(crate) mod capacity;
pub(crate) mod delay;
pub(crate) mod media;
pub(crate) mod names;
pub(crate) mod nic;
pub(crate) mod piggyback;
pub(crate) mod semantics;
pub(crate) mod variation;
