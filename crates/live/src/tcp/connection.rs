//! The two ends of a flow's connection, a thread each.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use eddyline_capture::{PORT, address};
use eddyline_units::Time;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll, ppoll};
use nix::sys::socket::{Backlog, SockaddrIn, bind, connect, listen};
use nix::sys::time::TimeSpec;

use super::application::{Next, Offer};
use super::info::TcpInfo;
use super::options;
use crate::emulator::Shared;
use crate::error::LiveError;
use crate::flow_state::{FlowState, Sender};

/// Bytes written or read at once.
const CHUNK: usize = 256 << 10;
/// Spacing of looks at a connection's state.
const LOOK: Duration = Duration::from_millis(1);

/// Receives flow `i` until its end; `ready` is passed once connections are accepted.
pub fn receive(shared: &Shared, i: usize, state: &FlowState, ready: &Barrier) {
    let host = 1 - shared.placement.sender[i];
    let listener = listener(shared, i, host);
    ready.wait();
    if let Err(e) = listener.and_then(|l| accept_and_read(&l, shared, i, state)) {
        state.fail(format!("{}: receiver: {e}", shared.network.flows[i].name));
    }
}

fn listener(shared: &Shared, i: usize, host: usize) -> Result<TcpListener, LiveError> {
    shared.hosts[host].namespace.enter()?;
    let failed = |e| LiveError::call("listening socket", e);
    let socket = options::new_socket().map_err(failed)?;
    options::of_listener(&socket, &shared.network.flows[i]).map_err(failed)?;
    let address = SockaddrIn::from(SocketAddrV4::new(address(host, i), PORT));
    bind(socket.as_raw_fd(), &address).map_err(failed)?;
    listen(&socket, Backlog::new(1).map_err(failed)?).map_err(failed)?;
    Ok(TcpListener::from(socket))
}

fn accept_and_read(listener: &TcpListener, shared: &Shared, i: usize, state: &FlowState) -> Result<(), LiveError> {
    let (mut stream, _) = listener.accept().map_err(|e| LiveError::call("accept", e))?;
    let _ = options::of_receiver(&stream, &shared.network.flows[i]);
    let mut buffer = vec![0; CHUNK];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                state.delivered.fetch_add(read as u64, Ordering::Relaxed);
                let _ = options::of_receiver(&stream, &shared.network.flows[i]);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(LiveError::call("read", e)),
        }
    }
}

/// Sends flow `i` from its start to its stop or size.
pub fn send(shared: &Shared, i: usize, state: &FlowState, congestion_control: &str) {
    if let Err(e) = connect_and_write(shared, i, state, congestion_control) {
        state.fail(format!("{}: sender: {e}", shared.network.flows[i].name));
    }
}

fn connect_and_write(shared: &Shared, i: usize, state: &FlowState, control: &str) -> Result<(), LiveError> {
    let (flow, host) = (&shared.network.flows[i], shared.placement.sender[i]);
    shared.hosts[host].namespace.enter()?;
    let failed = |e| LiveError::call("socket", e);
    let socket = options::new_socket().map_err(failed)?;
    options::of_sender(&socket, &shared.network, flow, control).map_err(failed)?;
    let own = SockaddrIn::from(SocketAddrV4::new(address(host, i), 0));
    bind(socket.as_raw_fd(), &own).map_err(failed)?;
    let other = SockaddrIn::from(SocketAddrV4::new(address(1 - host, i), PORT));
    shared.clock.sleep_until(flow.start);
    connect(socket.as_raw_fd(), &other).map_err(|e| LiveError::call("connect", e))?;
    let stream = TcpStream::from(socket);
    let copy = stream.try_clone().map_err(|e| LiveError::call("socket", e))?;
    _ = state.sender.set(Sender::Tcp(copy));
    write(shared, i, &stream).map_err(|e| LiveError::call("write", e))?;
    if shared.clock.now() >= shared.network.duration {
        return Ok(());
    }
    stream.shutdown(Shutdown::Write).map_err(|e| LiveError::call("shutdown", e))?;
    while !TcpInfo::of(&stream).map_err(failed)?.is_finished() {
        thread::sleep(LOOK);
    }
    _ = state.completed.set(shared.clock.now());
    Ok(())
}

/// Writes until the transfer is complete, the flow stops or the run ends.
fn write(shared: &Shared, i: usize, mut stream: &TcpStream) -> std::io::Result<()> {
    let flow = &shared.network.flows[i];
    stream.set_nonblocking(true)?;
    let (buffer, end) = (vec![0; CHUNK], flow.stop.unwrap_or(Time::MAX).min(shared.network.duration));
    let mut offer = Offer::new(flow, flow.start);
    loop {
        let now = shared.clock.now();
        if now >= end {
            return Ok(());
        }
        match offer.next(now, false) {
            Next::Done => return Ok(()),
            Next::Wait(until) => shared.clock.sleep_until(until.min(end)),
            Next::Acknowledged => {
                thread::sleep(LOOK);
                if TcpInfo::of(&stream)?.is_all_acknowledged() {
                    let _ = offer.next(now, true);
                }
            }
            Next::Write(bytes) => {
                let bytes = bytes.min(CHUNK as u64) as usize;
                match stream.write(&buffer[..bytes]) {
                    Ok(written) => offer.written(written as u64),
                    Err(e) if e.kind() == ErrorKind::WouldBlock => wait_for_room(shared, stream, end),
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
        }
    }
}

/// Whether the kernel takes more data.
#[must_use]
pub fn can_write(stream: &TcpStream) -> bool {
    let mut fds = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Waits until more can be written, or until `end`.
fn wait_for_room(shared: &Shared, stream: &TcpStream, end: Time) {
    let mut fds = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    // a signal ends the wait early, which does no harm
    let _ = ppoll(&mut fds, Some(TimeSpec::from_duration(shared.clock.until(end))), None);
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::can_write;

    #[test]
    fn a_full_buffer_takes_no_more() {
        let (near, mut far) = UnixStream::pair().expect("a pair of sockets");
        let mut near = TcpStream::from(OwnedFd::from(near));
        near.set_nonblocking(true).expect("a socket");
        assert!(can_write(&near));
        while near.write(&[0; 4096]).is_ok() {}
        assert!(!can_write(&near));
        far.set_nonblocking(true).expect("a socket");
        let mut buffer = vec![0; 1 << 16];
        while far.read(&mut buffer).is_ok_and(|bytes| bytes > 0) {}
        assert!(can_write(&near));
    }
}
