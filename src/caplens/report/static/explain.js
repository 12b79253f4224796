// The page of `caplens explain`: explanations of one caption.

import { drawExplanation } from "./explanation.js";
import { themeButton } from "./theme.js";

themeButton(document.getElementById("theme"));
const given = JSON.parse(document.getElementById("caplens-summary").textContent);
document.getElementById("explanations").replaceChildren(...given.explanations.map((one) => drawExplanation(one)));
document.documentElement.dataset.ready = "yes";
