//! Maps over two keys of a scenario: a network for every cell, computed on all processors.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use eddyline_scenario::{Copies, Diagnostics, Format, Input, Network, Scenario};
use eddyline_theory::LinkModel;
use eddyline_theory::map::{self, Axis, CellValue, MAX_CELLS, Sample, Show, flows_called};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::background;
use super::vocabulary::link_model_named;
use crate::custom::current;
use crate::errors::{EddylineError, InputError, guarded, internal, scenario_error};
use crate::load::format_named;

/// A scenario as it was written, with overrides; see `load`. Cells are loaded from it, so that what follows from a key follows
/// anew, and errors name its lines.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Written {
    text: String,
    format: Format,
    name: String,
    folder: Option<PathBuf>,
    overrides: Vec<(String, String)>,
    copies: Arc<Copies>,
}

#[pymethods]
impl Written {
    #[new]
    #[pyo3(signature = (text, format, name, folder, overrides, copies))]
    fn new(
        text: String,
        format: &str,
        name: String,
        folder: Option<PathBuf>,
        overrides: Vec<(String, String)>,
        copies: HashMap<PathBuf, PathBuf>,
    ) -> PyResult<Self> {
        Ok(Self { text, format: format_named(format)?, name, folder, overrides, copies: Arc::new(Copies(copies)) })
    }
}

impl Written {
    fn load(&self, more: &[(&str, &str)]) -> Result<Network, Diagnostics> {
        let input = Input { text: &self.text, format: self.format, name: &self.name, folder: self.folder.as_deref() };
        let more = more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let overrides: Vec<_> = self.overrides.iter().cloned().chain(more).collect();
        eddyline_scenario::load_from(&current(), &input, &overrides, &*self.copies).map(|scenario| scenario.network)
    }
}

/// A map over the keys `x` and `y` of a scenario, each with its range. `show` is `bottleneck`, `stability` (by `link_model`) or
/// `throughput` (of `flow`, or of all).
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Map {
    x: (String, String),
    y: (String, String),
    show: String,
    flow: Option<String>,
    link_model: LinkModel,
    written: Written,
}

#[pymethods]
impl Map {
    #[new]
    #[pyo3(signature = (x, y, show, written, *, flow = None, link_model = "ack_clocked"))]
    fn new(
        x: (String, String),
        y: (String, String),
        show: String,
        written: Written,
        flow: Option<String>,
        link_model: &str,
    ) -> PyResult<Self> {
        Ok(Self { x, y, show, flow, link_model: link_model_named(link_model)?, written })
    }
}

/// Everything needed to load the scenario with the values of a cell.
struct Source {
    written: Written,
    keys: [String; 2],
    show: Show,
}

impl Source {
    fn load(&self, x: &str, y: &str) -> Result<Network, Diagnostics> {
        let [first, second] = &self.keys;
        self.written.load(&[(first, x), (second, y)])
    }

    /// What the map shows at one cell; a panic there fails this cell only.
    fn evaluate(&self, x: &str, y: &str) -> Result<CellValue, String> {
        let evaluate = || {
            let network = self.load(x, y).map_err(|d| d.to_string())?;
            map::evaluate(&network, &self.show).map_err(|e| e.to_string())
        };
        catch_unwind(AssertUnwindSafe(evaluate))
            .unwrap_or_else(|_| Err("internal error: a defect of Eddyline".to_owned()))
    }
}

/// The map as a JSON document. `progress` is called with the jobs done and their number, which grows when the cells are done
/// and a boundary remains to be located.
pub(crate) fn draw(
    py: Python<'_>,
    scenario: &Scenario,
    request: Map,
    progress: Option<&Py<PyAny>>,
) -> PyResult<String> {
    let network = &scenario.network;
    let show = show(&request, network)?;
    let accepts = |key: &str, value: &str| request.written.load(&[(key, value)]).is_ok();
    let x = axis("--x", &request.x, accepts)?;
    let y = axis("--y", &request.y, accepts)?;
    if x.key == y.key {
        return Err(InputError::new_err((format!("both axes are {}", x.key), "a map needs two different keys")));
    }
    let (columns, rows) = (x.values.len(), y.values.len());
    if columns * rows > MAX_CELLS {
        let message = format!("{columns} x {rows} cells; at most {MAX_CELLS} are allowed");
        return Err(InputError::new_err((message, "ask for fewer points: KEY=LO..HI:POINTS")));
    }
    let source =
        Arc::new(Source { written: request.written, keys: [x.key.clone(), y.key.clone()], show: show.clone() });
    let outcome = py.detach(|| {
        guarded(|| {
            if let Some(diagnostics) = diagnostics(&source, &x, &y)? {
                return Ok(Err(diagnostics));
            }
            let map = compute(network, &show, x, y, &source, progress)?;
            serde_json::to_string_pretty(&map).map(Ok).map_err(|e| internal(e.to_string()))
        })
    })?;
    match outcome {
        Ok(text) => Ok(text),
        Err(diagnostics) => Err(scenario_error(py, &diagnostics)?),
    }
}

fn show(request: &Map, network: &Network) -> PyResult<Show> {
    if let Some(name) = request.flow.as_deref().filter(|name| flows_called(network, name).is_none()) {
        let names = network.groups.iter().map(|g| &g.name).chain(network.flows.iter().map(|f| &f.name));
        let names: Vec<String> = names.take(20).map(|name| format!("{name:?}")).collect();
        let hint = format!("flows are {}", names.join(", "));
        return Err(InputError::new_err((format!("there is no flow called {name:?}"), hint)));
    }
    match request.show.as_str() {
        "bottleneck" => Ok(Show::Bottleneck),
        "stability" => Ok(Show::Stability(request.link_model)),
        "throughput" => Ok(Show::Throughput(request.flow.clone())),
        other => Err(PyValueError::new_err(format!("a map shows bottleneck, stability or throughput, not {other:?}"))),
    }
}

/// Ends of an example of an axis, one for each unit.
const EXAMPLES: [(&str, &str); 8] = [
    ("10 Mbit/s", "100 Mbit/s"),
    ("10 ms", "100 ms"),
    ("10 packets", "100 packets"),
    ("10 kB", "100 kB"),
    ("1 /s", "10 /s"),
    ("1 %", "10 %"),
    ("0.1", "1"),
    ("1", "10"),
];

/// An axis. The hint of an error is an example with a unit that `accepts`, the check of a key's value, allows.
fn axis(option: &str, (key, range): &(String, String), accepts: impl Fn(&str, &str) -> bool) -> PyResult<Axis> {
    Axis::parse(key, range).map_err(|e| {
        let valid = EXAMPLES.into_iter().find(|(low, high)| accepts(key, low) && accepts(key, high));
        let (low, high) = valid.unwrap_or(("LO", "HI"));
        let hint = format!("for example {option} '{key}={low}..{high}:41:log'");
        InputError::new_err((format!("{option} {key}={range}: {e}"), hint))
    })
}

/// The errors of the first value that is invalid with every value of the other axis. A single invalid pair is a failed
/// cell.
fn diagnostics(source: &Arc<Source>, x: &Axis, y: &Axis) -> PyResult<Option<Diagnostics>> {
    let values: Vec<(bool, String)> =
        x.settings.iter().map(|v| (true, v.clone())).chain(y.settings.iter().map(|v| (false, v.clone()))).collect();
    let (shared, others) = (Arc::clone(source), [y.settings.clone(), x.settings.clone()]);
    let check = move |(first, value): &(bool, String)| {
        let load = |other: &String| if *first { shared.load(value, other) } else { shared.load(other, value) };
        let mut tries = others[usize::from(!first)].iter().map(load);
        match tries.next() {
            Some(Err(diagnostics)) if !tries.any(|t| t.is_ok()) => Err(diagnostics),
            _ => Ok(()),
        }
    };
    let checked = background::map(values, check, |_, _| Ok(()))?;
    Ok(checked.into_iter().find_map(Result::err).map(|d| renamed(d, x, y)))
}

/// Replaces `--set`, as the loader calls overrides, by the option of the axis.
fn renamed(mut diagnostics: Diagnostics, x: &Axis, y: &Axis) -> Diagnostics {
    for diagnostic in &mut diagnostics.all {
        for (option, key) in [("--x", &x.key), ("--y", &y.key)] {
            if let Some(value) = diagnostic.file.strip_prefix("--set ").and_then(|f| f.strip_prefix(&format!("{key}=")))
            {
                diagnostic.file = format!("{option} {key}={value}");
                break;
            }
        }
    }
    diagnostics
}

fn compute(
    network: &Network,
    show: &Show,
    x: Axis,
    y: Axis,
    source: &Arc<Source>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<map::Map> {
    let report = |py: Python<'_>, done: usize, of: usize| match progress {
        Some(callback) => callback.call1(py, (done, of)).map(drop),
        None => Ok(()),
    };
    let cells: Vec<(String, String)> =
        y.settings.iter().flat_map(|y| x.settings.iter().map(move |x| (x.clone(), y.clone()))).collect();
    let count = cells.len();
    let work = {
        let source = Arc::clone(source);
        move |cell: &(String, String)| source.evaluate(&cell.0, &cell.1)
    };
    let values = background::map(cells, work, |py, done| report(py, done, count))?;
    if let Some(Err(why)) = values.first().filter(|_| values.iter().all(Result::is_err)) {
        return Err(EddylineError::new_err(format!("every cell of the map failed; the first: {why}")));
    }
    let mut map = map::Map::new(network, show, x, y, values);
    map.note_corners(show, |x, y| source.load(x, y).ok());
    let samples = map.samples();
    if map.link_model.is_some() {
        let total = count + samples.len();
        let (source, known) = (Arc::clone(source), Arc::new(map.clone()));
        let look = move |sample: &Sample| {
            let at = |x: f64, y: f64| source.evaluate(&known.x.setting(x), &known.y.setting(y)).ok();
            (*sample, known.locate(*sample, at))
        };
        let found = background::map(samples, look, |py, done| report(py, count + done, total))?;
        map.draw(found.into_iter().collect::<BTreeMap<_, _>>());
    }
    Ok(map)
}
