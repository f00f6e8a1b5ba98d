// Charts over time: throughput, window, round-trip time and queues, with events and theory's lines.

import uPlot from "uplot";
import { colour, el, sourceColour } from "./dom.js";
import { digits } from "./format.js";
import { FLOW, LINK, type Quantity, type Recording } from "./recording.js";

interface Strip {
  id: string;
  title: string;
  unit: string;
  kind: number;
  quantity: Quantity;
  factor: number;
  /** Theory's value of an entity, in SI units. */
  theory(result: TheoryResult, entity: number): number | null | undefined;
}

interface TheoryResult {
  flows: { throughput_bps: number | null; window_packets: { mean: number | null }; rtt_s: { mean: number | null } }[];
  links: { queue_packets: { mean: number | null } }[];
}

const STRIPS: Strip[] = [
  { id: "throughput", title: "Throughput", unit: "Mbit/s", kind: FLOW, quantity: "throughput_bps", factor: 1e-6, theory: (r, i) => r.flows[i]?.throughput_bps },
  { id: "window", title: "Congestion window", unit: "packets", kind: FLOW, quantity: "cwnd_packets", factor: 1, theory: (r, i) => r.flows[i]?.window_packets.mean },
  { id: "rtt", title: "Round-trip time", unit: "ms", kind: FLOW, quantity: "rtt_s", factor: 1e3, theory: (r, i) => r.flows[i]?.rtt_s.mean },
  { id: "queue", title: "Queue", unit: "packets", kind: LINK, quantity: "queue_packets", factor: 1, theory: (r, i) => r.links[i]?.queue_packets.mean },
];

const HEIGHT = 122;
const MAX_LINES = 12;
const DASHES: number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/** Marks of events on the chart of windows. */
const MARKS: Record<string, string> = { loss: "×", timeout: "▲", recovery: "R", completed: "●" };

export class Strips {
  readonly element = el("div", { class: "strips" });
  private plots: uPlot[] = [];
  private heads: HTMLElement[] = [];
  /** Where values at the playhead are shown, by strip and entity. */
  private values: HTMLElement[][] = [];
  private recording: Recording | null = null;
  private playheadS = 0;
  private theory: TheoryResult | null = null;
  private readonly strips: Strip[];

  /** All charts, or those of these names. */
  constructor(private readonly seek: (timeS: number) => void, ids: readonly string[] | null = null) {
    this.strips = ids === null ? STRIPS : STRIPS.filter((strip) => ids.includes(strip.id));
  }

  /** Charts of a new recording, empty as yet. */
  begin(recording: Recording): void {
    this.recording = recording;
    this.theory = null;
    this.dispose();
    this.element.replaceChildren();
    for (const strip of this.strips) {
      const names = this.names(strip);
      const values: HTMLElement[] = [];
      const legend = el("span", { class: "legend" });
      names.forEach((name, i) => {
        const line = el("i", { class: "line" });
        line.style.borderTopColor = this.stroke(strip, i);
        line.style.borderTopStyle = i % 4 === 0 ? "solid" : i % 4 === 1 ? "dashed" : "dotted";
        const value = el("b", { "data-value": `${strip.id}-${i}` });
        values.push(value);
        legend.append(el("span", {}, line, name, value));
      });
      const holder = el("div", { class: "plot" });
      const heading = el("h4", {}, strip.title, el("small", {}, ` ${strip.unit}`));
      const section = el("section", { class: "strip", "data-strip": strip.id }, el("div", { class: "strip-head" }, heading, legend), holder);
      section.setAttribute("aria-label", `${strip.title} over time`);
      this.element.append(section);
      this.values.push(values);
      this.plots.push(this.plot(strip, names, holder));
    }
    this.update();
  }

  private names(strip: Strip): string[] {
    const { facts } = this.recording!.begun;
    return (strip.kind === FLOW ? facts.flows : facts.links).slice(0, MAX_LINES).map((x) => x.name);
  }

  private stroke(strip: Strip, entity: number): string {
    return strip.kind === FLOW ? sourceColour(entity) : colour(`--link-${entity % 4}`);
  }

  private plot(strip: Strip, names: string[], holder: HTMLElement): uPlot {
    const { durationS } = this.recording!.begun;
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: Math.max(200, holder.clientWidth || 500),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key: "time" } },
      scales: { x: { time: false, range: () => [0, durationS] }, y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
      axes: [
        { ...axis, size: 22, values: (_u, ticks) => ticks.map((t) => `${digits(t, 4)} s`) },
        { ...axis, size: 52, space: 26 },
      ],
      series: [
        {},
        ...names.map((label, i) => ({ label, stroke: this.stroke(strip, i), width: 1.5, dash: DASHES[i % 4]!, points: { show: false }, spanGaps: true })),
      ],
      hooks: { drawClear: [(u) => this.warmup(u)], draw: [(u) => this.overlay(u, strip)] },
    };
    const plot = new uPlot(options, [[], ...names.map(() => [])] as uPlot.AlignedData, holder);
    const head = el("div", { class: "playhead" });
    plot.over.append(head);
    this.heads.push(head);
    plot.over.addEventListener("click", (event) => this.seek(plot.posToVal(event.offsetX, "x")));
    return plot;
  }

  /** The part that summaries leave out. */
  private warmup(u: uPlot): void {
    const { warmupS } = this.recording!.begun;
    if (warmupS <= 0) return;
    const { ctx, bbox } = u;
    ctx.fillStyle = colour("--warmup");
    ctx.fillRect(bbox.left, bbox.top, u.valToPos(warmupS, "x", true) - bbox.left, bbox.height);
  }

  private overlay(u: uPlot, strip: Strip): void {
    const { ctx, bbox } = u;
    const scale = window.devicePixelRatio || 1;
    ctx.save();
    if (this.theory) {
      ctx.setLineDash([2 * scale, 4 * scale]);
      ctx.lineWidth = 2 * scale;
      this.names(strip).forEach((_, i) => {
        const value = strip.theory(this.theory!, i);
        if (value === null || value === undefined) return;
        const y = u.valToPos(value * strip.factor, "y", true);
        ctx.strokeStyle = this.stroke(strip, i);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      });
      ctx.setLineDash([]);
    }
    if (strip.id === "window") this.marks(u, scale);
    ctx.restore();
  }

  private marks(u: uPlot, scale: number): void {
    const { ctx, bbox } = u;
    ctx.font = `${10 * scale}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    const last = new Map<string, number>();
    for (const e of this.recording!.events) {
      const mark = MARKS[e.event];
      if (!mark || e.flow >= MAX_LINES) continue;
      const x = u.valToPos(e.timeS, "x", true);
      // marks of one kind that would overlap are drawn once
      const key = `${e.flow}${e.event}`;
      if (x - (last.get(key) ?? -1e9) < 7 * scale) continue;
      last.set(key, x);
      ctx.fillStyle = sourceColour(e.flow);
      ctx.fillText(mark, x, bbox.top + bbox.height - (e.event === "loss" ? 0 : 9 * scale));
    }
  }

  /** Shows what has been recorded since. */
  update(): void {
    const recording = this.recording;
    if (!recording) return;
    this.strips.forEach((strip, k) => {
      const tracks = this.names(strip).map((_, i) => recording.of(strip.kind, i, strip.quantity));
      const tables = tracks.map((t) => [t.time, t.value.map((v) => v * strip.factor)] as uPlot.AlignedData);
      const data = tables.length > 0 ? uPlot.join(tables) : ([[]] as unknown as uPlot.AlignedData);
      this.plots[k]?.setData(data);
    });
  }

  setTheory(json: string | null): void {
    this.theory = json === null ? null : (JSON.parse(json) as TheoryResult);
    for (const plot of this.plots) plot.redraw(false);
  }

  setTime(timeS: number): void {
    this.playheadS = timeS;
    const recording = this.recording;
    if (!recording) return;
    this.place();
    this.strips.forEach((strip, k) => {
      this.values[k]?.forEach((shown, i) => {
        const value = recording.at(strip.kind, i, strip.quantity, timeS);
        shown.textContent = value === null ? "" : digits(value * strip.factor);
      });
    });
  }

  private place(): void {
    this.plots.forEach((plot, k) => {
      this.heads[k]!.style.transform = `translateX(${plot.valToPos(this.playheadS, "x")}px)`;
    });
  }

  resize(): void {
    for (const plot of this.plots) {
      const width = plot.root.parentElement?.clientWidth ?? 0;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
    this.place();
  }

  /** The canvases, for a picture of everything. */
  canvases(): HTMLCanvasElement[] {
    return this.plots.map((plot) => plot.ctx.canvas);
  }

  private dispose(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.heads = [];
    this.values = [];
  }
}
