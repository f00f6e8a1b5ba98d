// The laboratory in a page of the documentation: a frame in place of its picture.

import { el } from "./dom.js";
import type { FrameMessage } from "./embedded.js";

/** The choice of the site between light and dark; empty where it follows the system. */
function theme(): string {
  return document.body.dataset["theme"] ?? "";
}

export function frame(root: HTMLElement): void {
  const address = `${root.dataset["laboratory"] ?? ""}?embedded#${root.dataset["story"] ?? "upload"}`;
  const inside = el("iframe", { src: address, title: "The laboratory: an upload kills a download", loading: "lazy" });
  const send = (): void => inside.contentWindow?.postMessage({ eddylineTheme: theme() } satisfies FrameMessage, "*");
  window.addEventListener("message", (event) => {
    const height = (event.data as FrameMessage | null)?.eddylineHeight;
    if (event.source !== inside.contentWindow || height === undefined) return;
    if (!root.classList.contains("plays")) send();
    root.classList.add("plays");
    inside.style.height = `${height}px`;
  });
  new MutationObserver(send).observe(document.body, { attributeFilter: ["data-theme"] });
  root.prepend(inside);
}
