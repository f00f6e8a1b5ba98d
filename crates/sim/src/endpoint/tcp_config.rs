//! From a flow of a scenario to the configuration of its TCP connection.

use eddyline_scenario::network::{self, Flow as FlowSpec};
use eddyline_tcp::{
    AccurateEcn, Application, Config, LocalCongestion, Pacing, PacingGain, PartialAckTimer, TimestampClock, Transfer,
};

/// TCP configuration of `spec`.
pub fn config(spec: &FlowSpec) -> Config {
    let tcp = &spec.tcp;
    Config {
        mss: spec.mss(),
        receive_window: spec.receive_window,
        sack: tcp.sack,
        initial_window: tcp.initial_window,
        min_rto: tcp.min_rto,
        ack_every: tcp.ack_every,
        ack_timer: tcp.ack_timer,
        quick_acks: tcp.quick_acks,
        ecn: tcp.ecn,
        accurate_ecn: match tcp.accurate_ecn {
            network::AccurateEcn::Off => AccurateEcn::Off,
            network::AccurateEcn::Ace => AccurateEcn::Ace,
            network::AccurateEcn::Option => AccurateEcn::Option,
        },
        limited_transmit: tcp.limited_transmit,
        fast_retransmit: tcp.fast_retransmit,
        partial_ack_timer: tcp.partial_ack_timer.map(|timer| match timer {
            network::PartialAckTimer::Impatient => PartialAckTimer::Impatient,
            network::PartialAckTimer::SlowButSteady => PartialAckTimer::SlowButSteady,
        }),
        timestamps: tcp.timestamps,
        timestamp_clock: (!tcp.timestamp_clock.is_default()).then_some(TimestampClock {
            ahead: tcp.timestamp_clock.ahead,
            drift_ppm: tcp.timestamp_clock.drift_ppm,
            tick: tcp.timestamp_clock.tick,
        }),
        prr: tcp.prr,
        rack: tcp.rack,
        frto: tcp.frto,
        rto_every_ack: tcp.rto_every_ack,
        ack_congestion_control: tcp.ack_congestion_control,
        controller_ack_ratio: tcp.ack_ratio_by_controller,
        local: match tcp.local {
            network::Local::Drop => LocalCongestion::Drop,
            network::Local::Cwr => LocalCongestion::Cwr,
            network::Local::Backpressure => LocalCongestion::Backpressure,
        },
        pacing: match tcp.pacing {
            network::Pacing::On => Pacing::On,
            network::Pacing::Off => Pacing::Off,
            network::Pacing::Controller => Pacing::Controller,
        },
        pacing_gain: PacingGain { slow_start: tcp.pacing_gain.slow_start, avoidance: tcp.pacing_gain.avoidance },
    }
}

/// The transfer of the application of `spec`.
pub fn transfer(spec: &FlowSpec) -> Transfer {
    Transfer {
        application: match spec.application {
            network::Application::Bulk => Application::Bulk,
            network::Application::Bursts { bytes, every } => Application::Bursts { bytes, every },
            network::Application::Objects { bytes } => Application::Objects { bytes },
        },
        start: spec.start,
        stop: spec.stop,
        size: spec.size,
    }
}
