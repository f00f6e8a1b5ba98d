//! How far a run could be sped up by more processors than there are: the events that have to follow each other, window by window.

/// Numbers of processors that are looked at.
pub const PROCESSORS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The length of a run in events, if each of so many processors simulates its share of the domains in every window and waits for the
/// others at its end. Shares are those of the greedy rule that assigns domains to threads, with the events of the window known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scaling {
    /// By place in [`PROCESSORS`].
    pub longest: [u64; PROCESSORS.len()],
}
