/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Random numbers of the user-mode Linux: a sequence that the environment's EDDYLINE_SEED begins, in place of the host's.
 *
 * Two runs with the same seed then choose the same ports, sequence numbers and hash keys. Nothing here is secret.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static ssize_t seeded_random(void *buffer, size_t length)
{
	static uint64_t state;
	static int begun;
	size_t done;

	if (!begun) {
		const char *seed = getenv("EDDYLINE_SEED");

		state = seed ? strtoull(seed, NULL, 10) : 0;
		begun = 1;
	}
	for (done = 0; done < length; done += sizeof(uint64_t)) {
		/* SplitMix64 */
		uint64_t z = (state += 0x9e3779b97f4a7c15ull);
		size_t left = length - done;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		z ^= z >> 31;
		memcpy((char *)buffer + done, &z, left < sizeof(z) ? left : sizeof(z));
	}
	return length;
}
