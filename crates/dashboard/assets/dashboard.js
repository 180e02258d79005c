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

// What few pages need.
if (document.querySelector("[data-live]")) import("./live-parts.js");
if (document.querySelector("main .problem")) import("./problems.js");
if (document.querySelector("[data-country]")) import("./countries.js");
if (document.querySelector("[data-replacement] [data-state=processing]")) import("./replace.js");

// Where nobody replaces a file, nothing is loaded to show the progress. It takes the form over, before others see it.
let replacing = null;
document.addEventListener("submit", async function load(event) {
  const form = event.target;
  if (!form.matches("[data-replacement] form[enctype]")) return;
  event.preventDefault();
  event.stopPropagation();
  if (replacing) return;
  replacing = import("./replace.js").catch(() => null);
  await replacing;
  document.removeEventListener("submit", load, true);
  form.requestSubmit();
}, true);

// Where nobody chooses a picture, nothing is loaded to crop it.
document.addEventListener("change", async (event) => {
  const form = event.target.closest("form[data-crop]");
  if (form && event.target.type === "file") (await import("./crop.js")).offerCropping(form);
});
