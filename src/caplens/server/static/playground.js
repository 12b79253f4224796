// The playground: what is typed is scored and explained a moment later.

import { ask, save, shares } from "./asking.js";
import { themeButton } from "./report/theme.js";
import { showResults } from "./results.js";
import { EXAMPLE, fromFragment, toFragment } from "./state.js";

const WAIT = 250; // milliseconds after the last key
const byId = (id) => document.getElementById(id);
const fields = Object.fromEntries(
  ["candidate", "second", "comparing", "references", "metrics", "status", "problem", "results", "scores"]
    .map((id) => [id, byId(id)]),
);
let timer = null;
let running = null;
let known = null;
let last = null;

function lines(text) {
  return text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
}

function read() {
  return {
    candidate: fields.candidate.value,
    second: fields.second.value,
    comparing: fields.comparing.checked,
    references: lines(fields.references.value),
    metrics: fields.metrics.value.trim() || "all",
  };
}

function fill(state) {
  fields.candidate.value = state.candidate;
  fields.second.value = state.second;
  fields.comparing.checked = state.comparing;
  fields.references.value = state.references.join("\n");
  fields.metrics.value = state.metrics;
  byId("second-field").hidden = !state.comparing;
}

function say(text, problem = "") {
  fields.status.textContent = text;
  fields.problem.textContent = problem;
}

/** Mark the results while others are computed, and where they are not those of what is typed. */
function busy(is, stale = is && fields.results.classList.contains("stale")) {
  fields.results.setAttribute("aria-busy", String(is));
  fields.results.classList.toggle("stale", stale);
}

function later() {
  byId("second-field").hidden = !fields.comparing.checked;
  busy(true);
  clearTimeout(timer);
  timer = setTimeout(run, WAIT);
}

/** Score what is on the page; whatever an earlier call still waits for is given up. */
async function run() {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const state = read();
  history.replaceState(null, "", toFragment(state));
  const lacking = whatLacks(state);
  if (lacking) {
    busy(false, true);
    return say(lacking);
  }
  const captions = state.comparing && state.second.trim() ? [state.candidate, state.second] : [state.candidate];
  const found = captions.map(() => []);
  busy(true);
  say("Scoring …");
  try {
    for (const metrics of shares(state.metrics, known)) {
      const answers = await Promise.all(captions.map((candidate) =>
        ask("/api/explain", { candidate, references: state.references, metrics }, { signal })));
      answers.forEach((answer, place) => found[place].push(...answer.explanations));
      showResults(found, ["candidate", "second candidate"], fields.scores, byId("explanations"));
      busy(true, false);
      last = { ...state, explanations: found };
    }
    say(`Scored by ${found[0].length} ${found[0].length === 1 ? "metric" : "metrics"}.`);
    busy(false);
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    say("", error.message);
    busy(false, true);
  }
  return undefined;
}

/** Say what has to be typed first; whether metrics that are named one by one need references, the server knows. */
function whatLacks({ candidate, references, metrics }) {
  if (!candidate.trim()) return "Type a candidate.";
  const isGroup = ["all", ...Object.keys(known?.groups ?? {})].includes(metrics.toLowerCase());
  return isGroup && !references.length ? "Type at least one reference." : "";
}

async function copyLink() {
  history.replaceState(null, "", toFragment(read()));
  byId("link").value = location.href;
  byId("link-field").hidden = false;
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    byId("link").select();
    say("Copy the link from the field.");
  }
}

function downloadJson() {
  if (!last) return say("There is nothing to download yet.");
  return save(new Blob([JSON.stringify(last, null, 1)], { type: "application/json" }), "caplens.json");
}

async function downloadSvg() {
  const { candidate, references } = read();
  try {
    save(await ask("/api/graph", { candidate, references, metrics: "spice" }, { as: "blob" }), "scene-graphs.svg");
  } catch (error) {
    say("", error.message);
  }
}

function begin() {
  themeButton(byId("theme"));
  fill(fromFragment(location.hash) ?? EXAMPLE);
  for (const field of ["candidate", "second", "comparing", "references", "metrics"]) {
    fields[field].addEventListener("input", later);
  }
  byId("captions").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("copy").addEventListener("click", copyLink);
  byId("json").addEventListener("click", downloadJson);
  byId("svg").addEventListener("click", downloadSvg);
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment holds the captions
    fields.scores.focus();
  });
  addEventListener("hashchange", () => {
    const given = fromFragment(location.hash);
    if (given) {
      fill(given);
      run();
    }
  });
}

begin();
try {
  known = await ask("/api/metrics");
  byId("known").replaceChildren(...["all", "coco", ...known.metrics.map((each) => each.name)].map((name) => {
    const option = document.createElement("option");
    option.value = name;
    return option;
  }));
} catch (error) {
  say("", error.message);
}
run();
