// Sorting, filtering and ranking of items.

import assert from "node:assert/strict";
import test from "node:test";

import { Items, correlation, histogram, rankShares, sortedBy, ticks } from "./rows.js";

const data = {
  ids: ["1", "2", "3"],
  units: 100,
  captions: [["a dog", "a cat", "Two birds"], ["a dog", "a bird", ""]],
  references: [["dogs"], ["a cat sits"], []],
  scores: [[[10, 50, null], [20, 20, 5]], [[1, 2, 3], [3, 2, 1]]],
  subsets: [{ name: "domain", labels: ["in", "out"], of: [0, 1, 1] }],
};
const scores = [{ key: "CIDEr", higher: true }, { key: "CHAIRi", higher: false }];
const items = new Items(data, scores);

test("what does not exist comes last, both ways", () => {
  assert.deepEqual(items.sorted([0, 1, 2], { by: "score", key: 0, system: 0 }), [1, 0, 2]);
  assert.deepEqual(items.sorted([0, 1, 2], { by: "score", key: 0, system: 0 }, false), [0, 1, 2]);
});

test("equals keep the order of the input", () => {
  assert.deepEqual(sortedBy([0, 1, 2, 3], [1, 0, 1, 0], true), [0, 2, 1, 3]);
  assert.deepEqual(sortedBy([0, 1, 2, 3], [1, 0, 1, 0], false), [1, 3, 0, 2]);
});

test("a difference is positive where the first system is better, whatever the score", () => {
  assert.deepEqual([...items.values({ by: "difference", key: 0, system: 0, other: 1 })].slice(0, 2), [0.1 - 0.2, 0.3]);
  assert.deepEqual([...items.values({ by: "difference", key: 1, system: 0, other: 1 })].map((value) => Math.round(value * 100) || 0), [2, 0, -2]);
});

test("text is searched in captions, references and ids, whatever the case", () => {
  assert.deepEqual(items.filtered({ text: "BIRD" }), [1, 2]);
  assert.deepEqual(items.filtered({ text: "bird sits" }), [1]);
  assert.deepEqual(items.filtered({ text: "  " }), [0, 1, 2]);
});

test("subsets and wins", () => {
  assert.deepEqual(items.filtered({ subset: [0, 1] }), [1, 2]);
  assert.deepEqual(items.filtered({ beats: { key: 0, system: 0, other: 1 } }), [1]);
});

test("ranks are shares; ties have their mean", () => {
  assert.deepEqual([...rankShares([5, 1, 5, NaN, 9])].map((value) => (Number.isNaN(value) ? null : value)), [0.5, 0, 0.5, null, 1]);
  assert.deepEqual([...rankShares([3])], [0.5]);
});

test("histograms count what lies outside at the ends", () => {
  assert.deepEqual(histogram([-1, 0, 0.5, 1, 2, NaN], 2, 0, 1), [2, 3]);
});

test("correlation", () => {
  assert.ok(Math.abs(correlation([1, 2, 3, NaN], [2, 4, 6, 1]) - 1) < 1e-12);
  assert.ok(Number.isNaN(correlation([1, 1], [1, 2])));
});

test("ticks are round", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.3, 0.3, 3), [-0.2, 0, 0.2]);
});
