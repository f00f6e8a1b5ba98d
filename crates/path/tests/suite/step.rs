//! Step marking by the instantaneous queue, and RED configured as the same step.

use crate::test_packet;

use eddyline_path::Ecn;
use eddyline_path::queue::{Discipline as _, QueueParams};
use eddyline_units::Time;
use test_packet::{TestPacket, data, put, queue, take};

/// Offers `n` packets to a queue that is never served; which were dropped, and which came out marked.
fn filled(json: &str, ecn: Ecn, n: u64) -> (Vec<u64>, Vec<u64>) {
    let mut q = queue(json, 1000);
    let dropped = (0..n).flat_map(|id| put(&mut q, Time::ZERO, TestPacket { ecn, ..data(id, 1, 1500) })).collect();
    let mut marked = Vec::new();
    while q.packets() > 0 {
        let packet = take(&mut q, Time::ZERO).0.expect("it holds nothing back");
        if packet.ecn == Ecn::Ce {
            marked.push(packet.id);
        }
    }
    (dropped, marked)
}

/// Packet i finds i waiting: more than K from K + 1 on.
#[test]
fn marks_packets_that_find_more_than_the_threshold() {
    let json = r#"{ "kind": "step", "threshold": "7 packets", "limit": "12 packets" }"#;
    for ecn in [Ecn::Ect0, Ecn::Ect1] {
        assert_eq!(filled(json, ecn, 15), (vec![12, 13, 14], vec![8, 9, 10, 11]));
    }
    assert_eq!(filled(json, Ecn::NotCapable, 15), (vec![12, 13, 14], vec![]), "they wait for the limit");
    let json = r#"{ "kind": "step", "threshold": "7 packets", "limit": "12 packets", "not_capable": "drop" }"#;
    assert_eq!(filled(json, Ecn::NotCapable, 15), ((8..15).collect(), vec![]));
    assert_eq!(filled(json, Ecn::Ect0, 15), (vec![12, 13, 14], vec![8, 9, 10, 11]));
    let bytes = r#"{ "kind": "step", "threshold": "10 kB" }"#;
    // six of 1500 bytes are below 10 kB, seven are not
    assert_eq!(filled(bytes, Ecn::Ect0, 9), (vec![], vec![7, 8]));
}

/// RED with both thresholds at K + 1, weight 1 and `gentle` off is the same step, as Linux's without `harddrop`; as a
/// drop without ECN.
#[test]
fn red_as_a_step() {
    let step = r#"{ "kind": "step", "threshold": "7 packets", "limit": "12 packets", "not_capable": "drop" }"#;
    let red = r#"{ "kind": "red", "min_threshold": "8 packets", "max_threshold": "8 packets", "weight": 1.0, "gentle": false,
                  "hard_drop": false, "limit": "12 packets" }"#;
    for ecn in [Ecn::NotCapable, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        assert_eq!(filled(step, ecn, 15), filled(red, ecn, 15), "{ecn:?}");
    }
    // the default drops beyond the upper threshold whatever could be marked
    let hard = red.replace("\"hard_drop\": false,", "");
    assert_eq!(filled(&hard, Ecn::Ect0, 15), ((8..15).collect(), vec![]));
}

/// Beyond the upper threshold `hard_drop = false` marks what could be marked, gentle or not; the default is no part of the canonical form.
#[test]
fn red_marks_where_it_would_drop() {
    let json = |more: &str| {
        format!(
            r#"{{ "kind": "red", "weight": 1, "min_threshold": "4 packets", "max_threshold": "8 packets", "limit": "60 packets"{more} }}"#
        )
    };
    for gentle in ["", ", \"gentle\": false"] {
        let (_, marked) = filled(&json(&format!("{gentle}, \"hard_drop\": false")), Ecn::Ect0, 50);
        assert!(marked.len() > 30, "{marked:?}");
    }
    let soft: QueueParams = serde_json::from_str(&json(", \"hard_drop\": false")).expect("a queue");
    let hard: QueueParams = serde_json::from_str(&json(", \"hard_drop\": true")).expect("a queue");
    assert!(serde_json::to_string(&soft).expect("JSON").contains("\"hard_drop\":false"));
    assert!(!serde_json::to_string(&hard).expect("JSON").contains("hard_drop"), "the canonical form is as before");
}

#[test]
fn thresholds_may_meet_but_not_cross() {
    let conflict = |min: &str, max: &str| {
        let json = format!(r#"{{ "kind": "red", "min_threshold": "{min}", "max_threshold": "{max}" }}"#);
        serde_json::from_str::<QueueParams>(&json).expect("a queue").conflict()
    };
    assert_eq!(conflict("8 packets", "8 packets"), None);
    let error = conflict("9 packets", "8 packets").expect("an error");
    assert_eq!((error.key, error.message.as_str()), ("max_threshold", "8 packets is below min_threshold, 9 packets"));
}
