// Records of figures of several runs: the scenarios, and how what was drawn follows from their results. `website/record.py` writes them.

/** A number, a list of them, or a calculation: its name and what it takes. See `reduce.ts`. */
export type Expression = number | null | string | Expression[];

/** Values of a scenario's document by where they are: "flow.0.controller.kind". */
export type Changes = [where: string, value: unknown][];

/** One run: a scenario of the record with changes, in world `sim` or an analysis of world `theory`; or a response function. */
export type Run =
  | { world: "sim"; base: number; change: Changes; ms: number }
  | { world: "stability"; base: number; change: Changes; ms: number; linkModel: "integrator" | "ack_clocked" | "joint" }
  | { world: "response"; kind: string; loss: number; rttS: number; periodic: boolean; ms: number };

/** Runs of every change of `y` with every change of `x`, which varies first. */
export interface Product {
  run: Exclude<Run, { world: "response" }>;
  x: Changes[];
  y: Changes[];
}

export interface Axis {
  label: string;
  log?: boolean;
  /** What a value is divided by where it is drawn. */
  size?: number;
  range?: [number, number];
}

/** Something drawn: by the record, and how to calculate it anew. */
export interface Mark {
  label: string;
  colour: number | "grey";
  as: ("line" | "dashed" | "dots" | "rings" | "crosses" | "cells")[];
  x: Expression;
  y: Expression;
  /** Of cells: their value, whose sign is a verdict. */
  z?: Expression;
  /** Without x where that is a run's own time. */
  recorded: { x?: number[]; y: (number | null)[]; z?: (number | null)[] };
  /** What this is, where it is not calculated anew. */
  fixed?: string;
  /** Numbers whose last digits are the processor's: so much of a number they may differ, and signs not at all. */
  within?: number;
}

export interface Panel {
  title: string;
  x: Axis;
  y: Axis;
  marks: Mark[];
}

export interface FigureRecord {
  command: string;
  bases: unknown[];
  runs: Run[];
  product?: Product;
  columns: number;
  panels: Panel[];
}

/** All runs: those of the product come after the others. */
export function runsOf(record: FigureRecord): Run[] {
  const { product } = record;
  if (!product) return record.runs;
  const { run, x, y } = product;
  const cells = y.flatMap((dy) => x.map((dx) => ({ ...run, change: [...run.change, ...dx, ...dy] })));
  return [...record.runs, ...cells];
}

/** A run's scenario as JSON. */
export function scenarioOf(record: FigureRecord, run: Exclude<Run, { world: "response" }>): string {
  const scenario = structuredClone(record.bases[run.base]);
  for (const [where, value] of run.change) {
    const keys = where.split(".");
    const last = keys.pop()!;
    const holder = keys.reduce((inside, key) => (inside as Record<string, unknown>)[key], scenario);
    (holder as Record<string, unknown>)[last] = value;
  }
  return JSON.stringify(scenario);
}

/** What is asked of a run: a place in its result, or a series of a flow or link, its values or its times. */
export type Take =
  | ["result", number, string]
  | ["series" | "times", number, "flow" | "link", number, string];

export const TAKES: ReadonlySet<unknown> = new Set(["result", "series", "times"]);

export function isTake(expression: Expression[]): expression is Take {
  return TAKES.has(expression[0]);
}

/** What the marks ask of all runs, by run; each once. */
export function takesOf(record: FigureRecord): Map<number, Map<string, Take>> {
  const found = new Map<number, Map<string, Take>>();
  const visit = (expression: Expression): void => {
    if (!Array.isArray(expression)) return;
    if (isTake(expression)) {
      const own = found.get(expression[1]) ?? new Map<string, Take>();
      found.set(expression[1], own.set(JSON.stringify(expression), expression));
    } else if (expression[0] === "every") {
      every(expression).forEach(visit);
    } else {
      expression.forEach(visit);
    }
  };
  for (const mark of record.panels.flatMap((panel) => panel.marks)) {
    if (mark.fixed === undefined) [mark.x, mark.y, mark.z ?? null].forEach(visit);
  }
  return found;
}

/** `["every", first, count, place]`: a place in the results of runs that follow one another. */
export function every(expression: Expression[]): Take[] {
  const [, first, count, place] = expression as ["every", number, number, string];
  return Array.from({ length: count }, (_, i) => ["result", first + i, place]);
}
