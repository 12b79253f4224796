// Links to what is shown.

import assert from "node:assert/strict";
import test from "node:test";

import { hashOf, stateOf } from "./state.js";

test("what is written is read again", () => {
  const state = { ...stateOf(""), view: "beats", key: 2, text: "a & b = ü", item: "x/1#2", down: false };
  assert.deepEqual(stateOf(hashOf(state), { key: 3 }), state);
});

test("damaged or hostile links fall back to what is usual", () => {
  assert.equal(stateOf("#key=99&system=-1&page=1.5&other=x", { key: 3 }).key, 0);
  assert.deepEqual(stateOf("#key=99&system=-1&page=1.5&__proto__=1", { key: 3 }), stateOf(""));
});
