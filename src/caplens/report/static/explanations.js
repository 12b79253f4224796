// Explanations of captions: stored in the page, or asked for where the page came from.

import { inflated, unpackedExplanation } from "./packed.js";

export class Explanations {
  constructor(items, url, systems) {
    this.items = items;
    this.url = url;
    this.systems = systems;
    this.chunks = new Map();
    const block = document.getElementById("caplens-explanations");
    const facts = block ? JSON.parse(block.textContent) : { rows: [], chunk: 1, chunks: [] };
    this.size = facts.chunk;
    this.packed = facts.chunks;
    this.stored = new Map(facts.rows.map((row, place) => [row, place]));
  }

  has(place) {
    return this.stored.has(place) || this.url !== "";
  }

  /** Return the explanations of a system's caption, one per metric; null where there are none. */
  async of(place, system) {
    if (this.stored.has(place)) return this.unpacked(this.stored.get(place), place, system);
    if (!this.url) return null;
    const answer = await fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ system: this.systems[system], id: this.items.ids[place] }),
    });
    const found = await answer.json();
    if (!answer.ok) throw new Error(typeof found.error === "string" ? found.error : `the server answered ${answer.status}`);
    return found.explanations;
  }

  async unpacked(number, place, system) {
    const chunk = Math.floor(number / this.size);
    if (!this.chunks.has(chunk)) {
      if (this.chunks.size >= 4) this.chunks.delete(this.chunks.keys().next().value);
      this.chunks.set(chunk, inflated(this.packed[chunk]));
    }
    const { templates, metrics } = await this.chunks.get(chunk);
    const [caption, references] = [this.items.captions[system][place], this.items.references[place]];
    return metrics.map((images) => unpackedExplanation(images[number % this.size][system], templates, caption, references));
  }
}
