//! Files that a scenario refers to: traces of unresponsive traffic, sizes of transfers, recordings of links.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eddyline_path::ParamError;
use eddyline_path::loss::LossParams;
use eddyline_path::traffic::{SizeParams, Trace};
use eddyline_path::variation::{LinkTrace, Recording};

use crate::diagnostic::Report;
use crate::files::{Files, Unreadable};
use crate::model::Traffic;
use crate::tree::{Node, Step};
use crate::typed::Typed;

/// How packets of a capture become lines that traffic plays.
const FROM_CAPTURE: &str = "times and sizes as text: tshark -r FILE -Y 'ip.src == SENDER' -T fields -E occurrence=f -e frame.time_relative -e ip.len";

/// Traces of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// One per traffic table, where its model names a file.
    pub of_traffic: Vec<Option<Arc<Trace>>>,
    /// One per table of arrivals, where its sizes come from a file.
    pub of_arrivals: Vec<Option<Arc<[u64]>>>,
    /// One per link, those of duplex tables last, where it replays a file.
    pub of_links: Vec<Option<Arc<Recording>>>,
    /// Every file read, once, with the folder.
    pub files: Vec<PathBuf>,
}

/// Reads the files of traffic models, each once per format, and checks the models against their content. Errors are reported at
/// their key.
pub(crate) fn read(
    root: &Node,
    typed: &Typed,
    folder: Option<&Path>,
    files: &dyn Files,
    report: &mut Report<'_>,
) -> Traces {
    let mut known: HashMap<String, Option<Arc<Trace>>> = HashMap::new();
    let mut traces = Traces::default();
    for (i, traffic) in typed.traffic.iter().enumerate() {
        let Some(traffic) = traffic else {
            traces.of_traffic.push(None);
            continue;
        };
        let table = [Step::Key("traffic"), Step::Item(i)];
        let mut wrong = |key: &str, message: String, hint: Option<String>| {
            report.wrong(root, &[&table[..], &[Step::Key("model"), Step::Key(key)]].concat(), message, hint);
        };
        let trace = match traffic.model.trace_file() {
            None => None,
            Some((file, how)) => {
                let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
                let same = format!("{how:?} {file}");
                let first = !known.contains_key(&same);
                let trace = known.entry(same).or_insert_with(|| {
                    let unreadable =
                        |e: Unreadable| (e.message, (if e.is_capture { FROM_CAPTURE } else { e.hint }).to_owned());
                    let trace = files.read(&path).map_err(unreadable).and_then(|text| {
                        let refused = |e| (format!("{} is no trace: {e}", path.display()), how.form());
                        Trace::read(&text, &how).map_err(refused)
                    });
                    trace.map_err(|(e, hint)| wrong("file", e, Some(hint))).ok().map(Arc::new)
                });
                if first && trace.is_some() && !traces.files.contains(&path) {
                    traces.files.push(path);
                }
                trace.clone()
            }
        };
        if trace.is_some() || traffic.model.trace_file().is_none() {
            for error in errors(traffic, trace.as_deref()) {
                wrong(error.key, error.message, None);
            }
        }
        if let Some(largest) = trace.as_deref().and_then(|trace| traffic.model.largest_packet(trace))
            && largest > traffic.packet.get()
        {
            let message = format!("{} is less than the trace's largest packet, {largest} B", traffic.packet);
            let hint = format!("leave packet out, or packet = \"{largest} B\": recorded packets are not split");
            report.wrong(root, &[&table[..], &[Step::Key("packet")]].concat(), message, Some(hint));
        }
        traces.of_traffic.push(trace);
    }
    sizes(root, typed, folder, files, &mut traces, report);
    recordings(root, typed, folder, files, &mut traces, report);
    traces
}

/// The error and the hint of a file whose lines are no packets.
fn not_of_packets(error: Unreadable, form: &str) -> (String, String) {
    let hint = if error.is_capture {
        format!("packets are traffic, a [[traffic]] table with a model of kind trace; here: {form}")
    } else {
        error.hint.to_owned()
    };
    (error.message, hint)
}

/// Reads recordings of links.
fn recordings(
    root: &Node,
    typed: &Typed,
    folder: Option<&Path>,
    files: &dyn Files,
    traces: &mut Traces,
    report: &mut Report<'_>,
) {
    let links = typed.links.iter().enumerate().map(|(i, l)| {
        let given = l.as_ref().and_then(|l| Some((l.trace.as_ref()?, l.loss)));
        (vec![Step::Key("link"), Step::Item(i)], given)
    });
    let directions = typed.duplexes.iter().enumerate().flat_map(|(i, d)| {
        ["down", "up"].map(|way| {
            let side = d.as_ref().map(|d| if way == "down" { &d.down } else { &d.up });
            let given = side.and_then(|s| Some((s.trace.as_ref()?, s.loss.unwrap_or_default())));
            (vec![Step::Key("duplex"), Step::Item(i), Step::Key(way)], given)
        })
    });
    for (place, given) in links.chain(directions).collect::<Vec<_>>() {
        let (trace, own_loss) = given.unzip();
        let loses = own_loss.is_some_and(|loss| !matches!(loss, LossParams::Independent(p) if p <= 0.0));
        let read = |trace: &LinkTrace| {
            let file = trace.file()?;
            let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
            let recording = files.read(&path).map_err(|e| not_of_packets(e, trace.form())).and_then(|text| {
                let refused =
                    |e| (format!("{} is no recording of a link: {e}", path.display()), trace.form().to_owned());
                trace.read(&text).map_err(refused)
            });
            Some((path, recording))
        };
        let recording = trace.and_then(read).and_then(|(path, recording)| {
            let refused = |(error, hint)| {
                let at: Vec<Step<'_>> = place.iter().copied().chain([Step::Key("trace"), Step::Key("file")]).collect();
                report.wrong(root, &at, error, Some(hint));
            };
            let recording = recording.map_err(refused).ok()?;
            if !traces.files.contains(&path) {
                traces.files.push(path);
            }
            Some(Arc::new(recording))
        });
        let says_loss =
            recording.as_ref().is_some_and(|r| r.has_loss()) || matches!(trace, Some(LinkTrace::Starlink(_)));
        if loses && says_loss {
            let at: Vec<Step<'_>> = place.iter().copied().chain([Step::Key("loss")]).collect();
            let message =
                "loss beside a trace that says by itself how many packets are lost: it would have no effect".to_owned();
            report.wrong(root, &at, message, Some("leave it out, or take another trace".to_owned()));
        }
        traces.of_links.push(recording);
    }
}

/// Reads files of transfer sizes.
fn sizes(
    root: &Node,
    typed: &Typed,
    folder: Option<&Path>,
    files: &dyn Files,
    traces: &mut Traces,
    report: &mut Report<'_>,
) {
    for (i, arrivals) in typed.arrivals.iter().enumerate() {
        let Some(SizeParams::Trace { file }) = arrivals.as_ref().map(|a| &a.size) else {
            traces.of_arrivals.push(None);
            continue;
        };
        let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
        let listed = files.read(&path).map_err(|e| not_of_packets(e, SizeParams::FORM)).and_then(|text| {
            let refused = |e| (format!("{} is no list of sizes: {e}", path.display()), SizeParams::FORM.to_owned());
            SizeParams::read(&text).map_err(refused)
        });
        let listed = listed.map_err(|(e, hint)| {
            let at = [Step::Key("arrivals"), Step::Item(i), Step::Key("size"), Step::Key("file")];
            report.wrong(root, &at, e, Some(hint));
        });
        if listed.is_ok() && !traces.files.contains(&path) {
            traces.files.push(path);
        }
        traces.of_arrivals.push(listed.ok().map(Arc::from));
    }
}

fn errors(traffic: &Traffic, trace: Option<&Trace>) -> Vec<ParamError> {
    u32::try_from(traffic.packet.get()).map_or_else(|_| Vec::new(), |packet| traffic.model.errors(packet, trace))
}
