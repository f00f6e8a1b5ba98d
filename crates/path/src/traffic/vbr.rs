//! `vbr`: a video of frames with varying size at varying intervals.
//!
//! The model is deliberately small. Time between frames: a geometric number of ticks of the camera's clock, as with an encoder
//! that skips frames. Frame sizes: lognormal, their logarithm the sum of a level that holds for a scene and
//! of a first-order autoregressive process within it; a scene ends at each frame with the same probability, so its
//! length is geometric. The marginal distribution is lognormal with exactly the configured mean and coefficient of variation.
//!
//! The defaults give the mean frame and mean interval of section 5.2 of Ge et al., Performance Effects of Two-way FAST
//! TCP: 908 frames in 70 s, 5,032 bits each, 65 kbit/s. The coefficient of variation is not in that paper; 0.7 lies
//! among the published statistics of films in H.263 without a target rate (Fitzek and Reisslein: 0.53 to 0.78). Scene
//! length and correlation are assumptions.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distributions::{Geometric, LogNormal, normal};
use super::frame::Frame;
use super::frames::{Fragmentation, Frames, ViewerStreams};
use super::model::{Emission, Setup, one, yes};
use super::trace_text::Trace;
use crate::ParamError;
use crate::random::Stream;

/// Parameters of `vbr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VbrParams {
    /// Viewers, each with a stream of its own on the wire.
    #[schemars(range(min = 1, max = 100_000))]
    pub copies: u32,
    /// All viewers see the same frame at the same time; else each has an independent film of the same kind.
    pub synchronised: bool,
    /// Where in the film playback begins, at most 1 d: other frames of the same seed.
    #[schemars(extend("x-maximum" = "1 d"))]
    pub offset: Time,
    /// Mean frame size, without headers.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub mean_frame: Bytes,
    /// Mean time between frames; at least one tick of `frame_clock`.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub mean_interval: Time,
    /// Time between two frames is a multiple of this.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub frame_clock: Time,
    /// Coefficient of variation of frame sizes: standard deviation over mean.
    #[schemars(range(min = 0, max = 100))]
    pub cv: f64,
    /// Mean length of a scene.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub mean_scene: Time,
    /// Share of the logarithmic sizes' variance that lies between scenes, in [0, 1]; the rest is within them.
    #[schemars(range(min = 0, max = 1))]
    pub scene_share: f64,
    /// Correlation of successive frames' logarithmic sizes within a scene, in [0, 1).
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub correlation: f64,
    /// Header bytes that each packet of a frame carries besides its part of the frame.
    pub header: Bytes,
}

impl Default for VbrParams {
    fn default() -> Self {
        Self {
            copies: one(),
            synchronised: yes(),
            offset: Time::ZERO,
            mean_frame: Bytes::new(629),
            // 70 s over 908
            mean_interval: Time::from_ps(77_092_511_013),
            frame_clock: Time::from_ms(40),
            cv: 0.7,
            mean_scene: Time::from_ms(5000),
            scene_share: 0.5,
            correlation: 0.8,
            header: Bytes::ZERO,
        }
    }
}

const MAX_OFFSET: Time = Time::from_ms(86_400_000);

impl VbrParams {
    fn ticks(&self) -> f64 {
        (self.mean_interval.as_ps() as f64 / self.frame_clock.as_ps().max(1) as f64).max(1.0)
    }

    fn mean_interval_s(&self) -> f64 {
        self.ticks() * self.frame_clock.as_ps().max(1) as f64 / 1e12
    }

    fn sizes(&self) -> LogNormal {
        LogNormal::with(self.mean_frame.get().max(1) as f64, self.cv)
    }

    pub(super) fn mean_rate_bps(&self, packet: u32, _trace: Option<&Trace>) -> Option<f64> {
        let cut = Fragmentation::new(packet, self.header);
        let mut bytes = self.mean_frame.get() as f64;
        if cut.header > 0 {
            // mean number of packets: the sum over k of the probability that a frame, rounded to a byte, needs more
            // than k
            let needs = |k: u32| self.sizes().tail(f64::from(k) * f64::from(cut.payload) + 0.5);
            let packets = 1.0 + (1..1_000_000).map(needs).take_while(|p| *p > 1e-12).sum::<f64>();
            bytes += packets * f64::from(cut.header);
        }
        Some(f64::from(self.copies) * bytes * 8.0 / self.mean_interval_s())
    }

    pub(super) fn errors(&self, packet: u32, _trace: Option<&Trace>, found: &mut Vec<ParamError>) {
        if self.mean_interval < self.frame_clock {
            let message = format!("must be at least one tick of frame_clock, {}", self.frame_clock);
            found.push(ParamError::new("mean_interval", message));
        }
        Fragmentation::errors(packet, self.header, found);
    }
}

/// An endless film: the frames of `vbr`, the first at time zero.
#[derive(Debug, Clone)]
pub struct Movie {
    stream: Stream,
    ticks: Geometric,
    clock: u64,
    /// Mean logarithm of a frame's size.
    mu: f64,
    between_scenes: f64,
    within_scene: f64,
    correlation: f64,
    /// Standard deviation of the innovation of a frame within a scene.
    innovation: f64,
    scene_ends: f64,
    /// Time of the next frame; `None` at the end of time.
    at: Option<u64>,
    scene: f64,
    /// Deviation from the scene's level; `None` at a scene's first frame.
    deviation: Option<f64>,
}

impl Movie {
    /// The film that `stream` makes with these parameters.
    #[must_use]
    pub fn new(params: &VbrParams, stream: Stream) -> Self {
        let sizes = params.sizes();
        let share = params.scene_share.clamp(0.0, 1.0);
        let within = sizes.sigma * libm::sqrt(1.0 - share);
        Self {
            stream,
            ticks: Geometric::with_mean(params.ticks()),
            clock: params.frame_clock.as_ps().max(1),
            mu: sizes.mu,
            between_scenes: sizes.sigma * libm::sqrt(share),
            within_scene: within,
            correlation: params.correlation,
            innovation: within * libm::sqrt((1.0 - params.correlation * params.correlation).max(0.0)),
            scene_ends: params.mean_interval_s() / params.mean_scene.as_secs_f64(),
            at: Some(0),
            scene: 0.0,
            deviation: None,
        }
    }

    /// The next frame; `None` at the end of time.
    #[must_use]
    pub fn next_frame(&mut self) -> Option<Frame> {
        let at = self.at?;
        let deviation = if let Some(last) = self.deviation {
            self.correlation * last + self.innovation * normal(&mut self.stream)
        } else {
            self.scene = self.between_scenes * normal(&mut self.stream);
            self.within_scene * normal(&mut self.stream)
        };
        let bytes = libm::exp(self.mu + self.scene + deviation);
        let ticks = self.ticks.sample(&mut self.stream);
        self.at = ticks.checked_mul(self.clock).and_then(|gap| at.checked_add(gap));
        self.deviation = (self.stream.uniform() >= self.scene_ends).then_some(deviation);
        Some(Frame { at: Time::from_ps(at), bytes: ((bytes + 0.5) as u32).max(1) })
    }
}

/// A film from `offset` on, its frames at the traffic's times.
#[derive(Debug, Clone)]
struct Screening {
    movie: Movie,
    offset: u64,
    start: u64,
}

impl Frames for Screening {
    fn next_frame(&mut self) -> Option<Frame> {
        loop {
            let frame = self.movie.next_frame()?;
            if let Some(since) = frame.at.as_ps().checked_sub(self.offset) {
                return Some(Frame { at: Time::from_ps(self.start.checked_add(since)?), ..frame });
            }
        }
    }
}

/// State of `vbr`.
#[derive(Debug, Clone)]
pub(super) struct Vbr(ViewerStreams<Screening>);

impl Vbr {
    pub(super) fn new(params: &VbrParams, setup: &Setup<'_>) -> Self {
        let (players, viewers) = if params.synchronised { (1, params.copies) } else { (params.copies, 1) };
        let mut phases = setup.stream("phase");
        let screening = |copy: u32| Screening {
            movie: Movie::new(params, setup.stream(&format!("copy {copy}"))),
            offset: params.offset.min(MAX_OFFSET).as_ps(),
            // independent viewers do not all start at the same instant
            start: if params.synchronised {
                setup.start.as_ps()
            } else {
                setup.start.as_ps().saturating_add(phases.below(params.mean_interval.as_ps()))
            },
        };
        let players = if viewers == 0 { 0 } else { players };
        let cut = Fragmentation::new(setup.packet, params.header);
        Self(ViewerStreams::new((0..players).map(screening).collect(), viewers, cut))
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        self.0.next()
    }
}
