//! The two-way ACK clock against packets: flows with fixed windows through two FIFO queues, nothing else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::PI;

use eddyline_theory::LinkModel;
use eddyline_theory::stability::{
    Characteristic, Complex, ComplexFunctions as _, Crossing, FlowPoint, OperatingPoint, rightmost,
};

/// Three flows over two links; data over one, acknowledgements over the other.
struct Setting {
    first: [usize; 3],
    rate: [f64; 3],
    /// Size of a flow's packet on each link.
    size: [[f64; 2]; 3],
    /// Seconds from the first queue to the second, and from there to the sender.
    wire: [[f64; 2]; 3],
    price: [f64; 2],
}

const FIRST: Setting = Setting {
    first: [0, 1, 0],
    rate: [0.9224802170394539, 0.6366944481646504, 0.8322431582507663],
    size: [[1.0, 0.05010990803500205], [0.16754664089632515, 1.0], [1.0, 0.27244422125556655]],
    wire: [
        [0.7921280216010556, 0.5164079193072406],
        [0.27759900115193253, 0.22653247229064544],
        [0.36192601439713457, 0.23156249219196523],
    ],
    price: [0.6477861521295124, 0.571457935342963],
};

const SECOND: Setting = Setting {
    first: [0, 1, 0],
    rate: [0.3909852009688534, 0.6240224916972793, 0.8879862406282206],
    size: [[1.0, 0.2765210878372965], [0.058867410080471264, 1.0], [1.0, 0.06521293916721614]],
    wire: [
        [0.9309439362910794, 0.21214484207196105],
        [0.31614260003749983, 0.73184897030935],
        [0.24569574931111396, 0.5035919085393468],
    ],
    price: [0.7362496141461291, 0.41712591330224463],
};

impl Setting {
    fn load(&self, l: usize) -> f64 {
        (0..3).map(|k| self.rate[k] * self.size[k][l]).sum()
    }

    /// Seconds from the first queue to the second, and around.
    fn times(&self, k: usize) -> (f64, f64) {
        let second = self.price[self.first[k]] + self.wire[k][0];
        (second, second + self.price[1 - self.first[k]] + self.wire[k][1])
    }

    fn point(&self) -> OperatingPoint {
        let mut point = OperatingPoint { links: vec![0, 1], ..OperatingPoint::default() };
        for k in 0..3 {
            let (second, rtt_s) = self.times(k);
            let passage = |link: usize, forward_s| {
                let share = self.rate[k] * self.size[k][link] / self.load(link);
                Crossing { link, share, forward_s }
            };
            let crossings = vec![passage(self.first[k], 0.0), passage(1 - self.first[k], second)];
            // rho = 1: the window does not respond to delay
            point.add(FlowPoint { rtt_s, gain: 1.0, rho: 1.0, crossings, ..FlowPoint::default() });
        }
        point
    }

    /// Amplitude of both queues at frequency `omega` in each of `windows` windows of six periods.
    fn packets(&self, per_second: f64, omega: f64, windows: usize) -> Vec<[f64; 2]> {
        let mut free = self.price;
        let mut events = BinaryHeap::new();
        // times are positive, so their bits are ordered as they are
        let at = |t: f64, n: u32, k: usize, hop: usize| Reverse((t.to_bits(), n, k, hop));
        let mut n = 0;
        for k in 0..3 {
            let (second, rtt) = self.times(k);
            let window = (self.rate[k] * rtt * per_second).round() as u32;
            for i in 0..window {
                let u = (f64::from(i) + 0.5) / f64::from(window) * rtt;
                let shift = 0.005 * libm::sin(omega * u + k as f64) / omega;
                // those between the queues reach the second one first
                let earlier = u - rtt + second;
                let event = if earlier >= 0.0 { (earlier + shift, 1) } else { (u + shift, 0) };
                events.push(at(event.0.max(0.0), n, k, event.1));
                n += 1;
            }
        }
        let length = 12.0 * PI / omega;
        let mut sums = vec![[Complex::ZERO; 2]; windows];
        while let Some(Reverse((bits, n, k, hop))) = events.pop() {
            let t = f64::from_bits(bits);
            let window = (t / length) as usize;
            if window >= windows {
                break;
            }
            let l = if hop == 0 { self.first[k] } else { 1 - self.first[k] };
            let busy = self.size[k][l] / (self.load(l) * per_second);
            free[l] = free[l].max(t);
            let weight = (1.0 - libm::cos(2.0 * PI * t / length)) * busy / length;
            let wave = Complex::new(libm::cos(omega * t), -libm::sin(omega * t));
            sums[window][l] += wave * (2.0 * weight * (free[l] - t - self.price[l]));
            free[l] += busy;
            events.push(at(free[l] + self.wire[k][hop], n, k, 1 - hop));
        }
        sums.into_iter().map(|s| [s[0].modulus(), s[1].modulus()]).collect()
    }
}

#[test]
fn patterns_grow_at_the_rate_of_the_root() {
    for (setting, windows) in [(FIRST, 11), (SECOND, 5)] {
        let point = setting.point();
        let f = Characteristic::new(&point, LinkModel::AckClocked);
        // roots with shorter waves than a few hundred packets can show do not count
        let found = rightmost(&f, 40).found;
        let root = found.iter().find(|r| r.at.im < 9.0).expect("one").at;
        assert!(root.re > 0.05, "{root:?}");
        let amplitudes = setting.packets(4000.0, root.im, windows);
        let span = 12.0 * PI / root.im * (windows - 2) as f64;
        for l in 0..2 {
            let (from, to) = (amplitudes[1][l], amplitudes[windows - 1][l]);
            let growth = libm::log(to / from) / span;
            assert!((growth / root.re - 1.0).abs() < 0.05, "{growth} for {}: {amplitudes:?}", root.re);
        }
        // the joint model lacks such patterns
        let joint = rightmost(&Characteristic::new(&point, LinkModel::Joint), 4);
        assert!(joint.right == Some(0), "{joint:?}");
    }
}
