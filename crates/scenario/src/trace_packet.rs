//! Packet sizes of traffic that plays recorded packets, filled in before validation.
//!
//! A trace of packets is sent as it was recorded. Where one of them is above the default size, traffic without `packet` has the size
//! of the largest.

use std::path::{Path, PathBuf};

use eddyline_path::traffic::{Trace, TrafficParams};

use crate::files::Files;
use crate::model::default_packet;
use crate::tree::{Entry, Node, Step, Value};

/// Gives traffic without `packet` the size of the largest packet of its trace, if that is above the default.
pub(crate) fn fill_in(root: &mut Node, folder: Option<&Path>, files: &dyn Files) {
    for i in 0..root.tables("traffic").len() {
        let traffic = &root.tables("traffic")[i];
        let Some(model) = traffic.get("model").filter(|_| traffic.entry("packet").is_none()) else { continue };
        let at = model.at;
        // errors of the model and of its file are reported where they are read for the run
        let Ok(params) = serde_json::from_value::<TrafficParams>(model.to_json()) else { continue };
        let Some(largest) = largest_packet(&params, folder, files) else { continue };
        if largest <= default_packet().get() {
            continue;
        }
        let node = Node { value: Value::Text(format!("{largest} B")), at };
        if let Some(Node { value: Value::Table(traffic), .. }) = root.descend(&[Step::Key("traffic"), Step::Item(i)]) {
            traffic.push(Entry { key: "packet".to_owned(), at, node });
        }
    }
}

fn largest_packet(params: &TrafficParams, folder: Option<&Path>, files: &dyn Files) -> Option<u64> {
    let (file, how) = params.trace_file()?;
    let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
    let trace = Trace::read(&files.read(&path).ok()?, &how).ok()?;
    params.largest_packet(&trace)
}
