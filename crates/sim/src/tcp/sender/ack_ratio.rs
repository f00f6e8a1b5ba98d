//! Congestion control of acknowledgements, the data sender's half (RFC 5690): it infers which acknowledgements were lost, or
//! finds them marked, and asks the receiver for more or fewer.

/// The ratio with which a connection begins, and the least that is asked for (4.1; a least of two is allowed by 4.5).
pub const INITIAL: u32 = 2;
/// A window is answered by so many acknowledgements at least (4.5, constraint 2).
const K: f64 = 2.0;

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy)]
pub struct Heard {
    /// Everything below is acknowledged.
    pub una: u64,
    /// The next new number.
    pub nxt: u64,
    /// Segments newly acknowledged, cumulatively.
    pub segments: u64,
    /// Data was lost: what jumps then tells nothing (4.4.1).
    pub recovering: bool,
    /// It was marked on its way.
    pub marked: bool,
    /// The window in packets.
    pub window: f64,
}

/// The ratio: segments per acknowledgement.
#[derive(Debug, Clone, Copy)]
pub struct AckRatio {
    ratio: u32,
    /// The largest that the receiver may still be using.
    in_use: u32,
    /// Packets from this number on ask for `ratio`: not before one of them is acknowledged is it changed again.
    since: u64,
    /// Segments to be acknowledged without a loss until the ratio goes down.
    to_go: f64,
}

impl Default for AckRatio {
    fn default() -> Self {
        Self { ratio: INITIAL, in_use: INITIAL, since: 0, to_go: f64::INFINITY }
    }
}

impl AckRatio {
    /// What data packets ask for: never more than half of the window, rounded up.
    pub fn ask(&self, window: f64) -> u32 {
        self.ratio.min(most(window))
    }

    /// The retransmission timer expired: the window starts over, and the ratio (4.5.1).
    pub fn on_timeout(&mut self, nxt: u64) {
        self.change(INITIAL, nxt, 0.0);
    }

    fn change(&mut self, ratio: u32, nxt: u64, window: f64) {
        self.in_use = self.ratio.max(ratio);
        self.ratio = ratio;
        self.since = nxt;
        self.count_anew(window);
    }

    /// For each cwnd / (R^2 - R) windows without a loss the ratio goes down by one: so many segments (4.5, and appendix A of
    /// RFC 4341).
    fn count_anew(&mut self, window: f64) {
        let r = f64::from(self.ratio);
        self.to_go = window * window / (r * r - r);
    }

    /// An acknowledgement arrived.
    pub fn on_ack(&mut self, heard: &Heard) {
        if heard.una > self.since {
            self.in_use = self.ratio;
        }
        if heard.recovering {
            return;
        }
        let may_change = heard.una > self.since;
        if heard.marked || heard.segments > u64::from(self.in_use) {
            if may_change {
                let doubled = (2 * self.ratio).min(most(heard.window)).max(INITIAL);
                self.change(doubled, heard.nxt, heard.window);
            } else {
                self.count_anew(heard.window);
            }
            return;
        }
        self.to_go -= heard.segments as f64;
        if self.to_go <= 0.0 && may_change && self.ratio > INITIAL {
            self.change(self.ratio - 1, heard.nxt, heard.window);
        }
    }
}

/// The largest ratio that leaves two acknowledgements to a window.
fn most(window: f64) -> u32 {
    // rounded up without the platform's mathematics
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
        let hear = |segments: &u64| {
            *una += segments;
            let nxt = *una + WINDOW as u64;
            ratio.on_ack(&Heard {
                una: *una,
                nxt,
                segments: *segments,
                recovering: false,
                marked: false,
                window: WINDOW,
            });
            ratio.ask(WINDOW)
        };
        each.iter().map(hear).collect()
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

    /// After a decrease one more than asked for may come together for a window.
    #[test]
    fn what_the_receiver_may_still_use_is_no_loss() {
        let (mut ratio, mut una) = (AckRatio::default(), 0);
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [4]);
        // 40 x 40 / (16 - 4) = 133.3 segments without a loss
        assert!(ask(&mut ratio, &mut una, &[4; 33]).iter().all(|r| *r == 4));
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [3]);
        assert!(ask(&mut ratio, &mut una, &[4; 10]).iter().all(|r| *r == 3), "for the window of forty");
        assert_eq!(ask(&mut ratio, &mut una, &[4]), [6], "a loss after it");
    }

    #[test]
    fn marks_count_as_losses_and_losses_of_data_count_nothing() {
        let heard = Heard { una: 10, nxt: 50, segments: 2, recovering: false, marked: true, window: WINDOW };
        let mut ratio = AckRatio::default();
        ratio.on_ack(&heard);
        assert_eq!(ratio.ask(WINDOW), 4);
        let mut ratio = AckRatio::default();
        ratio.on_ack(&Heard { recovering: true, segments: 30, ..heard });
        assert_eq!(ratio.ask(WINDOW), 2);
        ratio.on_ack(&heard);
        ratio.on_timeout(50);
        assert_eq!(ratio.ask(WINDOW), 2);
    }
}
