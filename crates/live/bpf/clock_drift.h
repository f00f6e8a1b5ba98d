/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Drift of one clock against another, estimated from delays measured with both, as crates/cc/src/kinds/fast/clock_drift.rs does it:
 * a reading is kept per window of time, and the estimate moves into the range of the middle half of all slopes between them.
 *
 * Readings are in us, delays that are corrected for drift in us << 8, drift is a share << 32. Quartiles are found by halving the
 * range of their values, which needs no sorting. Loops are callbacks, because the BPF verifier then looks at each of them once.
 */
#ifndef EDDYLINE_CLOCK_DRIFT_H
#define EDDYLINE_CLOCK_DRIFT_H

#include "window_law.h"

/* Calls callback(i, context) for i from 0 to count - 1. */
#ifndef LAW_LOOP
#define LAW_LOOP(count, callback, context)                          \
	do {                                                        \
		for (law_u32 turn = 0; turn < (count); turn++)      \
			if ((callback)(turn, (context)))            \
				break;                              \
	} while (0)
#endif

#define LAW_DRIFT_BITS 32
/* Windows kept, a power of two, and pairs of them. */
#define LAW_WINDOWS 32
#define LAW_PAIRS (LAW_WINDOWS * (LAW_WINDOWS - 1) / 2)
#define LAW_SLOPES 512
/* The first windows' length, and the longest. */
#define LAW_SHORTEST 1000000
#define LAW_LONGEST 64000000
/* Fewest windows for an estimate, and fewest with a pause in each. */
#define LAW_FEWEST 8
#define LAW_FEWEST_PAUSES 3
/* Largest distance of the quartiles, 100 ppm, and largest drift, 500 ppm. */
#define LAW_NEAR 429497
#define LAW_MOST 2147484
/* Slopes beyond this are as good as this: none of them is a drift. A power of two, and its binary places and one for the sign. */
#define LAW_STEEPEST (1 << 25)
#define LAW_STEEPEST_BITS 27
/* A delay in us that none reaches. */
#define LAW_FAR (1ll << 50)
/* Largest difference of two clocks' readings in us. */
#define LAW_APART (1ll << 28)

/* A sample. */
struct law_reading {
	law_s64 at;      /* us since the first sample, by the sender's clock */
	law_s64 forward; /* us: forward delay by both clocks less that of the first sample */
	law_s64 rtt;     /* us */
	law_u64 paused;  /* taken while the sender paused */
};

/* A window of time: the reading of the least round-trip time, and those of the least delay in each direction. */
struct law_span {
	struct law_reading best;
	struct law_reading forward;
	struct law_reading reverse;
};

/* What the callbacks of an estimate share; not on the stack, where the verifier would follow each number. */
struct law_estimate {
	law_s64 distrust; /* 1 less the weight of the forward delay, << 16 */
	law_u32 pauses;   /* windows with a pause */
	law_u32 only;     /* use no others */
	law_u32 n;        /* slopes */
	law_u32 rank;     /* that of the slope in search, */
	int low;          /* which is between these, */
	int high;
	int middle;       /* and their middle */
	law_u32 below;    /* slopes that are not above the middle */
};

struct law_drift {
	struct law_span kept[LAW_WINDOWS];
	struct law_span present;
	law_u32 count;  /* of kept */
	law_u32 length; /* us of a window */
	law_s64 end;    /* us: of the present window */
	law_s64 rate;   /* share << 32 by which the receiver's clock is faster */
	struct law_estimate estimate;
	int slopes[LAW_SLOPES];
};

/* Delays in us << 8, each up to a constant. */
struct law_pair {
	law_s64 forward;
	law_s64 reverse;
};

LAW_INLINE law_s64 law_divide(law_s64 a, law_u64 b)
{
	return a < 0 ? -(law_s64)((law_u64)-a / b) : (law_s64)((law_u64)a / b);
}

/* Forward and reverse delay corrected for the drift. */
LAW_INLINE struct law_pair law_corrected(const struct law_reading *r, law_s64 rate)
{
	struct law_pair pair;

	pair.forward = r->forward * (1 << LAW_TIME_BITS) - ((r->at * rate) >> (LAW_DRIFT_BITS - LAW_TIME_BITS));
	pair.reverse = r->rtt * (1 << LAW_TIME_BITS) - pair.forward;
	return pair;
}

LAW_INLINE void law_clear_reading(struct law_reading *r, law_s64 forward)
{
	r->at = 0;
	r->forward = forward;
	r->rtt = LAW_FAR;
	r->paused = 0;
}

LAW_INLINE void law_clear(struct law_span *span)
{
	law_clear_reading(&span->best, 0);
	law_clear_reading(&span->forward, LAW_FAR);
	law_clear_reading(&span->reverse, 0);
}

LAW_INLINE void law_take_best(struct law_span *span, const struct law_reading *r)
{
	if (r->paused == span->best.paused ? r->rtt < span->best.rtt : r->paused)
		span->best = *r;
}

LAW_INLINE void law_take_lows(struct law_span *span, const struct law_reading *f, const struct law_reading *r, law_s64 rate)
{
	if (law_corrected(f, rate).forward < law_corrected(&span->forward, rate).forward)
		span->forward = *f;
	if (law_corrected(r, rate).reverse < law_corrected(&span->reverse, rate).reverse)
		span->reverse = *r;
}

static long law_merge(law_u32 i, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;
	struct law_span *to, *a, *b;

	i &= LAW_WINDOWS / 2 - 1;
	to = &d->kept[i];
	a = &d->kept[2 * i];
	b = &d->kept[2 * i + 1];
	if (i)
		*to = *a;
	law_take_best(to, &b->best);
	/* both readings of the other one may be lower in both directions */
	law_take_lows(to, &b->forward, &b->forward, d->rate);
	law_take_lows(to, &b->reverse, &b->reverse, d->rate);
	return 0;
}

static long law_shift(law_u32 i, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;

	i &= LAW_WINDOWS - 1;
	if (i + 1 < LAW_WINDOWS)
		d->kept[i] = d->kept[i + 1];
	return 0;
}

/* Keeps the present window; if there is no place, neighbours are merged and windows become twice as long. */
LAW_INLINE void law_keep(struct law_drift *d)
{
	struct law_drift *context = d;

	if (d->present.best.rtt == LAW_FAR)
		return;
	if (d->count >= LAW_WINDOWS) {
		if (d->length < LAW_LONGEST) {
			LAW_LOOP(LAW_WINDOWS / 2, law_merge, &context);
			d->count = LAW_WINDOWS / 2;
			d->length *= 2;
		} else {
			LAW_LOOP(LAW_WINDOWS - 1, law_shift, &context);
			d->count = LAW_WINDOWS - 1;
		}
	}
	d->kept[d->count & (LAW_WINDOWS - 1)] = d->present;
	d->count++;
	law_clear(&d->present);
}

LAW_INLINE void law_drift_begin(struct law_drift *d)
{
	law_clear(&d->present);
	d->count = 0;
	d->length = LAW_SHORTEST;
	d->end = LAW_SHORTEST;
	d->rate = 0;
}

/* Takes a sample; returns whether a window ended with it. */
LAW_INLINE int law_drift_update(struct law_drift *d, const struct law_reading *r)
{
	int ended = r->at >= d->end;

	if (ended) {
		law_keep(d);
		d->end = r->at + d->length;
	}
	law_take_best(&d->present, r);
	law_take_lows(&d->present, r, r, d->rate);
	return ended;
}

static long law_count_pauses(law_u32 i, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;
	struct law_estimate *e = &d->estimate;

	if (i < d->count && d->kept[i & (LAW_WINDOWS - 1)].best.paused)
		e->pauses++;
	return 0;
}

/* The slope between two windows. */
static long law_slope(law_u32 turn, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;
	struct law_estimate *e = &d->estimate;
	law_u32 i = turn / LAW_WINDOWS & (LAW_WINDOWS - 1), j = turn & (LAW_WINDOWS - 1);
	const struct law_reading *a, *b;
	law_s64 time, slope;

	if (i >= j || j >= d->count)
		return 0;
	a = &d->kept[i].best;
	b = &d->kept[j].best;
	time = b->at - a->at;
	if (time <= 0 || (e->only && !(a->paused && b->paused)))
		return 0;
	slope = (b->forward - a->forward) * (1 << LAW_SHARE_BITS) - e->distrust * (b->rtt - a->rtt);
	slope = law_divide(slope * (1 << (LAW_DRIFT_BITS - LAW_SHARE_BITS)), time);
	if (slope > LAW_STEEPEST)
		slope = LAW_STEEPEST;
	if (slope < -LAW_STEEPEST)
		slope = -LAW_STEEPEST;
	d->slopes[e->n & (LAW_SLOPES - 1)] = slope;
	e->n++;
	return 0;
}

static long law_count_below(law_u32 i, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;
	struct law_estimate *e = &d->estimate;

	if (d->slopes[i & (LAW_SLOPES - 1)] <= e->middle)
		e->below++;
	return 0;
}

static long law_halve(law_u32 turn, void *context)
{
	struct law_drift *d = *(struct law_drift **)context;
	struct law_estimate *e = &d->estimate;

	(void)turn;
	e->middle = (e->low + e->high) >> 1;
	e->below = 0;
	LAW_LOOP(e->n, law_count_below, context);
	if (e->below > e->rank)
		e->high = e->middle;
	else
		e->low = e->middle + 1;
	return e->low >= e->high;
}

/* The slope that has `rank` others before it. */
LAW_INLINE law_s64 law_ranked(struct law_drift *d, law_u32 rank)
{
	struct law_estimate *e = &d->estimate;
	struct law_drift *context = d;

	e->rank = rank;
	e->low = -LAW_STEEPEST;
	e->high = LAW_STEEPEST;
	LAW_LOOP(LAW_STEEPEST_BITS, law_halve, &context);
	return e->high;
}

/* Updates the estimate; `held` is the share of forward queueing in the delay that the sender reacts to, << 16. */
LAW_INLINE void law_drift_estimate(struct law_drift *d, law_u64 held)
{
	struct law_estimate *e = &d->estimate;
	struct law_drift *context = d;
	const law_u64 share = 1 << LAW_SHARE_BITS;
	law_s64 low, high, rate;

	e->pauses = 0;
	e->n = 0;
	LAW_LOOP(LAW_WINDOWS, law_count_pauses, &context);
	e->only = e->pauses >= LAW_FEWEST_PAUSES;
	if (d->count < LAW_FEWEST && !e->only)
		return;
	/* by pauses the sub-path with the queue that the sender keeps, otherwise the other one, with twice the weight */
	e->distrust = share - (e->only ? held : (2 * share - held) / 3);
	LAW_LOOP(LAW_WINDOWS * LAW_WINDOWS, law_slope, &context);
	if (e->n < LAW_FEWEST_PAUSES)
		return;
	low = law_ranked(d, e->n / 4);
	high = law_ranked(d, e->n - 1 - e->n / 4);
	if (high - low > LAW_NEAR || low > LAW_MOST || high < -LAW_MOST)
		return;
	rate = d->rate;
	if (rate < low)
		rate = low;
	if (rate > high)
		rate = high;
	if (rate > LAW_MOST)
		rate = LAW_MOST;
	if (rate < -LAW_MOST)
		rate = -LAW_MOST;
	d->rate = rate;
}

#endif
