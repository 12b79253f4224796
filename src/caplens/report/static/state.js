// What is shown, as the part of the address behind #: any view of a report can be linked to.

const DEFAULTS = { view: "disputed", key: 0, system: 0, other: 1, across: 0, text: "", subset: "", down: true, page: 0, item: "" };

/** Read the state; what is damaged or out of range falls back to its default. */
export function stateOf(hash, limits = {}) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { ...DEFAULTS, ...limits.defaults };
  for (const [name, standard] of Object.entries(DEFAULTS)) {
    const text = given.get(name);
    if (text === null) continue;
    if (typeof standard === "number") {
      const number = Number(text);
      if (Number.isInteger(number) && number >= 0 && number < (limits[name] ?? Infinity)) state[name] = number;
    } else if (typeof standard === "boolean") state[name] = text !== "0";
    else state[name] = text;
  }
  return state;
}

/** Write what differs from the defaults. */
export function hashOf(state, defaults = {}) {
  const standard = { ...DEFAULTS, ...defaults };
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name in DEFAULTS && value !== standard[name]) parts.set(name, typeof value === "boolean" ? Number(value) : value);
  }
  return `#${parts}`;
}
