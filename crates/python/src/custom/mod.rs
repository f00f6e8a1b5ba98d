//! Controllers that users write in Python: what they hear, how they are called, where they are kept.

mod controller;
mod events;
mod fault;
mod kind;
mod vocabulary;

pub(crate) use events::{PathFacts, PyAck, PyLoss, PyRound, PySent, PyTimeout};
pub(crate) use fault::{begin, failed, take};
pub(crate) use vocabulary::{add_controller, current, met, remove_controller};
