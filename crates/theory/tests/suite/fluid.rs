//! The fluid model of FAST: equilibria, conservation, exact solutions, late joiners.

use crate::common;

use common::{between, close, fast_flow, link, log_uniform, network};
use eddyline_path::random::Stream;
use eddyline_path::traffic::{CbrParams, TrafficParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::Traffic;
use eddyline_scenario::series::{FLOW, LINK, Quantity};
use eddyline_theory::LinkModel;
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions, Filter, Gain, Sending};
use eddyline_theory::{Dynamics, TheoryError, dynamics, equilibria, run, run_with_base_rtt};
use eddyline_units::{Rate, Time};

const BOTH: [LinkModel; 2] = [LinkModel::Integrator, LinkModel::AckClocked];

fn exact(link_model: LinkModel) -> DynamicsOptions {
    DynamicsOptions { link_model, base_rtt: BaseRtts::Exact, start_up: false, ..DynamicsOptions::default() }
}

fn follow(network: &Network, options: &DynamicsOptions) -> Dynamics {
    dynamics(network, options).expect("followed to the end")
}

/// One flow over 10 Mbit/s and back over as much; the queue holds 100 packets in equilibrium.
fn single() -> Network {
    let mut n = network(
        vec![link("forward", 10_000_000, 10), link("backward", 10_000_000, 10)],
        vec![fast_flow("flow", 100.0, &[0], &[1])],
    );
    n.duration = Time::from_ms(20_000);
    n
}

/// Largest relative distance of the rates at the end from the nearest equilibrium.
fn distance(network: &Network, d: &Dynamics) -> f64 {
    let found = equilibria(network).expect("solved").found;
    let from =
        |rates: &[f64]| d.flows.iter().zip(rates).map(|(f, x)| (f.packets_per_s / x - 1.0).abs()).fold(0.0, f64::max);
    found.iter().map(|e| from(&e.rates)).fold(f64::INFINITY, f64::min)
}

#[test]
fn one_flow_converges_to_the_equilibrium() {
    for model in BOTH {
        let d = follow(&single(), &exact(model));
        let (f, l) = (&d.flows[0], &d.links[0]);
        close(f.packets_per_s, 1250.0, 1e-9);
        close(f.queueing_delay_s, 0.08, 1e-9);
        close(f.window_packets, 100.0 + 1250.0 * 0.020_832, 1e-9);
        close(l.queueing_delay_s, 0.08, 1e-9);
        assert!(d.from_equilibrium.expect("compared") < 1e-9);
        let packets = d.series.of(LINK, 0, Quantity::QueuePackets);
        assert_eq!(packets.len(), 200);
        close(packets[199].0, 20.0, 1e-12);
        close(packets[199].1, 100.0, 1e-6);
        close(d.series.of(FLOW, 0, Quantity::ThroughputBps)[150].1, 1e7, 1e-6);
        close(d.series.of(FLOW, 0, Quantity::RttS)[190].1, 0.100_832, 1e-6);
        close(d.series.of(FLOW, 0, Quantity::InFlightPackets)[190].1, f.window_packets, 1e-6);
    }
}

/// A queue of data and of acknowledgements, one for each four packets, has as many packets as arrive in its delay.
#[test]
fn queues_count_thinned_acknowledgements() {
    let mut n = network(
        vec![link("there", 10_000_000, 10), link("back", 10_000_000, 10)],
        vec![fast_flow("one", 100.0, &[0], &[1]), fast_flow("other", 50.0, &[1], &[0])],
    );
    n.duration = Time::from_ms(40_000);
    n.flows[1].tcp.ack_every = 4;
    for model in BOTH {
        let d = follow(&n, &exact(model));
        assert!(d.from_equilibrium.expect("compared") < 1e-6);
        let (one, other) = (d.flows[0].packets_per_s, d.flows[1].packets_per_s);
        for (link, arriving) in [(0, one + other / 4.0), (1, other + one)] {
            let queued = d.series.of(LINK, link, Quantity::QueuePackets).last().expect("recorded").1;
            close(queued, d.links[link as usize].queueing_delay_s * arriving, 1e-5);
        }
        assert!(d.links[0].queueing_delay_s > 1e-3);
    }
}

/// An ACK-clocked flow's queue is its window less what the path holds, and nothing else.
#[test]
fn a_constant_window_is_a_constant_queue() {
    let mut n = single();
    n.flows[0].tcp.initial_window = 200;
    n.flows[0].controller = common::fast_with_gamma(100.0, 1e-9);
    n.duration = Time::from_ms(10_000);
    let d = follow(&n, &DynamicsOptions { sending: Sending::Window, ..exact(LinkModel::AckClocked) });
    close(d.links[0].queueing_delay_s, 200.0 / 1250.0 - 0.020_832, 1e-6);
    close(d.flows[0].rtt_s, 200.0 / 1250.0, 1e-6);
}

/// While its link is busy, acknowledgements come back at the link's rate c, so that R(t) = w(t - R) / c, and the window
/// obeys w' = gamma / R (alpha - w (1 - d / R)) alone. Near equilibrium it falls as e^(-y t / R), y = gamma (rho + (1 -
/// rho) e^y), rho = q / R.
#[test]
fn one_flow_converges_at_the_rate_of_its_characteristic_root() {
    let options = DynamicsOptions { tolerance: 1e-10, sending: Sending::Window, ..exact(LinkModel::AckClocked) };
    let d = follow(&single(), &options);
    let w = d.series.of(FLOW, 0, Quantity::CwndPackets);
    let deviation = |at: usize| (w[at].1 - 126.04).abs();
    let rho = 0.08 / 0.100_832;
    let mut y: f64 = 0.5;
    for _ in 0..200 {
        y = 0.5 * (rho + (1.0 - rho) * y.exp());
    }
    let measured = (deviation(9) / deviation(19)).ln() * 0.100_832;
    close(measured, y, 1e-4);
}

#[test]
fn bits_are_conserved() {
    let mut n = network(
        vec![link("forward", 10_000_000, 10), link("backward", 2_000_000, 25), link("side", 5_000_000, 3)],
        vec![
            fast_flow("there", 80.0, &[0, 2], &[1]),
            fast_flow("back", 50.0, &[1], &[0]),
            fast_flow("late", 30.0, &[2], &[1]),
        ],
    );
    n.flows[2].start = Time::from_ms(3_000);
    n.flows[0].stop = Some(Time::from_ms(7_000));
    n.duration = Time::from_ms(10_000);
    for model in BOTH {
        let d = follow(&n, &DynamicsOptions { link_model: model, ..DynamicsOptions::default() });
        for (l, link) in d.links.iter().enumerate() {
            let capacity = n.links[l].rate.as_bps() as f64;
            let kept = link.arrived_bits - link.departed_bits - capacity * link.queueing_delay_s;
            assert!(kept.abs() <= 1e-6 * link.arrived_bits, "{model:?} link {l}: {kept} of {}", link.arrived_bits);
            // departures never exceed capacity, and the sum of the series is the total
            let left = d.series.of(LINK, l as u32, Quantity::DepartureBps);
            assert!(left.iter().all(|(_, bps)| *bps <= capacity * (1.0 + 1e-6)), "{model:?} link {l}");
            let sum: f64 = left.iter().map(|(_, bps)| bps * 0.1).sum();
            close(sum, link.departed_bits, 1e-9);
        }
        if model == LinkModel::AckClocked {
            // all that the first flow sent before it stopped has arrived
            let arrived: f64 = d.series.of(FLOW, 0, Quantity::ThroughputBps).iter().map(|(_, v)| v * 0.1).sum();
            close(arrived, d.flows[0].sent_packets * 8000.0, 1e-6);
        }
        assert_eq!(d.from_equilibrium, None);
    }
}

#[test]
fn a_smaller_tolerance_reduces_the_error() {
    for model in BOTH {
        let mut n = single();
        n.duration = Time::from_ms(700);
        let window = |tolerance| {
            let d = follow(&n, &DynamicsOptions { tolerance, ..exact(model) });
            d.flows[0].window_packets
        };
        let best = window(1e-11);
        let errors: Vec<f64> = [1e-3, 1e-5, 1e-7, 1e-9].iter().map(|t| (window(*t) / best - 1.0).abs()).collect();
        assert!(errors[3] < 1e-7 && errors[2] < 1e-5 && errors[3] < errors[1], "{model:?} {errors:?}");
    }
}

/// One duplex link with flows both ways.
fn random_duplex(random: &mut Stream) -> Network {
    let rate = log_uniform(random, 2e6, 1e9);
    let other = rate * log_uniform(random, 0.05, 20.0);
    let delay = |random: &mut Stream| between(random, 1.0, 50.0) as u64;
    let links = vec![link("f", rate as u64, delay(random)), link("b", other as u64, delay(random))];
    let count = 1 + (random.uniform() * 4.0) as usize;
    let mut flows = Vec::new();
    for i in 0..count {
        let forward = random.uniform() < 0.5;
        let (data, ack) = if forward { (0, 1) } else { (1, 0) };
        let mut flow = fast_flow(&format!("{i}"), log_uniform(random, 20.0, 400.0), &[data], &[ack]);
        flow.packet = between(random, 200.0, 1500.0) as u32;
        flow.access_data = Time::from_ms(between(random, 0.0, 20.0) as u64);
        flow.start = Time::from_ms(between(random, 0.0, 500.0) as u64);
        flows.push(flow);
    }
    let mut n = network(links, flows);
    n.record_interval = Time::from_ms(1000);
    n
}

#[test]
fn a_hundred_duplex_links_settle_at_their_equilibrium() {
    let mut random = Stream::new(1, "fluid", "duplex");
    let mut steps = 0;
    let mut case = 0;
    while case < 100 {
        let mut n = random_duplex(&mut random);
        let settled = run(&n).expect("solved");
        let of = |value: &dyn Fn(usize) -> f64| (0..n.flows.len()).map(value).fold(0.0, f64::max);
        let slowest = of(&|s| settled.flows[s].rtt_s.mean.expect("known"));
        // a window goes gamma of q / R of the way in a round trip
        let trips = of(&|s| {
            let f = &settled.flows[s];
            f.rtt_s.mean.expect("known") / f.queueing_delay_s.expect("known")
        });
        if trips > 30.0 {
            continue;
        }
        case += 1;
        n.duration = Time::from_secs_f64(1.0 + (40.0 + 30.0 * trips) * slowest);
        for model in BOTH {
            let d = follow(&n, &exact(model));
            steps += d.statistics.accepted;
            let distance = distance(&n, &d);
            assert!(distance < 1e-4, "{model:?}, case {case}: {distance:e} after {:?} {:?}", n.duration, d.flows);
        }
    }
    assert!(steps < 500_000, "{steps} steps");
}

#[test]
fn a_late_joiner_keeps_its_base_rtt_error() {
    let mut n = network(
        vec![link("forward", 100_000_000, 10), link("backward", 100_000_000, 10)],
        vec![fast_flow("first", 200.0, &[0], &[1]), fast_flow("second", 200.0, &[0], &[1])],
    );
    n.flows[1].start = Time::from_ms(5_000);
    n.duration = Time::from_ms(30_000);
    for model in BOTH {
        let d = follow(&n, &DynamicsOptions { link_model: model, start_up: false, ..DynamicsOptions::default() });
        let beliefs: Vec<f64> = d.flows.iter().map(|f| f.base_rtt_s).collect();
        let r = run_with_base_rtt(&n, &beliefs).expect("solved");
        for (f, r) in d.flows.iter().zip(&r.flows) {
            close(f.packets_per_s, r.packets_per_s.expect("known"), 1e-4);
        }
        // it found 200 packets waiting: 16 ms
        assert!(beliefs[1] > 0.035 && beliefs[1] < 0.0375, "{beliefs:?}");
        assert!(d.flows[1].packets_per_s > 1.4 * d.flows[0].packets_per_s);
        let given = DynamicsOptions { base_rtt: BaseRtts::Given(beliefs), ..exact(model) };
        close(follow(&n, &given).flows[1].packets_per_s, r.flows[1].packets_per_s.expect("known"), 1e-4);
    }
}

#[test]
fn filters_and_pacing_do_not_change_the_equilibrium() {
    for filter in [Filter::Fast, Filter::Asymmetric { up: 0.75, down: 0.5 }] {
        for (sending, gain) in [(Sending::Window, Gain::Continuous), (Sending::Paced, Gain::Sampled)] {
            let d = follow(&single(), &DynamicsOptions { filter, sending, gain, ..exact(LinkModel::AckClocked) });
            close(d.flows[0].packets_per_s, 1250.0, 1e-6);
        }
    }
}

/// A burst of half a second fills the queue, which empties afterwards. The average lags behind where its weight is small.
#[test]
fn vfast_follows_with_its_own_weights_at_its_own_clock() {
    let lags = |up: f64, down: f64, smoothing: &str| {
        let mut n = single();
        let controller = format!(
            r#"{{ "kind": "vfast", "alpha": "100 packets", "psi_up": {up}, "psi_down": {down}, "smoothing": "{smoothing}" }}"#
        );
        n.flows[0].controller = std::sync::Arc::new(serde_json::from_str(&controller).expect("a controller"));
        n.traffic.push(burst(0, 10_000));
        let options = DynamicsOptions { filter: Filter::Fast, ..exact(LinkModel::Integrator) };
        let d = follow(&n, &options);
        let rtt = d.series.of(FLOW, 0, Quantity::RttS);
        let later = rtt.iter().zip(d.series.of(FLOW, 0, Quantity::SrttS)).filter(|((t, _), _)| *t > 9.5);
        later.fold((0.0f64, 0.0f64), |(above, below), ((_, rtt), (_, srtt))| {
            (above.max(rtt - srtt), below.max(srtt - rtt))
        })
    };
    for smoothing in ["ack", "update"] {
        let (rising, falling) = (lags(0.9, 0.002, smoothing), lags(0.002, 0.9, smoothing));
        assert!(rising.1 > 4.0 * rising.0, "{smoothing}: {rising:?}");
        assert!(falling.0 > 4.0 * falling.1, "{smoothing}: {falling:?}");
    }
    // in a round trip of 100 packets
    assert!(lags(0.3, 0.3, "update").0 > 5.0 * lags(0.3, 0.3, "ack").0);
}

#[test]
fn invalid_options_are_errors() {
    let wrong = |o: DynamicsOptions| dynamics(&single(), &o).expect_err("refused");
    let o = DynamicsOptions::default;
    assert!(matches!(wrong(DynamicsOptions { tolerance: 0.0, ..o() }), TheoryError::OutOfRange { .. }));
    assert!(matches!(wrong(DynamicsOptions { base_rtt: BaseRtts::Given(vec![]), ..o() }), TheoryError::Length { .. }));
    let psi = Filter::Asymmetric { up: 1.0, down: 0.5 };
    assert!(matches!(wrong(DynamicsOptions { filter: psi, ..o() }), TheoryError::OutOfRange { .. }));
    assert!(matches!(wrong(DynamicsOptions { max_steps: 10, ..o() }), TheoryError::Dynamics(_)));
}

/// 9 Mbit/s for half a second.
fn burst(link: u32, start_ms: u64) -> Traffic {
    Traffic {
        name: "burst".to_owned(),
        path: [link].into(),
        host: 0,
        packet: 1000,
        model: TrafficParams::Cbr(CbrParams { rate: Rate::from_bps(9_000_000) }),
        start: Time::from_ms(start_ms),
        stop: Some(Time::from_ms(start_ms + 500)),
        trace: None,
    }
}

/// No propagation anywhere, two queues in a row, a flow that finishes, cross traffic that overloads for a while.
#[test]
fn unusual_networks_are_integrated() {
    let mut n = network(
        vec![link("a", 10_000_000, 0), link("b", 8_000_000, 0), link("back", 50_000_000, 5)],
        vec![fast_flow("long", 50.0, &[0, 1], &[2]), fast_flow("short", 20.0, &[1], &[2])],
    );
    n.flows[1].size = Some(960 * 2_000);
    n.traffic.push(burst(1, 4_000));
    n.duration = Time::from_ms(12_000);
    for model in BOTH {
        let d = follow(&n, &DynamicsOptions { link_model: model, ..DynamicsOptions::default() });
        assert!((d.flows[1].sent_packets - 2_000.0).abs() < 1e-3, "{:?}", d.flows);
        assert!(d.flows[0].open && !d.flows[1].open);
        close(d.flows[0].packets_per_s, 1000.0, 1e-2);
        assert!(d.series.value.iter().all(|v| v.is_finite() && *v >= -1e-9));
        // the burst alone adds 500,000 bits that the link does not carry
        let queue = d.series.of(LINK, 1, Quantity::QueueBytes);
        assert!(queue[44].1 > queue[39].1 + 50_000.0, "{:?}", &queue[38..50]);
    }
}

/// Both directions saturated, where the split of q between them is open.
#[test]
fn balance_of_both_directions() {
    let mut n = network(
        vec![link("forward", 10_000_000, 10), link("backward", 10_000_000, 10)],
        vec![fast_flow("one", 30.0, &[0], &[1]), fast_flow("two", 30.0, &[1], &[0])],
    );
    n.duration = Time::from_ms(20_000);
    for model in BOTH {
        let d = follow(&n, &exact(model));
        for f in &d.flows {
            close(f.queueing_delay_s, 0.02496, 1e-3);
            close(f.packets_per_s, 1201.923, 1e-3);
        }
    }
}

/// One flow whose data fill one link as its acknowledgements fill the other (k_f = 1). The integrator's q' is then
/// twice x / x0 - 1, which with one round trip of delay has no stable equilibrium inside: z = -2 e^(-z) has roots to
/// the right.
#[test]
fn one_flow_fills_both_directions() {
    let mut n = network(
        vec![link("forward", 50_000_000, 10), link("backward", 2_000_000, 10)],
        vec![fast_flow("flow", 100.0, &[0], &[1])],
    );
    n.duration = Time::from_ms(30_000);
    n.record_interval = Time::from_ms(10);
    let swing = |d: &Dynamics| {
        let w = d.series.of(FLOW, 0, Quantity::RttS);
        let late = w.iter().filter(|(t, _)| *t > 25.0).map(|v| v.1);
        late.clone().fold(0.0, f64::max) / late.fold(f64::INFINITY, f64::min) - 1.0
    };
    for model in BOTH {
        let d = follow(&n, &exact(model));
        match model {
            LinkModel::Integrator => assert!(swing(&d) > 1.0, "{}", swing(&d)),
            LinkModel::AckClocked | LinkModel::Joint => assert!(swing(&d) < 1e-6, "{}", swing(&d)),
        }
    }
}

/// Twenty flows over random paths of eight links.
#[test]
fn several_links() {
    let mut random = Stream::new(7, "fluid", "several");
    let mut links: Vec<_> =
        (0..8).map(|l| link(&format!("{l}"), log_uniform(&mut random, 5e6, 5e7) as u64, 5 + l)).collect();
    links[0].delay = Time::ZERO;
    let flows = (0..20)
        .map(|i| {
            let path = common::path(&mut random, 8, 4);
            let mut f = fast_flow(&format!("{i}"), log_uniform(&mut random, 20.0, 100.0), &path[..2], &path[2..]);
            f.start = Time::from_ms(50 * i);
            f
        })
        .collect();
    let mut n = network(links, flows);
    n.duration = Time::from_ms(20_000);
    // the integrator still oscillates here
    let d = follow(&n, &DynamicsOptions { tolerance: 1e-5, ..exact(LinkModel::AckClocked) });
    let distance = distance(&n, &d);
    assert!(distance < 1e-4, "{distance:e} {:?}", d.statistics);
}
