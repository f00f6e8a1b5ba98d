//! Which waiting acknowledgements an arriving one makes redundant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Acknowledgement;

/// A rule of ACK filtering.
///
/// A queue sees that an acknowledgement has SACK blocks but not which, so no rule removes those.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AckFilterRule {
    /// Removes every earlier acknowledgement, except duplicates, those that were duplicated, those with SACK blocks and those with
    /// other flags (RFC 3449, section 5.2.1).
    #[default]
    All,
    /// Removes the oldest of two or more redundant ones, so that one always remains (CAKE's `ack-filter`).
    Conservative,
    /// As conservative, and also removes the last one if it is the connection's newest packet and has the same flags (CAKE's
    /// `ack-filter-aggressive`).
    Aggressive,
}

/// Finds positions in `waiting`, one connection's packets from the oldest on, that `new` makes redundant.
///
/// `waiting` has `None` for packets that are not pure acknowledgements; `left` is the acknowledgement number of the connection's
/// last one sent. The positions are in ascending order.
pub(super) fn redundant(
    rule: AckFilterRule,
    waiting: impl Iterator<Item = Option<Acknowledgement>>,
    left: Option<u64>,
    new: Acknowledgement,
    places: &mut Vec<usize>,
) {
    match rule {
        AckFilterRule::All => every(waiting, left, new, places),
        AckFilterRule::Conservative => places.extend(oldest(waiting, false, new)),
        AckFilterRule::Aggressive => places.extend(oldest(waiting, true, new)),
    }
}

/// All that are neither duplicates nor duplicated.
fn every(
    waiting: impl Iterator<Item = Option<Acknowledgement>>,
    left: Option<u64>,
    new: Acknowledgement,
    places: &mut Vec<usize>,
) {
    let mut previous = left;
    let mut waiting = waiting.enumerate().peekable();
    while let Some((place, ack)) = waiting.next() {
        let Some(ack) = ack else { continue };
        let after = match waiting.peek() {
            Some((_, next)) => next.map(|a| a.number),
            None => Some(new.number),
        };
        let duplicated = previous == Some(ack.number) || after == Some(ack.number);
        if !duplicated && ack.number < new.number && !ack.selective && ack.flags == new.flags {
            places.push(place);
        }
        previous = Some(ack.number);
    }
}

/// The one that CAKE removes.
fn oldest(
    waiting: impl Iterator<Item = Option<Acknowledgement>>,
    aggressive: bool,
    new: Acknowledgement,
) -> Option<usize> {
    let mut eligible: Option<(usize, u8)> = None;
    let mut found = 0;
    let mut last = 0;
    for (place, ack) in waiting.enumerate() {
        last = place;
        let Some(ack) = ack else { continue };
        // the flags change after the eligible one: dropping it would lose them
        if eligible.is_some_and(|(_, flags)| flags != ack.flags) {
            eligible = None;
            found -= 1;
        }
        // it contains less: a lower number, or the same without the new one's SACK blocks
        let says_less = ack.number < new.number || (ack.number == new.number && new.selective);
        if ack.selective || !says_less {
            continue;
        }
        let (oldest, _) = *eligible.get_or_insert((place, ack.flags));
        found += 1;
        if found > 1 {
            return Some(oldest);
        }
    }
    let (place, flags) = eligible?;
    (aggressive && place == last && flags == new.flags).then_some(place)
}
