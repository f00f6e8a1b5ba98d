//! Properties of queue disciplines beyond their parameters; each discipline states its own in its file.

use serde::Serialize;

use crate::ParamError;

/// The parameter that bounds how long data wait under load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayBound {
    /// The `limit`: data wait behind a full buffer.
    Limit,
    /// The `target` of an AQM.
    Target,
}

/// What tells how long an arriving packet waits, beside all that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitDependsOn {
    /// Packets leave in order of arrival, or nearly so.
    Nothing,
    /// Its class.
    Class,
    /// Its flow.
    Flow,
}

/// Properties of a discipline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// Can mark ECN-capable packets.
    pub ecn: bool,
    /// Drops or marks before the buffer is full (active queue management).
    pub aqm: bool,
    /// Has queues per flow and serves them fairly.
    pub fair: bool,
    /// The plain drop-tail FIFO.
    pub drop_tail: bool,
    /// The parameter that bounds how long data wait under load, if there is one.
    pub delay_set_by: Option<DelayBound>,
}

impl Properties {
    /// A buffer that drops when it is full and marks nothing.
    pub const BUFFER: Self = Self { ecn: false, aqm: false, fair: false, drop_tail: false, delay_set_by: None };
    /// Active queue management that can mark.
    pub const AQM: Self = Self { ecn: true, aqm: true, ..Self::BUFFER };
}

/// Parameters of a discipline that states its properties.
pub trait Describe {
    /// The discipline's properties.
    const PROPERTIES: Properties;
    /// What [`Discipline::bytes_before`] depends on.
    ///
    /// [`Discipline::bytes_before`]: super::Discipline::bytes_before
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Nothing;

    /// A contradiction between two parameters.
    fn conflict(&self) -> Option<ParamError> {
        None
    }

    /// The parameter besides `limit` because of which packets of `size` bytes can never be enqueued, if there is one.
    fn refuses(&self, _size: u64) -> Option<ParamError> {
        None
    }
}
