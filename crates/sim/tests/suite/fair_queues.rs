//! Fair queues in the simulator: max-min shares under unresponsive overload and under TCP, and hosts before flows.

use crate::scenarios;

use std::fmt::Write as _;

use eddyline_sim::{LogEvent, LogSelection, Options};
use scenarios::{flow, head, near, network, outcome, result_of};

const SIZES: [u32; 10] = [1500, 40, 576, 1000, 300, 1300, 64, 800, 1200, 150];

fn link(rate: &str, queue: &str) -> String {
    format!(
        "duration = \"21 s\"\nwarmup = \"1 s\"\nseed = 4\n\
         [[link]]\nname = \"l\"\nrate = \"{rate}\"\ndelay = \"5 ms\"\nqueue = {{ {queue} }}\n"
    )
}

/// Bytes of each source that were received after the warm-up.
fn received(text: &str, sources: usize) -> Vec<f64> {
    let options = Options { packet_log: Some(LogSelection::All), ..Options::default() };
    let log = outcome(&network(text), &options).log.unwrap();
    let mut bytes = vec![0.0; sources];
    for i in 0..log.time_s.len() {
        if log.event[i] == LogEvent::Receive as u8 && log.time_s[i] > 1.0 {
            bytes[log.source[i] as usize] += f64::from(log.bytes[i]);
        }
    }
    bytes
}

const FAIR: [&str; 5] = [
    "kind = \"drr\", limit = \"1000 packets\"",
    "kind = \"sfq\", limit = \"1000 packets\", quantum = \"1500 B\", queues = 65536",
    "kind = \"per_connection\", each = \"100 packets\"",
    "kind = \"fq_codel\", queues = 65536",
    "kind = \"cake\"",
];

/// Ten sources of different packet sizes into 10 Mbit/s: two ask for less than an even share and get it, the rest share
/// what is left.
#[test]
fn max_min_shares_under_overload() {
    for queue in FAIR {
        let mut text = link("10 Mbit/s", queue);
        let kbps: Vec<u32> = (0..10).map(|i| [2000, 1500, 1800, 500, 2500, 1400, 2000, 250, 3000, 1700][i]).collect();
        for (i, (size, kbps)) in SIZES.iter().zip(&kbps).enumerate() {
            let _ = writeln!(
                text,
                "[[traffic]]\nname = \"t{i}\"\npath = [\"l\"]\npacket = \"{size} B\"\nstart = \"{} us\"\n\
                 model = {{ kind = \"cbr\", rate = \"{kbps} kbit/s\" }}",
                37 * i
            );
        }
        let bytes = received(&text, 10);
        let even = (10e6 - 750e3) / 8.0;
        for (i, kbps) in kbps.iter().enumerate() {
            let share = f64::from(*kbps).min(even / 1e3) * 1e3 / 8.0 * 20.0;
            near(bytes[i], share, 0.01, &format!("{queue}: source {i} of {} B", SIZES[i]));
        }
    }
}

/// The same ten as TCP flows that keep their queues filled: a tenth each, whatever the packet and the round trip.
#[test]
fn even_shares_under_tcp() {
    for queue in &FAIR[..3] {
        let mut text = link("20 Mbit/s", queue) + "[[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n";
        for (i, size) in SIZES.iter().enumerate() {
            let size = (*size).max(100);
            let _ = writeln!(
                text,
                "[[flow]]\nname = \"f{i}\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"l\"]\nack = [\"b\"]\n\
                 packet = \"{size} B\"\nreceive_window = \"{} B\"\naccess_delay = {{ data = \"{i} ms\" }}",
                // above a flow's share of the pipe, 2 Mbit/s x 20 ms, and below its buffer
                60 * (size - 40)
            );
        }
        let result = result_of(&text);
        for f in &result.flows {
            near(f.throughput_bps.unwrap(), 2e6, 0.01, &format!("{queue}: {}", f.name));
        }
    }
}

/// A host with one flow and a host with four, in one table with a count: half each, where the queue knows hosts.
#[test]
fn hosts_before_flows() {
    for (isolation, first) in [("hosts", 0.5), ("flows", 0.2)] {
        let mut text = link("10 Mbit/s", &format!("kind = \"cake\", isolation = \"{isolation}\""));
        for (i, size) in SIZES.iter().enumerate().take(5) {
            let host = if i == 0 { "tower" } else { "laptop" };
            let _ = writeln!(
                text,
                "[[traffic]]\nname = \"t{i}\"\nhost = \"{host}\"\npath = [\"l\"]\npacket = \"{size} B\"\n\
                 model = {{ kind = \"cbr\", rate = \"6 Mbit/s\" }}\nstart = \"{} us\"",
                41 * i
            );
        }
        let bytes = received(&text, 5);
        let all: f64 = bytes.iter().sum();
        near(all, 25e6, 0.001, isolation);
        near(bytes[0] / all, first, 0.01, isolation);
        for b in &bytes[1..] {
            near(b / all, (1.0 - first) / 4.0, 0.01, isolation);
        }
    }
}

/// TCP through it: a table of four flows is one host, and so is a table of arrivals that names it.
#[test]
fn a_table_is_a_host_by_default() {
    let text = link("10 Mbit/s", "kind = \"cake\", bandwidth = \"9 Mbit/s\"")
        + "[[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n\
           [[flow]]\nname = \"one\"\ncontroller = { kind = \"newreno\" }\ndata = [\"l\"]\nack = [\"b\"]\n\
           [[flow]]\nname = \"four\"\ncontroller = { kind = \"newreno\" }\ndata = [\"l\"]\nack = [\"b\"]\ncount = 4\n\
           [[arrivals]]\nname = \"more\"\nhost = \"four\"\nrate = \"2 /s\"\nsize = { kind = \"fixed\", size = \"100 kB\" }\n\
           controller = { kind = \"newreno\" }\ndata = [\"l\"]\nack = [\"b\"]\n";
    let result = result_of(&text);
    let one = result.flows[0].throughput_bps.unwrap();
    // a lone flow under COBALT does not fill its half all of the time; four that were equals would leave it a fifth
    assert!(one > 3.6e6 && one < 4.8e6, "{one}");
}

/// The default limit follows the link's rate (four times CAKE's `rtt` at it), so a lone flow's slow start fits.
#[test]
fn a_fast_link_of_cake_is_used_by_one_flow() {
    let text = head(4.0, 2.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"950 Mbit/s\"\ndelay = \"12 ms\"\nqueue = { kind = \"cake\" }\n\
           [[link]]\nname = \"b\"\nrate = \"950 Mbit/s\"\ndelay = \"12 ms\"\n"
        + &flow("x", "kind = \"cubic\"", "f", "b", "").replace("1040 B", "1500 B");
    let result = result_of(&text);
    assert!(result.links[0].utilisation.unwrap() > 0.9);
}
