// Where two results differ.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The result without what it cost, which is another on every machine. */
function withoutCost(json: string): string {
  const start = json.indexOf('"cost"');
  return start < 0 ? json : json.slice(0, start);
}

/** Null if two results have the same bytes, cost aside; else where they differ first. */
export function difference(expected: string, found: string): string | null {
  if (withoutCost(expected) === withoutCost(found)) return null;
  return first("", JSON.parse(expected) as Json, JSON.parse(found) as Json) ?? "in how numbers are written";
}

function first(path: string, expected: Json | undefined, found: Json | undefined): string | null {
  if (typeof expected === "object" && typeof found === "object" && expected !== null && found !== null) {
    const [there, here] = [expected as Record<string, Json>, found as Record<string, Json>];
    for (const key of new Set([...Object.keys(there), ...Object.keys(here)])) {
      if (path === "" && key === "cost") continue;
      const where = first(path === "" ? key : `${path}.${key}`, there[key], here[key]);
      if (where !== null) return where;
    }
    return null;
  }
  return expected === found ? null : `${path} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
}
