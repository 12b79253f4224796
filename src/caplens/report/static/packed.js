// Data that was packed by report/packing.py: base64 and deflate, then templates and numbers instead of names.

const MARKS = { m: "match", x: "miss", "-": "plain" };

/** Unpack the JSON of a data block; browsers since 2023 and Node since 18 have what it takes. */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

/** Return an explanation as Explanation.to_dict() in Python gives it; captions are the page's. */
export function unpackedExplanation(packed, templates, candidate, references) {
  const [head, numbers, sections, summary, notes] = packed;
  const [scoreKeys, factKeys, metric] = templates[head];
  const byKey = (keys, values) => Object.fromEntries(keys.map((key, place) => [key, values[place]]));
  return {
    metric,
    candidate,
    references,
    scores: byKey(scoreKeys, numbers),
    facts: byKey(factKeys, numbers.slice(scoreKeys.length)),
    sections: sections.map((section) => unpackedSection(section, templates)),
    notes: notes.map((note) => templates[note][0]),
    summary,
  };
}

function unpackedSection(packed, templates) {
  const [kind, title, columns] = templates[packed[0]];
  const section = { kind, title };
  if (kind === "table") return { ...section, columns, rows: inGroups(packed[1], columns.length) };
  if (kind === "text") return { ...section, words: packed[1].map((word, place) => [word, MARKS[packed[2][place]]]) };
  if (kind === "word_costs") return { ...section, words: inGroups(packed[1], 2) };
  if (kind === "alignment") {
    const links = inGroups(packed[3], 6).map(([start, length, referenceStart, referenceLength, stage, chunk]) => ({
      start,
      length,
      reference_start: referenceStart,
      reference_length: referenceLength,
      stage: templates[stage][0],
      chunk,
    }));
    return { ...section, candidate: packed[1], reference: packed[2], links };
  }
  if (kind === "tuples") return { ...section, rows: packed[1].map((row) => unpackedTuple(row, templates)) };
  return { ...section, candidate: unpackedScene(packed[1]), references: unpackedScene(packed[2]) };
}

function unpackedTuple(packed, templates) {
  const [outcome, count, categories] = templates[packed[0]];
  const partner = packed.slice(1 + count);
  return { outcome, parts: packed.slice(1, 1 + count), partner: partner.length ? partner : null, categories };
}

function unpackedScene([objects, relations, captions, known]) {
  return {
    objects: objects.map(([name, matched, ...tags]) => ({
      name,
      matched: Boolean(matched),
      attributes: inGroups(tags, 2).map(([tag, found]) => ({ name: tag, matched: Boolean(found) })),
    })),
    relations: inGroups(relations, 4).map(([source, target, name, matched]) => ({
      source,
      target,
      name,
      matched: Boolean(matched),
    })),
    captions,
    known,
  };
}

function inGroups(values, size) {
  const groups = [];
  for (let start = 0; start < values.length; start += size) groups.push(values.slice(start, start + size));
  return groups;
}
