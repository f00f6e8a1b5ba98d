// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * FAST and VFAST as a congestion control of Linux.
 *
 * The window law is in window_law.h. Round-trip times come from pkts_acked, which is called for each acknowledgement; the window
 * changes in cong_avoid, so loss recovery stays the kernel's. One object is loaded for each set of parameters, under a name of its own.
 *
 * With an option (options.h) the kernel paces, and min_tso_segs, which is called before packets are sent, sets the rate: the kernel's own
 * choice, which is more than the window in a round-trip time, would fill the queue when a pause is over.
 */
typedef unsigned int u32;

/* Helpers of the kernel by number (linux/bpf.h). */
static void *(*bpf_sk_storage_get)(void *map, void *sk, void *value, unsigned long long flags) = (void *)107;
static long (*bpf_loop)(u32 count, void *callback, void *context, unsigned long long flags) = (void *)181;

#define LAW_LOOP(count, callback, context) bpf_loop(count, callback, context, 0)

#include "options.h"

#define SEC(name) __attribute__((section(name), used))

typedef law_u8 u8;
typedef int s32;
typedef law_u64 u64;

/* The fields in use of the kernel's types; their places are found when the program is loaded (CO-RE). */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	unsigned long sk_pacing_rate;
	u32 sk_pacing_status;
};

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
};

struct tcp_options_received {
	u32 rcv_tsval;
};

struct tcp_sock {
	struct tcp_options_received rx_opt;
	u32 snd_cwnd;
	u32 snd_cwnd_clamp;
	u32 srtt_us;
	u32 mss_cache;
	u32 max_packets_out;
	u32 prior_cwnd;
	u64 tcp_mstamp;
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};

#pragma clang attribute pop

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
};

/* States of congestion control in the kernel. */
#define RECOVERY 3
#define LOSS 4
/* States of a socket's pacing. */
#define PACING_NONE 0
#define PACING_NEEDED 1
/* The kernel's own choice (tcp(7), tcp_min_tso_segs). */
#define MIN_SEGMENTS 2

/* What the loader sets; whoever loads the object with bpftool gives it to the compiler. */
#ifndef LAW_PARAMS
#define LAW_PARAMS { 0 }
#endif
#ifndef LAW_NAME
#define LAW_NAME "eddyline_unset"
#endif
/* bpftool before 7.4 has no links. */
#ifndef LAW_SECTION
#define LAW_SECTION ".struct_ops.link"
#endif

const volatile struct law_params params = LAW_PARAMS;

/* State of a connection, in icsk_ca_priv. */
struct connection {
	struct law_state law;
	u64 sent; /* us: when the packet was sent that was acknowledged last */
	u32 then; /* packets in flight when it was sent */
	u8 state;
};

_Static_assert(sizeof(struct connection) <= sizeof(u64) * 13, "the state of a connection fits");

LAW_INLINE struct connection *state_of(struct sock *sk)
{
	return (struct connection *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

LAW_INLINE struct tcp_sock *tcp(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

/* The parameters; the compiler must not take them for the zeros that they are before the loader writes them. */
LAW_INLINE const struct law_params *law(void)
{
	const struct law_params *written = (const struct law_params *)&params;

	asm volatile("" : "+r"(written));
	return written;
}

/* State of connections with options, gone with the socket. */
struct {
	int (*type)[24]; /* BPF_MAP_TYPE_SK_STORAGE */
	int (*map_flags)[1]; /* BPF_F_NO_PREALLOC */
	int *key;
	struct law_options *value;
} connections SEC(".maps");

/* The options of a connection, made if `flags` is 1; null if it has none. */
LAW_INLINE struct law_options *options(struct sock *sk, u64 flags)
{
	return law_has_options(law()) ? bpf_sk_storage_get(&connections, sk, 0, flags) : 0;
}

LAW_INLINE void apply(struct sock *sk, struct connection *c, const struct law_options *o)
{
	u32 window = law_packets(&c->law) + (o ? law()->slack >> LAW_WINDOW_BITS : 0);

	tcp(sk)->snd_cwnd = window < tcp(sk)->snd_cwnd_clamp ? window : tcp(sk)->snd_cwnd_clamp;
}

SEC("struct_ops")
void fast_init(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
	struct law_options *o = options(sk, 1);

	c->law.mean = 0;
	c->law.round = 0;
	c->law.base = 0;
	c->law.window = tcp(sk)->snd_cwnd << LAW_WINDOW_BITS;
	c->sent = 0;
	c->then = 0;
	c->state = 0;
	/* the sample of the handshake */
	if (tcp(sk)->srtt_us)
		law_measure(&c->law, law(), tcp(sk)->srtt_us >> 3);
	if (!o)
		return;
	law_options_begin(o, law());
	if (sk->sk_pacing_status == PACING_NONE)
		sk->sk_pacing_status = PACING_NEEDED;
}

SEC("struct_ops")
void fast_pkts_acked(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	const struct ack_sample *sample = (const struct ack_sample *)ctx[1];
	struct connection *c = state_of(sk);
	u32 mss = tcp(sk)->mss_cache;
	s32 rtt = sample->rtt_us;
	struct law_options *o;

	if (rtt <= 0)
		return;
	c->sent = tcp(sk)->tcp_mstamp - rtt;
	c->then = mss ? sample->in_flight / mss : 0;
	o = options(sk, 0);
	if (o) {
		struct law_ack ack = {};

		ack.now = tcp(sk)->tcp_mstamp;
		ack.sent = c->sent;
		ack.received = law_received(o, law(), tcp(sk)->rx_opt.rcv_tsval);
		ack.rtt = rtt;
		ack.acked = sample->pkts_acked;
		ack.recovery = c->state == RECOVERY;
		law_measure_options(&c->law, law(), o, &ack);
	} else {
		law_measure(&c->law, law(), rtt);
	}
}

SEC("struct_ops")
void fast_cong_avoid(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
	struct law_options *o = options(sk, 0);
	struct law_ack ack = {};
	u64 then = (u64)c->then << LAW_WINDOW_BITS;

	ack.now = tcp(sk)->tcp_mstamp;
	ack.sent = c->sent;
	ack.acked = ctx[2];
	ack.limited = tcp(sk)->snd_cwnd < 2 * tcp(sk)->max_packets_out;
	ack.recovery = c->state == RECOVERY;
	/*
	 * A window has been constant since the packet was sent that ends a round trip. Packets in flight are whole and would
	 * bias alpha by half a packet; they count where they have not caught up with the window, or something else limits the sender.
	 */
	ack.then = then * 4 < (u64)c->law.window * 3 ? then : c->law.window;
	if (o)
		law_acknowledged_options(&c->law, law(), o, &ack);
	else
		law_acknowledged(&c->law, law(), &ack);
	apply(sk, c, o);
}

SEC("struct_ops")
u32 fast_min_tso_segs(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct law_options *o = options(sk, 0);
	u64 rate;

	if (!o)
		return MIN_SEGMENTS;
	rate = law_pacing_rate(&state_of(sk)->law, o, tcp(sk)->mss_cache);
	if (rate)
		sk->sk_pacing_rate = rate;
	return 1;
}

SEC("struct_ops")
u32 fast_ssthresh(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
	struct law_options *o = options(sk, 0);

	law_lost(&c->law, law(), tcp(sk)->tcp_mstamp);
	if (o)
		law_abandon(law(), o, tcp(sk)->tcp_mstamp);
	return law_packets(&c->law);
}

SEC("struct_ops")
void fast_set_state(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
	struct law_options *o;

	c->state = ctx[1];
	if (c->state != LOSS)
		return;
	law_timeout(&c->law, law(), tcp(sk)->tcp_mstamp);
	o = options(sk, 0);
	if (o)
		law_abandon(law(), o, tcp(sk)->tcp_mstamp);
}

SEC("struct_ops")
u32 fast_undo_cwnd(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
	u32 window = tcp(sk)->prior_cwnd > tcp(sk)->snd_cwnd ? tcp(sk)->prior_cwnd : tcp(sk)->snd_cwnd;

	law_set_window(&c->law, law(), (u64)window << LAW_WINDOW_BITS);
	return window;
}

SEC(LAW_SECTION)
struct tcp_congestion_ops fast = {
	.init = (void *)fast_init,
	.pkts_acked = (void *)fast_pkts_acked,
	.cong_avoid = (void *)fast_cong_avoid,
	.min_tso_segs = (void *)fast_min_tso_segs,
	.ssthresh = (void *)fast_ssthresh,
	.set_state = (void *)fast_set_state,
	.undo_cwnd = (void *)fast_undo_cwnd,
	.name = LAW_NAME,
};

char licence[] SEC("license") = "GPL";
