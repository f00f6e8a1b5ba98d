//! How a connection starts: HyStart++ and pacing, from the wire.

mod scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{answer, flow, head, link, near, of};

/// Packets that a path of 100 Mbit/s and 40 ms holds.
const PIPE: f64 = 100e6 * 0.040 / 8320.0;

/// That path with a buffer; ten seconds.
fn start(controller: &str, buffer: u32) -> RunResult {
    let text = head(10.0, 0.0, 1)
        + &format!(
            "[[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n\
             queue = {{ kind = \"droptail\", limit = \"{buffer} packets\" }}\n\
             [[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n"
        )
        + &flow("x", controller, "f", "b", "size = \"40 MB\"");
    answer(&text)
}

/// Doubling every round trip, the window is twice what pipe and buffer hold when the first loss is heard of: as much is lost as
/// they hold. A quarter more a round trip, it is half more at most: RFC 9406, section 5, found half the retransmissions too.
/// The queue is felt in the round after it grew, at a window of 1,280; where five rounds of a quarter more, a factor of three,
/// end before the buffer does, nothing is lost. Done is the transfer no later.
#[test]
fn hystart_leaves_before_the_buffer_is_full() {
    for kind in ["reno", "newreno"] {
        for (buffer, share) in [(480, 0.55), (4_800, 0.0)] {
            let standard = start(&format!("kind = \"{kind}\""), buffer);
            let careful = start(&format!("kind = \"{kind}\", slow_start = \"hystart++\""), buffer);
            let (s, c) = (of(&standard, "x"), of(&careful, "x"));
            let room = PIPE + f64::from(buffer);
            near(s.retransmits.unwrap() as f64, room, 0.02, "lost by standard slow start");
            near(s.window_packets.max.unwrap(), 2.0 * room, 0.02, "its window");
            let lost = c.retransmits.unwrap() as f64 / room;
            assert!(lost <= share, "{kind}, {buffer}: {lost}");
            assert!(c.completed_at_s.unwrap() < s.completed_at_s.unwrap() * 1.02, "{kind}, {buffer}: {c:?} {s:?}");
        }
    }
}

/// The initial window waits in the queue all but its first packet, or, paced at twice a window a round trip, not at all.
#[test]
fn pacing_takes_the_burst_away() {
    let waiting = |tcp: &str| {
        let text = head(2.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
            + &flow(
                "x",
                "kind = \"reno\"",
                "f",
                "b",
                &format!("size = \"32 kB\"\ntcp = {{ initial_window = 32, {tcp} }}"),
            );
        let r = answer(&text);
        (link(&r, "f").queue_packets.max.unwrap(), of(&r, "x").completed_at_s.unwrap())
    };
    // the FIN waits too
    assert_eq!(waiting("pacing = false").0, 32.0);
    let (most, completed) = waiting("pacing = true");
    assert!(most <= 2.0, "{most}: two at once at most, and the FIN");
    // 30 intervals of 100 ms / 64 after the first two
    let interval = 0.1 / 64.0;
    near(completed, 0.1 + 30.0 * interval + 0.1, 0.01, "completion");
}

/// Paced at 1.2 windows a round trip in congestion avoidance, a flow still fills the link.
#[test]
fn paced_newreno_fills_the_link() {
    for tcp in ["pacing = true", "pacing = true, pacing_gain = { slow_start = 2.0, avoidance = 1.0 }"] {
        let text = head(120.0, 20.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\nqueue = { kind = \"droptail\", limit = \"193 packets\" }\n\
               [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}"));
        let r = answer(&text);
        assert!(link(&r, "f").utilisation.unwrap() > 0.97, "{tcp}: {:?}", link(&r, "f"));
    }
}
