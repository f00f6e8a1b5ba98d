//! Columns of series and packet logs as bytes for `numpy.frombuffer`, and packet logs as text.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use bytemuck::{NoUninit, cast_slice};
use eddyline_scenario::series::Series;
use eddyline_sim::{LogEvent, PacketLog};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::names::Names;

/// The series' columns by name: little-endian f64, u8, u32.
pub(crate) fn series<'py>(py: Python<'py>, series: &Series) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    put(&columns, "time_s", &series.time_s)?;
    put(&columns, "kind", &series.kind)?;
    put(&columns, "entity", &series.entity)?;
    put(&columns, "quantity", &series.quantity)?;
    put(&columns, "value", &series.value)?;
    Ok(columns)
}

/// The packet log's columns by name.
pub(crate) fn log<'py>(py: Python<'py>, log: &PacketLog) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    put(&columns, "time_s", &log.time_s)?;
    put(&columns, "event", &log.event)?;
    put(&columns, "packet", &log.packet)?;
    put(&columns, "source", &log.source)?;
    put(&columns, "link", &log.link)?;
    put(&columns, "seq", &log.seq)?;
    put(&columns, "bytes", &log.bytes)?;
    put(&columns, "retransmission", &log.retransmission)?;
    Ok(columns)
}

fn put<T: NoUninit>(columns: &Bound<'_, PyDict>, name: &str, values: &[T]) -> PyResult<()> {
    columns.set_item(name, PyBytes::new(columns.py(), cast_slice(values)))
}

/// Writes a packet log as text: time, event, packet, source, link, sequence number, bytes, `R` for a retransmission.
pub(crate) fn write_log(path: &str, log: &PacketLog, names: &Names) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    writeln!(out, "# time_s event packet source link seq bytes")?;
    for i in 0..log.time_s.len() {
        let event = LogEvent::NAMES[usize::from(log.event[i])];
        let packet = PacketLog::PACKETS[usize::from(log.packet[i])];
        let source = names.sources.get(log.source[i] as usize).map_or("-", String::as_str);
        let link = names.links.get(log.link[i] as usize).map_or("-", String::as_str);
        let retransmission = if log.retransmission[i] { " R" } else { "" };
        writeln!(
            out,
            "{:.9} {event:<7} {packet:<7} {source:?} {link:?} {} {}{retransmission}",
            log.time_s[i], log.seq[i], log.bytes[i]
        )?;
    }
    out.flush()
}
