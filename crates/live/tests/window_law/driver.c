/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Runs the window law of bpf/ in user space: parameters and events from standard input, a window for each event to standard output. */
#include <stdio.h>

#include "../../bpf/options.h"

int main(void)
{
	struct law_params p;
	struct law_state s = { 0 };
	struct law_options o;
	law_u64 *field = (law_u64 *)&p;
	char kind;

	for (unsigned i = 0; i < sizeof(p) / sizeof(*field); i++)
		if (scanf("%llu", &field[i]) != 1)
			return 1;
	if (scanf("%u", &s.window) != 1)
		return 1;
	law_options_begin(&o, &p);
	while (scanf(" %c", &kind) == 1) {
		struct law_ack a = { 0 };
		unsigned limited, recovery;

		switch (kind) {
		case 'a':
			if (scanf("%u %llu %llu %llu %llu %u %u %u", &a.rtt, &a.now, &a.sent, &a.received, &a.then, &a.acked, &limited,
				  &recovery) != 8)
				return 1;
			a.limited = limited;
			a.recovery = recovery;
			if (law_has_options(&p)) {
				law_measure_options(&s, &p, &o, &a);
				law_acknowledged_options(&s, &p, &o, &a);
			} else {
				law_measure(&s, &p, a.rtt);
				law_acknowledged(&s, &p, &a);
			}
			break;
		case 'h':
			if (scanf("%u", &a.rtt) != 1)
				return 1;
			law_measure(&s, &p, a.rtt);
			break;
		case 'l':
		case 't':
			if (scanf("%llu", &a.now) != 1)
				return 1;
			if (kind == 'l')
				law_lost(&s, &p, a.now);
			else
				law_timeout(&s, &p, a.now);
			law_abandon(&p, &o, a.now);
			break;
		default:
			return 1;
		}
		printf("%u\n", s.window);
	}
	return 0;
}
