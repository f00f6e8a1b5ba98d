//! Framing and half-duplex media in the simulator, against closed forms.

use crate::scenarios;

use eddyline_sim::Options;
use scenarios::{flow_result, link, near, network, outcome, result_of};

fn download(framing: &str) -> String {
    format!(
        "duration = \"20 s\"\nwarmup = \"5 s\"\n\
         [[link]]\nname = \"f\"\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\nqueue = {{ kind = \"droptail\", limit = \"40 packets\" }}\n{framing}\n\
         [[link]]\nname = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n{framing}\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"f\"]\nack = [\"b\"]\n"
    )
}

/// A filled link carries 1,500 bytes in each 33 cells of 53; acknowledgements of 40 bytes take two cells.
#[test]
fn a_download_over_pppoe_on_atm() {
    let text = download("framing = \"pppoe-llcsnap\"");
    let r = result_of(&text);
    let x = flow_result(&r, "x");
    near(x.throughput_bps.unwrap(), 8e6 * 1500.0 / (33.0 * 53.0), 0.001, "bits without framing");
    near(link(&r, "f").utilisation.unwrap(), 1.0, 0.001, "the link is full");
    near(link(&r, "f").goodput_utilisation.unwrap(), 1460.0 / 1749.0, 0.001, "payload");
    let acks = x.packets_per_s.unwrap() * 2.0 * 53.0 * 8.0 / 1e6;
    near(link(&r, "b").ack_utilisation.unwrap(), acks, 0.001, "two cells an acknowledgement");
    // the queue counts packets without framing: 40 x 1,500
    assert_eq!(link(&r, "f").queue_bytes.max, Some(60_000.0));
    let plain = result_of(&download(""));
    near(flow_result(&plain, "x").throughput_bps.unwrap(), 8e6, 0.001, "without framing");
}

/// A framing given in numbers equals the preset of the same numbers, and the general link equals the fast one, series included.
#[test]
fn preset_and_numbers_agree_on_both_kinds_of_link() {
    let named = network(&download("framing = \"pppoe-llcsnap\""));
    let numbers = network(&download("framing = { overhead = \"40 B\", linklayer = \"atm\" }"));
    let run = |n, general_queues| outcome(n, &Options { general_queues, series: true, ..Options::default() });
    let (a, b, c) = (run(&named, false), run(&numbers, false), run(&named, true));
    assert_eq!(a.result.flows, b.result.flows);
    assert_eq!((&a.result.flows, &a.result.links), (&c.result.flows, &c.result.links));
    assert_eq!(a.series, c.series);
}

fn radio(turnaround: &str, directions: &[(&str, &str)]) -> String {
    let mut text = "duration = \"21 s\"\nwarmup = \"1 s\"\n".to_owned();
    for name in ["f", "b"] {
        text += &format!(
            "[[link]]\nname = \"{name}\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
             medium = {{ name = \"radio\", turnaround = \"{turnaround}\" }}\n\
             queue = {{ kind = \"droptail\", limit = \"50 packets\" }}\n"
        );
    }
    for (link, packet) in directions {
        text += &format!(
            "[[traffic]]\nname = \"on {link}\"\npath = [\"{link}\"]\npacket = \"{packet}\"\n\
             model = {{ kind = \"cbr\", rate = \"30 Mbit/s\" }}\n"
        );
    }
    text
}

/// Two saturated directions alternate packet by packet; one alone has the whole medium.
#[test]
fn saturated_directions_alternate() {
    let r = result_of(&radio("100 us", &[("f", "1500 B"), ("b", "500 B")]));
    let cycle = 1.2e-3 + 0.4e-3 + 2.0 * 0.1e-3;
    near(link(&r, "f").utilisation.unwrap(), 1.2e-3 / cycle, 0.001, "f");
    near(link(&r, "b").utilisation.unwrap(), 0.4e-3 / cycle, 0.001, "b");
    let r = result_of(&radio("100 us", &[("b", "500 B")]));
    near(link(&r, "b").utilisation.unwrap(), 1.0, 0.001, "alone");
}

/// A TCP flow whose acknowledgements use the same medium, which is the bottleneck: each packet costs its transmission, its
/// acknowledgement's, and two turnarounds.
#[test]
fn tcp_pays_for_its_acknowledgements() {
    for (turnaround_us, duplex) in [(0.0, true), (200.0, true), (0.0, false)] {
        let mut text = radio(&format!("{turnaround_us} us"), &[])
            + "[[flow]]\nname = \"x\"\ncontroller = { kind = \"newreno\" }\ndata = [\"f\"]\nack = [\"b\"]\n\
               receive_window = \"60 kB\"\n";
        if !duplex {
            text = text.lines().filter(|l| !l.starts_with("medium")).collect::<Vec<_>>().join("\n");
        }
        let r = result_of(&text);
        let cycle = 1.2e-3 + f64::from(u8::from(duplex)) * (32e-6 + 2.0 * turnaround_us * 1e-6);
        near(
            flow_result(&r, "x").throughput_bps.unwrap(),
            12_000.0 / cycle,
            0.002,
            &format!("{turnaround_us} {duplex}"),
        );
    }
}
