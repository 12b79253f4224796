// An alignment as a drawing: the words of two captions in lines, matches as curves between them.

import { drawn } from "./dom.js";
import { textWidth } from "./scene.js";

const SIZE = 14;
const GAP = 8;
const BOLD = 0.94; // of the width at most: what bold letters of a wide font need
const MARGIN = 6;
const BETWEEN = 64;
const STAGES = { exact: "exact", stem: "stem", synonym: "synonym", paraphrase: "paraphrase" };

/** Draw an alignment: how words match is said by the line's pattern, its colour and its letters. */
export function alignmentDrawing({ candidate, reference, links, title }) {
  const [above, below] = [placed(candidate), placed(reference)];
  const width = Math.max(above.width, below.width, 160) + 2 * MARGIN;
  const top = 20;
  const bottom = top + BETWEEN;
  const stages = [...new Set(links.map((link) => link.stage))];
  const span = (words, start, length) => [words[start].left, words[start + length - 1].right];
  const wires = links.map((link) => {
    const from = span(above.words, link.start, link.length);
    const to = span(below.words, link.reference_start, link.reference_length);
    const [x, toX] = [(from[0] + from[1]) / 2, (to[0] + to[1]) / 2];
    const middle = (top + 8 + bottom - 16) / 2;
    return drawn("g", { class: `link ${STAGES[link.stage] ?? "other"}` },
      drawn("path", { d: `M${from[0]} ${top + 6}H${from[1]}` }),
      drawn("path", { d: `M${to[0]} ${bottom - 15}H${to[1]}` }),
      drawn("path", { d: `M${x} ${top + 6}C${x} ${middle} ${toX} ${middle} ${toX} ${bottom - 15}` }));
  });
  const covered = (key, size) => new Set(links.flatMap((link) => Array.from({ length: link[size] }, (_, at) => link[key] + at)));
  const line = (side, y, matched) => side.words.map(({ word, left }, at) =>
    drawn("text", { x: left, y, "font-size": SIZE, class: matched.has(at) ? "match" : "miss" }, word));
  let at = MARGIN;
  const legend = stages.map((stage) => {
    const entry = drawn("g", { class: `link ${STAGES[stage] ?? "other"}` },
      drawn("path", { d: `M${at} ${bottom + 24}h22` }),
      drawn("text", { x: at + 27, y: bottom + 28, "font-size": 11.5, class: "legend" }, stage));
    at += 27 + textWidth(stage, 11.5) + 16;
    return entry;
  });
  const full = Math.max(width, at);
  const height = bottom + (stages.length ? 36 : 12);
  return drawn(
    "svg",
    { class: "alignment", width: full, height, viewBox: `0 0 ${full} ${height}`, role: "img", "aria-label": described(title, candidate, reference, links) },
    wires,
    line(above, top, covered("start", "length")),
    line(below, bottom, covered("reference_start", "reference_length")),
    legend,
  );
}

function placed(words) {
  let at = MARGIN;
  const found = words.map((word) => {
    const left = at;
    const right = left + textWidth(word, SIZE) * BOLD;
    at = right + GAP;
    return { word, left, right };
  });
  return { words: found, width: at };
}

function described(title, candidate, reference, links) {
  const pairs = links.map((link) => {
    const ours = candidate.slice(link.start, link.start + link.length).join(" ");
    const theirs = reference.slice(link.reference_start, link.reference_start + link.reference_length).join(" ");
    return `${ours} with ${theirs} (${link.stage})`;
  });
  return `${title}: ${pairs.join("; ") || "nothing matches"}.`;
}
