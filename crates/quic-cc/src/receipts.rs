//! The receiver's side of what an acknowledgement leaves out: when each packet arrived, and whether it was marked.
//!
//! QUIC's ACK frames have neither a time of arrival per packet nor a mark per packet, and the stacks' controller traits have no
//! argument for them. Where both endpoints are in one process, as in a simulation, or where an application sends them back by itself,
//! this table carries them to the controller.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Identifies the packets of one datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketTag(u64);

impl PacketTag {
    pub(crate) const FIRST: Self = Self(0);
}

/// Arrival of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub(crate) received: Instant,
    pub(crate) marked: bool,
}

/// A table of arrivals, shared by the endpoint that observes them and the controller that uses them. Copies share their contents.
///
/// The sending endpoint asks for the [tag](Self::take_sent) of the datagram that it has just made, the receiving endpoint
/// [records](Self::record) the arrival of that tag. Use one table per connection and direction, and one packet per datagram (no
/// segmentation offload).
///
/// ```
/// use eddyline_quic_cc::{Config, Receipts};
///
/// let receipts = Receipts::new();
/// let config: Config = "fast(alpha = 20, delay = forward)".parse()?;
/// let config = config.receipts(receipts.clone());
/// // after every `poll_transmit`: `receipts.take_sent()`; after every arrival: `receipts.record(tag, now, marked)`
/// # Ok::<(), eddyline_quic_cc::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Receipts {
    table: Arc<Mutex<Table>>,
}

#[derive(Debug, Default)]
struct Table {
    /// Tag of the next datagram.
    next: u64,
    /// Tag of the latest datagram until it is taken.
    sent: Option<u64>,
    /// Tag of the first entry.
    first: u64,
    entries: VecDeque<Option<Receipt>>,
}

impl Receipts {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tag of the latest datagram whose sending the controller was told of; none if there was none since the last call.
    #[must_use]
    pub fn take_sent(&self) -> Option<PacketTag> {
        self.table().sent.take().map(PacketTag)
    }

    /// The datagram arrived; `marked` if congestion was experienced (ECN CE). Ignored if it was acknowledged or declared lost.
    pub fn record(&self, tag: PacketTag, received: Instant, marked: bool) {
        let mut table = self.table();
        if tag.0 < table.first || tag.0 >= table.next {
            return;
        }
        let place = (tag.0 - table.first) as usize;
        if table.entries.len() <= place {
            table.entries.resize(place + 1, None);
        }
        table.entries[place] = Some(Receipt { received, marked });
    }

    /// The tag of the datagram that is being made.
    pub(crate) fn current(&self) -> PacketTag {
        PacketTag(self.table().next)
    }

    /// That datagram is complete.
    pub(crate) fn complete(&self) {
        let mut table = self.table();
        table.sent = Some(table.next);
        table.next += 1;
    }

    pub(crate) fn get(&self, tag: PacketTag) -> Option<Receipt> {
        let table = self.table();
        *table.entries.get(usize::try_from(tag.0.checked_sub(table.first)?).ok()?)?
    }

    /// Forgets all datagrams before `tag`, or all but the one being made.
    pub(crate) fn forget_before(&self, tag: Option<PacketTag>) {
        let mut table = self.table();
        let first = tag.map_or(table.next, |t| t.0).max(table.first);
        let gone = usize::try_from(first - table.first).unwrap_or(usize::MAX).min(table.entries.len());
        table.entries.drain(..gone);
        table.first = first;
    }

    /// A panic elsewhere leaves no half-made change in a table of plain values.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn arrivals_are_found_by_tag_until_they_are_forgotten() {
        let (receipts, epoch) = (Receipts::new(), Instant::now());
        let tags: Vec<_> = (0..4)
            .map(|_| {
                receipts.complete();
                receipts.take_sent().unwrap()
            })
            .collect();
        assert_eq!(receipts.take_sent(), None, "taken");
        receipts.record(tags[2], epoch + Duration::from_millis(3), true);
        receipts.record(tags[0], epoch, false);
        assert_eq!(receipts.get(tags[1]), None);
        assert_eq!(receipts.get(tags[2]).map(|r| r.marked), Some(true));
        receipts.forget_before(Some(tags[2]));
        receipts.record(tags[1], epoch, false);
        assert_eq!((receipts.get(tags[1]), receipts.get(tags[2]).is_some()), (None, true));
        receipts.forget_before(None);
        assert!(receipts.table().entries.is_empty());
    }

    #[test]
    fn a_tag_of_another_table_is_ignored() {
        let (one, other) = (Receipts::new(), Receipts::new());
        (0..1000).for_each(|_| one.complete());
        other.record(one.take_sent().unwrap(), Instant::now(), false);
        assert!(other.table().entries.is_empty());
    }
}
