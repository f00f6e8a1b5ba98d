// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * FAST and VFAST as congestion controls that are part of a kernel, where BPF cannot load them.
 *
 * The window law and its options are in window_law.h and options.h, as in the BPF programs. A control is made by writing its name and the numbers of
 * struct law_params to /sys/module/tcp_eddyline/parameters/define.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/tcp.h>

#include "options.h"

#define MAX_CONTROLS 64
#define NUMBERS (sizeof(struct law_params) / sizeof(law_u64))

struct control {
	struct tcp_congestion_ops ops;
	struct law_params params;
};

/* State of a connection, in icsk_ca_priv. */
struct connection {
	struct law_state law;
	u64 sent; /* us: when the packet was sent that was acknowledged last */
	struct law_options *options; /* null: none */
	u32 then; /* packets in flight when it was sent */
	u8 state;
};

static struct control controls[MAX_CONTROLS];
static unsigned int defined;

static const struct law_params *law(struct sock *sk)
{
	return &container_of(inet_csk(sk)->icsk_ca_ops, struct control, ops)->params;
}

static void fast_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = inet_csk_ca(sk);

	memset(c, 0, sizeof(*c));
	c->law.window = tcp_snd_cwnd(tp) << LAW_WINDOW_BITS;
	/* the sample of the handshake */
	if (tp->srtt_us)
		law_measure(&c->law, law(sk), tp->srtt_us >> 3);
	if (!law_has_options(law(sk)))
		return;
	c->options = kzalloc(sizeof(*c->options), GFP_ATOMIC);
	if (!c->options)
		return;
	law_options_begin(c->options, law(sk));
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

static void fast_release(struct sock *sk)
{
	struct connection *c = inet_csk_ca(sk);

	kfree(c->options);
	c->options = NULL;
}

static void fast_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = inet_csk_ca(sk);

	if (sample->rtt_us <= 0)
		return;
	c->sent = tp->tcp_mstamp - sample->rtt_us;
	c->then = tp->mss_cache ? sample->in_flight / tp->mss_cache : 0;
	if (c->options) {
		struct law_ack event = {
			.now = tp->tcp_mstamp,
			.sent = c->sent,
			.received = law_received(c->options, law(sk), tp->rx_opt.rcv_tsval),
			.rtt = sample->rtt_us,
			.acked = sample->pkts_acked,
			.recovery = c->state == TCP_CA_Recovery,
		};

		law_measure_options(&c->law, law(sk), c->options, &event);
	} else {
		law_measure(&c->law, law(sk), sample->rtt_us);
	}
}

static void fast_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = inet_csk_ca(sk);
	u64 then = (u64)c->then << LAW_WINDOW_BITS;
	struct law_ack event = {
		.now = tp->tcp_mstamp,
		.sent = c->sent,
		.acked = acked,
		.limited = tcp_snd_cwnd(tp) < 2 * tp->max_packets_out,
		.recovery = c->state == TCP_CA_Recovery,
		/* packets in flight count where they have not caught up with the window; see fast.bpf.c */
		.then = then * 4 < (u64)c->law.window * 3 ? then : c->law.window,
	};

	u32 slack = 0;

	if (c->options) {
		law_acknowledged_options(&c->law, law(sk), c->options, &event);
		slack = law(sk)->slack >> LAW_WINDOW_BITS;
	} else {
		law_acknowledged(&c->law, law(sk), &event);
	}
	tcp_snd_cwnd_set(tp, min_t(u32, law_packets(&c->law) + slack, tp->snd_cwnd_clamp));
}

/* Called before packets are sent: sets the pacing rate; see fast.bpf.c. */
static u32 fast_min_tso_segs(struct sock *sk)
{
	struct connection *c = inet_csk_ca(sk);
	u64 rate;

	if (!c->options)
		return READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_min_tso_segs);
	rate = law_pacing_rate(&c->law, c->options, tcp_sk(sk)->mss_cache);
	if (rate)
		WRITE_ONCE(sk->sk_pacing_rate, rate);
	return 1;
}

static u32 fast_ssthresh(struct sock *sk)
{
	struct connection *c = inet_csk_ca(sk);

	law_lost(&c->law, law(sk), tcp_sk(sk)->tcp_mstamp);
	if (c->options)
		law_abandon(law(sk), c->options, tcp_sk(sk)->tcp_mstamp);
	return law_packets(&c->law);
}

static void fast_set_state(struct sock *sk, u8 state)
{
	struct connection *c = inet_csk_ca(sk);

	c->state = state;
	if (state != TCP_CA_Loss)
		return;
	law_timeout(&c->law, law(sk), tcp_sk(sk)->tcp_mstamp);
	if (c->options)
		law_abandon(law(sk), c->options, tcp_sk(sk)->tcp_mstamp);
}

static u32 fast_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct connection *c = inet_csk_ca(sk);
	u32 window = max(tp->prior_cwnd, tcp_snd_cwnd(tp));

	law_set_window(&c->law, law(sk), (u64)window << LAW_WINDOW_BITS);
	return window;
}

static int define(const char *text, const struct kernel_param *kp)
{
	struct control *control = &controls[defined];
	char *copy, *rest, *word;
	unsigned int n = 0;
	int error = -EINVAL;

	BUILD_BUG_ON(sizeof(struct connection) > ICSK_CA_PRIV_SIZE);
	if (defined == MAX_CONTROLS)
		return -ENOSPC;
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = strim(copy);
	word = strsep(&rest, " ");
	memset(control, 0, sizeof(*control));
	strscpy(control->ops.name, word, sizeof(control->ops.name));
	while (n < NUMBERS && (word = strsep(&rest, " "))) {
		u64 number;

		error = kstrtou64(word, 10, &number);
		if (error)
			goto out;
		((law_u64 *)&control->params)[n++] = number;
	}
	error = -EINVAL;
	if (n < NUMBERS || rest)
		goto out;
	control->ops.init = fast_init;
	control->ops.release = fast_release;
	control->ops.pkts_acked = fast_pkts_acked;
	control->ops.cong_avoid = fast_cong_avoid;
	control->ops.min_tso_segs = fast_min_tso_segs;
	control->ops.ssthresh = fast_ssthresh;
	control->ops.set_state = fast_set_state;
	control->ops.undo_cwnd = fast_undo_cwnd;
	control->ops.flags = TCP_CONG_NON_RESTRICTED;
	control->ops.owner = THIS_MODULE;
	error = tcp_register_congestion_control(&control->ops);
	if (!error)
		defined++;
out:
	kfree(copy);
	return error;
}

static const struct kernel_param_ops define_ops = { .set = define };

module_param_cb(define, &define_ops, NULL, 0200);
MODULE_PARM_DESC(define, "name and parameters of a congestion control");
MODULE_DESCRIPTION("FAST and VFAST");
MODULE_LICENSE("GPL");
