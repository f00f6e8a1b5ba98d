// All changes that a story proposes, run one after the other, in one table.

import { el } from "./dom.js";
import { Cancelled, type Simulator } from "./engine.js";
import type { Result } from "./explain.js";
import { rate, time } from "./format.js";
import type { Setup } from "./setup.js";
import type { Judgement, Story, Variant } from "./stories.js";

interface Tried {
  variant: Variant;
  result: Result;
  row: HTMLElement;
}

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
    const chips = story.variants.map((v) => el("button", { type: "button", class: "chip", title: v.means ?? v.label, click: () => this.beside(v) }, v.label));
    const table = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "all changes" });
    const answer = el("p", { class: "answer", role: "status" });
    const all = el("button", { type: "button", class: "primary", click: () => void this.compare(story, setup, table, answer) }, "Compare all");
    this.element.append(
      el("h3", {}, story.question ?? "", el("small", { class: "hint" }, " Choose one to see it beside set-up A, or compare all in a table.")),
      el("div", { class: "chips" }, ...chips, all),
      answer,
      table,
    );
  }

  private async compare(story: Story, setup: Setup, place: HTMLElement, answer: HTMLElement): Promise<void> {
    this.cancel?.();
    answer.textContent = "";
    const results: Tried[] = [];
    const names = setup.recording?.begun.facts.flows.map((f) => f.name) ?? [];
    const head = el("tr", {}, el("td"), ...names.flatMap((n) => [el("th", { scope: "col" }, n), el("th", { scope: "col" }, el("small", {}, "99 % of RTTs below"))]));
    const body = el("tbody");
    place.replaceChildren(el("table", {}, el("thead", {}, head), body));
    const rows: Variant[] = [{ label: "as it is", changes: [] }, ...story.variants];
    for (const variant of rows) {
      const row = el("tr", {}, el("th", { scope: "row" }, variant.label, ...(variant.means ? [el("small", {}, variant.means)] : [])));
      body.append(row);
      try {
        const run = this.simulator().run(setup.withChanges(variant.changes), story.file, 0, null);
        this.cancel = run.cancel;
        const result = JSON.parse((await run.done).json) as Result;
        results.push({ variant, result, row });
        for (const flow of result.flows) {
          const p99 = flow.rtt_s.p99;
          row.append(el("td", {}, flow.goodput_bps === null ? "–" : rate(flow.goodput_bps)), el("td", {}, p99 === null ? "–" : time(p99)));
        }
      } catch (error) {
        if (error instanceof Cancelled) return;
        row.append(el("td", { colspan: names.length * 2 }, "does not fit this scenario"));
      }
    }
    const found = story.judgement && judged(story.judgement, results);
    if (found) {
      found.row.classList.add("best");
      answer.textContent = found.text;
    }
    this.element.setAttribute("data-compared", String(rows.length));
  }
}

/** A change is as good as the best if it is within this share of it. */
const AS_GOOD = 0.95;

/** The change that costs least, and a sentence that says so. */
function judged(by: Judgement, [given, ...tried]: Tried[]): { row: HTMLElement; text: string } | null {
  const goodput = (of: Tried, flow: number): number => of.result.flows[flow]?.goodput_bps ?? 0;
  if (!given || tried.length === 0) return null;
  const most = Math.max(...tried.map((one) => goodput(one, by.for)));
  if (most <= goodput(given, by.for)) return null;
  const good = tried.filter((one) => goodput(one, by.for) >= AS_GOOD * most);
  const best = good.reduce((a, b) => (goodput(b, by.from) > goodput(a, by.from) ? b : a));
  const name = (flow: number): string => given.result.flows[flow]?.name ?? "";
  const kept = (flow: number): string => `${rate(goodput(best, flow))} instead of ${rate(goodput(given, flow))}`;
  const p99 = best.result.flows[by.from]?.rtt_s.p99;
  const waits = p99 === null || p99 === undefined ? "" : ` 99 % of its round trips stay below ${time(p99)}.`;
  const text = `Of the changes that bring ${name(by.for)} within 5 % of the best, one costs ${name(by.from)} least: ${best.variant.label}. Then ${name(by.for)} gets ${kept(by.for)}, ${name(by.from)} ${kept(by.from)}.${waits}`;
  return { row: best.row, text };
}
