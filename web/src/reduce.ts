// From results to what is drawn: the calculations that records name, digit for digit as Python and NumPy do them.

import { TAKES, every, type Expression } from "./record.js";

export type Value = number | null | Value[];

type Known = (take: string) => Value;
type Calculation = (...given: Value[]) => Value;

const numbers = (value: Value): number[] => value as number[];

/** Element by element; a number stands beside each element of a list, and without a number there is no result. */
function each(calculate: (a: number, b: number) => number): Calculation {
  const both = (a: Value, b: Value): Value => {
    if (Array.isArray(a)) return a.map((one, i) => both(one, Array.isArray(b) ? b[i]! : b));
    if (Array.isArray(b)) return b.map((one) => both(a, one));
    return a === null || b === null ? null : calculate(a, b);
  };
  return (a, b) => both(a!, b!);
}

/** The sum, rounded once: Shewchuk's partial sums, as Python's `math.fsum`. */
export function exactSum(values: readonly number[]): number {
  const partials: number[] = [];
  for (let x of values) {
    let kept = 0;
    for (let y of partials) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) partials[kept++] = low;
      x = high;
    }
    partials.length = kept;
    partials.push(x);
  }
  let high = partials.pop() ?? 0;
  while (partials.length > 0) {
    const before = high;
    const y = partials.pop()!;
    high = before + y;
    const low = y - (high - before);
    if (low === 0) continue;
    // half of the last digit is rounded the way of what is below it
    const next = partials.at(-1) ?? 0;
    if ((low < 0 && next < 0) || (low > 0 && next > 0)) {
      const twice = low * 2;
      const rounded = high + twice;
      if (rounded - high === twice) high = rounded;
    }
    break;
  }
  return high;
}

/** The sum in the order of NumPy: eight sums side by side, and halves of what is long. */
export function pairwiseSum(values: readonly number[], from = 0, to = values.length): number {
  const n = to - from;
  if (n < 8) return values.slice(from, to).reduce((sum, x) => sum + x, 0);
  if (n > 128) {
    let half = Math.floor(n / 2);
    half -= half % 8;
    return pairwiseSum(values, from, from + half) + pairwiseSum(values, from + half, to);
  }
  const r = values.slice(from, from + 8);
  let i = from + 8;
  for (; i < to - (n % 8); i += 8) for (let k = 0; k < 8; k++) r[k]! += values[i + k]!;
  let sum = r[0]! + r[1]! + (r[2]! + r[3]!) + (r[4]! + r[5]! + (r[6]! + r[7]!));
  for (; i < to; i++) sum += values[i]!;
  return sum;
}

const CALCULATIONS: Record<string, Calculation> = {
  "+": each((a, b) => a + b),
  "-": each((a, b) => a - b),
  "*": each((a, b) => a * b),
  "/": each((a, b) => a / b),
  /** The mean of several runs; of equal numbers it is that number. */
  mean: (...given) => {
    if (given.some((x) => x === null)) return null;
    const all = numbers(given);
    return all.every((x) => x === all[0]) ? all[0]! : exactSum(all) / all.length;
  },
  /** Nothing counts as a number. */
  or: (value, instead) => value ?? instead!,
  /** The number of `inside` where from < t <= to, elsewhere that of `outside`. */
  within: (times, from, to, inside, outside) => numbers(times!).map((t) => (t > (from as number) && t <= (to as number) ? inside! : outside!)),
  /** Values from the first above zero in `of` on. */
  since: (of, values) => {
    const first = numbers(of!).findIndex((x) => x > 0);
    return first < 0 ? [] : numbers(values!).slice(first);
  },
  /** Values at times from `from` to `to`. */
  between: (times, from, to, values) => numbers(values!).filter((_, i) => numbers(times!)[i]! >= (from as number) && numbers(times!)[i]! <= (to as number)),
  /** The mean of rates after a share of all packets is sent: what was sent is rate times `step` over the packet's bits. */
  settled: (rates, step, bits, share) => {
    const all = numbers(rates!);
    const last = all.findLastIndex((x) => x > 0);
    if (last <= 0) return null;
    let total = 0;
    const sent = all.slice(0, last).map((x) => ((total += x) * (step as number)) / (bits as number));
    const enough = sent.at(-1)! * (share as number);
    const first = sent.findIndex((x) => x >= enough);
    const counted = all.slice(first, last);
    return counted.length > 0 ? pairwiseSum(counted) / counted.length : null;
  },
  /** The latest round-trip time, or the time since the last interval with a new one where that is longer. */
  waits: (times, trips, smoothed, rates) => {
    const [ends, all] = [numbers(times!), numbers(smoothed!)];
    const rate = numbers(rates!).slice(-ends.length); // from the first round trip on
    let last = 0;
    return numbers(trips!).map((trip, i) => {
      const moved = i === 0 || all[i] !== all[i - 1];
      if (moved || (Math.abs(trip - all[i]!) < 1e-9 && rate[i]! > 0)) last = ends[i]!;
      return Math.max(trip, ends[i]! - last);
    });
  },
  /** Ends of the intervals of `width` that times are in, each once. */
  ends: (times, width) => [...new Set(numbers(times!).map((t) => Math.ceil(t / (width as number)) * (width as number)))],
  /** Sums of the values in each of these intervals. */
  sums: (times, width, values) => {
    const found = new Map<number, number>();
    numbers(times!).forEach((t, i) => {
      const end = Math.ceil(t / (width as number));
      found.set(end, (found.get(end) ?? 0) + numbers(values!)[i]!);
    });
    return [...found.values()];
  },
};

/** The value of an expression; `known` has what was taken of the runs. */
export function reduced(expression: Expression, known: Known): Value {
  if (typeof expression === "string") throw new Error(`${expression} is no number`);
  if (!Array.isArray(expression)) return expression;
  const [name, ...given] = expression;
  if (typeof name !== "string") return expression.map((one) => reduced(one, known));
  if (TAKES.has(name)) return known(JSON.stringify(expression));
  if (name === "every") return every(expression).map((take) => known(JSON.stringify(take)));
  if (name === "list") return given.map((one) => reduced(one, known));
  const calculation = CALCULATIONS[name];
  if (!calculation) throw new Error(`there is no calculation ${name}`);
  return calculation(...given.map((one) => reduced(one, known)));
}
