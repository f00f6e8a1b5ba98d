/* Congestion controllers for Eddyline in C, or in anything that calls like C.
 *
 * A shared library or a WebAssembly module that exports the functions below is a controller:
 *
 *     cc -O2 -shared -fPIC -o libmine.so mine.c
 *     eddyline run scenario.toml --controllers libmine.so
 *
 *     clang --target=wasm32 -O2 -ffreestanding -nostdlib -Wl,--no-entry -Wl,--export-dynamic -o mine.wasm mine.c
 *     eddyline run scenario.toml --controllers mine.wasm
 *
 * Times are whole picoseconds, EDDYLINE_NONE is no time. Windows and amounts are packets. Every flow has a state of its own, which
 * one thread uses at a time, not always the same one. No clock, no randomness without a fixed seed. */
#ifndef EDDYLINE_CONTROLLER_H
#define EDDYLINE_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface; a library of another one is not loaded. */
#define EDDYLINE_ABI_VERSION 1u

#define EDDYLINE_NONE UINT64_MAX

/* What an event handler returns. */
#define EDDYLINE_HANDLED 0 /* the decisions are written */
#define EDDYLINE_FAILED 1  /* eddyline_fault says why; the flow sends nothing more */
#define EDDYLINE_UNUSED 2  /* nothing is written; eddyline_on_sent need not be called again for this flow */

#if defined(__wasm__)
#define EDDYLINE_EXPORT __attribute__((visibility("default"), used))
#elif defined(_WIN32)
#define EDDYLINE_EXPORT __declspec(dllexport)
#else
#define EDDYLINE_EXPORT __attribute__((visibility("default")))
#endif

typedef struct {
    double initial_window;
    double byte_counting;    /* the L of RFC 3465; NaN where it is off */
    uint64_t known_base_rtt; /* unknown to a real sender, for experiments */
    uint32_t mss;            /* payload bytes of a full segment */
    uint32_t packet_bytes;   /* of a full data packet on the wire */
    uint32_t ack_bytes;
    uint32_t ack_ratio;      /* data packets per acknowledgement */
    bool paced;              /* packets are paced whatever the controller wants */
} EddylinePath;

typedef struct {
    uint64_t now, rtt;
} EddylineHandshake;

typedef struct {
    uint64_t now;
    double in_flight; /* this packet included */
    bool cwnd_limited;
} EddylineSent;

typedef struct {
    uint64_t now, sent_at, received_at;
    uint64_t rtt;     /* none from a retransmitted packet */
    double acked;     /* newly acknowledged, cumulatively or selectively */
    double lost;      /* newly reported lost */
    double in_flight; /* after this acknowledgement */
    float stamp;      /* of the packet that caused it */
    bool cwnd_limited, in_recovery;
} EddylineAck;

typedef struct {
    uint64_t now;
    double flight_size;
} EddylineLoss;

typedef struct {
    uint64_t now, sent_at;
    double acked, marked;
} EddylineMarks;

typedef struct {
    uint64_t now;
    double flight_size;
    bool repeated; /* no new data was acknowledged since the last one */
} EddylineTimeout;

typedef struct {
    uint64_t now;
} EddylineRecovered;

/* A window that an event allows, in packets: after a spurious timeout what the packets in flight allow (RFC 4015, 3.2), after
 * idle time the restart window (RFC 5681, 4.1), one where lost SYNs reduce the initial window (RFC 5681, 3.1). */
typedef struct {
    double window;
} EddylineAllowed;

/* What a controller decides. EDDYLINE_DECISIONS has the defaults. */
typedef struct {
    double window;               /* finite, at least 1 */
    double flight_limits[2];     /* packets in flight without and with pacing; NaN: the window */
    double slow_start_threshold; /* NaN: none */
    uint64_t pacing_interval;    /* time between packets */
    uint64_t base_rtt;           /* the estimate, for results */
    float stamp;                 /* of eddyline_on_sent; comes back with the acknowledgement */
    uint32_t ack_ratio;          /* asked of the receiver (RFC 5690); 0: none */
    /* On a partial acknowledgement without SACK: 0 leave recovery (RFC 5681), 1 stay (RFC 6582), 2 persist: stay, and later holes
     * begin the next recovery without a timeout (not TCP's persist timer). Read after eddyline_new only. */
    uint32_t partial_ack;
    uint32_t ecn_response;       /* 0 as to a loss, 1 by share, 2 the same with ECT(1); read after eddyline_new only */
} EddylineDecisions;

#define EDDYLINE_NAN (__builtin_nan(""))
#define EDDYLINE_DECISIONS(packets)                                                                                     \
    ((EddylineDecisions){(packets), {EDDYLINE_NAN, EDDYLINE_NAN}, EDDYLINE_NAN, EDDYLINE_NONE, EDDYLINE_NONE, 0, 0, 1, 0})

/* EDDYLINE_ABI_VERSION. */
EDDYLINE_EXPORT uint32_t eddyline_abi_version(void);
/* JSON: {"name": "mine", "summary": "...", "source": "...", "accurate_ecn": false, "delay_based": false, "parameters": SCHEMA},
 * all but the name optional. SCHEMA is the JSON Schema of a table; properties with "type" string and "format" time, rate, bytes,
 * packets, frequency or percent are quantities: text with a unit in scenarios and as "default", numbers in eddyline_new. */
EDDYLINE_EXPORT const char *eddyline_description(void);
/* The state of a flow, or NULL. The parameters are a JSON object with defaults filled in, quantities as numbers in SI units. */
EDDYLINE_EXPORT void *eddyline_new(const char *parameters, const EddylinePath *path, EddylineDecisions *out);
EDDYLINE_EXPORT void eddyline_free(void *state);
/* Why the last call on this thread failed. */
EDDYLINE_EXPORT const char *eddyline_fault(void);
/* WebAssembly only: memory for what the host writes, aligned to 8 bytes. eddyline_free is not called there: the memory goes. */
EDDYLINE_EXPORT void *eddyline_allocate(size_t bytes);

/* Required. */
EDDYLINE_EXPORT int32_t eddyline_on_ack(void *state, const EddylineAck *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_loss(void *state, const EddylineLoss *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_timeout(void *state, const EddylineTimeout *, EddylineDecisions *);

/* Optional. Without eddyline_on_ecn a mark counts as a loss. */
EDDYLINE_EXPORT int32_t eddyline_on_sent(void *state, const EddylineSent *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_handshake(void *state, const EddylineHandshake *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_duplicate(void *state, const EddylineAck *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_recovered(void *state, const EddylineRecovered *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_timeout_recovered(void *state, const EddylineRecovered *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_ecn(void *state, const EddylineLoss *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_marks(void *state, const EddylineMarks *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_spurious_timeout(void *state, const EddylineAllowed *, EddylineDecisions *);
EDDYLINE_EXPORT int32_t eddyline_on_idle(void *state, const EddylineAllowed *, EddylineDecisions *);

#ifdef __cplusplus
}
#endif

#endif
