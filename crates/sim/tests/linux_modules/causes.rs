//! Causes of deviations from ns-2, for the cells beyond 15 %.

use super::Cell;

/// ns-2's needless retransmissions, counted as bandwidth.
const NEEDLESS: &str = "ns-2 retransmits one packet in nine needlessly and counts it as bandwidth; until then the factor is 1.5 (westwood.md)";
const HALF: &str = "ns-2's grows by one packet in two round trips: sqrt(1/2) of the window";
/// `cwnd <= ssthresh` is slow start.
const FLOOR: &str =
    "ns-2's never falls below the ssthresh that slow start left (504 packets), where slow start raises it";
/// Integer arithmetic.
const CENTS: &str = "ns-2's grows in whole 128ths of a packet per acknowledgement: 2 instead of 2.8 at 440 packets";
const REST: &str = "the capacity that Hybla leaves; Hybla's own rate differs by 5 %";
const PHASE: &str =
    "within the spread of ns-2's own results when the upload starts up to 0.2 s earlier or later (below)";
const TINY: &str = "four packets of buffer: the flow is nearly always in recovery, so the law rarely acts";
const ACKS: &str = "a round trip is delimited by what the previous one sent, in whole packets; not traced further";

/// The documented cause of a cell's deviation, if it explains a deviation of this size; causes without a figure of their own give
/// at least the sign.
pub fn cause(cell: &Cell) -> Option<&'static str> {
    let (part, kind, of) = (cell.part, cell.kind, cell.of);
    let (why, range) = match (kind, part) {
        (_, "asymmetric_both_at_once") if cell.case.starts_with("up 75000") && of == "download_kbps" => {
            return super::within_phases(cell, 0.15).then_some(PHASE);
        }
        // between Reno's 160 packets a second and the 1,010 that ns-2 has before it sends needlessly, 15 % more at most
        ("westwood", "random_loss") if cell.case == "0.01" => (NEEDLESS, -0.97..=-0.78),
        // sqrt(2) more at most, and a tenth
        ("vegas", "random_loss") => (HALF, 0.0..=0.51),
        ("vegas", "beside_reno") if of == "pkts_per_s" => (FLOOR, -1.0..=0.0),
        ("vegas", "beside_reno") => (FLOOR, 0.0..=1.0),
        ("vegas", _) if of == "download_kbps" => (ACKS, -0.25..=0.0),
        // sqrt(2.8 / 2) more, and a tenth
        ("hybla", "random_loss") => (CENTS, 0.0..=0.28),
        // a twentieth of Hybla's 9,231 packets a second is a third of Reno's 1,407
        ("hybla", "beside_reno") if of == "reno_pkts_per_s" => (REST, -0.35..=0.35),
        ("hybla", _) if of == "upload_kbps" => (TINY, -0.4..=0.4),
        _ => return None,
    };
    range.contains(&cell.deviation()).then_some(why)
}
