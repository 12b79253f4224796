// Plots as vector drawings: colours by class (systems s0 .. s6 of a palette for colour-blind readers), and patterns too.

import { drawn, score } from "./dom.js";
import { correlation, histogram, ticks } from "./rows.js";

const WIDTH = 560;
const COLOURS = 7;

/** The class of a system's colour and dashes. */
export function colourOf(system) {
  return `s${system % COLOURS}`;
}

function frame(height, label, ...children) {
  return drawn("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label }, ...children);
}

function axisX(low, high, left, right, y, name) {
  const at = (value) => left + ((value - low) / (high - low || 1)) * (right - left);
  const marks = ticks(low, high);
  const digits = digitsOf(marks);
  return [at, drawn("g", { class: "axis" },
    marks.map((value) => drawn("line", { x1: at(value), x2: at(value), y1: 8, y2: y, class: "grid" })),
    drawn("line", { x1: left, x2: right, y1: y, y2: y }),
    marks.map((value) => drawn("text", { x: at(value), y: y + 15, "text-anchor": "middle" }, value.toFixed(digits))),
    drawn("text", { x: (left + right) / 2, y: y + 33, "text-anchor": "middle", class: "name" }, name))];
}

function digitsOf(marks) {
  const step = marks.length > 1 ? marks[1] - marks[0] : 1;
  return Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) + 0.2)));
}

/** Corpus scores with their intervals, the best system first. */
export function intervalsPlot(names, order, entries, key) {
  const shownEntries = order.map((system) => ({ system, entry: entries[system] })).filter(({ entry }) => entry[0] !== null);
  const bounds = shownEntries.flatMap(({ entry }) => [entry[0], entry[1] ?? entry[0], entry[2] ?? entry[0]]);
  const [least, most] = [Math.min(...bounds), Math.max(...bounds)];
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  const height = 34 * shownEntries.length + 56;
  const [at, axis] = axisX(least - room, most + room, 130, WIDTH - 64, height - 42, `${key}, with 95 % intervals`);
  const said = shownEntries.map(({ system, entry }) => `${names[system]} ${score(entry[0])} (${score(entry[1])} to ${score(entry[2])})`);
  return frame(height, `${key}: ${said.join("; ")}`, axis, shownEntries.map(({ system, entry }, row) => {
    const y = 26 + row * 34;
    const [low, high] = [entry[1] ?? entry[0], entry[2] ?? entry[0]];
    return drawn("g", { class: colourOf(system) },
      drawn("text", { x: 122, y: y + 4, "text-anchor": "end", class: "label" }, shortName(names[system])),
      drawn("line", { x1: at(low), x2: at(high), y1: y, y2: y, class: "interval" }),
      [low, high].map((end) => drawn("line", { x1: at(end), x2: at(end), y1: y - 5, y2: y + 5, class: "interval" })),
      drawn("circle", { cx: at(entry[0]), cy: y, r: 5, class: "dot" }),
      drawn("text", { x: WIDTH - 56, y: y + 4, class: "label" }, score(entry[0])));
  }));
}

function shortName(name) {
  return [...name].length > 18 ? `${[...name].slice(0, 17).join("")}…` : name;
}

/** The item scores of each system as lines, one above the other, the best system first. */
export function distributionsPlot(names, order, columns, key) {
  const all = columns.flatMap((values) => Array.from(values).filter((value) => !Number.isNaN(value)));
  if (!all.length) return frame(60, `No ${key}`, drawn("text", { x: 20, y: 30 }, "no item has this score"));
  const sorted = Float64Array.from(all).sort();
  const [low, high] = [sorted[0], sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.998))]];
  const bins = 40;
  const step = 46;
  const height = step * columns.length + 62;
  const [at, axis] = axisX(low, high > low ? high : low + 1, 130, WIDTH - 64, height - 42, `${key} of captions; the line is the mean`);
  const counts = order.map((system) => histogram(columns[system], bins, low, high > low ? high : low + 1));
  const most = Math.max(1, ...counts.flat());
  const said = [];
  const ridges = counts.map((found, row) => {
    const system = order[row];
    const base = 10 + step * (row + 1);
    const x = (bin) => at(low + ((high > low ? high - low : 1) * bin) / bins);
    const steps = found.map((count, bin) => `V${(base - (count / most) * (step - 8)).toFixed(1)}H${x(bin + 1).toFixed(1)}`);
    const known = Array.from(columns[system]).filter((value) => !Number.isNaN(value));
    const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1);
    said.push(`${names[system]} mean ${score(mean)}`);
    return drawn("g", { class: colourOf(system) },
      drawn("text", { x: 122, y: base - 6, "text-anchor": "end", class: "label" }, shortName(names[system])),
      drawn("path", { d: `M${x(0).toFixed(1)} ${base}${steps.join("")}V${base}Z`, class: "area" }),
      known.length ? drawn("line", { x1: at(Math.min(mean, high)), x2: at(Math.min(mean, high)), y1: base - step + 8, y2: base, class: "mean" }) : null,
      drawn("text", { x: WIDTH - 56, y: base - 6, class: "label" }, score(mean)));
  });
  return frame(height, `Distribution of ${key}: ${said.join("; ")}`, axis, ridges);
}

/** The differences of two systems, item by item: where each is better, and how often. */
export function differencesPlot(differences, [first, firstColour], [second, secondColour], key) {
  const known = Array.from(differences).filter((value) => !Number.isNaN(value));
  const limit = Math.max(...known.map(Math.abs).sort((a, b) => a - b).slice(0, Math.max(1, Math.ceil(known.length * 0.998))), 1e-9);
  const bins = 41;
  const counts = histogram(known, bins, -limit, limit);
  const most = Math.max(1, ...counts);
  const height = 240;
  const [at, axis] = axisX(-limit, limit, 40, WIDTH - 40, height - 42, `${key}: ${first} better to the right`);
  const wins = known.filter((value) => value > 1e-9).length;
  const losses = known.filter((value) => value < -1e-9).length;
  const width = (2 * limit) / bins;
  return frame(height, `${first} has the higher ${key} for ${wins} items, ${second} for ${losses}, equal for ${known.length - wins - losses}`, axis,
    counts.map((count, bin) => {
      const low = -limit + bin * width;
      const side = bin === (bins - 1) / 2 ? "even" : low + width / 2 > 0 ? `better ${firstColour}` : `worse ${secondColour}`;
      const tall = (count / most) * (height - 92);
      return drawn("rect", { class: side, x: at(low) + 0.5, width: Math.max(0.5, at(low + width) - at(low) - 1), y: height - 42 - tall, height: tall });
    }),
    drawn("line", { x1: at(0), x2: at(0), y1: 30, y2: height - 42, class: "zero" }),
    drawn("text", { x: 40, y: 18, class: "label" }, `${shortName(second)} better: ${losses.toLocaleString("en")}`),
    drawn("text", { x: WIDTH - 40, y: 18, "text-anchor": "end", class: "label" }, `${shortName(first)} better: ${wins.toLocaleString("en")}`),
    drawn("text", { x: at(0), y: 18, "text-anchor": "middle", class: "label" }, `equal: ${(known.length - wins - losses).toLocaleString("en")}`));
}

/** One score against another, as dots; where there are very many, as shaded squares. */
export function scatterPlot(one, two, nameOne, nameTwo, colour, mostDots = 600) {
  const pairs = [];
  for (let place = 0; place < one.length; place++) {
    if (!Number.isNaN(one[place]) && !Number.isNaN(two[place])) pairs.push([one[place], two[place]]);
  }
  if (!pairs.length) return frame(60, "No items", drawn("text", { x: 20, y: 30 }, "no item has both scores"));
  const size = 420;
  const bound = (axis) => {
    const values = pairs.map((pair) => pair[axis]).sort((a, b) => a - b);
    const [low, high] = [values[0], values[Math.floor((values.length - 1) * 0.998)]];
    return [low, high > low ? high : low + 1];
  };
  const [[lowX, highX], [lowY, highY]] = [bound(0), bound(1)];
  const [left, right, top, bottom] = [64, WIDTH - 16, 8, size - 46];
  const [at, axis] = axisX(lowX, highX, left, right, bottom, nameOne);
  const y = (value) => bottom - ((Math.min(value, highY) - lowY) / (highY - lowY)) * (bottom - top);
  const marks = ticks(lowY, highY);
  const digits = digitsOf(marks);
  const sideAxis = drawn("g", { class: "axis" },
    marks.map((value) => drawn("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" })),
    marks.map((value) => drawn("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(digits))),
    drawn("text", { x: 14, y: (top + bottom) / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 14 ${(top + bottom) / 2})` }, nameTwo));
  const r = correlation(one, two);
  const dots = pairs.length <= mostDots
    ? pairs.map((pair) => drawn("circle", { cx: at(Math.min(pair[0], highX)).toFixed(1), cy: y(pair[1]).toFixed(1), r: 2.6, class: "point" }))
    : squares(pairs, [lowX, highX], [lowY, highY], [left, right, top, bottom]);
  return frame(size, `${nameTwo} against ${nameOne} of ${pairs.length} captions; Pearson correlation ${score(r, 3)}`, axis, sideAxis, drawn("g", { class: colour }, dots),
    drawn("text", { x: left + 8, y: top + 14, class: "label strong" }, `Pearson ${score(r, 3)}`));
}

function squares(pairs, [lowX, highX], [lowY, highY], [left, right, top, bottom]) {
  const count = 40;
  const cells = new Map();
  for (const [x, y] of pairs) {
    const column = Math.min(count - 1, Math.floor(((x - lowX) / (highX - lowX)) * count));
    const row = Math.min(count - 1, Math.floor(((y - lowY) / (highY - lowY)) * count));
    cells.set(row * count + column, (cells.get(row * count + column) ?? 0) + 1);
  }
  const most = Math.max(...cells.values());
  const [wide, tall] = [(right - left) / count, (bottom - top) / count];
  return [...cells].map(([cell, many]) => drawn("rect", {
    class: "cell",
    x: (left + (cell % count) * wide + 0.4).toFixed(1),
    y: (bottom - (Math.floor(cell / count) + 1) * tall + 0.4).toFixed(1),
    width: (wide - 0.8).toFixed(1),
    height: (tall - 0.8).toFixed(1),
    "fill-opacity": (0.12 + 0.88 * Math.sqrt(many / most)).toFixed(2),
  }));
}
