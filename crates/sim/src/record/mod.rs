//! What a run leaves behind: summaries always, series and packet events when asked for.

mod packet_log;
mod series;

pub use packet_log::{LogEvent, PacketLog};
pub use series::{Quantity, Series};
