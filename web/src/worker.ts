// Runs simulations beside the page, in pieces, so that a run can be seen while it goes on and cancelled at any time.

import { Scenario, initSync } from "../pkg/engine.js";
import type { Done, Reply, Request } from "./messages.js";
import { taken } from "./taking.js";

/** Time between two pieces, in milliseconds. */
const PIECE_MS = 40;

const cancelled = new Set<number>();
let queue: Promise<void> = Promise.resolve();

function reply(message: Reply): void {
  postMessage(message);
}

/** Lets messages in. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

function theoryOf(scenario: Scenario, result: { flows: { base_rtt_s: number | null }[] }): Done["theory"] {
  try {
    // the equilibrium that belongs to the base round-trip times that the senders of this run believe
    const believed = result.flows.map((flow) => flow.base_rtt_s);
    const known = believed.every((value) => value !== null);
    return { json: known ? scenario.theory(Float64Array.from(believed)) : scenario.theory() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

async function run(request: Request & { kind: "run" }): Promise<void> {
  const { id } = request;
  if (cancelled.has(id)) return reply({ kind: "cancelled", id });
  const scenario = new Scenario(request.text, { name: request.name });
  const began = performance.now();
  const simulation = scenario.begin(request.packets);
  reply({
    kind: "begun",
    id,
    begun: {
      facts: scenario.facts(),
      title: scenario.title,
      sha256: scenario.sha256,
      canonical: scenario.canonical,
      durationS: scenario.durationS,
      warmupS: scenario.warmupS,
      spacing: [...simulation.packetSpacing],
    },
  });
  let busy = performance.now() - began;
  let step = scenario.durationS / 100;
  try {
    while (simulation.nowS < scenario.durationS) {
      const from = performance.now();
      simulation.advance(simulation.nowS + step);
      const took = performance.now() - from;
      busy += took;
      step *= Math.min(4, Math.max(0.25, PIECE_MS / Math.max(took, 1)));
      const { nowS } = simulation;
      reply({ kind: "piece", id, piece: { nowS, series: simulation.series(), packets: simulation.packets(), events: simulation.events() } });
      await breathe();
      if (cancelled.has(id)) return reply({ kind: "cancelled", id });
    }
    const from = performance.now();
    const finished = simulation.finish();
    const tookMs = busy + performance.now() - from;
    const json = finished.json;
    const theory = request.theory ? theoryOf(scenario, JSON.parse(json)) : null;
    reply({ kind: "done", id, done: { json, expectations: finished.expectations, theory, tookMs } });
    finished.free();
  } finally {
    simulation.free();
    scenario.free();
  }
}

onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  if (request.kind === "load") {
    initSync({ module: request.module });
  } else if (request.kind === "cancel") {
    cancelled.add(request.id);
  } else {
    const fail = (error: unknown): void => {
      reply({ kind: "failed", id: request.id, message: error instanceof Error ? error.message : String(error) });
    };
    const work = (): Promise<void> | void => {
      if (request.kind === "run") return run(request);
      reply({ kind: "taken", id: request.id, values: taken(request.run, request.scenario, request.takes) });
    };
    queue = queue.then(work).catch(fail);
  }
};
