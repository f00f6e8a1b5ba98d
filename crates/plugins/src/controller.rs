//! The controller of one flow: events are translated to those of the interface, decisions are checked and kept.

use eddyline_cc::{
    Ack, Controller, EcnResponse, Loss, LostBetween, Marks, PartialAck, PathFacts, Sent, Stamp, Timeout,
};
use eddyline_controller::abi::{self, Allowed, Decisions, Handshake, MaybeTime, Recovered, symbols};
use eddyline_units::Time;

use crate::layout::Layout;

/// An event handler, by its place in [`abi::symbols::HANDLERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Handler {
    Ack,
    Loss,
    Timeout,
    Sent,
    Handshake,
    Duplicate,
    Recovered,
    TimeoutRecovered,
    Ecn,
    Marks,
    SpuriousTimeout,
    Idle,
}

impl Handler {
    pub const COUNT: usize = symbols::HANDLERS.len();
}

/// An event of the interface, without pointers.
pub(crate) trait Event: Layout {}

impl Event for Handshake {}
impl Event for abi::Sent {}
impl Event for abi::Ack {}
impl Event for abi::Loss {}
impl Event for abi::Marks {}
impl Event for abi::Timeout {}
impl Event for Recovered {}
impl Event for Allowed {}

/// The state of a flow in a plugin.
pub(crate) trait Flow: Send {
    /// Whether the plugin has this handler.
    fn has(&self, handler: Handler) -> bool;

    /// Calls a handler that it has. Returns whether it wrote decisions.
    fn call<E: Event>(&mut self, handler: Handler, event: &E, decisions: &mut Decisions) -> Result<bool, String>;
}

/// A flow with its first decisions.
pub(crate) struct Started<F> {
    pub flow: F,
    pub decisions: Decisions,
}

/// A controller in a plugin. After a failure no handler is called, and its flight limit is zero: the flow stops, other flows go on.
pub(crate) struct PluginController<F> {
    flow: Option<F>,
    failure: Option<String>,
    decisions: Decisions,
    partial_ack: PartialAck,
    ecn_response: EcnResponse,
    stamps: bool,
    lost_between: LostBetween,
}

impl<F: Flow> PluginController<F> {
    pub fn new(started: Result<Started<F>, String>, facts: &PathFacts) -> Self {
        let mut made = Self {
            flow: None,
            failure: None,
            decisions: Decisions::window(facts.initial_window.max(1.0)),
            partial_ack: PartialAck::Stay,
            ecn_response: EcnResponse::AsLoss,
            stamps: false,
            lost_between: LostBetween::default(),
        };
        let checked = started.and_then(|Started { flow, decisions }| {
            check(&decisions)?;
            let partial_ack = match decisions.partial_ack {
                0 => PartialAck::Leave,
                1 => PartialAck::Stay,
                2 => PartialAck::Persist,
                other => return Err(format!("returned partial_ack = {other}; 0, 1 or 2 is needed")),
            };
            let ecn_response = match decisions.ecn_response {
                0 => EcnResponse::AsLoss,
                1 => EcnResponse::ByShare,
                2 => EcnResponse::LowLatency,
                other => return Err(format!("returned ecn_response = {other}; 0, 1 or 2 is needed")),
            };
            Ok((flow, decisions, partial_ack, ecn_response))
        });
        match checked {
            Ok((flow, decisions, partial_ack, ecn_response)) => {
                made.stamps = flow.has(Handler::Sent);
                made.flow = Some(flow);
                made.decisions = decisions;
                made.partial_ack = partial_ack;
                made.ecn_response = ecn_response;
            }
            Err(why) => made.fail("new", None, &why),
        }
        made
    }

    /// Calls a handler, if the plugin has it; returns whether it wrote decisions.
    #[inline(always)]
    fn call<E: Event>(&mut self, handler: Handler, now: Option<Time>, event: E) -> bool {
        let Some(flow) = &mut self.flow else { return false };
        if !flow.has(handler) {
            return false;
        }
        let written = match flow.call(handler, &event, &mut self.decisions) {
            Ok(false) => return false,
            Ok(true) => check(&self.decisions),
            Err(why) => Err(why),
        };
        match written {
            Ok(()) => true,
            Err(why) => {
                self.fail(symbols::HANDLERS[handler as usize].trim_start_matches("eddyline_"), now, &why);
                false
            }
        }
    }

    #[cold]
    fn fail(&mut self, place: &str, now: Option<Time>, why: &str) {
        let when = now.map(|now| format!(", at {now}")).unwrap_or_default();
        self.failure = Some(format!("{place} {why}{when}"));
        self.flow = None;
        self.stamps = false;
        // what it returned may be anything
        self.decisions = Decisions { flight_limits: [0.0, 0.0], ..Decisions::window(1.0) };
    }
}

/// Whether the simulator can work with these decisions.
#[inline]
fn check(decisions: &Decisions) -> Result<(), String> {
    let allowed = 1.0..f64::INFINITY;
    let limits = decisions.flight_limits;
    if allowed.contains(&decisions.window) && limits.iter().all(|l| l.is_nan() || allowed.contains(l)) {
        return Ok(());
    }
    Err(invalid(decisions))
}

#[cold]
fn invalid(decisions: &Decisions) -> String {
    let window = decisions.window;
    if !(window.is_finite() && window >= 1.0) {
        return format!("returned window = {window}; a finite number of packets, at least 1, is needed");
    }
    let limit = decisions.flight_limits.into_iter().find(|l| *l < 1.0 || l.is_infinite()).unwrap_or_default();
    format!("returned flight_limit = {limit}; a finite number of packets, at least 1, or NaN is needed")
}

fn time(time: Time) -> abi::Time {
    abi::Time::from_ps(time.as_ps())
}

fn maybe(value: Option<Time>) -> MaybeTime {
    value.map(time).into()
}

fn of_maybe(value: MaybeTime) -> Option<Time> {
    value.get().map(|t| Time::from_ps(t.as_ps()))
}

/// The facts in the interface's layout.
pub(crate) fn path(facts: &PathFacts) -> abi::Path {
    abi::Path {
        initial_window: facts.initial_window,
        byte_counting: facts.byte_counting.unwrap_or(f64::NAN),
        known_base_rtt: maybe(facts.known_base_rtt),
        mss: facts.mss,
        packet_bytes: facts.packet_bytes,
        ack_bytes: facts.ack_bytes,
        ack_ratio: facts.ack_ratio,
        paced: facts.paced,
    }
}

fn ack(ack: &Ack) -> abi::Ack {
    abi::Ack {
        now: time(ack.now),
        sent_at: time(ack.sent_at),
        received_at: time(ack.received_at),
        rtt: maybe(ack.rtt),
        acked: ack.acked,
        lost: ack.lost,
        in_flight: ack.in_flight,
        stamp: ack.stamp.remembered,
        cwnd_limited: ack.cwnd_limited,
        in_recovery: ack.in_recovery,
    }
}

fn loss(loss: &Loss) -> abi::Loss {
    abi::Loss { now: time(loss.now), flight_size: loss.flight_size }
}

impl<F: Flow> Controller for PluginController<F> {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.call(Handler::Handshake, Some(now), Handshake { now: time(now), rtt: time(rtt) });
    }

    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if self.stamps {
            let event = abi::Sent { now: time(sent.now), in_flight: sent.in_flight, cwnd_limited: sent.cwnd_limited };
            self.stamps = self.call(Handler::Sent, Some(sent.now), event);
            if self.stamps {
                return Stamp { remembered: self.decisions.stamp };
            }
        }
        Stamp { remembered: sent.in_flight as f32 }
    }

    fn on_ack(&mut self, event: &Ack) {
        let event = self.lost_between.told_with(event);
        self.call(Handler::Ack, Some(event.now), ack(&event));
    }

    fn on_duplicate(&mut self, event: &Ack) {
        self.call(Handler::Duplicate, Some(event.now), ack(event));
    }

    fn on_lost(&mut self, packets: f64) {
        self.lost_between.add(packets);
    }

    fn on_loss(&mut self, event: &Loss) {
        self.call(Handler::Loss, Some(event.now), loss(event));
    }

    fn on_recovered(&mut self, now: Time) {
        self.call(Handler::Recovered, Some(now), Recovered { now: time(now) });
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let Timeout { now, flight_size, repeated } = *timeout;
        self.call(Handler::Timeout, Some(now), abi::Timeout { now: time(now), flight_size, repeated });
    }

    fn on_timeout_recovered(&mut self) {
        self.call(Handler::TimeoutRecovered, None, Recovered { now: abi::Time::default() });
    }

    fn on_ecn(&mut self, mark: &Loss) {
        // without a handler a mark counts as a loss (RFC 3168, 6.1.2)
        if !self.call(Handler::Ecn, Some(mark.now), loss(mark)) {
            self.call(Handler::Loss, Some(mark.now), loss(mark));
        }
    }

    fn on_marks(&mut self, marks: &Marks) {
        let Marks { now, sent_at, acked, marked } = *marks;
        self.call(Handler::Marks, Some(now), abi::Marks { now: time(now), sent_at: time(sent_at), acked, marked });
    }

    fn ecn_response(&self) -> EcnResponse {
        self.ecn_response
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.call(Handler::SpuriousTimeout, None, Allowed { window });
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.call(Handler::Idle, None, Allowed { window: restart_window });
    }

    #[inline]
    fn window(&self) -> f64 {
        self.decisions.window
    }

    #[inline]
    fn flight_limit(&self, paced: bool) -> f64 {
        let limit = self.decisions.flight_limits[usize::from(paced)];
        if limit.is_nan() { self.decisions.window } else { limit }
    }

    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        of_maybe(self.decisions.pacing_interval)
    }

    #[inline]
    fn slow_start_threshold(&self) -> Option<f64> {
        let threshold = self.decisions.slow_start_threshold;
        (!threshold.is_nan()).then_some(threshold)
    }

    #[inline]
    fn base_rtt(&self) -> Option<Time> {
        of_maybe(self.decisions.base_rtt)
    }

    #[inline]
    fn ack_ratio(&self) -> Option<u32> {
        (self.decisions.ack_ratio > 0).then_some(self.decisions.ack_ratio)
    }

    #[inline]
    fn uses_sent(&self) -> bool {
        self.stamps
    }

    fn partial_ack(&self) -> PartialAck {
        self.partial_ack
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
