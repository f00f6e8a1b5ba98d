"""What `eddyline new-controller` writes: NewReno with an increase and a decrease of one's own, in Rust and in Python.

`@name@` stands for the name, `@type@` for the type, `@library@` for the file that cargo builds, `@crate@` for where
`eddyline-controller` is.
"""

from __future__ import annotations

__all__ = ["PYTHON", "RUST"]

CARGO = """\
[package]
name = "@name@"
version = "0.1.0"
edition = "2024"
publish = false

[lib]
crate-type = ["cdylib"]

[dependencies]
eddyline-controller = { path = @crate@ }

[profile.release]
lto = true
codegen-units = 1

# a workspace of its own, wherever this folder is
[workspace]
"""

LIB = """\
//! `@name@`: a congestion controller for Eddyline.
//!
//! ```sh
//! cargo build --release
//! eddyline run scenario.toml --controllers target/release/@library@
//! eddyline gauntlet --controller @name@ --controllers target/release/@library@
//! ```

use eddyline_controller::{Ack, Controller, Loss, Parameter, Params, Path, Timeout, export};

/// The state of one flow. As written here it is NewReno (RFC 5681, RFC 6582), which grows by acknowledgement, not by
/// bytes as the built-in one does in world `quic`; windows are in packets.
struct @type@ {
    cwnd: f64,
    ssthresh: f64,
    /// The threshold to restore if the last timeout was spurious.
    previous_window: Option<f64>,
    increase: f64,
    decrease: f64,
}

impl Controller for @type@ {
    const NAME: &'static str = "@name@";
    const SUMMARY: &'static str = "additive increase, multiplicative decrease";
    const SOURCE: &'static str = "RFC 5681";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("increase", 1.0).range(0.001, 1000.0).about("Packets more per round trip."),
        Parameter::number("decrease", 0.5).range(0.01, 0.99).about("Factor by which a loss multiplies the window."),
    ];

    fn new(params: &Params, path: &Path) -> Result<Self, String> {
        Ok(Self {
            cwnd: path.initial_window.max(1.0),
            ssthresh: f64::INFINITY,
            previous_window: None,
            increase: params.number("increase"),
            decrease: params.number("decrease"),
        })
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        self.cwnd += if self.cwnd < self.ssthresh { ack.acked.min(1.0) } else { self.increase / self.cwnd };
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.ssthresh = (loss.flight_size * self.decrease).max(2.0);
        self.cwnd = self.ssthresh;
        self.previous_window = None;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.previous_window = Some(self.ssthresh.max(timeout.flight_size));
            self.ssthresh = (timeout.flight_size * self.decrease).max(2.0);
        }
        self.cwnd = 1.0;
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        if let Some(threshold) = self.previous_window.take() {
            self.cwnd = self.cwnd.max(window);
            self.ssthresh = threshold;
        }
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window.max(1.0));
    }

    fn window(&self) -> f64 {
        self.cwnd
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        Some(self.ssthresh)
    }
}

export!(@type@);
"""

CLASS = '''\
"""`@name@`: a congestion controller for Eddyline.

eddyline run scenario.toml --controllers @library@
eddyline gauntlet --controller @name@ --controllers @library@
"""

import math

import eddyline as el


@el.register("@name@", source="RFC 5681")
class @type@(el.Controller):
    """Additive increase, multiplicative decrease."""

    def __init__(self, path: el.PathFacts, increase: float = 1.0, decrease: float = 0.5) -> None:
        """As written here it is NewReno (RFC 5681, RFC 6582) by acknowledgement; windows are in packets."""
        self.cwnd = max(path.initial_window, 1.0)
        self.ssthresh = math.inf
        self.previous_window: float | None = None
        self.increase, self.decrease = increase, decrease

    def on_ack(self, ack: el.Ack) -> None:
        if ack.in_recovery or not ack.cwnd_limited:
            return
        self.cwnd += min(ack.acked, 1.0) if self.cwnd < self.ssthresh else self.increase / self.cwnd

    def on_loss(self, loss: el.Loss) -> None:
        self.cwnd = self.ssthresh = max(loss.flight_size * self.decrease, 2.0)
        self.previous_window = None

    def on_timeout(self, timeout: el.Timeout) -> None:
        if not timeout.repeated:
            self.previous_window = max(self.ssthresh, timeout.flight_size)
            self.ssthresh = max(timeout.flight_size * self.decrease, 2.0)
        self.cwnd = 1.0

    def on_spurious_timeout(self, window: float) -> None:
        if self.previous_window is not None:
            self.cwnd = max(self.cwnd, window)
            self.ssthresh, self.previous_window = self.previous_window, None
'''

SCENARIO = """\
# `@name@` against CUBIC on a link of 20 Mbit/s.

title    = "@name@ against CUBIC"
duration = "60 s"
warmup   = "10 s"

[[link]]
name  = "down"
rate  = "20 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[link]]
name  = "up"
rate  = "20 Mbit/s"
delay = "10 ms"

[[flow]]
name       = "ours"
controller = { kind = "@name@", increase = 1.0, decrease = 0.5 }
data       = ["down"]
ack        = ["up"]

[[flow]]
name       = "theirs"
controller = { kind = "cubic" }
data       = ["down"]
ack        = ["up"]
"""

RUST = {"Cargo.toml": CARGO, "src/lib.rs": LIB, "scenario.toml": SCENARIO, ".gitignore": "/target\n"}
"""Files of a crate."""

PYTHON = {"@library@": CLASS, "scenario.toml": SCENARIO}
"""Files of a folder with a class."""
