// What the page and its worker tell each other.

import type { Expectation, Facts, FlowEvents, Packets, Series } from "../pkg/engine.js";
import type { Run, Take } from "./record.js";
import type { Value } from "./reduce.js";

export type Request =
  | { kind: "load"; module: WebAssembly.Module }
  | { kind: "run"; id: number; text: string; name: string; packets: number; theory: boolean }
  | { kind: "take"; id: number; run: Run; scenario: string; takes: Map<string, Take> }
  | { kind: "cancel"; id: number };

/** What is known before a run. */
export interface Begun {
  facts: Facts;
  title: string;
  sha256: string;
  canonical: string;
  durationS: number;
  warmupS: number;
  /** One packet in so many is recorded, by link. */
  spacing: number[];
}

/** What a run adds as it goes. */
export interface Piece {
  nowS: number;
  series: Series;
  packets: Packets | undefined;
  events: FlowEvents;
}

export interface Done {
  json: string;
  expectations: Expectation[];
  /** World theory's result, or why there is none. */
  theory: { json: string } | { reason: string } | null;
  /** Time that the simulation took, in milliseconds. */
  tookMs: number;
}

export type Reply =
  | { kind: "begun"; id: number; begun: Begun }
  | { kind: "piece"; id: number; piece: Piece }
  | { kind: "done"; id: number; done: Done }
  | { kind: "taken"; id: number; values: Map<string, Value> }
  | { kind: "cancelled"; id: number }
  | { kind: "failed"; id: number; message: string };
