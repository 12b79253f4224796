// The layout in the browser has the same coordinates as that in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { layOut } from "./layout.js";

const graphs = JSON.parse(readFileSync(new URL("./layouts.json", import.meta.url), "utf8"));

function close(found, wanted, where) {
  if (Array.isArray(wanted)) {
    assert.equal(found.length, wanted.length, where);
    wanted.forEach((each, place) => close(found[place], each, `${where}.${place}`));
  } else assert.ok(Math.abs(found - wanted) < 1e-6, `${where}: ${found} is not ${wanted}`);
}

test("boxes and arrows have the places that Python gives them", () => {
  assert.ok(graphs.length >= 100);
  graphs.forEach(({ boxes, arrows, layout }, number) => {
    const found = layOut(boxes, arrows);
    close([found.width, found.height], [layout.width, layout.height], `size of ${number}`);
    close(found.boxes, layout.boxes, `boxes of ${number}`);
    layout.routes.forEach((route, place) => {
      for (const part of ["before", "label", "after"]) close(found.routes[place][part], route[part], `${part} of ${number}`);
    });
  });
});
