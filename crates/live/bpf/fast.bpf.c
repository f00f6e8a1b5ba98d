// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * FAST and VFAST as a congestion control of Linux.
 *
 * The window law is in window_law.h. Round-trip times come from pkts_acked, which is called for each acknowledgement; the window
 * changes in cong_avoid, so loss recovery stays the kernel's. One object is loaded for each set of parameters, under a name of its own.
 */
#include "window_law.h"

#define SEC(name) __attribute__((section(name), used))

typedef law_u8 u8;
typedef law_u32 u32;
typedef int s32;
typedef law_u64 u64;

/* The fields in use of the kernel's types; their places are found when the program is loaded (CO-RE). */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	unsigned long sk_pacing_rate;
};

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
};

struct tcp_sock {
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
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
};

/* States of congestion control in the kernel. */
#define RECOVERY 3
#define LOSS 4

/* Set by the loader. */
const volatile struct law_params params = {};

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

LAW_INLINE void apply(struct sock *sk, struct connection *c)
{
	u32 window = law_packets(&c->law);

	tcp(sk)->snd_cwnd = window < tcp(sk)->snd_cwnd_clamp ? window : tcp(sk)->snd_cwnd_clamp;
}

SEC("struct_ops")
void fast_init(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);

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
}

SEC("struct_ops")
void fast_pkts_acked(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	const struct ack_sample *sample = (const struct ack_sample *)ctx[1];
	struct connection *c = state_of(sk);
	u32 mss = tcp(sk)->mss_cache;
	s32 rtt = sample->rtt_us;

	if (rtt <= 0)
		return;
	law_measure(&c->law, law(), rtt);
	c->sent = tcp(sk)->tcp_mstamp - rtt;
	c->then = mss ? sample->in_flight / mss : 0;
}

SEC("struct_ops")
void fast_cong_avoid(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);
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
	law_acknowledged(&c->law, law(), &ack);
	apply(sk, c);
}

SEC("struct_ops")
u32 fast_ssthresh(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);

	law_lost(&c->law, law(), tcp(sk)->tcp_mstamp);
	return law_packets(&c->law);
}

SEC("struct_ops")
void fast_set_state(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct connection *c = state_of(sk);

	c->state = ctx[1];
	if (c->state == LOSS)
		law_timeout(&c->law, law(), tcp(sk)->tcp_mstamp);
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

SEC(".struct_ops.link")
struct tcp_congestion_ops fast = {
	.init = (void *)fast_init,
	.pkts_acked = (void *)fast_pkts_acked,
	.cong_avoid = (void *)fast_cong_avoid,
	.ssthresh = (void *)fast_ssthresh,
	.set_state = (void *)fast_set_state,
	.undo_cwnd = (void *)fast_undo_cwnd,
	.name = "eddyline_unset",
};

char licence[] SEC("license") = "GPL";
