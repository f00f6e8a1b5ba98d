// The WebAssembly module, in the page for what is quick and in a worker for simulations.

import { initSync } from "../pkg/engine.js";
import workerSource from "virtual:worker";
import type { Begun, Done, Piece, Reply, Request } from "./messages.js";

/** Told how a run goes. */
export interface Listener {
  begun(begun: Begun): void;
  piece(piece: Piece): void;
}

interface Job {
  listener: Listener | null;
  resolve(done: Done): void;
  reject(reason: Error): void;
}

/** The run was replaced by a newer one. */
export class Cancelled extends Error {}

async function inflate(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Compiles the module, which pages carry by gzip in base 64. */
export async function compile(base64: string): Promise<WebAssembly.Module> {
  const module = await WebAssembly.compile(await inflate(base64));
  initSync({ module });
  return module;
}

/** A worker with the module. */
export function newWorker(module: WebAssembly.Module): Worker {
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  worker.postMessage({ kind: "load", module } satisfies Request);
  return worker;
}

/** A worker that simulates one scenario after the other. */
export class Simulator {
  private readonly worker: Worker;
  private readonly jobs = new Map<number, Job>();
  private static last = 0;

  constructor(module: WebAssembly.Module) {
    this.worker = newWorker(module);
    this.worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    this.worker.onerror = (event) => {
      for (const job of this.jobs.values()) job.reject(new Error(event.message));
      this.jobs.clear();
    };
  }

  /** Runs a scenario; `cancel` stops it, after which it rejects with `Cancelled`. */
  run(text: string, name: string, packets: number, listener: Listener | null): { done: Promise<Done>; cancel: () => void } {
    const id = ++Simulator.last;
    const done = new Promise<Done>((resolve, reject) => this.jobs.set(id, { listener, resolve, reject }));
    this.send({ kind: "run", id, text, name, packets, theory: listener !== null });
    const cancel = (): void => {
      const job = this.jobs.get(id);
      this.jobs.delete(id);
      this.send({ kind: "cancel", id });
      job?.reject(new Cancelled());
    };
    return { done, cancel };
  }

  private send(request: Request): void {
    this.worker.postMessage(request);
  }

  private receive(reply: Reply): void {
    if (reply.kind === "taken") return;
    const job = this.jobs.get(reply.id);
    if (!job) return;
    if (reply.kind === "begun") return job.listener?.begun(reply.begun);
    if (reply.kind === "piece") return job.listener?.piece(reply.piece);
    this.jobs.delete(reply.id);
    if (reply.kind === "done") job.resolve(reply.done);
    else job.reject(reply.kind === "failed" ? new Error(reply.message) : new Cancelled());
  }
}
