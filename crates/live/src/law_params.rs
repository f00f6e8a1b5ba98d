//! The parameters of `bpf/window_law.h`, from those of the scenario.

use eddyline_cc::{BaseRttSource, ControllerParams, FastParams, FastProfile, VfastParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_units::{Packets, Time};

use crate::error::LiveError;

/// Integer parameters in the order of `struct law_params`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawParams([u64; 13]);

/// Binary places of windows and shares.
const WINDOW_BITS: i32 = 10;
const SHARE_BITS: i32 = 16;

impl LawParams {
    /// Those of a flow with controller `fast` or `vfast`.
    ///
    /// # Errors
    /// It has an option that the kernel's version has not.
    pub fn of(network: &Network, flow: &Flow) -> Result<Self, LiveError> {
        let known = network.propagation_rtt(flow);
        let made = match &*flow.controller {
            ControllerParams::Fast(params) => Self::of_fast(params, known),
            ControllerParams::Vfast(params) => Self::of_vfast(params, known),
            other => Err(other.name().to_owned()),
        };
        made.map_err(|what| LiveError::Unsupported {
            what: format!("{what} (flow {})", flow.name),
            hint: "leave it out, or run it with --world sim",
        })
    }

    /// Those of FAST; `known` is the round-trip time of `base_rtt = "known"`. The error is the option that there is not.
    pub fn of_fast(params: &FastParams, known: Time) -> Result<Self, String> {
        if let Some(option) = unsupported(params) {
            return Err(option.to_owned());
        }
        let known = if params.base_rtt == BaseRttSource::Known { us(known) } else { 0 };
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
            known,
            0,
            0,
            0,
        ]))
    }

    /// Those of VFAST.
    pub fn of_vfast(params: &VfastParams, known: Time) -> Result<Self, String> {
        use eddyline_cc::{MeanRttSource, Smoothing};
        if params.smoothing != Smoothing::Ack || params.mean_rtt != MeanRttSource::Srtt {
            return Err("vfast with smoothing or mean_rtt other than the defaults".to_owned());
        }
        let mut law = Self::of_fast(&params.law, known)?;
        law.0[10..].copy_from_slice(&[1, share(params.psi_up), share(params.psi_down)]);
        Ok(law)
    }

    /// The same as the kernel reads them.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|n| n.to_ne_bytes()).collect()
    }

    /// The numbers.
    #[must_use]
    pub const fn numbers(&self) -> &[u64; 13] {
        &self.0
    }
}

/// The first option that the kernel's version does not have.
fn unsupported(params: &FastParams) -> Option<&'static str> {
    let options = params.delay_options();
    let given = [
        ("fast with profile ns2-1.1.3", params.profile == FastProfile::Ns2),
        ("fast with a one-way delay", options.delay != eddyline_cc::Delay::RoundTrip),
        ("fast with ack_alpha", options.ack_alpha.is_some()),
        ("fast with base_rtt_age", options.base_rtt_age.is_some()),
        ("fast with drain", options.drain),
        ("fast with rate_correction", options.rate_correction),
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
