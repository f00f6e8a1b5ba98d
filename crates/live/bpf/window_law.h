/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The window law of FAST and VFAST in integer arithmetic, as crates/cc/src/kinds/fast.rs has it in floating point.
 *
 * It is used by the BPF programs and by a test in user space, so it includes nothing and knows no kernel.
 * Windows are packets << 10, shares are << 16, mean round-trip times are us << 8. Signed numbers are shifted, never divided:
 * BPF has no signed division.
 */
#ifndef EDDYLINE_WINDOW_LAW_H
#define EDDYLINE_WINDOW_LAW_H

typedef unsigned char law_u8;
typedef unsigned int law_u32;
typedef unsigned long long law_u64;
typedef long long law_s64;

#define LAW_WINDOW_BITS 10
#define LAW_SHARE_BITS 16
#define LAW_TIME_BITS 8
/* Largest window in packets: products of a window and a time fit into 64 bits. */
#define LAW_MAX_WINDOW (1u << 20)
/* Largest round-trip time in us. */
#define LAW_MAX_RTT (1u << 24)

/* Parameters; the loader writes the same numbers in the same order. */
struct law_params {
	law_u64 alpha;        /* packets << 10 */
	law_u64 gamma;        /* share << 16 */
	law_u64 mi_threshold; /* us */
	law_u64 period;       /* us */
	law_u64 filter_gain;  /* packets << 16 */
	law_u64 filter_cap;   /* share << 16 */
	law_u64 loss_factor;  /* share << 16 */
	law_u64 timeout;      /* packets << 10 */
	law_u64 floor;        /* packets << 10 */
	law_u64 known_base;   /* us; 0: the minimum of the samples */
	law_u64 nonlinear;    /* the mean is VFAST's, with: */
	law_u64 psi_up;       /* share << 16 */
	law_u64 psi_down;     /* share << 16 */
	/* options (options.h); none of them: zeros */
	law_u64 one_way;      /* queueing of data and of acknowledgements differ in weight: */
	law_u64 ack_weight;   /* bytes of an acknowledgement over those of a data packet << 16; 0: no weight */
	law_u64 per_ack;      /* data packets an acknowledgement at first << 16 */
	law_u64 tick;         /* us of the timestamps' clock */
	law_u64 pause_period; /* us; 0: no pauses */
	law_u64 pause_window; /* packets << 10 */
	law_u64 pause_rounds;
	law_u64 pause_spacing; /* round trips between pauses at least */
	law_u64 slack;        /* packets in flight beyond the window of a sender that paces, << 10 */
};

/* State of a connection. */
struct law_state {
	law_u64 mean;   /* us << 8; 0 before the first sample */
	law_u64 round;  /* us: what was sent before belongs to the previous round trip */
	law_u32 window; /* packets << 10 */
	law_u32 base;   /* us; 0 before the first sample */
};

/* An acknowledgement. */
struct law_ack {
	law_u64 now;      /* us */
	law_u64 sent;     /* us: when the packet was sent that it is for */
	law_u64 received; /* us by the receiver's clock: when it was acknowledged */
	law_u64 then;     /* packets << 10 in flight when that packet was sent */
	law_u32 rtt;      /* us */
	law_u32 acked;    /* packets */
	law_u8 limited;   /* the window limits the sender */
	law_u8 recovery;  /* loss recovery is under way */
};

#define LAW_INLINE static inline __attribute__((always_inline))

LAW_INLINE law_u64 law_min(law_u64 a, law_u64 b)
{
	return a < b ? a : b;
}

LAW_INLINE law_u64 law_max(law_u64 a, law_u64 b)
{
	return a > b ? a : b;
}

LAW_INLINE void law_set_window(struct law_state *s, const struct law_params *p, law_u64 window)
{
	s->window = law_min(law_max(window, p->floor), (law_u64)LAW_MAX_WINDOW << LAW_WINDOW_BITS);
}

/* Weight of a sample, << 16. */
LAW_INLINE law_u64 law_weight(const struct law_state *s, const struct law_params *p, law_u64 sample)
{
	if (p->nonlinear)
		return sample > s->mean ? p->psi_up : p->psi_down;
	return law_min((p->filter_gain << LAW_WINDOW_BITS) / law_max(s->window, 1), p->filter_cap);
}

/* A round-trip time sample in us. */
LAW_INLINE void law_measure(struct law_state *s, const struct law_params *p, law_u32 rtt)
{
	law_u64 sample;
	law_s64 step;

	if (rtt > LAW_MAX_RTT)
		rtt = LAW_MAX_RTT;
	if (rtt == 0)
		rtt = 1;
	if (p->known_base)
		s->base = p->known_base;
	else if (s->base == 0 || rtt < s->base)
		s->base = rtt;
	sample = (law_u64)rtt << LAW_TIME_BITS;
	if (s->mean == 0) {
		s->mean = sample;
		return;
	}
	step = ((law_s64)sample - (law_s64)s->mean) * (law_s64)law_weight(s, p, sample);
	s->mean += (law_s64)(step + (1 << (LAW_SHARE_BITS - 1))) >> LAW_SHARE_BITS;
}

/* An acknowledgement of new data, after its sample. */
LAW_INLINE void law_acknowledged(struct law_state *s, const struct law_params *p, const struct law_ack *a)
{
	law_u64 base = (law_u64)s->base << LAW_TIME_BITS, then, aim;
	law_u64 share = 1u << LAW_SHARE_BITS;

	if (s->mean == 0 || a->recovery)
		return;
	if (s->mean < base + (p->mi_threshold << LAW_TIME_BITS)) {
		if (a->limited)
			law_set_window(s, p, s->window + ((law_u64)a->acked << LAW_WINDOW_BITS));
		return;
	}
	if (a->sent < s->round || a->now - s->round < p->period)
		return;
	then = law_min(a->then, (law_u64)LAW_MAX_WINDOW << LAW_WINDOW_BITS);
	aim = then * base / s->mean + p->alpha;
	aim = ((share - p->gamma) * s->window + p->gamma * aim + share / 2) >> LAW_SHARE_BITS;
	law_set_window(s, p, law_min(aim, 2ull * s->window));
	s->round = a->now;
}

/* A loss episode begins. */
LAW_INLINE void law_lost(struct law_state *s, const struct law_params *p, law_u64 now)
{
	s->round = now;
	law_set_window(s, p, (p->loss_factor * s->window) >> LAW_SHARE_BITS);
}

/* The retransmission timer expired. */
LAW_INLINE void law_timeout(struct law_state *s, const struct law_params *p, law_u64 now)
{
	s->round = now;
	law_set_window(s, p, p->timeout);
}

/* The window in whole packets, to the nearest. */
LAW_INLINE law_u32 law_packets(const struct law_state *s)
{
	return (s->window + (1u << (LAW_WINDOW_BITS - 1))) >> LAW_WINDOW_BITS;
}

#endif
