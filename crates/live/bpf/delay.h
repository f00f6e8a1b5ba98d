/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Queueing delays of data packets and of acknowledgements, from timestamps of two clocks that are not synchronised, and how much of
 * each the window law counts: as crates/cc/src/kinds/fast/one_way.rs and delay.rs have it. Delays are us << 8.
 */
#ifndef EDDYLINE_DELAY_H
#define EDDYLINE_DELAY_H

#include "clock_drift.h"

/* Weight of an acknowledgement in the mean number of packets an acknowledgement: 1/32. */
#define LAW_PER_ACK_BITS 5
/* From this share of forward queueing in the signal on, 1/4, none of the acknowledgements' delay is left in it; below, some is. */
#define LAW_FORWARD_ENOUGH_BITS 2

struct law_delay {
	law_u64 start;     /* us: when the first sample was sent; 0 before it */
	law_s64 first;     /* us: difference of the clocks' readings then */
	law_s64 base_f;    /* minima of the corrected delays */
	law_s64 base_r;
	law_u64 seen_f;    /* us: sums since the last window of readings ended */
	law_u64 seen_r;
	law_u64 per_ack;   /* packets << 16 */
	law_s64 average_f; /* smoothed queueing delays; negative before the first sample */
	law_s64 average_r;
	struct law_drift drift;
};

/* The queueing delay of the round trip in two parts. */
struct law_split {
	law_s64 counted;       /* the congestion signal, smoothed */
	law_s64 uncounted;     /* the rest, as far as it does not come from the flow's own rate: smoothed, */
	law_s64 change;        /* its change, */
	law_s64 uncounted_now; /* and that of the latest sample */
};

static long law_rebase(law_u32 i, void *context)
{
	struct law_delay *d = *(struct law_delay **)context;
	struct law_span *span = i < LAW_WINDOWS ? &d->drift.kept[i & (LAW_WINDOWS - 1)] : &d->drift.present;
	law_s64 f, r;

	if ((i < LAW_WINDOWS && i >= d->drift.count) || span->best.rtt == LAW_FAR)
		return 0;
	f = law_corrected(&span->forward, d->drift.rate).forward;
	r = law_corrected(&span->reverse, d->drift.rate).reverse;
	if (f < d->base_f)
		d->base_f = f;
	if (r < d->base_r)
		d->base_r = r;
	return 0;
}

LAW_INLINE void law_delay_begin(struct law_delay *d, const struct law_params *p)
{
	d->start = 0;
	d->first = 0;
	d->base_f = LAW_FAR << LAW_TIME_BITS;
	d->base_r = LAW_FAR << LAW_TIME_BITS;
	d->seen_f = 0;
	d->seen_r = 0;
	d->per_ack = p->per_ack;
	d->average_f = -1;
	d->average_r = -1;
	law_drift_begin(&d->drift);
}

/* Queueing delays of a sample; `share` is the weight of reverse queueing << 16. */
LAW_INLINE struct law_pair law_queueing(struct law_delay *d, const struct law_ack *a, law_u64 share, int paused)
{
	law_s64 difference = (law_s64)(a->received - a->sent);
	struct law_delay *context = d;
	struct law_reading reading;
	struct law_pair now;
	law_u64 all;

	if (d->start == 0) {
		d->start = a->sent ? a->sent : 1;
		d->first = difference;
	}
	reading.at = a->sent > d->start ? (law_s64)(a->sent - d->start) : 0;
	reading.forward = difference - d->first;
	if (reading.forward > LAW_APART)
		reading.forward = LAW_APART;
	if (reading.forward < -LAW_APART)
		reading.forward = -LAW_APART;
	reading.rtt = a->rtt;
	reading.paused = paused;
	now = law_corrected(&reading, d->drift.rate);
	if (now.forward < d->base_f)
		d->base_f = now.forward;
	if (now.reverse < d->base_r)
		d->base_r = now.reverse;
	now.forward -= d->base_f;
	now.reverse -= d->base_r;
	d->seen_f += (law_u64)now.forward >> LAW_TIME_BITS;
	d->seen_r += ((law_u64)now.reverse * share) >> (LAW_SHARE_BITS + LAW_TIME_BITS);
	if (!law_drift_update(&d->drift, &reading))
		return now;
	all = d->seen_f + d->seen_r;
	law_drift_estimate(&d->drift, all ? (d->seen_f << LAW_SHARE_BITS) / all : (1 << LAW_SHARE_BITS) / 2);
	d->seen_f = 0;
	d->seen_r = 0;
	d->base_f = LAW_FAR << LAW_TIME_BITS;
	d->base_r = LAW_FAR << LAW_TIME_BITS;
	LAW_LOOP(LAW_WINDOWS + 1, law_rebase, &context);
	return now;
}

LAW_INLINE law_s64 law_step(law_s64 by, law_u64 weight)
{
	return (by * (law_s64)weight + (1 << (LAW_SHARE_BITS - 1))) >> LAW_SHARE_BITS;
}

/* Takes a sample with its weight in the averages << 16; 0 in a pause. */
LAW_INLINE void law_divide_delay(struct law_delay *d, const struct law_params *p, const struct law_ack *a, law_u64 weight, int paused,
				 struct law_split *split)
{
	law_u64 share, free = 1 << LAW_SHARE_BITS;
	law_s64 previous;
	struct law_pair now;

	/* an acknowledgement that fills a hole covers more packets than one usually does */
	if (!a->recovery && a->acked)
		d->per_ack += ((law_s64)((law_u64)a->acked << LAW_SHARE_BITS) - (law_s64)d->per_ack +
			       (1 << (LAW_PER_ACK_BITS - 1))) >> LAW_PER_ACK_BITS;
	share = (p->ack_weight << LAW_SHARE_BITS) / law_max(d->per_ack, 1 << LAW_SHARE_BITS);
	now = law_queueing(d, a, share, paused);
	if (d->average_f < 0) {
		d->average_f = now.forward;
		d->average_r = now.reverse;
	}
	previous = d->average_r;
	d->average_f += law_step(now.forward - d->average_f, weight);
	d->average_r += law_step(now.reverse - d->average_r, weight);
	split->counted = d->average_f + law_step(d->average_r, share);
	if (share && split->counted > 0)
		free = law_min(((law_u64)d->average_f << (LAW_SHARE_BITS + LAW_FORWARD_ENOUGH_BITS)) / (law_u64)split->counted, free);
	free = (free * ((1 << LAW_SHARE_BITS) - share)) >> LAW_SHARE_BITS;
	split->uncounted = law_step(d->average_r, free);
	split->change = law_step(d->average_r - previous, free);
	split->uncounted_now = law_step(now.reverse, free);
}

#endif
