//! Dynamic flows: arrivals, transfers, departures.

use crate::scenarios;

use scenarios::{head, link, near, result_of};

fn scenario(duration: f64, rate: f64, size: &str, controller: &str, seed: u64) -> String {
    head(duration, duration / 10.0, seed)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n[[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n"
        + &format!(
            "[[arrivals]]\nname = \"files\"\nrate = \"{rate} /s\"\nsize = {{ {size} }}\ncontroller = {{ {controller} }}\n\
             data = [\"f\"]\nack = [\"b\"]\n"
        )
}

const FIXED: &str = "kind = \"fixed\", size = \"29200 B\"";

/// Twenty segments and a FIN each; a lone transfer takes its handshake, two rounds of slow start and the FIN.
#[test]
fn transfers_complete() {
    let r = result_of(&scenario(2_000.0, 1.0, FIXED, "kind = \"newreno\"", 3));
    let files = &r.arrivals[0];
    let (arrived, completed) = (files.arrived.unwrap(), files.completed.unwrap());
    assert!(arrived.abs_diff(2_000) < 5 * 45, "Poisson: {arrived}, standard deviation 45");
    assert!(arrived - completed <= 2, "{arrived} arrived, {completed} completed");
    assert_eq!(files.delivered_bytes, Some(completed * 29_200));
    assert_eq!(r.counters.data_packets_delivered.unwrap().abs_diff(arrived * 20) / 20, 0);
    assert_eq!((files.retransmits, files.timeouts), (Some(0), Some(0)));
    // 20 segments of 1,500 B at 10 Mbit/s are 24 ms, handshake and FIN one round trip of 2 ms each; at 2.5 % load queueing is small
    let mean = files.completion_s.mean.unwrap();
    assert!((0.028..0.031).contains(&mean), "{mean}");
    assert_eq!(files.by_size.len(), 1);
    assert_eq!(files.by_size[0].from_bytes, 10_000);
    // Little's law: flows present = rate times time
    near(files.mean_present.unwrap(), completed as f64 / 2_000.0 * mean, 0.03, "present");
}

/// Packets that overtake each other are sent again needlessly. Copies that arrive after their transfer has ended count like others.
#[test]
fn data_that_arrives_late_is_counted() {
    let jitter = "jitter = { kind = \"exponential\", mean = \"5 ms\" }\nreorder = true\ndelay";
    let text = scenario(60.0, 1.0, FIXED, "kind = \"newreno\"", 3).replacen("delay", jitter, 1);
    let r = result_of(&text);
    let (files, counters) = (&r.arrivals[0], &r.counters);
    assert_eq!((files.arrived, counters.packets_in_flight), (files.completed, Some(0)));
    let again = files.retransmits.unwrap();
    assert!(again > 20, "{again} sent again");
    assert_eq!(counters.data_packets_delivered, Some(20 * files.completed.unwrap() + again));
}

/// From half of the run on nothing arrives: transfers that began later than that, but for the last moments, are older than those that completed.
#[test]
fn unfinished_transfers_are_counted() {
    let text = scenario(200.0, 1.0, FIXED, "kind = \"newreno\"", 3);
    let outage = "outages = [{ start = \"100 s\", length = \"100 s\" }]\ndelay";
    let (whole, dead) = (result_of(&text), result_of(&text.replacen("delay", outage, 1)));
    assert_eq!(whole.arrivals[0].overdue, Some(0));
    let files = &dead.arrivals[0];
    assert!(files.completion_s.p99.unwrap() < 0.1, "{files:?}");
    let unfinished = files.arrived.unwrap() - files.completed.unwrap();
    assert!(unfinished > 70, "{files:?}");
    // no transfer begins in the last 0.1 s with this seed
    assert_eq!(files.overdue, Some(unfinished));
}

/// At load 0.5 the utilisation is 0.5 for every size distribution.
#[test]
fn the_link_carries_the_offered_load() {
    for size in [
        "kind = \"exponential\", mean = \"100 kB\"",
        "kind = \"pareto\", mean = \"100 kB\", shape = 2.5",
        "kind = \"lognormal\", mean = \"100 kB\", sigma = 1.0",
    ] {
        let r = result_of(&scenario(4_000.0, 6.25, size, "kind = \"fast\", alpha = \"20 packets\"", 5));
        // payload alone is half of the link; 25,000 transfers with a coefficient of variation of up to 1.3: 1 % of error
        near(link(&r, "f").goodput_utilisation.unwrap(), 0.5, 0.04, size);
        let classes = &r.arrivals[0].by_size;
        let times: Vec<f64> = classes.iter().map(|c| c.completion_s.mean.unwrap()).collect();
        assert!(times.is_sorted(), "larger transfers take longer: {times:?}");
        assert!(classes.iter().map(|c| c.completed).sum::<u64>() > 20_000);
    }
}

/// Slots are reused: late packets of departed flows do not reach the flows that now have their slots.
#[test]
fn slots_are_reused_under_loss() {
    let lossy = scenario(3_000.0, 3.0, "kind = \"exponential\", mean = \"20 kB\"", "kind = \"reno\"", 9).replacen(
        "delay = \"1 ms\"",
        "delay = \"1 ms\"\nloss = 0.05",
        1,
    );
    let r = result_of(&lossy);
    let files = &r.arrivals[0];
    assert!(files.arrived.unwrap() - files.completed.unwrap() < 30, "{files:?}");
    assert!(files.retransmits.unwrap() > 1_000);
    let n = r.counters;
    assert_eq!(
        n.packets_sent.unwrap(),
        n.packets_delivered.unwrap() + n.packets_dropped.unwrap() + n.packets_in_flight.unwrap()
    );
}
