//! World `theory` beyond what a run gives: questions about a scenario, maps, and formulas.

mod background;
mod formulas;
mod map;
mod question;
mod vocabulary;

pub(crate) use formulas::{filter_bias, late_samples, min_threshold, response, saw_tooth, smoothed_jitter, values};
pub(crate) use map::{Map, Written, draw};
pub(crate) use question::{Equilibrium, Fairness, Nyquist, Population, Question, Stability, Vegas, answer};
pub(crate) use vocabulary::{follows_algorithm, link_model_named, theory_error};
