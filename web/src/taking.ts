// One run of a record, and what is asked of it. In a worker, or in a test.

import { Scenario, response, type Series } from "../pkg/engine.js";
import type { Run, Take } from "./record.js";
import { FLOW, LINK, QUANTITIES, type Quantity } from "./recording.js";
import type { Value } from "./reduce.js";

function at(document: unknown, place: string): Value {
  const found = place.split(".").reduce((inside, key) => (inside as Record<string, unknown> | null | undefined)?.[key], document);
  if (found === undefined) throw new Error(`a result has no ${place}`);
  return typeof found === "boolean" ? Number(found) : (found as Value);
}

function column(series: Series, [name, , kind, entity, quantity]: Exclude<Take, ["result", ...unknown[]]>): number[] {
  const [of, index] = [kind === "flow" ? FLOW : LINK, QUANTITIES.indexOf(quantity as Quantity)];
  const values = name === "times" ? series.timeS : series.value;
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (series.quantity[i] === index && series.kind[i] === of && series.entity[i] === entity) found.push(values[i]!);
  }
  return found;
}

/** Runs it, and takes these of its result; `scenario` is its JSON, which a response function does without. */
export function taken(run: Run, scenario: string, takes: Map<string, Take>): Map<string, Value> {
  let document: unknown;
  let series: Series | undefined;
  if (run.world === "response") {
    const [window, rate] = response(run.kind, run.loss, run.rttS, 1, run.periodic);
    document = { window, rate };
  } else {
    const loaded = new Scenario(scenario, { format: "json" });
    try {
      if (run.world === "stability") {
        document = JSON.parse(loaded.stability(run.linkModel));
      } else {
        const done = loaded.run([...takes.values()].some((take) => take[0] !== "result"));
        document = JSON.parse(done.json);
        series = done.series();
        done.free();
      }
    } finally {
      loaded.free();
    }
  }
  return new Map([...takes].map(([name, take]) => [name, take[0] === "result" ? at(document, take[2]) : column(series!, take)]));
}
