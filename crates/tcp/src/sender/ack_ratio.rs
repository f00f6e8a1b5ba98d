//! Congestion control of acknowledgements, the data sender's side (RFC 5690): it detects lost or marked acknowledgements and asks
//! the receiver for fewer or more of them.

use eddyline_cc::{AnyController, Controller as _};

use crate::config::Config;

/// The initial and the minimum ratio (4.1; 4.5 allows a minimum of two).
pub const INITIAL: u32 = 2;
/// Minimum number of acknowledgements per window (4.5, constraint 2).
const K: f64 = 2.0;

/// Source of the ACK ratio that data segments request: RFC 5690, the controller, or none.
#[derive(Debug)]
pub struct AckRatioControl {
    rfc5690: Option<Box<AckRatio>>,
    /// The controller chooses the ratio.
    by_controller: bool,
}

impl AckRatioControl {
    /// The source that `config` selects.
    pub fn new(config: &Config) -> Self {
        Self { rfc5690: config.ack_congestion_control.then(Box::default), by_controller: config.controller_ack_ratio }
    }

    /// Whether `config` selects a source.
    pub fn is_needed(config: &Config) -> bool {
        config.ack_congestion_control || config.controller_ack_ratio
    }

    /// The ratio under RFC 5690, if that is the source.
    pub fn rfc5690_mut(&mut self) -> Option<&mut AckRatio> {
        self.rfc5690.as_deref_mut()
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&mut self, nxt: u64) {
        if let Some(ratio) = &mut self.rfc5690 {
            ratio.on_timeout(nxt);
        }
    }

    /// The ratio that a data segment requests; zero if it requests none.
    pub fn ask(&self, controller: &AnyController) -> u32 {
        match &self.rfc5690 {
            Some(ratio) => ratio.ask(controller.window()),
            None if self.by_controller => controller.ack_ratio().map_or(0, |ratio| ratio.max(1)),
            None => 0,
        }
    }
}

/// An acknowledgement, as far as the ratio is concerned.
#[derive(Debug, Clone, Copy)]
pub struct RatioAck {
    /// Everything below is acknowledged.
    pub una: u64,
    /// The next new number.
    pub nxt: u64,
    /// Segments newly acknowledged, cumulatively.
    pub segments: u64,
    /// Data was lost: large advances then do not indicate lost acknowledgements (4.4.1).
    pub recovering: bool,
    /// It was CE-marked.
    pub marked: bool,
    /// The window in packets.
    pub window: f64,
}

/// The ratio: segments per acknowledgement.
#[derive(Debug, Clone, Copy)]
pub struct AckRatio {
    ratio: u32,
    /// The largest ratio that the receiver may still be using.
    in_use: u32,
    /// Packets from this number on ask for `ratio`; it changes again only after one of them is acknowledged.
    since: u64,
    /// Segments to be acknowledged without a lost acknowledgement until the ratio decreases.
    until_decrease: f64,
}

impl Default for AckRatio {
    fn default() -> Self {
        Self { ratio: INITIAL, in_use: INITIAL, since: 0, until_decrease: f64::INFINITY }
    }
}

impl AckRatio {
    /// The ratio that data packets ask for: at most half of the window, rounded up.
    pub fn ask(&self, window: f64) -> u32 {
        self.ratio.min(max_ratio(window))
    }

    /// The retransmission timer expired: the ratio is reset (4.5.1).
    pub fn on_timeout(&mut self, nxt: u64) {
        self.change(INITIAL, nxt, 0.0);
    }

    fn change(&mut self, ratio: u32, nxt: u64, window: f64) {
        self.in_use = self.ratio.max(ratio);
        self.ratio = ratio;
        self.since = nxt;
        self.restart_count(window);
    }

    /// After cwnd / (R^2 - R) windows without a lost acknowledgement the ratio decreases by one (4.5, and appendix A of RFC 4341).
    fn restart_count(&mut self, window: f64) {
        let r = f64::from(self.ratio);
        self.until_decrease = window * window / (r * r - r);
    }

    /// An acknowledgement arrived.
    pub fn on_ack(&mut self, ack: &RatioAck) {
        let may_change = ack.una > self.since;
        // the first one that covers a packet with a lower ratio may cover as many segments as the old ratio allowed: they were waiting
        // when that packet came
        let allowed = self.in_use;
        if may_change {
            self.in_use = self.ratio;
        }
        if ack.recovering {
            return;
        }
        if ack.marked || ack.segments > u64::from(allowed) {
            if may_change {
                let doubled = (2 * self.ratio).min(max_ratio(ack.window)).max(INITIAL);
                self.change(doubled, ack.nxt, ack.window);
            } else {
                self.restart_count(ack.window);
            }
            return;
        }
        self.until_decrease -= ack.segments as f64;
        if self.until_decrease <= 0.0 && may_change && self.ratio > INITIAL {
            self.change(self.ratio - 1, ack.nxt, ack.window);
        }
    }
}

/// The largest ratio that leaves two acknowledgements per window.
fn max_ratio(window: f64) -> u32 {
    // rounded up without the platform's math library
    let half = window / K;
    let whole = half as u32;
    (whole + u32::from(f64::from(whole) < half)).max(INITIAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers are segments here; the window is forty.
    const WINDOW: f64 = 40.0;

    /// Acknowledgements of so many segments each, one after the other; gives what is asked for after each.
    fn ask(ratio: &mut AckRatio, una: &mut u64, each: &[u64]) -> Vec<u32> {
        let step = |segments: &u64| {
            *una += segments;
            let nxt = *una + WINDOW as u64;
            ratio.on_ack(&RatioAck {
                una: *una,
                nxt,
                segments: *segments,
                recovering: false,
                marked: false,
                window: WINDOW,
            });
            ratio.ask(WINDOW)
        };
        each.iter().map(step).collect()
    }

    #[test]
    fn doubles_once_a_window_and_never_beyond_half_of_it() {
        let (mut ratio, mut una) = (AckRatio::default(), 0);
        assert_eq!(ask(&mut ratio, &mut una, &[2, 2, 2]), [2, 2, 2]);
        // more than two: one was lost; more than four too, but not before data that asks for four is acknowledged
        assert_eq!(ask(&mut ratio, &mut una, &[4, 6, 6, 20]), [4, 4, 4, 4]);
        assert_eq!(ask(&mut ratio, &mut una, &[4, 8]), [4, 8]);
        // 40 ends the window in which the ratio became eight
        assert_eq!(ask(&mut ratio, &mut una, &[40, 8, 16, 40]), [8, 8, 16, 16]);
        // 40 x 40 / (256 - 16) = 6.7 segments without a loss, but one change a window
        assert_eq!(ask(&mut ratio, &mut una, &[8, 16, 40]), [15, 15, 20]);
        assert_eq!(ask(&mut ratio, &mut una, &[8, 40]), [20, 20], "half of the window");
        assert_eq!((ratio.ask(9.0), ratio.ask(8.0), ratio.ask(3.0)), (5, 4, 2), "rounded up, two at least");
    }

    /// After a decrease one more than asked for may come together for a window, and in the first acknowledgement after it.
    #[test]
    fn acknowledgements_within_the_old_ratio_are_not_lost() {
        let (mut ratio, mut una) = (AckRatio::default(), 0);
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [4]);
        // 40 x 40 / (16 - 4) = 133.3 segments without a loss
        assert!(ask(&mut ratio, &mut una, &[4; 33]).iter().all(|r| *r == 4));
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [3]);
        assert!(ask(&mut ratio, &mut una, &[4; 10]).iter().all(|r| *r == 3), "for the window of forty");
        assert_eq!(
            ask(&mut ratio, &mut una, &[4]),
            [3],
            "three segments were waiting as the first came that asks for three"
        );
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [6], "a loss after it");
    }

    #[test]
    fn marks_count_as_losses_and_data_losses_do_not() {
        let ack = RatioAck { una: 10, nxt: 50, segments: 2, recovering: false, marked: true, window: WINDOW };
        let mut ratio = AckRatio::default();
        ratio.on_ack(&ack);
        assert_eq!(ratio.ask(WINDOW), 4);
        let mut ratio = AckRatio::default();
        ratio.on_ack(&RatioAck { recovering: true, segments: 30, ..ack });
        assert_eq!(ratio.ask(WINDOW), 2);
        ratio.on_ack(&ack);
        ratio.on_timeout(50);
        assert_eq!(ratio.ask(WINDOW), 2);
    }
}
