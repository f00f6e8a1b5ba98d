//! The clock of TCP's timestamps, by which FAST measures one-way delays.
//!
//! Linux has ticks of 1 ms, and from 6.7 on also of 1 us, where the routes of both hosts say so.

use eddyline_scenario::network::Flow;
use eddyline_units::Time;

use crate::tcp::kernel_is_since;

/// The usual tick.
const MILLISECOND: Time = Time::from_ms(1);
/// The fine one.
const MICROSECOND: Time = Time::from_ps(1_000_000);
/// The first kernel that has it.
const FINE_SINCE: (u32, u32) = (6, 7);

/// Whether a flow's hosts use the fine tick: its controller measures one-way delays, and its scenario does not ask for a coarser one.
#[must_use]
pub fn are_fine(flow: &Flow) -> bool {
    should_be_fine(flow) && kernel_is_since(FINE_SINCE)
}

/// Whether they should and cannot.
#[must_use]
pub fn are_coarse(flow: &Flow) -> bool {
    should_be_fine(flow) && !kernel_is_since(FINE_SINCE)
}

fn should_be_fine(flow: &Flow) -> bool {
    let one_way = flow.controller.delay_options().is_some_and(|o| o.delay.is_one_way());
    one_way && flow.tcp.timestamp_clock.tick < MILLISECOND
}

/// The tick of a flow's timestamps.
#[must_use]
pub fn tick(flow: &Flow) -> Time {
    if are_fine(flow) { MICROSECOND } else { MILLISECOND }
}
