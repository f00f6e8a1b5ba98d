//! Bounds that every result keeps, on random scenarios with rates that change: utilisation is between 0 and 1, throughput at most what
//! the last link carries, percentiles in order. `EDDYLINE_CASES` sets the number of scenarios.

use crate::scenarios;

use std::fmt::Write as _;

use eddyline_path::random::Stream;
use eddyline_scenario::result::RunResult;
use scenarios::{flow, flow_result, head, log_uniform, result_of};

/// Half a picosecond, to which transmission times are rounded, of the shortest transmission drawn (40 bytes at 200 Mbit/s).
const ROUNDING: f64 = 0.5e-12 / (320.0 / 200e6);

fn number_of_cases(usual: u64) -> u64 {
    std::env::var("EDDYLINE_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(usual)
}

/// Whether one in `n` draws.
fn one_in(r: &mut Stream, n: u64) -> bool {
    r.below(n) == 0
}

/// A rate in bit/s that is no round number: its transmission times have fractions of a picosecond.
fn rate(r: &mut Stream) -> u64 {
    log_uniform(r, 50e3, 200e6) as u64
}

/// Two to four links in a row each way, most of them full, and windows down to a few packets; `vary` lets rates change.
fn draw(seed: u64, vary: bool) -> String {
    let r = &mut Stream::new(seed, "bounds", "scenario");
    let duration = log_uniform(r, 0.02, 8.0);
    let mut text = format!("duration = \"{duration} s\"\nwarmup = \"{} s\"\nseed = {seed}\n", duration * r.uniform());
    let links = 1 + r.below(2);
    for name in (0..links).flat_map(|i| [format!("f{i}"), format!("b{i}")]) {
        let delay = if one_in(r, 4) { 0.0 } else { log_uniform(r, 10.0, 20e3) };
        let queue = ["droptail\", limit = \"20 packets", "droptail", "codel", "fq_codel"][r.below(4) as usize];
        let _ = write!(
            text,
            "[[link]]\nname = \"{name}\"\nrate = \"{} bit/s\"\ndelay = \"{delay} us\"\nqueue = {{ kind = \"{queue}\" }}\n",
            rate(r)
        );
        if vary && one_in(r, 2) {
            let at = duration * r.uniform();
            let later = at + (duration - at) * (0.01 + 0.9 * r.uniform());
            let _ = writeln!(
                text,
                "changes = [{{ at = \"{at} s\", rate = \"{} bit/s\" }}, {{ at = \"{later} s\", rate = \"{} bit/s\" }}]",
                rate(r),
                rate(r)
            );
        }
        if vary && one_in(r, 4) {
            let _ =
                writeln!(text, "outages = [{{ start = \"{} s\", length = \"{} s\" }}]", duration * 0.4, duration * 0.1);
        }
        if one_in(r, 4) {
            text += "loss = 0.01\n";
        }
        if one_in(r, 4) {
            text += "framing = \"pppoe-llcsnap\"\n";
        }
    }
    let path = |way: char| (0..links).map(|i| format!("\"{way}{i}\"")).collect::<Vec<_>>().join(", ");
    for (name, data, ack) in [("down", 'f', 'b'), ("up", 'b', 'f')] {
        let controller = ["newreno", "cubic", "fast\", alpha = \"20 packets"][r.below(3) as usize];
        let count = 1 + 2 * r.below(2);
        let _ = write!(
            text,
            "[[flow]]\nname = \"{name}\"\ncount = {count}\ncontroller = {{ kind = \"{controller}\" }}\ndata = [{}]\nack = [{}]\n",
            path(data),
            path(ack)
        );
    }
    if one_in(r, 2) {
        let _ = write!(
            text,
            "[[traffic]]\nname = \"x\"\npath = [{}]\nmodel = {{ kind = \"cbr\", rate = \"{} bit/s\" }}\n",
            path('f'),
            rate(r)
        );
    }
    text
}

fn check_utilisation(r: &RunResult, text: &str) {
    for l in &r.links {
        let Some(all) = l.utilisation else { continue };
        let parts = [l.data_utilisation, l.ack_utilisation, l.goodput_utilisation].map(Option::unwrap);
        for u in parts.iter().chain([&all]) {
            assert!((0.0..=1.0 + 1e-12).contains(u), "{}: {u}\n{text}", l.name);
        }
        assert!(parts[0] + parts[1] <= all + 1e-12 && parts[2] <= parts[0] + 1e-12, "{l:?}\n{text}");
    }
}

fn check_percentiles(r: &RunResult, text: &str) {
    let distributions = r.flows.iter().map(|f| f.rtt_s).chain(r.groups.iter().map(|g| g.rtt_s));
    for d in distributions {
        let Some(((min, mean), (p50, p99))) = d.min.zip(d.mean).zip(d.p50.zip(d.p99)) else {
            assert!(d.min.is_none() && d.p50.is_none(), "{d:?}\n{text}");
            continue;
        };
        assert!(min <= p50 && p50 <= p99 && min <= mean, "{d:?}\n{text}");
    }
}

#[test]
fn utilisation_is_at_most_one() {
    let mut full = 0;
    for seed in 0..number_of_cases(150) {
        let text = draw(seed, true);
        let r = result_of(&text);
        check_utilisation(&r, &text);
        check_percentiles(&r, &text);
        full += r.links.iter().filter(|l| l.utilisation.is_some_and(|u| u > 0.999_999)).count();
    }
    // else the bound would not be tried
    assert!(full >= 20, "{full} links were full");
}

/// Data, and cross traffic on the same path, arrive at most as fast as the last link transmits.
#[test]
fn throughput_is_at_most_the_last_links_rate() {
    let mut full = 0;
    for seed in 1_000..1_000 + number_of_cases(150) {
        let text = draw(seed, false);
        let network = scenarios::network(&text);
        let r = result_of(&text);
        check_utilisation(&r, &text);
        for way in ["down", "up"] {
            let flows = network.flows.iter().zip(&r.flows).filter(|(f, _)| f.name.starts_with(way));
            let (specs, results): (Vec<_>, Vec<_>) = flows.unzip();
            let last = &network.links[specs[0].data[specs[0].data.len() - 1] as usize];
            let mut sum: f64 = results.iter().filter_map(|f| f.throughput_bps).sum();
            if way == "down" {
                sum += r.traffic.iter().filter_map(|t| t.throughput_bps).sum::<f64>();
            }
            let rate = last.rate.as_bps() as f64;
            assert!(sum <= rate * (1.0 + ROUNDING), "{way}: {sum} bit/s of {rate}\n{text}");
            full += usize::from(sum > 0.99 * rate);
        }
    }
    assert!(full >= 10, "{full} links were full");
}

/// Above 10,000 flows the flows of a table are counted together, and a table's percentiles are those of all its samples, as they are
/// from the flows' own histograms below.
#[test]
fn percentiles_of_tables_in_large_runs() {
    let text = |second: u32| {
        let flows = |name: &str, count: u32, alpha: u32| {
            format!(
                "[[flow]]\nname = \"{name}\"\ncount = {count}\nstagger = \"1 ms\"\ncontroller = {{ kind = \"fast\", alpha = \"{alpha} packets\" }}\n\
                 data = [\"f\"]\nack = [\"b\"]\n"
            )
        };
        "duration = \"2 s\"\nwarmup = \"1 s\"\n[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n"
            .to_owned()
            + &flows("a", 20, 3)
            // these start after the end
            + &flows("late", second, 3).replace("stagger", "start = \"3 s\"\nstagger")
            + &flows("one", 1, 3)
    };
    let (few, many) = (result_of(&text(10)), result_of(&text(10_000)));
    assert!(few.groups[0].rtt_s.p99.is_some());
    assert_eq!(few.groups[0].rtt_s, many.groups[0].rtt_s);
    assert_eq!(many.groups[1].rtt_s.p99, None);
    let flow = |r: &RunResult, name: &str| r.flows.iter().find(|f| f.name == name).unwrap().rtt_s;
    assert_eq!(flow(&few, "one"), flow(&many, "one"));
    assert!(flow(&few, "a[1]").p99.is_some() && flow(&many, "a[1]").p99.is_none());
}

/// Timeouts of a sender whose acknowledgements are lost send again what has arrived, also after the last byte.
#[test]
fn the_throughput_of_a_transfer_is_at_most_the_rate_of_its_link() {
    let text = |seed| {
        head(60.0, 0.0, seed)
            + "[[link]]\nname = \"f\"\nrate = \"100 kbit/s\"\ndelay = \"5 ms\"\n\
               queue = { kind = \"droptail\", limit = \"100 packets\" }\n\
               [[link]]\nname = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"5 ms\"\nloss = 0.1\n"
            + &flow("x", "kind = \"cubic\"", "f", "b", "size = \"20 kB\"")
    };
    let mut repeated = 0;
    for seed in 1..100 {
        let result = result_of(&text(seed));
        let x = flow_result(&result, "x");
        let rate = x.throughput_bps.unwrap();
        assert!(rate <= 100e3, "seed {seed}: {rate}");
        repeated += x.retransmits.unwrap();
    }
    assert!(repeated > 50, "{repeated}");
}

/// A time mean lies between the extremes also where a value stays for longer than 2^63 ps.
#[test]
fn means_of_values_that_stay_for_months() {
    let text = "duration = \"150 d\"\n\
                link = [{ name = \"d\", rate = \"1 Mbit/s\", delay = \"1 h\" }, { name = \"u\", rate = \"1 Mbit/s\", delay = \"1 h\" }]\n\
                flow = [{ name = \"x\", controller = { kind = \"newreno\" }, data = [\"d\"], ack = [\"u\"], receive_window = \"1460 B\" }]\n";
    let r = result_of(text);
    let window = &flow_result(&r, "x").window_packets;
    let (min, mean, max) = (window.min.expect("known"), window.mean.expect("known"), window.max.expect("known"));
    assert!(min <= mean && mean <= max, "{min}, {mean}, {max}");
}
