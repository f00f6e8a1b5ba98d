// The laboratory in a frame of another page (`?embedded`): the story and what plays, without the controls. The page around it makes the frame as
// high as it needs to be, and says which colours it has.

import { el } from "./dom.js";

export const EMBEDDED = new URLSearchParams(location.search).has("embedded");

/** What a frame and the page around it say to each other. */
export interface FrameMessage {
  eddylineHeight?: number;
  eddylineTheme?: string;
}

/** The story's charts that a frame has room for; all of them elsewhere. */
export const CHARTS = EMBEDDED ? ["throughput", "rtt"] : null;

/** A link from the frame to the whole laboratory, with the state that the frame has then. */
export function wholeLink(): HTMLElement {
  const link = el("a", { class: "whole", href: location.pathname, target: "_top" }, "All controls");
  link.addEventListener("click", () => {
    const there = new URL(location.href);
    there.search = "";
    link.href = there.href;
  });
  return link;
}

/** Tells the page around how high this one is, whenever that changes, and takes its colours. */
export function embed(restyle: () => void): void {
  document.documentElement.classList.add("embedded");
  const tell = (): void => {
    const message: FrameMessage = { eddylineHeight: Math.ceil(document.body.getBoundingClientRect().height) };
    parent.postMessage(message, "*");
  };
  new ResizeObserver(tell).observe(document.body);
  window.addEventListener("message", (event) => {
    const theme = (event.data as FrameMessage | null)?.eddylineTheme;
    if (event.source !== parent || theme === undefined) return;
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
    else delete document.documentElement.dataset["theme"];
    restyle();
  });
}
