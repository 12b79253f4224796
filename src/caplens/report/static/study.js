// The page of a study: tables and figures, which need no script; only the theme can be chosen.

import { themeButton } from "./theme.js";

themeButton(document.getElementById("theme"));
document.documentElement.dataset.ready = "yes";
