// The captions: a table that is sorted, filtered and turned page by page, and the item that is open.

import { element, score, signed } from "./dom.js";
import { drawExplanation } from "./explanation.js";
import { choice } from "./figures.js";
import { colourOf } from "./plots.js";

const PAGE = 25;
// What can be shown: its name, what it sorts by, how many systems it needs, and how the table's title says it.
const VIEWS = {
  spread: ["Systems differ most", (state) => ({ by: "spread", key: state.key }), 2, (key) => `Systems differ most: range of ${key} over all systems`],
  beats: ["A beats B", (state) => ({ by: "difference", key: state.key, system: state.system, other: state.other }), 2, (key) => `A beats B: ${key}`],
  worst: ["Worst captions", (state) => ({ by: "score", key: state.key, system: state.system }), 1, (key, of) => `Worst captions${of}: ${key}`],
  best: ["Best captions", (state) => ({ by: "score", key: state.key, system: state.system }), 1, (key, of) => `Best captions${of}: ${key}`],
  disputed: ["Most disputed (scores disagree)", (state) => ({ by: "disputed", system: state.system }), 1, (key, of) => `Scores disagree most about these captions${of}`],
  input: ["As in the input", () => ({ by: "input" }), 1, () => "As in the input"],
};
// Which end of the order comes first; scores of which less is better are turned round in `order`.
const FALLING = { worst: false, input: false };

export class Captions {
  constructor({ items, summary, explanations, pictures, change }) {
    Object.assign(this, { items, summary, explanations, pictures, change });
    this.main = summary.scores.flatMap((one, place) => (one.main ? [place] : []));
    this.views = Object.entries(VIEWS).filter(([, view]) => items.systems >= view[2]);
    this.ofA = items.systems > 1 ? " of A" : "";
    this.found = document.getElementById("found");
    this.table = document.getElementById("rows");
    this.detail = document.getElementById("item");
    this.makeControls();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  makeControls() {
    const { change, items, summary } = this;
    const search = element("input", { id: "search", type: "search", placeholder: "words in captions, references or ids",
      oninput: () => change({ text: search.value, page: 0 }) });
    this.search = search;
    const view = element("select", { id: "view", onchange: () => change({ view: view.value, page: 0, down: FALLING[view.value] ?? true }) },
      this.views.map(([name, [label]]) => element("option", { value: name }, ["best", "worst"].includes(name) ? `${label}${this.ofA}` : label)));
    this.view = view;
    const labels = items.subsets.flatMap((subset, at) => subset.labels.map((label, place) => [`${at}.${place}`, `${subset.name}: ${label}`]));
    const subset = element("select", { id: "subset", onchange: () => change({ subset: subset.value, page: 0 }) },
      element("option", { value: "" }, "all items"), labels.map(([value, label]) => element("option", { value }, label)));
    this.subset = subset;
    this.choices = {};
    const place = (id, label, names, name) => {
      const made = choice(id, label, names, 0, (chosen) => change({ [name]: chosen, page: 0 }));
      this.choices[name] = made.querySelector("select");
      return made;
    };
    document.getElementById("caption-controls").append(
      element("div", { class: "choice wide" }, element("label", { for: "search" }, "Filter by text"), search),
      element("div", { class: "choice" }, element("label", { for: "view" }, "Show"), view),
      place("by-score", "Score", items.keys, "key"),
      items.systems > 1 ? place("system-a", "System A", summary.systems, "system") : "",
      items.systems > 1 ? place("system-b", "System B", summary.systems, "other") : "",
      labels.length ? element("div", { class: "choice" }, element("label", { for: "subset" }, "Subset"), subset) : "",
    );
  }

  /** Show a state; `before` is the one that was shown. */
  show(state, before) {
    const old = this.state;
    this.state = state;
    if (document.activeElement !== this.search) this.search.value = state.text;
    this.view.value = state.view;
    this.subset.value = state.subset;
    for (const [name, select] of Object.entries(this.choices)) select.value = state[name];
    const wished = ["view", "key", "system", "other", "text", "subset", "down"];
    if (!old || wished.some((name) => old[name] !== state[name])) this.order();
    this.drawRows();
    if (!old || !before || ["item", "system"].some((name) => old[name] !== state[name])) this.drawItem(before !== null && old?.item !== state.item);
  }

  order() {
    const { items, state } = this;
    const view = VIEWS[state.view] ?? this.views[0][1];
    const subset = /^\d+\.\d+$/.test(state.subset) ? state.subset.split(".").map(Number) : null;
    const known = subset && items.subsets[subset[0]]?.labels[subset[1]] !== undefined ? subset : null;
    const beats = state.view === "beats" ? { key: state.key, system: state.system, other: state.other } : null;
    const wish = view[1](state);
    let down = state.down;
    if (wish.by === "score" && !items.higher[state.key]) down = !down;
    const started = performance.now();
    this.places = items.sorted(items.filtered({ text: state.text, subset: known, beats }), wish, down);
    this.took = performance.now() - started;
  }

  drawRows() {
    const { items, state, places } = this;
    const pages = Math.max(1, Math.ceil(places.length / PAGE));
    const page = Math.min(state.page, pages - 1);
    const compared = items.systems > 1 && state.system !== state.other;
    const shownRows = places.slice(page * PAGE, (page + 1) * PAGE);
    this.shownRows = shownRows;
    const byScore = ["best", "worst"].includes(state.view);
    const head = (label, pressed, wish) => {
      const down = pressed ? !state.down : true;
      const falls = byScore && !items.higher[state.key] ? !state.down : state.down;
      const view = wish.view ?? (down ? "best" : "worst");
      return element("th", { scope: "col", "aria-sort": pressed ? (falls ? "descending" : "ascending") : false },
        element("button", { type: "button", class: "sort", onclick: () => this.change({ ...wish, view, down, page: 0 }) }, label,
          element("span", { "aria-hidden": "true" }, pressed ? (falls ? " ↓" : " ↑") : "")));
    };
    const heads = [
      element("th", { scope: "col", class: "words" }, "Item"),
      element("th", { scope: "col", class: "words" }, compared ? "Captions of A and B" : "Caption"),
      ...this.main.map((key) => head(items.keys[key], byScore && key === state.key, { key })),
    ];
    if (compared) heads.push(head(`A − B, ${items.keys[state.key]}`, state.view === "beats", { view: "beats" }));
    this.table.replaceChildren(
      element("caption", {}, this.title(page, pages)),
      element("thead", {}, element("tr", {}, heads)),
      element("tbody", {}, shownRows.map((place) => this.row(place, compared))),
    );
    this.found.textContent = `${places.length.toLocaleString("en")} of ${items.count.toLocaleString("en")} items`;
    this.drawPager(page, pages);
  }

  title(page, pages) {
    const { state, summary, items } = this;
    const label = (VIEWS[state.view] ?? this.views[0][1])[3](items.keys[state.key], this.ofA);
    const names = items.systems > 1 ? `; A is ${summary.systems[state.system]}, B is ${summary.systems[state.other]}` : "";
    return `${label}${names}; page ${page + 1} of ${pages}`;
  }

  row(place, compared) {
    const { items, state } = this;
    const open = items.ids[place] === state.item;
    const caption = (system) => element("span", { class: `caption ${colourOf(system)}`, dir: "auto" },
      compared ? element("b", { class: "key" }, system === state.system ? "A" : "B") : null, items.captions[system][place] || "(empty)");
    const cells = this.main.map((key) => element("td", {}, element("span", { class: "number" }, score(items.scores[key][state.system][place])),
      compared ? element("span", { class: "number second" }, score(items.scores[key][state.other][place])) : null));
    if (compared) {
      const difference = items.scores[state.key][state.system][place] - items.scores[state.key][state.other][place];
      const good = items.higher[state.key] ? difference > 0 : difference < 0;
      cells.push(element("td", { class: difference === 0 ? "even" : good ? `better ${colourOf(state.system)}` : `worse ${colourOf(state.other)}` }, signed(difference)));
    }
    return element("tr", { class: open ? "open" : "", "aria-current": open ? "true" : false },
      element("th", { scope: "row", class: "words" },
        element("a", { href: this.linkTo(place), "data-place": place, onclick: (event) => this.open(event, place) }, items.ids[place])),
      element("td", { class: "words" }, caption(state.system), compared ? caption(state.other) : null),
      ...cells);
  }

  linkTo(place) {
    return `#item=${encodeURIComponent(this.items.ids[place])}`;
  }

  open(event, place) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.change({ item: this.items.ids[place] });
  }

  drawPager(page, pages) {
    const turn = (label, to, enabled) => element("button", { type: "button", disabled: !enabled, onclick: () => this.change({ page: to }) }, label);
    const pager = document.getElementById("pager");
    const focused = pager.contains(document.activeElement) ? document.activeElement.textContent : "";
    pager.replaceChildren(
      turn("First", 0, page > 0), turn("Previous", page - 1, page > 0),
      element("span", {}, `${page + 1} / ${pages}`),
      turn("Next", page + 1, page < pages - 1), turn("Last", pages - 1, page < pages - 1));
    if (focused) [...pager.querySelectorAll("button")].find((one) => one.textContent === focused && !one.disabled)?.focus();
  }

  /** j and k, or the arrow keys with Alt, go to the next and the previous item. */
  key(event) {
    if (event.ctrlKey || event.metaKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
    const step = { j: 1, k: -1 }[event.key];
    if (event.key === "Escape" && this.state?.item) {
      const place = this.items.places.get(this.state.item);
      this.change({ item: "" });
      this.table.querySelector(`a[data-place="${place}"]`)?.focus();
    } else if (step && this.places?.length) {
      const at = this.places.indexOf(this.items.places.get(this.state.item));
      const next = at < 0 ? 0 : Math.min(this.places.length - 1, Math.max(0, at + step));
      this.change({ item: this.items.ids[this.places[next]], page: Math.floor(next / PAGE) });
    }
  }

  async drawItem(focus) {
    const { items, state, summary } = this;
    const place = items.places.get(state.item);
    this.detail.hidden = state.item === "";
    if (state.item === "") return this.detail.replaceChildren();
    if (place === undefined) return this.detail.replaceChildren(element("p", {}, `There is no item ${state.item} in this report.`));
    const heading = element("h3", { tabindex: -1, id: "item-title" }, `Item ${items.ids[place]}`);
    const explained = element("div", { class: "explanations", "aria-live": "polite" });
    const copy = element("button", { type: "button", onclick: () => this.copy(place, copy) }, "Copy link");
    this.detail.replaceChildren(
      element("div", { class: "item-head" }, heading,
        element("div", { class: "buttons" }, copy, element("button", { type: "button", onclick: () => this.change({ item: "" }) }, "Close"))),
      this.picture(place),
      element("h4", {}, "References"),
      element("ul", { class: "references" }, items.references[place].map((text) => element("li", { dir: "auto" }, text))),
      items.references[place].length ? "" : element("p", { class: "note" }, "none"),
      element("h4", {}, items.systems > 1 ? "Captions" : "Caption"),
      this.systemsTable(place),
      element("h4", {}, items.systems > 1 ? `Why ${summary.systems[state.system]} has these scores` : "Why it has these scores"),
      explained,
    );
    if (focus) {
      heading.focus({ preventScroll: true });
      this.detail.scrollIntoView({ block: "start" });
    }
    await this.explain(place, state.system, explained);
    return undefined;
  }

  async explain(place, system, target) {
    try {
      const found = await this.explanations.of(place, system);
      if (this.items.ids[place] !== this.state.item || system !== this.state.system) return;
      if (found) target.replaceChildren(...found.map((one) => drawExplanation(one)));
      else target.replaceChildren(element("p", { class: "note" }, "The explanations of this item are not in the report; --explain all includes those of every item."));
    } catch (error) {
      target.replaceChildren(element("p", { class: "note" }, `The explanations cannot be shown: ${error.message}`));
    }
    target.dataset.done = "yes";
  }

  systemsTable(place) {
    const { items, summary, state } = this;
    const keys = this.main;
    const best = keys.map((key) => {
      const known = items.scores[key].map((values) => values[place]).filter((value) => !Number.isNaN(value));
      return items.higher[key] ? Math.max(...known) : Math.min(...known);
    });
    return element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Captions and scores" },
      element("table", { class: "systems" },
        element("thead", {}, element("tr", {},
          items.systems > 1 ? element("th", { scope: "col", class: "words" }, "System") : null,
          element("th", { scope: "col", class: "words" }, "Caption"),
          keys.map((key) => element("th", { scope: "col" }, items.keys[key])))),
        element("tbody", {}, summary.systems.map((name, system) => element("tr", { class: system === state.system ? "open" : "" },
          items.systems > 1 ? element("th", { scope: "row", class: "words" },
            element("button", { type: "button", class: `pick ${colourOf(system)}`, "aria-pressed": system === state.system ? "true" : "false",
              onclick: () => this.pick(system) }, name)) : null,
          element("td", { class: "words", dir: "auto" }, items.captions[system][place] || "(empty)"),
          keys.map((key, at) => {
            const value = items.scores[key][system][place];
            return element("td", { class: items.systems > 1 && value === best[at] ? "top" : "" }, score(value));
          }))))));
  }

  pick(system) {
    this.change({ system });
    this.detail.querySelector(`button[aria-pressed="true"]`)?.focus();
  }

  picture(place) {
    if (!this.pictures) return "";
    const { pattern, thumbnails } = this.pictures;
    const id = this.items.ids[place];
    const address = pattern.replaceAll("{id}", encodeURIComponent(id)).replace(/\{id:0(\d+)\}/g, (_, width) => encodeURIComponent(id.padStart(Number(width), "0")));
    const source = this.pictures.files ? this.pictures.files[place] : address;
    if (!source) return element("p", { class: "note" }, "There is no picture of this item.");
    const shownSource = thumbnails?.[place] ?? source;
    return element("figure", { class: "picture" },
      element("a", { href: source, rel: "noreferrer" },
        element("img", { src: shownSource, alt: `Picture of item ${id}`, loading: "lazy", referrerpolicy: "no-referrer" })));
  }

  async copy(place, button) {
    const address = `${location.href.split("#")[0]}${this.linkTo(place)}`;
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = "Copied";
    } catch {
      location.hash = this.linkTo(place);
      button.textContent = "The link is in the address bar";
    }
  }
}
