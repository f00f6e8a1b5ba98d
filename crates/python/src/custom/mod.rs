//! Controllers that are not built in, Python classes and plugins: their events, how they are called, their registration.

mod class;
mod controller;
mod events;
mod fault;
mod kind;
mod vocabulary;

pub(crate) use events::{PathFacts, PyAck, PyLoss, PyRound, PySent, PyTimeout};
pub(crate) use fault::{begin, failed, take};
pub(crate) use vocabulary::{add_controller, current, load_installed, load_plugin, remove_controller};
