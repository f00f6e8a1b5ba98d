// Events and results in sentences.

import { digits, rate, time } from "./format.js";
import type { FlowEvent, Recording } from "./recording.js";

export interface Result {
  flows: {
    name: string;
    controller: string;
    goodput_bps: number | null;
    rtt_s: { mean: number | null; min: number | null; p99: number | null };
    forward_queueing_delay_s: number | null;
    reverse_queueing_delay_s: number | null;
    window_packets: { mean: number | null };
    retransmits: number | null;
    timeouts: number | null;
  }[];
  links: {
    name: string;
    utilisation: number | null;
    queueing_delay_s: { mean: number | null };
    queue_packets: { mean: number | null; max: number | null };
    drops: { data: number | null; ack: number | null; cross: number | null };
  }[];
}

/** What an event is, and what follows from it. */
export function sentence(recording: Recording, event: FlowEvent): string {
  const { flows, links } = recording.begun.facts;
  const name = flows[event.flow]?.name ?? "a flow";
  const link = links[event.detail]?.name ?? "a link";
  switch (event.event) {
    case "loss":
      return `${link} drops a packet of ${name}. The sender learns of it from the acknowledgements of later packets.`;
    case "ack loss":
      return `${link} drops an acknowledgement of ${name}. The next one covers what it said.`;
    case "timeout":
      return `The retransmission timer of ${name} expires: no acknowledgement came in time. The window falls to one packet.`;
    case "recovery":
      return `${name} detects losses, reduces its window and retransmits: loss recovery begins.`;
    case "recovered":
      return `Everything that ${name} had sent before its loss is acknowledged: recovery ends.`;
    case "completed":
      return `The transfer of ${name} is complete.`;
    case "round":
      return `A round trip of ${name} ends.`;
  }
}

/** Queueing is worth a word where it is more than this share of the round-trip time. */
const QUEUEING_SHARE = 0.5;

/** The main finding of a run: who gets how much, and what waits. */
export function finding(result: Result): string {
  const parts = result.flows.slice(0, 4).map((flow) => {
    if (flow.goodput_bps === null) return `${flow.name} was not active in the summary window.`;
    const { mean } = flow.rtt_s;
    let text = `${flow.name} gets ${rate(flow.goodput_bps)}`;
    if (mean !== null) {
      text += `; its mean round trip is ${time(mean)}`;
      const [data, acks] = [flow.forward_queueing_delay_s ?? 0, flow.reverse_queueing_delay_s ?? 0];
      if (data + acks > QUEUEING_SHARE * mean) {
        text += data > acks ? `, ${time(data)} of it data waiting in queues` : `, ${time(acks)} of it acknowledgements waiting in queues`;
      }
    }
    return `${text}.`;
  });
  return parts.join(" ");
}

/** Table rows: a label, then a value per flow. */
export function flowRows(result: Result, theory: Result | null): [string, (i: number) => string, ((i: number) => string) | null][] {
  const show = (value: number | null | undefined, text: (v: number) => string): string => (value === null || value === undefined ? "–" : text(value));
  const both = (pick: (flow: Result["flows"][number]) => number | null, text: (v: number) => string) =>
    [(i: number) => show(pick(result.flows[i]!), text), theory ? (i: number) => show(pick(theory.flows[i]!), text) : null] as const;
  return [
    ["goodput", ...both((f) => f.goodput_bps, rate)],
    ["mean RTT", ...both((f) => f.rtt_s.mean, time)],
    ["mean window, packets", ...both((f) => f.window_packets.mean, digits)],
    ["waiting of data", ...both((f) => f.forward_queueing_delay_s, time)],
    ["waiting of ACKs", ...both((f) => f.reverse_queueing_delay_s, time)],
    ["retransmissions", ...both((f) => f.retransmits, digits)],
    ["timeouts", ...both((f) => f.timeouts, digits)],
  ];
}
