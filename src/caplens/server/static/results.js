// Scores and explanations of one or two captions.

import { breakable, element, score, signed } from "./report/dom.js";
import { drawExplanation, mainScore } from "./report/explanation.js";

const opened = new Set(["spice"]);

function nameOf(explanation) {
  return explanation.metric.split("(")[0];
}

/** Show answers: for each candidate a list of explanations, in the same order of metrics. */
export function showResults(answers, names, scores, explanations) {
  scores.replaceChildren(scoreTable(answers, names));
  explanations.replaceChildren(...answers[0].map((_, place) => metricPart(answers.map((each) => each[place]), names)));
}

function scoreTable(answers, names) {
  const comparing = answers.length > 1;
  const heads = ["score", ...(comparing ? [...names, "difference"] : ["value"])];
  const rows = answers[0].flatMap((explanation, place) =>
    Object.keys(explanation.scores).map((key, number) => {
      const values = answers.map((each) => each[place]?.scores[key]);
      return element(
        "tr",
        { class: number ? "detail" : "" },
        element("th", { scope: "row" }, number ? breakable(key) : opener(key, nameOf(explanation))),
        values.map((value) => element("td", {}, score(value))),
        comparing ? element("td", {}, signed(difference(values))) : null,
      );
    }));
  return element(
    "table",
    {},
    element("caption", {}, comparing ? "Scores of both candidates" : "Scores"),
    element("thead", {}, element("tr", {}, heads.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, rows),
  );
}

function difference([first, second]) {
  return typeof first === "number" && typeof second === "number" ? first - second : null;
}

/** A button that opens the explanation of a score. */
function opener(key, metric) {
  return element("button", { type: "button", class: "plain", title: `Explain ${key}`, onclick: () => open(metric) }, breakable(key));
}

function open(metric) {
  const part = document.getElementById(`explain-${metric}`);
  part.open = true;
  part.scrollIntoView({ block: "start" });
  part.querySelector("summary").focus({ preventScroll: true });
}

/** What one metric says of each candidate; drawn when it is opened. */
function metricPart(found, names) {
  const metric = nameOf(found[0]);
  const key = mainScore(found[0]);
  const body = element("div", { class: found.length > 1 ? "beside" : "" });
  const part = element(
    "details",
    { id: `explain-${metric}`, class: "metric", open: opened.has(metric) },
    element("summary", {}, element("h2", {}, key ?? metric), " ",
      element("span", {}, found.map((each) => score(each.scores[key])).join(" / "))),
    body,
  );
  const draw = () => {
    if (!part.open || body.firstChild) return;
    body.append(...found.filter(Boolean).map((each, place) =>
      element("div", {}, found.length > 1 ? element("h3", {}, names[place]) : null, drawExplanation(each))));
  };
  part.addEventListener("toggle", () => {
    if (part.open) opened.add(metric);
    else opened.delete(metric);
    draw();
  });
  draw();
  return part;
}
