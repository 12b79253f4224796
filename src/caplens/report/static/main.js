// The report's page: reads the data blocks and joins the parts.

import { Captions } from "./captions.js";
import { Explanations } from "./explanations.js";
import { inflated } from "./packed.js";
import { drawPlots } from "./figures.js";
import { Items } from "./rows.js";
import { hashOf, stateOf } from "./state.js";
import { themeButton } from "./theme.js";

async function start() {
  themeButton(document.getElementById("theme"));
  const summary = JSON.parse(document.getElementById("caplens-summary").textContent);
  const block = document.getElementById("caplens-items");
  if (!block) return;
  const main = document.querySelector("main");
  const status = document.getElementById("status");
  try {
    const items = new Items(await inflated(block.textContent), summary.scores);
    const explanations = new Explanations(items, main.dataset.explainUrl ?? "", summary.systems);
    const defaults = { view: items.systems > 1 ? "spread" : "worst", key: summary.scores.findIndex((one) => one.key === summary.leading) };
    defaults.key = Math.max(0, defaults.key);
    defaults.down = items.systems > 1; // the worst captions first, where no systems differ
    defaults.across = (defaults.key + 1) % summary.scores.length;
    defaults.system = summary.board.order[0];
    defaults.other = summary.board.order[1] ?? 0;
    const limits = { defaults, key: items.keys.length, across: items.keys.length, system: items.systems, other: items.systems };
    const read = () => stateOf(location.hash, limits);
    let state = read();
    const change = (changes) => {
      const before = state;
      state = { ...state, ...changes };
      const hash = hashOf(state, defaults);
      // Opening an item is a step that one can go back from; turning pages and typing is not.
      if (hash !== location.hash) history[before.item !== state.item ? "pushState" : "replaceState"](null, "", hash === "#" ? "#captions" : hash);
      show(before);
    };
    const captions = new Captions({ items, summary, explanations, pictures: summary.pictures ?? null, change });
    const show = (before) => {
      captions.show(state, before);
      const same = before && ["key", "across", "system", "other"].every((name) => before[name] === state[name]);
      if (!same) drawPlots(items, summary, state, change);
    };
    window.addEventListener("popstate", () => {
      const before = state;
      state = read();
      show(before);
    });
    window.addEventListener("hashchange", () => {
      const before = state;
      state = read();
      show(before);
    });
    show(null);
    window.caplensItems = items;
    status.textContent = "";
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    status.textContent = typeof DecompressionStream === "undefined"
      ? "This browser is too old to unpack the captions of this report: use a version from 2023 or later."
      : `The captions of this report cannot be shown: ${error.message}`;
  }
}

start();
