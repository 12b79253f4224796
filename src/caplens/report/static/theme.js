// Light or dark: as the system says, until somebody chooses.

const NAMES = { auto: "Theme: automatic", light: "Theme: light", dark: "Theme: dark" };

/** Let a button go through the themes. */
export function themeButton(button) {
  if (!button) return;
  const root = document.documentElement;
  const set = (name) => {
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    button.textContent = NAMES[name];
  };
  button.addEventListener("click", () => {
    const names = Object.keys(NAMES);
    set(names[(names.indexOf(root.dataset.theme ?? "auto") + 1) % names.length]);
  });
  set(root.dataset.theme ?? "auto");
}
