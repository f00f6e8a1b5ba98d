//! Requests to end a run in the middle of an event.

use std::fmt;

/// Whether a run is to end. The observer of a run is asked between events; this is asked while one event sends very many packets, as a
/// window of a billion does.
pub trait Interruption: fmt::Debug + Send + Sync {
    /// Asked after each thousand packets of a burst: it has to be quick.
    fn is_requested(&self) -> bool;
}
