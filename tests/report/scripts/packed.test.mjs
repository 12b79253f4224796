// What Python packed is what Explanation.to_dict() gave there, with the digits that are shown.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { inflated, unpackedExplanation } from "./packed.js";

const { chunk, explanations } = JSON.parse(readFileSync(new URL("./explanations.json", import.meta.url), "utf8"));

test("explanations survive packing", async () => {
  const { templates, packed } = await inflated(chunk);
  assert.ok(explanations.length > 5);
  explanations.forEach((wanted, place) => {
    assert.deepEqual(unpackedExplanation(packed[place], templates, wanted.candidate, wanted.references), wanted);
  });
});
