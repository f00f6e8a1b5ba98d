//! Columns of series and packet logs as bytes for `numpy.frombuffer`.

use bytemuck::{NoUninit, cast_slice};
use eddyline_scenario::series::Series;
use eddyline_sim::PacketLog;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

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
