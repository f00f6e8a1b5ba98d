// The path as it is at one time: links of both directions, their queues, and packets on their way.

import { colour, sourceColour } from "./dom.js";
import { base, digits, rate, time } from "./format.js";
import { LINK, type Passage, type Recording } from "./recording.js";
import type { LinkFacts } from "../pkg/engine.js";

interface Place {
  link: number;
  /** Data of the first flow goes right. */
  right: boolean;
  column: number;
  row: number;
}

const ROW = 92;
const MARGIN = 26;
const CELLS = 36;
const ACKNOWLEDGEMENT = 3;
const MAX_LINKS = 12;

/** Where links are drawn: a column per hop, links to the right above those to the left. */
export function places(recording: Recording): { places: Place[]; columns: number; rows: number } {
  const { facts } = recording.begun;
  const right = new Map<number, boolean>();
  const column = new Map<number, number>();
  for (const source of [...facts.flows, ...facts.others]) {
    const known = source.data.find((l) => right.has(l)) ?? source.ack.find((l) => right.has(l));
    const opposite = known !== undefined && !source.data.includes(known);
    const way = known === undefined ? true : right.get(known)! !== opposite;
    source.data.forEach((l, i) => {
      if (!right.has(l)) right.set(l, way);
      if (!column.has(l)) column.set(l, way ? i : source.data.length - 1 - i);
    });
    source.ack.forEach((l, i) => {
      if (!right.has(l)) right.set(l, !way);
      if (!column.has(l)) column.set(l, way ? source.ack.length - 1 - i : i);
    });
  }
  const columns = Math.max(1, ...[...column.values()].map((c) => c + 1));
  const taken = new Map<string, number>();
  const shown = facts.links.map((_, link) => link).slice(0, MAX_LINKS);
  const count = (way: boolean, c: number): number => taken.get(`${way}${c}`) ?? 0;
  const drafts = shown.map((link) => {
    const [way, c] = [right.get(link) ?? true, column.get(link) ?? 0];
    const row = count(way, c);
    taken.set(`${way}${c}`, row + 1);
    return { link, right: way, column: c, row };
  });
  const rightRows = Math.max(0, ...drafts.filter((d) => d.right).map((d) => d.row + 1));
  const leftRows = Math.max(0, ...drafts.filter((d) => !d.right).map((d) => d.row + 1));
  const all = drafts.map((d) => ({ ...d, row: d.right ? d.row : rightRows + d.row }));
  return { places: all, columns, rows: Math.max(1, rightRows + leftRows) };
}

/** The queue's limit: its value and whether it counts bytes. */
function limitOf(link: LinkFacts): { value: number; bytes: boolean } | null {
  const value = base(link.queue.limit);
  return value === null ? null : { value, bytes: !String(link.queue.limit).includes("packets") };
}

export class PathView {
  readonly canvas = document.createElement("canvas");

  constructor() {
    this.canvas.className = "path";
    this.canvas.setAttribute("role", "img");
  }

  /** Draws the state at a time; packets that were lost in the last `fadeS` seconds fall. */
  draw(recording: Recording, nowS: number, fadeS: number): void {
    const layout = places(recording);
    const width = this.canvas.parentElement?.clientWidth ?? 600;
    const height = layout.rows * ROW + 16;
    const scale = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.height = `${height}px`;
    }
    const g = this.canvas.getContext("2d");
    if (!g) return;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    const span = (width - 2 * MARGIN) / layout.columns;
    for (let node = 0; node <= layout.columns; node++) {
      const x = MARGIN + node * span;
      g.fillStyle = colour("--node");
      g.beginPath();
      g.roundRect(x - 7, 12, 14, height - 24, 5);
      g.fill();
    }
    for (const place of layout.places) this.link(g, recording, place, span, nowS, fadeS);
    this.canvas.setAttribute("aria-label", this.describe(recording, nowS));
  }

  private link(g: CanvasRenderingContext2D, recording: Recording, place: Place, span: number, nowS: number, fadeS: number): void {
    const facts = recording.begun.facts.links[place.link]!;
    const x0 = MARGIN + place.column * span + 14;
    const x1 = MARGIN + (place.column + 1) * span - 14;
    const y = 8 + place.row * ROW + 50;
    // along the direction of transmission: 0 is where packets arrive
    const at = (s: number): number => (place.right ? x0 + s * (x1 - x0) : x1 - s * (x1 - x0));
    const queueShare = 0.34;
    this.label(g, recording, place, x0, x1, y, nowS);

    g.strokeStyle = colour("--wire");
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(at(queueShare), y);
    g.lineTo(at(1), y);
    g.stroke();
    const tip = at(1);
    const back = place.right ? -7 : 7;
    g.beginPath();
    g.moveTo(tip + back, y - 4);
    g.lineTo(tip, y);
    g.lineTo(tip + back, y + 4);
    g.stroke();

    const inside = recording.inLink(place.link, nowS);
    const bytes = (p: Passage): number => (p.packet === 0 ? recording.begun.facts.flows[p.source]?.packet ?? 1500 : 40);
    const onWire = (p: Passage): number => facts.delay_s + (bytes(p) * 8) / facts.rate_bps;
    const waiting: Passage[] = [];
    const travelling: [Passage, number][] = [];
    for (const p of inside) {
      const wire = Math.min(p.endS - p.beginS, onWire(p));
      const leaves = p.endS - wire;
      if (p.fate === 1 || nowS < leaves) waiting.push(p);
      else travelling.push([p, (nowS - leaves) / wire]);
    }
    this.queue(g, recording, place, facts, waiting, at(0), at(queueShare), y, nowS);
    for (const [p, progress] of travelling) {
      this.packet(g, p, at(queueShare + progress * (1 - queueShare)), y);
    }
    for (const p of recording.gone(place.link, nowS - fadeS, nowS)) {
      const fall = (nowS - p.endS) / fadeS;
      const x = p.fate === 1 ? at(0.02 + 0.03 * ((p.endS * 977) % 1)) : at(0.7);
      g.globalAlpha = 1 - fall;
      this.cross(g, x, y + 10 + 18 * fall, sourceColour(p.source));
      g.globalAlpha = 1;
    }
  }

  private label(g: CanvasRenderingContext2D, recording: Recording, place: Place, x0: number, x1: number, y: number, nowS: number): void {
    const facts = recording.begun.facts.links[place.link]!;
    g.font = "600 13px system-ui, sans-serif";
    g.fillStyle = colour("--text");
    g.textBaseline = "alphabetic";
    g.textAlign = place.right ? "left" : "right";
    const x = place.right ? x0 : x1;
    const title = `${facts.name}`;
    g.fillText(title, x, y - 30);
    const offset = g.measureText(title).width + 8;
    g.font = "12px system-ui, sans-serif";
    g.fillStyle = colour("--muted");
    const detail = `${rate(facts.rate_bps)} · ${time(facts.delay_s)} · ${facts.queue.kind}`;
    if (offset + g.measureText(detail).width < x1 - x0) g.fillText(detail, place.right ? x + offset : x - offset, y - 30);
    const packets = recording.at(LINK, place.link, "queue_packets", nowS) ?? 0;
    const bytes = recording.at(LINK, place.link, "queue_bytes", nowS) ?? 0;
    const waits = `${Math.round(packets)} waiting, ${time((bytes * 8) / facts.rate_bps)}`;
    g.fillText(waits, x, y + 29);
    const spacing = recording.begun.spacing[place.link] ?? 1;
    if (spacing > 1) {
      const note = `1 of ${spacing} packets drawn`;
      g.textAlign = place.right ? "right" : "left";
      if (g.measureText(waits + note).width + 12 < x1 - x0) g.fillText(note, place.right ? x1 : x0, y + 29);
    }
  }

  /** The queue as a row of cells, its head towards the wire. */
  private queue(
    g: CanvasRenderingContext2D, recording: Recording, place: Place, facts: LinkFacts, waiting: Passage[],
    from: number, to: number, y: number, nowS: number,
  ): void {
    const [left, right] = [Math.min(from, to), Math.max(from, to)];
    g.fillStyle = colour("--queue");
    g.strokeStyle = colour("--wire");
    g.lineWidth = 1;
    g.beginPath();
    g.roundRect(left, y - 14, right - left, 28, 4);
    g.fill();
    g.stroke();
    const limit = limitOf(facts);
    const packets = recording.at(LINK, place.link, "queue_packets", nowS) ?? 0;
    const filled = limit?.bytes ? recording.at(LINK, place.link, "queue_bytes", nowS) ?? 0 : packets;
    // a queue without a limit, or with a very large one, is drawn in proportion to what waits
    const whole = limit && limit.value < 1e5 * (limit.bytes ? 1500 : 1) ? limit.value : Math.max(100, packets * 1.25);
    const share = Math.min(1, filled / whole);
    const cells = share > 0 ? Math.max(1, Math.round(share * CELLS)) : 0;
    const cell = (right - left - 6) / CELLS;
    for (let i = 0; i < cells; i++) {
      const sample = waiting.length > 0 ? waiting[Math.min(waiting.length - 1, Math.floor((i * waiting.length) / cells))] : undefined;
      const x = place.right ? right - 3 - (i + 1) * cell : left + 3 + i * cell;
      g.fillStyle = sample ? sourceColour(sample.source) : colour("--muted");
      if (sample?.packet === ACKNOWLEDGEMENT) g.fillRect(x + 0.5, y - 4, Math.max(1, cell - 1), 8);
      else g.fillRect(x + 0.5, y - 11, Math.max(1, cell - 1), 22);
    }
  }

  /** Data are full rectangles, acknowledgements circles. */
  private packet(g: CanvasRenderingContext2D, p: Passage, x: number, y: number): void {
    g.fillStyle = sourceColour(p.source);
    g.strokeStyle = colour("--panel");
    g.lineWidth = 1;
    g.beginPath();
    if (p.packet === 0 || p.packet > ACKNOWLEDGEMENT) g.roundRect(x - 5, y - 6, 10, 12, 2);
    else g.arc(x, y, 3.5, 0, 2 * Math.PI);
    g.fill();
    g.stroke();
    if (p.retransmission) {
      g.strokeStyle = colour("--text");
      g.lineWidth = 1.5;
      g.strokeRect(x - 6.5, y - 7.5, 13, 15);
    }
  }

  private cross(g: CanvasRenderingContext2D, x: number, y: number, stroke: string): void {
    g.strokeStyle = stroke;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x - 4, y - 4);
    g.lineTo(x + 4, y + 4);
    g.moveTo(x + 4, y - 4);
    g.lineTo(x - 4, y + 4);
    g.stroke();
  }

  /** The picture in words, for readers who do not see it. */
  private describe(recording: Recording, nowS: number): string {
    const links = recording.begun.facts.links.slice(0, MAX_LINKS).map((link, i) => {
      const packets = recording.at(LINK, i, "queue_packets", nowS) ?? 0;
      return `${link.name}: ${digits(packets)} packets wait`;
    });
    return `The path at ${digits(nowS)} s. ${links.join("; ")}.`;
  }
}
