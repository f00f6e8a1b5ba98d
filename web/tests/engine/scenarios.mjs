// The scenario files of the tree.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const PLACES = ["examples", "benches/workloads", "python/eddyline/papers", "python/eddyline/gauntlet/scenarios", "python/tests/quic/scenarios"];

/** Paths from the root of the tree, in alphabetical order. */
export function scenarioFiles(root) {
  const found = PLACES.flatMap((place) =>
    readdirSync(join(root, place), { recursive: true }).map((name) => join(place, name)),
  );
  const toml = found.filter((name) => name.endsWith(".toml"));
  return toml.filter((name) => /^duration\s*=/m.test(readFileSync(join(root, name), "utf8"))).sort();
}
