//! Framing and half-duplex media in the simulator, in closed form.

mod scenarios;

use eddyline_sim::Options;
use scenarios::{answer, link, near, network, of, outcome};

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
    let r = answer(&text);
    let x = of(&r, "x");
    near(x.throughput_bps.unwrap(), 8e6 * 1500.0 / (33.0 * 53.0), 0.001, "packets' own bits");
    near(link(&r, "f").utilisation.unwrap(), 1.0, 0.001, "the line is full");
    near(link(&r, "f").goodput_utilisation.unwrap(), 1460.0 / 1749.0, 0.001, "payload");
    let acks = x.packets_per_s.unwrap() * 2.0 * 53.0 * 8.0 / 1e6;
    near(link(&r, "b").ack_utilisation.unwrap(), acks, 0.001, "two cells an acknowledgement");
    // the queue is counted in packets' own bytes: 40 x 1,500
    assert_eq!(link(&r, "f").queue_bytes.max, Some(60_000.0));
    let plain = answer(&download(""));
    near(of(&plain, "x").throughput_bps.unwrap(), 8e6, 0.001, "without framing");
}

/// Numbers of one's own mean the same as the name for them, and both kinds of link agree, series and all.
#[test]
fn both_kinds_of_link_agree() {
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

/// Two saturated directions send a packet each in turn; one alone has it all.
#[test]
fn saturated_directions_share_by_the_rule() {
    let r = answer(&radio("100 us", &[("f", "1500 B"), ("b", "500 B")]));
    let cycle = 1.2e-3 + 0.4e-3 + 2.0 * 0.1e-3;
    near(link(&r, "f").utilisation.unwrap(), 1.2e-3 / cycle, 0.001, "f");
    near(link(&r, "b").utilisation.unwrap(), 0.4e-3 / cycle, 0.001, "b");
    let r = answer(&radio("100 us", &[("b", "500 B")]));
    near(link(&r, "b").utilisation.unwrap(), 1.0, 0.001, "alone");
}

/// A TCP flow that acknowledges every packet over the medium it loads: each packet costs its own time, its
/// acknowledgement's, and two turnarounds, once the medium is what limits it.
#[test]
fn tcp_pays_for_its_acknowledgements() {
    for (turnaround_us, duplex) in [(0.0, true), (200.0, true), (0.0, false)] {
        let mut text = radio(&format!("{turnaround_us} us"), &[])
            + "[[flow]]\nname = \"x\"\ncontroller = { kind = \"newreno\" }\ndata = [\"f\"]\nack = [\"b\"]\n\
               receive_window = \"60 kB\"\n";
        if !duplex {
            text = text.lines().filter(|l| !l.starts_with("medium")).collect::<Vec<_>>().join("\n");
        }
        let r = answer(&text);
        let cycle = 1.2e-3 + f64::from(u8::from(duplex)) * (32e-6 + 2.0 * turnaround_us * 1e-6);
        near(of(&r, "x").throughput_bps.unwrap(), 12_000.0 / cycle, 0.002, &format!("{turnaround_us} {duplex}"));
    }
}
