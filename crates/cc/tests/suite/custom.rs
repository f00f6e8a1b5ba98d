//! A registered controller decides what it decides when called directly, after each event.

use std::sync::Arc;

use eddyline_cc::{
    Ack, Controller, ControllerParams, Custom, CustomParams, DynController, EcnResponse, Loss, Marks, ParamTable,
    PartialAck, PathFacts, Sent, Stamp, Timeout, custom,
};
use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every decision depends on the events so far and differs from the default of [`Controller`].
#[derive(Debug, Default)]
struct History {
    digits: u32,
}

impl History {
    fn append(&mut self, event: u32) {
        self.digits = (self.digits * 13 + event) % 1_000_003;
    }

    fn plus(&self, offset: u32) -> f64 {
        f64::from(self.digits + offset)
    }
}

impl Controller for History {
    fn on_handshake(&mut self, _: Time, _: Time) {
        self.append(1);
    }
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        self.append(2);
        Stamp { remembered: -sent.in_flight as f32 }
    }
    fn on_ack(&mut self, _: &Ack) {
        self.append(3);
    }
    fn on_duplicate(&mut self, _: &Ack) {
        self.append(4);
    }
    fn on_loss(&mut self, _: &Loss) {
        self.append(5);
    }
    fn on_recovered(&mut self, _: Time) {
        self.append(6);
    }
    fn on_timeout(&mut self, _: &Timeout) {
        self.append(7);
    }
    fn on_timeout_recovered(&mut self) {
        self.append(8);
    }
    fn on_ecn(&mut self, _: &Loss) {
        self.append(9);
    }
    fn on_marks(&mut self, _: &Marks) {
        self.append(10);
    }
    fn on_spurious_timeout(&mut self, _: f64) {
        self.append(11);
    }
    fn on_idle(&mut self, _: f64) {
        self.append(12);
    }
    fn window(&self) -> f64 {
        self.plus(1)
    }
    fn flight_limit(&self, paced: bool) -> f64 {
        self.plus(if paced { 2 } else { 3 })
    }
    fn pacing_interval(&self) -> Option<Time> {
        Some(Time::from_ps(4 + u64::from(self.digits)))
    }
    fn slow_start_threshold(&self) -> Option<f64> {
        Some(self.plus(5))
    }
    fn base_rtt(&self) -> Option<Time> {
        Some(Time::from_ps(6 + u64::from(self.digits)))
    }
    fn ack_ratio(&self) -> Option<u32> {
        Some(7 + self.digits)
    }
    fn retransmission_timeout(&self, min_rto: Time) -> Option<Time> {
        Some(min_rto + Time::from_ps(u64::from(self.digits)))
    }
    fn partial_ack(&self) -> PartialAck {
        if self.digits.is_multiple_of(2) { PartialAck::Leave } else { PartialAck::Persist }
    }
    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::LowLatency
    }
    fn failure(&self) -> Option<&str> {
        Some("it failed")
    }
    fn uses_sent(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Params;

impl CustomParams for Params {
    fn canonical(&self) -> ParamTable {
        ParamTable::default()
    }
    fn only_in(&self) -> Option<&'static str> {
        Some("kernel")
    }
    fn build(&self, _: &PathFacts) -> Box<dyn DynController> {
        Box::new(History::default())
    }
}

/// The `event`-th kind of event; gives the stamp of a packet that is sent.
fn tell(c: &mut impl Controller, event: u32) -> Option<Stamp> {
    let now = Time::from_ms(u64::from(event));
    let loss = Loss { now, flight_size: 3.0 };
    let ack = Ack {
        now,
        sent_at: Time::ZERO,
        received_at: Time::ZERO,
        rtt: Some(now),
        acked: 1.0,
        lost: 0.0,
        in_flight: 2.0,
        stamp: Stamp::default(),
        cwnd_limited: true,
        in_recovery: false,
    };
    match event {
        1 => c.on_handshake(now, now),
        2 => return Some(c.on_sent(&Sent { now, in_flight: 5.0, cwnd_limited: true, app_limited: false })),
        3 => c.on_ack(&ack),
        4 => c.on_duplicate(&ack),
        5 => c.on_loss(&loss),
        6 => c.on_recovered(now),
        7 => c.on_timeout(&Timeout { now, flight_size: 3.0, repeated: false }),
        8 => c.on_timeout_recovered(),
        9 => c.on_ecn(&loss),
        10 => c.on_marks(&Marks { now, sent_at: Time::ZERO, acked: 1.0, marked: 1.0 }),
        11 => c.on_spurious_timeout(4.0),
        _ => c.on_idle(10.0),
    }
    None
}

#[test]
fn a_registered_controller_decides_as_when_called_directly() {
    let mut registered = ControllerParams::Custom(Custom::of("history", Arc::new(Params))).build(&PathFacts::default());
    let mut direct = History::default();
    for event in (1..=12).chain((1..=12).rev()) {
        assert_eq!(tell(&mut registered, event), tell(&mut direct, event));
        assert_eq!(registered.window(), direct.window(), "after event {event}");
        assert_eq!(registered.flight_limit(false), direct.flight_limit(false));
        assert_eq!(registered.flight_limit(true), direct.flight_limit(true));
        assert_eq!(registered.pacing_interval(), direct.pacing_interval());
        assert_eq!(registered.slow_start_threshold(), direct.slow_start_threshold());
        assert_eq!(registered.base_rtt(), direct.base_rtt());
        assert_eq!(registered.ack_ratio(), direct.ack_ratio());
        let rto = |c: &dyn Controller| c.retransmission_timeout(Time::from_ms(200));
        assert_eq!(rto(&registered), rto(&direct));
        assert_eq!(registered.partial_ack(), direct.partial_ack());
        assert_eq!(registered.ecn_response(), direct.ecn_response());
        assert_eq!(registered.failure(), direct.failure());
    }
}

#[test]
fn a_registered_controller_of_one_world_says_so() {
    assert_eq!(ControllerParams::Custom(Custom::of("history", Arc::new(Params))).only_in(), Some("kernel"));
    assert_eq!(Custom::of("history", Arc::new(Params)).only_in(), Some("kernel"));
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Fixed {
    cwnd: f64,
}

impl Default for Fixed {
    fn default() -> Self {
        Self { cwnd: 7.0 }
    }
}

struct FixedWindow(f64);

impl Controller for FixedWindow {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn on_timeout(&mut self, _: &Timeout) {}
    fn on_idle(&mut self, _: f64) {}
    fn window(&self) -> f64 {
        self.0
    }
}

#[test]
fn a_kind_of_typed_parameters_says_what_it_is_and_reads_them() {
    let kind = custom("fixed", "a fixed window", "our own", |p: &Fixed, _| FixedWindow(p.cwnd));
    assert_eq!((kind.name(), kind.summary(), kind.source()), ("fixed", "a fixed window", "our own"));
    assert_eq!(kind.schema()["properties"]["cwnd"]["type"], "number");
    let table = |text: &str| serde_json::from_str::<ParamTable>(text).unwrap();
    for (text, cwnd) in [("{}", 7.0), (r#"{ "cwnd": 12.5 }"#, 12.5)] {
        let made = Custom::new(&*kind, &table(text)).unwrap();
        assert_eq!(made.name(), "fixed");
        assert_eq!(made, Custom::new(&*kind, &table(&format!(r#"{{ "cwnd": {cwnd} }}"#))).unwrap());
        assert_eq!(ControllerParams::Custom(made).build(&PathFacts::default()).window(), cwnd);
    }
    assert_ne!(Custom::new(&*kind, &table("{}")), Custom::new(&*kind, &table(r#"{ "cwnd": 8.0 }"#)));
    assert!(Custom::new(&*kind, &table(r#"{ "window": 1.0 }"#)).unwrap_err().contains("unknown field `window`"));
}
