// What a test needs of figures of several runs.

export { compared, drawnOf } from "./compare.js";
export { every, isTake, runsOf, scenarioOf, takesOf } from "./record.js";
export { exactSum, pairwiseSum, reduced } from "./reduce.js";
export { taken } from "./taking.js";
