//! A packet for tests of queues.
#![allow(dead_code, reason = "each test file uses its own part")]

use eddyline_path::queue::{Discipline as _, Queue, QueueParams, Site};
use eddyline_path::{Acknowledgement, Class, Ecn, Packet};
use eddyline_units::{Rate, Time};

/// A packet that says what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Place in order of arrival.
    pub id: u64,
    pub flow: u64,
    pub host: u32,
    pub bytes: u32,
    pub class: Class,
    pub ecn: Ecn,
    pub acknowledges: Option<Acknowledgement>,
}

impl Packet for Parcel {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }
    fn class(&self) -> Class {
        self.class
    }
    fn payload_bytes(&self) -> u32 {
        if self.class == Class::Data { self.bytes.saturating_sub(40) } else { 0 }
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn host(&self) -> u32 {
        self.host
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.acknowledges
    }
}

/// A data packet.
pub fn data(id: u64, flow: u64, bytes: u32) -> Parcel {
    Parcel { id, flow, host: flow as u32, bytes, class: Class::Data, ecn: Ecn::NotCapable, acknowledges: None }
}

/// A pure acknowledgement of all bytes below `number`.
pub fn ack(id: u64, flow: u64, number: u64) -> Parcel {
    let acknowledges = Some(Acknowledgement { number, selective: false, flags: 0 });
    Parcel { acknowledges, class: Class::Ack, ..data(id, flow, 40) }
}

/// A queue as a scenario writes it, in JSON, on a link of `mbps`.
pub fn queue(json: &str, mbps: u64) -> Queue<Parcel> {
    let params: QueueParams = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
    let rate: Rate = serde_json::from_str(&format!("\"{mbps} Mbit/s\"")).unwrap();
    params.build(&Site { rate, seed: 1, name: "link" })
}

/// Puts a packet in; gives the ids of those dropped for it, itself among them.
pub fn put(queue: &mut Queue<Parcel>, now: Time, packet: Parcel) -> Vec<u64> {
    let mut dropped = Vec::new();
    if let Err(refused) = queue.enqueue(now, packet, &mut |p| dropped.push(p.id)) {
        dropped.push(refused.id);
    }
    dropped
}

/// Takes the next packet out; gives it with the ids of those dropped on the way.
pub fn take(queue: &mut Queue<Parcel>, now: Time) -> (Option<Parcel>, Vec<u64>) {
    let mut dropped = Vec::new();
    let packet = queue.dequeue(now, &mut |p| dropped.push(p.id));
    (packet, dropped)
}
