//! One end of a connection: the stack's endpoint and connection, the datagrams that it has sent, and its applications.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use eddyline_quic_cc::{PacketTag, Receipts};
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_units::Time;
use noq_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, Event,
    FourTuple, PathId, StreamEvent, Transmit, VarInt,
};

use crate::application::{ReceivingApplication, SendingApplication};
use crate::clock;
use crate::observed::Observations;
use crate::settings;

/// A timer that is due again at once waits this long, as that of a real clock would.
const TIMER_GRANULARITY: Time = Time::from_ps(1_000_000);
/// Timers are handled so much late, as those of any clock are. The stack rounds the delay of a paced packet to nanoseconds and bytes
/// down: asked at that very moment it is a byte short half of the time, and waits once more.
const TIMER_LATENESS: Time = Time::from_ps(1_000);

/// A datagram that a host sends.
#[derive(Debug, Clone, Copy)]
pub struct Datagram<'a> {
    /// UDP payload.
    pub content: &'a [u8],
    /// By which the sender's controller knows it.
    pub tag: Option<PacketTag>,
    /// ECN field, if it has one.
    pub ecn: Option<EcnCodepoint>,
    /// It carries stream data.
    pub data: bool,
    /// The connection is not established yet.
    pub handshake: bool,
}

/// One end.
pub struct Host {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Address of the other end, as this one sees it.
    peer: FourTuple,
    /// Largest datagram.
    datagram: u16,
    sending: Option<SendingApplication>,
    /// Reads data of the other end.
    receiving: ReceivingApplication,
    /// What the stack told the controller.
    pub seen: Arc<Observations>,
    /// Arrivals of its datagrams at the other end.
    pub receipts: Receipts,
    established: bool,
    /// Stream frames sent, to recognise datagrams with data.
    stream_frames: u64,
    /// When the stack's next timer is due; it changes only when a datagram arrives, or in [`run`](Self::run).
    stack_timer: Option<Instant>,
    /// When the timers were last handled.
    timers_handled: Option<Time>,
    /// When the stack's pacer lets the next packet go, if it holds one back.
    paced_until: Option<Instant>,
    /// A timer may have asked for probes, which no window holds back.
    may_probe: bool,
    /// When and why the connection was lost.
    failure: Option<(Time, String)>,
    buffer: Vec<u8>,
}

/// Addresses of client and server; they mean nothing.
fn address(server: bool) -> SocketAddr {
    let (last, port) = if server { (2, 443) } else { (1, 50_000) };
    SocketAddr::new(Ipv4Addr::new(10, 0, 0, last).into(), port)
}

impl Host {
    /// A host without a connection, the `server` or the client, which sends the data of `sent`; `shared` is what it shares with its
    /// controller.
    pub(crate) fn new(
        endpoint: Endpoint,
        server: bool,
        sent: Option<&FlowSpec>,
        shared: (Arc<Observations>, Receipts),
    ) -> Self {
        let (seen, receipts) = shared;
        Self {
            endpoint,
            connection: None,
            peer: FourTuple::from_remote(address(!server)),
            datagram: sent.map_or(0, settings::datagram),
            sending: sent.map(SendingApplication::new),
            receiving: ReceivingApplication::default(),
            seen,
            receipts,
            established: false,
            stream_frames: 0,
            stack_timer: None,
            timers_handled: None,
            paced_until: None,
            may_probe: false,
            failure: None,
            buffer: Vec::new(),
        }
    }

    /// Opens the connection.
    pub fn connect(&mut self, now: Time, config: ClientConfig) {
        match self.endpoint.connect(clock::instant(now), config, self.peer.remote(), "eddyline") {
            Ok(connection) => self.connection = Some(connection),
            Err(e) => self.failure = Some((now, e.to_string())),
        }
    }

    /// Bytes that its application has read of the other end's data.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.receiving.delivered()
    }

    /// When and why the connection was lost, if it was.
    pub fn failure(&self) -> Option<(Time, &str)> {
        self.failure.as_ref().map(|(at, why)| (*at, why.as_str()))
    }

    /// When [`on_timer`](Self::on_timer) is due, or [`Time::MAX`].
    pub fn next_timer(&self, now: Time) -> Time {
        if self.connection.is_none() {
            return Time::MAX;
        }
        let stack = self.stack_timer.map_or(Time::MAX, |at| clock::time(at).saturating_add(TIMER_LATENESS));
        let stack = match self.timers_handled {
            Some(at) if stack <= at => at + TIMER_GRANULARITY,
            _ => stack,
        };
        let application = self.sending.as_ref().filter(|_| self.established).map_or(Time::MAX, |a| a.wake(now));
        // the stack's times are in nanoseconds, so one that is due now may be up to a nanosecond ago; time must not go back
        stack.min(application).max(now)
    }

    /// Handles timers that are due; [`run`](Self::run) must follow.
    pub fn on_timer(&mut self, now: Time) {
        let Some((_, connection)) = &mut self.connection else { return };
        if let Some(due) = self.stack_timer.filter(|&at| clock::time(at) <= now) {
            connection.handle_timeout(clock::instant(now));
            self.timers_handled = Some(now);
            self.may_probe = self.paced_until != Some(due);
        }
    }

    /// A datagram arrived; [`run`](Self::run) must follow.
    pub fn receive(
        &mut self,
        now: Time,
        datagram: BytesMut,
        ecn: Option<EcnCodepoint>,
        emit: &mut impl FnMut(Datagram<'_>),
    ) {
        let at = clock::instant(now);
        self.buffer.clear();
        match self.endpoint.handle(at, self.peer, ecn, datagram, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, at, &mut self.buffer, None) {
                    Ok(connection) => self.connection = Some(connection),
                    Err(e) => {
                        // without a response the packet was damaged, and another one may come
                        if let Some(response) = e.response {
                            self.failure.get_or_insert_with(|| (now, e.cause.to_string()));
                            self.transmit(&response, false, emit);
                        }
                    }
                }
            }
            Some(DatagramEvent::Response(response)) => self.transmit(&response, false, emit),
            None => {}
        }
    }

    /// Lets stack and applications do what they can, until nothing is left or `emit` refuses more; returns whether the last stream that
    /// is sent was completely acknowledged.
    pub fn run(&mut self, now: Time, emit: &mut impl FnMut(Datagram<'_>) -> ControlFlow<()>) -> bool {
        let mut completed = false;
        let mut refused = false;
        let at = clock::instant(now);
        let sender = self.connection.as_ref().filter(|_| self.sending.is_some());
        let timer_before = sender.and_then(|(_, connection)| connection.poll_timeout());
        // not taken out and put back: a connection has many kilobytes
        while let Some((handle, connection)) = &mut self.connection {
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while let Some(event) = connection.poll() {
                match event {
                    Event::Connected => {
                        self.established = true;
                        self.seen.note_established();
                    }
                    Event::ConnectionLost { reason } => note_loss(now, &reason, &mut self.failure),
                    Event::Stream(event) => {
                        let applications = (&mut self.sending, &mut self.receiving);
                        completed |= on_stream(now, connection, &event, applications);
                    }
                    _ => {}
                }
            }
            if connection.is_drained() {
                self.connection = None;
                break;
            }
            if let Some(application) = self.sending.as_mut().filter(|_| self.established) {
                application.write(now, connection, &self.seen, self.datagram);
            }
            self.buffer.clear();
            let Some(transmit) = connection.poll_transmit(at, NonZeroUsize::MIN, &mut self.buffer) else {
                refused = true;
                break;
            };
            let data = self.sending.is_some() && {
                let frames =
                    connection.path_stats(PathId::ZERO).map_or(self.stream_frames, |path| path.frame_tx.stream);
                std::mem::replace(&mut self.stream_frames, frames) != frames
            };
            if data {
                self.seen.note_sent(transmit.size);
            }
            let emitted = self.transmit(&transmit, data, emit);
            let done = match &self.sending {
                // an acknowledgement with room to spare: there was nothing more to send
                None => self.established && transmit.size < settings::MIN_DATAGRAM as usize,
                Some(_) if self.may_probe => false,
                Some(application) => data && application.has_unsent() && self.seen.holds_back(self.datagram),
            };
            if done || emitted.is_break() {
                break;
            }
        }
        if let Some((_, connection)) = &self.connection {
            connection.rtt(PathId::ZERO).into_iter().for_each(|rtt| self.seen.note_smoothed(rtt));
        }
        self.stack_timer = self.connection.as_ref().and_then(|(_, connection)| connection.poll_timeout());
        let smoothed_rtt = self.seen.smoothed();
        self.paced_until = self.stack_timer.filter(|next| refused && is_pacing(at, smoothed_rtt, timer_before, *next));
        if self.paced_until.is_some() {
            self.seen.note_paced(self.datagram);
        }
        self.may_probe = false;
        completed
    }

    /// Acknowledgement frames received so far.
    pub fn acknowledgements(&mut self) -> u64 {
        let path = self.connection.as_mut().and_then(|(_, connection)| connection.path_stats(PathId::ZERO));
        path.map_or(0, |path| path.frame_rx.acks)
    }

    /// Closes the connection; [`run`](Self::run) must follow.
    pub fn close(&mut self, now: Time) {
        if let Some((_, connection)) = &mut self.connection {
            connection.close(clock::instant(now), VarInt::from_u32(0), bytes::Bytes::new());
        }
    }

    fn transmit<T>(&mut self, transmit: &Transmit, data: bool, emit: &mut impl FnMut(Datagram<'_>) -> T) -> T {
        let tag = self.receipts.take_sent();
        let content = &self.buffer[..transmit.size];
        emit(Datagram { content, tag, ecn: transmit.ecn, data, handshake: !self.established })
    }
}

/// Whether the stack's next timer was set by its pacer since it was asked for datagrams: with the last one that it gave or when it gave
/// none. `before` is the timer that was due next until then. No other timer that is set meanwhile is due within a round trip: a probe
/// timeout is longer (RFC 9002, 6.2.1).
fn is_pacing(now: Instant, smoothed_rtt: Option<Duration>, before: Option<Instant>, next: Instant) -> bool {
    smoothed_rtt.is_some_and(|rtt| next <= now + rtt) && before.is_none_or(|before| next < before)
}

/// What the stack says when more pieces of a stream wait for a hole to be filled than it keeps.
const TOO_MANY_GAPS: &str = "too many gaps in stream buffer";

/// The connection was lost: an error, unless an application closed it.
fn note_loss(now: Time, reason: &ConnectionError, failure: &mut Option<(Time, String)>) {
    if !matches!(reason, ConnectionError::ApplicationClosed(_) | ConnectionError::LocallyClosed) {
        failure.get_or_insert_with(|| {
            let mut reason = reason.to_string();
            if reason.contains(TOO_MANY_GAPS) {
                reason +=
                    " (the receiver keeps some 2,000 packets beyond a lost one; a receive_window of fewer avoids this)";
            }
            (now, reason)
        });
    }
}

/// Handles an event of a stream; returns whether the last one that is sent was completely acknowledged.
fn on_stream(
    now: Time,
    connection: &mut Connection,
    event: &StreamEvent,
    (sending, receiving): (&mut Option<SendingApplication>, &mut ReceivingApplication),
) -> bool {
    match *event {
        StreamEvent::Opened { dir } => {
            while let Some(stream) = connection.streams().accept(dir) {
                receiving.read(connection, stream);
            }
        }
        StreamEvent::Readable { id } => receiving.read(connection, id),
        StreamEvent::Finished { id } => return sending.as_mut().is_some_and(|a| a.on_finished(now, id)),
        _ => {}
    }
    false
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("established", &self.established).finish_non_exhaustive()
    }
}
