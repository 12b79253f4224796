// Elements made from text only: nothing that comes from data is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: attributes, then children (strings become text). A false or missing attribute is left out. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

/** Let a long name such as VectorExtremaCosineSimilarity be broken where a new word begins. */
export function breakable(name) {
  return name.split(/(?<=[a-z_])(?=[A-Z])/).flatMap((part, place) => (place ? [document.createElement("wbr"), part] : [part]));
}

/** Write a number as the tables of caplens do; what does not exist is a dash. */
export function shown(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) && digits === 4 ? String(value) : value.toFixed(digits);
}

/** Write a score with a fixed number of digits. */
export function score(value, digits = 4) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

/** Write a difference with its sign. */
export function signed(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value).toFixed(digits);
  return `${Number(size) === 0 ? "" : value > 0 ? "+" : "−"}${size}`;
}
