// Small things that make pages better. Every page works without them.

import "./choices.js";
import "./colours.js";
import "./copy.js";
import "./confirm.js";
import "./sending.js";
import "./drafts.js";
import "./signing-in.js";
import "./tables.js";
import "./times.js";

// What few pages need. Without it, they work as they do without scripts.
const load = (loading) => loading.catch(() => null);
if (document.querySelector("[data-live]")) load(import("./live-parts.js"));
if (document.querySelector("main .problem")) load(import("./problems.js"));
if (document.querySelector("[data-country]")) load(import("./countries.js"));
if (document.querySelector("[data-replacement] [data-state=processing]")) load(import("./replace.js"));

// Where nobody replaces a file, nothing is loaded to show the progress. It takes the form over, before others see it.
let replacing = null;
document.addEventListener("submit", async function first(event) {
  const form = event.target;
  if (!form.matches("[data-replacement] form[enctype]")) return;
  event.preventDefault();
  event.stopPropagation();
  if (replacing) return;
  replacing = load(import("./replace.js"));
  await replacing;
  document.removeEventListener("submit", first, true);
  form.requestSubmit();
}, true);

// Where nobody chooses a picture, nothing is loaded to crop it.
document.addEventListener("change", async (event) => {
  const form = event.target.closest("form[data-crop]");
  if (form && event.target.type === "file") (await load(import("./crop.js")))?.offerCropping(form);
});
