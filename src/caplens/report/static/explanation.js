// Explanations drawn from plain data, as Explanation.to_dict() in Python gives it.

import { alignmentDrawing } from "./alignment.js";
import { element, shown } from "./dom.js";
import { sceneDrawing } from "./scene.js";

const OUTCOMES = { matched: "matched", wrong: "in no reference", missed: "not in the candidate" };
const MORE_ROWS = 8;

/** Draw an explanation: what it comes to, its numbers, its sections. The captions stand elsewhere in the page. */
export function drawExplanation(explanation) {
  const { summary, scores, facts, sections, notes, metric } = explanation;
  const name = mainScore(explanation) ?? metric.split("(")[0];
  return element(
    "article",
    { class: "explanation", "aria-label": `Explanation of ${name}` },
    element("h4", {}, name, element("span", { class: "value" }, shownScore(scores[name]))),
    summary ? element("p", { class: "summary" }, summary) : null,
    sections.filter((section) => !isLong(section)).map(drawSection),
    factList({ ...Object.fromEntries(Object.entries(scores).filter(([key]) => key !== name)), ...facts }),
    sections.filter(isLong).map(folded),
    notes.map((note) => element("p", { class: "note" }, note)),
    element("p", { class: "note request" }, element("code", {}, metric)),
  );
}

/** Return the score that the summary speaks of ("BLEU-4 is ..." of Bleu_1 to Bleu_4), else the first. */
export function mainScore({ scores, summary }) {
  const keys = Object.keys(scores);
  const plain = (text) => text.toLowerCase().replace(/[-_]/g, "");
  const said = plain(summary.split(" ")[0] ?? "");
  return keys.find((key) => plain(key) === said) ?? keys[0];
}

function shownScore(value) {
  return typeof value === "number" ? value.toFixed(4) : "undefined";
}

function isLong(section) {
  return section.kind === "table" || section.kind === "tuples";
}

/** Put a section that few people need at once into an element that opens. */
function folded(section) {
  const open = section.kind === "tuples" || section.rows.length <= 1;
  return element("details", { open }, element("summary", {}, section.title), drawSection(section));
}

function factList(facts) {
  const entries = Object.entries(facts);
  if (!entries.length) return null;
  return element(
    "dl",
    { class: "facts" },
    entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, shown(value)))),
  );
}

/** Draw one section by its kind; one of a kind that is not known here is shown as a list of its parts. */
export function drawSection(section) {
  const draw = { table, text, word_costs: wordCosts, alignment, tuples, scene_graphs: sceneGraphs }[section.kind];
  return draw ? draw(section) : element("p", {}, section.title);
}

function table({ columns, rows, title }) {
  if (!rows.length) return element("p", { class: "note" }, "none");
  const words = columns.map((_, place) => rows.some((row) => typeof row[place] === "string"));
  const cells = (row) => row.map((value, place) => element("td", { class: words[place] ? "words" : "" }, shown(value)));
  return element(
    "div",
    { class: "scroll", tabindex: rows.length > MORE_ROWS ? 0 : false, role: "group", "aria-label": title },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, columns.map((name, place) =>
        element("th", { scope: "col", class: words[place] ? "words" : "" }, name)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, cells(row)))),
    ),
  );
}

function text({ title, words }) {
  return element(
    "figure",
    { class: "marked" },
    element("figcaption", {}, title),
    element("p", {}, words.map(([word, mark]) => [
      element("span", { class: mark }, word, mark === "miss" ? element("span", { class: "hidden" }, " (no)") : null),
      " ",
    ])),
  );
}

function wordCosts({ title, words }) {
  const most = Math.max(...words.map(([, cost]) => Math.abs(cost ?? 0)), 1e-9);
  return element(
    "figure",
    { class: "costs" },
    element("figcaption", {}, title),
    element("ol", {}, words.map(([word, cost]) => {
      const bar = element("span", { class: "bar" });
      bar.style.height = `${(Math.abs(cost ?? 0) / most) * 100}%`;
      return element(
        "li",
        { class: (cost ?? 0) > 0 ? "cost" : "gain" },
        element("span", { class: "room", "aria-hidden": "true" }, bar),
        element("span", { class: "word" }, word),
        element("span", { class: "number" }, shown(cost)),
      );
    })),
  );
}

function alignment(section) {
  return element("figure", { class: "aligned", tabindex: 0 }, element("figcaption", {}, section.title), alignmentDrawing(section));
}

function tuples({ rows, title }) {
  if (!rows.length) return element("p", { class: "note" }, "none");
  const line = ({ outcome, parts, partner }) =>
    element(
      "tr",
      { class: outcome },
      element("td", { class: "words" }, parts.join(" – ")),
      element("td", { class: "words" }, OUTCOMES[outcome] ?? outcome),
      element("td", { class: "words" }, partner ? partner.join(" – ") : ""),
    );
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": title },
    element(
      "table",
      { class: "tuples" },
      element("thead", {}, element("tr", {}, ["tuple", "outcome", "in the references"].map((name) =>
        element("th", { scope: "col", class: "words" }, name)))),
      element("tbody", {}, rows.map(line)),
    ),
  );
}

function sceneGraphs(section) {
  const sides = [["candidate", section.candidate], ["references", section.references]];
  return element(
    "div",
    { class: "scenes" },
    sides.map(([side, scene]) =>
      element(
        "figure",
        { class: "scene" },
        element("figcaption", {}, headed(side, scene)),
        element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Scene graph of the ${side}` },
          sceneDrawing(scene, side)),
      )),
  );
}

function headed(side, scene) {
  const name = `scene graph of the ${side}`;
  if (!scene.known) return name;
  const share = scene.known === scene.captions ? "" : `${scene.known} of ${scene.captions} `;
  return `${name} (${share}from a pack)`;
}
