// The items of a report as columns: sorting, filtering and picking, without a page. Tests run it in Node.

/** Items with their scores; a score is NaN where it does not exist. */
export class Items {
  constructor(data, scores) {
    this.ids = data.ids;
    this.captions = data.captions;
    this.references = data.references;
    this.subsets = data.subsets ?? [];
    this.keys = scores.map((one) => one.key);
    this.higher = scores.map((one) => one.higher);
    this.scores = data.scores.map((systems) =>
      systems.map((values) => Float64Array.from(values, (value) => (value === null ? NaN : value / data.units))));
    this.count = this.ids.length;
    this.texts = null;
    this.disputes = new Map();
    this.places = new Map(this.ids.map((id, place) => [id, place]));
  }

  get systems() {
    return this.captions.length;
  }

  /** Return one number per item for a wish: {by: "score" | "difference" | "disputed" | "spread" | "input", ...}. */
  values(wish) {
    const { by, key = 0, system = 0, other = 1 } = wish;
    if (by === "score") return this.scores[key][system];
    if (by === "difference") {
      const [one, two] = [this.scores[key][system], this.scores[key][other]];
      const sign = this.higher[key] ? 1 : -1;
      return Float64Array.from(one, (value, place) => sign * (value - two[place]));
    }
    if (by === "spread") {
      return this.ofItems((place) => range(this.scores[key].map((values) => values[place])));
    }
    if (by === "disputed") {
      // Ranks take as long as sorting by every score, so they are kept.
      if (!this.disputes.has(system)) {
        const ranks = this.ranks(system);
        this.disputes.set(system, this.ofItems((place) => range(ranks.map((values) => values[place]))));
      }
      return this.disputes.get(system);
    }
    return this.ofItems((place) => place);
  }

  ofItems(make) {
    return Float64Array.from({ length: this.count }, (_, place) => make(place));
  }

  /** Return for each score the share of captions of a system that are worse; ties share their mean rank. */
  ranks(system) {
    return this.scores.map((systems, key) => {
      const sign = this.higher[key] ? 1 : -1;
      return rankShares(Float64Array.from(systems[system], (value) => sign * value));
    });
  }

  /** Return the places of the items that a filter lets through: {text, subset: [name place, label place], better}. */
  filtered({ text = "", subset = null, beats = null } = {}) {
    let places = Array.from({ length: this.count }, (_, place) => place);
    if (subset) places = places.filter((place) => this.subsets[subset[0]].of[place] === subset[1]);
    if (beats) {
      const difference = this.values({ by: "difference", ...beats });
      places = places.filter((place) => difference[place] > 0);
    }
    const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) {
      this.texts ??= this.ids.map((id, place) =>
        [id, ...this.captions.map((captions) => captions[place]), ...this.references[place]].join("\n").toLowerCase());
      places = places.filter((place) => words.every((word) => this.texts[place].includes(word)));
    }
    return places;
  }

  /** Sort places by a wish; what does not exist comes last, whatever the direction, and equals keep the input's order. */
  sorted(places, wish, descending = true) {
    return sortedBy(places, this.values(wish), descending);
  }
}

/** Sort places by numbers, stably; NaN last. */
export function sortedBy(places, values, descending) {
  const known = [];
  const unknown = [];
  for (const place of places) (Number.isNaN(values[place]) ? unknown : known).push(place);
  known.sort(descending ? (a, b) => values[b] - values[a] || a - b : (a, b) => values[a] - values[b] || a - b);
  return known.concat(unknown);
}

function range(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length ? Math.max(...known) - Math.min(...known) : NaN;
}

/** Return for each number the share of numbers below it, ties half: 0 is the lowest, 1 the highest. */
export function rankShares(values) {
  const order = sortedBy(Array.from(values, (_, place) => place), values, false);
  const shares = new Float64Array(values.length).fill(NaN);
  const known = order.filter((place) => !Number.isNaN(values[place]));
  for (let first = 0; first < known.length; ) {
    let last = first;
    while (last + 1 < known.length && values[known[last + 1]] === values[known[first]]) last += 1;
    for (let at = first; at <= last; at++) shares[known[at]] = known.length > 1 ? (first + last) / 2 / (known.length - 1) : 0.5;
    first = last + 1;
  }
  return shares;
}

/** Count values in bins of equal width between two bounds. */
export function histogram(values, bins, low, high) {
  const counts = new Array(bins).fill(0);
  const width = (high - low) / bins || 1;
  for (const value of values) {
    if (!Number.isNaN(value)) counts[Math.min(bins - 1, Math.max(0, Math.floor((value - low) / width)))] += 1;
  }
  return counts;
}

/** Return Pearson's correlation of two columns, over the items that have both. */
export function correlation(one, two) {
  let [count, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (let place = 0; place < one.length; place++) {
    const [a, b] = [one[place], two[place]];
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    count += 1;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const spread = Math.sqrt((xx - (x * x) / count) * (yy - (y * y) / count));
  return spread > 0 ? (xy - (x * y) / count) / spread : NaN;
}

/** Return round numbers between two bounds, for an axis. */
export function ticks(low, high, about = 5) {
  const raw = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}
