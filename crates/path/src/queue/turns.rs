//! What queues that are served in turn send before a packet that arrives now, if nothing arrives after it.

/// Queues are looked at one by one up to so many. More are taken for alike, so that a sample of many flows stays cheap.
const WALKED: usize = 32;

/// A queue in a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueInTurn {
    /// What waits there.
    pub bytes: u64,
    /// What it may send in the turn that it has or gets next.
    pub credit: i64,
    /// What each later turn adds.
    pub refill: u64,
    /// Mean size of its packets, which are sent whole.
    pub packet: u64,
}

impl QueueInTurn {
    /// The same with a refill.
    pub fn refilled(self) -> Self {
        Self { credit: self.credit.saturating_add(i64::try_from(self.refill).unwrap_or(i64::MAX)), ..self }
    }

    /// Bytes that it sends up to the end of so many later turns.
    fn sends(&self, turns: u64) -> u64 {
        let refills = i64::try_from(turns.saturating_mul(self.refill)).unwrap_or(i64::MAX);
        let credit = u64::try_from(self.credit.saturating_add(refills)).unwrap_or(0);
        let packet = self.packet.max(1);
        (credit / packet).saturating_mul(packet).min(self.bytes)
    }

    /// Later turns until its credit is `needed`.
    pub fn turns_until(&self, needed: u64) -> u64 {
        let missing = i64::try_from(needed).unwrap_or(i64::MAX).saturating_sub(self.credit);
        u64::try_from(missing).unwrap_or(0).div_ceil(self.refill.max(1))
    }
}

/// Bytes that leave before a packet behind all of its `own` queue, which is sent so many `turns` after the next one. Of the `count` queues in
/// the order of their turns `None` is its own; without it its turn comes after all of them. `all` bytes wait.
pub(super) fn bytes_before(
    own: &QueueInTurn,
    turns: u64,
    all: u64,
    count: usize,
    queues: impl Iterator<Item = Option<QueueInTurn>>,
) -> u64 {
    if count > WALKED {
        let each = (all / count as u64).min(own.bytes.saturating_add(own.refill));
        return (count as u64).saturating_mul(each).saturating_add(own.bytes).min(all);
    }
    let mut before = own.bytes;
    let mut turns = Some(turns);
    for queue in queues {
        let Some(other) = queue else {
            // those behind have one turn less
            turns = turns.and_then(|turns| turns.checked_sub(1));
            continue;
        };
        let Some(turns) = turns else { break };
        before = before.saturating_add(other.sends(turns));
    }
    before.min(all)
}
