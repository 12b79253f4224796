// What is on the page, as the fragment of its address: nothing after # is ever sent to a server.

export const EXAMPLE = {
  candidate: "a man in a blue shirt on a horse next to the sofa",
  second: "",
  comparing: false,
  references: ["a person wearing a blue t-shirt rides a horse beside a couch", "a man riding a brown horse in a living room"],
  metrics: "all",
};

/** Read the state out of a fragment; null where it has none. */
export function fromFragment(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!given.has("c") && !given.has("r")) return null;
  return {
    candidate: given.get("c") ?? "",
    second: given.get("d") ?? "",
    comparing: given.has("d"),
    references: given.getAll("r"),
    metrics: given.get("m") ?? "all",
  };
}

/** Write the state as a fragment. */
export function toFragment(state) {
  const written = new URLSearchParams([["c", state.candidate]]);
  if (state.comparing) written.append("d", state.second);
  for (const reference of state.references) written.append("r", reference);
  written.append("m", state.metrics);
  return `#${written}`;
}
