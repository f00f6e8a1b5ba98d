// Quantities: as people read them, and as scenario files write them.

const RATES: [number, string][] = [
  [1e9, "Gbit/s"],
  [1e6, "Mbit/s"],
  [1e3, "kbit/s"],
  [1, "bit/s"],
];

/** Three significant digits without trailing zeros. */
export function digits(value: number, count = 3): string {
  return Number(value.toPrecision(count)).toString();
}

export function rate(bps: number): string {
  const [factor, unit] = RATES.find(([f]) => Math.abs(bps) >= f) ?? [1, "bit/s"];
  return `${digits(bps / factor)} ${unit}`;
}

export function time(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-6) return "< 1 µs";
  if (size >= 1) return `${digits(seconds)} s`;
  return size >= 1e-3 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds * 1e6)} µs`;
}

/** A quantity of a scenario file in base units; null if it is none. */
export function quantity(text: unknown): { value: number; unit: string } | null {
  const match = /^\s*([-+0-9.eE]+)\s+(\S.*?)\s*$/.exec(String(text));
  return match ? { value: Number(match[1]), unit: match[2] ?? "" } : null;
}

const FACTORS: Record<string, number> = {
  "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12,
  ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400,
  B: 1, kB: 1e3, KiB: 1024, MB: 1e6, MiB: 1048576, GB: 1e9, GiB: 1073741824,
  packets: 1,
};

/** The value in base units (bit/s, s, B, packets). */
export function base(text: unknown): number | null {
  const found = quantity(text);
  const factor = found && FACTORS[found.unit];
  return found && factor ? found.value * factor : null;
}

/** A rate or time as a TOML string. */
export function literal(value: number, kind: "rate" | "time"): string {
  const text = kind === "rate" ? rate(value) : time(value).replace("µs", "us");
  return `"${text}"`;
}
