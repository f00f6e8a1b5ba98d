// The start pages: scenarios with an explanation, and changes to try.

import baseRtt from "./stories/base-rtt.toml?raw";
import bbrCubic from "./stories/bbr-cubic.toml?raw";
import bufferbloat from "./stories/bufferbloat.toml?raw";
import fairness from "./stories/fairness.toml?raw";
import twoWayFast from "./stories/two-way-fast.toml?raw";
import upload from "./stories/upload.toml?raw";
import joins from "../../python/eddyline/papers/asymmetric_fast/scenarios/upload-joins.toml?raw";
import figure1 from "../../python/eddyline/papers/bidirectional_tcp/scenarios/figure-1.toml?raw";
import example1 from "../../python/eddyline/papers/two_way_fast/scenarios/example-1-1000B.toml?raw";
import example2 from "../../python/eddyline/papers/two_way_fast/scenarios/example-2-1000B.toml?raw";
import example3 from "../../python/eddyline/papers/two_way_fast/scenarios/example-3-1000B.toml?raw";
import example4 from "../../python/eddyline/papers/two_way_fast/scenarios/example-4-1000B.toml?raw";
import vfast1 from "../../python/eddyline/papers/vfast/scenarios/scenario-1.toml?raw";

/** A change of one value: path and TOML literal. */
export type Change = [path: string[], literal: string];

export interface Variant {
  label: string;
  changes: Change[];
  /** What it is, for who does not know its name. */
  means?: string;
}

/** What decides between variants: of those that bring one flow about as much as the best does, the one that leaves the other most. */
export interface Judgement {
  for: number;
  from: number;
}

export interface Story {
  id: string;
  title: string;
  /** What to look at, in a sentence or two. */
  text: string;
  file: string;
  toml: string;
  /** The question that the variants answer. */
  question: string | null;
  variants: Variant[];
  judgement?: Judgement;
  /** Simulated seconds a second. */
  speed: number;
  /** Where playing starts, if what there is to see comes late. */
  fromS?: number;
}

const queue = (link: number, toml: string): Change => [["link", String(link), "queue"], toml];
const controller = (flow: number, toml: string): Change => [["flow", String(flow), "controller"], toml];

function document(id: string, title: string, text: string, toml: string): Story {
  return { id, title, text, file: `${id}.toml`, toml, question: null, variants: [], speed: 2 };
}

export const STORIES: Story[] = [
  {
    id: "upload",
    title: "An upload kills a download",
    text:
      "A download fills an 8 Mbit/s line. At 10 s an upload starts and fills the queue in front of the 800 kbit/s uplink. " +
      "The download's acknowledgements wait in that queue, about a second each, and the download falls to a fraction.",
    file: "upload.toml",
    toml: upload,
    question: "Which cure costs least?",
    variants: [
      { label: "FQ-CoDel on the uplink", changes: [queue(1, '{ kind = "fq_codel" }')], means: "the router gives each transfer a queue of its own" },
      { label: "CoDel on the uplink", changes: [queue(1, '{ kind = "codel" }')], means: "the router drops packets when they have waited too long" },
      { label: "a short uplink queue", changes: [queue(1, '{ kind = "droptail", limit = "16 kB" }')], means: "the modem holds 16 kB instead of 128 kB" },
      { label: "acknowledgements first", changes: [queue(1, '{ kind = "ack_priority", limit = "128 kB" }')], means: "the router sends acknowledgements before data" },
      { label: "the upload by LEDBAT", changes: [controller(1, '{ kind = "ledbat" }')], means: "the sending program yields to others, as BitTorrent does" },
      { label: "the upload by BBR", changes: [controller(1, '{ kind = "bbr" }')], means: "the sending machine uses another congestion control" },
    ],
    judgement: { for: 0, from: 1 },
    speed: 1,
    fromS: 8,
  },
  {
    id: "two-way-fast",
    title: "FAST on a two-way path",
    text:
      "Two FAST flows in opposite directions. Each counts the delay of both queues as its own, so the slower direction " +
      "decides for both: the 20 Mbit/s link carries no more than the 10 Mbit/s link. The dotted lines are theory's equilibrium.",
    file: "two-way-fast.toml",
    toml: twoWayFast,
    question: "What moves the equilibrium?",
    variants: [
      { label: "the forward flow keeps 80 packets", changes: [controller(0, '{ kind = "fast", alpha = "80 packets", base_rtt = "known" }')] },
      { label: "the backward link at 20 Mbit/s", changes: [[["link", "1", "rate"], '"20 Mbit/s"']] },
      { label: "acknowledgements first, both ways", changes: [queue(0, '{ kind = "ack_priority" }'), queue(1, '{ kind = "ack_priority" }')] },
    ],
    speed: 1,
  },
  {
    id: "bufferbloat",
    title: "Bufferbloat and its cures",
    text:
      "A bulk download keeps a queue of a thousand packets full, and a call on the same link waits half a second behind it. " +
      "Throughput is fine; delay is not.",
    file: "bufferbloat.toml",
    toml: bufferbloat,
    question: "What does the call gain, and what does the download lose?",
    variants: [
      { label: "a queue of 50 packets", changes: [queue(0, '{ kind = "droptail", limit = "50 packets" }')] },
      { label: "CoDel", changes: [queue(0, '{ kind = "codel" }')] },
      { label: "PIE", changes: [queue(0, '{ kind = "pie" }')] },
      { label: "FQ-CoDel", changes: [queue(0, '{ kind = "fq_codel" }')] },
      { label: "the download by BBR", changes: [controller(0, '{ kind = "bbr" }')] },
    ],
    speed: 1,
  },
  {
    id: "fairness",
    title: "Who shares fairly with whom",
    text: "CUBIC, Vegas and NewReno on one link with one queue. Choose any controllers and any queue, and look at the rates.",
    file: "fairness.toml",
    toml: fairness,
    question: "Does the queue make it fair?",
    variants: [
      { label: "FQ-CoDel", changes: [queue(0, '{ kind = "fq_codel" }')] },
      { label: "CoDel", changes: [queue(0, '{ kind = "codel" }')] },
      { label: "a long queue", changes: [queue(0, '{ kind = "droptail", limit = "400 packets" }')] },
      { label: "all by CUBIC", changes: [controller(1, '{ kind = "cubic" }'), controller(2, '{ kind = "cubic" }')] },
    ],
    speed: 2,
  },
  {
    id: "base-rtt",
    title: "Base-RTT error",
    text:
      "Two equal FAST flows. The late one never sees the empty path: it takes the queueing delay that it finds for propagation, " +
      "keeps more packets queued than it should, and gets more.",
    file: "base-rtt.toml",
    toml: baseRtt,
    question: "What removes the error?",
    variants: [
      { label: "both know the base RTT", changes: [[["flow", "0", "controller", "base_rtt"], '"known"'], [["flow", "1", "controller", "base_rtt"], '"known"']] },
      { label: "both start at once", changes: [[["flow", "1", "start"], '"0 s"']] },
    ],
    speed: 1,
  },
  {
    id: "bbr-cubic",
    title: "BBR beside CUBIC",
    text: "Both share a queue of one bandwidth-delay product. BBR sends by its model of the path and does not back off at each loss; CUBIC does.",
    file: "bbr-cubic.toml",
    toml: bbrCubic,
    question: "How long must the queue be for CUBIC to hold its own?",
    variants: [
      { label: "a queue of 35 packets", changes: [queue(0, '{ kind = "droptail", limit = "35 packets" }')] },
      { label: "a queue of 280 packets", changes: [queue(0, '{ kind = "droptail", limit = "280 packets" }')] },
      { label: "FQ-CoDel", changes: [queue(0, '{ kind = "fq_codel" }')] },
      { label: "BBRv3 instead of BBR", changes: [controller(1, '{ kind = "bbr3" }')] },
    ],
    speed: 2,
  },
  document("example-1", "Two-way FAST, example 1", "The scenario of example 1 in the two-way FAST paper, packets of 1000 bytes.", example1),
  document("example-2", "Two-way FAST, example 2", "The scenario of example 2 in the two-way FAST paper, packets of 1000 bytes.", example2),
  document("example-3", "Two-way FAST, example 3", "The scenario of example 3 in the two-way FAST paper, packets of 1000 bytes.", example3),
  document("example-4", "Two-way FAST, example 4", "The scenario of example 4 in the two-way FAST paper, packets of 1000 bytes.", example4),
  document("upload-joins", "Asymmetric FAST: an upload joins", "A scenario of the asymmetric FAST paper's reproduction.", joins),
  document("figure-1", "Bidirectional TCP, figure 1", "The scenario of figure 1 in the paper on bidirectional TCP over asymmetric links.", figure1),
  document("vfast-1", "VFAST, scenario 1", "Scenario 1 of the VFAST paper.", vfast1),
];
