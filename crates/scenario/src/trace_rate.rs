//! Rates of links that leave them to their trace, filled in before validation.
//!
//! A link without `rate` has the mean rate of its recording, over the recording's duration: what a queue of a given size takes to
//! drain on average, as for the synthetic profiles, whose mean is the link's `rate` too.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use eddyline_path::variation::LinkTrace;

use crate::diagnostic::Report;
use crate::files::Files;
use crate::tree::{Entry, Node, Step, Value};

/// A rate for the further checks of a link whose trace has an error of its own.
const UNKNOWN: &str = "1 Mbit/s";

/// What helps where a recording does not have the rate.
const GIVE: &str = "give the link a rate";

/// Rates that a link may have, in bit/s.
const RATES: RangeInclusive<u64> = 1..=10_000_000_000_000;

/// Gives each link that has a trace from a file and no rate the mean rate of the file.
pub(crate) fn fill_in(root: &mut Node, folder: Option<&Path>, files: &dyn Files, report: &mut Report<'_>) {
    for i in 0..root.tables("link").len() {
        let link = &root.tables("link")[i];
        let Some(trace) = link.get("trace").filter(|_| link.entry("rate").is_none()) else { continue };
        let at = trace.at;
        let rate =
            match serde_json::from_value::<LinkTrace>(trace.to_json()).map(|trace| mean_rate(&trace, folder, files)) {
                Ok(None) => continue,
                Ok(Some(Ok(rate))) => rate,
                Ok(Some(Err((message, hint)))) => {
                    let path = [Step::Key("link"), Step::Item(i), Step::Key("trace")];
                    report.wrong(root, &path, message, Some(hint.to_owned()));
                    UNKNOWN.to_owned()
                }
                // the schema reports it
                Err(_) => UNKNOWN.to_owned(),
            };
        let entry = Entry { key: "rate".to_owned(), at, node: Node { value: Value::Text(rate), at } };
        if let Some(Node { value: Value::Table(link), .. }) = root.descend(&[Step::Key("link"), Step::Item(i)]) {
            link.push(entry);
        }
    }
}

/// The mean rate of a file's recording, or what is wrong with a hint; none of a profile, which has no rate of its own.
fn mean_rate(
    trace: &LinkTrace,
    folder: Option<&Path>,
    files: &dyn Files,
) -> Option<Result<String, (String, &'static str)>> {
    let file = trace.file()?;
    let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
    // errors of the file are reported where it is read for the run
    let Ok(Ok(recording)) = files.read(&path).map(|text| trace.read(&text)) else {
        return Some(Ok(UNKNOWN.to_owned()));
    };
    let path = path.display();
    Some(match (recording.mean_rate(), recording.rows().iter().find(|row| row.rate.is_some())) {
        (Some(rate), _) if RATES.contains(&rate.as_bps()) => Ok(format!("{} bit/s", rate.as_bps())),
        (Some(rate), _) => {
            let mean = rate.as_bps();
            Err((format!("the mean rate of {path} is {mean} bit/s; 1 bit/s to 10 Tbit/s are allowed"), GIVE))
        }
        (None, Some(first)) => {
            let from = first.from.as_secs_f64();
            Err((format!("the link has no rate, and {path} has none before {from} s"), GIVE))
        }
        (None, None) => {
            let column = trace.rate_column();
            let message = format!("the link has no rate, and {path} has no column {column} with values");
            Err((message, "call the column of rates so (bit/s), or give the link a rate if it is constant"))
        }
    })
}
