//! Variation of links: steps in order of time, outages that end and are not too many, no steps together with a trace.

use crate::diagnostic::Report;
use eddyline_path::variation::{ChangeParams, LinkTrace, MAX_OUTAGES, OutageParams, unlisted_outages};
use eddyline_units::Time;

use crate::tree::{Node, Step};
use crate::typed::Typed;

/// Variation of one link, or of one direction of a duplex.
struct Given<'a> {
    path: Vec<Step<'static>>,
    changes: &'a [ChangeParams],
    outages: &'a [OutageParams],
    trace: Option<&'a LinkTrace>,
}

/// Reports steps out of order or without effect, outages without end or too many to be enumerated, and traces together with steps.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    for link in given(typed) {
        let mut wrong = |keys: &[Step<'static>], message: String, hint: &str| {
            let path: Vec<Step<'_>> = link.path.iter().chain(keys).copied().collect();
            report.wrong(root, &path, message, Some(hint.to_owned()));
        };
        if link.trace.is_some() && !link.changes.is_empty() {
            let message = "changes beside a trace: conditions over time come from one of the two".to_owned();
            wrong(
                &[Step::Key("changes")],
                message,
                "leave one of the two out; a file may have columns for rate, delay and loss",
            );
        }
        let mut previous: Option<Time> = None;
        for (i, change) in link.changes.iter().enumerate() {
            let place = [Step::Key("changes"), Step::Item(i)];
            if change.rate.is_none() && change.delay.is_none() && change.loss.is_none() {
                wrong(&place, "changes nothing".to_owned(), "give rate, delay or loss");
            }
            if let Some(previous) = previous.filter(|previous| change.at <= *previous) {
                let at = [place[0], place[1], Step::Key("at")];
                wrong(
                    &at,
                    format!("{} is not after the previous change, at {previous}", change.at),
                    "sort them by time",
                );
            }
            previous = Some(change.at);
        }
        let duration = typed.top_level.as_ref().map_or(Time::ZERO, |top_level| top_level.duration);
        let outages = unlisted_outages(link.outages, duration);
        if outages > MAX_OUTAGES {
            let message = format!(
                "{outages} outages in {duration} that do not repeat together soon; at most {} million",
                MAX_OUTAGES / 1_000_000
            );
            wrong(&[Step::Key("outages")], message, "choose periods with a common multiple, as 2 ms and 3 ms");
        }
        for (i, outage) in link.outages.iter().enumerate() {
            if let Some(every) = outage.every.filter(|every| *every <= outage.length) {
                let at = [Step::Key("outages"), Step::Item(i), Step::Key("every")];
                let message = format!("{every} is not above the length, {}: it would never end", outage.length);
                wrong(&at, message, "write a longer time, or leave it out for a single outage");
            }
        }
    }
}

fn given(typed: &Typed) -> Vec<Given<'_>> {
    let mut all = Vec::new();
    for (i, link) in typed.links.iter().enumerate() {
        let Some(l) = link else { continue };
        let path = vec![Step::Key("link"), Step::Item(i)];
        all.push(Given { path, changes: &l.changes, outages: &l.outages, trace: l.trace.as_ref() });
    }
    for (i, duplex) in typed.duplexes.iter().enumerate() {
        let Some(d) = duplex else { continue };
        for (way, side) in [("down", &d.down), ("up", &d.up)] {
            let path = vec![Step::Key("duplex"), Step::Item(i), Step::Key(way)];
            all.push(Given { path, changes: &side.changes, outages: &side.outages, trace: side.trace.as_ref() });
        }
    }
    all
}
