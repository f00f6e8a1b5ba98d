//! Response functions, and flows at given loss that share links with FAST.

use crate::common;

use std::sync::Arc;

use common::{all_close, close, fast_flow, flow, link, network, problem};
use eddyline_cc::{ControllerParams, NewRenoParams};
use eddyline_path::loss::{LossParams, LossPattern};
use eddyline_path::queue::{CodelParams, DropTailParams, Limit, QueueParams};
use eddyline_scenario::network::Transport;
use eddyline_theory::equilibrium::{EVERY_CORNER, vegas};
use eddyline_theory::response::{
    Losses, cubic_window, highspeed_window, path_loss, rate, reno_window, scalable_window,
};
use eddyline_theory::{TheoryError, equilibria, equilibria_document, run};

#[test]
fn windows_of_the_tables() {
    // Mathis et al., table 1
    close(reno_window(0.01, 1.0, Losses::Random).expect("a share"), 13.1, 1e-12);
    close(reno_window(0.01, 2.0, Losses::Random).expect("a share"), 9.3, 5e-3);
    close(reno_window(0.01, 1.0, Losses::Periodic).expect("a share"), 12.2, 5e-3);
    close(reno_window(0.01, 2.0, Losses::Periodic).expect("a share"), 8.7, 5e-3);
    // RFC 9438, section 5.2, round-trip time 0.1 s: 1,054 packets at 1e-5; Reno's 12 at 1e-2
    close(cubic_window(1e-5, 0.1).expect("a share"), 1054.0, 1e-3);
    close(cubic_window(1e-2, 0.1).expect("a share"), 12.25, 1e-2);
    // RFC 3649, section 3: both ends of the response function, and its approximation 0.12 / p^0.835
    close(highspeed_window(1e-7).expect("a share"), 83_000.0, 1e-12);
    close(highspeed_window(1e-3).expect("a share"), 38.0, 1e-12);
    close(highspeed_window(1e-5).expect("a share"), 1795.0, 2e-2);
    close(highspeed_window(1e-2).expect("a share"), 12.0, 1e-12);
    close(scalable_window(1e-4).expect("a share"), 800.0, 1e-12);
    assert!(scalable_window(0.02).expect("a share") <= 16.0);
    close(rate(10.0, 0.1).expect("a time"), 100.0, 1e-12);
    close(path_loss([0.1, 0.1]), 0.19, 1e-12);
    assert_eq!(path_loss([]), 0.0);
    for p in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(matches!(reno_window(p, 1.0, Losses::Random), Err(TheoryError::OutOfRange { .. })));
        assert!(matches!(cubic_window(p, 0.1), Err(TheoryError::OutOfRange { .. })));
        assert!(matches!(highspeed_window(p), Err(TheoryError::OutOfRange { .. })));
        assert!(matches!(scalable_window(p), Err(TheoryError::OutOfRange { .. })));
    }
    assert!(matches!(reno_window(0.1, 0.5, Losses::Random), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(rate(1.0, 0.0), Err(TheoryError::OutOfRange { .. })));
}

#[test]
fn windows_shrink_with_loss() {
    let mut last = [f64::INFINITY; 4];
    for i in 0..200 {
        let p = libm::pow(10.0, -8.0 + 0.04 * f64::from(i));
        let now = [
            reno_window(p, 1.0, Losses::Random).expect("a share"),
            cubic_window(p, 0.05).expect("a share"),
            scalable_window(p).expect("a share"),
            highspeed_window(p).expect("a share"),
        ];
        for (now, last) in now.iter().zip(&last) {
            assert!(now <= last, "{now} after {last} at {p}");
        }
        last = now;
    }
}

fn reno_beside_fast(loss: LossParams, fast: bool) -> eddyline_scenario::Network {
    let mut lossy = link("lossy", 100_000_000, 10);
    lossy.loss = loss;
    let mut reno = fast_flow("reno", 1.0, &[0, 1], &[2]);
    reno.controller = Arc::new(ControllerParams::NewReno(NewRenoParams::default()));
    let mut flows = vec![reno];
    if fast {
        flows.push(fast_flow("fast", 50.0, &[1], &[2]));
    }
    network(vec![lossy, link("shared", 10_000_000, 10), link("back", 100_000_000, 20)], flows)
}

#[test]
fn reno_alone_at_given_loss() {
    let net = reno_beside_fast(LossParams::Independent(0.01), false);
    let r = run(&net).expect("solved");
    let rtt = 0.04 + 8e3 / 1e8 + 8e3 / 1e7 + 320.0 / 1e8;
    let x = 13.1 / rtt;
    // what arrives, without what the link loses
    close(r.flows[0].packets_per_s.expect("known"), 0.99 * x, 1e-12);
    close(r.flows[0].throughput_bps.expect("known"), 0.99 * x * 8e3, 1e-12);
    close(r.flows[0].window_packets.mean.expect("known"), 13.1, 1e-12);
    close(r.flows[0].goodput_bps.expect("known"), 0.99 * x * 960.0 * 8.0, 1e-9);
    // the lossy link carries what is sent, those behind it what it has not lost
    close(r.links[0].utilisation.expect("known"), x * 8e3 / 1e8, 1e-12);
    close(r.links[1].utilisation.expect("known"), 0.99 * x * 8e3 / 1e7, 1e-12);
    close(r.links[2].utilisation.expect("known"), 0.99 * x * 320.0 / 1e8, 1e-12);
    assert_eq!(r.links[1].bottleneck, Some(false));
    assert!(r.approximations.iter().any(|n| n.contains("by response function")), "{:?}", r.approximations);
    let document = equilibria_document(&net).expect("solved");
    assert_eq!(document.equilibria[0].flows[0].path_loss, Some(0.01));

    let every = run(&reno_beside_fast(LossParams::Pattern(LossPattern::Periodic { every: 100 }), false));
    let window = every.expect("solved").flows[0].window_packets.mean.expect("known");
    close(window, 150f64.sqrt(), 1e-12);
}

/// One in four acknowledged: windows that grow by acknowledgements are half as large, those that grow by bytes (RFC 3465, 2.1) the same.
#[test]
fn acknowledgements_of_several_packets_matter_where_they_are_counted() {
    let window = |byte_counting| {
        let mut net = reno_beside_fast(LossParams::Independent(0.01), false);
        (net.flows[0].tcp.ack_every, net.flows[0].tcp.byte_counting) = (4, byte_counting);
        run(&net).expect("solved").flows[0].window_packets.mean.expect("known")
    };
    close(window(None), 6.55, 1e-12);
    close(window(Some(2)), 13.1, 1e-12);
    let mut quic = reno_beside_fast(LossParams::Independent(0.01), false);
    (quic.flows[0].tcp.ack_every, quic.flows[0].transport) = (4, Some(Transport::Quic));
    close(run(&quic).expect("solved").flows[0].window_packets.mean.expect("known"), 13.1, 1e-12);
}

#[test]
fn reno_at_given_loss_beside_fast() {
    let net = reno_beside_fast(LossParams::Independent(0.01), true);
    let r = run(&net).expect("solved");
    let (reno, fast) = (r.flows[0].packets_per_s.expect("known"), r.flows[1].packets_per_s.expect("known"));
    let q = r.flows[1].queueing_delay_s.expect("known");
    // the shared link is full, FAST has its alpha there, Reno its window over the round-trip time with FAST's queue
    let sent = reno / 0.99;
    close((reno + fast) * 8e3, 1e7, 1e-9);
    close(r.links[1].utilisation.expect("known"), 1.0, 1e-9);
    close(fast * q, 50.0, 1e-9);
    let rtt = 0.04 + 8e3 / 1e8 + 8e3 / 1e7 + 320.0 / 1e8;
    close(sent * (rtt + q), 13.1, 1e-9);
    assert_eq!(r.links[1].bottleneck, Some(true));
    // `equilibria` solves for FAST flows only
    assert_eq!(equilibria(&net).expect("solved").found[0].rates.len(), 1);
}

/// FAST's window gives way in a link that Reno would fill alone at its given loss, 25 Mbit/s over an empty network of 10.
#[test]
fn reno_that_would_fill_a_link_alone_shares_it_with_fast() {
    let r = run(&reno_beside_fast(LossParams::Independent(1e-4), true)).expect("solved");
    let (reno, fast) = (r.flows[0].packets_per_s.expect("known"), r.flows[1].packets_per_s.expect("known"));
    let q = r.flows[1].queueing_delay_s.expect("known");
    close((reno + fast) * 8e3, 1e7, 1e-9);
    close(fast * q, 50.0, 1e-9);
    let rtt = 0.04 + 8e3 / 1e8 + 8e3 / 1e7 + 320.0 / 1e8;
    close(reno / (1.0 - 1e-4) * (rtt + q), 131.0, 1e-9);
    assert_eq!(r.links[1].bottleneck, Some(true));

    // an AQM has losses of its own, and peaks of a third above the mean need their place
    let queued = r.links[1].queue_packets.mean.expect("known");
    let notes = |queue: QueueParams| {
        let mut net = reno_beside_fast(LossParams::Independent(1e-4), true);
        net.links[1].queue = queue;
        let r = run(&net).expect("answered");
        (r.flows[0].packets_per_s.is_some(), r.approximations.join("\n"))
    };
    let limit = |packets: f64| QueueParams::DropTail(DropTailParams { limit: Limit::Packets(packets as u64) });
    let (known, said) = notes(limit(queued + 131.0 / 3.0 + 1.0));
    assert!(known && !said.contains("would overflow"), "{said}");
    let (known, said) = notes(limit(queued + 131.0 / 3.0 - 1.0));
    assert!(known && said.contains("while windows at given loss are above their mean"), "{said}");
    let (known, said) = notes(QueueParams::Codel(CodelParams::default()));
    assert!(!known && said.contains("the queue's own losses"), "{said}");
}

/// Utilisations of the links of one flow, as multiples of what its packets and acknowledgements would take of each if none
/// were lost.
fn carried(data: [f64; 2], back: [f64; 2], damaged: f64) -> [f64; 4] {
    let links = [("a", data[0]), ("b", data[1]), ("c", back[0]), ("d", back[1])].map(|(name, p)| {
        let mut link = link(name, 100_000_000, 10);
        link.loss = LossParams::Independent(p);
        link
    });
    let mut reno = fast_flow("reno", 1.0, &[0, 1], &[2, 3]);
    reno.controller = Arc::new(ControllerParams::NewReno(NewRenoParams::default()));
    let mut net = network(links.to_vec(), vec![reno]);
    net.links[0].corrupt = damaged;
    let r = run(&net).expect("solved");
    let arriving = (1.0 - data[0]) * (1.0 - data[1]) * (1.0 - damaged);
    let flow = &r.flows[0];
    let sent = flow.packets_per_s.expect("known") / arriving;
    close(sent * flow.rtt_s.mean.expect("known"), flow.window_packets.mean.expect("known"), 1e-12);
    let noted = r.approximations.iter().any(|n| n.contains("as if all arrived"));
    assert_eq!(noted, back != [0.0, 0.0], "{:?}", r.approximations);
    let full = [8e3, 8e3, 320.0, 320.0];
    std::array::from_fn(|l| r.links[l].utilisation.expect("known") * 1e8 / full[l] / sent)
}

#[test]
fn links_carry_what_those_before_them_have_not_lost() {
    let rows = [
        ([0.05, 0.0], [0.0, 0.0], 0.0, [1.0, 0.95, 0.95, 0.95]),
        ([0.0, 0.05], [0.0, 0.0], 0.0, [1.0, 1.0, 0.95, 0.95]),
        ([0.05, 0.1], [0.2, 0.0], 0.0, [1.0, 0.95, 0.855, 0.684]),
        ([0.05, 0.0], [0.0, 0.2], 0.0, [1.0, 0.95, 0.95, 0.95]),
        // a damaged packet is dropped where its path ends
        ([0.0, 0.0], [0.0, 0.0], 0.05, [1.0, 1.0, 0.95, 0.95]),
    ];
    for (data, back, damaged, wanted) in rows {
        all_close(&carried(data, back, damaged), &wanted, 1e-12);
    }
}

#[test]
fn without_enough_loss_there_is_no_model() {
    let mut net = reno_beside_fast(LossParams::Independent(1e-4), true);
    // acknowledgements of FAST alone do not give way
    (net.flows[1].data, net.flows[1].ack) = ([2].into(), [1].into());
    let r = run(&net).expect("solved");
    assert_eq!(r.flows[0].packets_per_s, None);
    assert_eq!(r.links[1].utilisation, None);
    // so the rates of flows in its queue are unknown too
    assert_eq!(r.flows[1].packets_per_s, None);
    assert!(r.approximations.iter().any(|n| n.contains("the queue's own losses")), "{:?}", r.approximations);
}

#[test]
fn no_loss_no_model() {
    let r = run(&reno_beside_fast(LossParams::default(), true)).expect("solved");
    assert_eq!(r.flows[0].packets_per_s, None);
    assert!(r.approximations.iter().any(|n| n.contains("no model of newreno")));
}

#[test]
fn vegas_is_stationary_anywhere_between_its_thresholds() {
    let two = vec![flow(2.0, 8000.0, 320.0, &[0], &[1]), flow(2.0, 8000.0, 320.0, &[0], &[1])];
    let band = vegas(&problem(&[8e6, 8e7], two), &[4.0, 4.0]).expect("solved");
    assert!(band.exact);
    // 1,000 packets a second, shared 2 to 4 at worst
    for [low, high] in &band.rates {
        close(*low, 1000.0 / 3.0, 1e-9);
        close(*high, 2000.0 / 3.0, 1e-9);
    }
    close(band.at_alpha.found[0].delays[0], 0.004, 1e-9);
    close(band.at_beta.found[0].delays[0], 0.008, 1e-9);
    let one = vec![flow(2.0, 8000.0, 320.0, &[0], &[1])];
    assert!(matches!(vegas(&problem(&[8e6, 8e7], one.clone()), &[1.0]), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(vegas(&problem(&[8e6, 8e7], one), &[]), Err(TheoryError::Length { .. })));
}

#[test]
fn a_band_of_vegas_counts_the_corners_of_all_flows() {
    // Two full links, a flow over both and n on each, acknowledgements elsewhere: proportional fairness gives the long one
    // C k / (k + the backlogs of all others), and those of each link share the rest by their backlogs.
    let line = |n: usize| {
        let mut flows = vec![flow(2.0, 8000.0, 320.0, &[0, 1], &[2])];
        for link in [0, 1] {
            flows.extend((0..n).map(|_| flow(2.0, 8000.0, 320.0, &[link], &[2])));
        }
        vegas(&problem(&[8e6, 8e6, 8e9], flows), &vec![4.0; 2 * n + 1]).expect("solved")
    };
    let few = line(1);
    assert!(!few.exact);
    close(few.rates[0][0], 1000.0 * 2.0 / 10.0, 1e-7);
    close(few.rates[0][1], 1000.0 * 4.0 / 8.0, 1e-7);
    // what the long one leaves, where it has its least and its most
    for [low, high] in &few.rates[1..] {
        close(*low, 500.0, 1e-7);
        close(*high, 800.0, 1e-7);
    }
    // beyond EVERY_CORNER: all at one threshold, or all but one
    let many = line(4);
    assert!(many.rates.len() > EVERY_CORNER);
    close(many.rates[0][0], 1000.0 * 2.0 / 34.0, 1e-7);
    close(many.rates[0][1], 1000.0 * 4.0 / 20.0, 1e-7);
    for [low, high] in &many.rates[1..] {
        close(*low, 1000.0 * (1.0 - 4.0 / 34.0) * 2.0 / 14.0, 1e-7);
        close(*high, 1000.0 * (1.0 - 2.0 / 20.0) * 4.0 / 10.0, 1e-7);
    }
}

/// A burst of losses is one congestion event, for which no response function holds: said as that, not as a controller without a model.
#[test]
fn losses_in_bursts_are_named() {
    let pattern = LossPattern::GilbertElliott { p: 0.001, r: 0.3, good: 0.0, bad: 1.0 };
    let net = reno_beside_fast(LossParams::Pattern(pattern), true);
    let r = run(&net).expect("solved");
    assert_eq!(r.flows[0].packets_per_s, None);
    let said =
        "flow reno: losses in bursts have no response function (independent ones have: loss = 3.32e-3 is as many";
    assert!(r.approximations.iter().any(|n| n.starts_with(said)), "{:?}", r.approximations);
    assert!(!r.approximations.iter().any(|n| n.contains("no model of newreno")), "{:?}", r.approximations);
    let mut alone = net;
    alone.flows.truncate(1);
    let refused = equilibria_document(&alone).expect_err("nothing is known");
    assert!(matches!(refused, TheoryError::Bursts { mean, .. } if (mean - 0.001 / 0.301).abs() < 1e-12), "{refused}");
}
