//! Maps: an analysis over any two keys of a scenario.
//!
//! An [`Axis`] has the values of one key, [`evaluate`] computes a cell, [`Map`] is the document. The caller makes a network
//! for every cell. [`Map::samples`] are the points that the stability boundary needs besides; [`Map::locate`] computes one.

mod axis;
mod contour;

pub use axis::{Axis, AxisError, DEFAULT_POINTS, MAX_POINTS, Spacing};
pub use contour::{Located, Sample};

use std::collections::BTreeMap;

use eddyline_scenario::Network;
use serde::Serialize;

use crate::approximations::of_stability;
use crate::equilibrium::{Equilibria, Equilibrium};
use crate::error::TheoryError;
use crate::link_model::LinkModel;
use crate::model::{equilibria, fifo_equilibria, joint_equilibria, modelled_flows, require_modelled, without_state};
use crate::results::flow_results;
use crate::stability::{OperatingPoint, Options, crossing, stability_at};
use crate::world::run;
use contour::Verdicts;

/// Limit on cells of a map.
pub const MAX_CELLS: usize = 1_000_000;

/// Bracket of a point of the boundary, as a share of the distance between two cells.
const TOLERANCE: f64 = 1e-9;

/// What a map shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Show {
    /// Which links have a price.
    Bottleneck,
    /// The rightmost characteristic root.
    Stability(LinkModel),
    /// The rate of a flow, of all flows of one table with a `count`, or of all.
    Throughput(Option<String>),
}

/// Values of a cell; nulls if it failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CellValue {
    /// Of [`Show::Bottleneck`].
    Bottleneck {
        /// Links with a price in the first equilibrium, in file order with ` + ` between; `none` where there is none.
        region: Option<String>,
        /// How many equilibria were found.
        equilibria: Option<usize>,
        /// Links with a price in each of them.
        bottlenecks: Option<Vec<Vec<String>>>,
    },
    /// Of [`Show::Stability`]: about the first equilibrium.
    Stability {
        /// Whether small perturbations decay.
        stable: Option<bool>,
        /// Whether they neither decay nor grow.
        neutral: Option<bool>,
        /// Real part of the rightmost root in 1/s; null if no flow crosses a queue.
        root_re_per_s: Option<f64>,
        /// Its imaginary part in 1/s, at least 0.
        root_im_per_s: Option<f64>,
        /// How many equilibria were found.
        equilibria: Option<usize>,
    },
    /// Of [`Show::Throughput`], in the first equilibrium.
    Throughput {
        /// Data packets a second.
        packets_per_s: Option<f64>,
        /// Payload in bit/s.
        goodput_bps: Option<f64>,
        /// How many equilibria were found.
        equilibria: Option<usize>,
    },
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Value on the first axis, SI units.
    pub x: f64,
    /// Value on the second.
    pub y: f64,
    /// Its values.
    #[serde(flatten)]
    pub value: CellValue,
    /// Why it failed.
    pub error: Option<String>,
}

/// A map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Map {
    /// Title of the scenario.
    pub title: String,
    /// Version of this software.
    pub version: String,
    /// SHA-256 of the scenario's canonical JSON, the two keys as they are in the file.
    pub scenario_sha256: String,
    /// `bottleneck`, `stability` or `throughput`.
    pub show: &'static str,
    /// Of a stability map.
    pub link_model: Option<&'static str>,
    /// Whose throughput; null for the sum of all flows.
    pub flow: Option<String>,
    /// The first axis.
    pub x: Axis,
    /// The second.
    pub y: Axis,
    /// In row-major order: x varies fastest.
    pub cells: Vec<Cell>,
    /// Number of failed cells.
    pub failed: usize,
    /// Of a stability map: where disturbances begin to grow, as polylines of (x, y) in SI units, each point bracketed to 1e-9 of
    /// the distance between the two cells that it lies between.
    pub boundary: Option<Vec<Vec<[f64; 2]>>>,
    /// What the model leaves out of the scenario itself.
    pub notes: Vec<String>,
    /// What else it leaves out at the corners of the map.
    pub corner_notes: Vec<CornerNote>,
}

/// What the model leaves out at a corner of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CornerNote {
    /// Value on the first axis, as text.
    pub x: String,
    /// Value on the second.
    pub y: String,
    /// What it leaves out there.
    pub note: String,
}

impl Show {
    /// As on the command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bottleneck => "bottleneck",
            Self::Stability(_) => "stability",
            Self::Throughput(_) => "throughput",
        }
    }

    /// The values of a failed cell.
    #[must_use]
    pub const fn empty(&self) -> CellValue {
        match self {
            Self::Bottleneck => CellValue::Bottleneck { region: None, equilibria: None, bottlenecks: None },
            Self::Stability(_) => CellValue::Stability {
                stable: None,
                neutral: None,
                root_re_per_s: None,
                root_im_per_s: None,
                equilibria: None,
            },
            Self::Throughput(_) => CellValue::Throughput { packets_per_s: None, goodput_bps: None, equilibria: None },
        }
    }
}

/// The values of a cell with this `network`.
///
/// # Errors
/// [`TheoryError`], also if the requested flow has no model.
pub fn evaluate(network: &Network, show: &Show) -> Result<CellValue, TheoryError> {
    match show {
        Show::Bottleneck => bottleneck(network),
        Show::Stability(model) => rightmost(network, *model),
        Show::Throughput(flow) => throughput(network, flow.as_deref()),
    }
}

fn first(solved: &Equilibria) -> Result<&Equilibrium, TheoryError> {
    match solved.found.first() {
        Some(at) if solved.converged => Ok(at),
        Some(at) => Err(TheoryError::NotConverged(format!("{:e}", at.residual))),
        None => Err(TheoryError::NotConverged("unknown: no equilibrium was found".to_owned())),
    }
}

fn bottleneck(network: &Network) -> Result<CellValue, TheoryError> {
    let (model, solved) = joint_equilibria(network)?;
    if model.place.iter().all(Option::is_none) {
        return Err(without_state(network, &model));
    }
    first(&solved)?;
    let names = |at: &Equilibrium| -> Vec<String> {
        let full = network.links.iter().zip(&at.bottlenecks).filter(|(_, full)| **full);
        full.map(|(link, _)| link.name.clone()).collect()
    };
    let bottlenecks: Vec<Vec<String>> = solved.found.iter().map(names).collect();
    let region = bottlenecks.first().filter(|b| !b.is_empty()).map_or_else(|| "none".to_owned(), |b| b.join(" + "));
    Ok(CellValue::Bottleneck {
        region: Some(region),
        equilibria: Some(bottlenecks.len()),
        bottlenecks: Some(bottlenecks),
    })
}

fn rightmost(network: &Network, model: LinkModel) -> Result<CellValue, TheoryError> {
    require_modelled(network, !modelled_flows(network).is_empty())?;
    let solved = equilibria(network)?;
    // the list of roots is as long as that of `theory stability`, whose first root this is, to the last digit
    let options = Options { margins: false, ..Options::default() };
    let judged = stability_at(network, first(&solved)?, model, &options)?;
    let root = judged.roots.first();
    Ok(CellValue::Stability {
        stable: Some(judged.stable),
        neutral: Some(judged.neutral),
        root_re_per_s: root.map(|r| r.0),
        root_im_per_s: root.map(|r| r.1),
        equilibria: Some(solved.found.len()),
    })
}

/// Indices of the flows of that name; `None` if there are none.
#[must_use]
pub fn flows_called(network: &Network, name: &str) -> Option<std::ops::Range<usize>> {
    let group = network.groups.iter().find(|g| g.name == name).map(|g| g.first..g.first + g.count);
    group.or_else(|| network.flows.iter().position(|f| f.name == name).map(|s| s..s + 1))
}

fn throughput(network: &Network, name: Option<&str>) -> Result<CellValue, TheoryError> {
    let (model, solved) = joint_equilibria(network)?;
    let at = first(&solved)?;
    let flows = match name {
        None => 0..network.flows.len(),
        Some(name) => flows_called(network, name).unwrap_or_default(),
    };
    if flows.is_empty() {
        return Err(TheoryError::NoFlow);
    }
    let results = flow_results(network, &model, at, None);
    let (mut packets, mut goodput) = (0.0, 0.0);
    for result in &results[flows] {
        let (Some(x), Some(g)) = (result.packets_per_s, result.goodput_bps) else {
            return Err(without_state(network, &model));
        };
        packets += x;
        goodput += g;
    }
    Ok(CellValue::Throughput {
        packets_per_s: Some(packets),
        goodput_bps: Some(goodput),
        equilibria: Some(solved.found.len()),
    })
}

impl Map {
    /// The map of `network` over `x` and `y` with these cells, row by row.
    #[must_use]
    pub fn new(network: &Network, show: &Show, x: Axis, y: Axis, values: Vec<Result<CellValue, String>>) -> Self {
        let mut cells = Vec::with_capacity(values.len());
        let places = y.values.iter().flat_map(|y| x.values.iter().map(move |x| (*x, *y)));
        for ((x, y), value) in places.zip(values) {
            let (value, error) = match value {
                Ok(value) => (value, None),
                Err(error) => (show.empty(), Some(error)),
            };
            cells.push(Cell { x, y, value, error });
        }
        Self {
            title: network.title.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario_sha256: network.scenario_sha256.clone(),
            show: show.name(),
            link_model: if let Show::Stability(model) = show { Some(model.name()) } else { None },
            flow: if let Show::Throughput(flow) = show { flow.clone() } else { None },
            failed: cells.iter().filter(|c| c.error.is_some()).count(),
            boundary: None,
            notes: notes(network, show),
            corner_notes: Vec::new(),
            x,
            y,
            cells,
        }
    }

    /// Adds what the model leaves out at the four corners, of which `network_at` gives the networks, but what it leaves out
    /// elsewhere too, with other numbers in it.
    pub fn note_corners(&mut self, show: &Show, network_at: impl Fn(&str, &str) -> Option<Network>) {
        let mut known: Vec<String> = self.notes.iter().map(|note| without_numbers(note)).collect();
        let ends = |axis: &Axis| {
            let mut ends: Vec<String> =
                axis.settings.first().into_iter().chain(axis.settings.last()).cloned().collect();
            ends.dedup();
            ends
        };
        for y in ends(&self.y) {
            for x in ends(&self.x) {
                let Some(network) = network_at(&x, &y) else { continue };
                for note in notes(&network, show) {
                    let kind = without_numbers(&note);
                    if !known.contains(&kind) {
                        known.push(kind);
                        self.corner_notes.push(CornerNote { x: x.clone(), y: y.clone(), note });
                    }
                }
            }
        }
    }

    /// The points needed to draw the stability boundary; none in other maps.
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        if self.link_model.is_none() {
            return Vec::new();
        }
        let of = self.verdicts();
        Verdicts { columns: self.x.values.len(), of: &of }.samples()
    }

    /// Computes `sample`; `value_at` gives the cell of the scenario at these two values (SI units).
    pub fn locate(&self, sample: Sample, value_at: impl Fn(f64, f64) -> Option<CellValue>) -> Located {
        let (x, y) = (&self.x.values, &self.y.values);
        let columns = x.len();
        let known = |i: usize, j: usize| margin(&self.cells[j * columns + i].value).unwrap_or_default();
        match sample {
            Sample::Along(i, j) => {
                let bracket = ((x[i], known(i, j)), (x[i + 1], known(i + 1, j)));
                let of = |x: f64| value_at(x, y[j]).as_ref().and_then(margin);
                Located::Point([crossing(bracket.0, bracket.1, self.x.is_log(), TOLERANCE, of), y[j]])
            }
            Sample::Across(i, j) => {
                let bracket = ((y[j], known(i, j)), (y[j + 1], known(i, j + 1)));
                let of = |y: f64| value_at(x[i], y).as_ref().and_then(margin);
                Located::Point([x[i], crossing(bracket.0, bracket.1, self.y.is_log(), TOLERANCE, of)])
            }
            Sample::Middle(i, j) => {
                let half = |axis: &Axis, at: usize| {
                    crate::stability::between(axis.values[at], axis.values[at + 1], 0.5, axis.is_log())
                };
                Located::Verdict(
                    value_at(half(&self.x, i), half(&self.y, j)).as_ref().and_then(margin).map(|m| m > 0.0),
                )
            }
        }
    }

    /// Draws the boundary through the samples.
    pub fn draw(&mut self, found: BTreeMap<Sample, Located>) {
        if self.link_model.is_some() {
            let of = self.verdicts();
            self.boundary = Some(Verdicts { columns: self.x.values.len(), of: &of }.polylines(&found));
        }
    }

    fn verdicts(&self) -> Vec<Option<bool>> {
        self.cells.iter().map(|c| margin(&c.value).map(|m| m > 0.0)).collect()
    }
}

/// Below zero where disturbances grow. The sign is that of the verdict, which counts roots; the size is the distance of the rightmost
/// root from the axis.
fn margin(value: &CellValue) -> Option<f64> {
    let CellValue::Stability { stable: Some(stable), neutral, root_re_per_s, .. } = value else { return None };
    let size = root_re_per_s.map_or(1.0, f64::abs).max(f64::MIN_POSITIVE);
    Some(if *stable || *neutral == Some(true) { size } else { -size })
}

/// A note without its numbers; those in names stay.
fn without_numbers(note: &str) -> String {
    let is_number = |word: &&str| word.trim_end_matches([',', ';', ':', ')']).parse::<f64>().is_ok();
    note.split_whitespace().filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

fn notes(network: &Network, show: &Show) -> Vec<String> {
    if !matches!(show, Show::Stability(_)) {
        return run(network).map(|r| r.approximations).unwrap_or_default();
    }
    let Ok((model, solved)) = fifo_equilibria(network) else { return Vec::new() };
    let (Options { period, filter, .. }, Some(at)) = (Options::default(), solved.found.first()) else {
        return Vec::new();
    };
    let Ok(point) = OperatingPoint::new(network, at, period, filter) else { return Vec::new() };
    point.notes.into_iter().chain(of_stability(network, &model, at)).collect()
}
