// Files that the page writes: scenario, result, series, picture.

import { el } from "./dom.js";
import { FLOW, LINK, QUANTITIES, type Recording } from "./recording.js";

export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The series in long form, as in series.parquet: time_s, kind, entity, quantity, value. */
export function csv(recording: Recording): string {
  const { flows, links } = recording.begun.facts;
  const rows = ["time_s,kind,entity,quantity,value"];
  for (const [kind, name, entities] of [[FLOW, "flow", flows], [LINK, "link", links]] as const) {
    entities.forEach((entity, i) => {
      for (const quantity of QUANTITIES) {
        const track = recording.of(kind, i, quantity);
        track.time.forEach((t, k) => rows.push(`${t},${name},${quoted(entity.name)},${quantity},${track.value[k]}`));
      }
    });
  }
  return `${rows.join("\n")}\n`;
}

/** One picture of several canvases, one below the other. */
export function picture(title: string, canvases: HTMLCanvasElement[], background: string, text: string): Promise<Blob | null> {
  const head = 56;
  const out = document.createElement("canvas");
  out.width = Math.max(...canvases.map((c) => c.width));
  out.height = head + canvases.reduce((sum, c) => sum + c.height + 8, 0);
  const g = out.getContext("2d")!;
  g.fillStyle = background;
  g.fillRect(0, 0, out.width, out.height);
  g.fillStyle = text;
  g.font = "600 26px system-ui, sans-serif";
  g.fillText(title, 16, 36);
  let y = head;
  for (const canvas of canvases) {
    g.drawImage(canvas, 0, y);
    y += canvas.height + 8;
  }
  return new Promise((resolve) => out.toBlob(resolve, "image/png"));
}
