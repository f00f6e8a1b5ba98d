// What the runs of a record gave, number by number beside what was recorded.

import type { Drawn } from "./panels.js";
import type { Expression, FigureRecord, Mark } from "./record.js";
import { reduced, type Value } from "./reduce.js";

export interface Comparison {
  numbers: number;
  /** As many have the same bytes. */
  same: number;
  /** Of numbers that may differ a little: how many do, and by what share at most. */
  near: { count: number; most: number };
  /** Where others differ. */
  differences: string[];
  /** What was not calculated anew. */
  fixed: string[];
}

type Found = number | null;

/** A place on an axis that no run gives. */
function isGiven(expression: Expression): boolean {
  return !Array.isArray(expression) || (typeof expression[0] !== "string" && expression.every(isGiven));
}

/** Whether a number is as recorded, nearly so, or not. */
function verdict(mark: Mark, recorded: Found | undefined, found: Found | undefined): "same" | "near" | "different" {
  if (Object.is(recorded, found)) return "same";
  if (mark.within === undefined || typeof recorded !== "number" || typeof found !== "number") return "different";
  return Math.abs(found - recorded) <= mark.within * Math.abs(recorded) && Math.sign(found) === Math.sign(recorded) ? "near" : "different";
}

/** The marks of each panel; where nothing is `known` of a run, its numbers are missing. */
export function drawnOf(record: FigureRecord, known: (take: string) => Value): Drawn[][] {
  return record.panels.map((panel) =>
    panel.marks.map((mark) => {
      const { recorded } = mark;
      if (mark.fixed !== undefined) return { mark, x: recorded.x ?? [], y: recorded.y, z: recorded.z ?? null, different: new Set<number>() };
      const x = reduced(mark.x, known) as number[];
      const y = reduced(mark.y, known) as Found[];
      const z = mark.z === undefined ? null : (reduced(mark.z, known) as Found[]);
      const different = new Set<number>();
      const note = (there: Found[] | undefined, here: Found[]): void => {
        for (let i = 0; i < Math.max(there?.length ?? 0, here.length); i++) if (verdict(mark, there?.[i], here[i]) === "different") different.add(i);
      };
      if (z) note(recorded.z, z);
      else {
        if (recorded.x) note(recorded.x, x);
        note(recorded.y, y);
      }
      return { mark, x, y, z, different };
    }),
  );
}

/** All marks together. */
export function compared(marks: Drawn[]): Comparison {
  const found: Comparison = { numbers: 0, same: 0, near: { count: 0, most: 0 }, differences: [], fixed: [] };
  for (const { mark, x, y, z } of marks) {
    if (mark.fixed !== undefined) {
      if (!found.fixed.includes(mark.fixed)) found.fixed.push(mark.fixed);
      continue;
    }
    const all: [string, Expression | undefined, Found[] | undefined, Found[] | null][] = [
      ["x", mark.x, mark.recorded.x, x],
      ["y", mark.y, mark.recorded.y, y],
      ["value", mark.z, mark.recorded.z, z],
    ];
    const columns = all.flatMap(([name, by, there, here]) => (here && there && by !== undefined && !isGiven(by) ? [[name, there, here] as const] : []));
    for (const [name, there, here] of columns) {
      for (let i = 0; i < Math.max(there?.length ?? 0, here.length); i++) {
        const [old, now] = [there?.[i], here[i]];
        const where = `${mark.label}, ${name} of point ${i + 1}: ${now ?? "nothing"} instead of ${old ?? "nothing"}`;
        found.numbers += 1;
        const held = verdict(mark, old, now);
        if (held === "same") found.same += 1;
        else if (held === "near") {
          found.near.count += 1;
          found.near.most = Math.max(found.near.most, Math.abs((now as number) / (old as number) - 1));
        } else found.differences.push(where);
      }
    }
  }
  return found;
}
