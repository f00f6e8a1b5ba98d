//! Options of delay-based controllers that contradict each other or TCP's options.

use eddyline_cc::{BaseRttSource, ControllerParams, Delay};

use crate::model::Tcp;

/// An error: key of the controller's table, message, hint.
pub(crate) type OptionError = (&'static [&'static str], String, &'static str);

/// All errors of the options of `controller`.
pub(crate) fn errors(controller: &ControllerParams, tcp: &Tcp, delayed_ack: Option<bool>) -> Vec<OptionError> {
    let Some(asked) = controller.delay_options() else { return Vec::new() };
    let mut found: Vec<OptionError> = Vec::new();
    let one_way = asked.delay.is_one_way();
    let word = if asked.delay == Delay::Forward { "forward" } else { "weighted" };
    let known = asked.base_rtt == BaseRttSource::Known;
    if one_way && !tcp.timestamps {
        let message = format!("\"{word}\", which needs timestamps of both hosts; tcp.timestamps is false");
        found.push((&["delay"], message, "write tcp = { timestamps = true }, or delay = \"round_trip\""));
    }
    if one_way && known {
        let message =
            format!("\"known\", which applies to the round trip; delay = \"{word}\" measures each direction by itself");
        found.push((&["base_rtt"], message, "leave one of the two out"));
    }
    if one_way && asked.base_rtt_age.is_some() {
        let message = format!("given, but delay = \"{word}\" uses a base delay for each direction, which does not age");
        found.push((&["base_rtt_age"], message, "leave one of the two out"));
    }
    let options: [(&'static [&'static str], bool); 3] = [
        (&["base_rtt_age"], asked.base_rtt_age.is_some()),
        (&["drain"], asked.drain),
        (&["rate_correction"], asked.rate_correction),
    ];
    for (key, given) in options {
        if given && known {
            let message = "given, but base_rtt = \"known\" leaves nothing to estimate".to_owned();
            found.push((key, message, "leave one of the two out"));
        }
    }
    if asked.ack_alpha.is_some() {
        let key: &'static [&'static str] = &["ack_alpha"];
        if !one_way {
            let message =
                "given, but delay = \"round_trip\" does not measure the queueing of acknowledgements".to_owned();
            found.push((key, message, "write delay = \"forward\" or \"weighted\" as well"));
        }
        let other = if tcp.ack_congestion_control {
            Some("tcp.ack_congestion_control")
        } else if tcp.ack_every.is_some() {
            Some("tcp.ack_every")
        } else {
            delayed_ack.map(|_| "delayed_ack")
        };
        if let Some(other) = other {
            let message = format!("given, and so is {other}: only one of them may set how packets are acknowledged");
            found.push((key, message, "leave one of the two out"));
        }
    }
    found
}
