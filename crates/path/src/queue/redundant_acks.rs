//! Which waiting acknowledgements an arriving one makes redundant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Acknowledgement;

/// A rule of ACK filtering.
///
/// A queue knows that an acknowledgement has SACK blocks, not which, so no rule removes one that has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AckFilterRule {
    /// Every earlier acknowledgement goes, except duplicates, those that were duplicated, those with SACK blocks and
    /// those with other flags (RFC 3449, section 5.2.1).
    #[default]
    All,
    /// Of two or more redundant ones the oldest goes, so that one always stays (CAKE's `ack-filter`).
    Conservative,
    /// As conservative, and the last one goes too where it is the connection's youngest and has the same flags (CAKE's
    /// `ack-filter-aggressive`).
    Aggressive,
}

/// Finds places in `waiting`, one connection's packets from the oldest on, that `new` makes redundant.
///
/// `waiting` holds `None` for what is no pure acknowledgement; `left` is the number of the connection's acknowledgement
/// that left last. The places come in rising order.
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

/// All that repeat nothing and are repeated by nothing.
fn every(
    waiting: impl Iterator<Item = Option<Acknowledgement>>,
    left: Option<u64>,
    new: Acknowledgement,
    places: &mut Vec<usize>,
) {
    let mut before = left;
    let mut waiting = waiting.enumerate().peekable();
    while let Some((place, ack)) = waiting.next() {
        let Some(ack) = ack else { continue };
        let after = match waiting.peek() {
            Some((_, next)) => next.map(|a| a.number),
            None => Some(new.number),
        };
        let duplicated = before == Some(ack.number) || after == Some(ack.number);
        if !duplicated && ack.number < new.number && !ack.selective && ack.flags == new.flags {
            places.push(place);
        }
        before = Some(ack.number);
    }
}

/// CAKE's choice of one.
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
        // a change of flags behind the eligible one: dropping that would lose what they say
        if eligible.is_some_and(|(_, flags)| flags != ack.flags) {
            eligible = None;
            found -= 1;
        }
        // it says less: a lower number, or the same without the new one's SACK blocks
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
