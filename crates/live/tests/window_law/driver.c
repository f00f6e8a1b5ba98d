/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Runs bpf/window_law.h in user space: parameters and events from standard input, a window for each event to standard output. */
#include <stdio.h>

#include "../../bpf/window_law.h"

int main(void)
{
	struct law_params p;
	struct law_state s = { 0 };
	law_u64 *field = (law_u64 *)&p;
	char kind;

	for (unsigned i = 0; i < sizeof(p) / sizeof(*field); i++)
		if (scanf("%llu", &field[i]) != 1)
			return 1;
	if (scanf("%u", &s.window) != 1)
		return 1;
	while (scanf(" %c", &kind) == 1) {
		struct law_ack a = { 0 };
		unsigned rtt, limited, recovery;

		switch (kind) {
		case 'a':
			if (scanf("%u %llu %llu %llu %u %u %u", &rtt, &a.now, &a.sent, &a.then, &a.acked, &limited, &recovery) != 7)
				return 1;
			a.limited = limited;
			a.recovery = recovery;
			law_measure(&s, &p, rtt);
			law_acknowledged(&s, &p, &a);
			break;
		case 'h':
			if (scanf("%u", &rtt) != 1)
				return 1;
			law_measure(&s, &p, rtt);
			break;
		case 'l':
		case 't':
			if (scanf("%llu", &a.now) != 1)
				return 1;
			if (kind == 'l')
				law_lost(&s, &p, a.now);
			else
				law_timeout(&s, &p, a.now);
			break;
		default:
			return 1;
		}
		printf("%u\n", s.window);
	}
	return 0;
}
