/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Options of FAST and VFAST beyond the window law, as crates/cc/src/kinds/fast/options.rs and drain.rs have them: a congestion signal
 * that is not the delay of the round trip, and pauses that drain the queue. A connection with an option has this state besides
 * struct law_state.
 */
#ifndef EDDYLINE_OPTIONS_H
#define EDDYLINE_OPTIONS_H

#include "delay.h"

/* What a connection does about pauses. */
enum { LAW_UNKNOWN, LAW_RUNS, LAW_PAUSES };

struct law_options {
	/* the receiver's clock, from timestamps of 32 bits */
	law_u64 received; /* us; 0 before the first */
	law_u32 stamp;
	/* the latest sample, until the window law has used it */
	law_u32 fresh;
	law_u64 rtt; /* us */
	law_u32 in_pause;
	law_u32 fraction; /* of the window's last binary place << 16 */
	struct law_split split;
	law_u64 pace; /* us << 8: round-trip time that sets the pacing rate */
	/* pauses */
	law_u32 phase;
	law_u32 left;    /* round trips of a pause */
	law_u64 due;     /* us: time of the next pause */
	law_u64 since;   /* us: packets sent from then on belong to the present round trip of a pause */
	law_u64 back;    /* window to restore */
	law_u64 ended;   /* us: end of the last pause */
	law_u64 resumed; /* us: what was sent before is of the growth after a pause */
	struct law_delay delay;
};

/* Whether a connection has options. */
LAW_INLINE int law_has_options(const struct law_params *p)
{
	return p->one_way || p->pause_period;
}

LAW_INLINE void law_options_begin(struct law_options *o, const struct law_params *p)
{
	o->received = 0;
	o->fresh = 0;
	o->fraction = 0;
	o->pace = 0;
	o->phase = LAW_UNKNOWN;
	o->ended = 0;
	o->resumed = 0;
	o->split.counted = 0;
	law_delay_begin(&o->delay, p);
}

/* The receiver's clock in us, from a timestamp. */
LAW_INLINE law_u64 law_received(struct law_options *o, const struct law_params *p, law_u32 stamp)
{
	if (o->received == 0)
		o->received = 1ull << 62;
	else
		o->received += (law_s64)(int)(stamp - o->stamp) * (law_s64)p->tick;
	o->stamp = stamp;
	return o->received;
}

LAW_INLINE int law_in_pause(const struct law_options *o, const struct law_ack *a)
{
	return o->phase == LAW_PAUSES || a->sent < o->resumed;
}

/* A sample, in place of law_measure. */
LAW_INLINE void law_measure_options(struct law_state *s, const struct law_params *p, struct law_options *o, const struct law_ack *a)
{
	law_u64 weight = 0;

	o->in_pause = law_in_pause(o, a);
	o->rtt = law_min(law_max(a->rtt, 1), LAW_MAX_RTT);
	o->fresh = 1;
	if (o->in_pause) {
		if (!p->known_base && (s->base == 0 || o->rtt < s->base))
			s->base = o->rtt;
	} else {
		weight = law_weight(s, p, o->rtt << LAW_TIME_BITS);
		law_measure(s, p, a->rtt);
		o->pace = o->rtt << LAW_TIME_BITS;
	}
	if (p->one_way)
		law_divide_delay(&o->delay, p, a, weight, o->in_pause, &o->split);
}

/* Multiplies the window by to/from, with 16 more binary places than it has. */
LAW_INLINE void law_scale_window(struct law_state *s, const struct law_params *p, struct law_options *o, law_u64 to, law_u64 from)
{
	law_u64 product = s->window * to + ((o->fraction * to) >> LAW_SHARE_BITS);
	law_u64 window = product / from;

	o->fraction = ((product - window * from) << LAW_SHARE_BITS) / from;
	law_set_window(s, p, window);
	if (s->window != window)
		o->fraction = 0;
}

LAW_INLINE void law_begin_pause(struct law_state *s, const struct law_params *p, struct law_options *o, law_u64 now)
{
	o->phase = LAW_PAUSES;
	/* what is sent in this microsecond was sent before */
	o->since = now + 1;
	o->left = p->pause_rounds;
	o->back = s->window;
	law_set_window(s, p, law_min(p->pause_window, s->window));
	o->fraction = 0;
}

/* What pauses do to the window; `empty` if the sample shows no queueing. Returns whether the window law is suspended. */
LAW_INLINE int law_pause(struct law_state *s, const struct law_params *p, struct law_options *o, const struct law_ack *a, int empty)
{
	if (!p->pause_period)
		return 0;
	if (o->phase != LAW_PAUSES) {
		if (empty || o->phase == LAW_UNKNOWN) {
			o->phase = LAW_RUNS;
			o->due = a->now + p->pause_period;
		} else if (a->now >= o->due && a->now - o->ended >= (a->now - a->sent) * p->pause_spacing) {
			law_begin_pause(s, p, o, a->now);
			return 1;
		}
		return 0;
	}
	if (a->sent < o->since)
		return 1;
	if (o->left > 1) {
		o->left--;
		o->since = a->now;
		return 1;
	}
	o->phase = LAW_RUNS;
	o->due = a->now + p->pause_period;
	o->ended = a->now;
	o->resumed = a->now + o->rtt;
	law_set_window(s, p, o->back);
	o->fraction = 0;
	return 1;
}

/* The window law, in place of law_acknowledged. */
LAW_INLINE void law_acknowledged_options(struct law_state *s, const struct law_params *p, struct law_options *o, const struct law_ack *a)
{
	law_u64 base = (law_u64)s->base << LAW_TIME_BITS, mean = s->mean, sample = o->rtt << LAW_TIME_BITS;
	law_u64 scale = 1 << LAW_SHARE_BITS, gamma = p->gamma, alpha = p->alpha, previous, then, aim;
	const law_u64 share = 1 << LAW_SHARE_BITS;

	if (!o->fresh || s->mean == 0)
		return;
	o->fresh = 0;
	if (p->one_way) {
		/* the law uses the round-trip time less the delay that is no signal */
		law_s64 counted = (law_s64)mean - o->split.uncounted, left;

		if (counted < 1)
			counted = 1;
		left = (law_s64)sample - o->split.uncounted_now;
		if (!o->in_pause && !a->recovery) {
			/* a change of the acknowledgements' delay changes the packets in flight, not the rate */
			law_s64 before = (law_s64)mean - o->split.change;

			previous = before > counted ? before : counted;
			if (previous != mean)
				law_scale_window(s, p, o, mean, previous);
			o->pace = left + o->split.uncounted > 1 ? left + o->split.uncounted : 1;
		}
		scale = law_max((mean << LAW_SHARE_BITS) / (law_u64)counted, scale);
		/* beyond this, nothing but delay that does not count is left */
		scale = law_min(scale, 1ull << (2 * LAW_SHARE_BITS));
		gamma = (gamma << LAW_SHARE_BITS) / scale;
		alpha = (alpha * scale) >> LAW_SHARE_BITS;
		mean = counted;
		base = counted > o->split.counted ? counted - o->split.counted : 0;
		sample = left > 0 ? left : 0;
	}
	if (a->recovery || law_pause(s, p, o, a, sample < base + (p->mi_threshold << LAW_TIME_BITS)) || o->in_pause)
		return;
	if (mean < base + (p->mi_threshold << LAW_TIME_BITS)) {
		if (a->limited) {
			law_set_window(s, p, s->window + ((law_u64)a->acked << LAW_WINDOW_BITS));
			o->fraction = 0;
		}
		return;
	}
	if (a->sent < s->round || a->now - s->round < p->period)
		return;
	then = law_min(a->then, (law_u64)LAW_MAX_WINDOW << LAW_WINDOW_BITS);
	aim = then * base / mean + alpha;
	aim = ((share - gamma) * s->window + gamma * aim + share / 2) >> LAW_SHARE_BITS;
	law_set_window(s, p, law_min(aim, 2ull * s->window));
	o->fraction = 0;
	s->round = a->now;
}

/* A loss or a timeout has set the window: there is none to restore. */
LAW_INLINE void law_abandon(const struct law_params *p, struct law_options *o, law_u64 now)
{
	o->fraction = 0;
	if (o->phase != LAW_PAUSES)
		return;
	o->phase = LAW_RUNS;
	o->due = now + p->pause_period;
}

/* The pacing rate in B/s: a window of packets of `size` bytes in a round-trip time. 0: none yet. */
LAW_INLINE law_u64 law_pacing_rate(const struct law_state *s, const struct law_options *o, law_u32 size)
{
	law_u64 time = o->pace >> LAW_TIME_BITS;

	return time ? (((law_u64)s->window * size) >> LAW_WINDOW_BITS) * 1000000 / time : 0;
}

#endif
