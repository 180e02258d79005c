// Small things that make pages better. Every page works without them.

import "./choices.js";
import "./colours.js";
import "./copy.js";
import "./confirm.js";
import "./drafts.js";
import "./signing-in.js";
import "./tables.js";
import "./times.js";

// What few pages need.
if (document.querySelector("form[data-crop]")) import("./crop.js");
if (document.querySelector("[data-live]")) import("./live-parts.js");
if (document.querySelector("main .problem")) import("./problems.js");
