//! Where the round-trip samples of a flow are counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eddyline_path::histogram::Histogram;
use eddyline_units::Time;

/// The histogram of a flow's samples.
#[derive(Debug, Clone)]
pub enum RttHistogram {
    /// Samples are not counted.
    None,
    /// The flow's own.
    Own(Box<Histogram>),
    /// One for all flows of a table, so that memory does not grow with their number.
    Shared(SharedHistogram),
}

/// A histogram of several flows.
#[derive(Debug, Clone, Default)]
pub struct SharedHistogram(Arc<Mutex<Histogram>>);

impl SharedHistogram {
    fn lock(&self) -> MutexGuard<'_, Histogram> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RttHistogram {
    #[inline(always)]
    pub(super) fn add(&mut self, rtt: Time) {
        if let Self::Own(histogram) = self {
            histogram.add(rtt);
        } else {
            self.add_shared(rtt);
        }
    }

    #[cold]
    fn add_shared(&self, rtt: Time) {
        if let Self::Shared(shared) = self {
            shared.lock().add(rtt);
        }
    }

    /// Forgets all samples. A shared histogram loses those of all its flows, which is done for each of them at the same time.
    pub(super) fn clear(&mut self) {
        match self {
            Self::None => {}
            Self::Own(histogram) => histogram.clear(),
            Self::Shared(shared) => shared.lock().clear(),
        }
    }

    /// The `share` quantile of the flow's own samples.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if let Self::Own(histogram) = self { histogram.quantile(share) } else { None }
    }

    /// The trimmed mean of the flow's own samples; see [`Histogram::trimmed_mean`].
    pub fn trimmed_mean(&self, share: f64) -> Option<f64> {
        if let Self::Own(histogram) = self { histogram.trimmed_mean(share) } else { None }
    }

    /// The samples of several flows together.
    pub fn together<'a>(flows: impl Iterator<Item = &'a Self>) -> Histogram {
        let (mut all, mut merged) = (Histogram::default(), Vec::new());
        for flow in flows {
            match flow {
                Self::None => {}
                Self::Own(histogram) => all.merge(histogram),
                // the latest first: flows that share one often follow each other
                Self::Shared(shared) if merged.iter().rev().any(|other| Arc::ptr_eq(other, &shared.0)) => {}
                Self::Shared(shared) => {
                    all.merge(&shared.lock());
                    merged.push(Arc::clone(&shared.0));
                }
            }
        }
        all
    }
}
