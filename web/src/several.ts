// A figure of several runs that runs again: all of them, in workers, and every number beside the recorded one.

import { el } from "./dom.js";
import { digits, time } from "./format.js";
import { Panels, type Drawn } from "./panels.js";
import { WORKERS, runAll } from "./pool.js";
import type { FigureRecord } from "./record.js";
import { compared, drawnOf, type Comparison } from "./compare.js";

/** Time that a run takes here over its time on the command line, with what comes before and after it. */
const SLOWER = 2;

/** A time that is only an estimate. */
function about(seconds: number): string {
  if (seconds < 2) return "about a second";
  return seconds < 100 ? `about ${digits(seconds, seconds < 20 ? 1 : 2)} s` : `about ${Math.round(seconds / 60)} minutes`;
}

function sentence({ numbers, same, near, differences, fixed }: Comparison): string {
  const parts = [`${same === numbers ? `All ${numbers}` : `${same} of ${numbers}`} numbers have the bytes of the command line's.`];
  if (near.count > 0) {
    const most = `${near.count} differ by at most ${digits(near.most, 2)} of the number`;
    parts.push(`${most}, in last digits that are another on each processor; all signs are the same.`);
  }
  if (differences.length > 0) {
    parts.push(`${differences.length} differ: ${differences.slice(0, 3).join("; ")}${differences.length > 3 ? "; …" : ""}.`);
  }
  if (fixed.length > 0) parts.push(`Drawn as recorded, not calculated again: ${fixed.join(", ")}.`);
  return parts.join(" ");
}

export class Several {
  private readonly button: HTMLButtonElement;
  private readonly before: string;
  private readonly said = el("p", { class: "rerun-said", role: "status" });
  private readonly bar = el("progress", { max: 1, value: 0, "aria-label": "progress of the runs", hidden: true });
  private panels: Panels | null = null;
  private stop: (() => void) | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly load: (name: string) => Promise<{ module: WebAssembly.Module; record: FigureRecord }>,
  ) {
    const { runs, ms } = root.dataset;
    const seconds = (Number(ms) * SLOWER) / 1000 / WORKERS;
    this.before = `${runs}: ${about(seconds)} on this machine.`;
    this.button = el("button", { type: "button", class: "rerun-run", click: () => void this.press() }, "▶ Run it here");
    root.querySelector(".rerun-bar")?.prepend(this.button, el("span", { class: "rerun-cost" }, this.before));
    root.append(this.bar, this.said);
  }

  private async press(): Promise<void> {
    if (this.stop) return this.end("Stopped.");
    this.root.removeAttribute("data-done");
    this.said.textContent = "Loading the simulator …";
    try {
      const { module, record } = await this.load(this.root.dataset["record"] ?? "");
      await this.run(module, record);
    } catch (error) {
      this.end(error instanceof Error ? error.message : String(error));
    }
  }

  private async run(module: WebAssembly.Module, record: FigureRecord): Promise<void> {
    const began = performance.now();
    const allMs = Number(this.root.dataset["ms"]);
    const { done, stop } = runAll(module, record, (count, all, doneMs) => {
      this.bar.value = Math.min(1, doneMs / allMs);
      const left = ((performance.now() - began) / 1000) * (allMs / Math.max(doneMs, 1) - 1);
      this.said.textContent = `${count} of ${all} runs are done${left > 1 ? `, ${about(left)} more` : ""}`;
    });
    this.stop = stop;
    this.button.textContent = "■ Stop";
    this.bar.hidden = false;
    this.said.textContent = "Simulating …";
    const known = await done;
    const drawn = drawnOf(record, (name) => known.get(name)!);
    const comparison = compared(drawn.flat());
    this.show(record, drawn);
    this.end(`${sentence(comparison)} Run in ${time((performance.now() - began) / 1000)}.`);
    this.button.textContent = "▶ Run it again";
    this.root.setAttribute("data-same", String(comparison.differences.length === 0));
    this.root.setAttribute("data-done", String(comparison.numbers));
  }

  private show(record: FigureRecord, drawn: Drawn[][]): void {
    this.root.classList.add("ran");
    if (!this.panels) {
      this.panels = new Panels(record.panels, record.columns);
      this.root.append(this.panels.element);
    }
    this.panels.show(drawn);
  }

  private end(saying: string): void {
    this.stop?.();
    this.stop = null;
    this.bar.hidden = true;
    this.button.textContent = "▶ Run it here";
    this.said.textContent = saying;
  }

  restyle(): void {
    this.panels?.restyle();
  }

  resize(): void {
    this.panels?.resize();
  }
}
