//! Active queue management under real TCP: New Reno with SACK, one flow and ten, 10 Mbit/s and more.

mod scenarios;

use eddyline_scenario::result::LinkResult;
use eddyline_scenario::series::{LINK, Quantity};
use eddyline_sim::Options;
use scenarios::{link, network, outcome};

/// Warm-up of a run, in seconds; it goes on for 80 more.
const WARMUP: f64 = 40.0;
/// Spacing of the series, in seconds.
const STEP: f64 = 0.002;

struct Run {
    link: LinkResult,
    /// How long an arriving packet would wait, every [`STEP`].
    waits: Vec<f64>,
}

fn simulate(queue: &str, mbps: f64, rtt_ms: f64, flows: u32) -> Run {
    let half = rtt_ms / 2.0;
    let text = format!(
        "duration = \"120 s\"\nwarmup = \"{WARMUP} s\"\nseed = 1\nrecord = {{ interval = \"{STEP} s\" }}\n\
         [[link]]\nname = \"f\"\nrate = \"{mbps} Mbit/s\"\ndelay = \"{half} ms\"\nqueue = {{ {queue} }}\n\
         [[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"{half} ms\"\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"f\"]\nack = [\"b\"]\n\
         packet = \"1500 B\"\ncount = {flows}\nstagger = \"37 ms\"\n"
    );
    let o = outcome(&network(&text), &Options { series: true, ..Options::default() });
    let bytes = o.series.as_ref().unwrap().of(LINK, 0, Quantity::QueueBytes);
    let waits = bytes.into_iter().filter(|(t, _)| *t >= WARMUP).map(|(_, b)| b * 8.0 / (mbps * 1e6)).collect();
    Run { link: link(&o.result, "f").clone(), waits }
}

/// The standing queue (RFC 8289, section 3.1): the mean, over all windows of this length, of the least wait in each.
fn standing(waits: &[f64], window_s: f64) -> f64 {
    let least =
        waits.windows((window_s / STEP).round() as usize).map(|w| w.iter().copied().fold(f64::INFINITY, f64::min));
    let least: Vec<f64> = least.collect();
    least.iter().sum::<f64>() / least.len() as f64
}

/// CoDel holds what stands, not what comes and goes. Packets that all come within an interval and a round trip, which is how
/// long a drop takes to come and to be felt, find a wait below the target now and then. In that time N flows add N packets
/// a round trip to a queue that stood at the target: that much wait on top and no more, but for one packet in a hundred.
#[test]
fn codel_holds_its_target() {
    let (target, interval, rtt) = (0.005, 0.1, 0.1);
    for mbps in [10.0, 20.0, 50.0, 100.0] {
        for flows in [1, 10] {
            let run = simulate("kind = \"codel\"", mbps, rtt * 1e3, flows);
            let stands = standing(&run.waits, interval + rtt);
            assert!(stands <= target, "{mbps} Mbit/s, {flows} flows: {stands} s stand");
            let packet = 1500.0 * 8.0 / (mbps * 1e6);
            let most = target + f64::from(flows) * packet * (1.0 + interval / rtt);
            let p99 = run.link.queueing_delay_s.p99.unwrap();
            assert!(p99 <= most, "{mbps} Mbit/s, {flows} flows: 1 % wait more than {p99} s, not {most}");
            // the queue is in use: neither is the link idle beyond what New Reno's halving leaves of it, 75 %
            let used = run.link.utilisation.unwrap();
            let least = if flows == 1 { 0.75 } else { 0.95 };
            assert!(used > least, "{mbps} Mbit/s, {flows} flows: {used} used");
        }
    }
}

/// A PI controller leaves no error in the mean where something stands in the queue all the time: with ten flows, and with one
/// whose halved window still fills the pipe. The wait swings by half of itself over some two seconds, so 80 s know its mean
/// to some 8 %; twice that is allowed, three times for the slower swings of one flow.
#[test]
fn pie_and_dualpi2_hold_their_target() {
    for kind in ["pie", "dualpi2"] {
        for mbps in [10.0, 20.0, 50.0, 100.0] {
            for rtt_ms in [20.0, 100.0] {
                let ratio = |flows| {
                    let run = simulate(&format!("kind = \"{kind}\""), mbps, rtt_ms, flows);
                    run.link.queueing_delay_s.mean.unwrap() / 0.015
                };
                let what = format!("{kind} at {mbps} Mbit/s, {rtt_ms} ms");
                let ten = ratio(10);
                assert!((ten - 1.0).abs() < 0.16, "{what}: ten flows wait {ten} targets");
                // at 100 ms a lone flow's halving empties the queue, so the mean is below the target, never above
                let one = ratio(1);
                assert!(one < 1.24, "{what}: one flow waits {one} targets");
                assert!(one > 0.76 || rtt_ms > 20.0 || mbps > 20.0, "{what}: one flow waits {one} targets");
            }
        }
    }
    for (target_ms, mbps) in [(30.0, 10.0), (30.0, 20.0), (5.0, 50.0)] {
        let run = simulate(&format!("kind = \"pie\", target = \"{target_ms} ms\""), mbps, 20.0, 10);
        let ratio = run.link.queueing_delay_s.mean.unwrap() * 1e3 / target_ms;
        assert!((ratio - 1.0).abs() < 0.16, "{mbps} Mbit/s, {target_ms} ms: ten flows wait {ratio} targets");
    }
}

/// Adaptive RED brings the average of a queue with much to send into its target: 9 to 11 packets, as the thresholds are 5 and
/// 15 on links that send less than ten packets in 5 ms. Arrivals, which the law averages over, see half a packet more or less
/// than time does.
#[test]
fn adaptive_red_holds_its_average() {
    for (mbps, flows) in [(4.0, 10), (4.0, 30), (10.0, 30), (10.0, 100)] {
        let run = simulate("kind = \"adaptive_red\"", mbps, 100.0, flows);
        let mean = run.link.queue_packets.mean.unwrap();
        assert!((8.5..=11.5).contains(&mean), "{mbps} Mbit/s, {flows} flows: {mean} packets");
    }
}
