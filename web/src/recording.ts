// What a run has recorded so far: series, packets on their way, events; and what the picture needs of it at one time.

import type { Begun, Done, Piece } from "./messages.js";

/** Series by these names, in the engine's order. */
export const QUANTITIES = [
  "cwnd_packets", "in_flight_packets", "rtt_s", "srtt_s", "throughput_bps", "goodput_bps", "pacing_bps",
  "queue_packets", "queue_bytes", "arrival_bps", "departure_bps", "drops",
] as const;
export type Quantity = (typeof QUANTITIES)[number];
export const FLOW = 0;
export const LINK = 1;

export const EVENTS = ["loss", "timeout", "recovery", "recovered", "round", "completed", "ack loss"] as const;
export type EventName = (typeof EVENTS)[number];

export interface FlowEvent {
  timeS: number;
  flow: number;
  event: EventName;
  detail: number;
}

export interface Track {
  time: number[];
  value: number[];
}

/** A packet's way over a link. */
export interface Passage {
  source: number;
  /** 3 is an acknowledgement. */
  packet: number;
  retransmission: boolean;
  /** 0 carried, 1 dropped by the queue, 2 lost on the wire. */
  fate: number;
  beginS: number;
  endS: number;
}

/** The first index whose value is above `limit`. */
function above(values: (index: number) => number, length: number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values(middle) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class Recording {
  nowS = 0;
  done: Done | null = null;
  readonly events: FlowEvent[] = [];
  readonly rounds: number[][];
  private readonly tracks = new Map<number, Track>();
  /** By link, in order of their ends. */
  private readonly passages: Passage[][];
  private readonly longest: number[];

  constructor(readonly begun: Begun) {
    this.passages = begun.facts.links.map(() => []);
    this.longest = begun.facts.links.map(() => 0);
    this.rounds = begun.facts.flows.map(() => []);
  }

  add(piece: Piece): void {
    this.nowS = piece.nowS;
    const { series, packets, events } = piece;
    for (let i = 0; i < series.value.length; i++) {
      const track = this.track(series.kind[i]!, series.entity[i]!, series.quantity[i]!);
      track.time.push(series.timeS[i]!);
      track.value.push(series.value[i]!);
    }
    for (let i = 0; packets && i < packets.link.length; i++) {
      const link = packets.link[i]!;
      const [beginS, endS] = [packets.beginS[i]!, packets.endS[i]!];
      this.passages[link]!.push({
        source: packets.source[i]!,
        packet: packets.packet[i]!,
        retransmission: packets.retransmission[i] === 1,
        fate: packets.fate[i]!,
        beginS,
        endS,
      });
      this.longest[link] = Math.max(this.longest[link]!, endS - beginS);
    }
    const found: FlowEvent[] = [];
    for (let i = 0; i < events.timeS.length; i++) {
      const [timeS, flow, event] = [events.timeS[i]!, events.flow[i]!, EVENTS[events.event[i]!]!];
      if (event === "round") this.rounds[flow]!.push(timeS);
      else found.push({ timeS, flow, event, detail: events.detail[i]! });
    }
    found.sort((a, b) => a.timeS - b.timeS);
    this.events.push(...found);
  }

  private track(kind: number, entity: number, quantity: number): Track {
    const key = (entity * 2 + kind) * QUANTITIES.length + quantity;
    let track = this.tracks.get(key);
    if (!track) this.tracks.set(key, (track = { time: [], value: [] }));
    return track;
  }

  of(kind: number, entity: number, quantity: Quantity): Track {
    return this.track(kind, entity, QUANTITIES.indexOf(quantity));
  }

  /** The last value at or before a time. */
  at(kind: number, entity: number, quantity: Quantity, timeS: number): number | null {
    const track = this.of(kind, entity, quantity);
    const index = above((i) => track.time[i]!, track.time.length, timeS);
    return index > 0 ? track.value[index - 1]! : null;
  }

  /** Packets that are in a link at a time, in order of arrival there. */
  inLink(link: number, timeS: number): Passage[] {
    const all = this.passages[link]!;
    const until = timeS + this.longest[link]!;
    const found: Passage[] = [];
    for (let i = above((k) => all[k]!.endS, all.length, timeS); i < all.length && all[i]!.endS <= until; i++) {
      if (all[i]!.beginS <= timeS) found.push(all[i]!);
    }
    return found.sort((a, b) => a.beginS - b.beginS);
  }

  /** Packets that a link dropped or lost between two times. */
  gone(link: number, fromS: number, toS: number): Passage[] {
    const all = this.passages[link]!;
    const found: Passage[] = [];
    for (let i = above((k) => all[k]!.endS, all.length, fromS); i < all.length && all[i]!.endS <= toS; i++) {
      if (all[i]!.fate !== 0) found.push(all[i]!);
    }
    return found;
  }

  /** The number of round trips that a flow has completed. */
  round(flow: number, timeS: number): number {
    const rounds = this.rounds[flow]!;
    return above((i) => rounds[i]!, rounds.length, timeS);
  }

  /** The last events up to a time. */
  recent(timeS: number, count: number): FlowEvent[] {
    const end = above((i) => this.events[i]!.timeS, this.events.length, timeS);
    return this.events.slice(Math.max(0, end - count), end);
  }
}
