// One set-up: a scenario's text, its run, and the views of it.

import { Scenario, check, edit, type Diagnostic } from "../pkg/engine.js";
import type { Canonical, LinkTable } from "./controls.js";
import { el } from "./dom.js";
import { CHARTS } from "./embedded.js";
import { Cancelled, type Simulator } from "./engine.js";
import { finding, flowRows, sentence, type Result } from "./explain.js";
import { digits, time } from "./format.js";
import { PathView } from "./path.js";
import { Recording } from "./recording.js";
import type { Change } from "./stories.js";
import { Strips } from "./strips.js";

/** Packets a link whose way is recorded at most. */
const PACKETS = 20_000;
/** Time between two updates of the charts while a run goes on, in milliseconds. */
const UPDATE_MS = 80;

export class Setup {
  text = "";
  errors: Diagnostic[] = [];
  recording: Recording | null = null;
  private readonly path = new PathView();
  private readonly strips: Strips;
  private readonly status = el("p", { class: "status", role: "status" });
  private readonly said = el("ol", { class: "events", "aria-label": "latest events" });
  private readonly found = el("p", { class: "finding" });
  private readonly summary = el("div", { class: "summary" });
  private readonly heading = el("h3");
  readonly element: HTMLElement;
  private cancel: (() => void) | null = null;
  private stale = false;
  private updatedMs = 0;
  private shownEvents: string | null = null;

  constructor(
    private readonly simulator: Simulator,
    label: string,
    seek: (timeS: number) => void,
    private readonly changed: () => void,
  ) {
    this.strips = new Strips(seek, CHARTS);
    this.heading.textContent = label;
    const stage = el("div", { class: "stage" }, this.path.canvas);
    this.element = el("article", { class: "setup", "aria-label": label }, this.heading, this.found, stage, this.said, this.strips.element, this.status, this.summary);
  }

  /** The scenario with defaults filled in, and its links as they are, whoever made them; null while the text has errors. */
  canonical(name: string): { scenario: Canonical; links: LinkTable[] } | null {
    if (this.errors.length > 0) return null;
    const scenario = new Scenario(this.text, { name });
    try {
      const links = scenario.facts().links.map((link) => ({
        name: link.name,
        rate: `${link.rate_bps} bit/s`,
        delay: `${link.delay_s} s`,
        queue: link.queue,
      }));
      return { scenario: JSON.parse(scenario.canonical) as Canonical, links };
    } finally {
      scenario.free();
    }
  }

  /** The text with changes; the text itself where a change does not fit. */
  withChanges(changes: Change[]): string {
    return changes.reduce((text, [path, literal]) => edit(text, path, literal), this.text);
  }

  /** Shows a text: its errors, or its run. */
  async show(text: string, name: string): Promise<void> {
    this.text = text;
    this.errors = check(text, { name }).errors;
    this.cancel?.();
    this.cancel = null;
    this.element.classList.toggle("invalid", this.errors.length > 0);
    if (this.errors.length > 0) {
      const count = this.errors.length === 1 ? "one error" : `${this.errors.length} errors`;
      this.status.textContent = `The text has ${count}; the picture shows the last valid scenario.`;
      this.changed();
      return;
    }
    this.status.textContent = "Simulating …";
    const run = this.simulator.run(text, name, PACKETS, {
      begun: (begun) => {
        this.recording = new Recording(begun);
        this.element.removeAttribute("data-done");
        this.strips.begin(this.recording);
        this.changed();
      },
      piece: (piece) => {
        this.recording?.add(piece);
        this.stale = true;
      },
    });
    this.cancel = run.cancel;
    try {
      const done = await run.done;
      const recording = this.recording!;
      recording.done = done;
      this.stale = true;
      this.updatedMs = 0;
      this.strips.setTheory(done.theory && "json" in done.theory ? done.theory.json : null);
      this.report(recording);
      this.element.setAttribute("data-done", recording.begun.sha256);
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.status.textContent = error instanceof Error ? error.message : String(error);
    }
    this.changed();
  }

  private report(recording: Recording): void {
    const { json, theory, tookMs, expectations } = recording.done!;
    const result = JSON.parse(json) as Result;
    const predicted = theory && "json" in theory ? (JSON.parse(theory.json) as Result) : null;
    const { warmupS, durationS, facts } = recording.begun;
    this.status.textContent = `${digits(durationS)} s simulated in ${time(tookMs / 1000)}. Summaries cover ${digits(warmupS)} s to ${digits(durationS)} s.`;
    const columns = facts.flows.slice(0, 12);
    const known = predicted !== null && predicted.flows.some((f) => f.goodput_bps !== null);
    const rows = flowRows(result, known ? predicted : null).map(([label, of, ofTheory]) => {
      const cells = columns.map((_, i) => {
        const cell = el("td", { "data-cell": `${label}-${i}` }, of(i));
        if (ofTheory && ofTheory(i) !== "–") cell.append(el("small", {}, `theory ${ofTheory(i)}`));
        return cell;
      });
      return el("tr", {}, el("th", { scope: "row" }, label), ...cells);
    });
    const head = el("tr", {}, el("td"), ...columns.map((f, i) => el("th", { scope: "col" }, el("i", { class: "swatch", "data-source": i }), f.name, el("small", {}, f.controller ?? ""))));
    const flows = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
    const links = result.links.slice(0, 12).map((l) => {
      const drops = (l.drops.data ?? 0) + (l.drops.ack ?? 0) + (l.drops.cross ?? 0);
      const delay = l.queueing_delay_s.mean;
      return el("tr", {}, el("th", { scope: "row" }, l.name), el("td", {}, l.utilisation === null ? "–" : `${digits(l.utilisation * 100)} %`), el("td", {}, delay === null ? "–" : time(delay)), el("td", {}, String(drops)));
    });
    const linkHead = el("tr", {}, el("td"), ...["utilisation", "mean wait", "drops"].map((t) => el("th", { scope: "col" }, t)));
    const table = el("table", {}, el("thead", {}, linkHead), el("tbody", {}, ...links));
    const noTheory = theory && "reason" in theory ? theory.reason : known ? null : "theory has no model of these controllers";
    const notes = el("p", { class: "hint" }, noTheory ? `No line of theory: ${noTheory}.` : "Dotted lines and the values marked theory: the equilibrium with the base RTTs that these senders believe.");
    const held = expectations.map((e) => el("li", {}, `${e.held ? "holds" : "fails"}: ${e.of} ${e.what} ${e.bound}`));
    const wrap = (inner: HTMLElement, label: string): HTMLElement => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, inner);
    this.found.textContent = `From ${digits(warmupS)} s to ${digits(durationS)} s: ${finding(result)}`;
    this.summary.replaceChildren(wrap(flows, "results of flows"), wrap(table, "results of links"), notes, ...(held.length > 0 ? [el("ul", {}, ...held)] : []));
  }

  /** Draws the state at a time; called every frame. */
  draw(timeS: number, speed: number): void {
    const recording = this.recording;
    if (!recording) return;
    if (this.stale && performance.now() - this.updatedMs > UPDATE_MS) {
      this.stale = false;
      this.updatedMs = performance.now();
      this.strips.update();
    }
    this.path.draw(recording, Math.min(timeS, recording.nowS), 0.6 * speed);
    this.strips.setTime(timeS);
    const recent = recording.recent(timeS, 3).reverse();
    const key = recent.map((e) => `${e.timeS}${e.event}`).join();
    if (key !== this.shownEvents) {
      this.shownEvents = key;
      const none = recent.length === 0 ? [el("li", {}, "No loss and no timeout so far.")] : [];
      this.said.replaceChildren(...none, ...recent.map((e) => el("li", {}, el("b", {}, `${e.timeS.toFixed(2)} s`), ` ${sentence(recording, e)}`)));
    }
  }

  resize(): void {
    this.strips.resize();
  }

  /** Colours have changed. */
  restyle(): void {
    const recording = this.recording;
    if (!recording) return;
    this.strips.begin(recording);
    const theory = recording.done?.theory;
    this.strips.setTheory(theory && "json" in theory ? theory.json : null);
  }

  canvases(): HTMLCanvasElement[] {
    return [this.path.canvas, ...this.strips.canvases()];
  }

  stop(): void {
    this.cancel?.();
    this.element.remove();
  }
}
