//! Limits of a drop-tail queue in each of their units.

use crate::test_packet;

use eddyline_path::queue::{Discipline as _, Limit, atm_cells};
use eddyline_units::Time;
use test_packet::{data, put, queue};

/// AAL5: 8 bytes of trailer, 48 bytes a cell.
#[test]
fn packets_in_cells() {
    for (bytes, cells) in [(1, 1), (40, 1), (41, 2), (88, 2), (89, 3), (576, 13), (1000, 21), (1500, 32)] {
        assert_eq!(atm_cells(bytes), cells, "{bytes} B");
    }
    assert!(atm_cells(u64::MAX) > 0, "no overflow");
}

/// What fits of a row of packets of these sizes.
fn fits(limit: &str, sizes: &[u32]) -> Vec<u64> {
    let mut q = queue(&format!(r#"{{ "kind": "droptail", "limit": "{limit}" }}"#), 10);
    let lost = |id: usize, bytes: u32, q: &mut _| put(q, Time::ZERO, data(id as u64, 1, bytes)).is_empty();
    (0..sizes.len()).filter(|i| lost(*i, sizes[*i], &mut q)).map(|i| i as u64).collect()
}

#[test]
fn a_limit_counts_in_its_unit() {
    let sizes = [1500, 40, 41, 1500, 40];
    assert_eq!(fits("2 packets", &sizes), [0, 1]);
    assert_eq!(fits("1581 B", &sizes), [0, 1, 2]);
    assert_eq!(fits("1580 B", &sizes), [0, 1, 4]);
    // 32 + 1 + 2, then 32 do not fit and 1 does
    assert_eq!(fits("36 cells", &sizes), [0, 1, 2, 4]);
    assert_eq!(fits("34 cells", &sizes), [0, 1, 4]);
    assert_eq!(fits("31 cells", &sizes), [1, 2, 4]);
    assert_eq!(fits("unlimited", &sizes), [0, 1, 2, 3, 4]);
}

#[test]
fn departures_free_whole_cells() {
    let mut q = queue(r#"{ "kind": "droptail", "limit": "32 cells" }"#, 10);
    for id in 0..100 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 1500)).is_empty());
        assert_eq!(put(&mut q, Time::ZERO, data(id, 1, 1)).len(), 1);
        assert!(q.dequeue(Time::ZERO, &mut |_| {}).is_some());
    }
}

#[test]
fn limits_round_trip_and_errors_name_the_problem() {
    let parse = |text: &str| serde_json::from_str::<Limit>(&format!("\"{text}\""));
    for (text, limit) in
        [("50 cells", Limit::Cells(50)), ("50 packets", Limit::Packets(50)), ("unlimited", Limit::Unlimited)]
    {
        assert_eq!(parse(text).unwrap(), limit);
        assert_eq!(parse(&limit.to_string()).unwrap(), limit);
    }
    assert_eq!(parse("1.5 kB").unwrap(), Limit::Bytes(1500));
    for (text, expected) in [
        ("0 cells", "at least one packet must fit"),
        ("50", "packets, cells, B,"),
        ("50 frames", "packets, cells, B,"),
        ("2e15 cells", "at most 1e15 cells"),
        ("-1 cells", "negative"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
