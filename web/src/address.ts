// The state of the page in its address: everything after the #, compressed. Nothing of it reaches a server.

export interface State {
  story: string;
  /** Texts, where they differ from the story's. */
  a?: string;
  /** The second set-up, if there is one. */
  b?: string;
  timeS?: number;
}

const PREFIX = "#1.";

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function encode(state: State): Promise<string> {
  if (state.a === undefined && state.b === undefined && state.timeS === undefined) return `#${state.story}`;
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return PREFIX + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state in an address; null if there is none or it is damaged. */
export async function decode(hash: string): Promise<State | null> {
  if (!hash.startsWith(PREFIX)) return /^#[a-z0-9-]+$/.test(hash) ? { story: hash.slice(1) } : null;
  try {
    const text = atob(hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const state: unknown = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    const { story, a, b, timeS } = state as Record<string, unknown>;
    if (typeof story !== "string") return null;
    return {
      story,
      ...(typeof a === "string" && { a }),
      ...(typeof b === "string" && { b }),
      ...(typeof timeS === "number" && Number.isFinite(timeS) && { timeS }),
    };
  } catch {
    return null;
  }
}
