//! Standard slow start and congestion avoidance (RFC 5681, 3.1), as a part that loss-based controllers put together.

/// The window of a loss-based controller with its slow-start threshold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlowStart {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Thresholds are whole packets.
    pub(crate) whole_packets: bool,
}

impl SlowStart {
    pub(crate) fn new(initial_window: f64) -> Self {
        Self { cwnd: initial_window.max(1.0), ssthresh: f64::INFINITY, whole_packets: false }
    }

    /// Grows by one packet per acknowledgement if in slow start; says whether it was.
    #[inline]
    pub(crate) fn grow(&mut self, acked: f64) -> bool {
        let slow = self.cwnd < self.ssthresh;
        if slow {
            self.cwnd += acked.min(1.0);
        }
        slow
    }

    /// Sets threshold and window after a fast retransmit.
    pub(crate) fn reduce_to(&mut self, packets: f64) {
        self.ssthresh = self.threshold(packets);
        self.cwnd = self.ssthresh;
    }

    /// Starts over from one packet (RFC 5681, equation 4); a repeated timeout leaves the threshold as it was.
    pub(crate) fn collapse(&mut self, packets: f64, repeated: bool) {
        if !repeated {
            self.ssthresh = self.threshold(packets);
        }
        self.cwnd = 1.0;
    }

    fn threshold(&self, packets: f64) -> f64 {
        // truncation, exact for any window there is: floor() is the platform's
        let packets = if self.whole_packets { (packets as u64) as f64 } else { packets };
        packets.max(2.0)
    }

    pub(crate) fn restart(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window.max(1.0));
    }
}
