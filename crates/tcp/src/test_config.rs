//! Configurations for tests, written as in a scenario file: `sack = false, min_rto = 1000` (times in milliseconds).

use eddyline_units::Time;

use crate::config::{AccurateEcn, Config, LocalCongestion, Pacing, PacingGain, PartialAckTimer, TimestampClock};

/// Segments of 1,000 bytes and the defaults of a scenario file, changed by `options`.
pub fn config(options: &str) -> Config {
    let mut config = Config {
        mss: 1000,
        receive_window: None,
        sack: true,
        initial_window: 10,
        min_rto: Time::from_ms(200),
        ack_every: 1,
        ack_timer: Time::from_ms(200),
        quick_acks: 0,
        ecn: false,
        accurate_ecn: AccurateEcn::Off,
        limited_transmit: true,
        fast_retransmit: true,
        partial_ack_timer: None,
        timestamps: false,
        timestamp_clock: None,
        prr: false,
        rack: false,
        frto: false,
        rto_every_ack: false,
        ack_congestion_control: false,
        controller_ack_ratio: false,
        local: LocalCongestion::Drop,
        pacing: Pacing::Controller,
        pacing_gain: PacingGain { slow_start: 2.0, avoidance: 1.2 },
    };
    for option in options.split(',').map(str::trim).filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or_else(|| panic!("no value in {option:?}"));
        set(&mut config, key.trim(), value.trim());
    }
    config
}

fn set(config: &mut Config, key: &str, value: &str) {
    let flag = || value.parse::<bool>().unwrap_or_else(|e| panic!("{key} = {value}: {e}"));
    let number = || value.parse::<f64>().unwrap_or_else(|e| panic!("{key} = {value}: {e}"));
    match key {
        "sack" => config.sack = flag(),
        "initial_window" => config.initial_window = number() as u32,
        "ack_every" => config.ack_every = number() as u32,
        "ack_timer" => config.ack_timer = Time::from_ms(number() as u64),
        "quick_acks" => config.quick_acks = number() as u32,
        "ecn" => config.ecn = flag(),
        "accurate_ecn" => {
            config.ecn = true;
            config.accurate_ecn = if value == "option" { AccurateEcn::Option } else { AccurateEcn::Ace };
        }
        "receive_window" => config.receive_window = Some(number() as u64),
        "min_rto" => config.min_rto = Time::from_ms(number() as u64),
        "fast_retransmit" => config.fast_retransmit = flag(),
        "controller_ack_ratio" => config.controller_ack_ratio = flag(),
        "local" => {
            config.local = if value == "cwr" { LocalCongestion::Cwr } else { LocalCongestion::Backpressure };
        }
        "clock_drift" => {
            let (ahead, tick) = (Time::from_ms(700), Time::from_ms(1));
            config.timestamp_clock = Some(TimestampClock { ahead, drift_ppm: number(), tick });
        }
        "limited_transmit" => config.limited_transmit = flag(),
        "partial_ack_timer" => {
            config.partial_ack_timer = Some(match value {
                "impatient" => PartialAckTimer::Impatient,
                "slow-but-steady" => PartialAckTimer::SlowButSteady,
                other => panic!("no timer {other:?}"),
            });
        }
        "timestamps" => config.timestamps = flag(),
        "prr" => config.prr = flag(),
        "rack" => config.rack = flag(),
        "frto" => config.frto = flag(),
        "rto_every_ack" => config.rto_every_ack = flag(),
        "ack_congestion_control" => {
            config.ack_congestion_control = flag();
            config.ack_every = 2;
        }
        "pacing" => config.pacing = if flag() { Pacing::On } else { Pacing::Off },
        "pacing_gain.slow_start" => config.pacing_gain.slow_start = number(),
        "pacing_gain.avoidance" => config.pacing_gain.avoidance = number(),
        other => panic!("no option {other:?}"),
    }
}
