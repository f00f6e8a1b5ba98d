//! World `kernel`: the TCP of this machine's kernel over an emulated path.
//!
//! Two network namespaces have a device each. What the kernel sends there is carried by the queues and links of `eddyline-path` in
//! real time and delivered to the other. Namespaces, devices and connections have no names outside this process and end
//! with it, however it ends; nothing of the machine's own network is touched.
//!
//! Empty on systems other than Linux.
#![cfg(target_os = "linux")]

mod approximations;
#[cfg(feature = "bpf")]
mod bpf;
mod build_kernel;
mod built_in;
mod clock;
mod command;
mod controllers;
mod emulator;
mod error;
mod flow_state;
mod host;
mod init;
mod law_params;
mod path_check;
mod placement;
mod quic;
mod run;
mod sampler;
mod shell;
mod summary;
mod tcp;
mod timestamps;
mod trust;
mod virtual_clock;
mod watch;

pub use command::main;
pub use error::LiveError;
pub use law_params::LawParams;
pub use run::{Options, Outcome, run};
