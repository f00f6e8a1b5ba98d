//! The tests of links and queues, one executable: to link each file by itself takes longer than to run it.

mod ack_decimation;
mod ack_filter;
mod ack_priority;
mod both_links;
mod cake;
mod codel;
mod common;
mod disciplines;
mod droptail;
mod drr;
mod dualpi2;
mod fq_codel;
mod framing;
mod headdrop;
mod histogram;
mod jitter;
#[path = "../../examples/make_movie_trace.rs"]
mod make_movie_trace;
mod medium;
mod meter;
mod per_connection;
mod pie;
mod reconstruct;
mod red;
mod rem;
mod schedules;
mod sfq;
mod step;
mod tbf;
mod test_packet;
mod trace_text;
mod traffic;
mod traffic_video;
mod variation;
mod waits;
