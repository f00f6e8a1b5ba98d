// Figures of the documentation that run again in the reader's browser. Without this script their pictures stay.

import "uplot/dist/uPlot.min.css";
import "./colours.css";
import "./strips.css";
import "./figure.css";
import { check } from "../pkg/engine.js";
import { difference } from "./difference.js";
import { el } from "./dom.js";
import { Cancelled, Simulator, compile } from "./engine.js";
import { finding, type Result } from "./explain.js";
import { time } from "./format.js";
import { frame } from "./frame.js";
import type { FigureRecord } from "./record.js";
import { Recording } from "./recording.js";
import { Several } from "./several.js";
import { Strips } from "./strips.js";

const HERE = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;

declare global {
  /** What engine.js brings: the module by gzip in base 64. */
  var eddylineEngine: string | undefined;
  /** What the scripts of records bring, by name. */
  var eddylineRecords: Record<string, FigureRecord> | undefined;
}

let module: Promise<WebAssembly.Module> | null = null;
let simulator: Promise<Simulator> | null = null;

/** Loads a script, which a page from a disk may do too; only once it is wanted. */
function script(name: string, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = el("script", { src: new URL(name, HERE).href });
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${what} could not be loaded`)));
    document.head.append(script);
  });
}

function engine(): Promise<WebAssembly.Module> {
  return (module ??= script("engine.js", "the simulator").then(() => compile(globalThis.eddylineEngine ?? "")));
}

function start(): Promise<Simulator> {
  return (simulator ??= engine().then((module) => new Simulator(module)));
}

/** The record of a figure, and what runs it. */
async function recordOf(name: string): Promise<{ module: WebAssembly.Module; record: FigureRecord }> {
  const loaded = await engine();
  if (!globalThis.eddylineRecords?.[name]) await script(`records/${name}.js`, "the record of this figure");
  return { module: loaded, record: globalThis.eddylineRecords![name]! };
}

class Figure {
  private readonly name: string;
  /** The scenario of the picture, and what the command line's run of it gave. */
  private readonly given: string;
  private readonly native: string;
  private readonly editor: HTMLTextAreaElement;
  private readonly button: HTMLButtonElement;
  private readonly said = el("p", { class: "rerun-said", role: "status" });
  private readonly strips: Strips;
  private recording: Recording | null = null;
  private theory: string | null = null;
  private cancel: (() => void) | null = null;

  constructor(private readonly root: HTMLElement) {
    const text = (name: string): string => root.querySelector(`script[data-is="${name}"]`)?.textContent ?? "";
    this.given = text("scenario");
    this.native = text("result").trim();
    this.name = root.dataset["name"] ?? "figure.toml";
    this.strips = new Strips((timeS) => this.strips.setTime(timeS), root.dataset["charts"]?.split(" ") ?? null);
    this.editor = el("textarea", { spellcheck: "false", rows: Math.min(24, this.given.split("\n").length), "aria-label": "scenario of this figure" });
    this.editor.value = this.given;
    this.button = el("button", { type: "button", class: "rerun-run", click: () => void this.run() }, "▶ Run it here");
    const edit = el("details", { class: "rerun-text" }, el("summary", {}, "Change the scenario"), this.editor);
    root.querySelector(".rerun-bar")?.prepend(this.button);
    root.append(this.said, this.strips.element, edit);
  }

  private async run(): Promise<void> {
    this.cancel?.();
    this.cancel = null;
    const text = this.editor.value;
    this.root.removeAttribute("data-done");
    this.said.textContent = "Loading the simulator …";
    try {
      const started = await start();
      const [error] = check(text, { name: this.name }).errors;
      if (error) {
        this.said.textContent = `Line ${error.line ?? 1}: ${error.message}`;
        return;
      }
      this.said.textContent = "Simulating …";
      const run = started.run(text, this.name, 0, {
        begun: (begun) => {
          this.recording = new Recording(begun);
          this.theory = null;
          this.root.classList.add("ran");
          this.strips.begin(this.recording);
        },
        piece: (piece) => {
          this.recording?.add(piece);
          this.strips.update();
        },
      });
      this.cancel = run.cancel;
      const { json, theory, tookMs } = await run.done;
      this.strips.update();
      this.theory = theory && "json" in theory ? theory.json : null;
      this.complete();
      const result = JSON.parse(json) as Result;
      this.said.textContent = `${finding(result)} ${this.compared(text, json)} Simulated in ${time(tookMs / 1000)}.`;
      this.button.textContent = "▶ Run it again";
      this.root.setAttribute("data-done", this.recording?.begun.sha256 ?? "");
    } catch (error) {
      if (!(error instanceof Cancelled)) this.said.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private compared(text: string, json: string): string {
    if (text !== this.given) return "The scenario is changed: no other run to compare it with.";
    const different = difference(this.native, json);
    this.root.setAttribute("data-same", String(different === null));
    if (different === null) return "The result has the same bytes as the command line's.";
    return `The result differs from the command line's: ${different}.`;
  }

  /** Theory's lines, and the values at the end. */
  private complete(): void {
    this.strips.setTheory(this.theory);
    this.strips.setTime(this.recording?.begun.durationS ?? 0);
  }

  /** Colours have changed. */
  restyle(): void {
    if (!this.recording) return;
    this.strips.begin(this.recording);
    this.complete();
  }

  resize(): void {
    this.strips.resize();
  }
}

/** The choice of the site between light and dark, for the colours of the charts. */
function follow(figures: (Figure | Several)[]): void {
  const copy = (): void => {
    const chosen = document.body.dataset["theme"];
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
    else delete document.documentElement.dataset["theme"];
    for (const figure of figures) figure.restyle();
  };
  copy();
  new MutationObserver(copy).observe(document.body, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", copy);
}

function begin(): void {
  document.querySelectorAll<HTMLElement>(".live").forEach(frame);
  const figures = [...document.querySelectorAll<HTMLElement>(".rerun")].map((root) => (root.dataset["record"] === undefined ? new Figure(root) : new Several(root, recordOf)));
  if (figures.length === 0) return;
  follow(figures);
  window.addEventListener("resize", () => figures.forEach((figure) => figure.resize()));
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
