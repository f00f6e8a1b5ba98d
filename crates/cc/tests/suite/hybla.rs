//! Hybla on synthetic acknowledgements (Caini and Firrincieli 2004).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// rho = 100 / 25 = 4: 2^4 - 1 packets per acknowledgement in slow start, 16 packets a round trip in avoidance.
#[test]
fn grows_as_on_a_path_of_25_ms() {
    let mut b = Bench::new("hybla", "", 100.0);
    close(b.round(100.0), 10.0 + 10.0 * 15.0, 1e-9);
    b.lose();
    close(b.c.window(), 80.0, 1e-9);
    // per acknowledgement 16 / w, w growing: sqrt(80^2 + 2 * 16 * 80)
    close(b.round(100.0), (6400.0f64 + 2560.0).sqrt(), 0.3);
}

/// On shorter paths it is Reno.
#[test]
fn is_reno_on_short_paths() {
    let mut b = Bench::new("hybla", "", 20.0);
    close(b.round(20.0), 20.0, 1e-9);
    b.lose();
    close(b.round(20.0), 11.0, 0.06);
}
