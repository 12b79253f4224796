// Requests to the API of this server.

/** Post a request; the answer is read as JSON, or as a blob. A refusal becomes an error that says why. */
export async function ask(url, body, { signal, as = "json" } = {}) {
  let answer;
  try {
    answer = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer: is caplens serve still running?");
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error ?? `The server answered ${answer.status}.`);
  }
  return as === "blob" ? answer.blob() : answer.json();
}

/** Cut "all" in two, so that the usual metrics are not kept waiting by the slow ones. */
export function shares(metrics, known) {
  if (metrics.trim().toLowerCase() !== "all" || !known) return [metrics];
  const ready = new Set(known.metrics.filter((each) => each.ready).map((each) => each.name));
  const first = known.groups.coco.filter((name) => ready.has(name));
  const rest = known.groups.all.filter((name) => ready.has(name) && !first.includes(name));
  return [first, rest].filter((names) => names.length).map((names) => names.join(", "));
}

/** Let the browser save something. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
