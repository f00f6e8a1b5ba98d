//! The profile `ns2-1.1.3` against ns-2.35 with the FAST module 1.1.3: packets a second over the second half of a run.
//!
//! Four fifths of the round trip on the bottleneck, one fifth on access links of 1 Gbit/s, ACKs of 40 bytes, initial
//! window 2. Late starts: the same networks where one flow starts 0.17 to 1 s after the others and so takes their queues for propagation
//! delay; over the second half of 40 s.

use crate::scenarios;

use scenarios::{head, result_of};

struct Run {
    name: &'static str,
    /// Forward and backward rate in Mbit/s.
    rates: (f64, f64),
    rtt_ms: f64,
    duration_s: f64,
    /// Bytes of a data packet on the wire.
    wire: u32,
    /// `F` or `B`, alpha, ns-2's packets a second.
    flows: &'static [(char, u32, f64)],
    /// Which flow starts late, and when in seconds.
    late: Option<(usize, f64)>,
}

const RUNS: &[Run] = &[
    Run {
        name: "example 1",
        rates: (100.0, 1.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 1045.44), ('F', 200, 2079.56)],
        late: None,
    },
    Run {
        name: "example 2, 1,000 B",
        rates: (100.0, 100.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1000,
        flows: &[('F', 300, 7431.56), ('F', 200, 4969.38), ('B', 100, 2476.38)],
        late: None,
    },
    Run {
        name: "example 2, 1,040 B",
        rates: (100.0, 100.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 300, 7144.88), ('F', 200, 4782.76), ('B', 100, 2384.34)],
        late: None,
    },
    Run {
        name: "example 3",
        rates: (100.0, 10.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 3532.1), ('B', 30, 1066.18)],
        late: None,
    },
    Run {
        name: "example 4",
        rates: (100.0, 10.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 2879.14), ('B', 30, 867.5), ('F', 200, 5814.9)],
        late: None,
    },
    Run {
        name: "example 5",
        rates: (10.0, 10.0),
        rtt_ms: 2.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 30, 1156.48), ('B', 30, 1156.48)],
        late: None,
    },
    Run {
        name: "asymmetric, 0.1 Mbit/s",
        rates: (100.0, 0.1),
        rtt_ms: 40.0,
        duration_s: 400.0,
        wire: 1040,
        flows: &[('F', 1000, 312.5)],
        late: None,
    },
    Run {
        name: "asymmetric, 1 Mbit/s, 1,000 B",
        rates: (100.0, 1.0),
        rtt_ms: 40.0,
        duration_s: 100.0,
        wire: 1000,
        flows: &[('F', 1000, 3125.0)],
        late: None,
    },
    Run {
        name: "asymmetric, 1 Mbit/s",
        rates: (100.0, 1.0),
        rtt_ms: 40.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 1000, 3125.0)],
        late: None,
    },
];

/// One of the examples of the two-way paper with a late flow.
const fn late(
    name: &'static str,
    rates: (f64, f64),
    rtt_ms: f64,
    late: (usize, f64),
    flows: &'static [(char, u32, f64)],
) -> Run {
    Run { name, rates, rtt_ms, duration_s: 40.0, wire: 1040, flows, late: Some(late) }
}

const LATE: &[Run] = &[
    late("example 1, flow 1", (100.0, 1.0), 20.0, (0, 0.2), &[('F', 100, 1428.5), ('F', 200, 1696.5)]),
    late(
        "example 2, flow 1",
        (100.0, 100.0),
        20.0,
        (0, 1.0),
        &[('F', 300, 8141.15), ('F', 200, 3804.9), ('B', 100, 1899.45)],
    ),
    late(
        "example 2, flow 3",
        (100.0, 100.0),
        20.0,
        (2, 0.18),
        &[('F', 300, 7085.2), ('F', 200, 4733.4), ('B', 100, 5200.2)],
    ),
    late("example 3, flow 1", (100.0, 10.0), 20.0, (0, 0.2), &[('F', 100, 10020.95), ('B', 30, 818.55)]),
    late("example 3, flow 2", (100.0, 10.0), 20.0, (1, 0.17), &[('F', 100, 3620.85), ('B', 30, 1062.95)]),
    late(
        "example 4, flow 1",
        (100.0, 10.0),
        20.0,
        (0, 0.19),
        &[('F', 100, 7106.4), ('B', 30, 723.8), ('F', 200, 4885.65)],
    ),
    late(
        "example 4, flow 2",
        (100.0, 10.0),
        20.0,
        (1, 0.17),
        &[('F', 100, 2283.15), ('B', 30, 937.5), ('F', 200, 4612.35)],
    ),
    late(
        "example 4, flow 3",
        (100.0, 10.0),
        20.0,
        (2, 0.2),
        &[('F', 100, 1966.8), ('B', 30, 578.1), ('F', 200, 10039.6)],
    ),
    late("example 5, flow 1", (10.0, 10.0), 2.0, (0, 0.17), &[('F', 30, 1179.0), ('B', 30, 598.3)]),
    late("example 5, flow 2", (10.0, 10.0), 2.0, (1, 1.0), &[('F', 30, 629.3), ('B', 30, 1177.4)]),
];

impl Run {
    fn rates(&self, profile: &str) -> Vec<f64> {
        let mut text = head(self.duration_s, self.duration_s / 2.0, 1);
        for (name, rate) in [("F", self.rates.0), ("B", self.rates.1)] {
            text += &format!(
                "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\n",
                0.4 * self.rtt_ms
            );
        }
        for (i, (direction, alpha, _)) in self.flows.iter().enumerate() {
            let (data, ack) = if *direction == 'F' { ("F", "B") } else { ("B", "F") };
            let start = self.late.map_or(0.0, |(flow, at)| if flow == i { at } else { 0.0 });
            for access in ["a", "b", "c", "d"] {
                text += &format!(
                    "[[link]]\nname = \"{access}{i}\"\nrate = \"1 Gbit/s\"\ndelay = \"{} ms\"\n",
                    0.05 * self.rtt_ms
                );
            }
            text += &format!(
                "[[flow]]\nname = \"{i}\"\ndata = [\"a{i}\", \"{data}\", \"b{i}\"]\nack = [\"c{i}\", \"{ack}\", \"d{i}\"]\n\
                 packet = \"{} B\"\nheader = \"{} B\"\nstart = \"{start} s\"\n\
                 controller = {{ kind = \"fast\", alpha = \"{alpha} packets\", profile = \"{profile}\" }}\n\
                 tcp = {{ initial_window = 2 }}\n",
                self.wire,
                self.wire - 1000,
            );
        }
        result_of(&text).flows.iter().map(|f| f.packets_per_s.unwrap()).collect()
    }
}

/// Within 1 %.
#[test]
fn the_modules_rates() {
    compare(RUNS);
}

/// Within 1 %: where each flow's base round-trip time ends depends on every acknowledgement of its first round trips.
#[test]
fn the_modules_rates_after_late_starts() {
    compare(LATE);
}

fn compare(runs: &[Run]) {
    for run in runs {
        for ((_, alpha, theirs), ours) in run.flows.iter().zip(run.rates("ns2-1.1.3")) {
            let off = (ours / theirs - 1.0).abs();
            println!("{}: alpha {alpha}: {ours:.1} against {theirs}, {:.2} %", run.name, 100.0 * off);
            assert!(off < 0.01, "{}, alpha {alpha}: {ours} against {theirs}", run.name);
        }
    }
}
