//! DCTCP at step marking against the closed forms of Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, sections 3.3 and 3.4,
//! and Reno at the same queue.

use crate::scenarios;

use eddyline_scenario::series::{FLOW, LINK, Quantity};
use eddyline_sim::{Options, Outcome};
use scenarios::{flow, head, link, near, network, outcome};

/// N flows on a path whose bandwidth-delay product is `pipe` packets of 1500 bytes, with marking threshold K.
#[derive(Debug, Clone, Copy)]
struct Case {
    flows: u32,
    pipe: f64,
    threshold: f64,
}

/// The paper's closed forms for a case.
#[derive(Debug, Clone, Copy)]
struct Theory {
    window: f64,
    alpha: f64,
    amplitude: f64,
    /// Minimum of the queue; negative if the link runs dry.
    bottom: f64,
    utilisation: f64,
}

impl Case {
    const RATE: f64 = 1e9;

    fn rtt_s(&self) -> f64 {
        self.pipe * 12_000.0 / Self::RATE
    }

    /// W* = (C RTT + K) / N; alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2, or one for Reno; A = N (W* + 1) alpha / 2; the queue is at
    /// most K + N. While the link is idle part of the time, a round trip lasts the base RTT; else it lasts the time to send the windows.
    fn theory(&self, halves: bool) -> Theory {
        let (n, pipe) = (f64::from(self.flows), self.pipe);
        let window = (pipe + self.threshold) / n;
        let right = (2.0 * window + 1.0) / (window + 1.0).powi(2);
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 1e-12 {
            let alpha: f64 = (low + high) / 2.0;
            *(if alpha * alpha * (1.0 - alpha / 4.0) < right { &mut low } else { &mut high }) = alpha;
        }
        let alpha = if halves { 1.0 } else { low };
        let top = n * (window + 1.0);
        let amplitude = top * alpha / 2.0;
        let bottom = top - amplitude;
        let dry = (pipe - bottom).max(0.0);
        let full = top * top - (bottom + dry).powi(2);
        let sent = (top * top - bottom * bottom) / 2.0;
        Theory { window, alpha, amplitude, bottom: bottom - pipe, utilisation: sent / (dry * pipe + full / 2.0) }
    }

    /// A cut of n packets takes n round trips to regain. The run lasts `warmup_periods` such periods and twelve more. Flow starts are
    /// staggered, so that the flows are not synchronised from the start.
    fn run(&self, controller: &str, theory: &Theory, warmup_periods: f64) -> (Outcome, f64) {
        let rtt = self.rtt_s();
        let period = rtt * (theory.window + 1.0) * theory.alpha / 2.0;
        let warmup = 100.0 * rtt + warmup_periods * period;
        let half = (rtt * 5e8) as u64;
        let text = head(warmup + 12.0 * period.max(8.0 * rtt), warmup, 1)
            + &format!("record = {{ interval = \"{} ns\" }}\n", half / 4)
            + &format!(
                "[[link]]\nname = \"f\"\nrate = \"1 Gbit/s\"\ndelay = \"{half} ns\"\n\
                 queue = {{ kind = \"step\", threshold = \"{} packets\", limit = \"10000 packets\" }}\n\
                 [[link]]\nname = \"b\"\nrate = \"10 Gbit/s\"\ndelay = \"{half} ns\"\n",
                self.threshold
            )
            + &flow(
                "x",
                controller,
                "f",
                "b",
                &format!("count = {}\nstagger = \"{} ns\"\ntcp = {{ accurate_ecn = true }}", self.flows, half * 3 / 4),
            )
            .replace("1040 B", "1500 B");
        (outcome(&network(&text), &Options { series: true, ..Options::default() }), warmup)
    }

    /// With g at a tenth of the paper's bound, 1.386 / sqrt(2 (C RTT + K) / N), because the theory takes alpha as constant.
    fn dctcp(&self, theory: &Theory) -> (Outcome, f64) {
        let gain = 0.1386 / (2.0 * theory.window).sqrt();
        self.run(&format!("kind = \"dctcp\", gain = {gain}, initial_alpha = {}", theory.alpha), theory, 30.0)
    }
}

/// Lengths of the queue after the warm-up, sorted.
fn queue(run: &(Outcome, f64)) -> Vec<f64> {
    let series = run.0.series.as_ref().unwrap();
    let lengths = series.of(LINK, 0, Quantity::QueuePackets).into_iter().filter(|(t, _)| *t > run.1);
    let mut lengths: Vec<f64> = lengths.map(|(_, q)| q).collect();
    lengths.sort_by(f64::total_cmp);
    lengths
}

const CASES: [Case; 8] = [
    Case { flows: 1, pipe: 83.0, threshold: 40.0 },
    Case { flows: 2, pipe: 83.0, threshold: 40.0 },
    Case { flows: 10, pipe: 83.0, threshold: 40.0 },
    Case { flows: 1, pipe: 500.0, threshold: 30.0 },
    Case { flows: 1, pipe: 500.0, threshold: 100.0 },
    Case { flows: 2, pipe: 500.0, threshold: 100.0 },
    Case { flows: 5, pipe: 500.0, threshold: 100.0 },
    Case { flows: 20, pipe: 500.0, threshold: 100.0 },
];

/// The maximum of the queue is K + N beyond the packet in transmission: the first packet that finds more than K waiting raises it to
/// K + 1, and in the round trip until the sender responds to its mark each flow adds one. The queue falls by A if flows are synchronised.
/// More flows are less synchronised, so it falls by less (as the paper notes of its Figure 12): 12 % less for up to 5, 25 % for 20. A
/// sawtooth is uniform over its range, so its 5th and 95th percentiles span 90 % of it, to a packet.
#[test]
fn queue_matches_the_closed_form() {
    for case in CASES {
        let theory = case.theory(false);
        let run = case.dctcp(&theory);
        let f = link(&run.0.result, "f");
        assert_eq!(f.queue_packets.max, Some(case.threshold + 1.0 + f64::from(case.flows)), "{case:?}");
        near(f.utilisation.unwrap(), 1.0, 1e-3, "utilisation");
        let lengths = queue(&run);
        let at = |share: f64| lengths[((lengths.len() - 1) as f64 * share) as usize];
        let amplitude = (at(0.95) - at(0.05)) / 0.9;
        let share = if case.flows <= 5 { 0.88 } else { 0.75 };
        let allowed = share * theory.amplitude - 1.0..theory.amplitude + 1.0;
        assert!(allowed.contains(&amplitude), "{case:?}: {amplitude}, not within {allowed:?}");
        assert!(lengths[0] >= theory.bottom - 1.0, "{case:?}: {}, not above {}", lengths[0], theory.bottom);
    }
}

/// One flow: the window is at most W* + 1, and each reduction takes alpha / 2 of it. The cut comes at the first mark of a round trip, up
/// to a tenth of a period after alpha was updated: within 8 %.
#[test]
fn window_and_alpha_match_the_closed_form() {
    for case in CASES.into_iter().filter(|c| c.flows == 1) {
        let theory = case.theory(false);
        let run = case.dctcp(&theory);
        let series = run.0.series.as_ref().unwrap();
        let windows = series.of(FLOW, 0, Quantity::CwndPackets).into_iter().filter(|(t, _)| *t > run.1);
        let windows: Vec<f64> = windows.map(|(_, w)| w).collect();
        let top = windows.iter().copied().fold(0.0, f64::max);
        // K excludes the packet in transmission, and a packet is partly delivered when the window is read
        assert!((top - theory.window - 1.0).abs() < 3.5, "{case:?}: {top}");
        let falls: Vec<f64> = windows.windows(2).filter(|w| w[1] < w[0] - 1.0).map(|w| w[0] - w[1]).collect();
        let fall = falls.iter().sum::<f64>() / falls.len() as f64;
        assert!(falls.len() >= 8, "{case:?}: {falls:?}");
        near(2.0 * fall / top, theory.alpha, 0.08, "alpha");
        // the paper's approximation of alpha
        near(theory.alpha, (2.0 / theory.window).sqrt(), 0.03, "sqrt(2 / W*)");
    }
}

/// With g = 1/16 and a long period alpha decays by (15/16)^D before the next cut, so the queue falls by less. The paper's bound on g says
/// from which period on.
#[test]
fn a_large_gain_decays_alpha_between_cuts() {
    let case = Case { flows: 1, pipe: 500.0, threshold: 100.0 };
    let theory = case.theory(false);
    assert!(1.386 / (2.0 * theory.window).sqrt() < 1.0 / 16.0);
    let fall = |run: &(Outcome, f64)| {
        let lengths = queue(run);
        lengths[lengths.len() - 1] - lengths[lengths.len() / 20]
    };
    let (small, large) =
        (fall(&case.dctcp(&theory)), fall(&case.run("kind = \"dctcp\", initial_alpha = 0.06", &theory, 60.0)));
    assert!(large < 0.9 * small, "{large}, {small}");
}

/// Reno halves at the same marks, and the link idles for the time that the sawtooth predicts. For full use with any number of flows
/// DCTCP needs K > C RTT / 7 by the approximate alpha, 0.17 C RTT by the analysis of 2011. By the exact alpha the worst number of flows,
/// N = (C RTT + K) / 8, comes within three packets of an empty queue at 0.17; at a tenth of that the link idles.
#[test]
fn full_utilisation_needs_the_bound_on_the_threshold() {
    for case in [CASES[0], CASES[3], CASES[5]] {
        let theory = case.theory(true);
        let (run, _) = case.run("kind = \"newreno\"", &theory, 3.0);
        assert!(theory.utilisation < 0.97);
        near(link(&run.result, "f").utilisation.unwrap(), theory.utilisation, 0.03, "Reno");
    }
    let pipe: f64 = 350.0;
    let used = |threshold: f64| {
        let case = Case { flows: ((pipe + threshold) / 8.0).round() as u32, pipe, threshold };
        let theory = case.theory(false);
        let used = link(&case.dctcp(&theory).0.result, "f").utilisation.unwrap();
        (used, theory.utilisation, theory.bottom)
    };
    let (enough, predicted, bottom) = used(0.17 * pipe);
    assert!(bottom.abs() < 3.0 && predicted > 0.999 && enough > 0.999, "{enough}, {predicted}, {bottom}");
    let (little, predicted, bottom) = used(0.017 * pipe);
    assert!(bottom < -20.0, "{bottom}");
    assert!(little < 0.999, "{little}, {predicted}");
    near(little, predicted, 0.02, "DCTCP");
}
