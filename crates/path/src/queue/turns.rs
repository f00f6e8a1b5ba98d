//! What queues that are served in turn send before a packet that arrives now, if nothing arrives after it.

/// Queues are looked at one by one up to so many; among more each is taken for one like the packet's own.
const WALKED: usize = 128;

/// A queue in a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct InTurn {
    /// What waits there.
    pub bytes: u64,
    /// What it may send in the turn that it has or gets next.
    pub credit: i64,
    /// What each later turn adds.
    pub refill: u64,
}

impl InTurn {
    /// The same with a turn more.
    pub fn with_next_turn(self) -> Self {
        Self { credit: self.credit.saturating_add(i64::try_from(self.refill).unwrap_or(i64::MAX)), ..self }
    }
}

/// The queue of the packet, with the bytes before the packet in `bytes`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    pub queue: InTurn,
    /// Turns after the next one until the packet is sent.
    pub turns: u64,
}

impl Own {
    /// The packet is sent once the credit is `needed`.
    pub fn new(queue: InTurn, needed: u64) -> Self {
        let missing = i64::try_from(needed).unwrap_or(i64::MAX).saturating_sub(queue.credit);
        Self { queue, turns: u64::try_from(missing).unwrap_or(0).div_ceil(queue.refill.max(1)) }
    }
}

/// Bytes that leave before the packet: of `queues`, so many, in the order of their turns, with none in the place of the packet's own. If
/// there is no such place its turn comes after all of them.
pub(super) fn bytes_before(own: &Own, count: usize, queues: impl Iterator<Item = Option<InTurn>>) -> u64 {
    let Own { queue, turns } = *own;
    if count > WALKED {
        let each = queue.bytes.saturating_add(queue.refill / 2);
        return (count as u64).saturating_mul(each).saturating_add(queue.bytes);
    }
    let mut before = queue.bytes;
    let mut turns = Some(turns);
    for place in queues {
        let Some(other) = place else {
            // those behind have one turn less
            turns = turns.and_then(|turns| turns.checked_sub(1));
            continue;
        };
        let Some(turns) = turns else { break };
        let sends = u64::try_from(other.credit).unwrap_or(0).saturating_add(turns.saturating_mul(other.refill));
        before = before.saturating_add(sends.min(other.bytes));
    }
    before
}
