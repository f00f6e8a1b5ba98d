// Charts of a record's panels: what was recorded, and what the runs here gave.

import uPlot from "uplot";
import { colour, el, sourceColour } from "./dom.js";
import { digits } from "./format.js";
import type { Axis, Mark, Panel } from "./record.js";

/** What is drawn of a mark: its points, and those of them that are not as recorded. */
export interface Drawn {
  mark: Mark;
  x: number[];
  y: (number | null)[];
  z: (number | null)[] | null;
  different: ReadonlySet<number>;
}

const HEIGHT = 250;
const FAINT = 1e-3; // of the largest value of a cell: below it colours fade

function ink(mark: Mark): string {
  return mark.colour === "grey" ? colour("--muted") : sourceColour(mark.colour);
}

function range(axis: Axis, values: (number | null)[]): [number, number] {
  if (axis.range) return axis.range;
  const known = values.filter((x): x is number => x !== null && Number.isFinite(x) && (!axis.log || x > 0));
  const [low, high] = [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
  if (known.length === 0) return [axis.log ? 1 : 0, 10];
  if (axis.log) return [low / 1.15, high * 1.15];
  return [Math.min(0, low), high > 0 ? high * 1.05 : 1];
}

/** Ticks of a logarithmic axis: all of 1, 2 and 5 where there are few decades. */
function ticks(low: number, high: number): number[] {
  const steps = high / low > 1e3 ? [1] : [1, 2, 5];
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const step of steps) {
      const tick = Number(`${step}e${power}`);
      if (tick >= low && tick <= high) found.push(tick);
    }
  }
  return found;
}

function scaled(axis: Axis, value: number): number {
  return value / (axis.size ?? 1);
}

/** Borders of cells: halfway between their middles, and as far beyond the first and the last. */
function borders(axis: Axis, middles: number[]): number[] {
  const [there, back] = axis.log ? [Math.log, Math.exp] : [(x: number) => x, (x: number) => x];
  const at = middles.map(there);
  const inner = at.slice(1).map((b, i) => (at[i]! + b) / 2);
  return [2 * at[0]! - inner[0]!, ...inner, 2 * at.at(-1)! - inner.at(-1)!].map(back);
}

class Chart {
  readonly element: HTMLElement;
  private readonly holder = el("div", { class: "chart" });
  private plot: uPlot | null = null;
  private drawn: Drawn[] = [];

  constructor(private readonly panel: Panel) {
    const keys = panel.marks.map((mark) => {
      const key = el("i", { class: `key ${mark.as.join(" ")}` });
      key.style.color = ink(mark);
      return el("span", {}, key, mark.label);
    });
    const legend = el("span", { class: "legend" }, ...keys);
    this.element = el("section", { class: "panel" }, el("h4", {}, panel.title), legend, this.holder);
    this.element.setAttribute("aria-label", panel.title);
  }

  show(drawn: Drawn[]): void {
    this.drawn = drawn;
    this.plot?.destroy();
    const { x, y } = this.panel;
    const limits = {
      x: range(x, drawn.flatMap((d) => (d.z ? borders(x, d.x) : [...d.x, ...(d.mark.recorded.x ?? [])])).map((v) => scaled(x, v))),
      y: range(y, drawn.flatMap((d) => (d.z ? borders(y, d.y as number[]) : [...d.y, ...d.mark.recorded.y])).map((v) => (v === null ? null : scaled(y, v)))),
    };
    const side = (axis: Axis, [low, high]: [number, number]): uPlot.Axis => ({
      stroke: colour("--muted"),
      grid: { stroke: colour("--grid"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
      label: axis.label,
      labelSize: 18,
      labelFont: "11px system-ui, sans-serif",
      values: (_u, at) => at.map((t) => (t === null ? "" : digits(t, 4))),
      ...(axis.log ? { splits: () => ticks(low, high), filter: (_u: uPlot, at: number[]) => at } : {}),
    });
    const scale = (axis: Axis, limit: [number, number]): uPlot.Scale => ({ time: false, distr: axis.log ? 3 : 1, range: () => limit });
    const options: uPlot.Options = {
      width: Math.max(220, this.holder.clientWidth || 320),
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: scale(x, limits.x), y: scale(y, limits.y) },
      axes: [{ ...side(x, limits.x), size: 26 }, { ...side(y, limits.y), size: 48 }],
      series: [{}, {}],
      hooks: { draw: [(u) => this.paint(u)] },
    };
    this.plot = new uPlot(options, [limits.x, [null, null]] as uPlot.AlignedData, this.holder);
  }

  private paint(u: uPlot): void {
    const { ctx, bbox } = u;
    const scale = window.devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const at = (x: number, y: number): [number, number] => [
      u.valToPos(scaled(this.panel.x, x), "x", true),
      u.valToPos(scaled(this.panel.y, y), "y", true),
    ];
    for (const drawn of this.drawn) this.one(ctx, drawn, at, scale);
    ctx.restore();
  }

  private one(ctx: CanvasRenderingContext2D, { mark, x, y, z, different }: Drawn, at: (x: number, y: number) => [number, number], scale: number): void {
    if (z) return this.cells(ctx, x, y as number[], z, different, at);
    ctx.strokeStyle = ctx.fillStyle = ink(mark);
    ctx.lineWidth = 1.5 * scale;
    const line = (xs: number[], ys: (number | null)[]): void => {
      ctx.beginPath();
      xs.forEach((value, i) => ys[i] !== null && ys[i] !== undefined && ctx.lineTo(...at(value, ys[i]!)));
      ctx.stroke();
    };
    if (mark.as.includes("line") || mark.as.includes("dashed")) {
      if (mark.as.includes("dashed")) ctx.setLineDash([5 * scale, 4 * scale]);
      line(x, y);
      ctx.setLineDash([]);
    }
    const points = x.flatMap((value, i) => (y[i] === null || y[i] === undefined ? [] : [[i, ...at(value, y[i]!)] as const]));
    for (const [, px, py] of points) {
      ctx.beginPath();
      if (mark.as.includes("dots") || mark.as.includes("rings")) {
        ctx.arc(px, py, 3 * scale, 0, 7);
        if (mark.as.includes("dots")) ctx.fill();
        else ctx.stroke();
      }
      if (mark.as.includes("crosses")) {
        const arm = 4 * scale;
        ctx.moveTo(px - arm, py - arm);
        ctx.lineTo(px + arm, py + arm);
        ctx.moveTo(px - arm, py + arm);
        ctx.lineTo(px + arm, py - arm);
        ctx.stroke();
      }
    }
    // what is not as recorded: a ring about it, and a line to where it was
    ctx.strokeStyle = colour("--wrong");
    for (const [i, px, py] of points.filter(([i]) => different.has(i))) {
      ctx.beginPath();
      ctx.arc(px, py, 7 * scale, 0, 7);
      const [oldX, oldY] = [(mark.recorded.x ?? x)[i], mark.recorded.y[i]];
      if (oldX !== undefined && oldY !== undefined && oldY !== null) {
        ctx.moveTo(px, py);
        ctx.lineTo(...at(oldX, oldY));
      }
      ctx.stroke();
    }
  }

  private cells(
    ctx: CanvasRenderingContext2D,
    x: number[],
    y: number[],
    z: (number | null)[],
    different: ReadonlySet<number>,
    at: (x: number, y: number) => [number, number],
  ): void {
    const [across, up] = [borders(this.panel.x, x), borders(this.panel.y, y)];
    const reach = z.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0) || 1;
    const faint = FAINT * reach;
    z.forEach((value, k) => {
      const [i, j] = [k % x.length, Math.floor(k / x.length)];
      const [left, bottom] = at(across[i]!, up[j]!).map(Math.round) as [number, number];
      const [right, top] = at(across[i + 1]!, up[j + 1]!).map(Math.round) as [number, number];
      if (value === null) ctx.fillStyle = colour("--muted");
      else {
        const share = Math.min(1, 0.25 + (0.75 * Math.log1p(Math.abs(value) / faint)) / Math.log1p(1 / FAINT));
        ctx.fillStyle = `color-mix(in srgb, ${sourceColour(value < 0 ? 0 : 1)} ${Math.round(100 * share)}%, ${colour("--panel")})`;
      }
      ctx.fillRect(left, top, right - left, bottom - top);
      if (!different.has(k)) return;
      ctx.fillStyle = colour("--wrong");
      ctx.fillRect(left, top, right - left, bottom - top);
    });
  }

  resize(): void {
    const width = this.holder.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }
}

export class Panels {
  readonly element: HTMLElement;
  private readonly charts: Chart[];
  private drawn: Drawn[][] = [];

  constructor(panels: Panel[], columns: number) {
    this.charts = panels.map((panel) => new Chart(panel));
    this.element = el("div", { class: "panels" }, ...this.charts.map((chart) => chart.element));
    this.element.style.setProperty("--columns", String(columns));
  }

  show(drawn: Drawn[][]): void {
    this.drawn = drawn;
    this.charts.forEach((chart, i) => chart.show(drawn[i]!));
  }

  /** Colours have changed. */
  restyle(): void {
    if (this.drawn.length > 0) this.show(this.drawn);
  }

  resize(): void {
    this.charts.forEach((chart) => chart.resize());
  }
}
