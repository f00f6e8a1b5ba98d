//! The applications at both ends of a flow: one offers data, the other reads it.

use std::sync::LazyLock;

use bytes::Bytes;
use eddyline_scenario::network::{Application as Offer, Flow as FlowSpec};
use eddyline_units::Time;
use noq_proto::{Connection, Dir, StreamId, WriteError};

use crate::observed::Observations;

/// Maximum bytes that are handed to the stack before it can send them, unless `MIN_UNSENT` datagrams are more.
const MAX_UNSENT: u64 = 1 << 16;
/// Minimum, in datagrams.
const MIN_UNSENT: u64 = 4;

/// Maximum bytes handed over at once: the stack keeps a record of each piece, and a window may have no bound.
const PIECE: usize = 1 << 24;

/// What is sent: zeros, which cost no memory.
static ZEROS: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(vec![0; PIECE]));

/// The sending application of a flow.
#[derive(Debug)]
pub struct SendingApplication {
    offer: Offer,
    start: Time,
    stop: Option<Time>,
    size: Option<u64>,
    /// Flow control may block a write too.
    receive_window: Option<u64>,
    stream: Option<StreamId>,
    /// Bytes handed to the stack.
    written: u64,
    /// Objects that have been acknowledged.
    objects: u64,
    /// The FIN of the current stream has been written.
    finished: bool,
    /// Bytes that must be acknowledged, growth of the window counted too, before more is written.
    next_write: Option<u64>,
    /// It has more than the stack took.
    blocked: bool,
    completed: bool,
}

impl SendingApplication {
    /// The application of `spec`.
    pub fn new(spec: &FlowSpec) -> Self {
        Self {
            offer: spec.application,
            start: spec.start,
            stop: spec.stop,
            size: spec.size,
            receive_window: spec.receive_window,
            stream: None,
            written: 0,
            objects: 0,
            finished: false,
            next_write: None,
            blocked: false,
            completed: false,
        }
    }

    /// When it next has something to do by itself, or [`Time::MAX`].
    pub fn wake(&self, now: Time) -> Time {
        if self.completed {
            return Time::MAX;
        }
        if now < self.start {
            return self.start;
        }
        let stop = self.stop.filter(|stop| *stop > now).unwrap_or(Time::MAX);
        match self.offer {
            Offer::Bursts { every, .. } if !self.ended(now) => {
                let bursts = (now - self.start).as_ps() / every.as_ps().max(1);
                stop.min(self.start.saturating_add(every.saturating_mul(bursts + 1)))
            }
            _ => stop,
        }
    }

    /// Whether the stack certainly has data that it has not sent: it would not take more, and little was acknowledged since.
    pub fn has_unsent(&self) -> bool {
        self.next_write.is_some()
    }

    fn stopped(&self, now: Time) -> bool {
        self.stop.is_some_and(|stop| stop <= now)
    }

    fn ended(&self, now: Time) -> bool {
        self.stopped(now) || self.size.is_some_and(|size| size <= self.written)
    }

    /// Bytes that it has offered by `now`.
    fn offered(&self, now: Time) -> u64 {
        if self.stopped(now) {
            return self.written;
        }
        let offered = match self.offer {
            Offer::Bulk => u64::MAX,
            Offer::Bursts { bytes, every } => {
                let bursts = 1 + (now - self.start).as_ps() / every.as_ps().max(1);
                bytes.saturating_mul(bursts)
            }
            Offer::Objects { bytes } => bytes.saturating_mul(1 + self.objects),
        };
        offered.min(self.size.unwrap_or(u64::MAX))
    }

    /// Hands data to the stack: as much as it can send at once and a little more, so that it is limited by the window and not by this
    /// application, and so that `stop` finds little that waits.
    pub fn write(&mut self, now: Time, connection: &mut Connection, seen: &Observations, datagram: u16) {
        if self.completed || self.finished || now < self.start {
            return;
        }
        if self.stream.is_none() {
            self.stream = connection.streams().open(Dir::Uni);
        }
        let Some(stream) = self.stream else { return };
        let offered = self.offered(now);
        let progress = seen.acked().wrapping_add(seen.window());
        if self.written < offered && self.next_write.is_none_or(|next| next <= progress) {
            let unsent_limit = (seen.window() / 4).min(MAX_UNSENT).max(MIN_UNSENT * u64::from(datagram));
            let send_window = seen.window().saturating_add(unsent_limit);
            connection.set_send_window(send_window);
            (self.next_write, self.blocked) = (None, false);
            while self.written < offered {
                let chunk = ZEROS.slice(..(offered - self.written).min(PIECE as u64) as usize);
                match connection.send_stream(stream).write_chunks(&mut &mut [chunk][..]) {
                    Ok(n) => {
                        self.written += n as u64;
                        seen.note_written(n as u64);
                    }
                    Err(WriteError::Blocked) => {
                        let limited = self.receive_window.is_some();
                        self.next_write = (!limited).then(|| progress.wrapping_add(unsent_limit / 2));
                        self.blocked = true;
                        seen.note_unacknowledged(send_window.min(self.receive_window.unwrap_or(u64::MAX)));
                        break;
                    }
                    // the connection is closing
                    Err(_) => break,
                }
            }
        }
        self.blocked &= self.written < offered;
        seen.note_more(self.blocked.then(|| self.receive_window.unwrap_or(u64::MAX)));
        let object_ended = matches!(self.offer, Offer::Objects { .. }) && self.written == self.offered(now);
        if self.ended(now) || object_ended {
            self.finished = connection.send_stream(stream).finish().is_ok();
        }
    }

    /// A stream is completely acknowledged; returns whether it was the last one.
    pub fn on_finished(&mut self, now: Time, stream: StreamId) -> bool {
        if self.stream != Some(stream) {
            return false;
        }
        self.stream = None;
        self.completed = self.ended(now);
        if !self.completed {
            self.objects += 1;
            self.finished = false;
            (self.next_write, self.blocked) = (None, false);
        }
        self.completed
    }
}

/// Reads all streams of the other side in order.
#[derive(Debug, Default)]
pub struct ReceivingApplication {
    delivered: u64,
}

impl ReceivingApplication {
    /// Bytes read so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Reads what is there of `stream`.
    pub fn read(&mut self, connection: &mut Connection, stream: StreamId) {
        let mut receive = connection.recv_stream(stream);
        let Ok(mut chunks) = receive.read(true) else { return };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.delivered += chunk.bytes.len() as u64;
        }
        // MAX_DATA and MAX_STREAM_DATA that are due follow: the connection is always asked for packets after this
        let _ = chunks.finalize().should_transmit();
    }
}
