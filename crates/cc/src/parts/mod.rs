//! Components that controllers share.

pub(crate) mod backlog;
pub(crate) mod base_rtt;
pub(crate) mod boxed;
pub(crate) mod byte_counting;
pub(crate) mod delivery_rate;
pub(crate) mod hystart;
pub(crate) mod limited_time;
pub(crate) mod round_trips;
pub(crate) mod slow_start;
pub(crate) mod window_law;
pub(crate) mod windowed_max;
pub(crate) mod windowed_min;
