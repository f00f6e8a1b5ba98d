// Sliders and choices that change the scenario's text.

import type { Register } from "../pkg/engine.js";
import { el } from "./dom.js";
import { base, literal, quantity, rate, time } from "./format.js";
import type { Change } from "./stories.js";

/** The scenario in the canonical form, as far as controls look at it. */
export interface Canonical {
  duration: string;
  seed: number;
  link?: LinkTable[];
  duplex?: DuplexTable[];
  flow?: FlowTable[];
}
interface DuplexTable {
  name: string;
  /** What the text says of a direction; the rest is the preset's. */
  down?: Partial<LinkTable>;
  up?: Partial<LinkTable>;
}
export interface LinkTable {
  name: string;
  rate: string;
  delay: string;
  queue: { kind: string; limit?: string };
}
interface FlowTable {
  name: string;
  controller: { kind: string; alpha?: string } & Record<string, unknown>;
  packet: string;
  start: string;
  count: number;
}

export type Apply = (changes: Change[]) => void;

const SLIDER_STEPS = 240;
/** Kinds that need parameters that only the text can give. */
const TEXT_ONLY = new Set(["tbf", "ack_decimation"]);
const NEEDS_ALPHA = new Set(["fast", "vfast"]);

let unique = 0;

/** A slider over a logarithmic range, with its value in words. */
function slider(label: string, value: number, [low, high]: [number, number], show: (v: number) => string, set: (v: number) => void): HTMLElement {
  const id = `control-${++unique}`;
  const span = Math.log(high / low);
  const position = Math.round((Math.log(Math.min(high, Math.max(low, value)) / low) / span) * SLIDER_STEPS);
  const output = el("output", { for: id }, show(value));
  const input = el("input", { id, type: "range", min: 0, max: SLIDER_STEPS, step: 1, value: position, "aria-valuetext": show(value) });
  const chosen = (): number => Number((low * Math.exp((span * Number(input.value)) / SLIDER_STEPS)).toPrecision(2));
  input.addEventListener("input", () => {
    output.textContent = show(chosen());
    input.setAttribute("aria-valuetext", show(chosen()));
  });
  input.addEventListener("change", () => set(chosen()));
  return el("div", { class: "control" }, el("label", { for: id }, label), input, output);
}

function choice(label: string, value: string, options: string[], set: (v: string) => void): HTMLElement {
  const id = `control-${++unique}`;
  const all = options.includes(value) ? options : [value, ...options];
  const select = el("select", { id, change: () => set(select.value) }, ...all.map((o) => el("option", { value: o, selected: o === value }, o)));
  return el("div", { class: "control" }, el("label", { for: id }, label), select);
}

const UNITS = ["packets", "B", "ms", "BDP", "unlimited"] as const;

/** The limit of a queue as number and unit: packets, bytes, time at the link's rate, or bandwidth-delay products. */
function limitControl(path: string[], link: LinkTable, own: boolean, apply: Apply): HTMLElement {
  const id = `control-${++unique}`;
  const written = quantity(link.queue.limit);
  const unit = written === null ? "unlimited" : written.unit === "packets" ? "packets" : "B";
  const value = written === null ? 100 : unit === "packets" ? written.value : (base(link.queue.limit) ?? 0);
  const number = el("input", { id, type: "number", min: 0, step: "any", value: written === null ? "" : value, disabled: unit === "unlimited" });
  const select = el("select", { "aria-label": `unit of the queue limit of ${link.name}` }, ...UNITS.map((u) => el("option", { value: u, selected: u === unit }, u)));
  const send = (): void => {
    const text = select.value === "unlimited" ? '"unlimited"' : `"${Number(number.value)} ${select.value}"`;
    apply([own ? [[...path, "queue", "limit"], text] : [[...path, "queue"], `{ kind = "${link.queue.kind}", limit = ${text} }`]]);
  };
  number.addEventListener("change", send);
  select.addEventListener("change", () => {
    // the same queue in the new unit
    const bps = base(link.rate) ?? 1e6;
    const bytes = written === null ? 100 * 1500 : unit === "packets" ? value * 1500 : value;
    const delay = 2 * (base(link.delay) ?? 0.01);
    const values: Record<string, number> = { packets: bytes / 1500, B: bytes, ms: (bytes * 8e3) / bps, BDP: (bytes * 8) / (bps * delay) };
    number.value = String(Number((values[select.value] ?? 0).toPrecision(2)));
    send();
  });
  return el("div", { class: "control" }, el("label", { for: id }, "limit"), el("span", { class: "pair" }, number, select));
}

/** Controls of a link; `own` says whether the text has a queue of its own for it, which a change of its limit leaves as it is. */
function linkControls(path: string[], link: LinkTable, own: boolean, register: Register, apply: Apply): HTMLElement {
  const queues = register.queues.map((q) => q.name).filter((q) => !TEXT_ONLY.has(q));
  const setQueue = (kind: string): void => {
    const keep = link.queue.limit && ["droptail", "headdrop", "ack_priority", "ack_filter"].includes(kind) ? `, limit = "${link.queue.limit}"` : "";
    apply([[[...path, "queue"], `{ kind = "${kind}"${keep} }`]]);
  };
  const rows = [
    slider("rate", base(link.rate) ?? 1e6, [1e5, 1e9], rate, (v) => apply([[[...path, "rate"], literal(v, "rate")]])),
    slider("delay", Math.max(1e-4, base(link.delay) ?? 0), [1e-4, 0.5], time, (v) => apply([[[...path, "delay"], literal(v, "time")]])),
    choice("queue", link.queue.kind, queues, setQueue),
  ];
  if (link.queue.limit !== undefined) rows.push(limitControl(path, link, own, apply));
  return el("fieldset", {}, el("legend", {}, `Link ${link.name}`), ...rows);
}

function flowControls(index: number, flow: FlowTable, duration: number, kinds: string[], apply: Apply, remove: (() => void) | null): HTMLElement {
  const path = ["flow", String(index)];
  const setKind = (kind: string): void => {
    const alpha = NEEDS_ALPHA.has(kind) ? `, alpha = "${flow.controller.alpha ?? "20 packets"}"` : "";
    apply([[[...path, "controller"], `{ kind = "${kind}"${alpha} }`]]);
  };
  const rows = [choice("controller", flow.controller.kind, kinds, setKind)];
  if (flow.controller.alpha !== undefined) {
    const alpha = base(flow.controller.alpha) ?? 20;
    rows.push(slider("alpha", alpha, [1, 1000], (v) => `${Math.round(v)} packets`, (v) => apply([[[...path, "controller", "alpha"], `"${Math.round(v)} packets"`]])));
  }
  const id = `control-${++unique}`;
  const start = el("input", { id, type: "range", min: 0, max: 100, step: 1, value: Math.round(((base(flow.start) ?? 0) / duration) * 100) });
  const output = el("output", { for: id }, flow.start);
  const chosen = (): number => Number(((Number(start.value) / 100) * duration * 0.98).toPrecision(3));
  start.addEventListener("input", () => (output.textContent = `${chosen()} s`));
  start.addEventListener("change", () => apply([[[...path, "start"], `"${chosen()} s"`]]));
  rows.push(el("div", { class: "control" }, el("label", { for: id }, "start"), start, output));
  const legend = el("legend", {}, el("i", { class: "swatch", "data-source": index }), `Flow ${flow.name}`);
  if (remove) rows.push(el("button", { type: "button", class: "quiet", click: remove }, `Remove ${flow.name}`));
  return el("fieldset", {}, legend, ...rows);
}

/** All controls of a scenario; `made` are the links that its duplex tables stand for. */
export function controls(
  scenario: Canonical, made: LinkTable[], register: Register, apply: Apply, flows: { add: (() => void) | null; remove: ((index: number) => void) | null },
): HTMLElement {
  const duration = base(scenario.duration) ?? 60;
  const kinds = register.controllers.filter((c) => c["only_in"] === null).map((c) => c.name);
  const box = el("div", { class: "controls" });
  (scenario.link ?? []).forEach((link, i) => box.append(linkControls(["link", String(i)], link, true, register, apply)));
  (scenario.duplex ?? []).forEach((table, i) => {
    for (const direction of ["down", "up"] as const) {
      const link = made.find((l) => l.name === `${table.name}/${direction}`);
      if (link) box.append(linkControls(["duplex", String(i), direction], link, table[direction]?.queue !== undefined, register, apply));
    }
  });
  const tables = scenario.flow ?? [];
  const removable = flows.remove !== null && tables.length > 1;
  tables.slice(0, 12).forEach((flow, i) => box.append(flowControls(i, flow, duration, kinds, apply, removable ? () => flows.remove!(i) : null)));
  const general = [slider("duration", duration, [1, 600], time, (v) => apply([[["duration"], literal(v, "time")], [["warmup"], literal(v / 4, "time")]]))];
  const id = `control-${++unique}`;
  const seed = el("input", { id, type: "number", min: 0, step: 1, value: scenario.seed });
  seed.addEventListener("change", () => apply([[["seed"], String(Math.max(0, Math.round(Number(seed.value))))]]));
  general.push(el("div", { class: "control" }, el("label", { for: id }, "seed"), seed));
  if (flows.add) general.push(el("button", { type: "button", class: "quiet", click: flows.add }, "Add a flow"));
  box.append(el("fieldset", {}, el("legend", {}, "Run"), ...general));
  return box;
}
