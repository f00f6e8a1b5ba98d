//! The tests of world `quic`, one executable: to link each file by itself takes longer than to run it.

mod controllers;
mod corruption;
mod cubic_law;
#[path = "../../../sim/tests/suite/scenarios/drawn.rs"]
mod drawn_scenarios;
mod fast;
mod fidelity;
mod flows;
mod golden;
mod networks;
mod qlog;
mod robustness;
mod tls;
