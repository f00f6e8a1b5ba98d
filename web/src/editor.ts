// The scenario as text, with its errors at their lines.

import type { Diagnostic } from "../pkg/engine.js";
import { el } from "./dom.js";

const PAUSE_MS = 350;

export class Editor {
  private readonly area = el("textarea", { spellcheck: "false", "aria-label": "scenario as text", rows: 24, wrap: "off" });
  private readonly gutter = el("pre", { class: "gutter", "aria-hidden": "true" });
  private readonly list = el("ul", { class: "errors", role: "alert" });
  readonly element = el("div", { class: "editor" }, el("div", { class: "sheet" }, this.gutter, this.area), this.list);
  private timer = 0;

  constructor(changed: (text: string) => void) {
    this.area.addEventListener("input", () => {
      this.number(new Set());
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => changed(this.area.value), PAUSE_MS);
    });
    this.area.addEventListener("scroll", () => (this.gutter.scrollTop = this.area.scrollTop));
  }

  /** Shows a text and what is wrong with it. */
  show(text: string, errors: Diagnostic[]): void {
    if (this.area.value !== text) this.area.value = text;
    this.number(new Set(errors.map((e) => e.line ?? 0)));
    this.list.replaceChildren(...errors.slice(0, 20).map((e) => this.item(e)));
    this.area.setAttribute("aria-invalid", String(errors.length > 0));
  }

  private item(error: Diagnostic): HTMLElement {
    const place = error.line === null ? "" : `line ${error.line}`;
    const jump = el("button", { type: "button", class: "quiet", click: () => this.jump(error.line ?? 1, error.column ?? 1) }, place);
    const text = `${error.key ? `${error.key}: ` : ""}${error.message}${error.hint ? ` (${error.hint})` : ""}`;
    return el("li", {}, ...(place ? [jump] : []), text);
  }

  private jump(line: number, column: number): void {
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(start, start);
  }

  private number(wrong: Set<number>): void {
    const count = this.area.value.split("\n").length;
    const lines = Array.from({ length: count }, (_, i) => el("span", { class: wrong.has(i + 1) ? "wrong" : "" }, `${i + 1}\n`));
    this.gutter.replaceChildren(...lines);
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
