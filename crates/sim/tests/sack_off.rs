//! Controllers that measure the rate of delivery, without SACK.

mod lab;

use lab::{answer, flow, head, of};

fn goodput(kind: &str, sack: bool, limit: u32) -> f64 {
    let text = head(120.0, 0.0, 1)
        + &format!(
            "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
             queue = {{ kind = \"droptail\", limit = \"{limit} packets\" }}\n\
             [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
        )
        + &flow("x", &format!("kind = \"{kind}\""), "f", "b", &format!("tcp = {{ sack = {sack} }}"))
            .replace("1040 B", "1500 B");
    let result = answer(&text);
    of(&result, "x").goodput_bps.unwrap()
}

/// Duplicates are deliveries: a loss without SACK does not look like a path that delivers less. What remains is the repair of one
/// hole a round trip (RFC 6582), and a timeout at the start where the buffer is short. `bbr3` with less than a bandwidth-delay
/// product of buffer is left out: it loses several packets in every probe, and waits for the timer.
#[test]
fn duplicates_are_deliveries() {
    for (kind, limit, share) in
        [("bbr", 15, 0.95), ("bbr", 40, 0.99), ("bbr", 100, 0.99), ("bbr3", 40, 0.99), ("bbr3", 100, 0.99)]
    {
        let (with, without) = (goodput(kind, true, limit), goodput(kind, false, limit));
        assert!(with > 9.4e6, "{kind}, {limit} packets: {with}");
        assert!(without > share * with, "{kind}, {limit} packets: {without} without SACK, {with} with it");
    }
}
