// The page: a story, one or two set-ups of it, and everything that changes them.

import "uplot/dist/uPlot.min.css";
import "./colours.css";
import "./strips.css";
import "./style.css";
import { check, register, type Register } from "../pkg/engine.js";
import { decode, encode, type State } from "./address.js";
import { controls } from "./controls.js";
import { colour, el, sourceColour } from "./dom.js";
import { csv, picture, save } from "./downloads.js";
import { Editor } from "./editor.js";
import { EMBEDDED, embed, wholeLink } from "./embedded.js";
import { Simulator, compile } from "./engine.js";
import { Player } from "./player.js";
import { Setup } from "./setup.js";
import { STORIES, type Change, type Story, type Variant } from "./stories.js";
import { Variants } from "./variants.js";

const ADDRESS_PAUSE_MS = 300;
const LABELS = ["A", "B"];

/** What the controls are made from. */
type Shown = NonNullable<ReturnType<Setup["canonical"]>>;

class Laboratory {
  private story: Story = STORIES[0]!;
  private setups: Setup[] = [];
  private active = 0;
  private readonly simulators: Simulator[] = [];
  private readonly register: Register = register();
  private readonly player = new Player(() => this.remember());
  private readonly editor = new Editor((text) => void this.change(text));
  private readonly variants = new Variants(() => this.simulator(2), (v) => void this.showBeside(v));
  private readonly panel = el("div", { class: "panel-controls" });
  private readonly which = el("div", { class: "which", role: "group", "aria-label": "set-up that the controls change" });
  private readonly stage = el("div", { class: "setups" });
  private readonly about = el("p", { class: "about" });
  private readonly title = el("h2");
  private readonly command = el("code");
  private readonly message = el("p", { class: "toast", role: "status" });
  private readonly choice = el("select", { id: "story", "aria-label": "story" });
  private readonly compareButton = el("button", { type: "button", "aria-pressed": "false" }, "Compare two");
  /** What the controls show. */
  private filled: { text: string; setup: Setup } | null = null;
  private addressTimer = 0;
  private last = performance.now();

  constructor(private readonly module: WebAssembly.Module, root: HTMLElement) {
    const stories = STORIES.filter((s) => s.variants.length > 0);
    const documents = STORIES.filter((s) => s.variants.length === 0);
    const option = (s: Story): HTMLOptionElement => el("option", { value: s.id }, s.title);
    this.choice.append(el("optgroup", { label: "Stories" }, ...stories.map(option)), el("optgroup", { label: "From the papers" }, ...documents.map(option)));
    this.choice.addEventListener("change", () => void this.open({ story: this.choice.value }, true));
    this.compareButton.addEventListener("click", () => void (this.setups.length === 1 ? this.addSecond(this.setups[0]!.text) : this.removeSecond()));
    const copy = el("button", { type: "button", click: () => void this.share() }, "Copy link");
    const theme = el("button", { type: "button", "aria-label": "switch between light and dark", click: () => this.switchTheme() }, "◐");
    const downloads = el("details", { class: "menu" }, el("summary", {}, "Download"), el("div", {}, ...this.downloadButtons()));
    const header = el("header", {}, el("h1", {}, "Eddyline"), this.choice, el("nav", { "aria-label": "actions" }, this.compareButton, copy, downloads, theme));
    const tabs = el("details", { class: "text", open: window.innerWidth > 1100 }, el("summary", {}, "Scenario as text"), this.editor.element);
    const aside = el("aside", { "aria-label": "controls" }, this.which, this.panel, tabs);
    const machine = el("section", { class: "machine", "aria-label": "run this on your machine" }, el("h3", {}, "Run this on your machine"), el("p", { class: "hint" }, "Download the scenario, then:"), el("pre", { tabindex: 0 }, this.command));
    const key = el("p", { class: "key hint" }, "Rectangles are data packets, circles acknowledgements; framed ones are retransmissions, crosses losses. On the window chart: × loss, R recovery begins, ▲ timeout. The shaded part is left out of summaries. Space plays and pauses, arrows step.");
    const main = el("main", {}, this.title, this.about, this.variants.element, this.player.element, this.stage, key, machine);
    root.replaceChildren(header, el("div", { class: "columns" }, aside, main), this.message);
    if (EMBEDDED) {
      header.append(wholeLink());
      embed(() => this.restyle());
    }
    this.listen();
  }

  private listen(): void {
    window.addEventListener("hashchange", () => void this.restore());
    window.addEventListener("resize", () => this.setups.forEach((s) => s.resize()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void file.text().then((text) => this.change(text));
    });
    document.addEventListener("keydown", (event) => {
      if (event.target instanceof Element && event.target.closest("input, textarea, select, button, summary, [tabindex]")) return;
      if (event.key === " ") this.player.toggle();
      else if (event.key === "ArrowLeft") this.player.nudge(-0.01);
      else if (event.key === "ArrowRight") this.player.nudge(0.01);
      else return;
      event.preventDefault();
    });
    const frame = (now: number): void => {
      const elapsed = Math.min(0.1, (now - this.last) / 1000);
      this.last = now;
      const available = Math.min(...this.setups.map((s) => s.recording?.nowS ?? 0));
      this.player.tick(elapsed, Number.isFinite(available) ? available : 0);
      for (const setup of this.setups) setup.draw(this.player.timeS, this.player.speed);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private simulator(index: number): Simulator {
    return (this.simulators[index] ??= new Simulator(this.module));
  }

  /** Shows what the address says, else the first story. */
  async restore(): Promise<void> {
    const state = await decode(location.hash);
    await this.open(state ?? { story: STORIES[0]!.id }, state?.timeS === undefined);
  }

  private async open(state: State, play: boolean): Promise<void> {
    this.story = STORIES.find((s) => s.id === state.story) ?? STORIES[0]!;
    this.choice.value = this.story.id;
    this.title.textContent = this.story.title;
    this.about.textContent = this.story.text;
    this.command.textContent = `eddyline run ${this.story.file}`;
    this.setups.forEach((s) => s.stop());
    this.setups = [this.newSetup(0)];
    this.active = 0;
    this.stage.replaceChildren(...this.setups.map((s) => s.element));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.player.begin(1, this.story.speed, 0, false);
    const runs = [this.setups[0]!.show(state.a ?? this.story.toml, this.story.file)];
    if (state.b !== undefined) runs.push(this.addSecond(state.b));
    this.active = 0;
    this.refresh();
    this.variants.show(this.story, this.setups[0]!);
    this.player.begin(this.duration() || 1, this.story.speed, state.timeS ?? (play ? this.story.fromS ?? 0 : 0), play && !still);
    await Promise.all(runs);
  }

  private newSetup(index: number): Setup {
    return new Setup(this.simulator(index), `Set-up ${LABELS[index]}`, (t) => this.player.seek(t), () => this.refresh());
  }

  private duration(): number {
    const known = this.setups.map((s) => s.recording?.begun.durationS ?? 0);
    return Math.max(0, ...known);
  }

  private async addSecond(text: string): Promise<void> {
    if (this.setups.length === 1) {
      this.setups.push(this.newSetup(1));
      this.stage.append(this.setups[1]!.element);
    }
    this.active = 1;
    this.stage.classList.add("two");
    this.setups[0]!.resize();
    await this.setups[1]!.show(text, this.story.file);
  }

  private removeSecond(): void {
    this.setups.pop()?.stop();
    this.active = 0;
    this.stage.classList.remove("two");
    this.setups[0]!.resize();
    this.refresh();
  }

  private async showBeside(variant: Variant): Promise<void> {
    try {
      await this.addSecond(this.setups[0]!.withChanges(variant.changes));
      this.tell(`Set-up B: ${variant.label}.`);
    } catch {
      this.tell("This change does not fit the scenario any more.");
    }
    this.setups[1]?.element.scrollIntoView({ block: "nearest" });
  }

  /** A new text for the active set-up. */
  private async change(text: string): Promise<void> {
    await this.setups[this.active]!.show(text, this.story.file);
  }

  private apply(changes: Change[]): void {
    try {
      void this.change(this.setups[this.active]!.withChanges(changes));
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Controls, text and address follow the active set-up. */
  private refresh(): void {
    const setup = this.setups[this.active];
    if (!setup) return;
    const two = this.setups.length === 2;
    this.stage.classList.toggle("two", two);
    this.compareButton.textContent = two ? "One set-up" : "Compare two";
    this.compareButton.setAttribute("aria-pressed", String(two));
    this.which.hidden = !two;
    const pick = (i: number): void => {
      this.active = i;
      this.refresh();
    };
    this.which.replaceChildren(...this.setups.map((_, i) => el("button", { type: "button", "aria-pressed": i === this.active ? "true" : "false", click: () => pick(i) }, `Set-up ${LABELS[i]}`)));
    this.editor.show(setup.text, setup.errors);
    // controls are made anew for a new text only, so that a run that ends takes no slider out of a hand
    const shown = this.filled?.text === setup.text && this.filled.setup === setup ? null : setup.canonical(this.story.file);
    if (shown && !this.panel.contains(document.activeElement)) this.fill(shown, setup);
    else if (shown) this.refill(shown, setup);
    for (const swatch of document.querySelectorAll<HTMLElement>("[data-source]")) {
      swatch.style.background = sourceColour(Number(swatch.dataset["source"]));
    }
    if (this.duration() > 0) this.player.setDuration(this.duration());
    this.remember();
  }

  private fill({ scenario, links }: Shown, setup: Setup): void {
    const headers = setup.text.match(/^\[\[flow\]\]/gm)?.length ?? 0;
    const own = headers === (scenario.flow?.length ?? 0) && headers > 0;
    const flows = {
      add: own ? () => void this.change(withFlow(setup.text, scenario.flow!.map((f) => f.name))) : null,
      remove: own ? (index: number) => void this.change(withoutFlow(setup.text, index)) : null,
    };
    this.panel.replaceChildren(controls(scenario, links, this.register, (changes) => this.apply(changes), flows));
    this.filled = { text: setup.text, setup };
  }

  /** As `fill`, and the control that has the focus keeps it. */
  private refill(shown: Shown, setup: Setup): void {
    const all = (): HTMLElement[] => [...this.panel.querySelectorAll<HTMLElement>("input, select, button")];
    const index = all().indexOf(document.activeElement as HTMLElement);
    this.fill(shown, setup);
    all()[index]?.focus();
  }

  private remember(): void {
    clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => void this.writeAddress(), ADDRESS_PAUSE_MS);
  }

  private state(): State {
    const [a, b] = this.setups;
    const paused = !this.player.playing && this.player.timeS > 0;
    return {
      story: this.story.id,
      ...(a && a.text !== this.story.toml && { a: a.text }),
      ...(b && { b: b.text }),
      ...(paused && { timeS: Number(this.player.timeS.toFixed(3)) }),
    };
  }

  private async writeAddress(): Promise<string> {
    const hash = await encode(this.state());
    if (hash !== location.hash) history.replaceState(null, "", hash);
    return location.href;
  }

  private async share(): Promise<void> {
    const address = await this.writeAddress();
    try {
      await navigator.clipboard.writeText(address);
      this.tell("The address is copied. It contains everything that the page shows.");
    } catch {
      this.tell("Copy the address of this page: it contains everything that the page shows.");
    }
  }

  private downloadButtons(): HTMLElement[] {
    const stem = (): string => this.story.id + (this.setups.length === 2 ? `-${LABELS[this.active]!.toLowerCase()}` : "");
    const setup = (): Setup => this.setups[this.active]!;
    const button = (label: string, act: () => void): HTMLElement => el("button", { type: "button", click: act }, label);
    return [
      button("Scenario (TOML)", () => save(`${stem()}.toml`, setup().text, "text/plain")),
      button("Result (JSON)", () => {
        const done = setup().recording?.done;
        if (done) save(`${stem()}.json`, `${done.json}\n`, "application/json");
      }),
      button("Series (CSV)", () => {
        const { recording } = setup();
        if (recording) save(`${stem()}.csv`, csv(recording), "text/csv");
      }),
      button("Picture (PNG)", () => {
        void picture(this.story.title, setup().canvases(), colour("--panel"), colour("--text")).then((blob) => {
          if (blob) save(`${stem()}.png`, blob, "image/png");
        });
      }),
    ];
  }

  private switchTheme(): void {
    const root = document.documentElement;
    const dark = root.dataset["theme"] ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset["theme"] = dark ? "light" : "dark";
    this.restyle();
  }

  private restyle(): void {
    this.setups.forEach((s) => s.restyle());
    this.refresh();
  }

  private tell(text: string): void {
    this.message.textContent = text;
    this.message.classList.add("shown");
    setTimeout(() => this.message.classList.remove("shown"), 4000);
  }
}

/** The text with one more flow, a copy of the last with a name of its own. */
function withFlow(text: string, names: string[]): string {
  const start = text.lastIndexOf("[[flow]]");
  const rest = text.slice(start + 8);
  const next = rest.search(/^\[/m);
  const table = text.slice(start, next < 0 ? undefined : start + 8 + next).trimEnd();
  let number = names.length + 1;
  while (names.includes(`flow ${number}`)) number++;
  const copy = table.replace(/^(name\s*=\s*).*$/m, `$1"flow ${number}"`).replace(/^#.*$/gm, "").trimEnd();
  const at = start + table.length;
  const changed = `${text.slice(0, at)}\n\n${copy}${text.slice(at)}`;
  return check(changed).errors.length > check(text).errors.length ? text : changed;
}

/** The text without the flow of this index. */
function withoutFlow(text: string, index: number): string {
  const headers = [...text.matchAll(/^\[\[flow\]\]/gm)].map((m) => m.index);
  const start = headers[index];
  if (start === undefined) return text;
  const next = text.slice(start + 8).search(/^\[/m);
  return text.slice(0, start) + (next < 0 ? "" : text.slice(start + 8 + next));
}

const root = document.getElementById("page");
if (root) {
  const carrier = document.getElementById("engine");
  const packed = carrier?.textContent ?? "";
  carrier?.remove();
  compile(packed)
    .then((module) => new Laboratory(module, root).restore())
    .catch((error: unknown) => {
      root.textContent = `This page needs a browser with WebAssembly and DecompressionStream: ${String(error)}`;
    });
}
