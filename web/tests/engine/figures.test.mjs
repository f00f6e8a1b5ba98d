// Figures of several runs: the numbers of their records follow from the runs, in WebAssembly and with the page's calculations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page, records, rerun } from "./records.mjs";

/** Of each record the shortest runs, of so much time on the command line together. */
const PART_MS = 100;

for (const { name, record } of records) {
  test(`the record ${name} holds, in part`, () => {
    const { numbers, same, near, differences } = rerun(record, PART_MS);
    assert.ok(numbers > 0);
    assert.deepEqual(differences, []);
    assert.equal(same + near.count, numbers);
    assert.ok(near.count === 0 || record.product, "only eigenvalues may differ in their last digits");
  });
}

test("a number that is not as recorded is found, and where it is", () => {
  const { record } = records.find(({ name }) => name === "sawtooth");
  const changed = structuredClone(record);
  changed.panels[0].marks.find((mark) => mark.label === "simulated").recorded.y[17] += 1;
  const { differences } = rerun(changed);
  assert.equal(differences.length, 1);
  assert.match(differences[0], /^simulated, y of point 18: (\d+) instead of (\d+)$/);
  const { record: map } = records.find(({ name }) => name === "stability-map");
  const turned = structuredClone(map);
  const [cells] = turned.panels[0].marks;
  cells.recorded.z = cells.recorded.z.map((z) => -z);
  const { numbers, differences: all } = rerun(turned, PART_MS);
  assert.equal(all.length, numbers);
});

test("sums are those of Python and NumPy", () => {
  const { exactSum, pairwiseSum, reduced } = page;
  assert.equal(exactSum(Array(10).fill(0.1)), 1);
  assert.equal(exactSum([1e100, 1, -1e100, 1e-20]), 1);
  assert.equal(exactSum([1, 2 ** -53, 2 ** -106]), 1 + 2 ** -52);
  assert.equal(pairwiseSum(Array(10).fill(0.1)), 1);
  assert.equal(pairwiseSum(Array.from({ length: 1000 }, (_, i) => 1 / (i + 1))), 7.485470860550345);
  assert.equal(reduced(["mean", 0.1, 0.1, 0.1], null), 0.1);
  assert.equal(reduced(["mean", 0.1, null], null), null);
});
