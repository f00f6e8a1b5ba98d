//! The two ends of a flow's connection, a thread each.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use eddyline_cc::{Controller as _, EcnResponse};
use eddyline_quic_host::{ClientConfig, Datagram, Host, settings};
use eddyline_scenario::network::Flow;
use eddyline_units::Time;

use super::socket::Socket;
use crate::emulator::Shared;
use crate::error::LiveError;
use crate::flow_state::{FlowState, Sender};
use crate::run::{PRIORITY, prioritise};

/// Largest datagram.
const MAX_DATAGRAM: usize = 65_535;
/// Datagrams taken in a row before timers have their turn.
const BATCH: usize = 64;
/// Longest sleep: how soon the end of the run is noticed.
const MAX_SLEEP: Duration = Duration::from_millis(100);

/// One end of a connection with its socket.
struct End<'a> {
    shared: &'a Shared,
    state: &'a FlowState,
    socket: Socket,
    host: Host,
    failure: nix::Result<()>,
}

/// Receives flow `i` until its end; `ready` is passed once datagrams are taken.
pub fn receive(shared: &Shared, i: usize, state: &FlowState, host: Host, ready: &Barrier) {
    let end = End::open(shared, i, state, host, 1 - shared.placement.sender[i]);
    ready.wait();
    let served = end.and_then(|mut end| end.serve(|_, _| ()));
    report(shared, i, state, "receiver", served);
}

/// Sends flow `i` from its start to its stop or size.
pub fn send(shared: &Shared, i: usize, state: &FlowState, host: Host, opening: ClientConfig) {
    let flow = &shared.network.flows[i];
    let served = End::open(shared, i, state, host, shared.placement.sender[i]).and_then(|mut end| {
        shared.clock.sleep_until(flow.start);
        let datagram = f64::from(settings::datagram(flow));
        let _ = state.sender.set(Sender::Quic(Arc::clone(&end.host.seen), datagram));
        end.host.connect(shared.clock.now(), opening);
        let now = end.shared.clock.now();
        end.run(now);
        end.serve(|end, now| {
            // all is acknowledged: the client closes the connection
            if state.completed.set(now).is_ok() {
                end.host.close(now);
                end.run(now);
            }
        })
    });
    report(shared, i, state, "sender", served);
}

fn report(shared: &Shared, i: usize, state: &FlowState, end: &str, served: Result<(), LiveError>) {
    if let Err(e) = served {
        state.fail(format!("{}: {end}: {e}", shared.network.flows[i].name));
    }
}

/// The ECN field of packets that the stack wants to be marked: without the option the host clears it, as in world `quic`.
fn ecn_field(shared: &Shared, flow: &Flow) -> u8 {
    if !flow.tcp.ecn {
        return 0;
    }
    match flow.controller.build(&shared.network.path_facts(flow)).ecn_response() {
        EcnResponse::LowLatency => 1,
        EcnResponse::AsLoss | EcnResponse::ByShare => 2,
    }
}

impl<'a> End<'a> {
    fn open(shared: &'a Shared, i: usize, state: &'a FlowState, host: Host, number: usize) -> Result<Self, LiveError> {
        shared.hosts[number].namespace.enter()?;
        // a kernel would serve it at once; whether this one is punctual is seen by its lateness
        let _ = prioritise(&shared.network, PRIORITY - 1);
        let marked = ecn_field(shared, &shared.network.flows[i]);
        let socket = Socket::open(number, i, marked).map_err(|e| LiveError::call("socket", e))?;
        Ok(Self { shared, state, socket, host, failure: Ok(()) })
    }

    /// Serves the connection until the end of the run; `completed` is called when all that is sent is acknowledged.
    fn serve(&mut self, completed: impl Fn(&mut Self, Time)) -> Result<(), LiveError> {
        let (mut buffer, clock, mut due) = (vec![0; MAX_DATAGRAM], self.shared.clock, Time::ZERO);
        loop {
            let (now, mut done) = (clock.now(), false);
            if due <= now {
                if due > Time::ZERO {
                    self.late(now.saturating_sub(due));
                }
                self.host.on_timer(now);
                done = self.run(now);
            }
            for _ in 0..BATCH {
                let arrival = self.socket.receive(&mut buffer).map_err(|e| LiveError::call("receive", e))?;
                let Some(arrival) = arrival else { break };
                let now = clock.now();
                self.late(arrival.waited);
                let datagram = BytesMut::from(&buffer[..arrival.bytes]);
                let (socket, failure) = (&self.socket, &mut self.failure);
                self.host.receive(now, datagram, arrival.ecn, &mut |d| {
                    let _ = transmit(socket, failure, &d);
                });
                done |= self.run(now);
            }
            let now = clock.now();
            if done {
                completed(self, now);
            }
            self.state.delivered.fetch_max(self.host.delivered(), Ordering::Relaxed);
            if let Some((_, why)) = self.host.failure() {
                return Err(LiveError::Failed(why.to_owned()));
            }
            self.failure.map_err(|e| LiveError::call("send", e))?;
            if now >= self.shared.network.duration {
                return Ok(());
            }
            due = self.host.next_timer(now);
            self.socket.wait(clock.until(due).min(MAX_SLEEP));
        }
    }

    /// A timer or a datagram has waited so long for this thread.
    fn late(&self, late: Time) {
        self.state.lateness.lock().unwrap_or_else(PoisonError::into_inner).add(late);
    }

    /// Lets the stack send what it can.
    fn run(&mut self, now: Time) -> bool {
        let (socket, failure) = (&self.socket, &mut self.failure);
        self.host.run(now, &mut |d| transmit(socket, failure, &d))
    }
}

fn transmit(socket: &Socket, failure: &mut nix::Result<()>, datagram: &Datagram<'_>) -> ControlFlow<()> {
    let sent = socket.send(datagram.content, datagram.ecn.is_some());
    *failure = failure.and(sent);
    if failure.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
