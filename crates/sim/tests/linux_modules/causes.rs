//! Why a number is another than ns-2's: for every cell beyond 15 %, and for no other.

use super::Cell;

/// ns-2's needless retransmissions, counted as bandwidth.
const NEEDLESS: &str =
    "ns-2 sends one packet in nine needlessly and counts it as bandwidth; before that a factor of 1.5 (westwood.md)";
/// Every other round trip.
const HALF: &str = "grows by a packet in two round trips: sqrt(1/2) of the window";
/// `cwnd <= ssthresh` is slow start.
const FLOOR: &str =
    "never falls below the threshold that slow start left (504 packets), where slow start lifts it again";
/// Integer arithmetic.
const CENTS: &str = "growth in whole 128ths of a packet per acknowledgement: 2 instead of 2.8 at 440 packets";
const REST: &str = "what Hybla leaves over; see its own cell, 5 % apart";
const PHASE: &str =
    "one of a wide spread: ns-2 itself is this far apart with the upload started up to 0.2 s earlier or later (below)";
const TINY: &str = "four packets of buffer: recovery all the time, the law is seldom asked";
const ACKS: &str = "its round trip is what was sent in the one before, in whole packets; not traced further";

/// The cause of a cell's deviation, if one beyond 15 % is known.
pub fn cause(cell: &Cell) -> Option<&'static str> {
    let (part, kind, of) = (cell.part, cell.kind, cell.of);
    match (kind, part) {
        (_, "asymmetric_both_at_once") if cell.case.starts_with("up 75000") && of == "download_kbps" => {
            super::within_phases(cell, 0.15).then_some(PHASE)
        }
        ("westwood", "random_loss") if cell.case == "0.01" => Some(NEEDLESS),
        ("vegas", "random_loss") => Some(HALF),
        ("vegas", "beside_reno") => Some(FLOOR),
        ("vegas", _) if of == "download_kbps" => Some(ACKS),
        ("hybla", "random_loss") => Some(CENTS),
        ("hybla", "beside_reno") if of == "reno_pkts_per_s" => Some(REST),
        ("hybla", _) if of == "upload_kbps" => Some(TINY),
        _ => None,
    }
}
