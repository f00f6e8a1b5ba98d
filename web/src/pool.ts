// Workers that share the runs of a record among them.

import { newWorker } from "./engine.js";
import type { Reply, Request } from "./messages.js";
import { runsOf, scenarioOf, takesOf, type FigureRecord } from "./record.js";
import type { Value } from "./reduce.js";

/** How many runs at a time; a browser in a phone has few processors, and memory for few. */
export const WORKERS = Math.min(4, Math.max(1, navigator.hardwareConcurrency || 1));

/** Runs everything that the marks of a record ask for. `stop` ends it at once, and the promise stays open. */
export function runAll(
  module: WebAssembly.Module,
  record: FigureRecord,
  each: (done: number, all: number, doneMs: number) => void,
): { done: Promise<Map<string, Value>>; stop: () => void } {
  const runs = runsOf(record);
  const takes = takesOf(record);
  // the longest first, so that none is left for the end
  const waiting = [...takes.keys()].sort((a, b) => runs[b]!.ms - runs[a]!.ms);
  const all = waiting.length;
  const known = new Map<string, Value>();
  const workers: Worker[] = [];
  const stop = (): void => workers.forEach((worker) => worker.terminate());
  const done = new Promise<Map<string, Value>>((resolve, reject) => {
    let [finished, finishedMs] = [0, 0];
    const next = (worker: Worker): void => {
      const id = waiting.shift();
      if (id === undefined) return worker.terminate();
      const run = runs[id]!;
      const scenario = run.world === "response" ? "" : scenarioOf(record, run);
      worker.postMessage({ kind: "take", id, run, scenario, takes: takes.get(id)! } satisfies Request);
    };
    const fail = (message: string): void => {
      stop();
      reject(new Error(message));
    };
    for (let i = 0; i < Math.min(WORKERS, all); i++) {
      const worker = newWorker(module);
      workers.push(worker);
      worker.onerror = (event) => fail(event.message);
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.kind === "failed") return fail(data.message);
        if (data.kind !== "taken") return;
        data.values.forEach((value, name) => known.set(name, value));
        each(++finished, all, (finishedMs += runs[data.id]!.ms));
        if (finished === all) resolve(known);
        next(worker);
      };
      next(worker);
    }
  });
  return { done, stop };
}
