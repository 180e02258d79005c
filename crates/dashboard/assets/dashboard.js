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

// Where nobody chooses a picture, nothing is loaded to crop it.
document.addEventListener("change", async (event) => {
  const form = event.target.closest("form[data-crop]");
  if (form && event.target.type === "file") (await import("./crop.js")).offerCropping(form);
});
