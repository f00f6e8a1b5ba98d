//! The profile `ns2-1.1.3` against ns-2.35 with the FAST module 1.1.3: packets a second over the second half of a run.
//!
//! Four fifths of the round trip on the bottleneck, one fifth on access links of 1 Gbit/s, ACKs of 40 bytes, initial
//! window 2.

mod scenarios;

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
}

const RUNS: &[Run] = &[
    Run {
        name: "example 1",
        rates: (100.0, 1.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 1045.44), ('F', 200, 2079.56)],
    },
    Run {
        name: "example 2, 1,000 B",
        rates: (100.0, 100.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1000,
        flows: &[('F', 300, 7431.56), ('F', 200, 4969.38), ('B', 100, 2476.38)],
    },
    Run {
        name: "example 2, 1,040 B",
        rates: (100.0, 100.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 300, 7144.88), ('F', 200, 4782.76), ('B', 100, 2384.34)],
    },
    Run {
        name: "example 3",
        rates: (100.0, 10.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 3532.1), ('B', 30, 1066.18)],
    },
    Run {
        name: "example 4",
        rates: (100.0, 10.0),
        rtt_ms: 20.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 100, 2879.14), ('B', 30, 867.5), ('F', 200, 5814.9)],
    },
    Run {
        name: "example 5",
        rates: (10.0, 10.0),
        rtt_ms: 2.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 30, 1156.48), ('B', 30, 1156.48)],
    },
    Run {
        name: "asymmetric, 0.1 Mbit/s",
        rates: (100.0, 0.1),
        rtt_ms: 40.0,
        duration_s: 400.0,
        wire: 1040,
        flows: &[('F', 1000, 312.5)],
    },
    Run {
        name: "asymmetric, 1 Mbit/s, 1,000 B",
        rates: (100.0, 1.0),
        rtt_ms: 40.0,
        duration_s: 100.0,
        wire: 1000,
        flows: &[('F', 1000, 3125.0)],
    },
    Run {
        name: "asymmetric, 1 Mbit/s",
        rates: (100.0, 1.0),
        rtt_ms: 40.0,
        duration_s: 100.0,
        wire: 1040,
        flows: &[('F', 1000, 3125.0)],
    },
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
        let access = 0.1 * self.rtt_ms;
        for (i, (direction, alpha, _)) in self.flows.iter().enumerate() {
            let (data, ack) = if *direction == 'F' { ("F", "B") } else { ("B", "F") };
            text += &format!(
                "[[flow]]\nname = \"{i}\"\ndata = [\"{data}\"]\nack = [\"{ack}\"]\npacket = \"{} B\"\nheader = \"{} B\"\n\
                 controller = {{ kind = \"fast\", alpha = \"{alpha} packets\", profile = \"{profile}\" }}\n\
                 access_delay = {{ data = \"{access} ms\", ack = \"{access} ms\" }}\ntcp = {{ initial_window = 2 }}\n",
                self.wire,
                self.wire - 1000,
            );
        }
        result_of(&text).flows.iter().map(|f| f.packets_per_s.unwrap()).collect()
    }
}

/// Within 2 %. In examples 3 and 4 the module settles at any backlog between alpha - 2 and alpha, which allows 5 %
/// in each rate.
#[test]
fn the_modules_rates() {
    for run in RUNS {
        let tolerance = if matches!(run.name, "example 3" | "example 4") { 0.05 } else { 0.02 };
        for ((_, alpha, theirs), ours) in run.flows.iter().zip(run.rates("ns2-1.1.3")) {
            let off = (ours / theirs - 1.0).abs();
            println!("{}: alpha {alpha}: {ours:.1} against {theirs}, {:.2} %", run.name, 100.0 * off);
            assert!(off < tolerance, "{}, alpha {alpha}: {ours} against {theirs}", run.name);
        }
    }
}
