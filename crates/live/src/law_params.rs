//! The parameters of `bpf/window_law.h`, from those of the scenario.

use eddyline_cc::{BaseRttSource, ControllerParams, Delay, FastParams, FastProfile, PathFacts, Pauses, VfastParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_units::{Packets, Time};

use crate::error::LiveError;
use crate::timestamps;

/// Number of parameters.
const COUNT: usize = 22;
/// Where those of VFAST's mean begin.
const MEAN: usize = 10;

/// Integer parameters in the order of `struct law_params`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawParams([u64; COUNT]);

/// Binary places of windows and shares.
const WINDOW_BITS: i32 = 10;
const SHARE_BITS: i32 = 16;

impl LawParams {
    /// Those of a flow with controller `fast` or `vfast`.
    ///
    /// # Errors
    /// It has an option that the kernel's version has not.
    pub fn of(network: &Network, flow: &Flow) -> Result<Self, LiveError> {
        let (facts, tick) = (network.path_facts(flow), timestamps::tick(flow));
        let made = match &*flow.controller {
            ControllerParams::Fast(params) => Self::of_fast(params, &facts, tick),
            ControllerParams::Vfast(params) => Self::of_vfast(params, &facts, tick),
            other => Err(other.name().to_owned()),
        };
        made.map_err(|what| LiveError::Unsupported {
            what: format!("{what} (flow {})", flow.name),
            hint: "leave it out; world sim has it",
        })
    }

    /// Those of FAST; `tick` is that of the receiver's timestamps. The error is the option that there is not.
    pub fn of_fast(params: &FastParams, facts: &PathFacts, tick: Time) -> Result<Self, String> {
        if let Some(option) = unsupported(params) {
            return Err(option.to_owned());
        }
        let known = facts.known_base_rtt.filter(|_| params.base_rtt == BaseRttSource::Known);
        let ack_weight = match params.delay {
            Delay::Weighted => share(f64::from(facts.ack_bytes) / f64::from(facts.packet_bytes.max(1))),
            Delay::RoundTrip | Delay::Forward => 0,
        };
        let pauses = params.pauses();
        let pause = |what: fn(&Pauses) -> u64| pauses.as_ref().map_or(0, what);
        Ok(Self([
            window(params.alpha),
            share(params.gamma),
            us(params.mi_threshold),
            us(params.update_period.unwrap_or(Time::ZERO)),
            share(params.filter_gain),
            share(params.filter_cap.unwrap_or(0.25)),
            share(params.loss_factor),
            window(params.timeout_window),
            window(params.min_window),
            us(known.unwrap_or(Time::ZERO)),
            0,
            0,
            0,
            u64::from(params.delay.is_one_way()),
            ack_weight,
            u64::from(facts.ack_ratio.max(1)) << SHARE_BITS,
            us(tick),
            pause(|p| us(p.params.every)),
            pause(|p| window(p.params.window)),
            pause(|p| u64::from(p.params.rounds.max(1))),
            pause(|p| p.min_round_trips),
            window(params.pacing_slack),
        ]))
    }

    /// Those of VFAST.
    pub fn of_vfast(params: &VfastParams, facts: &PathFacts, tick: Time) -> Result<Self, String> {
        use eddyline_cc::{MeanRttSource, Smoothing};
        if params.smoothing != Smoothing::Ack || params.mean_rtt != MeanRttSource::Srtt {
            return Err("vfast with smoothing or mean_rtt other than the defaults".to_owned());
        }
        let mut law = Self::of_fast(&params.law, facts, tick)?;
        law.0[MEAN..MEAN + 3].copy_from_slice(&[1, share(params.psi_up), share(params.psi_down)]);
        Ok(law)
    }

    /// The same as the kernel reads them.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|n| n.to_ne_bytes()).collect()
    }

    /// The numbers.
    #[must_use]
    pub const fn numbers(&self) -> &[u64; COUNT] {
        &self.0
    }
}

/// The first option that the kernel's version does not have.
fn unsupported(params: &FastParams) -> Option<&'static str> {
    let given = [
        ("fast with profile ns2-1.1.3", params.profile == FastProfile::Ns2),
        ("fast with ack_alpha, for which Linux's receiver cannot be asked,", params.ack_alpha.is_some()),
        ("fast with base_rtt_age", params.base_rtt_age.is_some()),
        ("fast with rate_correction", params.rate_correction.is_some()),
    ];
    given.into_iter().find_map(|(name, is)| is.then_some(name))
}

fn fixed(value: f64, bits: i32) -> u64 {
    (value * f64::from(1 << bits)).round() as u64
}

fn window(packets: Packets) -> u64 {
    fixed(packets.get(), WINDOW_BITS)
}

fn share(value: f64) -> u64 {
    fixed(value, SHARE_BITS)
}

fn us(time: Time) -> u64 {
    time.as_ps() / 1_000_000
}
