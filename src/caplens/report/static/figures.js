// The section of plots: which scores and systems they show is chosen with the same controls as the captions.

import { element } from "./dom.js";
import { colourOf, differencesPlot, distributionsPlot, intervalsPlot, scatterPlot } from "./plots.js";

/** Make a labelled choice among names; `pick` gets the place of the chosen one. */
export function choice(id, label, names, chosen, pick) {
  const select = element("select", { id, onchange: () => pick(Number(select.value)) },
    names.map((name, place) => element("option", { value: place, selected: place === chosen }, name)));
  return element("div", { class: "choice" }, element("label", { for: id }, label), select);
}

/** Draw all plots for a state. */
export function drawPlots(items, summary, state, change) {
  const { systems, board } = summary;
  const { key, across, system, other } = state;
  const focused = document.activeElement?.id;
  const controls = document.getElementById("plot-controls");
  controls.replaceChildren(
    choice("plot-score", "Score", items.keys, key, (place) => change({ key: place, page: 0 })),
    items.systems > 1 ? choice("plot-first", "System A", systems, system, (place) => change({ system: place, page: 0 })) : "",
    items.systems > 1 ? choice("plot-second", "System B", systems, other, (place) => change({ other: place, page: 0 })) : "",
    items.keys.length > 1 ? choice("plot-across", "Second score", items.keys, across, (place) => change({ across: place })) : "",
  );
  const name = items.keys[key];
  const named = (place) => [systems[place], colourOf(place)];
  const cards = [
    ["Corpus scores", intervalsPlot(systems, board.order, board.entries.map((entries) => entries[key]), name)],
    ["Scores of captions", distributionsPlot(systems, board.order, items.scores[key], name)],
  ];
  if (items.systems > 1 && system !== other) {
    const differences = items.values({ by: "difference", key, system, other });
    cards.push([`${systems[system]} against ${systems[other]}`, differencesPlot(differences, named(system), named(other), name)]);
  }
  if (items.keys.length > 1) {
    cards.push([`Two scores of ${systems[system]}`, scatterPlot(items.scores[key][system], items.scores[across][system], name, items.keys[across], colourOf(system))]);
  }
  document.getElementById("plots").replaceChildren(
    ...cards.map(([title, plot]) => element("figure", { class: "card" }, element("figcaption", {}, title), plot)));
  if (focused?.startsWith("plot-")) document.getElementById(focused)?.focus();
}
