// All changes that a story proposes, run one after the other, in one table.

import { el } from "./dom.js";
import { Cancelled, type Simulator } from "./engine.js";
import type { Result } from "./explain.js";
import { rate, time } from "./format.js";
import type { Setup } from "./setup.js";
import type { Story, Variant } from "./stories.js";

export class Variants {
  readonly element = el("section", { class: "variants", "aria-label": "changes to try" });
  private cancel: (() => void) | null = null;

  constructor(
    private readonly simulator: () => Simulator,
    private readonly beside: (variant: Variant) => void,
  ) {}

  show(story: Story, setup: Setup): void {
    this.cancel?.();
    this.element.replaceChildren();
    this.element.hidden = story.variants.length === 0;
    if (story.variants.length === 0) return;
    const chips = story.variants.map((v) => el("button", { type: "button", class: "chip", click: () => this.beside(v) }, v.label));
    const table = el("div", { class: "scroll" });
    const all = el("button", { type: "button", class: "primary", click: () => void this.compare(story, setup, table) }, "Compare all");
    this.element.append(
      el("h3", {}, story.question ?? "", el("small", { class: "hint" }, " Choose one to see it beside set-up A, or compare all in a table.")),
      el("div", { class: "chips" }, ...chips, all),
      table,
    );
  }

  private async compare(story: Story, setup: Setup, place: HTMLElement): Promise<void> {
    this.cancel?.();
    const names = setup.recording?.begun.facts.flows.map((f) => f.name) ?? [];
    const head = el("tr", {}, el("td"), ...names.flatMap((n) => [el("th", { scope: "col" }, n), el("th", { scope: "col" }, el("small", {}, "99 % of RTTs below"))]));
    const body = el("tbody");
    place.replaceChildren(el("table", {}, el("thead", {}, head), body));
    const rows: Variant[] = [{ label: "as it is", changes: [] }, ...story.variants];
    for (const variant of rows) {
      const row = el("tr", {}, el("th", { scope: "row" }, variant.label));
      body.append(row);
      try {
        const run = this.simulator().run(setup.withChanges(variant.changes), story.file, 0, null);
        this.cancel = run.cancel;
        const result = JSON.parse((await run.done).json) as Result;
        for (const flow of result.flows) {
          const p99 = flow.rtt_s.p99;
          row.append(el("td", {}, flow.goodput_bps === null ? "–" : rate(flow.goodput_bps)), el("td", {}, p99 === null ? "–" : time(p99)));
        }
      } catch (error) {
        if (error instanceof Cancelled) return;
        row.append(el("td", { colspan: names.length * 2 }, "does not fit this scenario"));
      }
    }
    this.element.setAttribute("data-compared", String(rows.length));
  }
}
